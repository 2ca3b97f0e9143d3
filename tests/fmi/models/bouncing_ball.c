// SPDX-License-Identifier: Apache-2.0
// A ball that falls from h = 1 and loses 30 % of its speed at every bounce; it rests when it is slow.
#include "model.h"
#define OWN_INDICATE
#define OWN_EVENT
#include "defaults.h"

enum { h, v, der_h, der_v, g, e };
const int model_states = 2, model_indicators = 1;
const double model_inner_step = 1e-3;

void model_start(Model* m) {
  m->real[h] = 1;
  m->real[g] = -9.81;
  m->real[e] = 0.7;
}
void model_evaluate(Model* m) {
  m->real[der_h] = m->real[v];
  m->real[der_v] = m->boolean[0] ? 0 : m->real[g];
}
#ifdef QUIRK_HYSTERESIS
/* The indicator moves with the side the ball was on at the last event, so it crosses zero on the way up as well. */
void model_indicate(Model* m, double* z) { z[0] = m->boolean[0] ? 1 : m->real[h] + (m->boolean[1] ? -1e-14 : 1e-14); }
#else
void model_indicate(Model* m, double* z) { z[0] = m->boolean[0] ? 1 : m->real[h]; }
#endif
void model_event(Model* m) {
#ifdef QUIRK_HYSTERESIS
  const int below = m->boolean[1];
  m->boolean[1] = m->real[h] <= 0;
  if (below || m->real[h] > 1e-12 || m->real[v] > 0) return;
#else
  if (m->real[h] > 0 || m->real[v] > 0) return;
#ifdef QUIRK_ZERO_AFTER_EVENT
  m->real[h] = 0; /* the indicator leaves zero upwards, which is no event */
#else
  m->real[h] = 1e-300; /* just above the ground: 0 would be an event of its own when it is left */
#endif
#endif
  m->real[v] = -m->real[e] * m->real[v];
  if (m->real[v] < 0.1) {
    m->real[h] = m->real[v] = 0;
    m->boolean[0] = 1;
  }
  m->states_changed = 1;
}
