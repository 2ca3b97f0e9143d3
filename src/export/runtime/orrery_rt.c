// SPDX-License-Identifier: MIT-0
/* Runs an exported model as Orrery does: events in their order, steps of fixed or variable size, zero-crossings.
 *
 * What happens and in which order is the law of docs/semantics.md of Orrery; the arithmetic is that of its simulator,
 * operation by operation. Compile without contraction and without fast-math for the same bits. */
#include "orrery_rt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ORR_TICK_ORDER (1LL << 50)   /* a tick counts as programmed when its instant begins */
#define ORR_WITHIN_INSTANT (1LL << 51)
#define ORR_MOST_EVENTS 100000       /* in one instant */

/* Small things. */

static double orr_max(double a, double b) { return a < b ? b : a; }
static double orr_min(double a, double b) { return b < a ? b : a; }
static double orr_clamp(double a, double low, double high) { return a < low ? low : a > high ? high : a; }
static int orr_sign(double a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
static double *orr_states(orr_run *r) { return (double *)(void *)r->memory; }
static int orr_at_stop(const orr_run *r) { return r->t >= r->options.stop - r->time_tolerance; }

static int orr_say(orr_run *r, int severity, const char *path, const char *text) {
  if (r->listener.say) r->listener.say(r->listener.user, r, severity, path, text);
  return ORR_FAILED;
}

/* Each "{}" of the text becomes the next of the values. */
static void orr_fill_in(char *out, size_t room, const char *text, const double *values, int count) {
  size_t n = 0;
  while (*text && n + 1 < room) {
    if (text[0] == '{' && text[1] == '}' && count > 0) {
      int written = *values != *values ? snprintf(out + n, room - n, "NaN") : snprintf(out + n, room - n, "%.6g", *values);
      n = orr_min((double)(n + (size_t)(written > 0 ? written : 0)), (double)(room - 1)) >= (double)(room - 1)
              ? room - 1
              : n + (size_t)(written > 0 ? written : 0);
      ++values;
      --count;
      text += 2;
    } else {
      out[n++] = *text++;
    }
  }
  out[n] = 0;
}

static int orr_tell(orr_run *r, int severity, const char *path, const char *text, const double *values, int count) {
  char filled[512];
  orr_fill_in(filled, sizeof filled, text, values, count);
  return orr_say(r, severity, path, filled);
}

/* By element type. */
static size_t orr_width(int type) {
  static const unsigned char widths[] = {8, 8, 1, 2, 4, 1, 2, 4, 1};
  return widths[type];
}

double orr_number(const orr_model *model, const void *memory, size_t offset, int type) {
  const unsigned char *at = (const unsigned char *)memory + offset;
  (void)model;
  switch (type) {
    case ORR_I8: return *(const signed char *)at;
    case ORR_I16: return *(const short *)(const void *)at;
    case ORR_I32: return *(const int *)(const void *)at;
    case ORR_U8:
    case ORR_BOOLEAN: return *at;
    case ORR_U16: return *(const unsigned short *)(const void *)at;
    case ORR_U32: return *(const unsigned int *)(const void *)at;
    default: return *(const double *)(const void *)at;
  }
}

/* Cut off and held within the range of the type. */
static double orr_whole(double value, double lowest, double highest) {
  if (value != value) return 0;
  return value <= lowest ? lowest : value >= highest ? highest : trunc(value);
}

static void orr_store(unsigned char *at, int type, double value) {
  switch (type) {
    case ORR_I8: *(signed char *)at = (signed char)orr_whole(value, -128, 127); break;
    case ORR_I16: *(short *)(void *)at = (short)orr_whole(value, -32768, 32767); break;
    case ORR_I32: *(int *)(void *)at = (int)orr_whole(value, -2147483648.0, 2147483647.0); break;
    case ORR_U8: *at = (unsigned char)orr_whole(value, 0, 255); break;
    case ORR_BOOLEAN: *at = value != 0; break;
    case ORR_U16: *(unsigned short *)(void *)at = (unsigned short)orr_whole(value, 0, 65535); break;
    case ORR_U32: *(unsigned int *)(void *)at = (unsigned int)orr_whole(value, 0, 4294967295.0); break;
    default: *(double *)(void *)at = value; break;
  }
}

/* Loops: Newton's iteration with damping (Deuflhard, Newton Methods for Nonlinear Problems, section 3.3). */

static double orr_norm(const orr_run *r, const double *v, int n) {
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    const double ratio = fabs(v[i]) / (fabs(r->at.z[i]) + 1e-6);
    if (!(ratio <= largest)) largest = ratio;
  }
  return largest;
}

static int orr_residual(orr_run *r, const orr_loop *loop, double t, const double *x, const double *offset,
                        const double *z, double *y) {
  int finite = 1;
  for (int i = 0; i < loop->unknowns; ++i) *(double *)(void *)(r->memory + loop->offset[i]) = z[i];
  loop->residual(t, x, y, r->memory, r->tick);
  for (int i = 0; i < loop->unknowns; ++i) {
    if (offset) y[i] -= offset[i];
    finite = finite && isfinite(y[i]);
  }
  return finite;
}

static int orr_factor(orr_run *r, const orr_loop *loop, double t, const double *x) {
  const int n = loop->unknowns;
  double *a = r->at.matrix;
  for (int i = 0; i < n * n; ++i) a[i] = 0;
  if (loop->jacobian) {
    for (int i = 0; i < n; ++i) *(double *)(void *)(r->memory + loop->offset[i]) = r->at.z[i];
    loop->jacobian(t, x, r->at.entries, r->memory, r->tick);
    for (int e = 0; e < loop->entries; ++e) a[loop->row[e] + loop->column[e] * n] -= r->at.entries[e];
  } else {
    for (int i = 0; i < n; ++i) r->at.next[i] = r->at.z[i];
    for (int c = 0; c < n; ++c) {
      const double step = 1e-6 * orr_max(fabs(r->at.z[c]), 1e-3);
      r->at.next[c] = r->at.z[c] + step;
      orr_residual(r, loop, t, x, NULL, r->at.next, r->at.next_residual);
      r->at.next[c] = r->at.z[c] - step;
      orr_residual(r, loop, t, x, NULL, r->at.next, r->at.check);
      r->at.next[c] = r->at.z[c];
      for (int i = 0; i < n; ++i) a[i + c * n] -= (r->at.next_residual[i] - r->at.check[i]) / (2 * step);
    }
  }
  for (int i = 0; i < n; ++i) a[i + i * n] += 0.0;
  for (int k = 0; k < n; ++k) {
    double *column = a + k * n;
    int p = k;
    double largest = fabs(column[k]);
    for (int i = k + 1; i < n; ++i) {
      if (fabs(column[i]) > largest) {
        largest = fabs(column[i]);
        p = i;
      }
    }
    r->at.pivot[k] = p;
    if (!(largest > 0) || !isfinite(largest)) return 0;
    if (p != k) {
      const double swap = column[k];
      column[k] = column[p];
      column[p] = swap;
    }
    r->at.inverse[k] = 1 / column[k];
    for (int i = k + 1; i < n; ++i) column[i] = column[i] * r->at.inverse[k];
    for (int j = k + 1; j < n; ++j) {
      double *other = a + j * n;
      if (p != k) {
        const double swap = other[k];
        other[k] = other[p];
        other[p] = swap;
      }
      if (fabs(other[k]) == 0) continue;
      for (int i = k + 1; i < n; ++i) other[i] -= column[i] * other[k];
    }
  }
  return 1;
}

static void orr_back(const orr_run *r, int n, double *b) {
  const double *a = r->at.matrix;
  for (int k = 0; k < n; ++k) {
    const int p = (int)r->at.pivot[k];
    if (p != k) {
      const double swap = b[k];
      b[k] = b[p];
      b[p] = swap;
    }
    for (int i = k + 1; i < n; ++i) b[i] -= a[i + k * n] * b[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    b[k] = b[k] * r->at.inverse[k];
    for (int i = 0; i < k; ++i) b[i] -= a[i + k * n] * b[k];
  }
}

static int orr_newton(orr_run *r, const orr_loop *loop, double t, const double *x, const double *offset, int limit) {
  const double quadratic = 1e-9, stagnation = 1e-7;
  const int n = loop->unknowns;
  double before = INFINITY;
  if (!orr_residual(r, loop, t, x, offset, r->at.z, r->at.residual)) return 0;
  for (int k = 0; k < limit; ++k) {
    int solved = 1, moved = 0;
    double size;
    for (int i = 0; i < n; ++i) solved = solved && r->at.residual[i] == 0;
    if (solved) return 1;
    if (!orr_factor(r, loop, t, x)) return 0;
    for (int i = 0; i < n; ++i) r->at.move[i] = r->at.residual[i];
    orr_back(r, n, r->at.move);
    size = orr_norm(r, r->at.move, n);
    if (!isfinite(size)) return 0;
    if (size >= 0.5 * before && size < stagnation) return 1;
    for (double length = 1; length > 1e-6 && !moved; length *= 0.5) {
      for (int i = 0; i < n; ++i) r->at.next[i] = r->at.z[i] + length * r->at.move[i];
      if (!orr_residual(r, loop, t, x, offset, r->at.next, r->at.next_residual)) continue;
      if (size > quadratic) {
        double norm;
        for (int i = 0; i < n; ++i) r->at.check[i] = r->at.next_residual[i];
        orr_back(r, n, r->at.check);
        norm = orr_norm(r, r->at.check, n);
        if (!(norm <= (1 - 0.5 * length) * size) && !(norm < stagnation)) continue;
      }
      for (int i = 0; i < n; ++i) {
        r->at.z[i] = r->at.next[i];
        r->at.residual[i] = r->at.next_residual[i];
      }
      moved = 1;
    }
    if (!moved) return size < stagnation;
    if (size < quadratic && (k == 0 || size < 0.1 * before)) return 1;
    before = size;
  }
  return 0;
}

/* r(z) = (1 - s) r(guess) from s = 0, where the guess is the solution, to s = 1. */
static int orr_follow(orr_run *r, const orr_loop *loop, double t, const double *x) {
  const int n = loop->unknowns;
  double s = 0, step = 0.1;
  for (int i = 0; i < n; ++i) r->at.z[i] = r->at.last_z[i] = r->at.guess[i];
  if (!orr_residual(r, loop, t, x, NULL, r->at.z, r->at.start_residual)) return 0;
  while (s < 1) {
    const double target = orr_min(1.0, s + step);
    for (int i = 0; i < n; ++i) r->at.offset[i] = (1 - target) * r->at.start_residual[i];
    if (orr_newton(r, loop, t, x, r->at.offset, 12)) {
      s = target;
      step *= 2;
      for (int i = 0; i < n; ++i) r->at.last_z[i] = r->at.z[i];
    } else {
      step *= 0.25;
      for (int i = 0; i < n; ++i) r->at.z[i] = r->at.last_z[i];
      if (step < 1e-5) return 0;
    }
  }
  return 1;
}

static int orr_search(orr_run *r, const orr_loop *loop, double t, const double *x) {
  static const double parts[] = {0.5, 0.1, 0.01, 0.0}, shifts[] = {1e-2, 0.5};
  const int n = loop->unknowns;
  if (orr_newton(r, loop, t, x, NULL, 50)) return 1;
  if (!orr_residual(r, loop, t, x, NULL, r->at.guess, r->at.residual)) {
    for (int p = 0; p < 4; ++p) {
      for (int i = 0; i < n; ++i) r->at.z[i] = parts[p] * r->at.guess[i];
      if (orr_newton(r, loop, t, x, NULL, 50)) return 1;
    }
  }
  for (int p = 0; p < 2; ++p) {
    for (int i = 0; i < n; ++i)
      r->at.z[i] = r->at.guess[i] + shifts[p] * (1 + 0.3 * (double)(i % 3)) * (1 + fabs(r->at.guess[i]));
    if (orr_newton(r, loop, t, x, NULL, 50)) return 1;
  }
  return orr_follow(r, loop, t, x);
}

/* Solves loops in order, for the states x; the memory holds the guesses and receives the solutions. */
static int orr_solve(orr_run *r, const int *loops, int count, double t, const double *x) {
  for (int k = 0; k < count; ++k) {
    const orr_loop *loop = &r->model->loop[loops[k]];
    int found;
    for (int i = 0; i < loop->unknowns; ++i) {
      r->at.z[i] = *(double *)(void *)(r->memory + loop->offset[i]);
      if (!isfinite(r->at.z[i])) r->at.z[i] = 0;
      r->at.guess[i] = r->at.z[i];
    }
    found = orr_search(r, loop, t, x);
    for (int i = 0; i < loop->unknowns; ++i)
      *(double *)(void *)(r->memory + loop->offset[i]) = found ? r->at.z[i] : r->at.guess[i];
    if (!found) {
      r->loops_failed = 1 + loops[k];
      return 0;
    }
  }
  return 1;
}

/* The model at a time and states. */

static void orr_clear_trouble(orr_run *r) {
  if (r->model->trouble != ORR_NONE) memset(r->memory + r->model->trouble, 0, sizeof(orr_trouble));
}

static int orr_troubled(const orr_run *r) {
  return r->model->trouble != ORR_NONE &&
         ((const orr_trouble *)(const void *)(r->memory + r->model->trouble))->site != 0;
}

static int orr_report_trouble(orr_run *r) {
  const orr_trouble *e = (const orr_trouble *)(const void *)(r->memory + r->model->trouble);
  const int known = e->site > 0 && e->site <= r->model->sites;
  const char *text = known ? r->model->site[e->site - 1].text : "";
  double values[2];
  values[0] = e->index + 1;
  values[1] = (double)e->length;
  return orr_tell(r, ORR_ERROR, known ? r->model->site[e->site - 1].path : "",
                  text[0] ? text : "the index {} is outside 1 to {}", values, 2);
}

/* 0: ok; 1: not here. */
static int orr_derivative(orr_run *r, double t, const double *x, double *dx) {
  const orr_model *m = r->model;
  if (m->derivative_loops > 0 && !orr_solve(r, m->derivative_loop, m->derivative_loops, t, x)) {
    if (!m->fixed_step) r->loops_failed = 0;
    return 1;
  }
  orr_clear_trouble(r);
  if (m->derivatives) m->derivatives(t, x, dx, r->memory, 0);
  if (m->assertion_count > 0 && !m->fixed_step) {
    double *y = r->at.results;
    if (m->assertion_loops > 0 && !orr_solve(r, m->assertion_loop, m->assertion_loops, t, x)) return 1;
    m->tried_assertions(t, x, y, r->memory, 0);
    for (int k = 0; k < m->assertion_count; ++k) {
      if (y[k] == 0 && !m->assertion[k].only_warns) return 1;
    }
  }
  return orr_troubled(r);
}

static int orr_finite(const double *x, int n) {
  double zero = 0;
  for (int i = 0; i < n; ++i) zero += 0 * x[i];
  return zero == 0;
}

/* The states just after this instant, by a step of Heun's method as long as what counts as simultaneous. */
static double orr_look_ahead(orr_run *r) {
  const int n = r->model->states;
  const double h = 1.25 * r->coincidence;
  double *x = r->at.ahead, *now = orr_states(r), *slope = r->at.slope, *ahead = r->at.slope_ahead;
  for (int k = 0; k < n; ++k) x[k] = now[k];
  if (orr_derivative(r, r->t, now, slope) != 0) return r->t + h;
  for (int k = 0; k < n; ++k) x[k] += h * slope[k];
  if (!orr_finite(x, n) || orr_derivative(r, r->t + h, x, ahead) != 0) {
    for (int k = 0; k < n; ++k) ahead[k] = slope[k];
  }
  for (int k = 0; k < n; ++k) {
    const double move = 0.5 * h * (slope[k] + ahead[k]);
    const double rounding = 20 * DBL_EPSILON * fabs(now[k]);
    x[k] = move != 0 && isfinite(move) ? now[k] + copysign(orr_max(fabs(move), rounding), move) : now[k];
  }
  return r->t + h;
}

/* Explicit Runge-Kutta methods: Euler, Heun, Kutta's of order 4, Dormand and Prince's of order 5. Hairer, Norsett, Wanner:
 * Solving Ordinary Differential Equations I, tables II.1.2 and II.5.2. */

typedef struct {
  int stages;
  double c[6], a[6][6], b[6];
} orr_table;

static const orr_table orr_tables[] = {
    {1, {0}, {{0}}, {1}},
    {2, {0, 1}, {{0}, {1}}, {0.5, 0.5}},
    {4, {0, 0.5, 0.5, 1}, {{0}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
    {6,
     {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1},
     {{0},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
     {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
};
static const double orr_error[7] = {71.0 / 57600,      0,           -71.0 / 16695, 71.0 / 1920,
                                    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static const double orr_dense[7] = {-12715105075.0 / 11282082432.0,  0,
                                    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                    69997945.0 / 29380423.0};

static const orr_table *orr_table_of(const orr_run *r) {
  return &orr_tables[r->options.solver == ORR_DOPRI ? ORR_RK5 : r->options.solver];
}

/* Those of the stages whose weights are not zero. */
typedef struct {
  int count;
  double w[7];
  const double *k[7];
} orr_terms;

static orr_terms orr_terms_of(const double *weights, int count, double *const *k) {
  orr_terms t = {0, {0}, {0}};
  for (int j = 0; j < count; ++j) {
    if (weights[j] == 0) continue;
    t.w[t.count] = weights[j];
    t.k[t.count++] = k[j];
  }
  return t;
}

/* to[i] = from[i] + h times the sum of w[j] k[j][i], from the left; written out, so that compilers see the loops. */
static void orr_add_terms(double *restrict to, const double *restrict from, const orr_terms *t, double h, int n) {
  const double *restrict a = t->k[0], *restrict b = t->k[1], *restrict c = t->k[2], *restrict d = t->k[3],
               *restrict e = t->k[4], *restrict f = t->k[5];
  const double u = t->w[0], v = t->w[1], w = t->w[2], x = t->w[3], y = t->w[4], z = t->w[5];
  switch (t->count) {
    case 1:
      for (int i = 0; i < n; ++i) to[i] = from[i] + h * (u * a[i]);
      break;
    case 2:
      for (int i = 0; i < n; ++i) to[i] = from[i] + h * (u * a[i] + v * b[i]);
      break;
    case 3:
      for (int i = 0; i < n; ++i) to[i] = from[i] + h * (u * a[i] + v * b[i] + w * c[i]);
      break;
    case 4:
      for (int i = 0; i < n; ++i) to[i] = from[i] + h * (u * a[i] + v * b[i] + w * c[i] + x * d[i]);
      break;
    case 5:
      for (int i = 0; i < n; ++i) to[i] = from[i] + h * (u * a[i] + v * b[i] + w * c[i] + x * d[i] + y * e[i]);
      break;
    default:
      for (int i = 0; i < n; ++i)
        to[i] = from[i] + h * (u * a[i] + v * b[i] + w * c[i] + x * d[i] + y * e[i] + z * f[i]);
      break;
  }
}

/* Six terms of one element. */
static double orr_sum(const orr_terms *t, int i) {
  return t->w[0] * t->k[0][i] + t->w[1] * t->k[1][i] + t->w[2] * t->k[2][i] + t->w[3] * t->k[3][i] +
         t->w[4] * t->k[4][i] + t->w[5] * t->k[5][i];
}

/* At trial points of a step, which may lie beyond a crossing that is located only afterwards. */
static int orr_trial_derivative(orr_run *r, double t, const double *x, double *dx);

static void orr_combine(orr_run *r, const double *weights, int count, double h) {
  const orr_terms terms = orr_terms_of(weights, count, r->at.k);
  orr_add_terms(r->at.end, r->at.begin, &terms, h, r->model->states);
}

static void orr_swap(double **a, double **b) {
  double *c = *a;
  *a = *b;
  *b = c;
}

/* The end of the last accepted step becomes the beginning of the next one. */
static void orr_open_step(orr_run *r) {
  const int stages = orr_table_of(r)->stages;
  r->dense = 0;
  if (!r->accepted) return;
  orr_swap(&r->at.begin, &r->at.end);
  if (r->end_known) orr_swap(&r->at.k[0], &r->at.k[stages]);
  r->begin_known = r->end_known;
  r->accepted = r->end_known = 0;
}

static int orr_evaluate_begin(orr_run *r, double t) {
  int code;
  if (r->begin_known) return 0;
  code = orr_trial_derivative(r, t, r->at.begin, r->at.k[0]);
  r->begin_known = code == 0;
  return code;
}

static int orr_evaluate(orr_run *r, double t, double h) {
  const orr_table *table = orr_table_of(r);
  for (int row = 1; row < table->stages; ++row) {
    int code;
    orr_combine(r, table->a[row], table->stages, h);
    code = orr_trial_derivative(r, t + table->c[row] * h, r->at.end, r->at.k[row]);
    if (code != 0) return code;
  }
  orr_combine(r, table->b, table->stages, h);
  return 0;
}

static int orr_evaluate_end(orr_run *r, double t) {
  const int code = orr_trial_derivative(r, t, r->at.end, r->at.k[orr_table_of(r)->stages]);
  r->end_known = code == 0;
  return code;
}

/* Dense output: x0 + s (d + (1 - s) (p + s (q + (1 - s) r))) (section II.6). */
static double orr_finite_or_zero(double a) { return a - a == 0.0 ? a : 0.0; }

static void orr_prepare_dense(orr_run *r) {
  const int n = r->model->states, stages = orr_table_of(r)->stages;
  const double h = r->h;
  orr_terms terms;
  if (!r->end_known) orr_evaluate_end(r, r->step_begin + h);
  terms = orr_terms_of(orr_dense, 7, r->at.k);
  for (int i = 0; i < n; ++i) {
    const double d = r->at.end[i] - r->at.begin[i], p = h * r->at.k[0][i] - d;
    r->at.d[i] = d;
    r->at.p[i] = p;
    r->at.q[i] = r->end_known ? orr_finite_or_zero(d - h * r->at.k[stages][i] - p) : 0;
    r->at.r[i] = stages == 6 && r->end_known ? orr_finite_or_zero(h * orr_sum(&terms, i)) : 0;
  }
  r->dense = 1;
}

static void orr_interpolate(orr_run *r, double t, double *x) {
  const int n = r->model->states;
  const int at_end = t >= r->step_end || r->step_end == r->step_begin;
  double s;
  if (at_end || t <= r->step_begin) {
    const double *from = at_end ? (r->accepted ? r->at.end : r->at.begin) : r->at.begin;
    for (int i = 0; i < n; ++i) x[i] = from[i];
    return;
  }
  if (!r->dense) orr_prepare_dense(r);
  s = (t - r->step_begin) / r->h;
  for (int i = 0; i < n; ++i)
    x[i] = r->at.begin[i] + s * (r->at.d[i] + (1 - s) * (r->at.p[i] + s * (r->at.q[i] + (1 - s) * r->at.r[i])));
}

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
  const int n = r->model->states, lanes = n <= 8 ? 1 : 2;
  const orr_terms terms = orr_terms_of(orr_error, 7, r->at.k);
  const double *begin = r->at.begin, *end = r->at.end, *tolerance = r->at.tolerance, rtol = r->rtol;
  double sum[2] = {0, 0};
  for (int i = 0; i < n; ++i) {
    const double error = h * orr_sum(&terms, i), y = end[i];
    const double a = fabs(begin[i]), b = fabs(y);
    const double ratio = error / (tolerance[i] + rtol * (a > b ? a : b));
    sum[i % lanes] += ratio * ratio + 0.0 * y;
  }
  return (lanes == 1 ? sum[0] : sum[0] + sum[1]) * (1.0 / n);
}

static double orr_size(const orr_run *r, const double *value, const double *minus) {
  const int n = r->model->states;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double v = minus ? value[i] - minus[i] : value[i];
    const double ratio = v / (r->at.tolerance[i] + r->rtol * fabs(r->at.begin[i]));
    sum += ratio * ratio;
  }
  return sqrt(sum / n);
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

/* The next point of the grid grid_start + k h, computed, not accumulated. */
static double orr_grid_point(orr_run *r, double t, double limit) {
  const double h = r->options.step, point = r->grid_start + (double)(r->grid_count + 1) * h;
  const double rounding = 1e-9 * h + 4 * DBL_EPSILON * fabs(t);
  if (point > limit + rounding) return limit;
  ++r->grid_count;
  return point >= limit - rounding ? limit : point;
}

static int orr_fixed_step(orr_run *r, double limit) {
  const double t = r->step_end;
  const long long before = r->grid_count;
  const int n = r->model->states;
  double t_new;
  int code = 0;
  if (limit == t) return ORR_ON;
  if (n > 0) orr_open_step(r);
  r->step_begin = t;
  t_new = orr_grid_point(r, t, limit);
  if (!(t_new > t)) return orr_say(r, ORR_ERROR, "", "the fixed step is too small to move the time");
  r->h = r->options.nominal && r->grid_count > before ? r->options.step : t_new - t;
  if (n > 0) {
    code = orr_evaluate_begin(r, t);
    if (code == 0) code = orr_evaluate(r, t, r->h);
    if (code != 0 || !orr_finite(r->at.end, n)) {
      r->grid_count = before;
      if (r->loops_failed) return ORR_FAILED;
      return orr_say(r, ORR_ERROR, "", orr_not_defined);
    }
    r->accepted = 1;
  }
  r->step_end = t_new;
  return ORR_ON;
}

/* With the PI controller of Gustafsson in the form of Hairer's DOPRI5 (Solving ODEs II, section IV.2). */
static int orr_adaptive_step(orr_run *r, double limit) {
  const double beta = 0.04, exponent = 1.0 / 5 - 0.75 * 0.04, safety = -0.10536051565782628;
  const double floor = -18.420680743952367, negligible = 1e-18;
  const double t = r->step_end;
  double h, smallest;
  int rejected;
  if (limit == t) return ORR_ON;
  if (r->model->states == 0) {
    const int last = limit - t <= r->longest * (1 + 1e-12);
    r->step_begin = t;
    r->step_end = last ? limit : t + r->longest;
    r->h = r->step_end - t;
    return ORR_ON;
  }
  orr_open_step(r);
  r->step_begin = t;
  if (orr_evaluate_begin(r, t) != 0) return orr_say(r, ORR_ERROR, "", orr_not_defined);
  if (r->h_next <= 0) r->h_next = orr_initial_step(r, limit);
  smallest = orr_min(orr_smallest_step(r, t), r->longest);
  h = r->h_next < smallest ? smallest : r->h_next > r->longest ? r->longest : r->h_next;
  for (rejected = 0;; rejected = 1) {
    const double wanted = h, remaining = limit - t;
    const int last = remaining <= 1.01 * h && remaining <= r->longest * (1 + 1e-6);
    double t_new, squared, log_error, factor;
    int code, cut;
    if (last) h = remaining;
    t_new = last ? limit : orr_min(t + h, limit);
    code = orr_evaluate(r, t, h);
    if (code == 0) code = orr_evaluate_end(r, t_new);
    squared = code != 0 ? 0 : orr_squared_error(r, h);
    if (code != 0 || !(squared <= 1)) {
      const int by_error = code == 0 && isfinite(squared);
      factor = by_error ? orr_max(0.2, orr_rough_exp(safety - 0.5 * exponent * orr_rough_log(squared))) : 0.2;
      smallest = orr_smallest_step(r, t);
      if (!(h > smallest))
        return orr_say(r, ORR_ERROR, "",
                       by_error ? "the error stays above the tolerance with the smallest step allowed" : orr_not_defined);
      h = orr_max(h * factor, smallest);
      continue;
    }
    r->accepted = 1;
    log_error = squared <= negligible ? floor : orr_rough_log(squared);
    factor = 10;
    if (squared > negligible) factor = orr_rough_exp(safety + 0.5 * (beta * r->log_error - exponent * log_error));
    if (factor < 0.2) factor = 0.2;
    if (factor > (rejected ? 1.0 : 10.0)) factor = rejected ? 1.0 : 10.0;
    cut = last && h < wanted;
    r->h_next = cut && factor >= 1 ? orr_max(wanted, h * factor) : h * factor;
    if (!cut) r->log_error = orr_max(log_error, floor);
    r->h = h;
    r->step_end = t_new;
    return ORR_ON;
  }
}

static int orr_integrator_step(orr_run *r, double limit) {
  ++r->steps;
  return r->model->fixed_step ? orr_fixed_step(r, limit) : orr_adaptive_step(r, limit);
}

static int orr_start_solver(orr_run *r) {
  const int n = r->model->states;
  const double *x = orr_states(r);
  for (int i = 0; i < n; ++i) r->at.begin[i] = x[i];
  r->accepted = r->begin_known = r->end_known = r->dense = 0;
  if (r->model->fixed_step) {
    if (!r->started || r->t != r->step_end) {
      r->grid_start = r->t;
      r->grid_count = 0;
    }
  } else {
    if (!r->started) r->h_next = 0;
    r->log_error = -18.420680743952367;
  }
  r->h = 0;
  r->step_begin = r->step_end = r->t;
  if (!r->model->fixed_step && n > 0 && (orr_evaluate_begin(r, r->t) != 0 || !orr_finite(r->at.k[0], n)))
    return orr_say(r, ORR_ERROR, "", "the derivative cannot be evaluated, or is not finite, at this point");
  r->started = 1;
  return ORR_ON;
}

/* Inside the last step the memory holds the states of the run's time. */
static void orr_go_to(orr_run *r, double t) {
  r->t = t;
  r->stale = 0;
  orr_interpolate(r, t, orr_states(r));
}

static void orr_freshen(orr_run *r) {
  if (r->stale) orr_go_to(r, r->t);
}

/* Surfaces: their sides before and after an instant (docs/semantics.md, 7 and 8). */

typedef struct {
  const double *g, *rates, *speed;
} orr_values;

static int orr_is_mode(const orr_surface *s) { return s->mode != ORR_NONE; }

static void orr_surfaces_at(orr_run *r, double t, const double *x, double *g) {
  const orr_model *m = r->model;
  if (m->surface_loops > 0) orr_solve(r, m->surface_loop, m->surface_loops, t, x);
  m->surfaces(t, x, g, r->memory, 0);
}

static orr_values orr_values_and_rates(orr_run *r, double t, const double *x) {
  const orr_model *m = r->model;
  orr_values v;
  orr_surfaces_at(r, t, x, r->at.g);
  if (m->derivative_loops > 0) orr_solve(r, m->derivative_loop, m->derivative_loops, t, x);
  m->surface_rates(t, x, r->at.rates, r->memory, 0);
  for (int k = 0; k < m->surface_count; ++k) {
    const double speed = fabs(r->at.rates[3 * k]);
    if (t != r->speed_at || speed > r->at.speed[k]) r->at.speed[k] = isnan(speed) ? 0 : speed;
  }
  r->speed_at = t;
  v.g = r->at.g;
  v.rates = r->at.rates;
  v.speed = r->at.speed;
  return v;
}

/* How far from zero a surface may be that is zero: by the terms it is made of. */
static double orr_rounding(int k, const orr_values *v) { return 16 * DBL_EPSILON * v->rates[3 * k + 2]; }

static int orr_same_instant(const orr_run *r, double before, double t) { return before >= t - r->coincidence; }

static int orr_is_hardly_away(const orr_run *r, int k, const orr_values *v) {
  const double g = v->g[k];
  const double noise = r->at.limit[k] < 0 ? 0 : 2 * r->at.noise[k];
  /* Where its crossing was located in this instant it is at zero, however slow an event has made it since. */
  const double located = orr_same_instant(r, r->at.fired_at[k], r->watched) ? fabs(r->at.fired_value[k]) : 0;
  if (g == 0) return 1;
  return fabs(g) <= orr_max(orr_max(v->speed[k] * r->coincidence, orr_rounding(k, v)), orr_max(noise, located));
}

static int orr_is_zero(const orr_run *r, int k, const orr_values *v) {
  return orr_is_hardly_away(r, k, v) && (v->g[k] == 0 || v->rates[3 * k] * v->g[k] <= 0);
}

static int orr_side_after(const orr_run *r, int k, const orr_values *v, int before) {
  const double g = v->g[k], rate = v->rates[3 * k], second = v->rates[3 * k + 1];
  int moves;
  if (isnan(g)) return before;
  if (!orr_is_zero(r, k, v)) return orr_sign(g);
  if (isnan(rate)) return 0;
  moves = rate * second > 0 || !(fabs(rate) <= fabs(second) * r->coincidence);
  return orr_sign(moves && rate != 0 ? rate : second);
}

static void orr_take_side(orr_run *r, int k, int side) {
  const orr_surface *s = &r->model->surface[k];
  r->at.side[k] = !orr_is_mode(s) && s->edge && side == 0 ? -1 : side;
}

static int orr_changes_side(const orr_run *r, int k, const orr_values *v) {
  const orr_surface *s = &r->model->surface[k];
  const int before = (int)r->at.side[k], side = orr_side_after(r, k, v, before);
  return (!orr_is_mode(s) && s->edge && side == 0 ? -1 : side) != before;
}

static int orr_is_wanted(const orr_run *r, int k, int direction) {
  return direction > 0 ? r->model->surface[k].rising : r->model->surface[k].falling;
}


static void orr_keep_still(orr_run *r, int k, double *g) {
  if (!(fabs(*g) <= r->at.limit[k])) return;
  r->at.noise[k] = orr_max(r->at.noise[k], fabs(*g));
  *g = r->at.side[k] * DBL_MIN;
}

static void orr_set_still(orr_run *r, int k, int still, double size) {
  if (!still) {
    r->at.noise[k] = 0;
    r->at.limit[k] = -1;
    return;
  }
  r->at.limit[k] = 100 * (r->options.atol + r->options.rtol * size);
}

/* Until the rates have carried a surface as far as twice the band, its values within it are roundings. */
static void orr_set_band(orr_run *r, int k, double band) {
  const double by_rate = 2 * band / r->at.leave_rate[k], by_second = 2 * sqrt(band / r->at.leave_second[k]);
  const double time = isnan(by_rate) ? by_second : isnan(by_second) ? by_rate : orr_min(by_rate, by_second);
  r->at.band[k] = band;
  r->at.left_at[k] = r->begun_at + (isnan(time) ? 0 : time);
  r->leaving_until = orr_max(r->leaving_until, r->at.left_at[k]);
}

static double orr_mode_of(const orr_run *r, const orr_surface *s) {
  return s->held >= 0 ? 1 : (double)r->memory[s->mode];
}

/* After each start of the integrator: nothing has crossed yet. */
static void orr_watch_begin(orr_run *r, const orr_values *v, int first) {
  const orr_model *m = r->model;
  const double threshold = r->options.zero_threshold, t = r->t;
  r->watched = r->leaving_until = r->begun_at = t;
  r->turns = r->some_leave = 0;
  for (int k = 0; k < m->surface_count; ++k) {
    const orr_surface *s = &m->surface[k];
    const double *rates = v->rates + 3 * k;
    double *last = &r->at.last[k];
    int still;
    *last = v->g[k];
    r->at.left_at[k] = t;
    r->at.leave_rate[k] = -1;
    if (!isnan(rates[0]) && orr_is_zero(r, k, v)) {
      r->at.leave_rate[k] = fabs(rates[0]);
      r->at.leave_second[k] = isnan(rates[1]) ? 0 : fabs(rates[1]);
      r->some_leave = 1;
      orr_set_band(r, k, orr_max(1.01 * fabs(*last), orr_rounding(k, v)));
    }
    if (orr_is_mode(s)) {
      r->at.side[k] = orr_mode_of(r, s) != 0 ? 1 : -1;
    } else if (r->at.side[k] != 0 || threshold == 0 || fabs(*last) > threshold) {
      const int side = orr_side_after(r, k, v, (int)r->at.side[k]);
      orr_take_side(r, k, side);
      if (first && side == 0 && s->edge && !s->level) r->at.side[k] = 0;
    }
    r->at.leads[k] = r->at.leave_rate[k] >= 0 && r->at.side[k] * rates[0] >= -r->coincidence * r->at.leave_second[k] &&
                     r->at.side[k] * rates[1] > 0;
    if (r->at.side[k] * *last < 0 || (r->at.side[k] == 0 && threshold == 0)) *last = 0;
    still = orr_is_hardly_away(r, k, v) && rates[0] == 0 && rates[1] == 0;
    orr_set_still(r, k, still, still ? rates[2] : 0);
    if (still) orr_keep_still(r, k, last);
  }
}

static void orr_add_crossing(double *list, int *count, int k, int direction, double left, double right) {
  double *c = list + 4 * (*count)++;
  c[0] = k;
  c[1] = direction;
  c[2] = left;
  c[3] = right;
}

static void orr_note_near(orr_run *r, double t) {
  for (int j = 0; j < r->nears; ++j) r->at.at_zero[(int)r->at.near[j]] = t;
  r->nears = 0;
}

static void orr_note_fired(orr_run *r, int k, double t, int direction, double value) {
  r->at.fired_at[k] = r->at.at_zero[k] = t;
  r->at.fired_way[k] = direction;
  r->at.fired_value[k] = value;
}

/* Which event surfaces have changed sides? `located`: those found in the step, r->located of them in at.located. */
static int orr_judge(orr_run *r, const orr_values *v, int located, int stepped) {
  const orr_model *m = r->model;
  const double threshold = r->options.zero_threshold, t = r->t;
  int count = 0;
  for (int k = 0; k < m->surface_count; ++k) {
    const orr_surface *s = &m->surface[k];
    double g = v->g[k], left;
    int before, after, place = -1, is_located;
    if (orr_is_mode(s)) continue;
    if (stepped && v->rates[3 * k] == 0 && v->rates[3 * k + 1] == 0) orr_keep_still(r, k, &g);
    if (r->at.side[k] == 0 && threshold > 0 && !(fabs(g) > threshold)) continue;
    before = orr_same_instant(r, r->at.at_zero[k], t) ? 0 : (int)r->at.side[k];
    after = orr_side_after(r, k, v, (int)r->at.side[k]);
    left = r->at.last[k];
    orr_take_side(r, k, after);
    r->at.last[k] = r->at.side[k] * g < 0 ? 0 : g;
    if (before == 0 && (located > 0 || stepped) && orr_is_hardly_away(r, k, v)) r->at.at_zero[k] = t;
    if (s->level) {
      if (after > 0) orr_add_crossing(r->at.judged, &count, k, 1, left, g);
      continue;
    }
    if (before == 0 || before == (int)r->at.side[k]) continue;
    if (!orr_is_wanted(r, k, -before)) {
      if (stepped || (located > 0 && orr_is_hardly_away(r, k, v)) || orr_is_zero(r, k, v)) r->at.at_zero[k] = t;
      continue;
    }
    for (int j = 0; j < located && place < 0; ++j) {
      if (r->at.located[4 * j] == k) place = j;
    }
    is_located = stepped || place >= 0;
    if (!s->jumps && !is_located) continue;
    if (place >= 0) left = r->at.located[4 * place + 2];
    orr_add_crossing(r->at.judged, &count, k, -before, left, g);
    if (is_located) orr_note_fired(r, k, t, -before, stepped ? 0 : g);
    if (orr_is_zero(r, k, v)) r->at.at_zero[k] = t;
    if (threshold > 0 && !(fabs(g) > threshold)) r->at.side[k] = 0;
  }
  if (located > 0) orr_note_near(r, t);
  r->watched = r->found_time = t;
  orr_swap(&r->at.found, &r->at.judged);
  r->found = count;
  return count > 0;
}

static int orr_find_levels(orr_run *r, const orr_values *v) {
  r->found_time = r->t;
  r->found = 0;
  for (int k = 0; k < r->model->surface_count; ++k) {
    if (r->model->surface[k].level && orr_side_after(r, k, v, 0) > 0)
      orr_add_crossing(r->at.found, &r->found, k, 1, v->g[k], v->g[k]);
  }
  return r->found > 0;
}

/* Sides that values and rates of the instant do not tell are seen from just after it. */
static int orr_is_unclear(const orr_run *r, int k, const orr_values *now, int sides_known) {
  const int at_zero = orr_is_hardly_away(r, k, now);
  if (r->model->fixed_step) return at_zero || !sides_known || orr_changes_side(r, k, now);
  if (!at_zero) return 0;
  return isnan(now->rates[3 * k + 1]) && (!orr_is_mode(&r->model->surface[k]) || now->rates[3 * k] == 0);
}

static orr_values orr_values_now(orr_run *r, int sides_known) {
  const orr_model *m = r->model;
  const orr_values now = orr_values_and_rates(r, r->t, orr_states(r));
  double after, h;
  int any = 0;
  for (int k = 0; k < m->surface_count && !any; ++k) any = orr_is_unclear(r, k, &now, sides_known);
  if (!any) return now;
  after = orr_look_ahead(r);
  h = after - r->t;
  if ((m->surface_loops > 0 && !orr_solve(r, m->surface_loop, m->surface_loops, after, r->at.ahead)) ||
      (m->derivative_loops > 0 && !orr_solve(r, m->derivative_loop, m->derivative_loops, after, r->at.ahead))) {
    r->loops_failed = 0;
    return now;
  }
  m->surfaces(after, r->at.ahead, r->at.g_ahead, r->memory, 0);
  m->surface_rates(after, r->at.ahead, r->at.rates_ahead, r->memory, 0);
  for (int k = 0; k < m->surface_count; ++k) {
    double *rates = r->at.rates + 3 * k;
    if (!orr_is_unclear(r, k, &now, sides_known) || isnan(r->at.g_ahead[k])) continue;
    if (m->fixed_step) {
      r->at.g[k] = r->at.g_ahead[k];
      for (int j = 0; j < 3; ++j) rates[j] = r->at.rates_ahead[3 * k + j];
    } else if (isnan(rates[0])) {
      rates[0] = (r->at.g_ahead[k] - r->at.g[k]) / h;
    } else if (rates[0] == 0) {
      rates[1] = 2 * (r->at.g_ahead[k] - r->at.g[k]) / (h * h);
    } else {
      rates[1] = (r->at.rates_ahead[3 * k] - rates[0]) / h;
    }
  }
  return now;
}

static int orr_find_jumps(orr_run *r) {
  orr_values v;
  if (r->model->surface_count == 0) return 0;
  v = orr_values_now(r, 1);
  return r->started ? orr_judge(r, &v, 0, 0) : orr_find_levels(r, &v);
}

/* Modes take the values that their conditions have just after this instant until nothing changes. */

static void orr_keep_modes(orr_run *r, double *kept) {
  for (int k = 0; k < r->model->surface_count; ++k) {
    const orr_surface *s = &r->model->surface[k];
    if (!orr_is_mode(s)) continue;
    kept[k] = s->held >= 0 ? *(double *)(void *)(r->memory + s->mode) : (double)r->memory[s->mode];
  }
}

static void orr_put_modes_back(orr_run *r, const double *kept) {
  for (int k = 0; k < r->model->surface_count; ++k) {
    const orr_surface *s = &r->model->surface[k];
    if (!orr_is_mode(s)) continue;
    if (s->held >= 0)
      *(double *)(void *)(r->memory + s->mode) = kept[k];
    else
      r->memory[s->mode] = kept[k] != 0;
  }
}

static int orr_settle_held(orr_run *r) {
  const orr_model *m = r->model;
  double after;
  int changed = 0;
  if (m->held_count == 0) return 0;
  after = orr_look_ahead(r);
  m->settled(after, r->at.ahead, r->at.settled, r->memory, 0);
  for (int k = 0; k < m->held_count; ++k) {
    double *stored = (double *)(void *)(r->memory + m->held[k]);
    if (*stored == r->at.settled[k] || isnan(r->at.settled[k])) continue;
    *stored = r->at.settled[k];
    changed = 1;
  }
  return changed;
}

/* The first numbers of a congruential generator (Knuth): an order that follows no pattern. */
static unsigned orr_chance(int round) {
  unsigned long long state = (unsigned long long)round * 2654435761u + 1;
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 40);
}

static int orr_relax(orr_run *r, int complain) {
  const orr_model *m = r->model;
  const int most = 100 + m->surface_count;
  r->modes_moved = 0;
  if (!r->has_modes) return 1;
  for (int k = 0; k < m->surface_count; ++k) r->at.flips[k] = r->at.tried[k] = 0;
  for (int round = 0; round < most; ++round) {
    const int one_by_one = (round >= 20 && round < 40) || round >= 70;
    const orr_surface *without_value = NULL;
    orr_values now;
    int switched = 0, contradicted = 0;
    now = orr_values_and_rates(r, r->t, orr_states(r));
    if (r->loops_failed) return 0;
    for (int k = 0; k < m->surface_count; ++k) {
      const orr_surface *s = &m->surface[k];
      unsigned char *stored = r->memory + s->mode, mode;
      int side;
      if (!orr_is_mode(s) || s->held >= 0) continue;
      if (!isfinite(now.g[k]) && r->at.tried[k] == 0) {
        r->at.tried[k] = 1;
        *stored = !*stored;
        ++switched;
        continue;
      }
      if (isnan(now.g[k])) {
        if (!without_value && !s->shown) without_value = s;
        continue;
      }
      side = round < 40 || r->at.flips[k] < 5 ? orr_side_after(r, k, &now, 0) : orr_sign(now.g[k]);
      mode = s->strict ? side > 0 : side >= 0;
      if (*stored == mode) continue;
      if (one_by_one) {
        r->at.loud[contradicted++] = k;
        continue;
      }
      *stored = mode;
      r->at.flips[k] += 1;
      ++switched;
    }
    if (contradicted > 0) {
      unsigned char *stored = r->memory + m->surface[(int)r->at.loud[orr_chance(round) % (unsigned)contradicted]].mode;
      *stored = !*stored;
      ++switched;
    }
    if (orr_settle_held(r) || switched > 0) continue;
    if (!without_value) return 1;
    if (complain) orr_say(r, ORR_ERROR, without_value->path, "a condition is not a number");
    return 0;
  }
  if (complain) orr_say(r, ORR_ERROR, "", "no choice of modes agrees with its own equations");
  return 0;
}

/* What is shown right after an event reads conditions as they stand. */
static void orr_preview(orr_run *r) {
  const orr_model *m = r->model;
  for (int round = 0; round < 30; ++round) {
    int changed, contradicted = 0;
    unsigned char *one;
    orr_surfaces_at(r, r->t, orr_states(r), r->at.g);
    changed = orr_settle_held(r);
    for (int k = 0; k < m->surface_count; ++k) {
      const orr_surface *s = &m->surface[k];
      const double g = r->at.g[k];
      unsigned char mode;
      if (!orr_is_mode(s) || s->held >= 0 || !isfinite(g)) continue;
      mode = s->strict ? g > 0 : g >= 0;
      if (r->memory[s->mode] == mode) continue;
      changed = 1;
      if (round < 10)
        r->memory[s->mode] = mode;
      else
        r->at.loud[contradicted++] = k;
    }
    if (!changed) return;
    if (contradicted == 0) continue;
    one = r->memory + m->surface[(int)r->at.loud[orr_chance(round) % (unsigned)contradicted]].mode;
    *one = !*one;
  }
}

/* Modes as their conditions stand at a point; whether any changed. */
static int orr_take_modes_of(orr_run *r, double t, const double *x, int shown) {
  const orr_model *m = r->model;
  int any = 0;
  for (int round = 0; round < 10; ++round) {
    int changed = 0;
    if (m->surface_loops > 0 && !orr_solve(r, m->surface_loop, m->surface_loops, t, x)) {
      r->loops_failed = 0;
      return any;
    }
    m->surfaces(t, x, r->at.trial, r->memory, 0);
    for (int k = 0; k < m->surface_count; ++k) {
      const orr_surface *s = &m->surface[k];
      const double g = r->at.trial[k];
      unsigned char mode;
      if (!orr_is_mode(s) || s->held >= 0 || isnan(g) || (s->shown && !shown)) continue;
      mode = s->strict ? g > 0 : g >= 0;
      changed = changed || r->memory[s->mode] != mode;
      r->memory[s->mode] = mode;
    }
    if (!changed) break;
    any = 1;
  }
  return any;
}

static int orr_trial_derivative(orr_run *r, double t, const double *x, double *dx) {
  const int code = orr_derivative(r, t, x, dx);
  int again = code;
  if (!r->model->partial || !r->has_modes || (code == 0 && orr_finite(dx, r->model->states))) return code;
  orr_keep_modes(r, r->at.kept_trial);
  if (orr_take_modes_of(r, t, x, 0)) again = orr_derivative(r, t, x, dx);
  orr_put_modes_back(r, r->at.kept_trial);
  return again;
}

/* Rows. */

static void orr_evaluate_outputs(orr_run *r, double t, const double *x) {
  const orr_model *m = r->model;
  int misses = 0;
  if (m->output_loops > 0) orr_solve(r, m->output_loop, m->output_loops, t, x);
  orr_clear_trouble(r);
  if (m->outputs) m->outputs(t, x, r->at.results, r->memory, 0);
  if (!m->partial_shown || !r->has_modes) return;
  for (int c = 0; c < m->columns; ++c)
    misses = misses || (m->column[c].continuous && m->column[c].type == ORR_F64 &&
                        isnan(*(double *)(void *)(r->memory + m->column[c].offset)));
  if (!misses) return;
  orr_keep_modes(r, r->at.kept_trial);
  if (orr_take_modes_of(r, t, x, 1)) m->outputs(t, x, r->at.results, r->memory, 0);
  orr_put_modes_back(r, r->at.kept_trial);
}

double orr_column_value(const orr_run *r, int column) {
  const orr_column *c = &r->model->column[column];
  if (c->seen != ORR_NONE && r->memory[c->seen] == 0) return NAN;
  return orr_number(r->model, r->memory, c->offset, c->type);
}

static void orr_take_row(orr_run *r, int phase) {
  const orr_model *m = r->model;
  const int preview = phase == ORR_ROW_EVENT && r->has_modes;
  if (!r->options.record || m->columns == 0) return;
  orr_freshen(r);
  if (preview) {
    orr_keep_modes(r, r->at.kept);
    orr_preview(r);
  }
  orr_evaluate_outputs(r, r->t, orr_states(r));
  for (int c = 0; c < m->columns; ++c) r->at.row[c] = orr_column_value(r, c);
  if (preview) orr_put_modes_back(r, r->at.kept);
  if (r->has_row && r->row_time == r->t &&
      memcmp(r->at.row, r->at.last_row, (size_t)m->columns * sizeof(double)) == 0)
    return;
  r->has_row = 1;
  r->row_time = r->t;
  ++r->rows;
  orr_swap(&r->at.row, &r->at.last_row);
  if (r->listener.row) r->listener.row(r->listener.user, r, phase, r->at.last_row);
}

static void orr_show(orr_run *r, int phase) {
  if (r->model->continuous_columns) orr_take_row(r, phase);
}

static int orr_assertions_hold(orr_run *r) {
  const orr_model *m = r->model;
  double *y = r->at.results, *values = r->at.results + m->assertion_count;
  int ok = 1, at = 0;
  if (m->assertion_count == 0) return 1;
  orr_freshen(r);
  if (m->assertion_loops > 0 && !orr_solve(r, m->assertion_loop, m->assertion_loops, r->t, orr_states(r))) return 1;
  m->assertions(r->t, orr_states(r), y, r->memory, 0);
  if (m->assertion_values) m->assertion_values(r->t, orr_states(r), values, r->memory, 0);
  for (int k = 0; k < m->assertion_count; at += m->assertion[k++].values) {
    const orr_assertion *a = &m->assertion[k];
    if (y[k] != 0) r->at.warned[k] = 0;
    if (y[k] != 0 || r->at.warned[k] != 0) continue;
    r->at.warned[k] = 1;
    orr_tell(r, a->only_warns ? ORR_WARNING : ORR_ERROR, a->path, a->text, values + at, a->values);
    ok = ok && a->only_warns;
  }
  return ok;
}

/* Pending events: one per source, several where it has a queue. */

static int orr_comes_before(double time_a, long long order_a, double time_b, long long order_b) {
  return time_a < time_b || (time_a == time_b && order_a < order_b);
}

static int orr_program(orr_run *r, int source, double time, long long order) {
  double *due = &r->at.due[source];
  long long *mine = &r->at.order[source];
  if (!r->model->source[source].queued || isinf(*due)) {
    *due = time;
    *mine = order;
    return ORR_ON;
  }
  if (r->waiting >= ORR_QUEUE * r->model->queues)
    return orr_say(r, ORR_ERROR, r->model->source[source].path, "more events wait than ORR_QUEUE has room for");
  if (orr_comes_before(time, order, *due, *mine)) {
    const double t = *due;
    const long long o = *mine;
    *due = time;
    *mine = order;
    time = t;
    order = o;
  }
  r->at.queue_time[r->waiting] = time;
  r->at.queue_order[r->waiting] = order;
  r->at.queue_source[r->waiting++] = source;
  return ORR_ON;
}

static void orr_drop_waiting(orr_run *r, int place) {
  --r->waiting;
  r->at.queue_time[place] = r->at.queue_time[r->waiting];
  r->at.queue_order[place] = r->at.queue_order[r->waiting];
  r->at.queue_source[place] = r->at.queue_source[r->waiting];
}

static void orr_cancel(orr_run *r, int source) {
  r->at.due[source] = INFINITY;
  if (!r->model->source[source].queued) return;
  for (int k = r->waiting; k-- > 0;) {
    if (r->at.queue_source[k] == source) orr_drop_waiting(r, k);
  }
}

static void orr_pop(orr_run *r, int source) {
  int next = -1;
  r->at.due[source] = INFINITY;
  if (!r->model->source[source].queued) return;
  for (int k = 0; k < r->waiting; ++k) {
    if (r->at.queue_source[k] == source &&
        (next < 0 || orr_comes_before(r->at.queue_time[k], r->at.queue_order[k], r->at.queue_time[next],
                                      r->at.queue_order[next])))
      next = k;
  }
  if (next < 0) return;
  r->at.due[source] = r->at.queue_time[next];
  r->at.order[source] = r->at.queue_order[next];
  orr_drop_waiting(r, next);
}

static int orr_program_at(orr_run *r, int source, double time) {
  const long long order = (time <= r->t + r->time_tolerance ? ORR_WITHIN_INSTANT : 0) + r->programmed++;
  return orr_program(r, source, time, order);
}

double orr_next_event(const orr_run *r) {
  double next = INFINITY;
  for (int k = 0; k < r->model->sources; ++k) next = r->at.due[k] < next ? r->at.due[k] : next;
  return next;
}

static double orr_next_critical(const orr_run *r) {
  double next = INFINITY;
  for (int k = 0; k < r->model->sources; ++k) {
    if (r->model->source[k].critical && r->at.due[k] < next) next = r->at.due[k];
  }
  return next;
}

/* The time of an instant at which an event is due at t: that of a tick, if one is as good as simultaneous. */
static double orr_instant_at(const orr_run *r, double t) {
  for (int d = 0; d < r->model->domains; ++d) {
    if (r->at.tick_time[d] > t && r->at.tick_time[d] <= t + r->time_tolerance) return r->at.tick_time[d];
  }
  return t;
}

static void orr_set_tick(orr_run *r, int source, long long tick) {
  const int d = r->model->source[source].domain;
  const orr_domain *domain = &r->model->domain[d];
  r->at.pending_tick[d] = tick;
  r->at.tick_time[d] = r->options.start + (domain->offset + (double)tick * domain->step) / domain->denominator;
  r->at.due[source] = r->at.tick_time[d];
  r->at.order[source] = ORR_TICK_ORDER + d;
}

static long long orr_tick_after(const orr_domain *domain, long long tick) {
  long long next = 0x7fffffffffffffffLL;
  for (int c = 0; c < domain->clocks; ++c) {
    const orr_clock *clock = &domain->clock[c];
    const long long passed = tick < clock->first ? 0 : (tick - clock->first) / clock->divisor + 1;
    const long long at = clock->first + passed * clock->divisor;
    if (at < next) next = at;
  }
  return next;
}

static void orr_take(orr_run *r, int source, int among) {
  const orr_source *s = &r->model->source[source];
  if (s->kind == ORR_CLOCK) {
    const orr_domain *domain = &r->model->domain[s->domain];
    r->tick = r->at.pending_tick[s->domain];
    orr_set_tick(r, source, domain->stride > 0 ? r->tick + domain->stride : orr_tick_after(domain, r->tick));
  } else if (among) {
    orr_cancel(r, source);
  } else {
    orr_pop(r, source);
  }
}

/* The source whose event runs first of those up to the limit, taken out of the queue; -1: none is due. */
static int orr_take_due(orr_run *r, double limit) {
  int first = -1;
  for (int k = 0; k < r->model->sources; ++k) {
    if (r->at.due[k] <= limit && (first < 0 || r->at.order[k] < r->at.order[first])) first = k;
  }
  if (first >= 0) orr_take(r, first, 0);
  return first;
}

static int orr_take_first(orr_run *r, double limit) {
  int first = -1;
  double time = limit;
  long long order = 0x7fffffffffffffffLL;
  for (int k = 0; k < r->model->sources; ++k) {
    if (!r->model->source[k].first || !orr_comes_before(r->at.due[k], r->at.order[k], time, order)) continue;
    time = r->at.due[k];
    order = r->at.order[k];
    first = k;
  }
  if (first >= 0) orr_take(r, first, 1);
  return first;
}

/* What happens in an instant. */

static int orr_program_events(orr_run *r, const orr_source *s) {
  const long long first = r->programmed;
  for (int k = 0; k < s->schedules; ++k) {
    const double delay = r->at.results[2 * k + 1];
    const int target = s->targets[k], queued = r->model->source[target].queued;
    if (r->at.results[2 * k] == 0) continue;
    if (isnan(delay)) return orr_say(r, ORR_ERROR, s->path, "the delay of a programmed event is not a number");
    /* Several rules of one event may agree. */
    if (!queued && r->at.due[target] == r->t + delay && !isinf(r->at.due[target]) &&
        (r->at.order[target] & ~ORR_WITHIN_INSTANT) >= first)
      continue;
    if (!(delay < 0 || isinf(delay))) {
      if (orr_program_at(r, target, r->t + delay) != ORR_ON) return ORR_FAILED;
    } else if (!queued) {
      orr_cancel(r, target);
    }
  }
  return ORR_ON;
}

static int orr_run_actions(orr_run *r, const orr_source *s, int *repeat) {
  const double *next = r->at.results + 2 * s->schedules;
  int flow = ORR_ON;
  for (int k = 0; k < s->actions; ++k) {
    const orr_action *a = &s->action[k];
    const int happens = *next++ != 0;
    const double *values = next;
    next += a->values;
    if (!happens) continue;
    switch (a->kind) {
      case ORR_DO_STOP:
        flow = ORR_STOPPED;
        if (a->text[0]) orr_tell(r, ORR_NOTE, a->path, a->text, values, a->values);
        break;
      case ORR_DO_RESTART: flow = ORR_RESTART; break;
      case ORR_DO_REPEAT: *repeat = 1; break;
      case ORR_DO_FAIL: return orr_tell(r, ORR_ERROR, a->path, a->text, values, a->values);
      case ORR_DO_WARN: orr_tell(r, ORR_WARNING, a->path, a->text, values, a->values); break;
      case ORR_DO_NOTE: orr_tell(r, ORR_NOTE, a->path, a->text, values, a->values); break;
      default: break;
    }
  }
  return flow;
}

static void orr_sample(orr_run *r, int source) {
  const orr_model *m = r->model;
  double after = r->t;
  orr_freshen(r);
  if (source == 0)
    memcpy(r->at.ahead, r->memory, (size_t)m->states * sizeof(double));
  else
    after = orr_look_ahead(r);
  if (m->sampled_loops > 0 &&
      (after == r->t || !orr_solve(r, m->sampled_loop, m->sampled_loops, after, r->at.ahead))) {
    r->loops_failed = 0;
    orr_solve(r, m->sampled_loop, m->sampled_loops, r->t, orr_states(r));
  }
  m->sampled(after, r->at.ahead, r->at.results, r->memory, r->tick);
}

static int orr_run_table_now(orr_run *r, int source) {
  const orr_source *s = &r->model->source[source];
  for (long repeats = 0;; ++repeats) {
    int repeat = 0, flow;
    if (s->loops > 0 && !orr_solve(r, s->loop, s->loops, r->t, orr_states(r))) return ORR_FAILED;
    orr_clear_trouble(r);
    if (s->run) s->run(r->t, orr_states(r), r->at.results, r->memory, r->tick);
    if (orr_troubled(r)) return orr_report_trouble(r);
    if (s->quiet) return ORR_ON;
    if (orr_program_events(r, s) != ORR_ON) return ORR_FAILED;
    flow = orr_run_actions(r, s, &repeat);
    if (flow != ORR_ON || !repeat) return flow;
    if (repeats > ORR_MOST_EVENTS) return orr_say(r, ORR_ERROR, s->path, "this event repeats itself without end");
  }
}

static int orr_run_table(orr_run *r, int source) {
  const orr_source *s = &r->model->source[source];
  int flow;
  if (!r->modes_moved || !(s->reads_modes || s->reads_sampled) || !r->has_modes) {
    if (s->reads_sampled) orr_sample(r, source);
    return orr_run_table_now(r, source);
  }
  orr_freshen(r);
  orr_keep_modes(r, r->at.kept);
  orr_relax(r, 0);
  if (s->reads_sampled) orr_sample(r, source);
  flow = orr_run_table_now(r, source);
  orr_put_modes_back(r, r->at.kept);
  return flow;
}

static int orr_will_show(orr_run *r, const orr_source *s) {
  if (!s->shows || !r->options.record) return 0;
  if (!s->shows_when) return 1;
  s->shows_when(r->t, orr_states(r), r->at.results, r->memory, r->tick);
  return r->at.results[0] != 0;
}

static int orr_states_finite(orr_run *r, const orr_source *s) {
  if (orr_finite(orr_states(r), r->model->states)) return ORR_ON;
  return orr_say(r, ORR_ERROR, s->path, "this event sets a state to a value that is not finite");
}

/* Something is about to disturb continuous time: what is remembered of the left side, once in an instant. */
static int orr_run_left(orr_run *r) {
  if (!r->model->left_sources || r->model->fixed_step || r->left_at == r->t) return ORR_ON;
  r->left_at = r->t;
  orr_freshen(r);
  for (int k = 0; k < r->model->sources; ++k) {
    int flow;
    if (r->model->source[k].kind != ORR_LEFT) continue;
    flow = orr_run_table_now(r, k);
    if (flow != ORR_ON) return flow;
  }
  return ORR_ON;
}

static int orr_fire(orr_run *r, int source, int crossing) {
  const orr_source *s = &r->model->source[source];
  int shown, flow = ORR_ON;
  if (s->moves_shown) r->shown_moved = 1;
  r->in_instant = 1;
  if (s->reads_states || s->critical) orr_freshen(r);
  shown = s->kind != ORR_INITIAL && orr_will_show(r, s);
  if (shown) orr_take_row(r, crossing ? ORR_ROW_LEFT_OF_CROSSING : ORR_ROW_LEFT_OF_EVENT);
  if (s->kind == ORR_INITIAL) {
    r->left_at = r->t; /* the start has no left side */
  } else if (s->critical) {
    flow = orr_run_left(r);
  }
  if (flow == ORR_ON) flow = orr_run_table(r, source);
  ++r->events;
  if (s->critical) r->restart_needed = 1;
  if (shown) orr_take_row(r, crossing ? ORR_ROW_CROSSING : ORR_ROW_EVENT);
  if (s->moves_modes) r->modes_moved = 1;
  if (flow == ORR_ON && s->critical) flow = orr_states_finite(r, s);
  return flow;
}

static int orr_is_endless(orr_run *r) {
  if (r->t != r->instant) {
    r->instant = r->t;
    r->events_in_instant = 1;
    return 0;
  }
  if (++r->events_in_instant <= ORR_MOST_EVENTS) return 0;
  orr_say(r, ORR_ERROR, "", "events of one instant lead to each other without end");
  return 1;
}

static int orr_fire_due(orr_run *r, int source) {
  if (orr_is_endless(r)) return ORR_FAILED;
  if (r->model->source[source].kind == ORR_CLOCK && !r->options.final_tick && orr_at_stop(r)) return ORR_ON;
  return orr_fire(r, source, 0);
}

static int orr_run_first(orr_run *r, double limit) {
  if (!r->model->first_sources) return ORR_ON;
  for (;;) {
    const int source = orr_take_first(r, limit);
    int flow;
    if (source < 0) return ORR_ON;
    flow = orr_fire_due(r, source);
    if (flow != ORR_ON) return flow;
  }
}

static int orr_run_due(orr_run *r, double limit) {
  for (;;) {
    int source, flow = orr_run_first(r, limit);
    if (flow != ORR_ON) return flow;
    source = orr_take_due(r, limit);
    if (source < 0) return ORR_ON;
    flow = orr_fire_due(r, source);
    if (flow != ORR_ON) return flow;
  }
}

static int orr_end_instant(orr_run *r) {
  if (!r->in_instant) return ORR_ON;
  r->in_instant = r->modes_moved = 0;
  if (!r->model->instant_sources) return ORR_ON;
  orr_freshen(r);
  for (int k = 0; k < r->model->sources; ++k) {
    int flow;
    if (r->model->source[k].kind != ORR_INSTANT) continue;
    if (r->model->source[k].critical) r->restart_needed = 1;
    flow = r->restart_needed ? orr_run_left(r) : ORR_ON;
    if (flow == ORR_ON) flow = orr_run_table(r, k);
    if (flow != ORR_ON) return flow;
  }
  return ORR_ON;
}

static int orr_fire_steps(orr_run *r) {
  if (!r->model->step_sources && !(r->model->left_sources && r->model->fixed_step)) return ORR_ON;
  for (int k = 0; k < r->model->sources; ++k) {
    const orr_source *s = &r->model->source[k];
    int shown, flow = ORR_ON;
    if (s->kind != ORR_STEP && !(s->kind == ORR_LEFT && r->model->fixed_step)) continue;
    r->in_instant = 1;
    shown = orr_will_show(r, s);
    if (shown && s->critical) orr_take_row(r, ORR_ROW_LEFT_OF_EVENT);
    if (s->critical && s->kind == ORR_STEP) {
      r->restart_needed = 1;
      flow = orr_run_left(r);
    }
    if (flow == ORR_ON) flow = orr_run_table(r, k);
    if (flow != ORR_ON) return flow;
    if (!r->restart_needed) continue;
    ++r->events;
    if (shown) orr_take_row(r, ORR_ROW_EVENT);
    if (orr_states_finite(r, s) != ORR_ON) return ORR_FAILED;
  }
  return ORR_ON;
}

/* Crossings: modes first, then owners. */

enum { ORR_LOCATED, ORR_STEPPED, ORR_JUMPED };

/* How often a surface crosses, as doubles of the run (sim/rhythm.h has the same names). */
typedef struct {
  double last, interval, shrinking, window, in_window, crawling, end, shortest, behind, crawling_since, turned_back;
} orr_rhythm;
#define ORR_RHYTHM (sizeof(orr_rhythm) / sizeof(double))

static void orr_settle_watch(orr_run *r);
static void orr_look_anew(orr_run *r);
static int orr_keeps_rhythm(orr_run *r, int surface);
static void orr_note_turns(orr_run *r, const double *crossing, int count, const orr_values *v);

static int orr_call_owners(orr_run *r, int how) {
  const orr_model *m = r->model;
  int flow = ORR_ON;
  for (int j = 0; j < r->found; ++j) {
    const orr_surface *s = &m->surface[(int)r->at.found[4 * j]];
    if (!orr_is_mode(s)) *(signed char *)(r->memory + s->direction) = (signed char)r->at.found[4 * j + 1];
  }
  for (int j = 0; j < r->found && flow == ORR_ON; ++j) {
    const orr_surface *s = &m->surface[(int)r->at.found[4 * j]];
    int known = 0;
    if (orr_is_mode(s)) continue;
    for (int i = 0; i < j; ++i) {
      const orr_surface *other = &m->surface[(int)r->at.found[4 * i]];
      known = known || (!orr_is_mode(other) && other->source == s->source);
    }
    if (known) continue;
    if (how == ORR_JUMPED && orr_is_endless(r))
      flow = ORR_FAILED;
    else
      flow = orr_fire(r, s->source, 1);
  }
  for (int j = 0; j < r->found; ++j) {
    const orr_surface *s = &m->surface[(int)r->at.found[4 * j]];
    if (!orr_is_mode(s)) r->memory[s->direction] = 0;
  }
  return flow;
}

/* 0: none changed, 1: only shown ones, 2: what disturbs, -1: failed. */
static int orr_change_modes(orr_run *r) {
  int changes = 0;
  for (int j = 0; j < r->found; ++j) {
    const orr_surface *s = &r->model->surface[(int)r->at.found[4 * j]];
    if (!orr_is_mode(s)) continue;
    if (!s->shown && orr_run_left(r) != ORR_ON) return -1;
    if (s->held < 0) r->memory[s->mode] = !r->memory[s->mode];
    if (!s->shown) changes = 2;
    if (changes == 0) changes = 1;
  }
  if (changes == 0) return 0;
  orr_freshen(r);
  return orr_relax(r, 1) ? changes : -1;
}

static int orr_handle(orr_run *r, int how) {
  int changes, flow;
  r->in_instant = 1;
  for (int j = 0; j < r->found && how == ORR_LOCATED; ++j) {
    if (!orr_keeps_rhythm(r, (int)r->at.found[4 * j])) return ORR_FAILED;
  }
  orr_show(r, ORR_ROW_LEFT_OF_CROSSING);
  if (r->has_modes) {
    orr_freshen(r);
    orr_values_and_rates(r, r->t, orr_states(r));
  }
  changes = orr_change_modes(r);
  if (changes < 0) return ORR_FAILED;
  if (changes == 2) {
    orr_values v;
    const int located = r->found;
    r->restart_needed = 1;
    memcpy(r->at.located, r->at.found, 4 * (size_t)located * sizeof(double));
    v = orr_values_and_rates(r, r->t, orr_states(r));
    orr_note_turns(r, r->at.located, located, &v);
    orr_judge(r, &v, located, 0);
  }
  flow = orr_call_owners(r, how);
  orr_show(r, ORR_ROW_CROSSING);
  if (changes == 2 || how != ORR_LOCATED) return flow;
  orr_settle_watch(r);
  if (changes == 1) orr_look_anew(r);
  return flow;
}

/* An event was to turn a surface away from zero, and left it there without motion, driven on to the other side. */
static int orr_is_stuck(orr_run *r, const orr_values *v) {
  for (int k = 0; k < r->model->surface_count; ++k) {
    const orr_surface *s = &r->model->surface[k];
    const double rate = v->rates[3 * k], second = v->rates[3 * k + 1];
    if (orr_is_mode(s) || !orr_same_instant(r, r->at.fired_at[k], r->t)) continue;
    if (!(fabs(v->g[k]) <= fabs(r->at.fired_value[k]) && rate == 0 && second * r->at.fired_way[k] > 0)) continue;
    orr_say(r, ORR_ERROR, s->path, "its crossings accumulate here and the run cannot pass: model what happens as a mode");
    return 1;
  }
  return 0;
}

/* Where surfaces cross within a step: on the dense output, by the polynomials of degree four through the values at
 * quarters, in Bernstein's form; halved until every piece shows at most one crossing. */

static void orr_correct(orr_run *r, double t, double *g) {
  for (int k = 0; k < r->model->surface_count; ++k) {
    if (r->at.limit[k] >= 0) orr_keep_still(r, k, &g[k]);
  }
  if (!(t < r->leaving_until)) return;
  for (int k = 0; k < r->model->surface_count; ++k) {
    if (t < r->at.left_at[k] && fabs(g[k]) <= r->at.band[k]) g[k] = r->at.side[k] * DBL_MIN;
  }
}

static void orr_surfaces_inside(orr_run *r, double t, double *g) {
  orr_interpolate(r, t, r->at.inside);
  orr_surfaces_at(r, t, r->at.inside, g);
  orr_correct(r, t, g);
}

static double orr_quartic(const double *const *v, int k, double *c) {
  const double v0 = v[0][k], v1 = v[1][k], v2 = v[2][k], v3 = v[3][k], v4 = v[4][k];
  c[0] = v0;
  c[1] = (-13.0 / 12) * v0 + 4.0 * v1 - 3.0 * v2 + (4.0 / 3) * v3 - 0.25 * v4;
  c[2] = (13.0 / 18) * (v0 + v4) - (32.0 / 9) * (v1 + v3) + (20.0 / 3) * v2;
  c[3] = (-13.0 / 12) * v4 + 4.0 * v3 - 3.0 * v2 + (4.0 / 3) * v1 - 0.25 * v0;
  c[4] = v4;
  return (v0 + v4) - 4.0 * (v1 + v3) + 6.0 * v2;
}

static double orr_doubt(const orr_run *r, int k) { return r->model->surface[k].affine ? 0 : 0.25; }
static int orr_keeps_side(const orr_run *r, int k, double g) { return r->at.side[k] * g > 0; }

/* Zero put on a side: of modes it belongs to "true" unless the relation is strict; events have not crossed yet. */
static double orr_sided(const orr_run *r, int k, double g) {
  const orr_surface *s = &r->model->surface[k];
  if (g != 0) return g;
  if (!orr_is_mode(s)) return r->at.side[k] * DBL_MIN;
  return s->strict ? -DBL_MIN : DBL_MIN;
}

static int orr_crossed(const orr_run *r, int k, double g) {
  if (orr_keeps_side(r, k, g) || isnan(g) || r->at.side[k] == 0) return 0;
  if (orr_sign(orr_sided(r, k, g)) == (int)r->at.side[k]) return 0;
  return orr_is_mode(&r->model->surface[k]) || orr_is_wanted(r, k, -(int)r->at.side[k]);
}

static int orr_any_crossed(const orr_run *r, const double *g) {
  for (int j = 0; j < r->louds; ++j) {
    if (orr_crossed(r, (int)r->at.loud[j], g[(int)r->at.loud[j]])) return 1;
  }
  return 0;
}

static void orr_change_side(orr_run *r, int k, double g) {
  if (orr_is_mode(&r->model->surface[k]) || isnan(g) || g == 0) return;
  if (r->at.side[k] == 0 && !(fabs(g) > r->options.zero_threshold)) return;
  orr_take_side(r, k, orr_sign(g));
}

static int orr_pass_quietly(orr_run *r, double t, const double *const *v) {
  const int count = r->model->surface_count;
  r->louds = 0;
  for (int k = 0; k < count; ++k) {
    double c[5];
    const double margin = orr_doubt(r, k) * fabs(orr_quartic(v, k, c)), side = r->at.side[k];
    if (!(side * c[0] > margin && side * c[1] > margin && side * c[2] > margin && side * c[3] > margin &&
          side * c[4] > margin))
      r->at.loud[r->louds++] = k;
  }
  if (r->louds > 0) return 0;
  for (int k = 0; k < count; ++k) r->at.last[k] = v[4][k];
  r->watched = t;
  return 1;
}

/* Descartes' rule: the changes of sign of the coefficients bound the zeros; none and one are exact. */
static int orr_is_resolved(orr_run *r, int k, const double *const *v, int doubt) {
  double c[5], low = INFINITY, high = -INFINITY, idle, nearest = INFINITY, margin;
  const double fourth = orr_quartic(v, k, c);
  int changes = 0, sign = 1;
  if (isnan(fourth)) {
    int none = 1;
    for (int j = 0; j < 5; ++j) none = none && isnan(v[j][k]);
    return none;
  }
  for (int j = 1; j < 5; ++j) {
    low = v[j][k] < low ? v[j][k] : low;
    high = v[j][k] > high ? v[j][k] : high;
  }
  idle = fabs(v[0][k]) <= DBL_MIN ? 1e-11 * orr_max(-low, high) : 0;
  if (r->at.side[k] == 0) {
    int first = 0, seen = 0, agrees, sure;
    if (r->options.zero_threshold > 0) return 1;
    while (first < 5 && !(fabs(c[first]) > idle)) ++first;
    if (first == 5) return 1;
    while (seen < 5 && v[seen][k] == 0) ++seen;
    agrees = seen == 5 || c[first] * v[seen][k] > 0;
    margin = (agrees ? 1 : 16) * orr_doubt(r, k) * fabs(fourth);
    sure = fabs(c[first]) > margin;
    if (!sure && doubt) return 0;
    orr_take_side(r, k, orr_sign(sure || seen == 5 ? c[first] : v[seen][k]));
  }
  for (int j = 0; j < 5; ++j) {
    const double a = r->at.side[k] * c[j];
    if (a * sign < 0 && fabs(a) > idle) {
      sign = -sign;
      ++changes;
    }
    if (j > 0) nearest = orr_min(nearest, fabs(a));
  }
  if (changes > 1 || (changes == 1 && c[4] == 0)) return 0;
  if (changes == 1 && !orr_keeps_side(r, k, v[0][k]) && r->at.side[k] * c[1] > 0 && !orr_keeps_side(r, k, v[1][k]))
    return 0;
  if (!doubt || orr_doubt(r, k) == 0) return 1;
  margin = orr_doubt(r, k) * fabs(fourth);
  return changes == 0 ? nearest > margin || fourth == 0 : fabs(c[4]) > margin;
}

static int orr_all_resolved(orr_run *r, const double *const *v, int doubt) {
  int all = 1;
  for (int j = 0; j < r->louds; ++j) all = orr_is_resolved(r, (int)r->at.loud[j], v, doubt) && all;
  return all;
}

/* Safeguarded parabolas and regula falsi (Dowell and Jarratt, BIT 11, 1971), in the worst case bisection. */
typedef struct {
  double lo, hi, g_lo, g_hi, third, g_third, tolerance, weight_lo, weight_hi, reach, next;
  int last_side;
} orr_root;

static int orr_root_done(const orr_root *s) {
  if (s->hi - s->lo <= s->tolerance) return 1;
  if (s->hi - s->lo > 1e-15 * orr_max(fabs(s->lo), fabs(s->hi))) return 0;
  return nextafter(s->lo, s->hi) >= s->hi;
}

static double orr_root_point(orr_root *s) {
  const double width = s->hi - s->lo, half = 0.5 * s->lo + 0.5 * s->hi;
  double u = NAN, radius, margin;
  if (s->last_side != 0) {
    const double slope = (s->g_hi - s->g_lo) / width;
    const double c = ((s->g_third - s->g_hi) / (s->third - s->hi) - slope) / (s->third - s->lo);
    const double b = slope - width * c;
    const double q = -0.5 * (b + copysign(sqrt(b * b - 4 * c * s->g_lo), b));
    u = s->g_lo / q;
    if (!(u > 0 && u < width)) u = q / c;
  }
  if (!(u > 0 && u < width)) u = width * (s->weight_lo / (s->weight_lo - s->weight_hi));
  radius = orr_max(s->reach - 0.5 * width, 0.0);
  s->next = isfinite(u) && isfinite(s->weight_lo) && isfinite(s->weight_hi)
                ? orr_clamp(s->lo + u, half - radius, half + radius)
                : half;
  margin = orr_min(0.5 * s->tolerance, 0.25 * width);
  s->next = orr_clamp(s->next, s->lo + margin, s->hi - margin);
  if (s->next <= s->lo || s->next >= s->hi) {
    s->next = half;
    if (s->next <= s->lo) s->next = nextafter(s->lo, s->hi);
    if (s->next >= s->hi) s->next = nextafter(s->hi, s->lo);
  }
  return s->next;
}

static void orr_root_add(orr_root *s, double g) {
  if ((g > 0 && s->g_lo > 0) || (g < 0 && s->g_lo < 0)) {
    s->third = s->lo;
    s->g_third = s->g_lo;
    s->lo = s->next;
    s->g_lo = s->weight_lo = g;
    if (s->last_side < 0) s->weight_hi *= 0.5;
    s->last_side = -1;
  } else {
    s->third = s->hi;
    s->g_third = s->g_hi;
    s->hi = s->next;
    s->g_hi = s->weight_hi = g;
    if (s->last_side > 0) s->weight_lo *= 0.5;
    s->last_side = 1;
  }
  s->reach *= 0.5;
}

static void orr_root_begin(orr_root *s, double lo, double hi, double g_lo, double g_hi, double tolerance) {
  memset(s, 0, sizeof *s);
  s->lo = lo;
  s->hi = hi;
  s->g_lo = s->weight_lo = g_lo;
  s->g_hi = s->weight_hi = g_hi;
  s->tolerance = orr_max(tolerance, 0.0);
  s->reach = 0.5 * (hi - lo) * 4096;
}

static double orr_quartic_at(const double *b, double s) {
  const double r = 1 - s;
  return r * r * (r * r * b[0] + 4 * r * s * b[1] + 6 * s * s * b[2]) + s * s * s * (4 * r * b[3] + s * b[4]);
}

/* Where the polynomial is the surface, its zero is. */
static double orr_quartic_zero(const orr_piece *piece, const double *const *v, int k, double begin, double end,
                               double tolerance) {
  const double width = piece->end - piece->begin;
  const double lo = (begin - piece->begin) / width, hi = (end - piece->begin) / width;
  double b[5], g_lo, g_hi;
  orr_root root;
  orr_quartic(v, k, b);
  g_lo = orr_quartic_at(b, lo);
  g_hi = orr_quartic_at(b, hi);
  if (!(g_lo * g_hi < 0)) return NAN;
  orr_root_begin(&root, lo, hi, g_lo, g_hi, 0.1 * tolerance / width);
  while (!orr_root_done(&root)) orr_root_add(&root, orr_quartic_at(b, orr_root_point(&root)));
  return piece->begin + root.hi * width;
}

/* The earliest crossing: every surface that has crossed at the end pulls the end towards its own crossing. */
static void orr_locate(orr_run *r, double begin, double end, const orr_piece *piece, const double *const *v) {
  const int count = r->model->surface_count;
  const size_t bytes = (size_t)count * sizeof(double);
  const double tolerance = r->time_tolerance;
  int several = 0;
  r->passings = r->nears = 0;
  for (int j = 0; j < r->louds; ++j) {
    const int k = (int)r->at.loud[j];
    double g_lo, guess;
    orr_root search;
    if (end <= begin) break;
    if (!orr_crossed(r, k, r->at.at_end[k])) continue;
    if (several)
      memcpy(r->at.before, r->at.first, bytes);
    else
      memcpy(r->at.first, r->at.before, bytes);
    several = 1;
    g_lo = orr_keeps_side(r, k, r->at.first[k]) ? r->at.first[k] : r->at.side[k] * DBL_MIN;
    orr_root_begin(&search, begin, end, g_lo, orr_sided(r, k, r->at.at_end[k]), tolerance);
    guess = orr_doubt(r, k) == 0 && count >= 6 ? orr_quartic_zero(piece, v, k, begin, end, tolerance) : NAN;
    for (int points = 0; !orr_root_done(&search); ++points) {
      const double beside = guess + (points == 0 ? 0.45 : -0.45) * tolerance;
      double at;
      if (points < 2 && beside > search.lo && beside < search.hi)
        at = search.next = beside;
      else
        at = orr_root_point(&search);
      orr_surfaces_inside(r, at, r->at.trial);
      orr_root_add(&search, isnan(r->at.trial[k]) ? g_lo : orr_sided(r, k, r->at.trial[k]));
      orr_swap(&r->at.trial, search.hi == at ? &r->at.at_end : &r->at.before);
    }
    end = search.hi;
  }
  r->found_time = end;
  r->found = 0;
  for (int j = 0; j < r->louds; ++j) {
    const int k = (int)r->at.loud[j];
    if (orr_crossed(r, k, r->at.at_end[k]))
      orr_add_crossing(r->at.found, &r->found, k, r->at.side[k] < 0 ? 1 : -1, r->at.before[k], r->at.at_end[k]);
  }
}

static int orr_look(orr_run *r, const orr_piece *piece, const double *const *v) {
  const int count = r->model->surface_count;
  double begin = r->watched, end = piece->end;
  const double *left = r->at.last;
  int j = 1;
  if (!orr_any_crossed(r, v[4])) {
    for (int k = 0; k < count; ++k) r->at.last[k] = v[4][k];
    for (int i = 0; i < r->louds; ++i) {
      const int k = (int)r->at.loud[i];
      const double before = r->at.side[k];
      if (orr_keeps_side(r, k, r->at.last[k])) continue;
      orr_change_side(r, k, r->at.last[k]);
      if (r->at.side[k] != before) r->at.turned[r->turns++] = k;
    }
    r->watched = piece->end;
    return 0;
  }
  for (; j < 4; ++j) {
    end = piece->begin + (double)j * ((piece->end - piece->begin) / 4);
    if (end <= r->watched) continue;
    if (orr_any_crossed(r, v[j])) break;
    begin = end;
    left = v[j];
  }
  if (j == 4) end = piece->end;
  for (int k = 0; k < count; ++k) {
    r->at.before[k] = left[k];
    r->at.at_end[k] = v[j][k];
  }
  orr_locate(r, begin, end, piece, v);
  return 1;
}

/* The pieces of the step that are still to be looked at; the last one comes first in time. */

static double *orr_sample_at(orr_run *r, int number) {
  return r->at.samples + (size_t)number * (size_t)r->model->surface_count;
}

static void orr_quarters(orr_run *r, const orr_piece *piece, const double **v) {
  for (int j = 0; j < 5; ++j) v[j] = orr_sample_at(r, piece->value[j]);
}

static int orr_free_sample(const orr_run *r, const int *taken, int count) {
  for (int number = 0; number < ORR_SAMPLES; ++number) {
    int used = 0;
    for (int k = 0; k < count; ++k) used = used || taken[k] == number;
    for (int p = 0; p < r->pieces && !used; ++p) {
      for (int j = 0; j < 5; ++j) used = used || r->piece[p].value[j] == number;
    }
    if (!used) return number;
  }
  return -1;
}

/* Values at quarters may look harmless between which a fast surface swings to and fro: the rates at the end show it. */
static int orr_misleads(orr_run *r) {
  const orr_piece *piece = &r->piece[0];
  const double width = piece->end - piece->begin;
  const double *v[5], *rates;
  int any = 0;
  for (int k = 0; k < r->model->surface_count; ++k)
    any = any || (!r->model->surface[k].affine && r->model->surface[k].has_rate);
  if (!any) return 0;
  orr_interpolate(r, piece->end, r->at.inside);
  rates = orr_values_and_rates(r, piece->end, r->at.inside).rates;
  orr_quarters(r, piece, v);
  for (int k = 0; k < r->model->surface_count; ++k) {
    const double rate = rates[3 * k] * width, second = rates[3 * k + 1] * width * width;
    double c[5], low = v[0][k], high = v[0][k], range;
    if (isnan(rate)) continue;
    orr_quartic(v, k, c);
    for (int j = 1; j < 5; ++j) {
      low = v[j][k] < low ? v[j][k] : low;
      high = v[j][k] > high ? v[j][k] : high;
    }
    range = high - low + 1e-12 * fabs(v[4][k]);
    if (fabs(rate - 4 * (c[4] - c[3])) > 0.5 * range) return 1;
    if (fabs(second - 12 * (c[4] - 2 * c[3] + c[2])) > 8 * range) return 1;
  }
  return 0;
}

/* Dense output is rounded by the size of the whole step: so is what leaves zero in it. */
static void orr_widen_bands(orr_run *r, double end, double after) {
  const double *v[5], *early = orr_sample_at(r, 5);
  orr_quarters(r, &r->piece[0], v);
  r->leaving_until = -INFINITY;
  for (int k = 0; k < r->model->surface_count; ++k) {
    double largest = 0, band;
    if (r->at.leave_rate[k] >= 0) {
      for (int j = 0; j < 5; ++j) largest = orr_max(largest, fabs(v[j][k]));
      band = 16 * DBL_EPSILON * largest;
      if (band > r->at.band[k]) orr_set_band(r, k, band);
      if (isinf(r->at.left_at[k]) && fabs(v[4][k]) > r->at.band[k]) r->at.left_at[k] = end;
    }
  }
  r->leaving_until = -INFINITY;
  for (int k = 0; k < r->model->surface_count; ++k) r->leaving_until = orr_max(r->leaving_until, r->at.left_at[k]);
  for (int k = 0; k < r->model->surface_count; ++k) {
    const double second = r->at.leave_second[k];
    double e;
    if (r->at.leave_rate[k] < 0 || r->at.leads[k] == 0) continue;
    e = 0.5 * second * after - r->at.side[k] * early[k] / after;
    if (e > 0 && 1.5 * e * e > r->at.band[k] * second) orr_set_band(r, k, 1.5 * e * e / second);
  }
}

static void orr_first_piece(orr_run *r) {
  const double begin = r->watched, end = r->step_end, h = (end - begin) / 4;
  memcpy(orr_sample_at(r, 0), r->at.last, (size_t)r->model->surface_count * sizeof(double));
  for (int j = 1; j < 4; ++j) orr_surfaces_inside(r, begin + j * h, orr_sample_at(r, j));
  orr_surfaces_inside(r, end, orr_sample_at(r, 4));
  r->pieces = 1;
  r->sampled = 5;
  r->piece[0].begin = begin;
  r->piece[0].end = end;
  for (int j = 0; j < 5; ++j) r->piece[0].value[j] = j;
  r->piece[0].depth = r->piece[0].resolved = 0;
  if (begin == r->begun_at && r->some_leave) {
    const double after = (end - begin) * (1.0 / 1024);
    orr_surfaces_inside(r, begin + after, orr_sample_at(r, 5));
    orr_widen_bands(r, end, after);
  }
  r->least_depth = orr_misleads(r) ? 5 : 0;
}

static int orr_halve(orr_run *r) {
  orr_piece *whole = &r->piece[r->pieces - 1], *half = whole + 1;
  const double h = (whole->end - whole->begin) / 8, middle = whole->begin + 4 * h;
  int fresh[4];
  if (r->pieces >= ORR_PIECES) return 0;
  for (int j = 0; j < 4; ++j) {
    fresh[j] = orr_free_sample(r, fresh, j);
    if (fresh[j] < 0) return 0;
    orr_surfaces_inside(r, whole->begin + (2 * j + 1) * h, orr_sample_at(r, fresh[j]));
  }
  r->sampled += 4;
  half->begin = whole->begin;
  half->end = middle;
  half->value[0] = whole->value[0];
  half->value[1] = fresh[0];
  half->value[2] = whole->value[1];
  half->value[3] = fresh[1];
  half->value[4] = whole->value[2];
  whole->begin = middle;
  whole->value[0] = whole->value[2];
  whole->value[1] = fresh[2];
  whole->value[2] = whole->value[3];
  whole->value[3] = fresh[3];
  half->depth = ++whole->depth;
  half->resolved = whole->resolved = 0;
  ++r->pieces;
  return 1;
}

static int orr_search_step(orr_run *r) {
  if (r->open && r->watched < r->step_end) orr_first_piece(r);
  r->open = 0;
  while (r->pieces > 0) {
    orr_piece *piece = &r->piece[r->pieces - 1];
    const double *v[5];
    orr_quarters(r, piece, v);
    r->last_piece = *piece;
    if (!piece->resolved) {
      const int trusted = piece->depth >= r->least_depth, doubt = piece->depth < 8;
      const int divisible = piece->end - piece->begin > r->coincidence && piece->depth < 40 && r->sampled < 4000;
      if ((trusted || !divisible) && orr_pass_quietly(r, piece->end, v)) {
        --r->pieces;
        continue;
      }
      if (divisible && !(trusted && orr_all_resolved(r, v, doubt)) && orr_halve(r)) continue;
      piece->resolved = 1;
    }
    if (orr_look(r, piece, v)) return 1;
    --r->pieces;
  }
  return 0;
}

/* Adds a surface to those that cross if it goes through zero here. */
static void orr_join(orr_run *r, int k, double g, double slope, double rounding, int *count) {
  const int is_mode = orr_is_mode(&r->model->surface[k]);
  int moves;
  if (r->at.side[k] == 0 || r->at.limit[k] >= 0) return;
  moves = slope != 0 && fabs(g) <= fabs(slope) * r->coincidence;
  if (moves && !is_mode) r->at.near[r->nears++] = k;
  if (!(r->at.side[k] * slope < 0) || !(moves || fabs(g) <= rounding)) return;
  if (is_mode || orr_is_wanted(r, k, -(int)r->at.side[k]))
    orr_add_crossing(r->at.judged, count, k, r->at.side[k] < 0 ? 1 : -1, g, g);
  else
    r->at.passing[r->passings++] = k;
}

static int orr_is_near_zero(orr_run *r, const double *const *v, double width) {
  const double near = 64 * r->coincidence / width;
  int next = 0;
  if (r->found == 0) {
    r->louds = r->model->surface_count;
    for (int k = 0; k < r->louds; ++k) r->at.loud[k] = k;
  }
  for (int j = 0; j < r->louds; ++j) {
    const int k = (int)r->at.loud[j];
    double g, most = 0, low, high;
    if (next < r->found && (int)r->at.found[4 * next] == k) {
      ++next;
      continue;
    }
    g = r->found == 0 ? v[4][k] : r->at.at_end[k];
    for (int i = 0; i < 5; ++i) most += fabs(v[i][k]);
    if (fabs(g) > 2 * near * most) continue;
    low = high = v[0][k];
    for (int i = 1; i < 5; ++i) {
      low = v[i][k] < low ? v[i][k] : low;
      high = v[i][k] > high ? v[i][k] : high;
    }
    if (fabs(g) <= near * (high - low)) return 1;
  }
  return 0;
}

static int orr_find_crossing(orr_run *r) {
  const double end = r->step_end;
  const double *v[5];
  orr_values exact;
  int count = 0, stops;
  if (orr_search_step(r)) {
    const double wide = r->last_piece.end - r->last_piece.begin;
    orr_quarters(r, &r->last_piece, v);
    if (r->model->surface_count > r->found && orr_is_near_zero(r, v, wide)) {
      int next = 0;
      orr_interpolate(r, r->found_time, r->at.inside);
      exact = orr_values_and_rates(r, r->found_time, r->at.inside);
      r->passings = r->nears = 0;
      for (int j = 0; j < r->louds; ++j) {
        const int k = (int)r->at.loud[j];
        if (next < r->found && (int)r->at.found[4 * next] == k) {
          memcpy(r->at.judged + 4 * count++, r->at.found + 4 * next++, 4 * sizeof(double));
        } else {
          orr_join(r, k, r->at.at_end[k], exact.rates[3 * k], orr_rounding(k, &exact), &count);
        }
      }
      orr_swap(&r->at.found, &r->at.judged);
      r->found = count;
    }
    return 1;
  }
  stops = orr_next_event(r) <= end + r->time_tolerance || end >= r->options.stop - r->time_tolerance;
  r->found = 0;
  if (!stops || r->last_piece.end != end) return 0;
  orr_quarters(r, &r->last_piece, v);
  if (!orr_is_near_zero(r, v, r->last_piece.end - r->last_piece.begin)) return 0;
  orr_interpolate(r, end, r->at.inside);
  exact = orr_values_and_rates(r, end, r->at.inside);
  r->passings = r->nears = 0;
  for (int k = 0; k < r->model->surface_count; ++k) {
    double c[5];
    orr_quartic(v, k, c);
    orr_join(r, k, v[4][k],
             isnan(exact.rates[3 * k]) ? 4 * (c[4] - c[3]) / (r->last_piece.end - r->last_piece.begin)
                                       : exact.rates[3 * k],
             orr_rounding(k, &exact), &count);
  }
  orr_swap(&r->at.found, &r->at.judged);
  r->found = count;
  if (count == 0) {
    orr_note_near(r, end);
    return 0;
  }
  r->found_time = end;
  for (int k = 0; k < r->model->surface_count; ++k) r->at.at_end[k] = v[4][k];
  return 1;
}

static void orr_settle_watch(orr_run *r) {
  int next = 0;
  r->turns = 0;
  r->watched = r->found_time;
  for (int k = 0; k < r->model->surface_count; ++k) r->at.last[k] = r->at.at_end[k];
  for (int j = 0; j < r->passings; ++j) orr_take_side(r, (int)r->at.passing[j], -(int)r->at.side[(int)r->at.passing[j]]);
  orr_note_near(r, r->watched);
  for (int j = 0; j < r->louds; ++j) {
    const int k = (int)r->at.loud[j], is_mode = orr_is_mode(&r->model->surface[k]);
    double *last = &r->at.last[k];
    if (next < r->found && (int)r->at.found[4 * next] == k) {
      const int direction = (int)r->at.found[4 * next++ + 1];
      if (is_mode) continue;
      orr_note_fired(r, k, r->watched, direction, *last);
      if (*last * direction < 0) *last = 0;
      r->at.side[k] = r->options.zero_threshold > 0 && !(fabs(*last) > r->options.zero_threshold) ? 0 : direction;
      continue;
    }
    if (orr_keeps_side(r, k, *last) || is_mode) continue;
    if (r->at.side[k] * *last < 0 && orr_keeps_side(r, k, r->at.before[k])) r->at.at_zero[k] = r->watched;
    orr_change_side(r, k, *last);
  }
}

static void orr_open_search(orr_run *r) {
  r->open = 1;
  r->pieces = 0;
  r->turns = 0;
  r->last_piece.end = NAN;
}

static void orr_look_anew(orr_run *r) {
  orr_surfaces_at(r, r->t, orr_states(r), r->at.last);
  for (int k = 0; k < r->model->surface_count; ++k) {
    const orr_surface *s = &r->model->surface[k];
    if (orr_is_mode(s)) r->at.side[k] = orr_mode_of(r, s) != 0 ? 1 : -1;
  }
  r->watched = r->t;
  orr_correct(r, r->t, r->at.last);
  orr_open_search(r);
}

static int orr_go_back(orr_run *r) {
  if (r->turns == 0) return 0;
  orr_surfaces_inside(r, r->t, r->at.g);
  for (int j = 0; j < r->turns; ++j) {
    const int k = (int)r->at.turned[j];
    orr_take_side(r, k, r->at.g[k] == 0 ? -(int)r->at.side[k] : orr_sign(r->at.g[k]));
  }
  for (int k = 0; k < r->model->surface_count; ++k) r->at.last[k] = r->at.g[k];
  r->watched = r->t;
  orr_open_search(r);
  return 1;
}

/* After each step. */
static void orr_open_watch(orr_run *r) {
  const int count = r->model->surface_count;
  const double width = r->step_end - r->t;
  int disturbed = 0;
  if (r->undecided && r->t > r->begun_at) {
    r->undecided = 0;
    for (int k = 0; k < count; ++k) {
      const orr_surface *s = &r->model->surface[k];
      if (!orr_is_mode(s) && s->edge && r->at.side[k] == 0 && r->options.zero_threshold == 0) r->at.side[k] = -1;
    }
  }
  for (int k = 0; k < count; ++k) disturbed = disturbed || r->at.limit[k] >= 0;
  if (disturbed) {
    orr_interpolate(r, r->step_end, r->at.inside);
    orr_surfaces_at(r, r->step_end, r->at.inside, r->at.g);
    disturbed = 0;
    for (int k = 0; k < count; ++k) disturbed = disturbed || (r->at.limit[k] >= 0 && r->at.g[k] != 0);
  }
  if (disturbed) {
    const orr_values v = orr_values_and_rates(r, r->step_end, r->at.inside);
    for (int k = 0; k < count; ++k) {
      const double way = (fabs(v.rates[3 * k]) + fabs(v.rates[3 * k + 1]) * width) * width;
      if (r->at.limit[k] < 0) continue;
      orr_set_still(r, k,
                    way <= orr_max(orr_rounding(k, &v), r->at.noise[k]) && fabs(v.g[k]) <= r->at.limit[k],
                    v.rates[3 * k + 2]);
    }
  }
  orr_open_search(r);
}

/* The first step after a start goes a little further than to the next crossing that values and rates predict. */
static void orr_set_first_limit(orr_run *r, const orr_values *v) {
  double soonest = INFINITY, ahead, mantissa;
  int exponent = 0;
  for (int k = 0; k < r->model->surface_count; ++k) {
    const double side = r->at.side[k], second = v->rates[3 * k + 1];
    double a, b, c, root, q, one, other;
    if (side == 0 || isnan(v->rates[3 * k])) continue;
    c = side * r->at.last[k];
    b = side * v->rates[3 * k];
    a = isnan(second) ? 0 : 0.5 * side * second;
    root = sqrt(b * b - 4 * a * c);
    q = -0.5 * (b + copysign(root, b));
    one = q / a;
    other = c / q;
    if (one > 0 && one < soonest) soonest = one;
    if (other > 0 && other < soonest) soonest = other;
  }
  ahead = orr_max(1.25 * soonest, 16 * r->coincidence);
  mantissa = frexp(ahead, &exponent);
  r->first_limit = isfinite(ahead) ? r->t + ldexp(round(256 * mantissa), exponent - 8) : ahead;
}

/* How far a surface gets between two crossings, in tolerances. */
static double orr_way_between(orr_run *r, int surface, double interval) {
  orr_values v;
  orr_freshen(r);
  v = orr_values_and_rates(r, r->t, orr_states(r));
  if (!v.rates || isnan(v.rates[3 * surface])) return INFINITY;
  return fabs(v.rates[3 * surface]) * interval /
         (r->options.atol + r->options.rtol * v.rates[3 * surface + 2]);
}

/* The ratio of successive intervals where they have shrunk like a geometric series, however slowly; 1: they have not. */
static double orr_slow_ratio(const orr_rhythm *w, double t) {
  const double last_to_mean = w->interval * w->crawling / (t - w->crawling_since);
  double ratio = 0.99;
  if (!(last_to_mean < 0.01)) return 1;
  for (int k = 0; k < 50; ++k)
    ratio = orr_min(0.99999, pow(last_to_mean / (w->crawling * (1 - ratio)), 1 / w->crawling));
  return ratio;
}

static int orr_hundredth(double count, double least) { return count >= least && fmod(count, 100) == 0; }

/* Zeno and chattering (sim/rhythm.h): 0: fine, 1: crossings accumulate, 2: they do not end. */
static int orr_rhythm_of(orr_run *r, int surface) {
  orr_rhythm *w = (orr_rhythm *)(void *)(r->at.rhythm + ORR_RHYTHM * (size_t)surface);
  const double t = r->t, horizon = r->horizon, now = t - w->last, ratio = now / w->interval;
  const double rest = now * ratio / (1 - ratio);
  w->shrinking = now > 0 && ratio < 0.9999 ? w->shrinking + 1 : 0;
  if (w->crawling == 0) w->crawling_since = w->last;
  w->crawling = now < 1e-6 * horizon ? w->crawling + 1 : 0;
  w->last = t;
  w->interval = now;
  if (t - w->window > 1e-7 * horizon) {
    w->window = t;
    w->in_window = 0;
  }
  if (w->shrinking >= 8 && ratio < 0.95) {
    w->end = t + rest;
    w->shortest = now;
    w->behind = 0;
  } else if (now > 8 * w->shortest) {
    w->end = INFINITY;
  } else if (t > w->end) {
    w->behind += 1;
  }
  if (w->shrinking >= 8 && rest <= 1e-10 * horizon) return 1;
  w->in_window += 1;
  if (w->in_window > 1000) return 2;
  if (orr_min(w->crawling, w->turned_back) >= 200) return 2;
  if (orr_hundredth(w->crawling, 1000) && orr_way_between(r, surface, w->interval) <= 1e-4)
    return orr_slow_ratio(w, t) == 1 ? 2 : 1;
  return orr_hundredth(w->behind, 100) && w->crawling >= 100 && orr_way_between(r, surface, w->interval) <= 1e-2;
}

static int orr_keeps_rhythm(orr_run *r, int surface) {
  const orr_surface *s = &r->model->surface[surface];
  const int verdict = orr_rhythm_of(r, surface);
  if (verdict == 0 || s->shown) return 1;
  orr_say(r, ORR_ERROR, s->path,
          verdict == 1 ? "its crossings accumulate and the run cannot pass"
                       : "its condition crosses zero again and again without end");
  return 0;
}

/* With the surfaces as they are after the modes have changed: which of these are driven back to where they come from? */
static void orr_note_turns(orr_run *r, const double *crossing, int count, const orr_values *v) {
  for (int j = 0; j < count; ++j) {
    const int k = (int)crossing[4 * j];
    orr_rhythm *w = (orr_rhythm *)(void *)(r->at.rhythm + ORR_RHYTHM * (size_t)k);
    if (!orr_is_mode(&r->model->surface[k])) continue;
    w->turned_back = v->rates && v->rates[3 * k] * crossing[4 * j + 1] < 0 ? w->turned_back + 1 : 0;
  }
}

/* The loop. */

static int orr_begin_steps(orr_run *r) {
  const int known = r->started;
  if (orr_start_solver(r) != ORR_ON) return ORR_FAILED;
  if (r->model->surface_count > 0) {
    orr_values v;
    if (r->model->surface_loops > 0)
      orr_solve(r, r->model->surface_loop, r->model->surface_loops, r->t, orr_states(r));
    v = orr_values_now(r, known);
    if (orr_is_stuck(r, &v)) return ORR_FAILED;
    orr_watch_begin(r, &v, !known && !r->model->fixed_step);
    if (!r->model->fixed_step) orr_set_first_limit(r, &v);
  }
  r->restart_needed = 0;
  return ORR_ON;
}

/* Events wait for the end of the step, sides are compared where steps end, modes do not exist. */
static int orr_fixed_phase(orr_run *r) {
  orr_values v;
  int flow;
  if (r->restart_needed && orr_find_jumps(r)) return orr_handle(r, ORR_JUMPED);
  flow = orr_end_instant(r);
  if (flow != ORR_ON) return flow;
  if (r->restart_needed && (!orr_assertions_hold(r) || orr_begin_steps(r) != ORR_ON)) return ORR_FAILED;
  if (orr_integrator_step(r, orr_min(r->options.stop, r->step_limit)) != ORR_ON) return ORR_FAILED;
  orr_go_to(r, r->step_end);
  if (!orr_assertions_hold(r)) return ORR_FAILED;
  orr_show(r, ORR_ROW_MESH);
  flow = orr_fire_steps(r);
  if (flow == ORR_ON) flow = orr_run_first(r, r->t + r->time_tolerance);
  if (flow != ORR_ON || r->model->surface_count == 0) return flow;
  v = orr_values_now(r, 1);
  return orr_judge(r, &v, 0, 1) ? orr_handle(r, ORR_STEPPED) : ORR_ON;
}

/* What happens inside the last step, before the next one. */
static int orr_consume_step(orr_run *r) {
  const double end = r->step_end;
  int searched = r->model->surface_count == 0, crossing = 0, crossed = 0;
  while (r->t < end) {
    const double event = orr_next_event(r);
    double reach;
    int flow = ORR_ON;
    if (!searched && !(crossed && event <= r->t && r->model->all_rates)) {
      crossing = orr_find_crossing(r);
      searched = 1;
    }
    crossed = 0;
    reach = crossing ? r->found_time : end;
    if (crossing && fabs(event - reach) <= r->coincidence) {
      reach = r->found_time = orr_clamp(orr_instant_at(r, event), r->t, end);
    } else if (!crossing && fabs(event - end) <= r->time_tolerance) {
      reach = orr_clamp(orr_instant_at(r, event), r->t, end);
    } else if (event < reach - r->time_tolerance) {
      r->t = orr_clamp(orr_instant_at(r, event), r->t, end);
      r->stale = 1;
      if (orr_go_back(r)) searched = 0;
      flow = orr_run_due(r, r->t + r->time_tolerance);
      if (flow == ORR_ON && !r->restart_needed) flow = orr_end_instant(r);
      if (flow != ORR_ON || r->restart_needed) return flow;
      if (r->shown_moved) {
        r->shown_moved = 0;
        orr_freshen(r);
        if (!orr_relax(r, 1)) return ORR_FAILED;
        orr_look_anew(r);
        searched = r->model->surface_count == 0;
      }
      if (!orr_assertions_hold(r)) return ORR_FAILED;
      continue;
    }
    r->t = reach;
    r->stale = 1;
    if (!crossing) {
      if (!orr_assertions_hold(r)) return ORR_FAILED;
      orr_show(r, ORR_ROW_MESH);
      if (!r->model->step_sources) return ORR_ON;
      orr_freshen(r);
      return orr_fire_steps(r);
    }
    if (r->model->step_sources) {
      orr_freshen(r);
      flow = orr_fire_steps(r);
    }
    if (flow == ORR_ON) flow = orr_run_first(r, r->t + r->time_tolerance);
    if (flow == ORR_ON) flow = orr_handle(r, ORR_LOCATED);
    if (flow == ORR_ON && !r->restart_needed) flow = orr_end_instant(r);
    if (flow != ORR_ON || r->restart_needed) return flow;
    if (!orr_assertions_hold(r)) return ORR_FAILED;
    searched = crossing = 0;
    crossed = 1;
  }
  return ORR_ON;
}

static int orr_continuous_phase(orr_run *r) {
  double limit;
  int flow;
  if (r->restart_needed) {
    if (r->has_modes && !orr_relax(r, 1)) return ORR_FAILED;
    if (orr_find_jumps(r)) return orr_handle(r, ORR_JUMPED);
  }
  flow = orr_end_instant(r);
  if (flow != ORR_ON) return flow;
  if (r->restart_needed && (!orr_assertions_hold(r) || orr_begin_steps(r) != ORR_ON)) return ORR_FAILED;
  limit = orr_min(orr_min(r->options.stop, orr_instant_at(r, orr_next_critical(r))), r->step_limit);
  if (limit <= r->t) return ORR_ON;
  limit = orr_min(limit, r->first_limit);
  r->first_limit = INFINITY;
  if (orr_integrator_step(r, limit) != ORR_ON) return ORR_FAILED;
  if (r->model->surface_count > 0) orr_open_watch(r);
  return orr_consume_step(r);
}

static int orr_finish(orr_run *r, int end) {
  const int ends = end == ORR_REACHED || end == ORR_STOPPED || end == ORR_RESTART;
  orr_freshen(r);
  if (end == ORR_STOPPED && r->has_modes) {
    orr_keep_modes(r, r->at.kept);
    orr_preview(r);
  }
  if (ends && !r->ended) {
    const int holds = orr_assertions_hold(r);
    r->ended = holds;
    if (!holds) end = ORR_FAILED;
    for (int k = 0; k < r->model->sources && end != ORR_FAILED; ++k) {
      if (r->model->source[k].kind == ORR_FINAL && orr_fire(r, k, 0) == ORR_FAILED) end = ORR_FAILED;
    }
  }
  if (end != ORR_FAILED) orr_take_row(r, ORR_ROW_MESH);
  return end;
}

static int orr_round(orr_run *r) {
  double event = orr_next_event(r), next;
  int flow;
  if (!r->model->fixed_step && event > r->t && event <= r->t + r->time_tolerance) {
    const double instant = orr_min(orr_instant_at(r, event), r->options.stop);
    r->t = instant;
    if (r->has_continuous && r->started) r->stale = 1;
  }
  flow = orr_run_due(r, r->t + r->time_tolerance);
  if (flow != ORR_ON) return flow;
  if (orr_at_stop(r)) {
    if (!r->has_continuous || !r->restart_needed) return ORR_REACHED;
    if (!orr_relax(r, 1)) return ORR_FAILED;
    if (!orr_find_jumps(r)) return ORR_REACHED;
    return orr_handle(r, ORR_JUMPED);
  }
  if (r->t >= r->until || (r->single && (r->t > r->from || r->events != r->from_events))) return ORR_PAUSED;
  if (r->has_continuous) return r->model->fixed_step ? orr_fixed_phase(r) : orr_continuous_phase(r);
  flow = orr_end_instant(r);
  if (flow != ORR_ON) return flow;
  if (!orr_assertions_hold(r)) return ORR_FAILED;
  next = orr_min(orr_min(orr_next_event(r), r->options.stop), orr_max(r->until, r->t));
  r->t = orr_max(r->t, orr_instant_at(r, next));
  return ORR_ON;
}

static int orr_go(orr_run *r, double until, double limit, int single) {
  int flow = ORR_ON;
  r->until = until;
  r->step_limit = limit;
  r->single = single;
  r->from = r->t;
  r->from_events = r->events;
  if (!r->begun) flow = orr_initialise(r);
  while (flow == ORR_ON) {
    flow = orr_round(r);
    if (r->loops_failed) {
      flow = orr_say(r, ORR_ERROR, r->model->loop[r->loops_failed - 1].path, "its equations have no solution here");
      r->loops_failed = 0;
    }
    if (flow == ORR_ON && orr_troubled(r)) flow = orr_report_trouble(r);
  }
  return orr_finish(r, flow);
}

int orr_advance(orr_run *r, double until) { return orr_go(r, until, INFINITY, 0); }
int orr_advance_exactly(orr_run *r, double until) { return orr_go(r, until, until, 0); }
int orr_step(orr_run *r) { return orr_go(r, INFINITY, INFINITY, 1); }
int orr_advance_within(orr_run *r, double until, double limit, int single) { return orr_go(r, until, limit, single); }

/* Beginning. */

static double *orr_doubles(orr_cell **next, size_t count) {
  double *at = &(*next)->d;
  *next += count;
  return at;
}

static long long *orr_integers(orr_cell **next, size_t count) {
  long long *at = &(*next)->i;
  *next += count;
  return at;
}

static void orr_bind(orr_run *r) {
  const orr_model *m = r->model;
  const size_t n = (size_t)m->states, s = (size_t)m->surface_count, c = (size_t)m->columns;
  const size_t q = ORR_QUEUE * (size_t)m->queues, z = (size_t)m->most_unknowns;
  orr_room *at = &r->at;
  orr_cell *next = r->work;
  double **by_state[] = {&at->begin, &at->end, &at->k[0], &at->k[1], &at->k[2], &at->k[3], &at->k[4],
                         &at->k[5],  &at->k[6], &at->d,   &at->p,    &at->q,    &at->r,    &at->tolerance,
                         &at->ahead, &at->slope, &at->slope_ahead, &at->inside};
  double **by_surface[] = {&at->g,         &at->speed,       &at->g_ahead,   &at->side,         &at->last,
                           &at->at_zero,   &at->fired_at,    &at->fired_value, &at->fired_way,  &at->noise,
                           &at->limit,     &at->at_end,      &at->before,    &at->first,        &at->trial,
                           &at->band,      &at->left_at,     &at->leave_rate, &at->leave_second, &at->leads,
                           &at->loud,      &at->turned,      &at->near,      &at->passing,      &at->flips,
                           &at->kept,      &at->kept_trial,  &at->tried};
  double **by_unknown[] = {&at->z,     &at->guess,          &at->next,   &at->residual, &at->next_residual, &at->move,
                           &at->check, &at->start_residual, &at->offset, &at->last_z,   &at->inverse,       &at->pivot};
  for (size_t k = 0; k < sizeof by_state / sizeof *by_state; ++k) *by_state[k] = orr_doubles(&next, n);
  for (size_t k = 0; k < sizeof by_surface / sizeof *by_surface; ++k) *by_surface[k] = orr_doubles(&next, s);
  for (size_t k = 0; k < sizeof by_unknown / sizeof *by_unknown; ++k) *by_unknown[k] = orr_doubles(&next, z);
  at->rates = orr_doubles(&next, 3 * s);
  at->rates_ahead = orr_doubles(&next, 3 * s);
  at->rhythm = orr_doubles(&next, ORR_RHYTHM * s);
  at->found = orr_doubles(&next, 4 * s);
  at->judged = orr_doubles(&next, 4 * s);
  at->located = orr_doubles(&next, 4 * s);
  at->samples = orr_doubles(&next, (m->fixed_step ? 6 : ORR_SAMPLES) * s);
  at->settled = orr_doubles(&next, (size_t)m->held_count);
  at->due = orr_doubles(&next, (size_t)m->sources);
  at->order = orr_integers(&next, (size_t)m->sources);
  at->pending_tick = orr_integers(&next, (size_t)m->domains);
  at->tick_time = orr_doubles(&next, (size_t)m->domains);
  at->results = orr_doubles(&next, (size_t)m->results);
  at->warned = orr_doubles(&next, (size_t)m->assertion_count);
  at->row = orr_doubles(&next, c);
  at->last_row = orr_doubles(&next, c);
  at->queue_time = orr_doubles(&next, q);
  at->queue_order = orr_integers(&next, q);
  at->queue_source = orr_integers(&next, q);
  at->matrix = orr_doubles(&next, z * z);
  at->entries = orr_doubles(&next, (size_t)m->most_entries);
}

void orr_begin(orr_run *r, const orr_model *model, void *memory, orr_cell *work, const orr_options *options,
               const orr_listener *listener) {
  const orr_options *o = options ? options : &model->options;
  orr_rhythm *rhythm;
  double stop, span, scale;
  memset(r, 0, sizeof *r);
  r->model = model;
  r->memory = memory;
  r->work = work;
  memcpy(memory, model->initial, model->memory);
  memset(work, 0, model->work * sizeof(orr_cell));
  orr_bind(r);
  r->options = *o;
  if (r->options.atol <= 0) r->options.atol = r->options.rtol;
  if (listener) r->listener = *listener;
  r->t = o->start;
  /* A run without end has the scale of time of the model's own. */
  stop = o->stop < INFINITY ? o->stop : model->options.stop;
  span = stop - o->start;
  scale = orr_max(orr_max(fabs(o->start), fabs(stop)), span);
  r->time_tolerance = o->time_tolerance > 0 ? o->time_tolerance : 4 * 2.220446049250313e-16 * scale;
  r->coincidence = o->time_tolerance > 0 ? o->time_tolerance : 256 * r->time_tolerance;
  r->horizon = span;
  r->longest = o->hmax > 0 ? o->hmax : span / 100;
  r->restart_needed = r->undecided = 1;
  r->first_limit = INFINITY;
  r->speed_at = NAN;
  r->instant = 0;
  r->left_at = -INFINITY;
  for (int k = 0; k < model->sources; ++k) r->at.due[k] = INFINITY;
  for (int d = 0; d < model->domains; ++d) r->at.tick_time[d] = -INFINITY;
  for (int k = 0; k < model->surface_count; ++k) {
    r->at.side[k] = 1;
    r->at.limit[k] = -1;
    r->at.at_zero[k] = r->at.fired_at[k] = r->at.fired_value[k] = NAN;
    rhythm = (orr_rhythm *)(void *)(r->at.rhythm + ORR_RHYTHM * (size_t)k);
    rhythm->last = rhythm->window = -INFINITY;
    rhythm->interval = rhythm->end = INFINITY;
    r->has_modes = r->has_modes || orr_is_mode(&model->surface[k]);
  }
  r->has_continuous = model->states > 0 || model->surface_count > 0 || model->step_sources ||
                      (model->continuous_columns && r->options.record);
}

/* Local tolerances for those the user asks for. */
static void orr_set_tolerances(orr_run *r) {
  const orr_model *m = r->model;
  const double tight = orr_clamp(r->options.rtol / 1e-8, 0.01, 1.0);
  int shadows = 0;
  double factor, shadow_scale;
  for (int i = 0; i < m->states; ++i) shadows += m->tolerances[i] < 0;
  factor = (shadows == m->states ? 1 : sqrt((double)(m->states - shadows) / (double)m->states)) * tight;
  shadow_scale = r->longest > 0 ? orr_min(1.0, r->longest / 100) : 1.0;
  for (int i = 0; i < m->states; ++i) {
    const double own = m->tolerances[i];
    double tolerance = own > 0 ? factor * own : factor * r->options.atol;
    if (own < 0) tolerance = orr_max(1e-3, tolerance) * shadow_scale;
    if (!(own > 0)) tolerance *= m->nominals[i];
    r->at.tolerance[i] = orr_max(tolerance, 1e-300);
  }
  r->rtol = factor * r->options.rtol;
}

int orr_initialise(orr_run *r) {
  const orr_model *m = r->model;
  int flow;
  r->begun = 1;
  for (int k = 0; k < m->starts; ++k) m->start[k](r->t, orr_states(r), NULL, r->memory, 0);
  if (orr_troubled(r)) return orr_report_trouble(r);
  for (int k = 0; k < m->sources; ++k) {
    if (m->source[k].kind == ORR_CLOCK) orr_set_tick(r, k, orr_tick_after(&m->domain[m->source[k].domain], -1));
  }
  flow = orr_fire(r, 0, 0);
  if (flow != ORR_ON) return flow;
  if (!orr_relax(r, 1)) return ORR_FAILED;
  orr_set_tolerances(r);
  orr_take_row(r, ORR_ROW_INITIAL);
  return ORR_ON;
}

/* From outside. */

static void orr_write(orr_run *r, size_t offset, int variable, const double *values) {
  const orr_variable *v = &r->model->variable[variable];
  const int count = v->rows * v->cols * (v->type == ORR_C128 ? 2 : 1);
  if (offset == ORR_NONE) return;
  for (int k = 0; k < count; ++k)
    orr_store(r->memory + offset + (size_t)k * orr_width(v->type), v->type, values ? values[k] : 0);
}

int orr_set_input(orr_run *r, int input, const double *value, const double *slope) {
  const orr_input *in = &r->model->input[input];
  if (in->variable < 0) return orr_program_at(r, in->source, r->t);
  orr_write(r, in->next, in->variable, value);
  orr_write(r, in->next_slope, in->variable, slope);
  if (r->begun) return orr_program_at(r, in->source, r->t);
  orr_write(r, in->value, in->variable, value);
  orr_write(r, in->slope, in->variable, slope);
  if (in->since != ORR_NONE) *(double *)(void *)(r->memory + in->since) = r->t;
  return ORR_ON;
}

void orr_activate(orr_run *r, unsigned long long mask) {
  int bit = 0;
  for (int k = 0; k < r->model->inputs; ++k) {
    if (r->model->input[k].variable >= 0) continue;
    if (mask >> bit & 1) orr_program_at(r, r->model->input[k].source, r->t);
    ++bit;
  }
}

void orr_set_parameter(orr_run *r, int parameter, const double *values) {
  const orr_parameter *p = &r->model->parameter[parameter];
  orr_write(r, r->model->variable[p->variable].offset, p->variable, values);
  if (p->given != ORR_NONE) r->memory[p->given] = 1;
}

void orr_set_step(orr_run *r, double step) {
  r->options.step = step;
  r->grid_start = r->t;
  r->grid_count = 0;
  if (!r->model->fixed_step) r->longest = step;
}

int orr_find_parameter(const orr_model *model, const char *name) {
  for (int k = 0; k < model->parameters; ++k) {
    if (strcmp(model->variable[model->parameter[k].variable].name, name) == 0) return k;
  }
  return -1;
}

void orr_outputs(orr_run *r) {
  orr_freshen(r);
  orr_evaluate_outputs(r, r->t, orr_states(r));
}

double orr_element(const orr_model *model, const void *memory, size_t offset, int type, int element) {
  return orr_number(model, memory, offset + (size_t)element * orr_width(type), type);
}

void orr_refresh(orr_run *r) { orr_freshen(r); }

void orr_end(orr_run *r) { orr_finish(r, ORR_REACHED); }

/* Somebody else integrates. */

int orr_derivatives(orr_run *r, double *derivatives) {
  if (r->model->states == 0) return 1;
  orr_freshen(r);
  return orr_trial_derivative(r, r->t, orr_states(r), derivatives) == 0 && orr_finite(derivatives, r->model->states);
}

void orr_hold_input(orr_run *r, int input, const double *values) {
  const orr_input *in = &r->model->input[input];
  orr_write(r, in->next, in->variable, values);
  orr_write(r, in->next_slope, in->variable, NULL);
  orr_write(r, in->value, in->variable, values);
  orr_write(r, in->slope, in->variable, NULL);
  if (in->since != ORR_NONE) *(double *)(void *)(r->memory + in->since) = r->t;
}

void orr_surface_values(orr_run *r, double *values) {
  if (r->model->surface_count == 0) return;
  orr_freshen(r);
  orr_surfaces_at(r, r->t, orr_states(r), values);
  if (r->started) orr_correct(r, r->t, values);
  for (int k = 0; k < r->model->surface_count; ++k) { /* of blocks that do not run */
    if (isnan(values[k])) values[k] = r->at.side[k] < 0 ? -DBL_MIN : DBL_MIN;
  }
}

int orr_check_assertions(orr_run *r) { return orr_assertions_hold(r); }

/* Modes as they are on this side, then the crossings that have happened since the last events. */
static int orr_take_crossings(orr_run *r) {
  orr_values v;
  if (!r->started || r->model->surface_count == 0) return ORR_ON;
  r->in_instant = 1;
  if (r->has_modes) {
    orr_keep_modes(r, r->at.kept);
    if (!orr_relax(r, 1)) return ORR_FAILED;
    r->restart_needed = 1;
  }
  v = orr_values_now(r, 1);
  if (!orr_judge(r, &v, 0, 1)) return ORR_ON;
  r->restart_needed = 1;
  return orr_call_owners(r, ORR_STEPPED);
}

static int orr_take_all(orr_run *r, int stepped) {
  const double limit = r->t + r->time_tolerance;
  int flow = orr_run_left(r); /* importers have given the values of before */
  if (flow == ORR_ON && stepped) flow = orr_fire_steps(r);
  if (flow == ORR_ON) flow = orr_run_first(r, limit);
  if (flow == ORR_ON) flow = orr_take_crossings(r);
  while (flow == ORR_ON) {
    flow = orr_run_due(r, limit);
    if (flow != ORR_ON) return flow;
    if (r->restart_needed) {
      if (r->has_modes && !orr_relax(r, 1)) return ORR_FAILED;
      if (orr_find_jumps(r)) {
        flow = orr_handle(r, ORR_JUMPED);
        continue;
      }
    }
    flow = orr_end_instant(r);
    if (flow != ORR_ON) return flow;
    if (orr_next_event(r) <= limit) continue;
    if (r->restart_needed && (!orr_assertions_hold(r) || orr_begin_steps(r) != ORR_ON)) return ORR_FAILED;
    return ORR_ON;
  }
  return flow;
}

int orr_take_events(orr_run *r, int stepped, int *changed) {
  const size_t n = (size_t)r->model->states * sizeof(double);
  const double event = orr_next_event(r);
  int flow;
  memcpy(r->at.inside, r->memory, n);
  /* Importers come at the time they were told, or a rounding before it. */
  if (event > r->t && event <= r->t + r->coincidence) r->t = orr_instant_at(r, event);
  flow = orr_take_all(r, stepped);
  if (r->loops_failed) {
    flow = orr_say(r, ORR_ERROR, r->model->loop[r->loops_failed - 1].path, "its equations have no solution here");
    r->loops_failed = 0;
  }
  *changed = memcmp(r->at.inside, r->memory, n) != 0;
  return flow;
}

/* Saving is copying; pointers lead into the copy. */

static void orr_move_pointers(orr_run *r, const orr_cell *from) {
  double **at = (double **)(void *)&r->at;
  for (size_t k = 0; k < sizeof r->at / sizeof(double *); ++k)
    at[k] = &r->work[(orr_cell *)(void *)at[k] - from].d;
}

void orr_copy(orr_run *to, const orr_run *from) {
  unsigned char *memory = to->memory;
  orr_cell *work = to->work;
  const orr_listener listener = to->listener;
  *to = *from;
  to->memory = memory;
  to->work = work;
  to->listener = listener;
  memcpy(memory, from->memory, from->model->memory);
  memcpy(work, from->work, from->model->work * sizeof(orr_cell));
  orr_move_pointers(to, from->work);
}

size_t orr_saved_size(const orr_model *m) { return m->memory + m->work * sizeof(orr_cell) + sizeof(orr_run); }

void orr_save(const orr_run *r, void *bytes) {
  unsigned char *at = bytes;
  memcpy(at, r->memory, r->model->memory);
  memcpy(at + r->model->memory, r->work, r->model->work * sizeof(orr_cell));
  memcpy(at + r->model->memory + r->model->work * sizeof(orr_cell), r, sizeof *r);
}

void orr_restore(orr_run *r, const void *bytes) {
  const unsigned char *at = bytes;
  unsigned char *memory = r->memory;
  orr_cell *work = r->work;
  const orr_model *model = r->model;
  const orr_listener listener = r->listener;
  const orr_cell *from;
  memcpy(r, at + model->memory + model->work * sizeof(orr_cell), sizeof *r);
  from = r->work;
  r->model = model;
  r->memory = memory;
  r->work = work;
  r->listener = listener;
  memcpy(memory, at, model->memory);
  memcpy(work, at + model->memory, model->work * sizeof(orr_cell));
  orr_move_pointers(r, from);
}
