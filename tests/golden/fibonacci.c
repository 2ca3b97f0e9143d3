// SPDX-License-Identifier: MIT-0
// What is exported of a model, before its tables.
#include "fibonacci.h"

#include <math.h>

void fibonacci_on_Next(double t, const double *states, double *y, void *memory, long long tick) {
  fibonacci *m = memory;
  (void)states; (void)t; (void)y; (void)tick;
  m->number = m->First_z; /* /number */
  double v1 = m->Second_z;
  m->Second_z = m->First_z + v1; /* /Second.z */
  m->First_z = v1; /* /First.z */
  m->number_seen = 1; /* /number.seen */
}

