// SPDX-License-Identifier: Apache-2.0
// Clocks of all kinds: 1 is periodic, 2 is triggered from outside and adds its input, 3 is a countdown that clock 1 starts
// at t = 4 for half a second, 4 is changing and doubles its interval with every tick. Output clock 5 ticks with every
// fifth tick of all.
#include "model.h"
#define OWN_CLOCKS
#include "defaults.h"

enum { ticks_1 = 1, ticks_2, ticks_3, ticks_4, total, result, input };
const int model_states = 0;
const double model_inner_step = 0.1;

void model_start(Model* m) { (void)m; }
void model_evaluate(Model* m) { (void)m; }

void model_tick(Model* m, unsigned clock) {
  ++m->integer[clock];
  ++m->integer[total];
  if (clock == 2) m->integer[result] += m->integer[input];
  if (clock == 1 && fabs(m->time - 4) < 1e-9) m->boolean[3] = 1;
  if (clock == 4) m->boolean[4] = 1;
  if (m->integer[total] % 5 == 0) m->boolean[5] = 1;
  m->clocks_changed = 1;
}
int model_interval(Model* m, unsigned clock, double* seconds) {
  if (clock == 4) {
    *seconds = ldexp(1, (int)m->integer[ticks_4] - 1);
    return 2;
  }
  if (clock != 3 || !m->boolean[3]) return clock == 3 ? 1 : 0;
  m->boolean[3] = 0;
  *seconds = 0.5;
  return 2;
}
int model_output_clock(Model* m, unsigned clock) {
  const int active = clock == 5 && m->boolean[5];
  m->boolean[5] = 0;
  return active;
}
