// SPDX-License-Identifier: MIT-0
/* The sizes of steps and errors. A part of orrery_rt.c. */

/* Logarithm and exponential to four digits: a step-size controller needs no more. */
static double orr_rough_log(double x) {
  union {
    double d;
    unsigned long long u;
  } bits;
  double exponent, m, m2, low, middle, high;
  if (x == 0) return -INFINITY;
  if (!(x >= DBL_MIN && x <= DBL_MAX)) return log(x);
  bits.d = x;
  exponent = (double)((int)(bits.u >> 52) - 1023);
  bits.u = (bits.u & 0xFFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL;
  m = bits.d - 1;
  m2 = m * m;
  low = 1.1447097560638227e-05 + 0.9991664010110767 * m;
  middle = -0.48969909032090564 + 0.2838231830655234 * m;
  high = -0.1299571976584902 + 0.029808765243546812 * m;
  return (0.6931471805599453 * exponent + low) + m2 * (middle + m2 * high);
}

static double orr_rough_exp(double x) {
  union {
    double d;
    unsigned long long u;
  } bits, whole;
  const double to_integer = 6755399441055744.0;
  double doublings, f, f2, low, mantissa;
  if (x == INFINITY) return x;
  if (!(x > -700 && x < 700)) return exp(x);
  doublings = x * 1.4426950408889634;
  bits.d = doublings + to_integer;
  f = doublings - (bits.d - to_integer);
  f2 = f * f;
  low = 1 + 0.693121045203427 * f;
  mantissa = low + f2 * (0.24022349038020302 + 0.05592197584225635 * f + 0.009666368515388303 * f2);
  whole.d = to_integer;
  whole.u = (bits.u - whole.u + 1023) << 52;
  return mantissa * whole.d;
}

static double orr_smallest_step(const orr_run *r, double t) {
  return orr_max(orr_max(r->options.hmin, 4 * DBL_EPSILON * fabs(t)), DBL_MIN);
}

/* Two sums, as the simulator has them for many states. */
static double orr_squared_error(const orr_run *r, double h) {
  const int n = r->model->states, odd = n <= 8 ? 0 : 1;
  const double *restrict a = r->at.k[0], *restrict c = r->at.k[2], *restrict d = r->at.k[3], *restrict e = r->at.k[4],
               *restrict f = r->at.k[5], *restrict g = r->at.k[6];
  const double *begin = r->at.begin, *end = r->at.end, *tolerance = r->at.tolerance, rtol = r->rtol;
  double sum = 0, other = 0;
  for (int i = 0; i < n; ++i) {
    const double error = h * (71.0 / 57600 * a[i] + -71.0 / 16695 * c[i] + 71.0 / 1920 * d[i] +
                              -17253.0 / 339200 * e[i] + 22.0 / 525 * f[i] + -1.0 / 40 * g[i]);
    const double y = end[i], before = fabs(begin[i]), after = fabs(y);
    const double ratio = error / (tolerance[i] + rtol * (before > after ? before : after));
    if (i & odd)
      other += ratio * ratio + 0.0 * y;
    else
      sum += ratio * ratio + 0.0 * y;
  }
  return (odd == 0 ? sum : sum + other) * (1.0 / (double)n);
}

static double orr_size(const orr_run *r, const double *value, const double *minus) {
  const int n = r->model->states;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double v = minus ? value[i] - minus[i] : value[i];
    const double ratio = v / (r->at.tolerance[i] + r->rtol * fabs(r->at.begin[i]));
    sum += ratio * ratio;
  }
  return sqrt(sum / (double)n);
}

static double orr_initial_step(orr_run *r, double limit_time) {
  const int n = r->model->states;
  const double limit = orr_min(orr_max(r->options.stop, limit_time) - r->step_begin, r->longest);
  const double size_x = orr_size(r, r->at.begin, NULL), size_f = orr_size(r, r->at.k[0], NULL);
  double h = size_x < 1e-5 || size_f < 1e-5 ? 1e-6 : 0.01 * size_x / size_f, curvature, largest, h1, chosen;
  if (r->options.hinit > 0) return r->options.hinit;
  h = orr_max(orr_min(h, limit), orr_smallest_step(r, r->step_begin));
  for (int i = 0; i < n; ++i) r->at.end[i] = r->at.begin[i] + h * r->at.k[0][i];
  if (orr_trial_derivative(r, r->step_begin + h, r->at.end, r->at.k[1]) != 0) return h;
  curvature = orr_size(r, r->at.k[1], r->at.k[0]) / h;
  largest = orr_max(curvature, size_f);
  h1 = largest <= 1e-15 ? orr_max(1e-6, h * 1e-3) : pow(0.01 / largest, 1.0 / 5);
  chosen = orr_min(orr_min(100 * h, h1), limit);
  return isfinite(chosen) && chosen > 0 ? chosen : h;
}

static const char orr_not_defined[] = "the derivative cannot be evaluated, or is not finite, within the step";
