// SPDX-License-Identifier: MIT-0
/* What a crossing does. A part of orrery_rt.c. */

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
