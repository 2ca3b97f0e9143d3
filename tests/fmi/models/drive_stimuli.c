// SPDX-License-Identifier: Apache-2.0
// Motor drive, commands: 10 rpm from 0.1 s on, a torque of 3 N m from 0.5 s on. Nothing continuous, two time events.
#include "model.h"
#define OWN_INITIALISE
#define OWN_EVENT
#include "defaults.h"

enum { speed, torque };
const int model_states = 0;
const double model_inner_step = 1e-4;

void model_start(Model* m) { (void)m; }
void model_initialise(Model* m) { m->again = 1; }
void model_evaluate(Model* m) { (void)m; }
void model_event(Model* m) {
  const double now = m->time + 1e-9;
  m->again = 0;
  m->real[speed] = now >= 0.1 ? 10 : 0;
  m->real[torque] = now >= 0.5 ? 3 : 0;
  m->has_next = now < 0.5;
  m->next = now < 0.1 ? 0.1 : 0.5;
}
