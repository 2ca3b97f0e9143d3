// SPDX-License-Identifier: MIT-0
/* Runs one instance of @NAME@ and prints what it records, a row for each moment; with --dialog it asks for the inputs at
 * every step. Change it as you like. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "@NAME@.h"

static @NAME@_instance one; /* any number of them may exist */

static void print_row(void *user, const orr_run *run, int phase, const double *values) {
  (void)user, (void)phase;
  printf("%.17g", run->t);
  for (int c = 0; c < run->model->columns; ++c) {
    if (run->model->column[c].wanted) printf(",%.17g", values[c]);
  }
  printf("\n");
}

static void print_message(void *user, const orr_run *run, int severity, const char *path, const char *text) {
  static const char *const words[] = {"note", "warning", "error"};
  (void)user;
  fprintf(stderr, "%s: %s%st = %g: %s\n", words[severity], path, path[0] ? ": " : "", run->t, text);
}

static int print_end(int end) {
  if (end == ORR_RESTART) fprintf(stderr, "note: the model asks for another run\n");
  return end == ORR_FAILED;
}

static int count_of(int variable) { return @NAME@_model.variable[variable].rows * @NAME@_model.variable[variable].cols; }

/* The dialogue of a program without files: inputs act on the interval that follows. */
static int dialog(double period) {
  const orr_model *m = &@NAME@_model;
  double values[1024];
  int end = ORR_PAUSED;
  for (long step = 0; end == ORR_PAUSED; ++step) {
    const double t = one.run.t;
    int input = 0, output = 0;
    printf("inputs at time %f\n", t);
    for (int k = 0; k < m->inputs; ++k) {
      if (m->input[k].variable < 0) {
        orr_set_input(&one.run, k, NULL, NULL);
        continue;
      }
      printf("input %d of type double[%d]? ", ++input, count_of(m->input[k].variable));
      for (int e = 0; e < count_of(m->input[k].variable) && e < 1024; ++e) {
        if (scanf("%lf", &values[e]) != 1) {
          printf("\n");
          return 0;
        }
      }
      orr_set_input(&one.run, k, values, NULL);
    }
    end = orr_advance(&one.run, t);
    orr_outputs(&one.run);
    printf("outputs at time %f\n", t);
    for (int k = 0; k < m->outputs_count; ++k) {
      if (m->output[k].variable < 0) continue;
      printf("output %d of type double[%d]:", ++output, count_of(m->output[k].variable));
      for (int e = 0; e < count_of(m->output[k].variable); ++e)
        printf(" %f", orr_column_value(&one.run, m->output[k].column + e));
      printf("\n");
    }
    if (end == ORR_PAUSED) end = orr_advance_exactly(&one.run, one.run.options.start + (double)(step + 1) * period);
  }
  return print_end(end);
}

int main(int argc, char **argv) {
  const orr_model *m = &@NAME@_model;
  orr_options options = m->options;
  orr_listener listener = {NULL, print_row, print_message};
  double period = m->options.step > 0 ? m->options.step : 0.1;
  int asks = 0;
  for (int k = 1; k < argc; ++k) {
    if (strcmp(argv[k], "--dialog") == 0) asks = 1;
    if (strcmp(argv[k], "--stop") == 0 && k + 1 < argc) options.stop = strtod(argv[++k], NULL);
    if (strcmp(argv[k], "--step") == 0 && k + 1 < argc) options.step = strtod(argv[++k], NULL);
    if (strcmp(argv[k], "--period") == 0 && k + 1 < argc) period = strtod(argv[++k], NULL);
  }
  if (asks) {
    options.record = 0;
    listener.row = NULL;
    if (options.stop < 1e9) options.stop = 1e9;
  }
  @NAME@_begin(&one, &options, &listener);
  for (int k = 1; k < argc; ++k) {
    char *equals = strchr(argv[k], '=');
    if (equals && argv[k][0] != '-') {
      double values[1024];
      int parameter, count;
      *equals = 0;
      parameter = orr_find_parameter(m, argv[k]);
      if (parameter < 0) {
        fprintf(stderr, "there is no parameter %s\n", argv[k]);
        return 2;
      }
      count = count_of(m->parameter[parameter].variable);
      for (int e = 0; e < count && e < 1024; ++e) values[e] = strtod(e == 0 ? equals + 1 : equals, &equals);
      orr_set_parameter(&one.run, parameter, values);
    }
  }
  if (asks) return dialog(period);
  printf("time");
  for (int c = 0; c < m->columns; ++c) {
    if (m->column[c].wanted) printf(",%s", m->column[c].name);
  }
  printf("\n");
  return print_end(orr_advance(&one.run, INFINITY));
}
