// SPDX-License-Identifier: Apache-2.0
// A stiff filter behind a switch that turns over every 1e-4 s: x' = (u - x) / tau, y' = x - y.
#include "model.h"
#define OWN_EVENT
#include "defaults.h"

enum { x, y, der_x, der_y, u };
enum { turns };
const int model_states = 2;
const double model_inner_step = 1e-5;
static const double tau = 1e-3, period = 1e-4;

void model_start(Model* m) {
  m->real[u] = 1;
  m->has_next = 1;
  m->next = period;
}
void model_evaluate(Model* m) {
  m->real[der_x] = (m->real[u] - m->real[x]) / tau;
  m->real[der_y] = m->real[x] - m->real[y];
}
void model_event(Model* m) {
  if (m->time < m->next - 1e-12) return;
  m->real[u] = 1 - m->real[u];
  m->next = (double)(++m->integer[turns] + 1) * period;
}
