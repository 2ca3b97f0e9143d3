// SPDX-License-Identifier: Apache-2.0
// A chain of twenty nonlinear equations by the classical Runge-Kutta method, as somebody writes it by hand.
#include <math.h>

enum { size = 20 };

static void rates(const double* x, double* d) {
  for (int i = 0; i < size; ++i) {
    const double next = x[i + 1 < size ? i + 1 : 0];
    d[i] = sin(next) - 0.1 * x[i] * x[i] * x[i] + 0.01 * next * x[i];
  }
}

double reference_program(long steps, double h) {
  double x[size], k1[size], k2[size], k3[size], k4[size], y[size];
  for (int i = 0; i < size; ++i) x[i] = 0.1 * (i + 1);
  for (long s = 0; s < steps; ++s) {
    rates(x, k1);
    for (int i = 0; i < size; ++i) y[i] = x[i] + h / 2 * k1[i];
    rates(y, k2);
    for (int i = 0; i < size; ++i) y[i] = x[i] + h / 2 * k2[i];
    rates(y, k3);
    for (int i = 0; i < size; ++i) y[i] = x[i] + h * k3[i];
    rates(y, k4);
    for (int i = 0; i < size; ++i) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return x[0];
}
