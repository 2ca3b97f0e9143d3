// SPDX-License-Identifier: MIT-0
/* Steps of fixed and variable size, and where the run stands in them. A part of orrery_rt.c. */

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
    if (code == 0) code = r->implicit ? orr_implicit_fixed(r, t, r->h) : orr_evaluate(r, t, r->h);
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

/* Where stability and not accuracy bounds the steps of the explicit method, the implicit one takes over, for good: by the
 * largest eigenvalue that the last two stages show, which differ by little but a stiff component (Solving ODEs II,
 * section IV.2). */
static void orr_watch_stiffness(orr_run *r, double h) {
  const orr_table *table = orr_table_of(r);
  const int n = r->model->states;
  double slopes = 0, moves = 0;
  if (r->model->jacobian_size == 0 || (r->stiff_signs == 0 && r->steps % 16 != 0)) return;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < 5; ++j) sum += table->a[5][j] * r->at.k[j][i];
    sum = r->at.end[i] - (r->at.begin[i] + h * sum);
    moves += sum * sum;
    sum = r->at.k[6][i] - r->at.k[5][i];
    slopes += sum * sum;
  }
  if (!(moves > 0) || !(h * sqrt(slopes / moves) > 3.25)) {
    r->calm_steps += r->stiff_signs > 0;
    if (r->calm_steps >= 6) r->stiff_signs = r->calm_steps = 0;
    return;
  }
  r->calm_steps = 0;
  if (++r->stiff_signs < 15) return;
  orr_switch_to_implicit(r);
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
  if (r->implicit) return orr_implicit_step(r, t, limit);
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
    if (r->options.solver == ORR_AUTO) orr_watch_stiffness(r, h);
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
  orr_forget_matrix(r);
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
