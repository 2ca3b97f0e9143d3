// SPDX-License-Identifier: MIT-0
// What is exported of a model, before its tables.
#include "sine.h"

#include <math.h>

void sine_outputs(double t, const double *states, double *y, void *memory, long long tick) {
  sine *m = memory;
  (void)states; (void)y; (void)tick;
  m->y = sin((62.83185307179586 * (m->u_value + (m->u_slope * (t - m->u_since)))) + 0.5235987755982989); /* /y */
}

void sine_on_u(double t, const double *states, double *y, void *memory, long long tick) {
  sine *m = memory;
  (void)states; (void)y; (void)tick;
  m->u_value = m->u_next; /* /u.value */
  m->u_slope = m->u_next_slope; /* /u.slope */
  m->u_since = t; /* /u.since */
}

