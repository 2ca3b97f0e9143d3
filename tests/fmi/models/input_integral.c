// SPDX-License-Identifier: Apache-2.0
// x' = u with a continuous input, and a copy of a discrete one; xn is the negative of x (an alias in FMI 1.0).
#include "model.h"
#define OWN_INITIALISE
#define OWN_EVENT
#include "defaults.h"

enum { x, der_x, u };
const int model_states = 1;
const double model_inner_step = 1e-3;

void model_start(Model* m) { (void)m; }
void model_evaluate(Model* m) { m->real[der_x] = m->real[u]; }
void model_initialise(Model* m) { m->integer[1] = m->integer[0]; }
void model_event(Model* m) { m->integer[1] = m->integer[0]; }
