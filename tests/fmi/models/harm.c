// SPDX-License-Identifier: Apache-2.0
// Does harm, of the kind HARM, in the function of HARM_IN, after t = 0.5 where there is a time.
#define _GNU_SOURCE
#include <fenv.h>
#include <signal.h>

#include "model.h"
#define OWN_INITIALISE
#include "defaults.h"

enum { x, der_x };
enum { null_pointer, loop, leave, stop_hard, eat_memory, overflow_stack, divide, throw_exception };
const int model_states = 1;
const double model_inner_step = 1e-2;

#if HARM == 7
void throw_something(void);
#endif

volatile double* volatile nowhere = NULL;
static volatile int zero = 0;

static int deeper(volatile char* from) {
  volatile char room[4096];
  room[0] = from[0];
  return deeper(room) + room[0];
}

static void do_harm(void) {
  static volatile int once = 0;
  if (HARM == null_pointer) *nowhere = 1;
  while (HARM == loop) once = !once;
  if (HARM == leave) exit(0);
  if (HARM == stop_hard) abort();
  while (HARM == eat_memory) memset(malloc(1 << 24), 1, 1 << 24);
  if (HARM == overflow_stack) {
    char start[1] = {0};
    once = deeper(start);
  }
  if (HARM == divide) once = 7 / zero;
#if HARM == 7
  throw_something();
#endif
}

#if HARM_IN == 0
__attribute__((constructor)) static void at_load(void) { do_harm(); }
#endif
void model_start(Model* m) {
  m->real[x] = 1;
  if (HARM_IN == 1) do_harm();
}
void model_initialise(Model* m) {
  (void)m;
  if (HARM_IN == 2) do_harm();
}
void model_evaluate(Model* m) {
  if (HARM_IN == 3 && m->time > 0.5) do_harm();
  m->real[der_x] = -1;
}
