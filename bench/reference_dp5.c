// SPDX-License-Identifier: Apache-2.0
// Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, sections II.4 to II.6, as plain loops.
#include "reference_dp5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double beta = 0.04, log_safety = -0.10536051565782628, log_floor = -18.420680743952367;

void dp5_open(struct dp5* s, int n, dp5_rhs rhs, void* data, double rtol, double atol, double t_end) {
  memset(s, 0, sizeof *s);
  s->n = n;
  s->rhs = rhs;
  s->data = data;
  s->rtol = rtol;
  s->atol = atol;
  s->t_end = t_end;
  s->hmax = t_end / 100;
  s->storage = calloc((size_t)n * 13, sizeof(double));
  double** const vectors[13] = {&s->x,    &s->y,    &s->k[0], &s->k[1], &s->k[2], &s->k[3], &s->k[4],
                                &s->k[5], &s->k[6], &s->d,    &s->p,    &s->q,    &s->r};
  for (int i = 0; i < 13; ++i) *vectors[i] = s->storage + (size_t)i * (size_t)n;
}

void dp5_close(struct dp5* s) { free(s->storage); }

void dp5_start(struct dp5* s, double t, const double* x) {
  memcpy(s->x, x, sizeof(double) * (size_t)s->n);
  s->t = s->t_old = t;
  s->have_step = 0;
  s->log_error = log_floor;
  s->rhs(t, s->x, s->k[0], s->data);
  ++s->evaluations;
}

static double norm(const struct dp5* s, const double* v, const double* minus) {
  double sum = 0;
  for (int i = 0; i < s->n; ++i) {
    const double ratio = (v[i] - (minus ? minus[i] : 0)) / (s->atol + s->rtol * fabs(s->x[i]));
    sum += ratio * ratio;
  }
  return sqrt(sum / s->n);
}

static double initial_step(struct dp5* s) {
  const double limit = fmin(s->t_end - s->t, s->hmax);
  const double size_x = norm(s, s->x, NULL), size_f = norm(s, s->k[0], NULL);
  double h = size_x < 1e-5 || size_f < 1e-5 ? 1e-6 : 0.01 * size_x / size_f;
  h = fmin(h, limit);
  for (int i = 0; i < s->n; ++i) s->y[i] = s->x[i] + h * s->k[0][i];
  s->rhs(s->t + h, s->y, s->k[1], s->data);
  ++s->evaluations;
  const double largest = fmax(norm(s, s->k[1], s->k[0]) / h, size_f);
  const double h1 = largest <= 1e-15 ? fmax(1e-6, h * 1e-3) : pow(0.01 / largest, 0.2);
  return fmin(fmin(100 * h, h1), limit);
}

/* All stages; returns the mean of the squared scaled errors. */
static double try_step(struct dp5* s, double h, double t_new) {
  const int n = s->n;
  const double t = s->t;
  const double* x = s->x;
  double* y = s->y;
  double *k1 = s->k[0], *k2 = s->k[1], *k3 = s->k[2], *k4 = s->k[3], *k5 = s->k[4], *k6 = s->k[5], *k7 = s->k[6];
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (1.0 / 5 * k1[i]);
  s->rhs(t + 1.0 / 5 * h, y, k2, s->data);
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (3.0 / 40 * k1[i] + 9.0 / 40 * k2[i]);
  s->rhs(t + 3.0 / 10 * h, y, k3, s->data);
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (44.0 / 45 * k1[i] + -56.0 / 15 * k2[i] + 32.0 / 9 * k3[i]);
  s->rhs(t + 4.0 / 5 * h, y, k4, s->data);
  for (int i = 0; i < n; ++i) {
    y[i] =
        x[i] + h * (19372.0 / 6561 * k1[i] + -25360.0 / 2187 * k2[i] + 64448.0 / 6561 * k3[i] + -212.0 / 729 * k4[i]);
  }
  s->rhs(t + 8.0 / 9 * h, y, k5, s->data);
  for (int i = 0; i < n; ++i) {
    y[i] = x[i] + h * (9017.0 / 3168 * k1[i] + -355.0 / 33 * k2[i] + 46732.0 / 5247 * k3[i] + 49.0 / 176 * k4[i] +
                       -5103.0 / 18656 * k5[i]);
  }
  s->rhs(t + h, y, k6, s->data);
  for (int i = 0; i < n; ++i) {
    y[i] = x[i] + h * (35.0 / 384 * k1[i] + 500.0 / 1113 * k3[i] + 125.0 / 192 * k4[i] + -2187.0 / 6784 * k5[i] +
                       11.0 / 84 * k6[i]);
  }
  s->rhs(t_new, y, k7, s->data);
  s->evaluations += 6;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double error = h * (71.0 / 57600 * k1[i] + -71.0 / 16695 * k3[i] + 71.0 / 1920 * k4[i] +
                              -17253.0 / 339200 * k5[i] + 22.0 / 525 * k6[i] + -1.0 / 40 * k7[i]);
    const double a = fabs(x[i]), b = fabs(y[i]);
    const double ratio = error / (s->atol + s->rtol * (a > b ? a : b));
    sum += ratio * ratio;
  }
  return sum / n;
}

static void swap(double** a, double** b) {
  double* const c = *a;
  *a = *b;
  *b = c;
}

int dp5_step(struct dp5* s, double t_stop) {
  if (s->have_step) {
    swap(&s->x, &s->y);
    swap(&s->k[0], &s->k[6]);
  }
  s->have_step = s->dense_ready = 0;
  s->t_old = s->t;
  if (s->h_next <= 0) s->h_next = initial_step(s);
  const double exponent = 0.2 - 0.75 * beta;
  double h = fmin(s->h_next, s->hmax);
  for (int rejected = 0;; rejected = 1) {
    const double wanted = h, remaining = t_stop - s->t;
    const int last = remaining <= 1.01 * h;
    if (last) h = remaining;
    const double t_new = last ? t_stop : s->t + h;
    const double squared = try_step(s, h, t_new);
    if (!(squared <= 1)) {
      ++s->rejected;
      h *= fmax(0.2, exp(log_safety - 0.5 * exponent * log(squared)));
      if (!(h > 1e-15 * fabs(s->t))) return -1;
      continue;
    }
    ++s->steps;
    const double log_error = log(squared);
    double factor = exp(log_safety + 0.5 * (beta * s->log_error - exponent * log_error));
    factor = fmin(fmax(factor, 0.2), rejected ? 1 : 10);
    const int cut = last && h < wanted;
    s->h_next = cut && factor >= 1 ? fmax(wanted, h * factor) : h * factor;
    if (!cut) s->log_error = fmax(log_error, log_floor);
    s->h = h;
    s->t = t_new;
    s->have_step = 1;
    return 0;
  }
}

static void prepare_dense(struct dp5* s) {
  const double h = s->h;
  for (int i = 0; i < s->n; ++i) {
    s->d[i] = s->y[i] - s->x[i];
    s->p[i] = h * s->k[0][i] - s->d[i];
    s->q[i] = s->d[i] - h * s->k[6][i] - s->p[i];
    s->r[i] = h * (-12715105075.0 / 11282082432.0 * s->k[0][i] + 87487479700.0 / 32700410799.0 * s->k[2][i] +
                   -10690763975.0 / 1880347072.0 * s->k[3][i] + 701980252875.0 / 199316789632.0 * s->k[4][i] +
                   -1453857185.0 / 822651844.0 * s->k[5][i] + 69997945.0 / 29380423.0 * s->k[6][i]);
  }
  s->dense_ready = 1;
}

void dp5_interpolate(struct dp5* s, double t, double* x) {
  if (!s->dense_ready) prepare_dense(s);
  const double a = (t - s->t_old) / s->h;
  for (int i = 0; i < s->n; ++i) {
    x[i] = s->x[i] + a * (s->d[i] + (1 - a) * (s->p[i] + a * (s->q[i] + (1 - a) * s->r[i])));
  }
}
