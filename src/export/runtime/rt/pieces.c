// SPDX-License-Identifier: MIT-0
/* Pieces of a step, from which crossings are located. A part of orrery_rt.c. */

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
  for (int j = 1; j < 4; ++j) orr_surfaces_inside(r, begin + (double)j * h, orr_sample_at(r, j));
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
    orr_surfaces_inside(r, whole->begin + (double)(2 * j + 1) * h, orr_sample_at(r, fresh[j]));
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
  if (moves && !is_mode) r->at.near[r->nears++] = (double)k;
  if (!(r->at.side[k] * slope < 0) || !(moves || fabs(g) <= rounding)) return;
  if (is_mode || orr_is_wanted(r, k, -(int)r->at.side[k]))
    orr_add_crossing(r->at.judged, count, k, r->at.side[k] < 0 ? 1 : -1, g, g);
  else
    r->at.passing[r->passings++] = (double)k;
}

static int orr_is_near_zero(orr_run *r, const double *const *v, double width) {
  const double near = 64 * r->coincidence / width;
  int next = 0;
  if (r->found == 0) {
    r->louds = r->model->surface_count;
    for (int k = 0; k < r->louds; ++k) r->at.loud[k] = (double)k;
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
  stops = orr_soonest(r) <= end + r->time_tolerance || end >= r->options.stop - r->time_tolerance;
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
      if (*last * (double)direction < 0) *last = 0;
      r->at.side[k] = r->options.zero_threshold > 0 && !(fabs(*last) > r->options.zero_threshold) ? 0 : (double)direction;
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
