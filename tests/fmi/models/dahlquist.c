// SPDX-License-Identifier: Apache-2.0
// Dahlquist's test equation x' = -k x.
#include "defaults.h"
#include "model.h"

enum { x, der_x, k };
const int model_states = 1;
const double model_inner_step = 1e-2;

void model_start(Model* m) {
  m->real[x] = 1;
  m->real[k] = 1;
}
void model_evaluate(Model* m) { m->real[der_x] = -m->real[k] * m->real[x]; }
