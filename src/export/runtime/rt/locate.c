// SPDX-License-Identifier: MIT-0
/* Where surfaces cross within a piece of a step. A part of orrery_rt.c. */

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
  orr_interpolate_watched(r, t, r->at.inside);
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
      r->at.loud[r->louds++] = (double)k;
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
    if (a * (double)sign < 0 && fabs(a) > idle) {
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
      if (r->at.side[k] != before) r->at.turned[r->turns++] = (double)k;
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
