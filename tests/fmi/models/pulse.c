// SPDX-License-Identifier: Apache-2.0
// x' = 1, and an indicator that is positive for x between 1 and 1.03 only: counts its changes of sign.
#include "model.h"
#define OWN_INDICATE
#define OWN_EVENT
#include "defaults.h"

enum { x, der_x };
const int model_states = 1, model_indicators = 1;
const double model_inner_step = 1e-2;

static double indicator(const Model* m) { return (m->real[x] - 1) * (1.03 - m->real[x]); }

void model_start(Model* m) { m->real[x] = 0; }
void model_evaluate(Model* m) { m->real[der_x] = 1; }
void model_indicate(Model* m, double* z) { z[0] = indicator(m); }
void model_event(Model* m) {
  const int positive = indicator(m) > 0;
  if (positive != m->boolean[0]) ++m->integer[0];
  m->boolean[0] = positive;
}
