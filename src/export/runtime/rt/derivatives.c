// SPDX-License-Identifier: MIT-0
/* The model at a time and states. A part of orrery_rt.c. */

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
