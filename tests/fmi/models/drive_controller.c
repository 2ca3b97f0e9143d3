// SPDX-License-Identifier: Apache-2.0
// Motor drive, PI controller: x' = wi - wo, v = Kp (wi - wo) + Ki x.
#include "defaults.h"
#include "model.h"

enum { x, der_x, wi, wo, v, kp, ki };
const int model_states = 1;
const double model_inner_step = 1e-4;

void model_start(Model* m) {
  m->real[kp] = 0.1;
  m->real[ki] = 20;
}
void model_evaluate(Model* m) {
  const double error = m->real[wi] - m->real[wo];
  m->real[der_x] = error;
  m->real[v] = m->real[kp] * error + m->real[ki] * m->real[x];
}
void model_directional(Model* m, int unknown, int known, double* value) {
  const double sign = known == wi ? 1 : known == wo ? -1 : 0;
  *value = unknown == der_x ? sign : m->real[kp] * sign + (known == x ? m->real[ki] : 0);
}
