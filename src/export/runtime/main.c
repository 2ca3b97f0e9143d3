// SPDX-License-Identifier: MIT-0
/* Runs one instance of @NAME@ and prints what it records, a row for each moment; with --dialog it asks for the inputs at
 * every step. Change it as you like. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "@NAME@.h"

static @NAME@_instance one; /* any number of them may exist */

/* A name of the first line: in quotes where it holds a comma, as [1,2] does. */
static void print_name(const char *name) {
  if (strpbrk(name, ",\"\r\n") == NULL) {
    printf("%s", name);
    return;
  }
  putchar('"');
  for (; *name; ++name) {
    if (*name == '"') putchar('"');
    putchar(*name);
  }
  putchar('"');
}

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

enum { most_numbers = 1024 };

static int wrong(const char *what, const char *word) {
  fprintf(stderr, "%s: %s\nusage: [--stop T] [--step H] [--dialog [--period P]] [PARAMETER=NUMBERS ...]\n", word, what);
  return 2;
}

/* Exactly so many numbers, with blanks between them. */
static int read_numbers(const char *text, int count, double *values) {
  for (int e = 0; e < count; ++e) {
    char *end;
    values[e] = strtod(text, &end);
    if (end == text) return 0;
    text = end;
  }
  while (*text == ' ') ++text;
  return *text == 0;
}

/* A full disk is no success. */
static int finish(int code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  fprintf(stderr, "error: the output cannot be written\n");
  return 1;
}

static int count_of(int variable) { return @NAME@_model.variable[variable].rows * @NAME@_model.variable[variable].cols; }

/* The dialogue of a program without files: inputs act on the interval that follows. */
static int dialog(double period) {
  const orr_model *m = &@NAME@_model;
  double values[most_numbers];
  int end = ORR_PAUSED;
  for (int k = 0; k < m->inputs; ++k) {
    if (m->input[k].variable >= 0 && count_of(m->input[k].variable) > most_numbers)
      return wrong("an input has too many numbers for it", "--dialog");
  }
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
      for (int e = 0; e < count_of(m->input[k].variable); ++e) {
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
    double *number = NULL;
    if (strcmp(argv[k], "--dialog") == 0) {
      asks = 1;
      continue;
    }
    if (strcmp(argv[k], "--stop") == 0) number = &options.stop;
    if (strcmp(argv[k], "--step") == 0) number = &options.step;
    if (strcmp(argv[k], "--period") == 0) number = &period;
    if (number == NULL) {
      if (argv[k][0] == '-' || strchr(argv[k], '=') == NULL) return wrong("there is no such option", argv[k]);
      continue;
    }
    if (k + 1 == argc || !read_numbers(argv[k + 1], 1, number)) return wrong("a number must follow", argv[k]);
    ++k;
  }
  if (!(options.stop >= options.start)) return wrong("it must not come before the start", "--stop");
  if (asks) {
    options.record = 0;
    listener.row = NULL;
    options.stop = INFINITY;
  }
  @NAME@_begin(&one, &options, &listener);
  for (int k = 1; k < argc; ++k) {
    char *equals = strchr(argv[k], '=');
    if (equals && argv[k][0] != '-') {
      double values[most_numbers];
      int parameter, count;
      *equals = 0;
      parameter = orr_find_parameter(m, argv[k]);
      if (parameter < 0) return wrong("there is no such parameter", argv[k]);
      count = count_of(m->parameter[parameter].variable);
      if (count > most_numbers) return wrong("it has too many numbers", argv[k]);
      if (!read_numbers(equals + 1, count, values)) return wrong("its numbers are not right", argv[k]);
      orr_set_parameter(&one.run, parameter, values);
    }
  }
  if (asks) return finish(dialog(period));
  printf("time");
  for (int c = 0; c < m->columns; ++c) {
    if (!m->column[c].wanted) continue;
    putchar(',');
    print_name(m->column[c].name);
  }
  printf("\n");
  return finish(print_end(orr_advance(&one.run, INFINITY)));
}
