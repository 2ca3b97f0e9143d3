// SPDX-License-Identifier: MIT-0
/* What the Python module calls: the model's description as plain lists, and one loop over instances and rows. Instances
 * lie behind each other in memory that Python owns. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "@NAME@.h"

#if defined(_WIN32)
#define ORR_SEEN __declspec(dllexport)
#else
#define ORR_SEEN __attribute__((visibility("default")))
#endif

enum { ORR_INPUTS, ORR_ACTIVATIONS, ORR_OUTPUTS, ORR_PARAMETERS };

typedef struct {
  @NAME@_instance model;
  int flow; /* ORR_PAUSED: it can go on */
  char trouble[400];
  double input[@WIDEST@]; /* room for one input */
} one_instance;

typedef struct {
  const char *name, *unit, *about;
  int type, rows, cols;
  int width; /* doubles: two for each complex number */
} orr_py_item;

typedef struct {
  double start, stop, step, longest; /* NaN: the model's own */
  int nominal;                       /* x += step * rate, as a plain loop has it */
} orr_py_settings;

/* Rows from..to of a simulation: row k has inputs that are held from begin + k * dt on, and outputs of the end of that
 * interval, which is `last` for the last row. Strides are bytes; u or y NULL: there are none. */
typedef struct {
  long long from, to, rows;
  double begin, dt, last;
  unsigned long long activations; /* bit k: activation input k comes at the beginning of each row */
  const char *u;
  ptrdiff_t u_instance, u_row, u_item;
  char *y;
  ptrdiff_t y_instance, y_row, y_item;
} orr_py_task;

static one_instance *instance_at(char *at, long long k) {
  return (one_instance *)(void *)(at + (size_t)k * ((sizeof(one_instance) + 63) / 64 * 64));
}

static void keep_trouble(void *user, const orr_run *run, int severity, const char *path, const char *text) {
  one_instance *one = user;
  size_t room = sizeof one->trouble - 1, length;
  (void)run;
  if (severity != ORR_ERROR || one->trouble[0]) return;
  length = strlen(path);
  if (length > room / 2) length = room / 2;
  memcpy(one->trouble, path, length);
  if (length > 0) {
    memcpy(one->trouble + length, ": ", 2);
    length += 2;
  }
  room -= length;
  strncpy(one->trouble + length, text, room);
}

static int width_of(const orr_variable *v) { return v->rows * v->cols * (v->type == ORR_C128 ? 2 : 1); }

ORR_SEEN size_t orr_py_stride(void) { return (sizeof(one_instance) + 63) / 64 * 64; }
ORR_SEEN const char *orr_py_name(void) { return @NAME@_model.name; }
ORR_SEEN void orr_py_options(double *out) {
  const orr_options *o = &@NAME@_model.options;
  out[0] = o->start, out[1] = o->stop, out[2] = @NAME@_model.fixed_step ? o->step : 0;
}

/* 0: there is no such item. */
ORR_SEEN int orr_py_item_of(int list, int number, orr_py_item *item) {
  const orr_model *m = &@NAME@_model;
  const orr_variable *v = NULL;
  memset(item, 0, sizeof *item);
  item->rows = item->cols = item->width = 1;
  item->unit = item->about = "";
  if (list == ORR_PARAMETERS) {
    if (number >= m->parameters) return 0;
    v = &m->variable[m->parameter[number].variable];
  } else if (list == ORR_OUTPUTS) {
    if (number >= m->outputs_count) return 0;
    item->name = m->output[number].name;
    if (m->output[number].variable >= 0) v = &m->variable[m->output[number].variable];
  } else {
    int k = 0;
    while (k < m->inputs && ((m->input[k].variable < 0) != (list == ORR_ACTIVATIONS) || number-- > 0)) ++k;
    if (k == m->inputs) return 0;
    item->name = m->input[k].name;
    if (m->input[k].variable >= 0) v = &m->variable[m->input[k].variable];
  }
  if (v) {
    item->name = v->name;
    item->unit = v->unit;
    item->about = v->about;
    item->type = v->type;
    item->rows = v->rows;
    item->cols = v->cols;
    item->width = width_of(v);
  }
  return 1;
}

ORR_SEEN void orr_py_begin(char *at, long long count, const orr_py_settings *settings) {
  for (long long k = 0; k < count; ++k) {
    one_instance *one = instance_at(at, k);
    orr_options options = @NAME@_model.options;
    orr_listener listener = {one, NULL, keep_trouble};
    memset(one, 0, sizeof *one);
    if (!isnan(settings->start)) options.start = settings->start;
    if (!isnan(settings->stop)) options.stop = settings->stop;
    if (!isnan(settings->step)) options.step = settings->step;
    if (!isnan(settings->longest)) options.hmax = settings->longest;
    options.nominal = settings->nominal;
    options.record = 0;
    @NAME@_begin(&one->model, &options, &listener);
    one->flow = ORR_PAUSED;
  }
}

/* stride: bytes from the values of one instance to those of the next, 0: all have the same. */
ORR_SEEN void orr_py_parameter(char *at, long long count, int parameter, const char *values, ptrdiff_t stride) {
  for (long long k = 0; k < count; ++k)
    orr_set_parameter(&instance_at(at, k)->model.run, parameter, (const double *)(const void *)(values + k * stride));
}

ORR_SEEN void orr_py_step_size(char *at, long long count, double step) {
  for (long long k = 0; k < count; ++k) orr_set_step(&instance_at(at, k)->model.run, step);
}

static void set_inputs(one_instance *one, const char *row, ptrdiff_t item) {
  const orr_model *m = &@NAME@_model;
  int column = 0;
  for (int k = 0; k < m->inputs; ++k) {
    int width;
    if (m->input[k].variable < 0) continue;
    width = width_of(&m->variable[m->input[k].variable]);
    for (int e = 0; e < width; ++e) one->input[e] = *(const double *)(const void *)(row + (column + e) * item);
    column += width;
    orr_set_input(&one->model.run, k, one->input, NULL);
  }
}

static void get_outputs(orr_run *run, char *row, ptrdiff_t item) {
  const orr_model *m = run->model;
  int column = 0;
  orr_outputs(run);
  for (int k = 0; k < m->outputs_count; ++k) {
    const int width = m->output[k].variable < 0 ? 1 : width_of(&m->variable[m->output[k].variable]);
    for (int e = 0; e < width; ++e, ++column)
      *(double *)(void *)(row + column * item) = orr_column_value(run, m->output[k].column + e);
  }
}

/* The number of the first instance that failed; -1: none has. Those that have ended stay as they are. */
ORR_SEEN long long orr_py_simulate(char *at, long long count, const orr_py_task *task) {
  long long failed = -1;
  for (long long k = 0; k < count; ++k) {
    one_instance *one = instance_at(at, k);
    orr_run *run = &one->model.run;
    for (long long row = task->from; row < task->to; ++row) {
      const double begin = task->begin + (double)row * task->dt;
      const double until = row + 1 == task->rows ? task->last : task->begin + (double)(row + 1) * task->dt;
      if (one->flow == ORR_PAUSED) {
        if (task->u) set_inputs(one, task->u + k * task->u_instance + row * task->u_row, task->u_item);
        if (!run->begun && orr_initialise(run) == ORR_FAILED) one->flow = ORR_FAILED;
        if (one->flow == ORR_PAUSED && task->activations) {
          orr_activate(run, task->activations);
          one->flow = orr_advance(run, run->t);
        }
        if (one->flow == ORR_PAUSED && until > begin) one->flow = orr_advance_exactly(run, until);
        if (one->flow == ORR_PAUSED && !(until > begin)) one->flow = orr_advance(run, run->t);
      }
      if (one->flow == ORR_FAILED) break;
      if (task->y) get_outputs(run, task->y + k * task->y_instance + row * task->y_row, task->y_item);
    }
    if (one->flow == ORR_FAILED && failed < 0) failed = k;
  }
  return failed;
}

ORR_SEEN const char *orr_py_trouble(char *at, long long k) { return instance_at(at, k)->trouble; }
ORR_SEEN int orr_py_flow(char *at, long long k) { return instance_at(at, k)->flow; }
ORR_SEEN double orr_py_time(char *at, long long k) { return instance_at(at, k)->model.run.t; }

/* One goes on as the other would. */
ORR_SEEN void orr_py_copy(char *to, long long k, char *from, long long j) {
  one_instance *a = instance_at(to, k), *b = instance_at(from, j);
  orr_copy(&a->model.run, &b->model.run);
  a->flow = b->flow;
  memcpy(a->trouble, b->trouble, sizeof a->trouble);
}

ORR_SEEN void orr_py_end(char *at, long long count) {
  for (long long k = 0; k < count; ++k) {
    if (instance_at(at, k)->flow == ORR_PAUSED && instance_at(at, k)->model.run.begun)
      orr_end(&instance_at(at, k)->model.run);
  }
}
