// SPDX-License-Identifier: MIT-0
/* Beginning a run. A part of orrery_rt.c. */

static double *orr_doubles(orr_cell **next, size_t count) {
  double *at = &(*next)->d;
  *next += count;
  return at;
}

static long long *orr_integers(orr_cell **next, size_t count) {
  long long *at = &(*next)->i;
  *next += count;
  return at;
}

static void orr_bind(orr_run *r) {
  const orr_model *m = r->model;
  const size_t n = (size_t)m->states, s = (size_t)m->surface_count, c = (size_t)m->columns;
  const size_t q = ORR_QUEUE * (size_t)m->queues, z = (size_t)m->most_unknowns;
  orr_room *at = &r->at;
  orr_cell *next = r->work;
  double **by_state[] = {&at->begin, &at->end, &at->k[0], &at->k[1], &at->k[2], &at->k[3], &at->k[4],
                         &at->k[5],  &at->k[6], &at->d,   &at->p,    &at->q,    &at->r,    &at->tolerance,
                         &at->ahead, &at->slope, &at->slope_ahead, &at->inside};
  double **by_surface[] = {&at->g,         &at->speed,       &at->g_ahead,   &at->side,         &at->last,
                           &at->at_zero,   &at->fired_at,    &at->fired_value, &at->fired_way,  &at->noise,
                           &at->limit,     &at->at_end,      &at->before,    &at->first,        &at->trial,
                           &at->band,      &at->left_at,     &at->leave_rate, &at->leave_second, &at->leads,
                           &at->loud,      &at->turned,      &at->near,      &at->passing,      &at->flips,
                           &at->kept,      &at->kept_trial,  &at->tried};
  const size_t big = (size_t)m->jacobian_size;
  double **by_unknown[] = {&at->z,     &at->guess,          &at->next,   &at->residual, &at->next_residual, &at->move,
                           &at->check, &at->start_residual, &at->offset, &at->last_z,   &at->inverse,       &at->pivot};
  for (size_t k = 0; k < sizeof by_state / sizeof *by_state; ++k) *by_state[k] = orr_doubles(&next, n);
  for (size_t k = 0; k < sizeof by_surface / sizeof *by_surface; ++k) *by_surface[k] = orr_doubles(&next, s);
  for (size_t k = 0; k < sizeof by_unknown / sizeof *by_unknown; ++k) *by_unknown[k] = orr_doubles(&next, z);
  at->rates = orr_doubles(&next, 3 * s);
  at->rates_ahead = orr_doubles(&next, 3 * s);
  at->rhythm = orr_doubles(&next, ORR_RHYTHM * s);
  at->found = orr_doubles(&next, 4 * s);
  at->judged = orr_doubles(&next, 4 * s);
  at->located = orr_doubles(&next, 4 * s);
  at->samples = orr_doubles(&next, (m->fixed_step ? 6 : ORR_SAMPLES) * s);
  at->settled = orr_doubles(&next, (size_t)m->held_count);
  at->due = orr_doubles(&next, (size_t)m->sources);
  at->order = orr_integers(&next, (size_t)m->sources);
  at->pending_tick = orr_integers(&next, (size_t)m->domains);
  at->tick_time = orr_doubles(&next, (size_t)m->domains);
  at->results = orr_doubles(&next, (size_t)m->results);
  at->warned = orr_doubles(&next, (size_t)m->assertion_count);
  at->row = orr_doubles(&next, c);
  at->last_row = orr_doubles(&next, c);
  at->queue_time = orr_doubles(&next, q);
  at->queue_order = orr_integers(&next, q);
  at->queue_source = orr_integers(&next, q);
  at->matrix = orr_doubles(&next, z * z);
  at->entries = orr_doubles(&next, (size_t)m->most_entries);
  at->newton = orr_doubles(&next, big * big);
  at->newton_pivot = orr_doubles(&next, big);
  at->newton_inverse = orr_doubles(&next, big);
  at->newton_move = orr_doubles(&next, big);
  at->jacobian = orr_doubles(&next, (size_t)m->jacobian_entries);
}

void orr_begin(orr_run *r, const orr_model *model, void *memory, orr_cell *work, const orr_options *options,
               const orr_listener *listener) {
  const orr_options *o = options ? options : &model->options;
  orr_rhythm *rhythm;
  double stop, span, scale;
  memset(r, 0, sizeof *r);
  r->model = model;
  r->memory = memory;
  r->work = work;
  memcpy(memory, model->initial, model->memory);
  memset(work, 0, model->work * sizeof(orr_cell));
  orr_bind(r);
  r->options = *o;
  if (r->options.atol <= 0) r->options.atol = r->options.rtol;
  if (listener) r->listener = *listener;
  r->t = o->start;
  /* A run without end has the scale of time of the model's own. */
  stop = o->stop < INFINITY ? o->stop : model->options.stop;
  span = stop - o->start;
  scale = orr_max(orr_max(fabs(o->start), fabs(stop)), span);
  r->time_tolerance = o->time_tolerance > 0 ? o->time_tolerance : 4 * DBL_EPSILON * scale;
  r->coincidence = o->time_tolerance > 0 ? o->time_tolerance : 256 * r->time_tolerance;
  /* With floats a step may be no longer than that. */
  if (model->fixed_step && o->time_tolerance <= 0) r->coincidence = orr_min(r->coincidence, o->step / 64);
  r->horizon = span;
  r->longest = o->hmax > 0 ? o->hmax : span / 100;
  r->restart_needed = r->undecided = 1;
  r->implicit = r->options.solver == ORR_SDIRK && model->jacobian_size > 0;
  r->first_limit = INFINITY;
  r->speed_at = NAN;
  r->instant = 0;
  r->left_at = -INFINITY;
  for (int k = 0; k < model->sources; ++k) r->at.due[k] = INFINITY;
  for (int d = 0; d < model->domains; ++d) r->at.tick_time[d] = -INFINITY;
  for (int k = 0; k < model->surface_count; ++k) {
    r->at.side[k] = 1;
    r->at.limit[k] = -1;
    r->at.at_zero[k] = r->at.fired_at[k] = r->at.fired_value[k] = NAN;
    rhythm = (orr_rhythm *)(void *)(r->at.rhythm + ORR_RHYTHM * (size_t)k);
    rhythm->last = rhythm->window = -INFINITY;
    rhythm->interval = rhythm->end = INFINITY;
    r->has_modes = r->has_modes || orr_is_mode(&model->surface[k]);
  }
  r->plain = model->derivatives && model->derivative_loops == 0 && model->trouble == ORR_NONE &&
             (model->assertion_count == 0 || model->fixed_step) && !(model->partial && r->has_modes);
  r->has_continuous = model->states > 0 || model->surface_count > 0 || model->step_sources ||
                      (model->continuous_columns && r->options.record);
}

/* Local tolerances for those the user asks for. */
static void orr_set_tolerances(orr_run *r) {
  const orr_model *m = r->model;
  const double tight = orr_clamp(r->options.rtol / 1e-8, 0.01, 1.0);
  int shadows = 0;
  double factor, shadow_scale;
  for (int i = 0; i < m->states; ++i) shadows += m->tolerances[i] < 0;
  factor = (shadows == m->states ? 1 : sqrt((double)(m->states - shadows) / (double)m->states)) * tight;
  shadow_scale = r->longest > 0 ? orr_min(1.0, r->longest / 100) : 1.0;
  for (int i = 0; i < m->states; ++i) {
    const double own = m->tolerances[i];
    double tolerance = own > 0 ? factor * own : factor * r->options.atol;
    if (own < 0) tolerance = orr_max(1e-3, tolerance) * shadow_scale;
    if (!(own > 0)) tolerance *= m->nominals[i];
    r->at.tolerance[i] = orr_max(tolerance, 1e-300);
  }
  r->rtol = factor * r->options.rtol;
}

int orr_initialise(orr_run *r) {
  const orr_model *m = r->model;
  int flow;
  r->begun = 1;
  for (int k = 0; k < m->starts; ++k) m->start[k](r->t, orr_states(r), NULL, r->memory, 0);
  if (orr_troubled(r)) return orr_report_trouble(r);
  for (int k = 0; k < m->sources; ++k) {
    if (m->source[k].kind == ORR_CLOCK) orr_set_tick(r, k, orr_tick_after(&m->domain[m->source[k].domain], -1));
  }
  flow = orr_fire(r, 0, 0);
  if (flow != ORR_ON) return flow;
  if (!orr_relax(r, 1)) return ORR_FAILED;
  orr_set_tolerances(r);
  orr_take_row(r, ORR_ROW_INITIAL);
  return ORR_ON;
}
