// SPDX-License-Identifier: MIT-0
/* The method for stiff models. A part of orrery_rt.c.
 *
 * SDIRK of order 4 with 5 stages, L-stable, with an embedded formula of order 3: Hairer and Wanner, Solving Ordinary
 * Differential Equations II, table IV.6.5; control of the steps as in section IV.8. One matrix 1 / (gamma h) - J serves
 * all stages. Algebraic loops are solved within each evaluation; the matrix has their equations behind those of the
 * states, so that it knows how the unknowns follow. k[0] is the slope at the beginning, k[1] to k[5] are the stages, the
 * last of which is the slope at the end. */

#define ORR_GAMMA 0.25

static const double orr_sdirk_node[5] = {0.25, 0.75, 0.55, 0.5, 1};
static const double orr_sdirk_a[5][4] = {{0},
                                         {0.5},
                                         {17.0 / 50, -1.0 / 25},
                                         {371.0 / 1360, -137.0 / 2720, 15.0 / 544},
                                         {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12}};
static const double orr_sdirk_error[5] = {-3.0 / 16, -27.0 / 32, 25.0 / 32, 0, 0.25};
/* The first guess of each slope: polynomials through those before it. */
static const double orr_sdirk_guess[5][5] = {
    {1}, {-2, 3}, {-8.0 / 25, 22.0 / 25, 11.0 / 25}, {-1.0 / 33, 1.0 / 6, -1.0 / 12, 125.0 / 132}, {0, 1, 3, 0, -3}};

/* What became of the stages of one try. */
enum { ORR_CONVERGED, ORR_SLOW, ORR_DIVERGED };
typedef struct {
  int outcome, iterations;
  double theta;  /* rate of convergence, the worst of the stages */
  double shrink; /* where they did not converge: by how much a smaller step would help */
} orr_stages;

static double orr_weight(const orr_run *r, int i) { return r->at.tolerance[i] + r->rtol * fabs(r->at.begin[i]); }

static double orr_in_tolerances(const orr_run *r, const double *v) {
  const int n = r->model->states;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double ratio = v[i] / orr_weight(r, i);
    sum += ratio * ratio;
  }
  return sqrt(sum / (double)n);
}

static int orr_jacobian_by_differences(orr_run *r, double t) {
  const int n = r->model->states;
  double *x = r->at.inside, *f = r->at.slope, *ahead = r->at.slope_ahead;
  if (orr_trial_derivative(r, t, r->at.begin, f) != 0) return 0;
  for (int i = 0; i < n; ++i) x[i] = r->at.begin[i];
  for (int c = 0; c < n; ++c) {
    const double before = x[c], step = sqrt(DBL_EPSILON) * orr_max(fabs(before), 1e3 * r->at.tolerance[c]);
    x[c] = before + step;
    if (orr_trial_derivative(r, t, x, ahead) != 0) return 0;
    for (int i = 0; i < n; ++i) r->at.jacobian[i + c * n] = (ahead[i] - f[i]) / (x[c] - before);
    x[c] = before;
  }
  return orr_finite(r->at.jacobian, n * n);
}

/* Partial derivatives at the beginning of the step. */
static int orr_evaluate_jacobian(orr_run *r, double t) {
  const orr_model *m = r->model;
  r->h_factored = 0;
  if (!m->jacobian) return orr_jacobian_by_differences(r, t);
  /* Unknowns of loops as they are at this point. */
  if (m->jacobian_size > m->states && orr_trial_derivative(r, t, r->at.begin, r->at.slope) != 0) return 0;
  m->jacobian(t, r->at.begin, r->at.jacobian, r->memory, 0);
  return orr_finite(r->at.jacobian, m->jacobian_entries);
}

static int orr_prepare_matrix(orr_run *r, double t, double h) {
  const orr_model *m = r->model;
  const int n = m->jacobian_size;
  double *a = r->at.newton;
  if (!r->jacobian_known) {
    if (!orr_evaluate_jacobian(r, t)) return 0;
    r->jacobian_known = r->jacobian_current = 1;
  }
  if (r->h_factored == h) return 1;
  r->h_factored = 0;
  for (int i = 0; i < n * n; ++i) a[i] = 0;
  for (int e = 0; e < m->jacobian_entries; ++e) {
    const int row = m->jacobian ? m->jacobian_row[e] : e % n, column = m->jacobian ? m->jacobian_column[e] : e / n;
    a[row + column * n] -= r->at.jacobian[e];
  }
  for (int i = 0; i < m->states; ++i) a[i + i * n] += 1 / (ORR_GAMMA * h);
  if (!orr_lu(a, n, r->at.newton_pivot, r->at.newton_inverse)) return 0;
  r->h_factored = h;
  return 1;
}

static void orr_divide_by_matrix(orr_run *r, double *v) {
  for (int i = r->model->states; i < r->model->jacobian_size; ++i) v[i] = 0;
  orr_lu_solve(r->at.newton, r->model->jacobian_size, r->at.newton_pivot, r->at.newton_inverse, v);
}

/* Unknown: z = x - begin of the stage, in r->at.ahead; known part in r->at.q. */
static void orr_begin_stage(orr_run *r, int s, double h) {
  for (int i = 0; i < r->model->states; ++i) {
    double sum = 0, slope = orr_sdirk_guess[s][0] * r->at.k[0][i];
    for (int j = 0; j < s; ++j) sum += orr_sdirk_a[s][j] * r->at.k[j + 1][i];
    for (int j = 1; j <= s; ++j) slope += orr_sdirk_guess[s][j] * r->at.k[j][i];
    r->at.q[i] = h * sum;
    r->at.ahead[i] = h * sum + ORR_GAMMA * h * slope;
  }
}

/* z = known + gamma h f(begin + z) by simplified Newton iterations; then the slope is (z - known) / (gamma h). */
static void orr_solve_stage(orr_run *r, int s, double t, double h, double accuracy, orr_stages *result) {
  const int n = r->model->states, limit = 7;
  const double c = 1 / (ORR_GAMMA * h);
  double last = 0, *z = r->at.ahead, *known = r->at.q, *d = r->at.newton_move;
  orr_begin_stage(r, s, h);
  r->newton_rate = pow(orr_max(r->newton_rate, DBL_EPSILON), 0.8);
  for (int count = 1;; ++count) {
    double size;
    result->outcome = ORR_DIVERGED;
    for (int i = 0; i < n; ++i) r->at.end[i] = r->at.begin[i] + z[i];
    if (orr_trial_derivative(r, t + orr_sdirk_node[s] * h, r->at.end, r->at.r) != 0) return;
    for (int i = 0; i < n; ++i) d[i] = r->at.r[i] - c * (z[i] - known[i]);
    orr_divide_by_matrix(r, d);
    ++result->iterations;
    size = orr_in_tolerances(r, d);
    if (!isfinite(size)) return;
    if (count > 1) {
      const double theta = size / last;
      double expected;
      result->theta = orr_max(result->theta, theta);
      if (theta >= 0.99 || count >= limit) return;
      r->newton_rate = theta / (1 - theta);
      expected = r->newton_rate * size * pow(theta, (double)(limit - 1 - count)) / accuracy;
      if (expected >= 1) {
        result->outcome = ORR_SLOW;
        result->shrink = 0.8 * pow(orr_min(expected, 20.0), -1.0 / (double)(3 + limit - count));
        return;
      }
    }
    last = orr_max(size, DBL_EPSILON);
    for (int i = 0; i < n; ++i) z[i] += d[i];
    if (r->newton_rate * size <= accuracy) break;
  }
  result->outcome = ORR_CONVERGED;
  for (int i = 0; i < n; ++i) r->at.k[s + 1][i] = c * (z[i] - known[i]);
}

/* The end of the step into r->at.end. */
static orr_stages orr_implicit_stages(orr_run *r, double t, double h) {
  const double usual = orr_max(10 * DBL_EPSILON / r->rtol, orr_min(0.03, pow(r->rtol, 0.25)));
  const double accuracy = r->model->fixed_step ? 1e-4 : usual;
  orr_stages result = {ORR_CONVERGED, 0, 0, 0.5};
  for (int s = 0; s < 5 && result.outcome == ORR_CONVERGED; ++s) orr_solve_stage(r, s, t, h, accuracy, &result);
  if (result.outcome != ORR_CONVERGED) {
    r->newton_rate = 1;
    return result;
  }
  for (int i = 0; i < r->model->states; ++i) r->at.end[i] = r->at.begin[i] + r->at.ahead[i];
  return result;
}

/* Filtered by the matrix: stiff components would be overestimated. */
static double orr_implicit_error(orr_run *r) {
  double *error = r->at.newton_move;
  for (int i = 0; i < r->model->states; ++i) {
    double sum = 0;
    for (int j = 0; j < 5; ++j) sum += orr_sdirk_error[j] * r->at.k[j + 1][i];
    error[i] = sum / ORR_GAMMA;
  }
  orr_divide_by_matrix(r, error);
  return orr_in_tolerances(r, error);
}

static void orr_forget_matrix(orr_run *r) {
  r->jacobian_known = r->jacobian_current = 0;
  r->h_factored = r->h_controlled = 0;
  r->newton_rate = 1;
}

/* After an accepted step of the explicit method: its last slope becomes the one with which a step of ours would end. */
static void orr_switch_to_implicit(orr_run *r) {
  if (!r->dense) orr_prepare_dense(r); /* of the step that is being looked at, by its own stages */
  orr_swap(&r->at.k[5], &r->at.k[6]);
  r->implicit = 1;
  orr_forget_matrix(r);
}

/* A fixed step: where Newton's iteration does not converge, once more with a Jacobian of this point. 0: ok. */
static int orr_implicit_fixed(orr_run *r, double t, double h) {
  for (;;) {
    orr_stages result = {ORR_DIVERGED, 0, 0, 0.5};
    if (orr_prepare_matrix(r, t, h)) result = orr_implicit_stages(r, t, h);
    if (result.outcome == ORR_CONVERGED) {
      if (result.theta > 1e-3) r->jacobian_known = 0;
      r->jacobian_current = 0;
      r->end_known = 1;
      return 0;
    }
    if (r->jacobian_current) return 1;
    r->jacobian_known = 0;
  }
}

static double orr_effort(int iterations) { return 0.9 * (1 + 14.0) / ((double)iterations + 14.0); }

/* The next step, after one over h with this error. */
static void orr_choose_next(orr_run *r, double h, double wanted, int rejected, double error, const orr_stages *result) {
  const double least = orr_max(error, 1e-10);
  const int cut = h < wanted, good = result->theta <= 1e-3;
  double factor = orr_effort(result->iterations) * pow(least, -0.25), next;
  if (r->h_controlled > 0) {
    const double trend = 0.9 * h / r->h_controlled * pow(r->error_controlled / (least * least), 0.25);
    factor = orr_min(factor, trend);
  }
  factor = orr_clamp(factor, 0.2, rejected ? 1.0 : 8.0);
  if (!cut) {
    r->h_controlled = h;
    r->error_controlled = orr_max(1e-2, least);
  }
  next = cut && factor >= 1 ? orr_max(wanted, h * factor) : h * factor;
  r->jacobian_current = 0;
  if (!good) r->jacobian_known = 0;
  if (!cut && good && next >= h && next <= 1.2 * h) next = h;
  r->h_next = next;
}

/* A step from t, no further than the limit. */
static int orr_implicit_step(orr_run *r, double t, double limit) {
  double smallest = orr_min(orr_smallest_step(r, t), r->longest), h;
  if (r->h_next <= 0) r->h_next = orr_initial_step(r, limit);
  h = orr_clamp(r->h_next, smallest, r->longest);
  for (int rejected = 0;; rejected = 1) {
    const double wanted = h, remaining = limit - t;
    const int last = remaining <= 1.01 * h && remaining <= r->longest * (1 + 1e-6), first = r->h_controlled == 0;
    orr_stages result = {ORR_DIVERGED, 0, 0, 0.5};
    double error = INFINITY, factor = 0.5;
    int by_error = 0;
    if (last) h = remaining;
    if (orr_prepare_matrix(r, t, h)) result = orr_implicit_stages(r, t, h);
    if (result.outcome == ORR_CONVERGED) {
      error = orr_implicit_error(r);
      if (error <= 1 && orr_finite(r->at.end, r->model->states)) {
        r->accepted = r->end_known = 1;
        r->h = h;
        r->step_end = last ? limit : orr_min(t + h, limit);
        orr_choose_next(r, h, wanted, rejected, error, &result);
        return ORR_ON;
      }
      by_error = isfinite(error);
      if (by_error) factor = first ? 0.1 : orr_effort(result.iterations) * pow(error, -0.25);
    } else {
      factor = result.shrink;
      if (!r->jacobian_current) r->jacobian_known = 0;
    }
    smallest = orr_smallest_step(r, t);
    if (!(h > smallest))
      return orr_say(r, ORR_ERROR, "",
                     by_error ? "the error stays above the tolerance with the smallest step allowed"
                              : "the equations of an implicit step have no solution, even with the smallest step");
    h = orr_max(h * orr_max(factor, 0.1), smallest);
  }
}
