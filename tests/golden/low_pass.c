// SPDX-License-Identifier: MIT-0
// What is exported of a model, before its tables.
#include "low_pass.h"

#include <math.h>

void low_pass_on_tick(double t, const double *states, double *y, void *memory, long long tick) {
  low_pass *m = memory;
  (void)states; (void)y; (void)tick;
  double w[4];
  double v1 = ((1.4142135623730951 * sin(31.0 * t)) + sin(62.0 * t)) + (0.25 * sin(1100.0 * t));
  m->Scope_in = v1; /* /Scope.in */
  m->Scope_out = ((((0.0029914483065925663 * m->Filter_state1[0]) + (0.0008910247325893497 * m->Filter_state1[1])) + (0.0025463190581487658 * m->Filter_state1[2])) + (0.00023401829482111352 * m->Filter_state1[3])) + (0.0004165992044065994 * v1); /* /Scope.out */
  double v2 = 0.0 * v1;
  double v3 = 0.0 * m->Filter_state1[1];
  double v4 = 0.0 * m->Filter_state1[2];
  double v5 = 0.0 * m->Filter_state1[3];
  double v6 = 0.0 * m->Filter_state1[0];
  w[0] = ((((3.180638548874719 * m->Filter_state1[0]) + ((-3.8611943489942133) * m->Filter_state1[1])) + (2.1121553551109686 * m->Filter_state1[2])) + ((-0.4382651422619798) * m->Filter_state1[3])) + v1;
  w[1] = (((m->Filter_state1[0] + v3) + v4) + v5) + v2;
  w[2] = (((v6 + m->Filter_state1[1]) + v4) + v5) + v2;
  w[3] = (((v6 + v3) + m->Filter_state1[2]) + v5) + v2;
  m->Scope_seen = 1; /* /Scope.seen */
  m->Scope_seen_2 = 1; /* /Scope.seen */
  /* /Filter.state1 */
  m->Filter_state1[0] = w[0];
  m->Filter_state1[1] = w[1];
  m->Filter_state1[2] = w[2];
  m->Filter_state1[3] = w[3];
}

