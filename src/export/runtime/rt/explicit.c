// SPDX-License-Identifier: MIT-0
/* Explicit Runge-Kutta methods and their dense output. A part of orrery_rt.c. */

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

static const orr_table *orr_table_of(const orr_run *r) {
  return &orr_tables[r->options.solver >= ORR_DOPRI ? ORR_RK5 : r->options.solver];
}

/* The slope at the end of a step is k[this]. */
static int orr_stage_count(const orr_run *r) { return r->implicit ? 5 : orr_table_of(r)->stages; }

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
  const int stages = orr_stage_count(r);
  r->dense = 0;
  if (!r->accepted) return;
  orr_swap(&r->at.begin, &r->at.end);
  if (r->end_known) orr_swap(&r->at.k[0], &r->at.k[stages]);
  r->begin_known = r->end_known;
  r->accepted = r->end_known = 0;
}

/* A derivative that needs nothing around it is called at once. */
static int orr_stage_derivative(orr_run *r, double t, const double *x, double *dx) {
  if (!r->plain) return orr_trial_derivative(r, t, x, dx);
  r->model->derivatives(t, x, dx, r->memory, 0);
  return 0;
}

static int orr_evaluate_begin(orr_run *r, double t) {
  int code;
  if (r->begin_known) return 0;
  code = orr_stage_derivative(r, t, r->at.begin, r->at.k[0]);
  r->begin_known = code == 0;
  return code;
}

/* The stages of Dormand and Prince's method, its table written out: with few states that is half of the work. */
static int orr_evaluate_dopri(orr_run *r, double t, double h) {
  const int n = r->model->states;
  const double *restrict x = r->at.begin;
  double *restrict y = r->at.end, *restrict a = r->at.k[0], *restrict b = r->at.k[1], *restrict c = r->at.k[2],
                   *restrict d = r->at.k[3], *restrict e = r->at.k[4], *restrict f = r->at.k[5];
  int code;
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (1.0 / 5 * a[i]);
  code = orr_stage_derivative(r, t + 1.0 / 5 * h, y, b);
  if (code != 0) return code;
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (3.0 / 40 * a[i] + 9.0 / 40 * b[i]);
  code = orr_stage_derivative(r, t + 3.0 / 10 * h, y, c);
  if (code != 0) return code;
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (44.0 / 45 * a[i] + -56.0 / 15 * b[i] + 32.0 / 9 * c[i]);
  code = orr_stage_derivative(r, t + 4.0 / 5 * h, y, d);
  if (code != 0) return code;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] + h * (19372.0 / 6561 * a[i] + -25360.0 / 2187 * b[i] + 64448.0 / 6561 * c[i] + -212.0 / 729 * d[i]);
  code = orr_stage_derivative(r, t + 8.0 / 9 * h, y, e);
  if (code != 0) return code;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] + h * (9017.0 / 3168 * a[i] + -355.0 / 33 * b[i] + 46732.0 / 5247 * c[i] + 49.0 / 176 * d[i] +
                       -5103.0 / 18656 * e[i]);
  code = orr_stage_derivative(r, t + h, y, f);
  if (code != 0) return code;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] + h * (35.0 / 384 * a[i] + 500.0 / 1113 * c[i] + 125.0 / 192 * d[i] + -2187.0 / 6784 * e[i] +
                       11.0 / 84 * f[i]);
  return 0;
}

/* Kutta's method in the same way. */
static int orr_evaluate_rk4(orr_run *r, double t, double h) {
  const int n = r->model->states;
  const double *restrict x = r->at.begin;
  double *restrict y = r->at.end, *restrict a = r->at.k[0], *restrict b = r->at.k[1], *restrict c = r->at.k[2],
                   *restrict d = r->at.k[3];
  int code;
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (0.5 * a[i]);
  code = orr_stage_derivative(r, t + 0.5 * h, y, b);
  if (code != 0) return code;
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (0.5 * b[i]);
  code = orr_stage_derivative(r, t + 0.5 * h, y, c);
  if (code != 0) return code;
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * c[i];
  code = orr_stage_derivative(r, t + h, y, d);
  if (code != 0) return code;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] + h * (1.0 / 6 * a[i] + 1.0 / 3 * b[i] + 1.0 / 3 * c[i] + 1.0 / 6 * d[i]);
  return 0;
}

static int orr_evaluate(orr_run *r, double t, double h) {
  const orr_table *table = orr_table_of(r);
  if (r->options.solver == ORR_RK4) return orr_evaluate_rk4(r, t, h);
  if (r->options.solver >= ORR_RK5) return orr_evaluate_dopri(r, t, h);
  for (int row = 1; row < table->stages; ++row) {
    int code;
    orr_combine(r, table->a[row], table->stages, h);
    code = orr_stage_derivative(r, t + table->c[row] * h, r->at.end, r->at.k[row]);
    if (code != 0) return code;
  }
  orr_combine(r, table->b, table->stages, h);
  return 0;
}

static int orr_evaluate_end(orr_run *r, double t) {
  const int code = orr_stage_derivative(r, t, r->at.end, r->at.k[orr_stage_count(r)]);
  r->end_known = code == 0;
  return code;
}

/* Dense output: x0 + s (d + (1 - s) (p + s (q + (1 - s) r))) (section II.6). */
static double orr_finite_or_zero(double a) { return a - a == 0.0 ? a : 0.0; }

/* One state after the other, where surfaces read few. */
static double orr_dense_of(const orr_run *r, double s, int i) {
  return r->at.begin[i] +
         s * (r->at.d[i] + (1 - s) * (r->at.p[i] + s * (r->at.q[i] + (1 - s) * r->at.r[i])));
}

static void orr_dense_at(const orr_run *r, double s, double *restrict to, int n) {
  const double *restrict x = r->at.begin, *restrict d = r->at.d, *restrict p = r->at.p, *restrict q = r->at.q,
               *restrict last = r->at.r;
  for (int i = 0; i < n; ++i) to[i] = x[i] + s * (d[i] + (1 - s) * (p[i] + s * (q[i] + (1 - s) * last[i])));
}

static void orr_prepare_dense(orr_run *r) {
  const int n = r->model->states, stages = orr_stage_count(r);
  const double h = r->h;
  const double *restrict x = r->at.begin, *restrict y = r->at.end, *restrict a = r->at.k[0], *restrict c = r->at.k[2],
               *restrict e = r->at.k[3], *restrict f = r->at.k[4], *restrict g = r->at.k[5];
  double *restrict d = r->at.d, *restrict p = r->at.p, *restrict q = r->at.q, *restrict last = r->at.r;
  if (!r->end_known) orr_evaluate_end(r, r->step_begin + h);
  if (stages == 6 && r->end_known) {
    const double *restrict z = r->at.k[6];
    for (int i = 0; i < n; ++i) {
      const double move = y[i] - x[i], first = h * a[i] - move;
      d[i] = move;
      p[i] = first;
      q[i] = orr_finite_or_zero(move - h * z[i] - first);
      last[i] = orr_finite_or_zero(h * (-12715105075.0 / 11282082432.0 * a[i] + 87487479700.0 / 32700410799.0 * c[i] +
                                        -10690763975.0 / 1880347072.0 * e[i] + 701980252875.0 / 199316789632.0 * f[i] +
                                        -1453857185.0 / 822651844.0 * g[i] + 69997945.0 / 29380423.0 * z[i]));
    }
  } else {
    for (int i = 0; i < n; ++i) {
      d[i] = y[i] - x[i];
      p[i] = h * a[i] - d[i];
      q[i] = r->end_known ? orr_finite_or_zero(d[i] - h * r->at.k[stages][i] - p[i]) : 0;
      last[i] = 0;
    }
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
  orr_dense_at(r, s, x, n);
}

/* The states that surfaces read, inside the last step. */
static void orr_interpolate_watched(orr_run *r, double t, double *restrict x) {
  const int count = r->model->surface_states;
  double s;
  if (count == 0 || t >= r->step_end || t <= r->step_begin) {
    orr_interpolate(r, t, x);
    return;
  }
  if (!r->dense) orr_prepare_dense(r);
  s = (t - r->step_begin) / r->h;
  for (int k = 0; k < count; ++k) x[r->model->surface_state[k]] = orr_dense_of(r, s, r->model->surface_state[k]);
}
