// SPDX-License-Identifier: MIT-0
/* Modes: conditions that are held between events. A part of orrery_rt.c. */

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
        r->at.loud[contradicted++] = (double)k;
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
        r->at.loud[contradicted++] = (double)k;
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
