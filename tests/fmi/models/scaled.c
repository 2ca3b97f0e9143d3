// SPDX-License-Identifier: Apache-2.0
// x'' = -x. At t = 1 it starts anew with an amplitude of a millionth, and says that its states are of that size now.
#include "model.h"
#define OWN_EVENT
#include "defaults.h"

enum { x, v, der_x, der_v };
const int model_states = 2;
const double model_inner_step = 1e-3;

void model_start(Model* m) {
  m->has_next = 1;
  m->next = 1;
}
void model_evaluate(Model* m) {
  m->real[der_x] = m->real[v];
  m->real[der_v] = -m->real[x];
}
void model_event(Model* m) {
  if (!m->has_next || m->time < m->next - 1e-9) return;
  m->has_next = 0;
  m->real[x] = m->nominal = 1e-6;
  m->real[v] = 0;
  m->states_changed = m->nominals_changed = 1;
}
