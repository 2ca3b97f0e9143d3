// SPDX-License-Identifier: Apache-2.0
// MASSES equal masses between two walls, with equal springs: in its slowest mode each swings as cos(w t), where
// w = 2 sin(pi / (2 MASSES + 2)). Indicators that never change their signs are there to be asked.
#include "model.h"
#define OWN_INDICATE
#include "defaults.h"

enum { n = MASSES };
const int model_states = 2 * n, model_indicators = 4;
const double model_inner_step = 1e-2;

void model_start(Model* m) {
  for (int i = 0; i < n; ++i) m->real[i] = sin(3.14159265358979323846 * (i + 1) / (n + 1));
}
void model_evaluate(Model* m) {
  const double* x = m->real;
  for (int i = 0; i < n; ++i) {
    const double left = i > 0 ? x[i - 1] : 0, right = i + 1 < n ? x[i + 1] : 0;
    m->real[2 * n + i] = x[n + i];
    m->real[3 * n + i] = left - 2 * x[i] + right;
  }
}
void model_indicate(Model* m, double* z) {
  for (int k = 0; k < model_indicators; ++k) z[k] = m->real[0] + 2 + k;
}
