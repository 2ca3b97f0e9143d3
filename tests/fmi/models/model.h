// SPDX-License-Identifier: Apache-2.0
// What a test model tells the FMI wrappers. Each model is one C file that defines the functions below; fmu1.c, fmu2.c
// and fmu3.c wrap it for the three versions. Values are found by their number within their type; FMI 3.0 value
// references add 1000 for each type.
#ifndef ORRERY_TEST_MODEL_H
#define ORRERY_TEST_MODEL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MAX_VALUES
#define MAX_VALUES 64
#endif
#define MAX_TEXT 256

typedef struct Model {
  double time, tolerance;
  double real[MAX_VALUES]; /* states first, then their derivatives, then the rest */
  long long integer[MAX_VALUES];
  int boolean[MAX_VALUES];
  char text[8][MAX_TEXT];
  unsigned char bytes[8][MAX_TEXT];
  size_t byte_count[8];
  char resources[1024];
  /* Set by model_event and model_completed. */
  int states_changed, again, terminate, has_next, call_event;
  double next;
  int clocks_changed; /* set by model_tick: output clocks have ticked, or intervals are other ones */
  double nominal;     /* of all states; 0 stands for 1 */
  int nominals_changed;
  /* Kept by the wrappers. */
  int step_in_progress, time_known;
  double last_step;
  double slope[MAX_VALUES]; /* of inputs, over the next step */
  unsigned active, due; /* input clocks, a bit for each: active in this event, and those whose tick is yet to be made */
  int running;          /* the initialisation is over */
} Model;

extern const int model_states, model_indicators;
extern const double model_inner_step; /* of Co-Simulation */

void model_start(Model* m);      /* start values */
void model_initialise(Model* m); /* at the end of the initialisation */
void model_evaluate(Model* m);   /* derivatives and outputs */
void model_indicate(Model* m, double* z);
void model_event(Model* m);
void model_completed(Model* m);
/* A value that is an array: its place and length; NULL: it is a scalar. */
double* model_array(Model* m, unsigned reference, size_t* count);

int model_state_count(Model* m); /* model_states, unless sizes can change */
/* FMI 3.0: an input clock ticks; the state of its interval (0 not known, 1 as before, 2 new); an output clock is read.
 */
void model_tick(Model* m, unsigned clock);
int model_interval(Model* m, unsigned clock, double* seconds);
int model_output_clock(Model* m, unsigned clock);

/* Back to the start values; what belongs to the instance stays. */
static inline void model_reset(Model* m) {
  char resources[sizeof m->resources];
  memcpy(resources, m->resources, sizeof resources);
  memset(m, 0, sizeof *m);
  memcpy(m->resources, resources, sizeof resources);
  model_start(m);
}

/* Advances by one communication step: fourth-order Runge-Kutta, events at the ends of inner steps. Returns 0, or 1 when
   the model ended the run. */
static inline int model_advance(Model* m, double t, double h) {
  const int n = model_states;
  const long steps = (long)fmax(1.0, floor(h / model_inner_step + 0.5));
  const double d = h / (double)steps;
  double input[MAX_VALUES];
  memcpy(input, m->real, sizeof input);
  for (long s = 0; s < steps; ++s) {
    double x0[MAX_VALUES], k[4][MAX_VALUES], z0[MAX_VALUES], z1[MAX_VALUES];
    static const double node[4] = {0, 0.5, 0.5, 1};
    const double begin = t + d * (double)s;
    int event = 0;
    memcpy(x0, m->real, sizeof x0);
    m->time = begin;
    model_indicate(m, z0);
    for (int stage = 0; stage < 4; ++stage) {
      for (int i = 0; i < n; ++i) m->real[i] = x0[i] + (stage == 0 ? 0 : node[stage] * d * k[stage - 1][i]);
      m->time = begin + node[stage] * d;
      for (int i = 0; i < MAX_VALUES; ++i) {
        if (m->slope[i] != 0) m->real[i] = input[i] + m->slope[i] * (m->time - t);
      }
      model_evaluate(m);
      for (int i = 0; i < n; ++i) k[stage][i] = m->real[n + i];
    }
    for (int i = 0; i < n; ++i) m->real[i] = x0[i] + d / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    m->time = s + 1 == steps ? t + h : begin + d;
    model_indicate(m, z1);
    for (int i = 0; i < model_indicators; ++i) event |= (z0[i] > 0) != (z1[i] > 0);
    if (event || (m->has_next && m->time >= m->next - 1e-12)) model_event(m);
    if (m->terminate) return 1;
  }
  memset(m->slope, 0, sizeof m->slope);
  model_evaluate(m);
  return 0;
}

#endif
