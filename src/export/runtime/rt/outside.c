// SPDX-License-Identifier: MIT-0
/* What those who own a run may do with it. A part of orrery_rt.c. */

static void orr_write(orr_run *r, size_t offset, int variable, const double *values) {
  const orr_variable *v = &r->model->variable[variable];
  const int count = v->rows * v->cols * (v->type == ORR_C128 ? 2 : 1);
  if (offset == ORR_NONE) return;
  for (int k = 0; k < count; ++k)
    orr_store(r->memory + offset + (size_t)k * orr_width(v->type), v->type, values ? values[k] : 0);
}

int orr_set_input(orr_run *r, int input, const double *value, const double *slope) {
  const orr_input *in = &r->model->input[input];
  if (in->variable < 0) return orr_program_at(r, in->source, r->t);
  orr_write(r, in->next, in->variable, value);
  orr_write(r, in->next_slope, in->variable, slope);
  if (r->begun) return orr_program_at(r, in->source, r->t);
  orr_write(r, in->value, in->variable, value);
  orr_write(r, in->slope, in->variable, slope);
  if (in->since != ORR_NONE) *(double *)(void *)(r->memory + in->since) = r->t;
  return ORR_ON;
}

void orr_activate(orr_run *r, unsigned long long mask) {
  int bit = 0;
  for (int k = 0; k < r->model->inputs; ++k) {
    if (r->model->input[k].variable >= 0) continue;
    if (mask >> bit & 1) orr_program_at(r, r->model->input[k].source, r->t);
    ++bit;
  }
}

void orr_set_parameter(orr_run *r, int parameter, const double *values) {
  const orr_parameter *p = &r->model->parameter[parameter];
  orr_write(r, r->model->variable[p->variable].offset, p->variable, values);
  if (p->given != ORR_NONE) r->memory[p->given] = 1;
}

void orr_set_step(orr_run *r, double step) {
  r->options.step = step;
  r->grid_start = r->t;
  r->grid_count = 0;
  if (!r->model->fixed_step) r->longest = step;
}

int orr_find_parameter(const orr_model *model, const char *name) {
  for (int k = 0; k < model->parameters; ++k) {
    if (strcmp(model->variable[model->parameter[k].variable].name, name) == 0) return k;
  }
  return -1;
}

void orr_outputs(orr_run *r) {
  orr_freshen(r);
  orr_evaluate_outputs(r, r->t, orr_states(r));
}

double orr_element(const orr_model *model, const void *memory, size_t offset, int type, int element) {
  return orr_number(model, memory, offset + (size_t)element * orr_width(type), type);
}

void orr_refresh(orr_run *r) { orr_freshen(r); }

void orr_end(orr_run *r) { orr_finish(r, ORR_REACHED); }

/* Somebody else integrates. */

int orr_derivatives(orr_run *r, double *derivatives) {
  if (r->model->states == 0) return 1;
  orr_freshen(r);
  return orr_trial_derivative(r, r->t, orr_states(r), derivatives) == 0 && orr_finite(derivatives, r->model->states);
}

void orr_hold_input(orr_run *r, int input, const double *values) {
  const orr_input *in = &r->model->input[input];
  orr_write(r, in->next, in->variable, values);
  orr_write(r, in->next_slope, in->variable, NULL);
  orr_write(r, in->value, in->variable, values);
  orr_write(r, in->slope, in->variable, NULL);
  if (in->since != ORR_NONE) *(double *)(void *)(r->memory + in->since) = r->t;
}

void orr_surface_values(orr_run *r, double *values) {
  if (r->model->surface_count == 0) return;
  orr_freshen(r);
  orr_surfaces_at(r, r->t, orr_states(r), values);
  if (r->started) orr_correct(r, r->t, values);
  for (int k = 0; k < r->model->surface_count; ++k) { /* of blocks that do not run */
    if (isnan(values[k])) values[k] = r->at.side[k] < 0 ? -DBL_MIN : DBL_MIN;
  }
}

int orr_check_assertions(orr_run *r) { return orr_assertions_hold(r); }

/* Modes as they are on this side, then the crossings that have happened since the last events. */
static int orr_take_crossings(orr_run *r) {
  orr_values v;
  if (!r->started || r->model->surface_count == 0) return ORR_ON;
  r->in_instant = 1;
  if (r->has_modes) {
    orr_keep_modes(r, r->at.kept);
    if (!orr_relax(r, 1)) return ORR_FAILED;
    r->restart_needed = 1;
  }
  v = orr_values_now(r, 1);
  if (!orr_judge(r, &v, 0, 1)) return ORR_ON;
  r->restart_needed = 1;
  return orr_call_owners(r, ORR_STEPPED);
}

static int orr_take_all(orr_run *r, int stepped) {
  const double limit = r->t + r->time_tolerance;
  int flow = orr_run_left(r); /* importers have given the values of before */
  if (flow == ORR_ON && stepped) flow = orr_fire_steps(r);
  if (flow == ORR_ON) flow = orr_run_first(r, limit);
  if (flow == ORR_ON) flow = orr_take_crossings(r);
  while (flow == ORR_ON) {
    flow = orr_run_due(r, limit);
    if (flow != ORR_ON) return flow;
    if (r->restart_needed) {
      if (r->has_modes && !orr_relax(r, 1)) return ORR_FAILED;
      if (orr_find_jumps(r)) {
        flow = orr_handle(r, ORR_JUMPED);
        continue;
      }
    }
    flow = orr_end_instant(r);
    if (flow != ORR_ON) return flow;
    if (orr_soonest(r) <= limit) continue;
    if (r->restart_needed && (!orr_assertions_hold(r) || orr_begin_steps(r) != ORR_ON)) return ORR_FAILED;
    return ORR_ON;
  }
  return flow;
}

int orr_take_events(orr_run *r, int stepped, int *changed) {
  const size_t n = (size_t)r->model->states * sizeof(double);
  const double event = orr_soonest(r);
  int flow;
  memcpy(r->at.inside, r->memory, n);
  /* Importers come at the time they were told, or a rounding before it. */
  if (event > r->t && event <= r->t + r->coincidence) r->t = orr_instant_at(r, event);
  flow = orr_take_all(r, stepped);
  if (r->loops_failed) {
    flow = orr_say(r, ORR_ERROR, r->model->loop[r->loops_failed - 1].path, "its equations have no solution here");
    r->loops_failed = 0;
  }
  *changed = memcmp(r->at.inside, r->memory, n) != 0;
  return flow;
}

/* Saving is copying; pointers lead into the copy. */

static void orr_move_pointers(orr_run *r, const orr_cell *from) {
  double **at = (double **)(void *)&r->at;
  for (size_t k = 0; k < sizeof r->at / sizeof(double *); ++k)
    at[k] = &r->work[(orr_cell *)(void *)at[k] - from].d;
}

void orr_copy(orr_run *to, const orr_run *from) {
  unsigned char *memory = to->memory;
  orr_cell *work = to->work;
  const orr_listener listener = to->listener;
  *to = *from;
  to->memory = memory;
  to->work = work;
  to->listener = listener;
  memcpy(memory, from->memory, from->model->memory);
  memcpy(work, from->work, from->model->work * sizeof(orr_cell));
  orr_move_pointers(to, from->work);
}

size_t orr_saved_size(const orr_model *m) { return m->memory + m->work * sizeof(orr_cell) + sizeof(orr_run); }

void orr_save(const orr_run *r, void *bytes) {
  unsigned char *at = bytes;
  memcpy(at, r->memory, r->model->memory);
  memcpy(at + r->model->memory, r->work, r->model->work * sizeof(orr_cell));
  memcpy(at + r->model->memory + r->model->work * sizeof(orr_cell), r, sizeof *r);
}

void orr_restore(orr_run *r, const void *bytes) {
  const unsigned char *at = bytes;
  unsigned char *memory = r->memory;
  orr_cell *work = r->work;
  const orr_model *model = r->model;
  const orr_listener listener = r->listener;
  const orr_cell *from;
  memcpy(r, at + model->memory + model->work * sizeof(orr_cell), sizeof *r);
  from = r->work;
  r->model = model;
  r->memory = memory;
  r->work = work;
  r->listener = listener;
  memcpy(memory, at, model->memory);
  memcpy(work, at + model->memory, model->work * sizeof(orr_cell));
  orr_move_pointers(r, from);
}
