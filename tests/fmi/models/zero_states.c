// SPDX-License-Identifier: Apache-2.0
// No states, but an indicator: counts the changes of sign of cos(pi t).
#include "model.h"
#define OWN_INDICATE
#define OWN_EVENT
#include "defaults.h"

const int model_states = 0, model_indicators = 1;
const double model_inner_step = 1e-2;

void model_start(Model* m) { m->boolean[0] = 1; }
void model_evaluate(Model* m) { m->real[0] = cos(3.14159265358979323846 * m->time); }
void model_indicate(Model* m, double* z) { z[0] = cos(3.14159265358979323846 * m->time); }
void model_event(Model* m) {
  const int positive = cos(3.14159265358979323846 * m->time) > 0;
  if (positive != m->boolean[0] && m->time > 0) ++m->integer[0];
  m->boolean[0] = positive;
}
