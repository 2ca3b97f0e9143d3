// SPDX-License-Identifier: Apache-2.0
// FMUs as somebody would call them by hand: no checks, no messages, the same SUNDIALS.
#include <cvode/cvode.h>
#include <dlfcn.h>
#include <nvector/nvector_serial.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "fmi/api/fmi2.h"
#include "reference_models.h"

enum { most_indicators = 16 };

struct fmu {
#define POINTER(kind, result, name, arguments) result(*name) arguments;
  FMI2_FUNCTIONS(POINTER)
#undef POINTER
  void* handle;
  fmi2Component c;
  int states, indicators;
  double z[most_indicators];
};

static void ignore(fmi2ComponentEnvironment e, fmi2String name, fmi2Status s, fmi2String category, fmi2String words,
                   ...) {
  (void)e, (void)name, (void)s, (void)category, (void)words;
}

static const fmi2CallbackFunctions callbacks = {ignore, calloc, free, NULL, NULL};

// To the end of the initialisation.
static int open_fmu(struct fmu* f, const struct reference_fmu_case* what, fmi2Type type) {
  f->handle = dlopen(what->library, RTLD_NOW | RTLD_LOCAL);
  if (!f->handle) return 0;
#define LOAD(kind, result, name, arguments) *(void**)&f->name = dlsym(f->handle, "fmi2" #name);
  FMI2_FUNCTIONS(LOAD)
#undef LOAD
  f->states = what->states;
  f->indicators = what->indicators;
  f->c = f->Instantiate("fmu", type, "{test}", "file:///tmp", &callbacks, fmi2False, fmi2False);
  if (!f->c) return 0;
  const fmi2ValueReference parameter = (fmi2ValueReference)what->zero;
  const fmi2Real none = 0;
  if (what->zero >= 0) f->SetReal(f->c, &parameter, 1, &none);
  f->SetupExperiment(f->c, fmi2False, 0, 0, fmi2False, 0);
  f->EnterInitializationMode(f->c);
  f->ExitInitializationMode(f->c);
  return 1;
}

static void close_fmu(struct fmu* f) {
  f->Terminate(f->c);
  f->FreeInstance(f->c);
  dlclose(f->handle);
}

static int rhs(double t, N_Vector x, N_Vector dx, void* data) {
  const struct fmu* f = data;
  if (f->SetTime(f->c, t) > fmi2Warning) return -1;
  if (f->SetContinuousStates(f->c, N_VGetArrayPointer(x), f->states) > fmi2Warning) return -1;
  return f->GetDerivatives(f->c, N_VGetArrayPointer(dx), f->states) > fmi2Warning;
}

// Whether there is an event: none of these models has one.
static int complete(struct fmu* f, double t, const double* x) {
  fmi2Boolean event = fmi2False, end = fmi2False;
  f->SetTime(f->c, t);
  f->SetContinuousStates(f->c, x, f->states);
  if (f->indicators > 0) {
    double z[most_indicators];
    f->GetEventIndicators(f->c, z, f->indicators);
    for (int k = 0; k < f->indicators; ++k) {
      event |= (z[k] > 0) != (f->z[k] > 0);
      f->z[k] = z[k];
    }
    if (event) return 1;
  }
  f->CompletedIntegratorStep(f->c, fmi2True, &event, &end);
  return event || end;
}

static long run_cvode(struct fmu* f, N_Vector x, SUNContext context, double t_end, double tolerance) {
  void* cvode = CVodeCreate(CV_BDF, context);
  SUNMatrix matrix = SUNDenseMatrix(f->states, f->states, context);
  SUNLinearSolver solver = SUNLinSol_Dense(x, matrix, context);
  CVodeInit(cvode, rhs, 0, x);
  CVodeSStolerances(cvode, tolerance, tolerance);
  CVodeSetUserData(cvode, f);
  CVodeSetLinearSolver(cvode, solver, matrix);
  CVodeSetMaxStep(cvode, t_end / 50);
  CVodeSetStopTime(cvode, t_end);
  double t = 0;
  if (f->indicators > 0) f->GetEventIndicators(f->c, f->z, f->indicators);
  while (t < t_end && CVode(cvode, t_end, x, &t, CV_ONE_STEP) >= 0 && !complete(f, t, N_VGetArrayPointer(x))) continue;
  long steps = 0;
  CVodeGetNumSteps(cvode, &steps);
  CVodeFree(&cvode);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  return steps;
}

struct reference_result reference_fmu(const struct reference_fmu_case* what, double t_end, double tolerance) {
  struct reference_result result = {0, 0, 0};
  struct fmu f;
  if (!open_fmu(&f, what, fmi2ModelExchange)) return result;
  fmi2EventInfo info;
  SUNContext context;
  SUNContext_Create(NULL, &context);
  N_Vector x = N_VNew_Serial(f.states, context);
  f.NewDiscreteStates(f.c, &info);
  f.EnterContinuousTimeMode(f.c);
  f.GetContinuousStates(f.c, N_VGetArrayPointer(x), f.states);
  result.steps = run_cvode(&f, x, context, t_end, tolerance);
  result.value = N_VGetArrayPointer(x)[0];
  N_VDestroy(x);
  SUNContext_Free(&context);
  close_fmu(&f);
  return result;
}

struct reference_result reference_fmu_steps(const struct reference_fmu_case* what, double h, long steps) {
  enum { outputs = 3 };
  const fmi2ValueReference references[outputs] = {0, 1, 5};
  struct reference_result result = {0, 0, 0};
  struct fmu f;
  double* rows = malloc((steps + 1) * (outputs + 1) * sizeof *rows);
  if (!rows || !open_fmu(&f, what, fmi2CoSimulation)) return result;
  for (long k = 0;; ++k) {
    double* row = rows + k * (outputs + 1);
    row[0] = (double)k * h;
    if (f.GetReal(f.c, references, outputs, row + 1) > fmi2Warning || k == steps) break;
    if (f.DoStep(f.c, row[0], h, fmi2True) > fmi2Warning) break;
    ++result.steps;
  }
  result.value = rows[steps * (outputs + 1) + 1];
  close_fmu(&f);
  free(rows);
  return result;
}
