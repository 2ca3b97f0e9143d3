// SPDX-License-Identifier: Apache-2.0
// Wraps a test model as an FMI 3.0 FMU: Model Exchange, and Co-Simulation with event mode.
#include "fmi/api/fmi3.h"
#include "model.h"

#define ORRERY_PROTOTYPE(kind, result, name, arguments) result fmi3##name arguments;
FMI3_FUNCTIONS(ORRERY_PROTOTYPE)

typedef struct {
  Model model;
  int co_simulation, event_mode;
  fmi3InstanceEnvironment environment;
  fmi3IntermediateUpdateCallback update;
  fmi3ClockUpdateCallback clock_update;
} Instance;

static Model* model_of(fmi3Instance c) { return &((Instance*)c)->model; }
static unsigned number_of(fmi3ValueReference vr) { return vr % 1000; }

/* Clocks become active first, then the inputs that belong to them are set: the tick waits for both. */
static void make_ticks(Model* m) {
  for (unsigned clock = 0; clock < 32; ++clock) {
    if (m->due & (1u << clock)) model_tick(m, clock);
  }
  m->due = 0;
}
#ifdef QUIRK_STRICT_CLOCKS
/* Clocked integers cannot be touched while their clock is not active: 1 to 4 belong to the clocks of these numbers, 6
   and 7 to clock 2. */
static int is_refused(const Model* m, unsigned number) {
  const unsigned clock = number >= 6 ? 2 : number;
  return m->running && number != 5 && !(m->active & (1u << clock));
}
#else
static int is_refused(const Model* m, unsigned number) { return (void)m, (void)number, 0; }
#endif

static Instance* create(fmi3String token, fmi3String resources) {
  if (strcmp(token, "{test}") != 0) return NULL;
  Instance* instance = calloc(1, sizeof(Instance));
  snprintf(instance->model.resources, sizeof instance->model.resources, "%s", resources);
  model_start(&instance->model);
  return instance;
}

const char* fmi3GetVersion(void) { return fmi3Version; }
fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[]) {
  return (void)c, (void)on, (void)n, (void)categories, fmi3OK;
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
  (void)visible, (void)logging;
  Instance* instance = create(token, resources);
  if (instance == NULL) log(environment, fmi3Error, "error", name);
  return instance;
}
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early,
                                         const fmi3ValueReference variables[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
  (void)name, (void)visible, (void)logging, (void)early, (void)variables, (void)log;
  Instance* instance = create(token, resources);
  if (instance == NULL) return NULL;
  instance->co_simulation = 1, instance->event_mode = event_mode;
  instance->environment = environment;
  instance->update = n > 0 ? update : NULL;
  return instance;
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock) {
  (void)name, (void)visible, (void)logging, (void)log;
  Instance* instance = create(token, resources);
  if (instance == NULL) return NULL;
  lock(), unlock();
  instance->environment = environment;
  instance->clock_update = update;
  return instance;
}
fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time) {
  Instance* instance = c;
  instance->model.time = time;
  instance->model.clocks_changed = 0;
  model_tick(&instance->model, number_of(clock));
  if (instance->model.clocks_changed) instance->clock_update(instance->environment);
  return fmi3OK;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
  (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
  model_of(c)->time = start;
  return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  model_of(c)->running = 1;
  Instance* instance = c;
  model_initialise(&instance->model);
  const int iterations = instance->co_simulation && !instance->event_mode ? 10 : 0;
  for (int k = 0; k < iterations && instance->model.again; ++k) model_event(&instance->model);
  return fmi3OK;
}
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3EnterStepMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3Terminate(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3Reset(fmi3Instance c) { return model_reset(model_of(c)), fmi3OK; }
fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { return (void)c, fmi3OK; }

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[], size_t count) {
  Model* m = model_of(c);
  size_t at = 0;
  double z[MAX_VALUES] = {0};
  model_evaluate(m);
  model_indicate(m, z);
  for (size_t k = 0; k < n; ++k) {
    size_t length = 1;
    const double* array = model_array(m, number_of(vr[k]), &length);
    if (array == NULL) array = &m->real[number_of(vr[k]) % MAX_VALUES], length = 1;
    if (vr[k] == 999) array = &m->time;
    if (vr[k] >= 900 && vr[k] < 999) array = &z[vr[k] - 900];
    if (at + length > count) return fmi3Error;
    memcpy(values + at, array, length * sizeof(double));
    at += length;
  }
  return at == count ? fmi3OK : fmi3Error;
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                          size_t count) {
  Model* m = model_of(c);
  size_t at = 0;
  for (size_t k = 0; k < n; ++k) {
    size_t length = 1;
    double* array = model_array(m, number_of(vr[k]), &length);
    if (array == NULL) array = &m->real[number_of(vr[k])], length = 1;
    if (at + length > count) return fmi3Error;
    memcpy(array, values + at, length * sizeof(double));
    at += length;
  }
  return at == count ? fmi3OK : fmi3Error;
}

#define ACCESS(name, member)                                                                                   \
  fmi3Status fmi3Set##name(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3##name values[], \
                           size_t count) {                                                                     \
    if (count != n || is_refused(model_of(c), number_of(vr[0]))) return fmi3Error;                             \
    for (size_t k = 0; k < n; ++k) model_of(c)->member[number_of(vr[k])] = values[k];                          \
    return fmi3OK;                                                                                             \
  }                                                                                                            \
  fmi3Status fmi3Get##name(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3##name values[],       \
                           size_t count) {                                                                     \
    if (count != n || is_refused(model_of(c), number_of(vr[0]))) return fmi3Error;                             \
    make_ticks(model_of(c));                                                                                   \
    model_evaluate(model_of(c));                                                                               \
    for (size_t k = 0; k < n; ++k) values[k] = (fmi3##name)model_of(c)->member[number_of(vr[k])];              \
    return fmi3OK;                                                                                             \
  }
ACCESS(Float32, real)
ACCESS(Int8, integer)
ACCESS(UInt8, integer)
ACCESS(Int16, integer)
ACCESS(UInt16, integer)
ACCESS(Int32, integer)
ACCESS(UInt32, integer)
ACCESS(Int64, integer)
ACCESS(UInt64, integer)
ACCESS(Boolean, boolean)

fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3String values[], size_t count) {
  (void)count;
  model_evaluate(model_of(c));
  for (size_t k = 0; k < n; ++k) values[k] = model_of(c)->text[number_of(vr[k])];
  return fmi3OK;
}
fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3String values[],
                         size_t count) {
  (void)count;
  for (size_t k = 0; k < n; ++k) snprintf(model_of(c)->text[number_of(vr[k])], MAX_TEXT, "%s", values[k]);
  return fmi3OK;
}
fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[], fmi3Binary values[],
                         size_t count) {
  (void)count;
  model_evaluate(model_of(c));
  for (size_t k = 0; k < n; ++k) {
    values[k] = model_of(c)->bytes[number_of(vr[k])];
    sizes[k] = model_of(c)->byte_count[number_of(vr[k])];
  }
  return fmi3OK;
}
fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                         const fmi3Binary values[], size_t count) {
  (void)count;
  for (size_t k = 0; k < n; ++k) {
    if (sizes[k] > MAX_TEXT) return fmi3Error;
    memcpy(model_of(c)->bytes[number_of(vr[k])], values[k], sizes[k]);
    model_of(c)->byte_count[number_of(vr[k])] = sizes[k];
  }
  return fmi3OK;
}
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock values[]) {
  make_ticks(model_of(c));
  for (size_t k = 0; k < n; ++k) values[k] = model_output_clock(model_of(c), number_of(vr[k])) != 0;
  return fmi3OK;
}
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Clock values[]) {
  for (size_t k = 0; k < n; ++k) {
    if (values[k]) model_of(c)->active |= 1u << number_of(vr[k]), model_of(c)->due |= 1u << number_of(vr[k]);
  }
  return fmi3OK;
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[]) {
#ifdef QUIRK_NO_INTERVALS
  return fmi3Error;
#endif
  for (size_t k = 0; k < n; ++k) {
    qualifiers[k] = (fmi3IntervalQualifier)model_interval(model_of(c), number_of(vr[k]), &intervals[k]);
  }
  return fmi3OK;
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) {
  if (*state == NULL) *state = malloc(sizeof(Model));
  memcpy(*state, model_of(c), sizeof(Model));
  return fmi3OK;
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  memcpy(model_of(c), state, sizeof(Model));
  return fmi3OK;
}
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi3OK;
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t* size) {
  (void)c, (void)state;
  *size = sizeof(Model);
  return fmi3OK;
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  (void)c;
  memcpy(bytes, state, size);
  return fmi3OK;
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
  (void)c;
  *state = malloc(sizeof(Model));
  memcpy(*state, bytes, size);
  return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* end, fmi3Boolean* nominals,
                                    fmi3Boolean* states, fmi3Boolean* has_next, fmi3Float64* next) {
  Model* m = model_of(c);
  make_ticks(m);
  model_event(m);
  m->active = 0;
#ifdef QUIRK_SILENT_STEP
  return fmi3OK;
#endif
  *again = m->again != 0;
  *end = m->terminate != 0;
  *nominals = m->nominals_changed != 0;
  m->nominals_changed = 0;
  *states = m->states_changed != 0;
  *has_next = m->has_next != 0;
  *next = m->next;
  m->states_changed = 0;
  return fmi3OK;
}
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set, fmi3Boolean* event, fmi3Boolean* end) {
  (void)no_set;
  model_completed(model_of(c));
  *event = model_of(c)->call_event != 0;
  *end = false;
  return fmi3OK;
}
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
  model_of(c)->time = time;
  return fmi3OK;
}
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n) {
  memcpy(model_of(c)->real, x, n * sizeof(double));
  return fmi3OK;
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dx[], size_t n) {
  model_evaluate(model_of(c));
  memcpy(dx, model_of(c)->real + model_states, n * sizeof(double));
  return fmi3OK;
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 z[], size_t n) {
  (void)n;
  model_indicate(model_of(c), z);
  return fmi3OK;
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
  memcpy(x, model_of(c)->real, n * sizeof(double));
  return fmi3OK;
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
  for (size_t k = 0; k < n; ++k) x[k] = model_of(c)->nominal != 0 ? model_of(c)->nominal : 1;
  return fmi3OK;
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* n) {
  (void)c;
  *n = (size_t)model_indicators;
  return fmi3OK;
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* n) {
  *n = (size_t)model_state_count(model_of(c));
  return fmi3OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set, fmi3Boolean* event,
                      fmi3Boolean* end, fmi3Boolean* early, fmi3Float64* reached) {
  Instance* instance = c;
  Model* m = &instance->model;
  (void)no_set;
#ifdef QUIRK_SILENT_STEP
  model_advance(m, t, h); /* nothing is said about it */
  return fmi3OK;
#endif
  *event = *end = *early = false;
  *reached = t + h;
#ifdef QUIRK_NO_PROGRESS
  *early = t > 1;
  if (*early) *reached = t;
  if (*early) return fmi3OK;
#endif
  if (instance->event_mode && m->has_next && m->next <= t + h + 1e-12) {
    /* Time events are left to the importer: come back at the event. */
    const double next = m->next;
    m->has_next = 0;
    model_advance(m, t, next - t);
    m->has_next = 1;
    m->time = next;
    *event = true;
    *early = next < t + h;
    *reached = next;
    return fmi3OK;
  }
  if (instance->update != NULL) {
    /* Ten inner steps; before each one the importer may set the inputs, and end the step. */
    for (int k = 0; k < 10; ++k) {
      fmi3Boolean stop = false;
      fmi3Float64 when = 0;
      instance->update(instance->environment, t + 0.1 * k * h, true, true, k > 0, true, &stop, &when);
      if (stop) {
        *early = true;
        *reached = t + 0.1 * k * h;
        return fmi3OK;
      }
      model_advance(m, t + 0.1 * k * h, 0.1 * h);
    }
    return fmi3OK;
  }
  *end = model_advance(m, t, h) != 0;
  *reached = m->time;
  return fmi3OK;
}
