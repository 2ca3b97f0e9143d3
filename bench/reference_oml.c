// SPDX-License-Identifier: Apache-2.0
// The scripts of bench/oml with loops, as somebody would write them by hand in C.
#include "reference_oml.h"

#include <math.h>
#include <stdlib.h>

static double fib(double n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

double reference_fib(void) {
  volatile double n = 24;
  return fib(n);
}

double reference_sum(void) {
  double s = 0;
  for (long k = 1; k <= 10000000; ++k) s = s + (double)k * 0.5;
  return s;
}

double reference_sieve(void) {
  const long n = 1000000;
  double* p = malloc(sizeof *p * (size_t)(n + 1));
  double sum = 0;
  for (long k = 1; k <= n; ++k) p[k] = 1;
  p[1] = 0;
  for (long k = 2; k * k <= n; ++k) {
    if (p[k] == 0) continue;
    for (long m = k * k; m <= n; m += k) p[m] = 0;
  }
  for (long k = 1; k <= n; ++k) sum += p[k];
  free(p);
  return sum;
}

double reference_fill(void) {
  const long n = 1000;
  double* a = calloc((size_t)(n * n), sizeof *a);
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) a[i + j * n] = (double)(i + 1) + 0.5 * (double)(j + 1);
  }
  for (long k = 0; k < n * n; ++k) sum += a[k];
  free(a);
  return sum;
}

double reference_mandelbrot(void) {
  double inside = 0;
  for (long row = 1; row <= 200; ++row) {
    for (long column = 1; column <= 300; ++column) {
      const double x0 = -2 + 3 * (double)column / 300, y0 = -1 + 2 * (double)row / 200;
      double x = 0, y = 0;
      int n = 0;
      while (n < 100 && x * x + y * y <= 4) {
        const double z = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = z;
        ++n;
      }
      if (n == 100) ++inside;
    }
  }
  return inside;
}

double reference_nbody(void) {
  enum { n = 5 };
  const double m[n] = {10, 1, 2, 0.5, 0.1}, h = 0.001;
  double x[n] = {0, 4, -7, 11, 15}, y[n] = {0, 0.5, 0, -1, 2}, u[n] = {0, 0.1, 0, 0.2, 0}, v[n] = {0, 1.5, -1.1, 0.9, 0.8};
  for (long step = 0; step < 20000; ++step) {
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) {
        const double dx = x[i] - x[j], dy = y[i] - y[j], d = dx * dx + dy * dy, f = h / (d * sqrt(d));
        u[i] = u[i] - dx * m[j] * f;
        v[i] = v[i] - dy * m[j] * f;
        u[j] = u[j] + dx * m[i] * f;
        v[j] = v[j] + dy * m[i] * f;
      }
    }
    for (int i = 0; i < n; ++i) x[i] = x[i] + h * u[i], y[i] = y[i] + h * v[i];
  }
  return x[0] + 2 * y[1] + 3 * x[2];
}
