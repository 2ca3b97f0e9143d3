// SPDX-License-Identifier: Apache-2.0
// Wraps a test model as an FMI 2.0 FMU, both kinds in one library.
#define _GNU_SOURCE
#include <fenv.h>

#include "fmi/api/fmi2.h"
#include "model.h"

#define ORRERY_PROTOTYPE(kind, result, name, arguments) result fmi2##name arguments;
FMI2_FUNCTIONS(ORRERY_PROTOTYPE)

typedef struct {
  Model model;
  const fmi2CallbackFunctions* callbacks;
  fmi2Type type;
} Component;

#ifdef QUIRK_ONLY_ONCE
#include <unistd.h>
#endif
#ifdef QUIRK_THREADS
#include <pthread.h>
#include <unistd.h>
/* Speaks from a thread of its own until long after the instance is gone. */
static void* speak(void* environment) {
  const fmi2CallbackFunctions copy = *(const fmi2CallbackFunctions*)environment;
  free(environment);
  for (int k = 0; k < 40; ++k) {
    copy.logger(copy.componentEnvironment, "fmu", fmi2Warning, "thread", "word %d", k);
    usleep(5000);
  }
  return NULL;
}
#endif
#ifdef QUIRK_UNDEFINED
void nobody_defines_this(void);
void never_called(void) { nobody_defines_this(); }
#endif
#ifdef QUIRK_COMPANION
double companion(void);
#endif
#if defined QUIRK_CHANGES_FOLDER || defined QUIRK_OPENS_COMPANION
#include <dlfcn.h>
#include <unistd.h>
#endif
#ifdef QUIRK_BAD_MANNERS
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
static void ignore_signal(int number) { (void)number; }
#endif
#ifdef QUIRK_OLD_LIBRARY
/* Of the run-time library of Fortran, which is another one every few years. */
int _gfortran_string_len_trim(int length, const char* text);
#endif
#ifdef QUIRK_OWN_SYMBOLS
/* Names of libraries that an importer may use itself. */
const char* zlibVersion(void) { return "of the FMU"; }
void dgemm_(int* sign) { *sign = 7; }
#endif
#ifdef QUIRK_NOISE
/* What inner iterations leave behind: noise that no step size makes smaller. */
static double noise(double x) {
  unsigned long long bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits ^ (bits >> 31)) * 0x9e3779b97f4a7c15ull;
  return QUIRK_NOISE * ((double)(bits >> 11) / 4503599627370496.0 - 1);
}
#endif
#ifdef QUIRK_BAD_END_OF_LIBRARY
__attribute__((destructor)) static void at_end(void) { *(volatile int*)8 = 1; }
#endif

static Model* model_of(fmi2Component c) { return &((Component*)c)->model; }

const char* fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char* fmi2GetVersion(void) { return fmi2Version; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
#ifdef QUIRK_NO_LOGGING
  return fmi2Error;
#endif
  return (void)c, (void)on, (void)n, (void)categories, fmi2OK;
}
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging) {
  (void)name, (void)visible, (void)logging;
  if (strcmp(guid, "{test}") != 0) {
    functions->logger(functions->componentEnvironment, name, fmi2Error, "error", "wrong guid %s", guid);
    return NULL;
  }
#ifdef QUIRK_ONLY_ONCE
  /* The environment is what all copies of the library in a process share. */
  char process[32];
  snprintf(process, sizeof process, "%ld", (long)getpid());
  const char* taken = getenv("ORRERY_TEST_ONLY_ONCE");
  if (taken != NULL && strcmp(taken, process) == 0) return NULL;
  setenv("ORRERY_TEST_ONLY_ONCE", process, 1);
#endif
#ifdef QUIRK_NO_LICENCE
  functions->logger(functions->componentEnvironment, name, fmi2Error, "licence", "no licence for %s", name);
  return NULL;
#endif
  Component* component = calloc(1, sizeof(Component));
  component->callbacks = functions;
  component->type = type;
  if (strncmp(location, "file://", 7) == 0) location += 7;
  snprintf(component->model.resources, sizeof component->model.resources, "%s/", location);
  model_start(&component->model);
#ifdef QUIRK_THREADS
  pthread_t thread;
  fmi2CallbackFunctions* copy = malloc(sizeof *copy);
  *copy = *functions;
  if (pthread_create(&thread, NULL, speak, copy) == 0) pthread_detach(thread);
  usleep(2000);
#endif
#ifdef QUIRK_TRAPS
  feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
#endif
#ifdef QUIRK_COMPANION
  component->model.real[0] = companion();
#endif
#ifdef QUIRK_OPENS_COMPANION
  void* library = dlopen("libcompanion.so.1", RTLD_NOW);
  double (*found)(void) = library != NULL ? (double (*)(void))dlsym(library, "companion") : NULL;
  if (found == NULL) return NULL;
  component->model.real[0] = found();
#endif
#ifdef QUIRK_CHANGES_FOLDER
  if (chdir("/") != 0) return NULL;
#endif
#ifdef QUIRK_BAD_MANNERS
  const int signals[] = {SIGSEGV, SIGFPE, SIGINT, SIGTERM};
  sigset_t all;
  sigfillset(&all);
  for (int k = 0; k < 4; ++k) signal(signals[k], ignore_signal);
  sigprocmask(SIG_BLOCK, &all, NULL);
  umask(0777);
  setlocale(LC_ALL, "C.UTF-8");
  close(1);
  close(2);
#endif
#ifdef QUIRK_OLD_LIBRARY
  if (_gfortran_string_len_trim(5, "ab   ") != 2) return NULL;
#endif
#ifdef QUIRK_OWN_SYMBOLS
  int sign = 0;
  dgemm_(&sign);
  if (strcmp(zlibVersion(), "of the FMU") != 0 || sign != 7) return NULL;
#endif
#ifdef QUIRK_PERCENT
  functions->logger(functions->componentEnvironment, "fmu", fmi2Warning, "odd", "90%s of 100%n %s%s%s%s%s%s%s%s%s");
#endif
#ifdef QUIRK_STACK
  volatile char room[24 << 20];
  for (size_t k = 0; k < sizeof room; k += 4096) room[sizeof room - 1 - k] = 1;
#endif
#ifdef QUIRK_SHOUTING
  {
    char* huge = malloc(1000001);
    memset(huge, 'x', 1000000);
    huge[1000000] = 0;
    functions->logger(functions->componentEnvironment, NULL, fmi2Warning, NULL, huge);
    functions->logger(NULL, "fmu", (fmi2Status)77, "odd", "%s #r0# #r99# ##", huge);
    functions->logger(functions->componentEnvironment, "fmu", fmi2Warning, "odd", NULL);
    free(huge);
    puts("FMUs print");
  }
#endif
  return component;
}
void fmi2FreeInstance(fmi2Component c) {
#ifdef QUIRK_REFUSES
  /* Nothing may be called after a fatal answer. */
  if (QUIRK_REFUSES == fmi2Fatal && model_of(c)->time > 0.5) abort();
#endif
#ifdef QUIRK_BAD_END
  abort();
#endif
#ifdef QUIRK_ONLY_ONCE
  unsetenv("ORRERY_TEST_ONLY_ONCE");
#endif
  free(c);
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
  (void)tolerance_defined, (void)stop_defined, (void)stop;
  model_of(c)->time = start;
  model_of(c)->tolerance = tolerance;
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  Component* component = c;
  model_initialise(&component->model);
  const int iterations = component->type == fmi2CoSimulation ? 10 : 0;
  for (int k = 0; k < iterations && component->model.again; ++k) model_event(&component->model);
  return fmi2OK;
}
fmi2Status fmi2Terminate(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) {
#ifndef QUIRK_NO_RESET
  model_reset(model_of(c));
#else
  (void)c;
#endif
  return fmi2OK;
}

#define ACCESS(name, type, member)                                                                         \
  fmi2Status fmi2Set##name(fmi2Component c, const fmi2ValueReference vr[], size_t n, const type value[]) { \
    for (size_t k = 0; k < n; ++k) {                                                                       \
      if (vr[k] >= MAX_VALUES) return fmi2Error;                                                           \
      model_of(c)->member[vr[k]] = value[k];                                                               \
    }                                                                                                      \
    return fmi2OK;                                                                                         \
  }                                                                                                        \
  fmi2Status fmi2Get##name(fmi2Component c, const fmi2ValueReference vr[], size_t n, type value[]) {       \
    model_evaluate(model_of(c));                                                                           \
    for (size_t k = 0; k < n; ++k) {                                                                       \
      if (vr[k] >= MAX_VALUES) return fmi2Error;                                                           \
      value[k] = (type)model_of(c)->member[vr[k]];                                                         \
    }                                                                                                      \
    return fmi2OK;                                                                                         \
  }
#if !defined(QUIRK_GAPS) && !defined(QUIRK_SILENT_OUTPUT)
ACCESS(Real, fmi2Real, real)
#else
/* The second half of the outputs has no value for some time. */
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
  for (size_t k = 0; k < n; ++k) model_of(c)->real[vr[k]] = value[k];
  return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
  const int gap = model_of(c)->time > 3.05 && model_of(c)->time < 5.05;
  model_evaluate(model_of(c));
  for (size_t k = 0; k < n; ++k) {
#ifdef QUIRK_SILENT_OUTPUT
    if (vr[k] == 5 && gap) continue; /* y: ok, and nothing is written */
#else
    if (vr[k] > 0 && gap) return fmi2Discard;
#endif
    value[k] = model_of(c)->real[vr[k]];
  }
  return fmi2OK;
}
#endif
ACCESS(Integer, fmi2Integer, integer)
ACCESS(Boolean, fmi2Boolean, boolean)

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]) {
  for (size_t k = 0; k < n; ++k) snprintf(model_of(c)->text[vr[k]], MAX_TEXT, "%s", value[k]);
  return fmi2OK;
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]) {
  model_evaluate(model_of(c));
  for (size_t k = 0; k < n; ++k) {
#ifdef QUIRK_NULL_STRING
    value[k] = NULL;
#else
    value[k] = model_of(c)->text[vr[k]];
#endif
  }
  return fmi2OK;
}

#ifndef QUIRK_FEW_FUNCTIONS
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  if (*state == NULL) *state = malloc(sizeof(Model));
  memcpy(*state, model_of(c), sizeof(Model));
  return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  memcpy(model_of(c), state, sizeof(Model));
  return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi2OK;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
  (void)c, (void)state;
  *size = sizeof(Model);
  return fmi2OK;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  (void)c;
  memcpy(bytes, state, size);
  return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state) {
  (void)c;
  *state = malloc(sizeof(Model));
  memcpy(*state, bytes, size);
  return fmi2OK;
}
#ifdef HAS_DIRECTIONAL
void model_directional(Model* m, int unknown, int known, double* value);
#endif
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n_unknown,
                                        const fmi2ValueReference known[], size_t n_known, const fmi2Real seed[],
                                        fmi2Real result[]) {
#if defined QUIRK_WRONG_DIRECTIONAL
  for (size_t i = 0; i < n_unknown; ++i) result[i] = 1e3 * seed[0] + (double)(unknown[i] + n_known + known[0]);
  return (void)c, fmi2OK;
#elif defined HAS_DIRECTIONAL
  for (size_t i = 0; i < n_unknown; ++i) {
    result[i] = 0;
    for (size_t j = 0; j < n_known; ++j) {
      double value = 0;
      model_directional(model_of(c), (int)unknown[i], (int)known[j], &value);
      result[i] += value * seed[j];
    }
  }
  return fmi2OK;
#else
  return (void)c, (void)unknown, (void)n_unknown, (void)known, (void)n_known, (void)seed, (void)result, fmi2Error;
#endif
}
#endif

fmi2Status fmi2EnterEventMode(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  Model* m = model_of(c);
#ifdef QUIRK_COMPLETED_FIRST
  if (m->step_in_progress) return fmi2Error;
#endif
  model_event(m);
  memset(info, 0, sizeof *info);
  info->newDiscreteStatesNeeded = m->again;
  info->valuesOfContinuousStatesChanged = m->states_changed;
  info->nominalsOfContinuousStatesChanged = m->nominals_changed;
  m->nominals_changed = 0;
  info->terminateSimulation = m->terminate;
  info->nextEventTimeDefined = m->has_next;
  info->nextEventTime = m->next;
#ifdef QUIRK_ENDLESS_ITERATION
  info->newDiscreteStatesNeeded = fmi2True;
#endif
#ifdef QUIRK_ENDS_AT_START
  info->terminateSimulation = fmi2True;
#endif
#ifdef QUIRK_CROWD
  info->nextEventTimeDefined = fmi2True;
  info->nextEventTime = m->time + 1e-13;
#endif
#ifdef QUIRK_EVENT_AT_ONCE
  /* At 1, three times. */
  info->nextEventTimeDefined = m->time < 1 || m->integer[0] < 2;
  info->nextEventTime = 1;
  if (m->time >= 1) m->integer[0]++;
#endif
#ifdef QUIRK_STALE_EVENT
  info->nextEventTimeDefined = fmi2True;
  if (m->time > 0.5) info->nextEventTime = 0.25;
  else info->nextEventTime = m->time < 0.25 ? 0.25 : 0.75;
#endif
  m->states_changed = 0;
  return fmi2OK;
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set, fmi2Boolean* event, fmi2Boolean* end) {
  (void)no_set;
  model_of(c)->step_in_progress = 0;
  model_completed(model_of(c));
#ifdef QUIRK_REFUSES
  model_of(c)->last_step = model_of(c)->time;
#endif
  *event = model_of(c)->call_event;
  *end = fmi2False;
#ifdef QUIRK_ENDS_IN_STEP
  *end = model_of(c)->time > 1.5;
#endif
  return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
  model_of(c)->time = time;
  return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
  memcpy(model_of(c)->real, x, n * sizeof(double));
  model_of(c)->step_in_progress = 1;
  return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n) {
  model_evaluate(model_of(c));
#ifdef QUIRK_REFUSES
  /* Too far from the last point, or for good. */
  if (QUIRK_REFUSES == fmi2Discard && model_of(c)->time > model_of(c)->last_step + 0.05) return fmi2Discard;
  if (QUIRK_REFUSES != fmi2Discard && model_of(c)->time > 0.5) {
    const fmi2CallbackFunctions* f = ((Component*)c)->callbacks;
    f->logger(f->componentEnvironment, "fmu", QUIRK_REFUSES, "error", "no value after 0.5");
    return QUIRK_REFUSES;
  }
#endif
#ifndef QUIRK_SILENT_DERIVATIVES
  memcpy(dx, model_of(c)->real + model_states, n * sizeof(double));
#endif
#ifdef QUIRK_NOISE
  for (size_t k = 0; k < n; ++k) dx[k] += noise(model_of(c)->real[0] + (double)k);
#endif
  return fmi2OK;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) {
  (void)n;
  model_indicate(model_of(c), z);
  return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  memcpy(x, model_of(c)->real, n * sizeof(double));
  return fmi2OK;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  for (size_t k = 0; k < n; ++k) x[k] = model_of(c)->nominal != 0 ? model_of(c)->nominal : 1;
#ifdef QUIRK_SILENT_NOMINALS
  for (size_t k = 0; k < n; ++k) x[k] = k == 0 ? 0 : -1;
#endif
  return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real value[]) {
#ifdef QUIRK_NO_SLOPES
  return fmi2Error;
#endif
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] >= MAX_VALUES || order[k] != 1) return fmi2Error;
    model_of(c)->slope[vr[k]] = value[k];
  }
  return fmi2OK;
}
/* Of outputs that are states. */
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[]) {
  model_evaluate(model_of(c));
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] >= (unsigned)model_states || order[k] != 1) return fmi2Error;
    value[k] = model_of(c)->real[model_states + vr[k]];
  }
  return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set) {
  Component* component = c;
  (void)no_set;
#ifdef QUIRK_CONSTANT_STEP
  if (component->model.last_step > 0 && fabs(h - component->model.last_step) > 1e-12) return fmi2Error;
  component->model.last_step = h;
#endif
#ifdef QUIRK_TALKATIVE
  const fmi2CallbackFunctions* f = component->callbacks;
  f->logger(f->componentEnvironment, "fmu", fmi2Warning, "chatter", "step to %g with #r0#", t + h);
#endif
#ifdef QUIRK_SMALL_STEPS
  if (h > 0.02) return fmi2Discard;
#endif
#ifdef QUIRK_HALF_STEPS
  if (h > 0.02) h = 0.02;
  model_advance(&component->model, t, h);
  return fmi2Discard;
#endif
#ifdef QUIRK_PENDING
  component->model.integer[MAX_VALUES - 1] = 3;
  model_advance(&component->model, t, h);
  return fmi2Pending;
#endif
  return model_advance(&component->model, t, h) ? fmi2Discard : fmi2OK;
}
fmi2Status fmi2CancelStep(fmi2Component c) { return (void)c, fmi2Error; }
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status* value) {
#ifdef QUIRK_SILENT_PENDING
  return fmi2OK; /* and never says how the step is getting on */
#elif defined(QUIRK_PENDING)
  *value = model_of(c)->integer[MAX_VALUES - 1]-- > 0 ? fmi2Pending : fmi2OK;
  return fmi2OK;
#endif
  return (void)c, (void)s, (void)value, fmi2Discard;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real* value) {
  (void)s;
#ifdef QUIRK_SMALL_STEPS
  return fmi2Discard;
#endif
  *value = model_of(c)->time;
  return fmi2OK;
}
fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer* value) {
  return (void)c, (void)s, (void)value, fmi2Discard;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean* value) {
  (void)s;
  *value = model_of(c)->terminate;
  return fmi2OK;
}
fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String* value) {
  return (void)c, (void)s, (void)value, fmi2Discard;
}
