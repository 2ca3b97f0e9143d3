// SPDX-License-Identifier: Apache-2.0
// Wraps a test model as an FMI 1.0 FMU, both kinds in one library; MODEL_ID is the prefix of the functions.
#include "fmi/api/fmi1.h"
#include "model.h"

#define JOIN_(a, b) a##_fmi##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(MODEL_ID, name)

typedef struct {
  Model model;
  fmiCallbackLogger logger;
} Component;

static Model* model_of(fmiComponent c) { return &((Component*)c)->model; }

static Component* create(fmiCallbackLogger logger) {
  Component* component = calloc(1, sizeof(Component));
  component->logger = logger;
  model_start(&component->model);
  return component;
}

static void take_events(Model* m, fmiEventInfo* info) {
  memset(info, 0, sizeof *info);
  info->iterationConverged = !m->again;
  info->stateValuesChanged = (fmiBoolean)m->states_changed;
  info->terminateSimulation = (fmiBoolean)m->terminate;
  info->upcomingTimeEvent = (fmiBoolean)m->has_next;
  info->nextEventTime = m->next;
  m->states_changed = 0;
}

const char* FN(GetModelTypesPlatform)(void) { return "standard32"; }
const char* FN(GetTypesPlatform)(void) { return "standard32"; }
const char* FN(GetVersion)(void) { return "1.0"; }
fmiStatus FN(SetDebugLogging)(fmiComponent c, fmiBoolean on) { return (void)c, (void)on, fmiOK; }

#define ACCESS(name, type, member)                                                                      \
  fmiStatus FN(Set##name)(fmiComponent c, const fmiValueReference vr[], size_t n, const type value[]) { \
    for (size_t k = 0; k < n; ++k) {                                                                    \
      if (vr[k] >= MAX_VALUES) return fmiError;                                                         \
      model_of(c)->member[vr[k]] = value[k];                                                            \
    }                                                                                                   \
    return fmiOK;                                                                                       \
  }                                                                                                     \
  fmiStatus FN(Get##name)(fmiComponent c, const fmiValueReference vr[], size_t n, type value[]) {       \
    model_evaluate(model_of(c));                                                                        \
    for (size_t k = 0; k < n; ++k) {                                                                    \
      if (vr[k] >= MAX_VALUES) return fmiError;                                                         \
      value[k] = (type)model_of(c)->member[vr[k]];                                                      \
    }                                                                                                   \
    return fmiOK;                                                                                       \
  }
ACCESS(Real, fmiReal, real)
ACCESS(Integer, fmiInteger, integer)
ACCESS(Boolean, fmiBoolean, boolean)

fmiStatus FN(SetString)(fmiComponent c, const fmiValueReference vr[], size_t n, const fmiString value[]) {
  for (size_t k = 0; k < n; ++k) snprintf(model_of(c)->text[vr[k]], MAX_TEXT, "%s", value[k]);
  return fmiOK;
}
fmiStatus FN(GetString)(fmiComponent c, const fmiValueReference vr[], size_t n, fmiString value[]) {
#ifdef QUIRK_NO_STRINGS
  return (void)c, (void)vr, (void)n, (void)value, fmiError;
#else
  model_evaluate(model_of(c));
  for (size_t k = 0; k < n; ++k) value[k] = model_of(c)->text[vr[k]];
  return fmiOK;
#endif
}

fmiComponent FN(InstantiateModel)(fmiString name, fmiString guid, fmiModelCallbacks functions, fmiBoolean logging) {
  (void)name, (void)logging;
  if (strcmp(guid, "{test}") != 0) return NULL;
  return create(functions.logger);
}
void FN(FreeModelInstance)(fmiComponent c) { free(c); }
fmiStatus FN(SetTime)(fmiComponent c, fmiReal time) {
  model_of(c)->time = time;
  model_of(c)->time_known = 1;
  return fmiOK;
}
fmiStatus FN(SetContinuousStates)(fmiComponent c, const fmiReal x[], size_t n) {
  memcpy(model_of(c)->real, x, n * sizeof(double));
  model_of(c)->step_in_progress = 1;
  return fmiOK;
}
fmiStatus FN(CompletedIntegratorStep)(fmiComponent c, fmiBoolean* event) {
  model_of(c)->step_in_progress = 0;
  model_completed(model_of(c));
  *event = (fmiBoolean)model_of(c)->call_event;
  return fmiOK;
}
fmiStatus FN(Initialize)(fmiComponent c, fmiBoolean controlled, fmiReal tolerance, fmiEventInfo* info) {
  Model* m = model_of(c);
  (void)controlled, (void)tolerance;
#ifdef QUIRK_TIME_FIRST
  if (!m->time_known) return fmiError;
#endif
  model_initialise(m);
#ifdef QUIRK_SILENT_START
  (void)info; /* the caller's structure stays as it is */
#else
  take_events(m, info);
#endif
  return fmiOK;
}
fmiStatus FN(GetDerivatives)(fmiComponent c, fmiReal dx[], size_t n) {
  model_evaluate(model_of(c));
  memcpy(dx, model_of(c)->real + model_states, n * sizeof(double));
  return fmiOK;
}
fmiStatus FN(GetEventIndicators)(fmiComponent c, fmiReal z[], size_t n) {
  (void)n;
  model_indicate(model_of(c), z);
  return fmiOK;
}
fmiStatus FN(EventUpdate)(fmiComponent c, fmiBoolean intermediate, fmiEventInfo* info) {
  Model* m = model_of(c);
  (void)intermediate;
#ifdef QUIRK_COMPLETED_FIRST
  if (m->step_in_progress) return fmiError;
#endif
  model_event(m);
  take_events(m, info);
  return fmiOK;
}
fmiStatus FN(GetContinuousStates)(fmiComponent c, fmiReal x[], size_t n) {
  memcpy(x, model_of(c)->real, n * sizeof(double));
  return fmiOK;
}
#ifndef QUIRK_FEW_FUNCTIONS
fmiStatus FN(GetNominalContinuousStates)(fmiComponent c, fmiReal x[], size_t n) {
  (void)c, (void)x, (void)n;
#ifndef QUIRK_SILENT_NOMINALS
  for (size_t k = 0; k < n; ++k) x[k] = 1;
#endif
  return fmiOK;
}
fmiStatus FN(GetStateValueReferences)(fmiComponent c, fmiValueReference vr[], size_t n) {
  (void)c;
  for (size_t k = 0; k < n; ++k) vr[k] = (fmiValueReference)k;
  return fmiOK;
}
fmiStatus FN(Terminate)(fmiComponent c) { return (void)c, fmiOK; }
#endif

fmiComponent FN(InstantiateSlave)(fmiString name, fmiString guid, fmiString location, fmiString mime, fmiReal timeout,
                                  fmiBoolean visible, fmiBoolean interactive, fmiSlaveCallbacks functions,
                                  fmiBoolean logging) {
  (void)name, (void)mime, (void)timeout, (void)visible, (void)interactive, (void)logging;
  if (strcmp(guid, "{test}") != 0) return NULL;
  Component* component = create(functions.logger);
  if (strncmp(location, "file://", 7) == 0) location += 7;
  snprintf(component->model.resources, sizeof component->model.resources, "%s/resources/", location);
  return component;
}
fmiStatus FN(InitializeSlave)(fmiComponent c, fmiReal start, fmiBoolean stop_defined, fmiReal stop) {
  (void)stop_defined, (void)stop;
  Model* m = model_of(c);
  m->time = start;
  model_initialise(m);
  for (int k = 0; k < 10 && m->again; ++k) model_event(m);
  return fmiOK;
}
fmiStatus FN(TerminateSlave)(fmiComponent c) { return (void)c, fmiOK; }
fmiStatus FN(ResetSlave)(fmiComponent c) { return model_reset(model_of(c)), fmiOK; }
void FN(FreeSlaveInstance)(fmiComponent c) { free(c); }
fmiStatus FN(DoStep)(fmiComponent c, fmiReal t, fmiReal h, fmiBoolean new_step) {
  Component* component = c;
  (void)new_step;
#ifdef QUIRK_CONSTANT_STEP
  if (component->model.last_step > 0 && fabs(h - component->model.last_step) > 1e-12) return fmiError;
  component->model.last_step = h;
#endif
#ifdef QUIRK_TALKATIVE
  component->logger(c, "fmu", fmiWarning, "chatter", "step to %g with #r0#", t + h);
#endif
  return model_advance(&component->model, t, h) ? fmiDiscard : fmiOK;
}
fmiStatus FN(GetRealStatus)(fmiComponent c, const fmiStatusKind s, fmiReal* value) {
  (void)s;
  *value = model_of(c)->time;
  return fmiOK;
}
