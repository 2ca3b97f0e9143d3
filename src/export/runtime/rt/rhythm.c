// SPDX-License-Identifier: MIT-0
/* Crossings that accumulate. A part of orrery_rt.c. */

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
