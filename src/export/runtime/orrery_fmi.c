// SPDX-License-Identifier: MIT-0
#include "orrery_fmi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a saved instance holds besides its run. */
typedef struct {
  int mode, looked, fresh, stepped, stopped, late;
} orr_fmi_flags;

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

/* One block: the instance, then what it points to. */
static size_t orr_fmi_lay_out(orr_fmi *fmu, const orr_model *m) {
  unsigned char *base = (unsigned char *)fmu;
  const size_t inputs = orr_fmi_input_elements(m) * sizeof(double);
  size_t at = orr_fmi_round(sizeof(orr_fmi));
  size_t sizes[11];
  void **places[11] = {0};
  sizes[0] = m->memory;
  sizes[1] = orr_saved_size(m);
  sizes[2] = m->work * sizeof(orr_cell);
  sizes[3] = sizes[4] = inputs;
  sizes[5] = orr_fmi_largest(m) * sizeof(double);
  sizes[6] = ((size_t)m->states + 1) * sizeof(double);
  sizes[7] = (size_t)m->inputs * sizeof(int);
  sizes[8] = (size_t)m->inputs;
  sizes[9] = sizes[5];
  sizes[10] = (size_t)m->surface_count * sizeof(double);
  if (fmu) {
    places[0] = (void **)&fmu->memory;
    places[1] = (void **)&fmu->kept;
    places[2] = (void **)&fmu->work;
    places[3] = (void **)&fmu->inputs;
    places[4] = (void **)&fmu->slopes;
    places[5] = (void **)&fmu->before;
    places[6] = (void **)&fmu->derivative;
    places[7] = (void **)&fmu->place;
    places[8] = (void **)&fmu->given;
    places[9] = (void **)&fmu->values;
    places[10] = (void **)&fmu->indicators;
  }
  for (int k = 0; k < 11; ++k) {
    if (fmu) *places[k] = base + at;
    at += orr_fmi_round(sizes[k] + 1);
  }
  return at;
}

size_t orr_fmi_size(const orr_fmi_body *body) { return orr_fmi_lay_out(NULL, body->model); }

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

static int orr_fmi_fail(orr_fmi *fmu) {
  fmu->mode = ORR_FMI_BROKEN;
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
  fmu->mode = ORR_FMI_INSTANTIATED;
  fmu->looked = fmu->fresh = fmu->stepped = fmu->stopped = fmu->late = 0;
}

void orr_fmi_begin(orr_fmi *fmu, const orr_fmi_body *body) {
  fmu->body = body;
  fmu->exchange = body == &orr_fmi_exchange;
  orr_fmi_lay_out(fmu, body->model);
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

/* While the importer initialises, values may be read and set in turn: what a look did is undone before it sets. */
static int orr_fmi_look(orr_fmi *fmu) {
  if (fmu->looked || fmu->mode != ORR_FMI_INITIALISING) return 1;
  orr_save(&fmu->run, fmu->kept);
  fmu->looked = 1;
  return orr_initialise(&fmu->run) != ORR_FAILED || orr_fmi_fail(fmu);
}

static void orr_fmi_undo_look(orr_fmi *fmu) {
  if (fmu->looked && fmu->mode == ORR_FMI_INITIALISING) orr_restore(&fmu->run, fmu->kept);
  fmu->looked = 0;
}

int orr_fmi_initialise(orr_fmi *fmu) {
  int flow;
  if (!orr_fmi_look(fmu)) return 0;
  fmu->looked = fmu->fresh = 0;
  fmu->mode = fmu->exchange ? ORR_FMI_EVENTS : ORR_FMI_STEPPING;
  if (fmu->exchange) return 1;
  flow = orr_advance(&fmu->run, fmu->run.t); /* the events of the first instant */
  fmu->stopped = flow == ORR_STOPPED || flow == ORR_RESTART;
  return flow != ORR_FAILED || orr_fmi_fail(fmu);
}

const orr_fmi_variable *orr_fmi_find(orr_fmi *fmu, unsigned reference) {
  if (reference < orr_fmi_variables) return &fmu->body->variable[reference];
  orr_fmi_refuse(fmu, "there is no variable with this value reference");
  return NULL;
}

int orr_fmi_ready(orr_fmi *fmu) { return orr_fmi_look(fmu); }

static int orr_fmi_outputs(orr_fmi *fmu) {
  if (fmu->mode == ORR_FMI_INSTANTIATED) return 1; /* what the memory holds */
  if (!orr_fmi_look(fmu)) return 0;
  if (fmu->fresh) return 1;
  orr_outputs(&fmu->run);
  fmu->fresh = 1;
  return 1;
}

int orr_fmi_count(const orr_fmi_variable *v) { return v->rows * v->cols; }

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
    case ORR_FMI_ABSENT: return orr_fmi_refuse(fmu, "this kind of FMU does not have the variable");
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
  if (fmu->mode != ORR_FMI_INSTANTIATED && fmu->mode != ORR_FMI_INITIALISING)
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
  }
}

int orr_fmi_set(orr_fmi *fmu, unsigned reference, const double *values) {
  const orr_fmi_variable *v = orr_fmi_find(fmu, reference);
  const int count = v ? orr_fmi_count(v) : 0;
  double *mine;
  int same = 1;
  if (!v) return 0;
  orr_fmi_undo_look(fmu);
  fmu->fresh = 0;
  switch (v->what) {
    case ORR_FMI_PARAMETER: return orr_fmi_set_parameter(fmu, v, values);
    case ORR_FMI_STATE:
      if (fmu->mode != ORR_FMI_CONTINUOUS && fmu->mode != ORR_FMI_EVENTS)
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
  if (fmu->mode == ORR_FMI_INSTANTIATED || fmu->mode == ORR_FMI_INITIALISING || fmu->mode == ORR_FMI_EVENTS) {
    if (!same || fmu->mode != ORR_FMI_EVENTS) orr_fmi_give(fmu, v->index, NULL);
  } else if (fmu->mode == ORR_FMI_STEPPING) {
    if (!same && fmu->given[v->index] == 0) fmu->given[v->index] = 1;
  } else if (fmu->body->model->input[v->index].slope != ORR_NONE) {
    orr_hold_input(&fmu->run, v->index, fmu->inputs + fmu->place[v->index]);
  } else if (!same) {
    orr_fmi_give(fmu, v->index, NULL);
    fmu->late = 1; /* an event, which the importer hears of when its step is complete */
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
  fmu->fresh = 0;
}

void orr_fmi_set_states(orr_fmi *fmu, const double *x) {
  memcpy(fmu->memory, x, (size_t)fmu->body->model->states * sizeof(double));
  fmu->fresh = 0;
}

int orr_fmi_update(orr_fmi *fmu, int *changed, double *next) {
  const int flow = orr_take_events(&fmu->run, fmu->stepped, changed);
  fmu->fresh = fmu->stepped = fmu->late = 0;
  if (flow == ORR_FAILED) return orr_fmi_fail(fmu);
  fmu->stopped = flow == ORR_STOPPED || flow == ORR_RESTART;
  *next = orr_next_event(&fmu->run);
  return 1;
}

int orr_fmi_completed(orr_fmi *fmu, int *events) {
  *events = fmu->body->model->step_sources || fmu->late;
  fmu->stepped = fmu->body->model->step_sources != 0;
  return orr_check_assertions(&fmu->run) || orr_fmi_fail(fmu);
}

/* Points of the grid that fixed steps have, as the run computes them. */
static double orr_fmi_on_grid(const orr_run *r, double t) {
  const double start = r->started ? r->grid_start : r->options.start;
  const double point = start + floor((t - start) / r->options.step + 0.5) * r->options.step;
  return fabs(point - t) <= 1e-9 * r->options.step ? point : t;
}

int orr_fmi_do_step(orr_fmi *fmu, double t, double h) {
  orr_run *r = &fmu->run;
  double until = t + h;
  int flow;
  if (fabs(t - r->t) > 1e-9 * (fabs(h) + fabs(t) * 1e-3))
    return orr_fmi_refuse(fmu, "a step begins where the last one ended");
  if (!(h >= 0)) return orr_fmi_refuse(fmu, "the size of the step is negative or not a number");
  for (int k = 0; k < r->model->inputs; ++k) {
    if (fmu->given[k] == 0) continue;
    orr_fmi_give(fmu, k, fmu->slopes + fmu->place[k]);
    for (size_t e = 0; e < orr_fmi_elements(r->model, k); ++e) fmu->slopes[(size_t)fmu->place[k] + e] = 0;
    fmu->given[k] = 0;
  }
  fmu->fresh = 0;
  if (r->model->fixed_step) until = orr_fmi_on_grid(r, until);
  if (until < r->t) until = r->t;
  flow = orr_advance_exactly(r, until);
  if (flow == ORR_FAILED) return orr_fmi_fail(fmu);
  fmu->stopped = flow == ORR_STOPPED || flow == ORR_RESTART;
  return 1;
}

void orr_fmi_end(orr_fmi *fmu) {
  if (fmu->mode == ORR_FMI_EVENTS || fmu->mode == ORR_FMI_CONTINUOUS || fmu->mode == ORR_FMI_STEPPING)
    orr_end(&fmu->run);
  fmu->mode = ORR_FMI_ENDED;
}

size_t orr_fmi_saved_size(const orr_fmi *fmu) {
  const orr_model *m = fmu->body->model;
  return sizeof(orr_fmi_flags) + 2 * orr_fmi_input_elements(m) * sizeof(double) + (size_t)m->inputs +
         2 * orr_saved_size(m);
}

void orr_fmi_save(const orr_fmi *fmu, void *bytes) {
  const orr_model *m = fmu->body->model;
  const size_t inputs = orr_fmi_input_elements(m) * sizeof(double), saved = orr_saved_size(m);
  unsigned char *at = bytes;
  orr_fmi_flags flags;
  memset(&flags, 0, sizeof flags);
  flags.mode = fmu->mode;
  flags.looked = fmu->looked;
  flags.fresh = fmu->fresh;
  flags.stepped = fmu->stepped;
  flags.stopped = fmu->stopped;
  flags.late = fmu->late;
  memcpy(at, &flags, sizeof flags);
  at += sizeof flags;
  memcpy(at, fmu->inputs, inputs);
  memcpy(at + inputs, fmu->slopes, inputs);
  at += 2 * inputs;
  memcpy(at, fmu->given, (size_t)m->inputs);
  at += m->inputs;
  memcpy(at, fmu->kept, saved);
  orr_save(&fmu->run, at + saved);
}

void orr_fmi_restore(orr_fmi *fmu, const void *bytes) {
  const orr_model *m = fmu->body->model;
  const size_t inputs = orr_fmi_input_elements(m) * sizeof(double), saved = orr_saved_size(m);
  const unsigned char *at = bytes;
  orr_fmi_flags flags;
  memcpy(&flags, at, sizeof flags);
  fmu->mode = flags.mode;
  fmu->looked = flags.looked;
  fmu->fresh = flags.fresh;
  fmu->stepped = flags.stepped;
  fmu->stopped = flags.stopped;
  fmu->late = flags.late;
  at += sizeof flags;
  memcpy(fmu->inputs, at, inputs);
  memcpy(fmu->slopes, at + inputs, inputs);
  at += 2 * inputs;
  memcpy(fmu->given, at, (size_t)m->inputs);
  at += m->inputs;
  memcpy(fmu->kept, at, saved);
  orr_restore(&fmu->run, at + saved);
}
