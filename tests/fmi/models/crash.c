// SPDX-License-Identifier: Apache-2.0
// Follows a null pointer at t > 0.5.
#include "defaults.h"
#include "model.h"

enum { x, der_x };
const int model_states = 1;
const double model_inner_step = 1e-2;

void model_start(Model* m) { m->real[x] = 1; }
void model_evaluate(Model* m) {
  volatile double* nowhere = NULL;
  m->real[der_x] = m->time > 0.5 ? *nowhere : -1;
}
