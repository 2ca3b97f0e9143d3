// SPDX-License-Identifier: Apache-2.0
// Motor drive, DC motor with a saturating inductance: i' = (v - R i - ke w)(1 + (i/Is)^2)/L, w' = (ke i + T)/J,
// angle' = w; the speed is given in rpm.
#include "defaults.h"
#include "model.h"

enum { i, w, angle, der_i, der_w, der_angle, v, torque, speed, r, l, is, j, ke };
const int model_states = 3;
const double model_inner_step = 1e-4;

void model_start(Model* m) {
  m->real[r] = 1;
  m->real[l] = 5e-3;
  m->real[is] = 2;
  m->real[j] = 0.6;
  m->real[ke] = 6.2;
}
void model_evaluate(Model* m) {
  const double* p = m->real;
  const double bend = p[i] / p[is];
  m->real[der_i] = (p[v] - p[r] * p[i] - p[ke] * p[w]) * (1 + bend * bend) / p[l];
  m->real[der_w] = (p[ke] * p[i] + p[torque]) / p[j];
  m->real[der_angle] = p[w];
  m->real[speed] = 30 / 3.14159265358979323846 * p[w];
}
