// SPDX-License-Identifier: Apache-2.0
// Van der Pol's oscillator.
#include "defaults.h"
#include "model.h"

enum { x0, x1, der_x0, der_x1, mu };
const int model_states = 2;
const double model_inner_step = 1e-3;

void model_start(Model* m) {
  m->real[x0] = 2;
  m->real[mu] = 1;
}
void model_evaluate(Model* m) {
  m->real[der_x0] = m->real[x1];
  m->real[der_x1] = m->real[mu] * (1 - m->real[x0] * m->real[x0]) * m->real[x1] - m->real[x0];
}
void model_directional(Model* m, int unknown, int known, double* value) {
  const double a = m->real[x0], b = m->real[x1], k = m->real[mu];
  const double jacobian[2][2] = {{0, 1}, {-2 * k * a * b - 1, k * (1 - a * a)}};
  *value = jacobian[unknown - 2][known];
}
