// SPDX-License-Identifier: Apache-2.0
// A counter that grows at t = 1, 2, ...; ends the run when it reaches 10. Its initialisation needs an event iteration.
#include "model.h"
#define OWN_INITIALISE
#define OWN_EVENT
#include "defaults.h"

const int model_states = 0;
const double model_inner_step = 0.1;

void model_start(Model* m) { m->integer[0] = 1; }
void model_initialise(Model* m) { m->again = 1; }
void model_evaluate(Model* m) { (void)m; }
void model_event(Model* m) {
  if (m->again && !m->has_next) {
    m->again = 0; /* the iteration after the initialisation plans the first step */
  } else if (m->has_next && m->time >= m->next - 1e-9) {
    ++m->integer[0];
  }
  m->has_next = 1;
  m->next = floor(m->time + 1e-9) + 1;
  m->terminate = m->integer[0] >= 10;
}
