// SPDX-License-Identifier: MIT-0
// What is exported of a model, before its tables.
#include "temperature.h"

#include <math.h>

void temperature_derivatives(double t, const double *restrict states, double *restrict y, void *memory, long long tick) {
  const temperature_states *x = (const void *)states;
  (void)memory; (void)tick;
  double v1 = (6.0 * sin((0.2 * t) + 0.0)) + 6.0;
  y[0] = (0.1 * (v1 - x->Room_Temperature_x)) + (2.5 * (((x->Room_Temperature_x < 20.0) ? 1.0 : 0.0) * ((x->Room_Temperature_x < (v1 + 12.0)) ? 1.0 : 0.0))); /* /Room/Temperature */
}

void temperature_outputs(double t, const double *states, double *y, void *memory, long long tick) {
  const temperature_states *x = (const void *)states;
  temperature *m = memory;
  (void)y; (void)tick;
  m->Show_1 = x->Room_Temperature_x; /* /Show.1 */
  double v1 = ((x->Room_Temperature_x < 20.0) ? 1.0 : 0.0) * ((x->Room_Temperature_x < (((6.0 * sin((0.2 * t) + 0.0)) + 6.0) + 12.0)) ? 1.0 : 0.0);
  m->Show_2 = v1; /* /Show.2 */
}

