// SPDX-License-Identifier: Apache-2.0
// Models a1 to c2 over the Dormand–Prince loop, or as plain loops over ticks.
#include "reference_models.h"

#include <math.h>
#include <string.h>

#include "reference_dp5.h"

static struct reference_result run_smooth(int n, dp5_rhs rhs, double* x0, double tolerance[2], double t_end,
                                          int shown) {
  struct dp5 s;
  dp5_open(&s, n, rhs, NULL, tolerance[0], tolerance[1], t_end);
  dp5_start(&s, 0, x0);
  while (s.t < t_end && dp5_step(&s, t_end) == 0) {
  }
  const struct reference_result result = {s.y[shown], s.steps, 0};
  dp5_close(&s);
  return result;
}

/* 1 / (1 + 0.1 s) with the state of a transfer function in controller form: y = 10 x. */
static void lags_200(double t, const double* x, double* dx, void* data) {
  (void)data;
  double u = sin(t);
  for (int i = 0; i < 200; ++i) {
    dx[i] = u - 10 * x[i];
    u = 10 * x[i];
  }
}
static void lags_100(double t, const double* x, double* dx, void* data) {
  (void)data;
  double u = sin(t);
  for (int i = 0; i < 100; ++i) {
    dx[i] = 10 * (u - x[i]);
    u = x[i];
  }
}

struct reference_result reference_a1(void) {
  double x[200] = {0}, tolerance[2] = {1e-6, 1e-6};
  return run_smooth(200, lags_200, x, tolerance, 100, 0);
}
struct reference_result reference_a2(void) {
  double x[100] = {0}, tolerance[2] = {1e-6, 1e-6};
  return run_smooth(100, lags_100, x, tolerance, 100, 0);
}

void reference_lorenz_rhs(double t, const double* x, double* dx, void* data) {
  (void)t, (void)data;
  dx[0] = 10 * (x[1] - x[0]);
  dx[1] = 28 * x[0] - x[1] - x[0] * x[2];
  dx[2] = x[0] * x[1] - 8.0 / 3 * x[2];
}
struct reference_result reference_lorenz(double t_end, double rtol, double atol) {
  double x[3] = {1, 1, 1}, tolerance[2] = {rtol, atol};
  return run_smooth(3, reference_lorenz_rhs, x, tolerance, t_end, 0);
}
struct reference_result reference_a3(void) {
  return reference_lorenz(1000, 1e-8, 1e-8);
}

/* Delays followed by gains, all at one rate: what was held moves on by one place. */
static void shift(double* z, double input, int n) {
  for (int i = n - 1; i > 0; --i) z[i] = 0.999 * z[i - 1];
  z[0] = input;
}

/* A function of its own for each tick, as any program that calls a model has it. */
static __attribute__((noipa)) void tick_b1(double t, double* z) {
  (void)t;
  shift(z, 1, 100);
}

struct reference_result reference_b1(void) {
  double z[100] = {0};
  for (long tick = 0; tick <= 100000; ++tick) tick_b1((double)tick / 1000, z);
  return (struct reference_result){z[99], 0, 100001};
}

static __attribute__((noipa)) void tick_b2(double t, double* z, long tick) {
  (void)t;
  const double into_second = 0.999 * z[49], into_third = 0.999 * z[79];
  shift(z, 1, 50);
  if (tick % 2 == 0) shift(z + 50, into_second, 30);
  if (tick % 10 == 0) shift(z + 80, into_third, 20);
}

struct reference_result reference_b2(void) {
  double z[100] = {0};
  for (long tick = 0; tick <= 100000; ++tick) tick_b2((double)tick / 1000, z, tick);
  return (struct reference_result){z[99], 0, 100001};
}

static __attribute__((noipa)) void tick_b3(double t, double* z) {
  (void)t;
  *z = *z + 1;
}

struct reference_result reference_b3(void) {
  double z = 0;
  for (long tick = 0; tick <= 1000000; ++tick) tick_b3((double)tick / 1000, &z);
  return (struct reference_result){z, 0, 1000001};
}

/* The zero of component i on the dense output of the last step: regula falsi in its Illinois form. */
static double locate(struct dp5* s, int i, double from, double g_from, double tolerance, double* x) {
  double lo = from, hi = s->t, g_lo = g_from, g_hi = s->y[i];
  for (int side = 0; hi - lo > tolerance;) {
    double t = lo + (hi - lo) * (g_lo / (g_lo - g_hi));
    const double margin = fmin(0.5 * tolerance, 0.25 * (hi - lo));
    t = fmin(fmax(t, lo + margin), hi - margin);
    if (t <= lo || t >= hi) break;
    dp5_interpolate(s, t, x);
    if ((x[i] > 0) == (g_from > 0) && x[i] != 0) {
      lo = t, g_lo = x[i];
      if (side < 0) g_hi *= 0.5;
      side = -1;
    } else {
      hi = t, g_hi = x[i];
      if (side > 0) g_lo *= 0.5;
      side = 1;
    }
  }
  return hi;
}

static void fall(double t, const double* x, double* dx, void* data) {
  (void)t, (void)data;
  dx[0] = x[1];
  dx[1] = -9.81;
}

struct reference_result reference_c1(void) {
  const double t_end = 28560, tolerance = 4 * 2.220446049250313e-16 * t_end;
  double x[2] = {10, 0};
  struct dp5 s;
  long bounces = 0;
  dp5_open(&s, 2, fall, NULL, 1e-8, 1e-8, t_end);
  dp5_start(&s, 0, x);
  while (s.t < t_end && dp5_step(&s, t_end) == 0) {
    if (s.y[0] > 0) continue;
    /* A step that starts on the ground, or a rounding below it, begins its search above it. */
    double from = s.t_old, g = s.x[0];
    for (double part = 1e-6; !(g > 0); part *= 2) {
      from = s.t_old + part * s.h;
      dp5_interpolate(&s, from, x);
      g = x[0];
    }
    const double t = locate(&s, 0, from, g, tolerance, x);
    dp5_interpolate(&s, t, x);
    x[1] = -x[1];
    ++bounces;
    dp5_start(&s, t, x);
  }
  const struct reference_result result = {s.y[1], s.steps, bounces};
  dp5_close(&s);
  return result;
}

static void oscillators(double t, const double* x, double* dx, void* data) {
  (void)t;
  const double* square = data;
  for (int i = 0; i < 20; ++i) {
    dx[2 * i] = x[2 * i + 1];
    dx[2 * i + 1] = -square[i] * x[2 * i];
  }
}

/* Zeros of component i on the part from `from` to `to` of the last step, where its polynomial has Bernstein's
   coefficients c: none where they have one sign, one where they change it once, else halves (de Casteljau). */
static long zeros_of(struct dp5* s, int i, const double* c, double from, double to, double tolerance, double* x) {
  int changes = 0;
  for (int j = 1; j < 5; ++j) changes += (c[j] > 0) != (c[j - 1] > 0);
  if (changes == 0) return 0;
  if (changes == 1 && to == s->t) {
    locate(s, i, from, c[0], tolerance, x);
    return 1;
  }
  if (to - from <= tolerance) return changes % 2;
  double b[5], left[5], right[5];
  memcpy(b, c, sizeof b);
  for (int k = 0; k < 5; ++k) {
    left[k] = b[0], right[4 - k] = b[4 - k];
    for (int j = 0; j < 4 - k; ++j) b[j] = 0.5 * (b[j] + b[j + 1]);
  }
  const double middle = 0.5 * (from + to);
  return zeros_of(s, i, left, from, middle, tolerance, x) + zeros_of(s, i, right, middle, to, tolerance, x);
}

/* As Orrery does: the polynomial through values at the quarters of a step decides, not a change of sign at its ends. */
static double within_step(const struct dp5* s, int i, double a) {
  return s->x[i] + a * (s->d[i] + (1 - a) * (s->p[i] + a * (s->q[i] + (1 - a) * s->r[i])));
}

static long look_into_step(struct dp5* s, int i, double tolerance, double* x) {
  const double v0 = s->x[i], v1 = within_step(s, i, 0.25), v2 = within_step(s, i, 0.5), v3 = within_step(s, i, 0.75),
               v4 = s->y[i];
  const double c[5] = {v0, -13.0 / 12 * v0 + 4 * v1 - 3 * v2 + 4.0 / 3 * v3 - 0.25 * v4,
                       13.0 / 18 * (v0 + v4) - 32.0 / 9 * (v1 + v3) + 20.0 / 3 * v2,
                       -13.0 / 12 * v4 + 4 * v3 - 3 * v2 + 4.0 / 3 * v1 - 0.25 * v0, v4};
  return zeros_of(s, i, c, s->t_old, s->t, tolerance, x);
}

static struct reference_result count_oscillations(int looks) {
  const double t_end = 1000, tolerance = 4 * 2.220446049250313e-16 * t_end;
  double x[40] = {0}, square[20];
  long counters[20] = {0}, total = 0;
  for (int i = 0; i < 20; ++i) {
    const double w = 1.1 + 0.1 * i;
    square[i] = w * w;
    x[2 * i] = 1;
  }
  struct dp5 s;
  dp5_open(&s, 40, oscillators, square, 1e-8, 1e-8, t_end);
  dp5_start(&s, 0, x);
  while (s.t < t_end && dp5_step(&s, t_end) == 0) {
    /* Counting disturbs nothing, so the order of crossings inside a step does not matter. */
    if (looks) {
      if (!s.dense_ready) dp5_interpolate(&s, s.t, x);
      for (int i = 0; i < 20; ++i) counters[i] += look_into_step(&s, 2 * i, tolerance, x);
      continue;
    }
    for (int i = 0; i < 20; ++i) {
      if ((s.x[2 * i] > 0) == (s.y[2 * i] > 0)) continue;
      locate(&s, 2 * i, s.t_old, s.x[2 * i], tolerance, x);
      ++counters[i];
    }
  }
  for (int i = 0; i < 20; ++i) total += counters[i];
  const struct reference_result result = {(double)total, s.steps, total};
  dp5_close(&s);
  return result;
}

struct reference_result reference_c2(void) { return count_oscillations(0); }
struct reference_result reference_c2_looking(void) { return count_oscillations(1); }

/* A double integrator under a controller that holds its output over each millisecond. */
static void held(double t, const double* x, double* dx, void* data) {
  (void)t;
  dx[0] = x[1];
  dx[1] = *(const double*)data;
}

struct reference_result reference_sampled(double t_end) {
  double u = 0, x[2] = {1, 0};
  struct dp5 s;
  dp5_open(&s, 2, held, &u, 1e-6, 1e-6, t_end);
  const long ticks = lround(t_end * 1000);
  for (long tick = 0; tick < ticks; ++tick) {
    u = -4 * x[0] - 2 * x[1];
    dp5_start(&s, (double)tick / 1000, x);
    const double next = (double)(tick + 1) / 1000;
    while (s.t < next && dp5_step(&s, next) == 0) {
    }
    memcpy(x, s.y, sizeof x);
  }
  const struct reference_result result = {x[0], s.steps, ticks};
  dp5_close(&s);
  return result;
}

void reference_brusselator_rhs(double t, const double* x, double* dx, void* data) {
  (void)t;
  const int cells = *(const int*)data;
  const double d = 0.02 * (cells + 1) * (cells + 1);
  for (int i = 0; i < cells; ++i) {
    const double u = x[2 * i], v = x[2 * i + 1];
    const double u_left = i > 0 ? x[2 * i - 2] : 1, u_right = i < cells - 1 ? x[2 * i + 2] : 1;
    const double v_left = i > 0 ? x[2 * i - 1] : 3, v_right = i < cells - 1 ? x[2 * i + 3] : 3;
    const double uuv = u * u * v;
    dx[2 * i] = 1 + uuv - 4 * u + d * (u_left - 2 * u + u_right);
    dx[2 * i + 1] = 3 * u - uuv + d * (v_left - 2 * v + v_right);
  }
}
