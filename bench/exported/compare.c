// SPDX-License-Identifier: Apache-2.0
/* CPU time of exported models beside that of the same models written by hand, in turns; the medians. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "orrery_rt.h"
#include "reference_models.h"

#define MODELS X(a1) X(a2) X(a3) X(b1) X(b2) X(b3) X(c1) X(c2)
#define X(name) extern const orr_model name##_model;
MODELS
#undef X

static struct reference_result looking(void) { return reference_c2_looking(); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double run_exported(const orr_model *m) {
  orr_run *run = malloc(sizeof *run);
  void *memory = malloc(m->memory);
  orr_cell *work = malloc(m->work * sizeof(orr_cell));
  orr_options options = m->options;
  double begin, seconds;
  options.record = 0;
  begin = now();
  orr_begin(run, m, memory, work, &options, NULL);
  if (orr_advance(run, INFINITY) == ORR_FAILED) printf("%s failed\n", m->name);
  seconds = now() - begin;
  free(run), free(memory), free(work);
  return seconds;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void compare(const char *name, const orr_model *m, struct reference_result (*by_hand)(void)) {
  enum { ROUNDS = 7 };
  double exported[ROUNDS], hand[ROUNDS];
  for (int k = 0; k < ROUNDS; ++k) {
    double begin;
    exported[k] = run_exported(m);
    begin = now();
    by_hand();
    hand[k] = now() - begin;
  }
  qsort(exported, ROUNDS, sizeof(double), by_size);
  qsort(hand, ROUNDS, sizeof(double), by_size);
  printf("%-14s %9.3f ms %9.3f ms %6.2f\n", name, 1e3 * exported[ROUNDS / 2], 1e3 * hand[ROUNDS / 2],
         exported[ROUNDS / 2] / hand[ROUNDS / 2]);
}

int main(void) {
  printf("%-14s %12s %12s %6s\n", "", "exported", "by hand", "ratio");
#define X(name) compare(#name, &name##_model, reference_##name);
  MODELS
#undef X
  compare("c2, looking", &c2_model, looking);
  return 0;
}
