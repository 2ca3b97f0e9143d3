// SPDX-License-Identifier: MIT-0
/* What happens in an instant. A part of orrery_rt.c. */

static int orr_program_events(orr_run *r, const orr_source *s) {
  const long long first = r->programmed;
  for (int k = 0; k < s->schedules; ++k) {
    const double delay = r->at.results[2 * k + 1];
    const int target = s->targets[k], queued = r->model->source[target].queued;
    if (r->at.results[2 * k] == 0) continue;
    if (isnan(delay)) return orr_say(r, ORR_ERROR, s->path, "the delay of a programmed event is not a number");
    /* Several rules of one event may agree. */
    if (!queued && r->at.due[target] == r->t + delay && !isinf(r->at.due[target]) &&
        (r->at.order[target] & ~ORR_WITHIN_INSTANT) >= first)
      continue;
    if (!(delay < 0 || isinf(delay))) {
      if (orr_program_at(r, target, r->t + delay) != ORR_ON) return ORR_FAILED;
    } else if (!queued) {
      orr_cancel(r, target);
    }
  }
  return ORR_ON;
}

static int orr_run_actions(orr_run *r, const orr_source *s, int *repeat) {
  const double *next = r->at.results + 2 * s->schedules;
  int flow = ORR_ON;
  for (int k = 0; k < s->actions; ++k) {
    const orr_action *a = &s->action[k];
    const int happens = *next++ != 0;
    const double *values = next;
    next += a->values;
    if (!happens) continue;
    switch (a->kind) {
      case ORR_DO_STOP:
        flow = ORR_STOPPED;
        if (a->text[0]) orr_tell(r, ORR_NOTE, a->path, a->text, values, a->values);
        break;
      case ORR_DO_RESTART: flow = ORR_RESTART; break;
      case ORR_DO_REPEAT: *repeat = 1; break;
      case ORR_DO_FAIL: return orr_tell(r, ORR_ERROR, a->path, a->text, values, a->values);
      case ORR_DO_WARN: orr_tell(r, ORR_WARNING, a->path, a->text, values, a->values); break;
      case ORR_DO_NOTE: orr_tell(r, ORR_NOTE, a->path, a->text, values, a->values); break;
      default: break;
    }
  }
  return flow;
}

static void orr_sample(orr_run *r, int source) {
  const orr_model *m = r->model;
  double after = r->t;
  orr_freshen(r);
  if (source == 0)
    memcpy(r->at.ahead, r->memory, (size_t)m->states * sizeof(double));
  else
    after = orr_look_ahead(r);
  if (m->sampled_loops > 0 &&
      (after == r->t || !orr_solve(r, m->sampled_loop, m->sampled_loops, after, r->at.ahead))) {
    r->loops_failed = 0;
    orr_solve(r, m->sampled_loop, m->sampled_loops, r->t, orr_states(r));
  }
  m->sampled(after, r->at.ahead, r->at.results, r->memory, r->tick);
}

static int orr_run_table_now(orr_run *r, int source) {
  const orr_source *s = &r->model->source[source];
  for (long repeats = 0;; ++repeats) {
    int repeat = 0, flow;
    if (s->loops > 0 && !orr_solve(r, s->loop, s->loops, r->t, orr_states(r))) return ORR_FAILED;
    orr_clear_trouble(r);
    if (s->run) s->run(r->t, orr_states(r), r->at.results, r->memory, r->tick);
    if (orr_troubled(r)) return orr_report_trouble(r);
    if (s->quiet) return ORR_ON;
    if (orr_program_events(r, s) != ORR_ON) return ORR_FAILED;
    flow = orr_run_actions(r, s, &repeat);
    if (flow != ORR_ON || !repeat) return flow;
    if (repeats > ORR_MOST_EVENTS) return orr_say(r, ORR_ERROR, s->path, "this event repeats itself without end");
  }
}

static int orr_run_table(orr_run *r, int source) {
  const orr_source *s = &r->model->source[source];
  int flow;
  if (!r->modes_moved || !(s->reads_modes || s->reads_sampled) || !r->has_modes) {
    if (s->reads_sampled) orr_sample(r, source);
    return orr_run_table_now(r, source);
  }
  orr_freshen(r);
  orr_keep_modes(r, r->at.kept);
  orr_relax(r, 0);
  if (s->reads_sampled) orr_sample(r, source);
  flow = orr_run_table_now(r, source);
  orr_put_modes_back(r, r->at.kept);
  return flow;
}

static int orr_will_show(orr_run *r, const orr_source *s) {
  if (!s->shows || !r->options.record) return 0;
  if (!s->shows_when) return 1;
  s->shows_when(r->t, orr_states(r), r->at.results, r->memory, r->tick);
  return r->at.results[0] != 0;
}

static int orr_states_finite(orr_run *r, const orr_source *s) {
  if (orr_finite(orr_states(r), r->model->states)) return ORR_ON;
  return orr_say(r, ORR_ERROR, s->path, "this event sets a state to a value that is not finite");
}

/* Something is about to disturb continuous time: what is remembered of the left side, once in an instant. */
static int orr_run_left(orr_run *r) {
  if (!r->model->left_sources || r->model->fixed_step || r->left_at == r->t) return ORR_ON;
  r->left_at = r->t;
  orr_freshen(r);
  for (int k = 0; k < r->model->sources; ++k) {
    int flow;
    if (r->model->source[k].kind != ORR_LEFT) continue;
    flow = orr_run_table_now(r, k);
    if (flow != ORR_ON) return flow;
  }
  return ORR_ON;
}

static int orr_fire(orr_run *r, int source, int crossing) {
  const orr_source *s = &r->model->source[source];
  int shown, flow = ORR_ON;
  if (s->moves_shown) r->shown_moved = 1;
  r->in_instant = 1;
  if (s->reads_states || s->critical) orr_freshen(r);
  shown = s->kind != ORR_INITIAL && orr_will_show(r, s);
  if (shown) orr_take_row(r, crossing ? ORR_ROW_LEFT_OF_CROSSING : ORR_ROW_LEFT_OF_EVENT);
  if (s->kind == ORR_INITIAL) {
    r->left_at = r->t; /* the start has no left side */
  } else if (s->critical) {
    flow = orr_run_left(r);
  }
  if (flow == ORR_ON) flow = orr_run_table(r, source);
  ++r->events;
  if (s->critical) r->restart_needed = 1;
  if (shown) orr_take_row(r, crossing ? ORR_ROW_CROSSING : ORR_ROW_EVENT);
  if (s->moves_modes) r->modes_moved = 1;
  if (flow == ORR_ON && s->critical) flow = orr_states_finite(r, s);
  return flow;
}

static int orr_is_endless(orr_run *r) {
  if (r->t != r->instant) {
    r->instant = r->t;
    r->events_in_instant = 1;
    return 0;
  }
  if (++r->events_in_instant <= ORR_MOST_EVENTS) return 0;
  orr_say(r, ORR_ERROR, "", "events of one instant lead to each other without end");
  return 1;
}

static int orr_fire_due(orr_run *r, int source) {
  if (orr_is_endless(r)) return ORR_FAILED;
  if (r->model->source[source].kind == ORR_CLOCK && !r->options.final_tick && orr_at_stop(r)) return ORR_ON;
  return orr_fire(r, source, 0);
}

static int orr_run_first(orr_run *r, double limit) {
  if (!r->model->first_sources) return ORR_ON;
  for (;;) {
    const int source = orr_take_first(r, limit);
    int flow;
    if (source < 0) return ORR_ON;
    flow = orr_fire_due(r, source);
    if (flow != ORR_ON) return flow;
  }
}

static int orr_run_due(orr_run *r, double limit) {
  for (;;) {
    int source, flow = orr_run_first(r, limit);
    if (flow != ORR_ON) return flow;
    source = orr_take_due(r, limit);
    if (source < 0) return ORR_ON;
    flow = orr_fire_due(r, source);
    if (flow != ORR_ON) return flow;
  }
}

static int orr_end_instant(orr_run *r) {
  if (!r->in_instant) return ORR_ON;
  r->in_instant = r->modes_moved = 0;
  if (!r->model->instant_sources && !(r->model->left_sources && r->model->fixed_step)) return ORR_ON;
  orr_freshen(r);
  for (int k = 0; k < r->model->sources; ++k) {
    const orr_source *s = &r->model->source[k];
    int flow;
    /* Steps of fixed size follow what events have made of the left side from there on. */
    if (s->kind != ORR_INSTANT && !(s->kind == ORR_LEFT && r->model->fixed_step)) continue;
    if (s->kind == ORR_INSTANT && s->critical) r->restart_needed = 1;
    flow = r->restart_needed ? orr_run_left(r) : ORR_ON;
    if (flow == ORR_ON) flow = orr_run_table(r, k);
    if (flow != ORR_ON) return flow;
  }
  return ORR_ON;
}

static int orr_fire_steps(orr_run *r) {
  if (!r->model->step_sources && !(r->model->left_sources && r->model->fixed_step)) return ORR_ON;
  for (int k = 0; k < r->model->sources; ++k) {
    const orr_source *s = &r->model->source[k];
    int shown, flow = ORR_ON;
    if (s->kind != ORR_STEP && !(s->kind == ORR_LEFT && r->model->fixed_step)) continue;
    r->in_instant = 1;
    shown = orr_will_show(r, s);
    if (shown && s->critical) orr_take_row(r, ORR_ROW_LEFT_OF_EVENT);
    if (s->critical && s->kind == ORR_STEP) {
      r->restart_needed = 1;
      flow = orr_run_left(r);
    }
    if (flow == ORR_ON) flow = orr_run_table(r, k);
    if (flow != ORR_ON) return flow;
    if (!r->restart_needed) continue;
    ++r->events;
    if (shown) orr_take_row(r, ORR_ROW_EVENT);
    if (orr_states_finite(r, s) != ORR_ON) return ORR_FAILED;
  }
  return ORR_ON;
}
