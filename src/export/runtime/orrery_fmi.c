// SPDX-License-Identifier: MIT-0
#include "orrery_fmi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define fabs(a) __builtin_fabs(a)
#endif

static size_t orr_fmi_round(size_t bytes) { return (bytes + 15) / 16 * 16; }

static size_t orr_fmi_elements(const orr_model *m, int input) {
  const int variable = m->input[input].variable;
  return variable < 0 ? 1 : (size_t)(m->variable[variable].rows * m->variable[variable].cols);
}

static size_t orr_fmi_input_elements(const orr_model *m) {
  size_t count = 0;
  for (int k = 0; k < m->inputs; ++k) count += orr_fmi_elements(m, k);
  return count;
}

static size_t orr_fmi_largest(const orr_model *m) {
  size_t most = 1;
  for (int k = 0; k < m->variables; ++k) {
    const size_t count = (size_t)(m->variable[k].rows * m->variable[k].cols);
    if (count > most) most = count;
  }
  return most;
}

enum { ORR_FMI_PARTS = 21, ORR_FMI_SAVED_PARTS = 8 };
typedef struct {
  void **place;
  size_t size;
} orr_fmi_part;

/* What an instance points to; those that are saved come first. */
static void orr_fmi_parts(orr_fmi *fmu, const orr_fmi_body *body, orr_fmi_part *part) {
  const orr_model *m = body->model;
  const orr_fmi_jacobian *j = body->jacobian;
  const size_t inputs = orr_fmi_input_elements(m) * sizeof(double), largest = orr_fmi_largest(m) * sizeof(double);
  size_t loop = 0;
  int at = 0;
  for (int k = 0; j && k < j->loops; ++k) {
    const size_t n = (size_t)(j->loop_start[k + 1] - j->loop_start[k]);
    if (n > loop) loop = n;
  }
#define ORR_FMI_PART(member, bytes)                          \
  do {                                                       \
    part[at].place = fmu ? (void **)(void *)&fmu->member : NULL; \
    part[at++].size = (bytes);                               \
  } while (0)
  ORR_FMI_PART(kept, orr_saved_size(m));
  ORR_FMI_PART(inputs, inputs);
  ORR_FMI_PART(slopes, inputs);
  ORR_FMI_PART(given, (size_t)m->inputs);
  ORR_FMI_PART(counts, (size_t)orr_fmi_fired * sizeof(double));
  ORR_FMI_PART(fired, (size_t)orr_fmi_fired);
  ORR_FMI_PART(ticks, (size_t)orr_fmi_clocks * sizeof(long long));
  ORR_FMI_PART(ticked, (size_t)orr_fmi_clocks);
  ORR_FMI_PART(memory, m->memory);
  ORR_FMI_PART(work, m->work * sizeof(orr_cell));
  ORR_FMI_PART(line, inputs);
  ORR_FMI_PART(before, largest);
  ORR_FMI_PART(values, largest);
  ORR_FMI_PART(derivative, ((size_t)m->states + 1) * sizeof(double));
  ORR_FMI_PART(indicators, (size_t)m->surface_count * sizeof(double));
  ORR_FMI_PART(place, (size_t)m->inputs * sizeof(int));
  ORR_FMI_PART(entries, j ? (size_t)j->entries * sizeof(double) : 0);
  ORR_FMI_PART(seeds, j ? (size_t)j->columns * sizeof(double) : 0);
  ORR_FMI_PART(sums, j ? (size_t)j->rows * sizeof(double) : 0);
  ORR_FMI_PART(matrix, loop * (loop + 1) * sizeof(double));
#undef ORR_FMI_PART
  part[at].place = NULL;
  part[at].size = 0;
}

/* One block: the instance, then its parts. */
static size_t orr_fmi_lay_out(orr_fmi *fmu, const orr_fmi_body *body) {
  size_t at = orr_fmi_round(sizeof(orr_fmi));
  orr_fmi_part part[ORR_FMI_PARTS];
  orr_fmi_parts(fmu, body, part);
  for (int k = 0; k < ORR_FMI_PARTS; ++k) {
    if (part[k].place) *part[k].place = (unsigned char *)fmu + at;
    at += orr_fmi_round(part[k].size + 1);
  }
  return at;
}

size_t orr_fmi_size(const orr_fmi_body *body) { return orr_fmi_lay_out(NULL, body); }

static void orr_fmi_say(void *user, const orr_run *run, int severity, const char *path, const char *text) {
  orr_fmi *fmu = user;
  char line[600];
  snprintf(line, sizeof line, "%s%st = %.17g: %s", path, path[0] ? ": " : "", run->t, text);
  if (fmu->log) fmu->log(fmu, severity, line);
}

int orr_fmi_refuse(orr_fmi *fmu, const char *text) {
  if (fmu->log) fmu->log(fmu, ORR_ERROR, text);
  return 0;
}

int orr_fmi_allowed(orr_fmi *fmu, unsigned modes, const char *function) {
  char text[120] = "is not allowed now: ";
  if (!fmu) return 0;
  if (modes >> fmu->now.mode & 1) return 1;
  strncat(text, function, sizeof text - strlen(text) - 1);
  return orr_fmi_refuse(fmu, text);
}

static void orr_fmi_moved(orr_fmi *fmu) { fmu->now.fresh = fmu->differentiated = 0; }

static int orr_fmi_fail(orr_fmi *fmu) {
  fmu->now.mode = ORR_FMI_BROKEN;
  return 0;
}

static void orr_fmi_start_run(orr_fmi *fmu, double start, double stop, double rtol) {
  const orr_model *m = fmu->body->model;
  orr_options options = m->options;
  orr_listener listener = {NULL, NULL, orr_fmi_say};
  listener.user = fmu;
  options.record = 0;
  options.start = start;
  options.stop = isfinite(stop) ? stop : start + (m->options.stop - m->options.start);
  if (rtol > 0) options.rtol = options.atol = rtol;
  orr_begin(&fmu->run, m, fmu->memory, fmu->work, &options, &listener);
  fmu->run.options.stop = INFINITY; /* the importer decides; what follows from the horizon has been settled */
}

void orr_fmi_reset(orr_fmi *fmu) {
  const orr_model *m = fmu->body->model;
  int at = 0;
  orr_fmi_start_run(fmu, m->options.start, m->options.stop, 0);
  for (int k = 0; k < m->inputs; ++k) {
    const int count = (int)orr_fmi_elements(m, k);
    fmu->place[k] = at;
    fmu->given[k] = 0;
    for (int e = 0; e < count; ++e) {
      const int variable = m->input[k].variable;
      fmu->slopes[at + e] = 0;
      fmu->inputs[at + e] = 0;
      if (variable >= 0 && m->input[k].value != ORR_NONE)
        fmu->inputs[at + e] = orr_element(m, fmu->memory, m->input[k].value, m->variable[variable].type, e);
    }
    at += count;
  }
  for (int k = 0; k < orr_fmi_fired; ++k) fmu->counts[k] = fmu->fired[k] = 0;
  for (int k = 0; k < orr_fmi_clocks; ++k) fmu->ticks[k] = fmu->ticked[k] = 0;
  memset(&fmu->now, 0, sizeof fmu->now);
  fmu->now.mode = ORR_FMI_INSTANTIATED;
  fmu->now.told = NAN;
  fmu->differentiated = 0;
}

void orr_fmi_begin(orr_fmi *fmu, const orr_fmi_body *body) {
  fmu->body = body;
  fmu->exchange = body == &orr_fmi_exchange;
  fmu->scheduled = body == &orr_fmi_scheduled;
  orr_fmi_lay_out(fmu, body);
  orr_fmi_reset(fmu);
}

/* What was set so far lies in the memory and stays. */
int orr_fmi_set_up(orr_fmi *fmu, double start, double stop, double rtol) {
  const orr_model *m = fmu->body->model;
  memcpy(fmu->kept, fmu->memory, m->memory);
  orr_fmi_start_run(fmu, start, stop, rtol);
  memcpy(fmu->memory, fmu->kept, m->memory);
  for (int k = 0; k < m->inputs; ++k) {
    if (m->input[k].variable >= 0) orr_set_input(&fmu->run, k, fmu->inputs + fmu->place[k], fmu->slopes + fmu->place[k]);
  }
  return 1;
}

/* Clocks of domains that the importer ticks do not tick by themselves. */
static void orr_fmi_mute(orr_fmi *fmu) {
  if (!fmu->exchange && !fmu->scheduled && !fmu->event_mode) return;
  for (int k = 0; k < orr_fmi_clocks; ++k) fmu->run.at.due[fmu->body->clock[k].source] = INFINITY;
  fmu->run.next_known = 0;
}

/* While the importer initialises, values may be read and set in turn: what a look did is undone before it sets. */
static int orr_fmi_look(orr_fmi *fmu) {
  if (fmu->now.looked || fmu->now.mode != ORR_FMI_INITIALISING) return 1;
  orr_save(&fmu->run, fmu->kept);
  fmu->now.looked = 1;
  if (orr_initialise(&fmu->run) == ORR_FAILED) return orr_fmi_fail(fmu);
  orr_fmi_mute(fmu);
  return 1;
}

static void orr_fmi_undo_look(orr_fmi *fmu) {
  if (fmu->now.looked && fmu->now.mode == ORR_FMI_INITIALISING) orr_restore(&fmu->run, fmu->kept);
  fmu->now.looked = 0;
}

int orr_fmi_initialise(orr_fmi *fmu) {
  int flow;
  if (!orr_fmi_look(fmu)) return 0;
  fmu->now.looked = 0;
  orr_fmi_moved(fmu);
  fmu->now.mode = fmu->scheduled ? ORR_FMI_CLOCKED : fmu->exchange || fmu->event_mode ? ORR_FMI_EVENTS : ORR_FMI_STEPPING;
  if (fmu->now.mode != ORR_FMI_STEPPING) return 1;
  flow = orr_advance(&fmu->run, fmu->run.t); /* the events of the first instant */
  fmu->now.stopped = flow == ORR_STOPPED || flow == ORR_RESTART;
  return flow != ORR_FAILED || orr_fmi_fail(fmu);
}

const orr_fmi_variable *orr_fmi_find(orr_fmi *fmu, unsigned reference) {
  if (reference < orr_fmi_variables) return &fmu->body->variable[reference];
  orr_fmi_refuse(fmu, "there is no variable with this value reference");
  return NULL;
}

int orr_fmi_ready(orr_fmi *fmu) { return orr_fmi_look(fmu); }

static int orr_fmi_outputs(orr_fmi *fmu) {
  if (fmu->now.mode == ORR_FMI_INSTANTIATED) return 1; /* what the memory holds */
  if (!orr_fmi_look(fmu)) return 0;
  if (fmu->now.fresh) return 1;
  orr_outputs(&fmu->run);
  fmu->now.fresh = 1;
  return 1;
}

int orr_fmi_count(const orr_fmi_variable *v) { return v->rows * v->cols; }
int orr_fmi_by_rows(const orr_fmi_variable *v, int e) { return e / v->cols + e % v->cols * v->rows; }

int orr_fmi_get(orr_fmi *fmu, unsigned reference, double *values) {
  const orr_fmi_variable *v = orr_fmi_find(fmu, reference);
  const orr_model *m = fmu->body->model;
  const int count = v ? orr_fmi_count(v) : 0;
  if (!v) return 0;
  switch (v->what) {
    case ORR_FMI_TIME: values[0] = fmu->run.t; return 1;
    case ORR_FMI_PARAMETER: {
      const orr_variable *p = &m->variable[m->parameter[v->index].variable];
      for (int e = 0; e < count; ++e) values[e] = orr_element(m, fmu->memory, p->offset, p->type, v->first + e);
      return 1;
    }
    case ORR_FMI_INPUT:
    case ORR_FMI_ACTIVATION:
      for (int e = 0; e < count; ++e) values[e] = fmu->inputs[fmu->place[v->index] + v->first + e];
      return 1;
    case ORR_FMI_COLUMN:
      if (!orr_fmi_outputs(fmu)) return 0;
      for (int e = 0; e < count; ++e) {
        const double value = orr_column_value(&fmu->run, v->index + v->first + e);
        const int empty = isnan(value) && m->column[v->index + v->first + e].seen != ORR_NONE;
        values[e] = empty ? 0 : value; /* before its first event a signal has no value; FMI has no word for that */
      }
      return 1;
    case ORR_FMI_STATE:
      if (!orr_fmi_look(fmu)) return 0;
      orr_refresh(&fmu->run);
      memcpy(values, fmu->memory + (size_t)(v->index + v->first) * sizeof(double), (size_t)count * sizeof(double));
      return 1;
    case ORR_FMI_INDICATOR:
      if (!orr_fmi_look(fmu)) return 0;
      orr_surface_values(&fmu->run, fmu->indicators);
      values[0] = fmu->indicators[v->index];
      return 1;
    case ORR_FMI_ABSENT: /* event indicators, and states that only those need, where steps are fixed */
      for (int e = 0; e < count; ++e) values[e] = 0;
      return 1;
    case ORR_FMI_TRIGGER:
    case ORR_FMI_TICKS:
    case ORR_FMI_PENDING:
    case ORR_FMI_FIRED: return orr_fmi_refuse(fmu, "it is a clock, which has functions of its own");
    default:
      if (!orr_fmi_look(fmu)) return 0;
      if (!orr_derivatives(&fmu->run, fmu->derivative)) return orr_fmi_refuse(fmu, "the derivatives have no value here");
      memcpy(values, fmu->derivative + v->index + v->first, (size_t)count * sizeof(double));
      return 1;
  }
}

static int orr_fmi_set_parameter(orr_fmi *fmu, const orr_fmi_variable *v, const double *values) {
  const orr_model *m = fmu->body->model;
  const orr_variable *p = &m->variable[m->parameter[v->index].variable];
  const int count = orr_fmi_count(v);
  if (fmu->now.mode != ORR_FMI_INSTANTIATED && fmu->now.mode != ORR_FMI_INITIALISING)
    return orr_fmi_refuse(fmu, "parameters can be set before the initialisation ends only");
  for (int e = 0; e < p->rows * p->cols; ++e) fmu->before[e] = orr_element(m, fmu->memory, p->offset, p->type, e);
  memcpy(fmu->before + v->first, values, (size_t)count * sizeof(double));
  orr_set_parameter(&fmu->run, v->index, fmu->before);
  return 1;
}

static void orr_fmi_give(orr_fmi *fmu, int input, const double *slopes) {
  const double *values = fmu->inputs + fmu->place[input];
  if (fmu->body->model->input[input].variable < 0) {
    if (values[0] != 0) orr_set_input(&fmu->run, input, NULL, NULL);
  } else {
    orr_set_input(&fmu->run, input, values, slopes);
    /* Ticks and other events of this instant see the new values. */
    if (fmu->run.begun) fmu->run.at.order[fmu->body->model->input[input].source] = input - fmu->body->model->inputs;
  }
}

int orr_fmi_set(orr_fmi *fmu, unsigned reference, const double *values) {
  const orr_fmi_variable *v = orr_fmi_find(fmu, reference);
  const int count = v ? orr_fmi_count(v) : 0;
  double *mine;
  int same = 1;
  if (!v) return 0;
  orr_fmi_undo_look(fmu);
  orr_fmi_moved(fmu);
  switch (v->what) {
    case ORR_FMI_PARAMETER: return orr_fmi_set_parameter(fmu, v, values);
    case ORR_FMI_STATE:
      if (fmu->now.mode != ORR_FMI_CONTINUOUS && fmu->now.mode != ORR_FMI_EVENTS)
        return orr_fmi_refuse(fmu, "states follow from the parameters and cannot be set here");
      memcpy(fmu->memory + (size_t)(v->index + v->first) * sizeof(double), values, (size_t)count * sizeof(double));
      return 1;
    case ORR_FMI_INPUT:
    case ORR_FMI_ACTIVATION: break;
    default: return orr_fmi_refuse(fmu, "this variable is computed and cannot be set");
  }
  mine = fmu->inputs + fmu->place[v->index] + v->first;
  for (int e = 0; e < count; ++e) {
    same = same && mine[e] == values[e];
    mine[e] = values[e];
  }
  if (fmu->now.mode == ORR_FMI_INSTANTIATED || fmu->now.mode == ORR_FMI_INITIALISING) {
    orr_fmi_give(fmu, v->index, NULL);
  } else if (fmu->now.mode == ORR_FMI_EVENTS || fmu->now.mode == ORR_FMI_CLOCKED) {
    if (!same) orr_fmi_give(fmu, v->index, NULL);
  } else if (fmu->now.mode == ORR_FMI_STEPPING || fmu->now.mode == ORR_FMI_BETWEEN) {
    if (!same && fmu->given[v->index] == 0) fmu->given[v->index] = 1;
  } else if (fmu->body->model->input[v->index].slope != ORR_NONE) {
    orr_hold_input(&fmu->run, v->index, fmu->inputs + fmu->place[v->index]);
  } else if (!same) {
    orr_fmi_give(fmu, v->index, NULL);
    fmu->now.late = 1; /* an event, which the importer hears of when its step is complete */
  }
  return 1;
}

/* Of the input as it was set for the next step. */
int orr_fmi_set_slope(orr_fmi *fmu, unsigned reference, const double *slopes) {
  const orr_fmi_variable *v = orr_fmi_find(fmu, reference);
  const int count = v ? orr_fmi_count(v) : 0;
  if (!v) return 0;
  if (v->what != ORR_FMI_INPUT || fmu->body->model->input[v->index].slope == ORR_NONE)
    return orr_fmi_refuse(fmu, "only inputs that are continuous in time have derivatives");
  memcpy(fmu->slopes + fmu->place[v->index] + v->first, slopes, (size_t)count * sizeof(double));
  fmu->given[v->index] = 2;
  return 1;
}

void orr_fmi_set_time(orr_fmi *fmu, double t) {
  fmu->run.t = t;
  orr_fmi_moved(fmu);
}

void orr_fmi_set_states(orr_fmi *fmu, const double *x) {
  memcpy(fmu->memory, x, (size_t)fmu->body->model->states * sizeof(double));
  orr_fmi_moved(fmu);
}

/* Output clocks tick once for each activation that has come; whether one ticks now. */
static int orr_fmi_note_fired(orr_fmi *fmu) {
  int any = 0;
  for (int k = 0; k < orr_fmi_fired; ++k) {
    const double count = orr_column_value(&fmu->run, fmu->body->fired_column[k]);
    if (!fmu->fired[k] && count > fmu->counts[k]) {
      fmu->fired[k] = 1;
      fmu->counts[k] += 1;
    }
    any = any || fmu->fired[k];
  }
  return any;
}

/* The domain runs if one of its clocks has a tick there. */
static void orr_fmi_tick(orr_fmi *fmu, int k) {
  const orr_fmi_clock *clock = &fmu->body->clock[k];
  const int domain = fmu->body->model->source[clock->source].domain;
  const long long tick = clock->first + fmu->ticks[k]++ * clock->stride;
  fmu->ticked[k] = 0;
  if (fmu->run.at.pending_tick[domain] == tick) fmu->run.at.due[clock->source] = fmu->run.t;
  fmu->run.next_known = 0;
}

/* Inputs that were set since the last step, as events of this instant. */
static void orr_fmi_give_all(orr_fmi *fmu) {
  const orr_model *m = fmu->body->model;
  for (int k = 0; k < m->inputs; ++k) {
    if (fmu->given[k] == 0) continue;
    orr_fmi_give(fmu, k, fmu->slopes + fmu->place[k]);
    for (size_t e = 0; e < orr_fmi_elements(m, k); ++e) fmu->slopes[(size_t)fmu->place[k] + e] = 0;
    fmu->given[k] = 0;
  }
}

/* All that is due at the time of the run. */
static int orr_fmi_take_events(orr_fmi *fmu, int *changed) {
  int flow;
  orr_fmi_give_all(fmu);
  for (int k = 0; k < orr_fmi_clocks; ++k) {
    if (fmu->ticked[k]) orr_fmi_tick(fmu, k);
  }
  *changed = 0;
  if (fmu->exchange || fmu->scheduled) {
    flow = orr_take_events(&fmu->run, fmu->now.stepped, changed);
  } else {
    flow = orr_advance(&fmu->run, fmu->run.t);
  }
  orr_fmi_mute(fmu);
  orr_fmi_moved(fmu);
  fmu->now.stepped = fmu->now.late = 0;
  if (flow == ORR_FAILED) return orr_fmi_fail(fmu);
  fmu->now.stopped = flow == ORR_STOPPED || flow == ORR_RESTART;
  return 1;
}

int orr_fmi_update(orr_fmi *fmu, int *changed, int *again, double *next) {
  memset(fmu->fired, 0, (size_t)orr_fmi_fired); /* an update ends the ticks of this moment */
  if (!orr_fmi_take_events(fmu, changed)) return 0;
  *again = orr_fmi_note_fired(fmu);
  *next = fmu->exchange ? orr_next_event(&fmu->run) : INFINITY;
  return 1;
}

int orr_fmi_completed(orr_fmi *fmu, int *events) {
  const orr_model *m = fmu->body->model;
  /* How fast an input changes is known to the importer alone: what is remembered of it is so after each step. */
  const int steps = m->step_sources || (m->left_sources && m->inputs > 0);
  *events = steps || fmu->now.late;
  fmu->now.stepped = steps;
  return orr_check_assertions(&fmu->run) || orr_fmi_fail(fmu);
}

/* Whether t is a point of the grid that fixed steps have. */
static int orr_fmi_on_grid(const orr_run *r, double t) {
  const double start = r->started ? r->grid_start : r->options.start, near = 1e-9 * r->options.step;
  double point = start + (double)(r->grid_count + 1) * r->options.step; /* mostly the next one */
  if (fabs(point - t) <= near) return 1;
  point = start + floor((t - start) / r->options.step + 0.5) * r->options.step;
  return fabs(point - t) <= near;
}

/* The importer is called inside a step. Inputs that it sets go on as the line through the last two points. */
static int orr_fmi_call_between(orr_fmi *fmu) {
  const orr_model *m = fmu->body->model;
  const double h = fmu->run.t - fmu->asked_at;
  int end;
  fmu->now.mode = ORR_FMI_BETWEEN;
  end = fmu->between(fmu);
  fmu->now.mode = ORR_FMI_STEPPING;
  if (!fmu->asks) return end;
  for (int k = 0; k < m->inputs; ++k) {
    const double *values = fmu->inputs + fmu->place[k];
    double *line = fmu->line + fmu->place[k], *slopes = fmu->slopes + fmu->place[k];
    if (m->input[k].slope == ORR_NONE) continue;
    for (size_t e = 0; e < orr_fmi_elements(m, k); ++e) {
      if (h > 0 && fmu->given[k] != 2) slopes[e] = (values[e] - line[e]) / h;
      line[e] = values[e];
    }
    if (h > 0) fmu->given[k] = 2;
  }
  fmu->asked_at = fmu->run.t;
  orr_fmi_give_all(fmu);
  return end;
}

int orr_fmi_do_step(orr_fmi *fmu, double t, double h, int *events, int *early) {
  orr_run *r = &fmu->run;
  const int watched = fmu->between || (fmu->event_mode && fmu->returns_early && orr_fmi_fired > 0);
  double until = t + h, limit = until;
  int flow = ORR_PAUSED, end = 0;
  *events = *early = 0;
  if (fabs(t - r->t) > 1e-9 * (fabs(h) + fabs(t) * 1e-3))
    return orr_fmi_refuse(fmu, "a step begins where the last one ended");
  if (!(h >= 0)) return orr_fmi_refuse(fmu, "the size of the step is negative or not a number");
  orr_fmi_give_all(fmu);
  orr_fmi_moved(fmu);
  memset(fmu->fired, 0, (size_t)orr_fmi_fired);
  if (r->model->fixed_step && r->has_continuous && orr_fmi_on_grid(r, until)) { /* the run's own point, to the last bit */
    limit = until + 4e-9 * r->options.step;
    until -= 4e-9 * r->options.step;
  }
  if (until < r->t) until = r->t;
  if (limit < until) limit = until;
  fmu->asked_at = r->t;
  if (fmu->between) memcpy(fmu->line, fmu->inputs, orr_fmi_input_elements(r->model) * sizeof(double));
  do {
    flow = orr_advance_within(r, until, limit, watched);
    *events = orr_fmi_note_fired(fmu) && fmu->event_mode;
    if (flow != ORR_PAUSED || r->t >= until) break;
    end = *events && fmu->returns_early;
    orr_fmi_moved(fmu);
    if (!end && fmu->between) end = orr_fmi_call_between(fmu);
  } while (!end);
  orr_fmi_moved(fmu);
  if (flow == ORR_FAILED) return orr_fmi_fail(fmu);
  fmu->now.stopped = flow == ORR_STOPPED || flow == ORR_RESTART;
  *early = end;
  return 1;
}

/* Clocks. */

const orr_fmi_clock *orr_fmi_find_clock(orr_fmi *fmu, unsigned reference) {
  const orr_fmi_variable *v = orr_fmi_find(fmu, reference);
  if (!v) return NULL;
  if (v->what == ORR_FMI_TICKS) return &fmu->body->clock[v->index];
  orr_fmi_refuse(fmu, "it is no clock with an interval that is known");
  return NULL;
}

int orr_fmi_get_clock(orr_fmi *fmu, unsigned reference, int *active) {
  const orr_fmi_variable *v = orr_fmi_find(fmu, reference);
  if (!v) return 0;
  if (v->what == ORR_FMI_FIRED) {
    *active = fmu->fired[v->first];
    if (fmu->scheduled) fmu->fired[v->first] = 0; /* no update ends it */
    return 1;
  }
  if (v->what == ORR_FMI_TICKS) {
    *active = fmu->ticked[v->index];
    return 1;
  }
  *active = 0;
  return v->what == ORR_FMI_TRIGGER || v->what == ORR_FMI_PENDING || orr_fmi_refuse(fmu, "the variable is no clock");
}

int orr_fmi_set_clock(orr_fmi *fmu, unsigned reference, int active) {
  const orr_fmi_variable *v = orr_fmi_find(fmu, reference);
  if (!v) return 0;
  switch (v->what) {
    case ORR_FMI_TRIGGER:
      if (active) orr_set_input(&fmu->run, v->index, NULL, NULL);
      return 1;
    case ORR_FMI_TICKS: fmu->ticked[v->index] = active != 0; return 1;
    case ORR_FMI_FIRED:
    case ORR_FMI_PENDING: return orr_fmi_refuse(fmu, "this clock ticks by itself");
    default: return orr_fmi_refuse(fmu, "the variable is no clock");
  }
}

int orr_fmi_interval(orr_fmi *fmu, unsigned reference, double *interval, int *changed) {
  const orr_fmi_variable *v = orr_fmi_find(fmu, reference);
  const orr_fmi_clock *clock;
  double next;
  *changed = 0;
  *interval = INFINITY;
  if (!v || !orr_fmi_look(fmu)) return 0;
  if (v->what != ORR_FMI_PENDING) {
    clock = orr_fmi_find_clock(fmu, reference);
    if (!clock) return 0;
    *interval = (double)clock->interval / (double)clock->resolution;
    return 1;
  }
  next = orr_next_event(&fmu->run);
  *interval = next - fmu->run.t > 0 ? next - fmu->run.t : 0;
  *changed = !(next == fmu->now.told);
  fmu->now.told = next;
  return 1;
}

int orr_fmi_activate(orr_fmi *fmu, unsigned reference, double t, int *changed) {
  const orr_fmi_variable *v = orr_fmi_find(fmu, reference);
  int states;
  if (!v) return 0;
  if (t < fmu->run.t - fmu->run.coincidence) return orr_fmi_refuse(fmu, "time has gone back");
  if (t > fmu->run.t) fmu->run.t = t;
  memset(fmu->fired, 0, (size_t)orr_fmi_fired);
  if (v->what != ORR_FMI_PENDING && !orr_fmi_set_clock(fmu, reference, 1)) return 0;
  if (!orr_fmi_take_events(fmu, &states)) return 0;
  *changed = orr_fmi_note_fired(fmu) || orr_next_event(&fmu->run) != fmu->now.told;
  return 1;
}

void orr_fmi_end(orr_fmi *fmu) {
  if (ORR_FMI_RUNNING >> fmu->now.mode & 1) orr_end(&fmu->run);
  fmu->now.mode = ORR_FMI_ENDED;
}

/* Saving: the flags, the parts that change, the run. */

size_t orr_fmi_saved_size(const orr_fmi *fmu) {
  size_t size = sizeof(orr_fmi_flags) + orr_saved_size(fmu->body->model);
  orr_fmi_part part[ORR_FMI_PARTS];
  orr_fmi_parts(NULL, fmu->body, part);
  for (int k = 0; k < ORR_FMI_SAVED_PARTS; ++k) size += part[k].size;
  return size;
}

int orr_fmi_get_state(orr_fmi *fmu, void **state) {
  unsigned char *at;
  orr_fmi_part part[ORR_FMI_PARTS];
  if (!*state) *state = malloc(orr_fmi_saved_size(fmu));
  if (!*state) return orr_fmi_refuse(fmu, "there is no memory for a state");
  at = *state;
  memcpy(at, &fmu->now, sizeof fmu->now);
  at += sizeof fmu->now;
  orr_fmi_parts(fmu, fmu->body, part);
  for (int k = 0; k < ORR_FMI_SAVED_PARTS; ++k) {
    memcpy(at, *part[k].place, part[k].size);
    at += part[k].size;
  }
  orr_save(&fmu->run, at);
  return 1;
}

int orr_fmi_set_state(orr_fmi *fmu, const void *state) {
  const unsigned char *at = state;
  orr_fmi_part part[ORR_FMI_PARTS];
  if (!fmu || !state) return 0;
  memcpy(&fmu->now, at, sizeof fmu->now);
  at += sizeof fmu->now;
  orr_fmi_parts(fmu, fmu->body, part);
  for (int k = 0; k < ORR_FMI_SAVED_PARTS; ++k) {
    memcpy(*part[k].place, at, part[k].size);
    at += part[k].size;
  }
  orr_restore(&fmu->run, at);
  fmu->differentiated = 0;
  return 1;
}

int orr_fmi_free_state(orr_fmi *fmu, void **state) {
  if (!fmu || !state) return 0;
  free(*state);
  *state = NULL;
  return 1;
}

int orr_fmi_serialise(const orr_fmi *fmu, const void *state, void *bytes, size_t size) {
  if (!fmu || !state || size != orr_fmi_saved_size(fmu)) return 0;
  memcpy(bytes, state, size);
  return 1;
}

int orr_fmi_deserialise(const orr_fmi *fmu, const void *bytes, size_t size, void **state) {
  if (!fmu || size != orr_fmi_saved_size(fmu)) return 0;
  if (!*state) *state = malloc(size);
  if (!*state) return 0;
  memcpy(*state, bytes, size);
  return 1;
}
