// SPDX-License-Identifier: MIT-0
// What is exported of a model, before its tables.
#include "moon_lander.h"

#include <math.h>

void moon_lander_derivatives(double t, const double *restrict states, double *restrict y, void *memory, long long tick) {
  const moon_lander_states *x = (const void *)states;
  moon_lander *m = memory;
  (void)tick;
  double v1 = m->Burn_value + (m->Burn_slope * (t - m->Burn_since));
  y[1] = x->Speed_x; /* /Altitude */
  y[0] = ((300.0 * v1) / (15.0 + x->Fuel_x)) - 5.0; /* /Speed */
  y[2] = (-2.0) * v1; /* /Fuel */
}

void moon_lander_outputs(double t, const double *states, double *y, void *memory, long long tick) {
  const moon_lander_states *x = (const void *)states;
  moon_lander *m = memory;
  (void)t; (void)y; (void)tick;
  m->speed = x->Speed_x; /* /speed */
  m->altitude = x->Altitude_x; /* /altitude */
  m->fuel = x->Fuel_x; /* /fuel */
  m->status = ((0.0 < x->Altitude_x) ? 0.0 : (((-5.0) <= x->Speed_x) ? 1.0 : 2.0)); /* /status */
}

void moon_lander_on_Burn(double t, const double *states, double *y, void *memory, long long tick) {
  moon_lander *m = memory;
  (void)states; (void)y; (void)tick;
  m->Burn_value = m->Burn_next; /* /Burn.value */
  m->Burn_slope = m->Burn_next_slope; /* /Burn.slope */
  m->Burn_since = t; /* /Burn.since */
}

static void moon_lander_assertions(double t, const double *restrict states, double *restrict y, void *memory, long long tick) {
  const moon_lander_states *x = (const void *)states;
  moon_lander *m = memory;
  (void)tick;
  double v1 = m->Burn_value + (m->Burn_slope * (t - m->Burn_since));
  double v2 = ((300.0 * v1) / (15.0 + x->Fuel_x)) - 5.0;
  y[0] = (double)((!(v2 != v2)) || ((v1 != v1) || (x->Fuel_x != x->Fuel_x))); /* /Acceleration */
}

static void moon_lander_tried_assertions(double t, const double *restrict states, double *restrict y, void *memory, long long tick) {
  (void)states; (void)memory; (void)t; (void)tick;
  y[0] = 1.0; /* /Acceleration */
}

static void moon_lander_assertion_values(double t, const double *restrict states, double *restrict y, void *memory, long long tick) {
  const moon_lander_states *x = (const void *)states;
  moon_lander *m = memory;
  (void)tick;
  double v1 = (300.0 * (m->Burn_value + (m->Burn_slope * (t - m->Burn_since)))) / (15.0 + x->Fuel_x);
  y[0] = ((v1 != v1) ? 0.0 : 1.0); /* /Acceleration */
}

