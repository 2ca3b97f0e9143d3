// SPDX-License-Identifier: Apache-2.0
// x'' + 2 d x' + x = 0, as two states; y is both of them added.
#include "defaults.h"
#include "model.h"

enum { x, v, der_x, der_v, d, y };
const int model_states = 2;
const double model_inner_step = 1e-3;

void model_start(Model* m) {
  m->real[x] = 1;
  m->real[d] = 0.1;
}
void model_evaluate(Model* m) {
  m->real[der_x] = m->real[v];
  m->real[der_v] = -m->real[x] - 2 * m->real[d] * m->real[v];
  m->real[y] = m->real[x] + m->real[v];
}
