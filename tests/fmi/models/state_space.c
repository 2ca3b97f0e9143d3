// SPDX-License-Identifier: Apache-2.0
// x' = A x + B u, y = C x with arrays: x and y have three elements, u has one, A is a parameter of 3 by 3.
#include "model.h"
#define OWN_ARRAY
#include "defaults.h"

enum { x = 0, der_x = 3, u = 6, y = 7, a = 10 };
const int model_states = 3;
const double model_inner_step = 1e-3;

void model_start(Model* m) {
  for (int k = 0; k < 3; ++k) {
    m->real[x + k] = k + 1;
    m->real[a + 4 * k] = -(k + 1);
  }
}
void model_evaluate(Model* m) {
  for (int i = 0; i < 3; ++i) {
    double sum = m->real[u];
    for (int j = 0; j < 3; ++j) sum += m->real[a + 3 * i + j] * m->real[x + j];
    m->real[der_x + i] = sum;
    m->real[y + i] = m->real[x + i];
  }
}
double* model_array(Model* m, unsigned reference, size_t* count) {
  *count = reference == a ? 9 : 3;
  return reference == x || reference == der_x || reference == y || reference == a ? &m->real[reference] : NULL;
}
