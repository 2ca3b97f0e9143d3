// SPDX-License-Identifier: MIT-0
// What is exported of a model, before its tables.
#include "p_norm.h"

#include <math.h>

void p_norm_outputs(double t, const double *states, double *y, void *memory, long long tick) {
  p_norm *m = memory;
  (void)states; (void)y; (void)tick;
  double v1 = t - m->u_since;
  double v2 = m->u_value[0] + (m->u_slope[0] * v1);
  double v3 = m->u_value[1] + (m->u_slope[1] * v1);
  m->y = (((v2 * 2.0) + v3) * v2) + ((v2 + (v3 * 2.0)) * v3); /* /y */
}

void p_norm_on_u(double t, const double *states, double *y, void *memory, long long tick) {
  p_norm *m = memory;
  (void)states; (void)y; (void)tick;
  /* /u.value */
  m->u_value[0] = m->u_next[0];
  m->u_value[1] = m->u_next[1];
  /* /u.slope */
  m->u_slope[0] = m->u_next_slope[0];
  m->u_slope[1] = m->u_next_slope[1];
  m->u_since = t; /* /u.since */
}

