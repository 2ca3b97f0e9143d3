// SPDX-License-Identifier: Apache-2.0
/* What fmi2DoStep costs beyond the body of the model: a lag x' = u - x, one step of rk4 for each call. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fmi2.h"

fmi2Component fmi2Instantiate(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions*, fmi2Boolean,
                              fmi2Boolean);
fmi2Status fmi2SetupExperiment(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real);
fmi2Status fmi2EnterInitializationMode(fmi2Component);
fmi2Status fmi2ExitInitializationMode(fmi2Component);
fmi2Status fmi2DoStep(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
void fmi2FreeInstance(fmi2Component);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void hush(void* a, fmi2String b, fmi2Status c, fmi2String d, fmi2String e, ...) {
  (void)a, (void)b, (void)c, (void)d, (void)e;
}

/* The body as anybody would write it; not inlined, as a call of a library is not. */
static __attribute__((noinline)) void rk4(double* x, double u, double h) {
  const double a = u - *x, b = u - (*x + h * (0.5 * a)), c = u - (*x + h * (0.5 * b)), d = u - (*x + h * c);
  *x = *x + h * (1.0 / 6 * a + 1.0 / 3 * b + 1.0 / 3 * c + 1.0 / 6 * d);
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  enum { ROUNDS = 9, STEPS = 200000 };
  fmi2CallbackFunctions calls = {hush, calloc, free, NULL, NULL};
  const double h = 1.0 / 1024;
  double step[ROUNDS], body[ROUNDS], x = 0;
  if (argc != 2) return 2;
  for (int k = 0; k < ROUNDS; ++k) {
    fmi2Component fmu = fmi2Instantiate("one", fmi2CoSimulation, argv[1], "", &calls, 0, 0);
    double begin;
    if (!fmu) return 1;
    fmi2SetupExperiment(fmu, 0, 0, 0, 0, 0);
    fmi2EnterInitializationMode(fmu);
    fmi2ExitInitializationMode(fmu);
    begin = now();
    for (int s = 0; s < STEPS; ++s) {
      if (fmi2DoStep(fmu, (double)s * h, h, 1) != fmi2OK) return 1;
    }
    step[k] = (now() - begin) / STEPS;
    fmi2FreeInstance(fmu);
    begin = now();
    x = 0;
    for (int s = 0; s < STEPS; ++s) rk4(&x, sin(0.0), h);
    body[k] = (now() - begin) / STEPS;
  }
  qsort(step, ROUNDS, sizeof(double), by_size);
  qsort(body, ROUNDS, sizeof(double), by_size);
  printf("fmi2DoStep %.1f ns, body by hand %.1f ns, overhead %.1f ns (goal 50)\n", 1e9 * step[ROUNDS / 2],
         1e9 * body[ROUNDS / 2], 1e9 * (step[ROUNDS / 2] - body[ROUNDS / 2]));
  return x > 1;
}
