// SPDX-License-Identifier: MIT-0
/* FMI 2.0, Model Exchange and Co-Simulation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2.h"
#include "orrery_fmi.h"

#define FMI2_PROTOTYPE(kind, result, name, arguments) ORR_FMI_EXPORT result fmi2##name arguments;
FMI2_FUNCTIONS(FMI2_PROTOTYPE)

static const char *const categories_there[] = {"logStatusError", "logStatusWarning", "logAll"};

static void log_message(orr_fmi *fmu, int severity, const char *text) {
  const fmi2CallbackFunctions *functions = fmu->user;
  const int error = severity == ORR_ERROR;
  if (!functions->logger || (!error && !fmu->logs)) return;
  functions->logger(fmu->environment, fmu->name, error ? fmi2Error : severity == ORR_WARNING ? fmi2Warning : fmi2OK,
                    categories_there[error ? 0 : severity == ORR_WARNING ? 1 : 2], "%s", text);
}

static fmi2Status status_of(int good) { return good ? fmi2OK : fmi2Error; }

#define IN(mode) ORR_FMI_IN(mode)
#define CHECK(modes)                                                     \
  do {                                                                   \
    if (!orr_fmi_allowed(c, modes, __func__)) return fmi2Error;          \
  } while (0)

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[]) {
  (void)count, (void)categories;
  if (!c) return fmi2Error;
  ((orr_fmi *)c)->logs = on != 0;
  return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String token, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logs) {
  const orr_fmi_body *body = type == fmi2ModelExchange ? &orr_fmi_exchange : &orr_fmi_cosimulation;
  const size_t length = name ? strlen(name) + 1 : 1;
  orr_fmi *fmu;
  (void)resources, (void)visible;
  if (!functions) return NULL;
  if (!body->model || !token || strcmp(token, orr_fmi_token) != 0) {
    if (functions->logger)
      functions->logger(functions->componentEnvironment, name, fmi2Error, categories_there[0], "%s",
                        body->model ? "the GUID is that of another FMU" : "this kind of FMU is not offered");
    return NULL;
  }
  fmu = calloc(1, orr_fmi_size(body) + sizeof *functions + length);
  if (!fmu) return NULL;
  fmu->user = (unsigned char *)fmu + orr_fmi_size(body);
  memcpy(fmu->user, functions, sizeof *functions);
  fmu->environment = functions->componentEnvironment;
  fmu->name = (char *)fmu->user + sizeof *functions;
  if (name) memcpy(fmu->name, name, length);
  fmu->logs = logs != 0;
  fmu->log = log_message;
  orr_fmi_begin(fmu, body);
  return fmu;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
  CHECK(IN(INSTANTIATED));
  return status_of(orr_fmi_set_up(c, start, stop_defined ? stop : INFINITY, tolerance_defined ? tolerance : 0));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  CHECK(IN(INSTANTIATED));
  ((orr_fmi *)c)->now.mode = ORR_FMI_INITIALISING;
  return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  CHECK(IN(INITIALISING));
  return status_of(orr_fmi_initialise(c));
}

fmi2Status fmi2Terminate(fmi2Component c) {
  CHECK(ORR_FMI_RUNNING);
  orr_fmi_end(c);
  return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
  if (!c) return fmi2Error;
  orr_fmi_reset(c);
  return fmi2OK;
}

/* All variables of FMI 2.0 are scalars. */
#define ACCESS(name, type, good)                                                                                \
  fmi2Status fmi2Get##name(fmi2Component c, const fmi2ValueReference vr[], size_t n, type values[]) {           \
    CHECK(IN(INSTANTIATED) | ORR_FMI_READABLE);                                                                         \
    for (size_t k = 0; k < n; ++k) {                                                                            \
      const orr_fmi_variable *v = orr_fmi_find(c, vr[k]);                                                       \
      double value;                                                                                             \
      if (!v || !(good)) return v ? status_of(orr_fmi_refuse(c, "the variable is of another type")) : fmi2Error; \
      if (!orr_fmi_get(c, vr[k], &value)) return fmi2Error;                                                     \
      values[k] = (type)value;                                                                                  \
    }                                                                                                           \
    return fmi2OK;                                                                                              \
  }                                                                                                             \
  fmi2Status fmi2Set##name(fmi2Component c, const fmi2ValueReference vr[], size_t n, const type values[]) {     \
    CHECK(ORR_FMI_SETTABLE);                                                       \
    for (size_t k = 0; k < n; ++k) {                                                                            \
      const orr_fmi_variable *v = orr_fmi_find(c, vr[k]);                                                       \
      const double value = (double)values[k];                                                                   \
      if (!v || !(good)) return v ? status_of(orr_fmi_refuse(c, "the variable is of another type")) : fmi2Error; \
      if (!orr_fmi_set(c, vr[k], &value)) return fmi2Error;                                                     \
    }                                                                                                           \
    return fmi2OK;                                                                                              \
  }
ACCESS(Real, fmi2Real, v->type == ORR_F64 || v->type == ORR_U32)
ACCESS(Integer, fmi2Integer, v->type != ORR_F64 && v->type != ORR_U32 && v->type != ORR_BOOLEAN)
ACCESS(Boolean, fmi2Boolean, v->type == ORR_BOOLEAN)

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String values[]) {
  (void)vr, (void)values;
  return n == 0 ? fmi2OK : status_of(c && orr_fmi_refuse(c, "there are no texts"));
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String values[]) {
  (void)vr, (void)values;
  return n == 0 ? fmi2OK : status_of(c && orr_fmi_refuse(c, "there are no texts"));
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
  CHECK(IN(INSTANTIATED) | ORR_FMI_READABLE);
  return status_of(orr_fmi_get_state(c, state));
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) { return status_of(orr_fmi_set_state(c, state)); }
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) { return status_of(orr_fmi_free_state(c, state)); }

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
  (void)state;
  if (!c) return fmi2Error;
  *size = orr_fmi_saved_size(c);
  return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  return status_of(orr_fmi_serialise(c, state, bytes, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
  return status_of(orr_fmi_deserialise(c, bytes, size, state));
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count,
                                        const fmi2ValueReference knowns[], size_t known_count, const fmi2Real seed[],
                                        fmi2Real result[]) {
  CHECK(IN(EVENTS) | IN(CONTINUOUS) | IN(STEPPING));
  return status_of(
      orr_fmi_directional(c, unknowns, unknown_count, knowns, known_count, seed, known_count, result, unknown_count));
}

fmi2Status fmi2EnterEventMode(fmi2Component c) {
  CHECK(IN(CONTINUOUS) | IN(EVENTS));
  ((orr_fmi *)c)->now.mode = ORR_FMI_EVENTS;
  return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
  int changed = 0, again;
  double next = INFINITY;
  CHECK(IN(EVENTS));
  if (!orr_fmi_update(c, &changed, &again, &next)) return fmi2Error;
  info->newDiscreteStatesNeeded = info->nominalsOfContinuousStatesChanged = fmi2False;
  info->terminateSimulation = ((orr_fmi *)c)->now.stopped;
  info->valuesOfContinuousStatesChanged = changed;
  info->nextEventTimeDefined = isfinite(next);
  info->nextEventTime = next;
  return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  CHECK(IN(EVENTS));
  ((orr_fmi *)c)->now.mode = ORR_FMI_CONTINUOUS;
  return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_return, fmi2Boolean *events,
                                       fmi2Boolean *terminate) {
  (void)no_return;
  CHECK(IN(CONTINUOUS));
  *terminate = fmi2False;
  return status_of(orr_fmi_completed(c, events));
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) {
  CHECK(IN(EVENTS) | IN(CONTINUOUS));
  orr_fmi_set_time(c, t);
  return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
  CHECK(IN(EVENTS) | IN(CONTINUOUS));
  if (n != (size_t)((orr_fmi *)c)->body->model->states) return fmi2Error;
  orr_fmi_set_states(c, x);
  return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t n) {
  orr_fmi *fmu = c;
  CHECK(ORR_FMI_READABLE);
  if (n != (size_t)fmu->body->model->states) return fmi2Error;
  if (!orr_fmi_ready(fmu)) return fmi2Error;
  /* The importer tries points; where there is no value it takes a shorter step. */
  return orr_derivatives(&fmu->run, derivatives) ? fmi2OK : fmi2Discard;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t n) {
  orr_fmi *fmu = c;
  CHECK(ORR_FMI_READABLE);
  if (n != (size_t)fmu->body->model->surface_count || !orr_fmi_ready(fmu)) return fmi2Error;
  orr_surface_values(&fmu->run, indicators);
  return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  orr_fmi *fmu = c;
  CHECK(ORR_FMI_READABLE);
  if (n != (size_t)fmu->body->model->states || !orr_fmi_ready(fmu)) return fmi2Error;
  memcpy(x, fmu->memory, n * sizeof(double));
  return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t n) {
  const orr_fmi *fmu = c;
  CHECK(ORR_FMI_READABLE);
  if (n != (size_t)fmu->body->model->states) return fmi2Error;
  for (size_t k = 0; k < n; ++k) nominals[k] = fmu->body->model->nominals[k];
  return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real value[]) {
  CHECK(IN(INITIALISING) | IN(STEPPING));
  for (size_t k = 0; k < n; ++k) {
    if (order[k] != 1) return status_of(orr_fmi_refuse(c, "only first derivatives of inputs are used"));
    if (!orr_fmi_set_slope(c, vr[k], &value[k])) return fmi2Error;
  }
  return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[]) {
  (void)vr, (void)order, (void)value;
  return n == 0 ? fmi2OK : status_of(c && orr_fmi_refuse(c, "derivatives of outputs are not offered"));
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_return) {
  int events, early;
  (void)no_return;
  CHECK(IN(STEPPING));
  if (((orr_fmi *)c)->now.stopped) return fmi2Discard;
  if (!orr_fmi_do_step(c, t, h, &events, &early)) return fmi2Error;
  return ((orr_fmi *)c)->now.stopped && ((orr_fmi *)c)->run.t < t + h ? fmi2Discard : fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c) { return status_of(c && orr_fmi_refuse(c, "steps are not asynchronous")); }

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
  (void)kind;
  *value = fmi2OK;
  return c ? fmi2Discard : fmi2Error;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
  if (!c) return fmi2Error;
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = ((orr_fmi *)c)->run.t;
  return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
  (void)kind;
  *value = 0;
  return c ? fmi2Discard : fmi2Error;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
  if (!c) return fmi2Error;
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = ((orr_fmi *)c)->now.stopped;
  return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
  (void)kind;
  *value = "";
  return c ? fmi2Discard : fmi2Error;
}
