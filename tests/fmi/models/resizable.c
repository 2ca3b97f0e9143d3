// SPDX-License-Identifier: Apache-2.0
// n states with x_i' = -i x_i, where n is a structural parameter of 1 to 8; y is a copy of x.
#include "model.h"
#define OWN_ARRAY
#define OWN_SIZE
#include "defaults.h"

enum { x = 0, der_x = 8, y = 16, n = 40 };
const int model_states = 8; /* the derivatives stand behind the longest state */
const double model_inner_step = 1e-3;

void model_start(Model* m) {
  m->integer[n] = 2;
  for (int k = 0; k < 8; ++k) m->real[x + k] = 1;
}
int model_state_count(Model* m) { return (int)m->integer[n]; }
void model_evaluate(Model* m) {
  for (int k = 0; k < 8; ++k) {
    m->real[der_x + k] = -(k + 1) * m->real[x + k];
    m->real[y + k] = m->real[x + k];
  }
}
double* model_array(Model* m, unsigned reference, size_t* count) {
  *count = (size_t)m->integer[n];
  return reference == x || reference == der_x || reference == y ? &m->real[reference] : NULL;
}
