// SPDX-License-Identifier: Apache-2.0
// A counter for descriptions with clocks.
#include "model.h"
#define OWN_EVENT
#include "defaults.h"

const int model_states = 0;
const double model_inner_step = 0.1;

void model_start(Model* m) {
  m->has_next = 1;
  m->next = 0.5;
}
void model_evaluate(Model* m) { (void)m; }
void model_event(Model* m) {
  if (m->time < m->next - 1e-9) return;
  ++m->integer[0];
  m->next += 0.5;
}
