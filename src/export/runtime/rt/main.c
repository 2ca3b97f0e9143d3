// SPDX-License-Identifier: MIT-0
/* The loop. A part of orrery_rt.c. */

static int orr_begin_steps(orr_run *r) {
  const int known = r->started;
  if (orr_start_solver(r) != ORR_ON) return ORR_FAILED;
  if (r->model->surface_count > 0) {
    orr_values v;
    if (r->model->surface_loops > 0)
      orr_solve(r, r->model->surface_loop, r->model->surface_loops, r->t, orr_states(r));
    v = orr_values_now(r, known);
    if (orr_is_stuck(r, &v)) return ORR_FAILED;
    orr_watch_begin(r, &v, !known && !r->model->fixed_step);
    if (!r->model->fixed_step) orr_set_first_limit(r, &v);
  }
  r->restart_needed = 0;
  return ORR_ON;
}

/* Events wait for the end of the step, sides are compared where steps end, modes do not exist. */
static int orr_fixed_phase(orr_run *r) {
  orr_values v;
  int flow;
  if (r->restart_needed && orr_find_jumps(r)) return orr_handle(r, ORR_JUMPED);
  flow = orr_end_instant(r);
  if (flow != ORR_ON) return flow;
  if (r->restart_needed && (!orr_assertions_hold(r) || orr_begin_steps(r) != ORR_ON)) return ORR_FAILED;
  if (orr_integrator_step(r, orr_min(r->options.stop, r->step_limit)) != ORR_ON) return ORR_FAILED;
  orr_go_to(r, r->step_end);
  if (!orr_assertions_hold(r)) return ORR_FAILED;
  orr_show(r, ORR_ROW_MESH);
  flow = orr_fire_steps(r);
  if (flow == ORR_ON) flow = orr_run_first(r, r->t + r->time_tolerance);
  if (flow != ORR_ON || r->model->surface_count == 0) return flow;
  v = orr_values_now(r, 1);
  return orr_judge(r, &v, 0, 1) ? orr_handle(r, ORR_STEPPED) : ORR_ON;
}

/* What happens inside the last step, before the next one. */
static int orr_consume_step(orr_run *r) {
  const double end = r->step_end;
  int searched = r->model->surface_count == 0, crossing = 0, crossed = 0;
  while (r->t < end) {
    const double event = orr_soonest(r);
    double reach;
    int flow = ORR_ON;
    if (!searched && !(crossed && event <= r->t && r->model->all_rates)) {
      crossing = orr_find_crossing(r);
      searched = 1;
    }
    crossed = 0;
    reach = crossing ? r->found_time : end;
    if (crossing && fabs(event - reach) <= r->coincidence) {
      reach = r->found_time = orr_clamp(orr_instant_at(r, event), r->t, end);
    } else if (!crossing && fabs(event - end) <= r->time_tolerance) {
      reach = orr_clamp(orr_instant_at(r, event), r->t, end);
    } else if (event < reach - r->time_tolerance) {
      r->t = orr_clamp(orr_instant_at(r, event), r->t, end);
      r->stale = 1;
      if (orr_go_back(r)) searched = 0;
      flow = orr_run_due(r, r->t + r->time_tolerance);
      if (flow == ORR_ON && !r->restart_needed) flow = orr_end_instant(r);
      if (flow != ORR_ON || r->restart_needed) return flow;
      if (r->shown_moved) {
        r->shown_moved = 0;
        orr_freshen(r);
        if (!orr_relax(r, 1)) return ORR_FAILED;
        orr_look_anew(r);
        searched = r->model->surface_count == 0;
      }
      if (!orr_assertions_hold(r)) return ORR_FAILED;
      continue;
    }
    r->t = reach;
    r->stale = 1;
    if (!crossing) {
      if (!orr_assertions_hold(r)) return ORR_FAILED;
      orr_show(r, ORR_ROW_MESH);
      if (!r->model->step_sources) return ORR_ON;
      orr_freshen(r);
      return orr_fire_steps(r);
    }
    if (r->model->step_sources) {
      orr_freshen(r);
      flow = orr_fire_steps(r);
    }
    if (flow == ORR_ON) flow = orr_run_first(r, r->t + r->time_tolerance);
    if (flow == ORR_ON) flow = orr_handle(r, ORR_LOCATED);
    if (flow == ORR_ON && !r->restart_needed) flow = orr_end_instant(r);
    if (flow != ORR_ON || r->restart_needed) return flow;
    if (!orr_assertions_hold(r)) return ORR_FAILED;
    searched = crossing = 0;
    crossed = 1;
  }
  return ORR_ON;
}

static int orr_continuous_phase(orr_run *r) {
  double limit;
  int flow;
  if (r->restart_needed) {
    if (r->has_modes && !orr_relax(r, 1)) return ORR_FAILED;
    if (orr_find_jumps(r)) return orr_handle(r, ORR_JUMPED);
  }
  flow = orr_end_instant(r);
  if (flow != ORR_ON) return flow;
  if (r->restart_needed && (!orr_assertions_hold(r) || orr_begin_steps(r) != ORR_ON)) return ORR_FAILED;
  limit = isinf(orr_soonest(r)) ? INFINITY : orr_instant_at(r, orr_next_critical(r));
  limit = orr_min(orr_min(r->options.stop, limit), r->step_limit);
  if (limit <= r->t) return ORR_ON;
  limit = orr_min(limit, r->first_limit);
  r->first_limit = INFINITY;
  if (orr_integrator_step(r, limit) != ORR_ON) return ORR_FAILED;
  if (r->model->surface_count > 0) orr_open_watch(r);
  return orr_consume_step(r);
}

static int orr_finish(orr_run *r, int end) {
  const int ends = end == ORR_REACHED || end == ORR_STOPPED || end == ORR_RESTART;
  orr_freshen(r);
  if (end == ORR_STOPPED && r->has_modes) {
    orr_keep_modes(r, r->at.kept);
    orr_preview(r);
  }
  if (ends && !r->ended) {
    const int holds = orr_assertions_hold(r);
    r->ended = holds;
    if (!holds) end = ORR_FAILED;
    for (int k = 0; k < r->model->sources && end != ORR_FAILED; ++k) {
      if (r->model->source[k].kind == ORR_FINAL && orr_fire(r, k, 0) == ORR_FAILED) end = ORR_FAILED;
    }
  }
  if (end != ORR_FAILED) orr_take_row(r, ORR_ROW_MESH);
  return end;
}

/* The clock of a model that does nothing but tick, in which nobody looks at single events; -1: there is none. */
static int orr_lonely_clock(const orr_run *r) {
  const orr_model *m = r->model;
  int clock = -1;
  if (r->has_continuous || r->single || m->domains != 1 || m->domain[0].stride == 0) return -1;
  if (m->first_sources || m->instant_sources || m->assertion_count > 0 || m->trouble != ORR_NONE) return -1;
  for (int k = 0; k < m->sources; ++k) {
    const orr_source *s = &m->source[k];
    if (s->kind != ORR_CLOCK) continue;
    if (clock >= 0 || !s->run || !s->quiet || s->loops > 0 || s->critical || s->reads_sampled) return -1;
    if (s->shows && r->options.record) return -1;
    clock = k;
  }
  return clock;
}

/* Ticks up to the next event of any other kind. What orr_round does for each, without looking around. */
static void orr_run_ticks(orr_run *r, int source) {
  const orr_model *m = r->model;
  const orr_domain domain = m->domain[0];
  const orr_procedure run = m->source[source].run;
  const double start = r->options.start, margin = 4 * r->time_tolerance;
  double time = r->at.tick_time[0], last = r->t, bound = orr_min(r->options.stop, r->until);
  long long tick = r->at.pending_tick[0], count = 0;
  for (int k = 0; k < m->sources; ++k) {
    if (k != source && r->at.due[k] < bound) bound = r->at.due[k];
  }
  bound -= margin;
  for (; time < bound; ++count) {
    run(time, orr_states(r), r->at.results, r->memory, tick);
    last = time;
    tick += domain.stride;
    time = start + (domain.offset + (double)tick * domain.step) / domain.denominator;
  }
  if (count == 0) return;
  r->t = r->instant = last;
  r->tick = tick - domain.stride;
  r->events += count;
  r->events_in_instant = 1;
  orr_set_tick(r, source, tick);
}

static int orr_round(orr_run *r) {
  double event, next;
  int flow;
  if (r->lonely_clock >= 0) orr_run_ticks(r, r->lonely_clock);
  event = orr_soonest(r);
  if (!r->model->fixed_step && event > r->t && event <= r->t + r->time_tolerance) {
    const double instant = orr_min(orr_instant_at(r, event), r->options.stop);
    r->t = instant;
    if (r->has_continuous && r->started) r->stale = 1;
  }
  flow = orr_run_due(r, r->t + r->time_tolerance);
  if (flow != ORR_ON) return flow;
  if (orr_at_stop(r)) {
    if (!r->has_continuous || !r->restart_needed) return ORR_REACHED;
    if (!orr_relax(r, 1)) return ORR_FAILED;
    if (!orr_find_jumps(r)) return ORR_REACHED;
    return orr_handle(r, ORR_JUMPED);
  }
  if (r->t >= r->until || (r->single && (r->t > r->from || r->events != r->from_events))) return ORR_PAUSED;
  if (r->has_continuous) return r->model->fixed_step ? orr_fixed_phase(r) : orr_continuous_phase(r);
  flow = orr_end_instant(r);
  if (flow != ORR_ON) return flow;
  if (!orr_assertions_hold(r)) return ORR_FAILED;
  next = orr_min(orr_min(orr_soonest(r), r->options.stop), orr_max(r->until, r->t));
  r->t = orr_max(r->t, orr_instant_at(r, next));
  return ORR_ON;
}

static int orr_go(orr_run *r, double until, double limit, int single) {
  int flow = ORR_ON;
  r->until = until;
  r->step_limit = limit;
  r->single = single;
  r->from = r->t;
  r->from_events = r->events;
  if (!r->begun) flow = orr_initialise(r);
  r->lonely_clock = orr_lonely_clock(r);
  while (flow == ORR_ON) {
    flow = orr_round(r);
    if (r->loops_failed) {
      flow = orr_say(r, ORR_ERROR, r->model->loop[r->loops_failed - 1].path, "its equations have no solution here");
      r->loops_failed = 0;
    }
    if (flow == ORR_ON && orr_troubled(r)) flow = orr_report_trouble(r);
  }
  return orr_finish(r, flow);
}

int orr_advance(orr_run *r, double until) { return orr_go(r, until, INFINITY, 0); }
int orr_advance_exactly(orr_run *r, double until) { return orr_go(r, until, until, 0); }
int orr_step(orr_run *r) { return orr_go(r, INFINITY, INFINITY, 1); }
int orr_advance_within(orr_run *r, double until, double limit, int single) { return orr_go(r, until, limit, single); }
