// SPDX-License-Identifier: MIT-0
/* Pending events. A part of orrery_rt.c. */

/* Pending events: one per source, several where it has a queue. */

static int orr_comes_before(double time_a, long long order_a, double time_b, long long order_b) {
  return time_a < time_b || (time_a == time_b && order_a < order_b);
}

static int orr_program(orr_run *r, int source, double time, long long order) {
  double *due = &r->at.due[source];
  r->next_known = 0;
  long long *mine = &r->at.order[source];
  if (!r->model->source[source].queued || isinf(*due)) {
    *due = time;
    *mine = order;
    return ORR_ON;
  }
  if (r->waiting >= ORR_QUEUE * r->model->queues)
    return orr_say(r, ORR_ERROR, r->model->source[source].path, "more events wait than ORR_QUEUE has room for");
  if (orr_comes_before(time, order, *due, *mine)) {
    const double t = *due;
    const long long o = *mine;
    *due = time;
    *mine = order;
    time = t;
    order = o;
  }
  r->at.queue_time[r->waiting] = time;
  r->at.queue_order[r->waiting] = order;
  r->at.queue_source[r->waiting++] = source;
  return ORR_ON;
}

static void orr_drop_waiting(orr_run *r, int place) {
  --r->waiting;
  r->at.queue_time[place] = r->at.queue_time[r->waiting];
  r->at.queue_order[place] = r->at.queue_order[r->waiting];
  r->at.queue_source[place] = r->at.queue_source[r->waiting];
}

static void orr_cancel(orr_run *r, int source) {
  r->at.due[source] = INFINITY;
  r->next_known = 0;
  if (!r->model->source[source].queued) return;
  for (int k = r->waiting; k-- > 0;) {
    if (r->at.queue_source[k] == source) orr_drop_waiting(r, k);
  }
}

static void orr_pop(orr_run *r, int source) {
  int next = -1;
  r->at.due[source] = INFINITY;
  r->next_known = 0;
  if (!r->model->source[source].queued) return;
  for (int k = 0; k < r->waiting; ++k) {
    if (r->at.queue_source[k] == source &&
        (next < 0 || orr_comes_before(r->at.queue_time[k], r->at.queue_order[k], r->at.queue_time[next],
                                      r->at.queue_order[next])))
      next = k;
  }
  if (next < 0) return;
  r->at.due[source] = r->at.queue_time[next];
  r->at.order[source] = r->at.queue_order[next];
  orr_drop_waiting(r, next);
}

static int orr_program_at(orr_run *r, int source, double time) {
  const long long order = (time <= r->t + r->time_tolerance ? ORR_WITHIN_INSTANT : 0) + r->programmed++;
  return orr_program(r, source, time, order);
}

double orr_next_event(const orr_run *r) {
  double next = INFINITY;
  for (int k = 0; k < r->model->sources; ++k) next = r->at.due[k] < next ? r->at.due[k] : next;
  return next;
}

/* The same, remembered until something is programmed or taken. */
static double orr_soonest(orr_run *r) {
  if (!r->next_known) r->next_due = orr_next_event(r);
  r->next_known = 1;
  return r->next_due;
}

static double orr_next_critical(const orr_run *r) {
  double next = INFINITY;
  for (int k = 0; k < r->model->sources; ++k) {
    if (r->model->source[k].critical && r->at.due[k] < next) next = r->at.due[k];
  }
  return next;
}

/* The time of an instant at which an event is due at t: that of a tick, if one is as good as simultaneous. */
static double orr_instant_at(const orr_run *r, double t) {
  for (int d = 0; d < r->model->domains; ++d) {
    if (r->at.tick_time[d] > t && r->at.tick_time[d] <= t + r->time_tolerance) return r->at.tick_time[d];
  }
  return t;
}

static void orr_set_tick(orr_run *r, int source, long long tick) {
  const int d = r->model->source[source].domain;
  const orr_domain *domain = &r->model->domain[d];
  r->at.pending_tick[d] = tick;
  r->at.tick_time[d] = r->options.start + (domain->offset + (double)tick * domain->step) / domain->denominator;
  r->at.due[source] = r->at.tick_time[d];
  r->next_known = 0;
  r->at.order[source] = ORR_TICK_ORDER + d;
}

static long long orr_tick_after(const orr_domain *domain, long long tick) {
  long long next = 0x7fffffffffffffffLL;
  for (int c = 0; c < domain->clocks; ++c) {
    const orr_clock *clock = &domain->clock[c];
    const long long passed = tick < clock->first ? 0 : (tick - clock->first) / clock->divisor + 1;
    const long long at = clock->first + passed * clock->divisor;
    if (at < next) next = at;
  }
  return next;
}

static void orr_take(orr_run *r, int source, int among) {
  const orr_source *s = &r->model->source[source];
  if (s->kind == ORR_CLOCK) {
    const orr_domain *domain = &r->model->domain[s->domain];
    r->tick = r->at.pending_tick[s->domain];
    orr_set_tick(r, source, domain->stride > 0 ? r->tick + domain->stride : orr_tick_after(domain, r->tick));
  } else if (among) {
    orr_cancel(r, source);
  } else {
    orr_pop(r, source);
  }
}

/* The source whose event runs first of those up to the limit, taken out of the queue; -1: none is due. */
static int orr_take_due(orr_run *r, double limit) {
  int first = -1;
  if (!(orr_soonest(r) <= limit)) return -1;
  for (int k = 0; k < r->model->sources; ++k) {
    if (r->at.due[k] <= limit && (first < 0 || r->at.order[k] < r->at.order[first])) first = k;
  }
  if (first >= 0) orr_take(r, first, 0);
  return first;
}

static int orr_take_first(orr_run *r, double limit) {
  int first = -1;
  double time = limit;
  long long order = 0x7fffffffffffffffLL;
  for (int k = 0; k < r->model->sources; ++k) {
    if (!r->model->source[k].first || !orr_comes_before(r->at.due[k], r->at.order[k], time, order)) continue;
    time = r->at.due[k];
    order = r->at.order[k];
    first = k;
  }
  if (first >= 0) orr_take(r, first, 1);
  return first;
}
