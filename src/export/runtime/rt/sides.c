// SPDX-License-Identifier: MIT-0
/* Surfaces: on which side of zero they are. A part of orrery_rt.c. */

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
  r->at.side[k] = (double)(!orr_is_mode(s) && s->edge && side == 0 ? -1 : side);
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
  c[0] = (double)k;
  c[1] = (double)direction;
  c[2] = left;
  c[3] = right;
}

static void orr_note_near(orr_run *r, double t) {
  for (int j = 0; j < r->nears; ++j) r->at.at_zero[(int)r->at.near[j]] = t;
  r->nears = 0;
}

static void orr_note_fired(orr_run *r, int k, double t, int direction, double value) {
  r->at.fired_at[k] = r->at.at_zero[k] = t;
  r->at.fired_way[k] = (double)direction;
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
