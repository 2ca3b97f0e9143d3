// SPDX-License-Identifier: MIT-0
/* FMI 3.0: Model Exchange, Co-Simulation and Scheduled Execution. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3.h"
#include "orrery_fmi.h"

#define FMI3_PROTOTYPE(kind, result, name, arguments) ORR_FMI_EXPORT result fmi3##name arguments;
FMI3_FUNCTIONS(FMI3_PROTOTYPE)

static const char *const categories_there[] = {"logStatusError", "logStatusWarning", "logAll"};

static fmi3Status status_of(int good) { return good ? fmi3OK : fmi3Error; }

#define IN(mode) ORR_FMI_IN(mode)
#define CHECK(modes)                                            \
  do {                                                          \
    if (!orr_fmi_allowed(c, modes, __func__)) return fmi3Error; \
  } while (0)

/* What the importer gave to be called by; lies behind the instance. */
typedef struct {
  fmi3LogMessageCallback log;
  fmi3IntermediateUpdateCallback between;
  fmi3ClockUpdateCallback clocks;
} callbacks;

static void log_message(orr_fmi *fmu, int severity, const char *text) {
  const callbacks *given = fmu->user;
  if (!given->log || (severity != ORR_ERROR && !fmu->logs)) return;
  given->log(fmu->environment, severity == ORR_ERROR ? fmi3Error : severity == ORR_WARNING ? fmi3Warning : fmi3OK,
             categories_there[severity == ORR_ERROR ? 0 : severity == ORR_WARNING ? 1 : 2], text);
}

const char *fmi3GetVersion(void) { return fmi3Version; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String categories[]) {
  (void)count, (void)categories;
  if (!c) return fmi3Error;
  ((orr_fmi *)c)->logs = on;
  return fmi3OK;
}

static fmi3Instance instantiate(const orr_fmi_body *body, fmi3String token, fmi3Boolean logs,
                                fmi3InstanceEnvironment environment, const callbacks *given) {
  orr_fmi *fmu;
  if (!body->model || !token || strcmp(token, orr_fmi_token) != 0) {
    if (given->log)
      given->log(environment, fmi3Error, categories_there[0],
                 body->model ? "the instantiation token is that of another FMU" : "this kind of FMU is not offered");
    return NULL;
  }
  fmu = calloc(1, orr_fmi_size(body) + sizeof *given);
  if (!fmu) return NULL;
  fmu->user = (unsigned char *)fmu + orr_fmi_size(body);
  memcpy(fmu->user, given, sizeof *given);
  fmu->environment = environment;
  fmu->logs = logs;
  fmu->log = log_message;
  orr_fmi_begin(fmu, body);
  return fmu;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logs, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
  callbacks given = {NULL, NULL, NULL};
  (void)name, (void)resources, (void)visible;
  given.log = log;
  return instantiate(&orr_fmi_exchange, token, logs, environment, &given);
}

/* Between the steps of the solver. Outputs may be read; inputs may be set where the importer said that it has some. */
static int call_between(orr_fmi *fmu) {
  const callbacks *given = fmu->user;
  fmi3Boolean requested = false;
  fmi3Float64 when = fmu->run.t;
  given->between(fmu->environment, fmu->run.t, fmu->asks != 0, true, true, fmu->returns_early != 0, &requested, &when);
  return requested && fmu->returns_early && when <= fmu->run.t;
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logs, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference intermediate[], size_t intermediate_count,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
  callbacks given = {NULL, NULL, NULL};
  orr_fmi *fmu;
  (void)name, (void)resources, (void)visible;
  given.log = log;
  given.between = update;
  fmu = instantiate(&orr_fmi_cosimulation, token, logs, environment, &given);
  if (!fmu) return NULL;
  fmu->event_mode = event_mode;
  fmu->returns_early = early_return;
  fmu->between = update ? call_between : NULL;
  for (size_t k = 0; update && k < intermediate_count; ++k) {
    const orr_fmi_variable *v = orr_fmi_find(fmu, intermediate[k]);
    if (v && v->what == ORR_FMI_INPUT) fmu->asks = 1;
  }
  return fmu;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logs,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback clock_update, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock) {
  callbacks given = {NULL, NULL, NULL};
  (void)name, (void)resources, (void)visible, (void)lock, (void)unlock; /* partitions do not interrupt each other */
  given.log = log;
  given.clocks = clock_update;
  return instantiate(&orr_fmi_scheduled, token, logs, environment, &given);
}

void fmi3FreeInstance(fmi3Instance c) { free(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
  CHECK(IN(INSTANTIATED));
  if (!orr_fmi_set_up(c, start, stop_defined ? stop : INFINITY, tolerance_defined ? tolerance : 0)) return fmi3Error;
  ((orr_fmi *)c)->now.mode = ORR_FMI_INITIALISING;
  return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  CHECK(IN(INITIALISING));
  return status_of(orr_fmi_initialise(c));
}

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
  CHECK(IN(CONTINUOUS) | IN(EVENTS) | IN(STEPPING));
  if (((orr_fmi *)c)->now.mode == ORR_FMI_STEPPING && !((orr_fmi *)c)->event_mode)
    return status_of(orr_fmi_refuse(c, "the instance was made without event mode"));
  ((orr_fmi *)c)->now.mode = ORR_FMI_EVENTS;
  return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance c) {
  CHECK(ORR_FMI_RUNNING);
  orr_fmi_end(c);
  return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance c) {
  if (!c) return fmi3Error;
  orr_fmi_reset(c);
  return fmi3OK;
}

/* Values of one type, arrays after each other; the numbers of an array pass through a place of the instance. */
#define ACCESS(name, ctype, wanted)                                                                               \
  fmi3Status fmi3Get##name(fmi3Instance c, const fmi3ValueReference vr[], size_t n, ctype values[], size_t count) { \
    size_t at = 0;                                                                                                \
    CHECK(IN(INSTANTIATED) | ORR_FMI_READABLE);                                                                           \
    for (size_t k = 0; k < n; ++k) {                                                                              \
      orr_fmi *fmu = c;                                                                                           \
      const orr_fmi_variable *v = orr_fmi_find(fmu, vr[k]);                                                       \
      if (!v) return fmi3Error;                                                                                   \
      if (v->type != (wanted)) return status_of(orr_fmi_refuse(fmu, "the variable is of another type"));          \
      if (at + (size_t)orr_fmi_count(v) > count) return status_of(orr_fmi_refuse(fmu, "there is no room for all values")); \
      if (!orr_fmi_get(fmu, vr[k], fmu->values)) return fmi3Error;                                                \
      for (int e = 0; e < orr_fmi_count(v); ++e) values[at++] = (ctype)fmu->values[orr_fmi_by_rows(v, e)];                                    \
    }                                                                                                             \
    return at == count ? fmi3OK : status_of(orr_fmi_refuse(c, "there are fewer values"));                         \
  }                                                                                                               \
  fmi3Status fmi3Set##name(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const ctype values[],         \
                           size_t count) {                                                                        \
    size_t at = 0;                                                                                                \
    CHECK(ORR_FMI_SETTABLE);                                                         \
    for (size_t k = 0; k < n; ++k) {                                                                              \
      orr_fmi *fmu = c;                                                                                           \
      const orr_fmi_variable *v = orr_fmi_find(fmu, vr[k]);                                                       \
      if (!v) return fmi3Error;                                                                                   \
      if (v->type != (wanted)) return status_of(orr_fmi_refuse(fmu, "the variable is of another type"));          \
      if (at + (size_t)orr_fmi_count(v) > count) return status_of(orr_fmi_refuse(fmu, "values are missing"));             \
      for (int e = 0; e < orr_fmi_count(v); ++e) fmu->values[orr_fmi_by_rows(v, e)] = (double)values[at++];                                   \
      if (!orr_fmi_set(fmu, vr[k], fmu->values)) return fmi3Error;                                                \
    }                                                                                                             \
    return at == count ? fmi3OK : status_of(orr_fmi_refuse(c, "there are too many values"));                      \
  }
ACCESS(Float64, fmi3Float64, ORR_F64)
ACCESS(Int8, fmi3Int8, ORR_I8)
ACCESS(UInt8, fmi3UInt8, ORR_U8)
ACCESS(Int16, fmi3Int16, ORR_I16)
ACCESS(UInt16, fmi3UInt16, ORR_U16)
ACCESS(Int32, fmi3Int32, ORR_I32)
ACCESS(UInt32, fmi3UInt32, ORR_U32)
ACCESS(Boolean, fmi3Boolean, ORR_BOOLEAN)

/* Types that no exported model has. */
#define ABSENT(name, ctype)                                                                                         \
  fmi3Status fmi3Get##name(fmi3Instance c, const fmi3ValueReference vr[], size_t n, ctype values[], size_t count) { \
    (void)vr, (void)values, (void)count;                                                                            \
    return n == 0 ? fmi3OK : status_of(c && orr_fmi_refuse(c, "there are no variables of this type"));              \
  }                                                                                                                 \
  fmi3Status fmi3Set##name(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const ctype values[],           \
                           size_t count) {                                                                          \
    (void)vr, (void)values, (void)count;                                                                            \
    return n == 0 ? fmi3OK : status_of(c && orr_fmi_refuse(c, "there are no variables of this type"));              \
  }
ABSENT(Float32, fmi3Float32)
ABSENT(Int64, fmi3Int64)
ABSENT(UInt64, fmi3UInt64)
ABSENT(String, fmi3String)

static fmi3Status absent(fmi3Instance c, size_t n, const char *text) {
  return n == 0 ? fmi3OK : status_of(c && orr_fmi_refuse(c, text));
}
static const char no_binaries[] = "there are no binary variables", of_description[] = "dependencies are those of modelDescription.xml";

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[], fmi3Binary values[],
                         size_t count) {
  (void)vr, (void)sizes, (void)values, (void)count;
  return absent(c, n, no_binaries);
}
fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                         const fmi3Binary values[], size_t count) {
  (void)vr, (void)sizes, (void)values, (void)count;
  return absent(c, n, no_binaries);
}
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock values[]) {
  CHECK(IN(INITIALISING) | IN(EVENTS) | IN(CLOCKED));
  for (size_t k = 0; k < n; ++k) {
    int active = 0;
    if (!orr_fmi_get_clock(c, vr[k], &active)) return fmi3Error;
    values[k] = active != 0;
  }
  return fmi3OK;
}

fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Clock values[]) {
  CHECK(IN(EVENTS));
  for (size_t k = 0; k < n; ++k) {
    if (!orr_fmi_set_clock(c, vr[k], values[k])) return fmi3Error;
  }
  return fmi3OK;
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[]) {
  CHECK(IN(INITIALISING) | IN(EVENTS) | IN(CLOCKED));
  for (size_t k = 0; k < n; ++k) {
    int changed = 0;
    if (!orr_fmi_interval(c, vr[k], &intervals[k], &changed)) return fmi3Error;
    qualifiers[k] = changed ? fmi3IntervalChanged : fmi3IntervalUnchanged;
    if (isfinite(intervals[k])) continue;
    intervals[k] = 0;
    qualifiers[k] = fmi3IntervalNotYetKnown;
  }
  return fmi3OK;
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[],
                                   fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]) {
  CHECK(IN(INITIALISING) | IN(EVENTS) | IN(CLOCKED));
  for (size_t k = 0; k < n; ++k) {
    const orr_fmi_clock *clock = orr_fmi_find_clock(c, vr[k]);
    if (!clock) return fmi3Error;
    counters[k] = clock->interval;
    resolutions[k] = clock->resolution;
    qualifiers[k] = fmi3IntervalUnchanged;
  }
  return fmi3OK;
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 shifts[]) {
  CHECK(IN(INITIALISING) | IN(EVENTS) | IN(CLOCKED));
  for (size_t k = 0; k < n; ++k) {
    const orr_fmi_clock *clock = orr_fmi_find_clock(c, vr[k]);
    if (!clock) return fmi3Error;
    shifts[k] = (double)clock->shift / (double)clock->resolution;
  }
  return fmi3OK;
}

fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[],
                                fmi3UInt64 resolutions[]) {
  CHECK(IN(INITIALISING) | IN(EVENTS) | IN(CLOCKED));
  for (size_t k = 0; k < n; ++k) {
    const orr_fmi_clock *clock = orr_fmi_find_clock(c, vr[k]);
    if (!clock) return fmi3Error;
    counters[k] = clock->shift;
    resolutions[k] = clock->resolution;
  }
  return fmi3OK;
}

static const char own_intervals[] = "intervals and shifts of clocks are those of the model";
fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                  const fmi3Float64 intervals[]) {
  (void)vr, (void)intervals;
  return absent(c, n, own_intervals);
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 counters[],
                                   const fmi3UInt64 resolutions[]) {
  (void)vr, (void)counters, (void)resolutions;
  return absent(c, n, own_intervals);
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 shifts[]) {
  (void)vr, (void)shifts;
  return absent(c, n, own_intervals);
}
fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 counters[],
                                const fmi3UInt64 resolutions[]) {
  (void)vr, (void)counters, (void)resolutions;
  return absent(c, n, own_intervals);
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 t) {
  orr_fmi *fmu = c;
  int changed = 0;
  CHECK(IN(CLOCKED));
  if (fmu->now.stopped) return fmi3OK; /* the model has ended: nothing happens any more */
  if (!orr_fmi_activate(fmu, clock, t, &changed)) return fmi3Error;
  if (changed && ((callbacks *)fmu->user)->clocks) ((callbacks *)fmu->user)->clocks(fmu->environment);
  return fmi3OK;
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t *n) {
  (void)vr;
  *n = 0;
  return absent(c, 1, of_description);
}
fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent, size_t elements[],
                                       fmi3ValueReference independents[], size_t others[], fmi3DependencyKind kinds[],
                                       size_t n) {
  (void)dependent, (void)elements, (void)independents, (void)others, (void)kinds, (void)n;
  return absent(c, 1, of_description);
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) {
  CHECK(IN(INSTANTIATED) | ORR_FMI_READABLE);
  return status_of(orr_fmi_get_state(c, state));
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) { return status_of(orr_fmi_set_state(c, state)); }
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) { return status_of(orr_fmi_free_state(c, state)); }

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size) {
  (void)state;
  if (!c) return fmi3Error;
  *size = orr_fmi_saved_size(c);
  return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  return status_of(orr_fmi_serialise(c, state, bytes, size));
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state) {
  return status_of(orr_fmi_deserialise(c, bytes, size, state));
}

#define DIFFERENTIABLE (IN(EVENTS) | IN(CONTINUOUS) | IN(STEPPING) | IN(BETWEEN))

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
                                        const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                        size_t seed_count, fmi3Float64 result[], size_t result_count) {
  CHECK(DIFFERENTIABLE);
  return status_of(
      orr_fmi_directional(c, unknowns, unknown_count, knowns, known_count, seed, seed_count, result, result_count));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
                                    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                    size_t seed_count, fmi3Float64 result[], size_t result_count) {
  CHECK(DIFFERENTIABLE);
  return status_of(
      orr_fmi_adjoint(c, unknowns, unknown_count, knowns, known_count, seed, seed_count, result, result_count));
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { return absent(c, 1, "there are no structural parameters"); }
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { return absent(c, 1, "there are no structural parameters"); }

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
  CHECK(IN(INITIALISING) | IN(EVENTS));
  return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals,
                                    fmi3Boolean *states, fmi3Boolean *next_defined, fmi3Float64 *next) {
  int changed = 0, ticks = 0;
  CHECK(IN(EVENTS));
  if (!orr_fmi_update(c, &changed, &ticks, next)) return fmi3Error;
  *nominals = false;
  *again = ticks != 0;
  *terminate = ((orr_fmi *)c)->now.stopped != 0;
  *states = changed != 0;
  *next_defined = isfinite(*next);
  return fmi3OK;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
  CHECK(IN(EVENTS));
  ((orr_fmi *)c)->now.mode = ORR_FMI_CONTINUOUS;
  return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_return, fmi3Boolean *events,
                                       fmi3Boolean *terminate) {
  int wanted = 0, good;
  (void)no_return;
  CHECK(IN(CONTINUOUS));
  good = orr_fmi_completed(c, &wanted);
  *events = wanted != 0;
  *terminate = false;
  return status_of(good);
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t) {
  CHECK(IN(EVENTS) | IN(CONTINUOUS));
  orr_fmi_set_time(c, t);
  return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n) {
  CHECK(IN(EVENTS) | IN(CONTINUOUS));
  if (n != (size_t)((orr_fmi *)c)->body->model->states) return fmi3Error;
  orr_fmi_set_states(c, x);
  return fmi3OK;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 derivatives[], size_t n) {
  orr_fmi *fmu = c;
  CHECK(ORR_FMI_READABLE);
  if (n != (size_t)fmu->body->model->states || !orr_fmi_ready(fmu)) return fmi3Error;
  return orr_derivatives(&fmu->run, derivatives) ? fmi3OK : fmi3Discard;
}

fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 indicators[], size_t n) {
  orr_fmi *fmu = c;
  CHECK(ORR_FMI_READABLE);
  if (n != (size_t)fmu->body->model->surface_count || !orr_fmi_ready(fmu)) return fmi3Error;
  orr_surface_values(&fmu->run, indicators);
  return fmi3OK;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
  orr_fmi *fmu = c;
  CHECK(ORR_FMI_READABLE);
  if (n != (size_t)fmu->body->model->states || !orr_fmi_ready(fmu)) return fmi3Error;
  memcpy(x, fmu->memory, n * sizeof(double));
  return fmi3OK;
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominals[], size_t n) {
  const orr_fmi *fmu = c;
  CHECK(ORR_FMI_READABLE);
  if (n != (size_t)fmu->body->model->states) return fmi3Error;
  for (size_t k = 0; k < n; ++k) nominals[k] = fmu->body->model->nominals[k];
  return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) {
  if (!c) return fmi3Error;
  *n = (size_t)((orr_fmi *)c)->body->model->surface_count;
  return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) {
  if (!c) return fmi3Error;
  *n = (size_t)((orr_fmi *)c)->body->model->states;
  return fmi3OK;
}

fmi3Status fmi3EnterStepMode(fmi3Instance c) {
  CHECK(IN(EVENTS));
  if (!((orr_fmi *)c)->event_mode) return status_of(orr_fmi_refuse(c, "the instance was made without event mode"));
  ((orr_fmi *)c)->now.mode = ORR_FMI_STEPPING;
  return fmi3OK;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t count) {
  (void)vr, (void)orders, (void)values, (void)count;
  return absent(c, n, "derivatives of outputs are not offered");
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_return, fmi3Boolean *events,
                      fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last) {
  orr_fmi *fmu = c;
  int ticks = 0, ended = 0;
  (void)no_return;
  CHECK(IN(STEPPING));
  *events = *early = false;
  if (fmu->now.stopped) return status_of(orr_fmi_refuse(fmu, "the model has ended"));
  if (!orr_fmi_do_step(fmu, t, h, &ticks, &ended)) return fmi3Error;
  *events = ticks != 0;
  *early = ended != 0;
  *terminate = fmu->now.stopped != 0;
  *last = fmu->run.t;
  return fmi3OK;
}
