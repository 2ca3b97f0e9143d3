// SPDX-License-Identifier: Apache-2.0
// A Model Exchange FMU as somebody would call it by hand: no checks, no messages, the same SUNDIALS.
#include <cvode/cvode.h>
#include <dlfcn.h>
#include <nvector/nvector_serial.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "fmi/api/fmi2.h"
#include "reference_models.h"

enum { states = 2, damping = 4 };

struct fmu {
#define POINTER(kind, result, name, arguments) result(*name) arguments;
  FMI2_FUNCTIONS(POINTER)
#undef POINTER
  fmi2Component c;
};

static void ignore(fmi2ComponentEnvironment e, fmi2String name, fmi2Status s, fmi2String category, fmi2String words,
                   ...) {
  (void)e, (void)name, (void)s, (void)category, (void)words;
}

static int rhs(double t, N_Vector x, N_Vector dx, void* data) {
  const struct fmu* f = data;
  if (f->SetTime(f->c, t) > fmi2Warning) return -1;
  if (f->SetContinuousStates(f->c, N_VGetArrayPointer(x), states) > fmi2Warning) return -1;
  return f->GetDerivatives(f->c, N_VGetArrayPointer(dx), states) > fmi2Warning;
}

static void complete(const struct fmu* f, double t, const double* x) {
  fmi2Boolean event, end;
  f->SetTime(f->c, t);
  f->SetContinuousStates(f->c, x, states);
  f->CompletedIntegratorStep(f->c, fmi2True, &event, &end);
}

static long run_cvode(struct fmu* f, N_Vector x, SUNContext context, double t_end, double rtol, double atol) {
  void* cvode = CVodeCreate(CV_BDF, context);
  SUNMatrix matrix = SUNDenseMatrix(states, states, context);
  SUNLinearSolver solver = SUNLinSol_Dense(x, matrix, context);
  CVodeInit(cvode, rhs, 0, x);
  CVodeSStolerances(cvode, rtol, atol);
  CVodeSetUserData(cvode, f);
  CVodeSetLinearSolver(cvode, solver, matrix);
  CVodeSetMaxStep(cvode, t_end / 50);
  CVodeSetStopTime(cvode, t_end);
  double t = 0;
  while (t < t_end && CVode(cvode, t_end, x, &t, CV_ONE_STEP) >= 0) complete(f, t, N_VGetArrayPointer(x));
  long steps = 0;
  CVodeGetNumSteps(cvode, &steps);
  CVodeFree(&cvode);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  return steps;
}

struct reference_result reference_fmu(const char* library, double t_end, double rtol, double atol) {
  struct reference_result result = {0, 0, 0};
  struct fmu f;
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return result;
#define LOAD(kind, result, name, arguments) *(void**)&f.name = dlsym(handle, "fmi2" #name);
  FMI2_FUNCTIONS(LOAD)
#undef LOAD
  const fmi2CallbackFunctions callbacks = {ignore, calloc, free, NULL, NULL};
  f.c = f.Instantiate("oscillator", fmi2ModelExchange, "{test}", "file:///tmp", &callbacks, fmi2False, fmi2False);
  if (!f.c) return result;
  const fmi2ValueReference d = damping;
  const fmi2Real none = 0;
  fmi2EventInfo info;
  SUNContext context;
  SUNContext_Create(NULL, &context);
  N_Vector x = N_VNew_Serial(states, context);
  f.SetReal(f.c, &d, 1, &none);
  f.SetupExperiment(f.c, fmi2False, 0, 0, fmi2False, 0);
  f.EnterInitializationMode(f.c);
  f.ExitInitializationMode(f.c);
  f.NewDiscreteStates(f.c, &info);
  f.EnterContinuousTimeMode(f.c);
  f.GetContinuousStates(f.c, N_VGetArrayPointer(x), states);
  result.steps = run_cvode(&f, x, context, t_end, rtol, atol);
  result.value = N_VGetArrayPointer(x)[0];
  f.Terminate(f.c);
  f.FreeInstance(f.c);
  N_VDestroy(x);
  SUNContext_Free(&context);
  dlclose(handle);
  return result;
}
