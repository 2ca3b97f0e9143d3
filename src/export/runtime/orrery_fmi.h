// SPDX-License-Identifier: MIT-0
/* An exported model as an FMU: what FMI 2.0 and 3.0 have in common. A value reference is a place in a table that is
 * generated with the model; everything else is the description of orrery_rt.h and its run-time. */
#ifndef ORRERY_FMI_H
#define ORRERY_FMI_H

#include "orrery_rt.h"

#if defined(_WIN32)
#define ORR_FMI_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define ORR_FMI_EXPORT __attribute__((visibility("default")))
#else
#define ORR_FMI_EXPORT
#endif

enum orr_fmi_what {
  ORR_FMI_TIME,
  ORR_FMI_PARAMETER,  /* index: among the parameters */
  ORR_FMI_INPUT,      /* among the inputs */
  ORR_FMI_ACTIVATION, /* the same: true lets it come once */
  ORR_FMI_COLUMN,     /* the first of its columns */
  ORR_FMI_STATE,      /* among the states */
  ORR_FMI_DERIVATIVE,
  ORR_FMI_INDICATOR, /* among the surfaces */
  ORR_FMI_TRIGGER,   /* clock: an activation input, among the inputs */
  ORR_FMI_TICKS,     /* clock: of a synchronous domain, among the clocks */
  ORR_FMI_PENDING,   /* clock: events that the model has programmed for itself */
  ORR_FMI_FIRED,     /* clock: an activation output; index: its column, which counts; first: among the output clocks */
  ORR_FMI_ABSENT     /* another kind of FMU has it */
};
#define ORR_CLOCK_TYPE (ORR_BOOLEAN + 1)

typedef struct {
  unsigned char what, type; /* type: of orr_type, or ORR_CLOCK_TYPE */
  int index, first;         /* first: element */
  int rows, cols;           /* column by column here */
} orr_fmi_variable;

/* A clock of a synchronous domain: tick j is its base tick first + j * stride. In seconds, counters / resolution. */
typedef struct {
  int source;
  long long first, stride;
  unsigned long long interval, shift, resolution;
} orr_fmi_clock;

/* Partial derivatives at the point where the run is, row by row. Rows are the equations of the loops, derivatives,
 * outputs and surfaces, columns the unknowns of the loops, states and inputs. */
typedef struct {
  orr_procedure values;
  int rows, columns, entries;
  const int *row_start, *column;
  int loops;
  const int* loop_start;     /* loops + 1: the first equation, and unknown, of each */
  int derivatives, surfaces; /* the first row of them; derivatives: also the first column of states */
  const int* output_row;     /* by column of the model: its row, -1: it has none */
  const int* input_column;   /* by input: the first column of its elements, -1: it has none */
} orr_fmi_jacobian;

/* Generated. A body for each kind of FMU, as modes and methods differ; model is NULL where it is not offered. */
typedef struct {
  const orr_model* model;
  const orr_fmi_variable* variable;
  const orr_fmi_jacobian* jacobian; /* NULL: derivatives are not offered */
  const orr_fmi_clock* clock;       /* of domains that importers tick */
  const int* fired_column;          /* by output clock: the column that counts it */
} orr_fmi_body;
extern const orr_fmi_body orr_fmi_exchange, orr_fmi_cosimulation, orr_fmi_scheduled;
extern const unsigned orr_fmi_variables;
extern const char* const orr_fmi_token;
extern const int orr_fmi_clocks, orr_fmi_fired; /* clocks of domains that importers tick; output clocks */

enum orr_fmi_mode {
  ORR_FMI_INSTANTIATED,
  ORR_FMI_INITIALISING,
  ORR_FMI_EVENTS,
  ORR_FMI_CONTINUOUS, /* model exchange */
  ORR_FMI_STEPPING,   /* co-simulation */
  ORR_FMI_BETWEEN,    /* co-simulation: inside a step, while the importer is called */
  ORR_FMI_CLOCKED,    /* scheduled execution */
  ORR_FMI_ENDED,
  ORR_FMI_BROKEN
};

/* Modes in which a function may be called. */
#define ORR_FMI_IN(mode) (1u << ORR_FMI_##mode)
#define ORR_FMI_RUNNING \
  (ORR_FMI_IN(EVENTS) | ORR_FMI_IN(CONTINUOUS) | ORR_FMI_IN(STEPPING) | ORR_FMI_IN(BETWEEN) | ORR_FMI_IN(CLOCKED))
#define ORR_FMI_READABLE (ORR_FMI_IN(INITIALISING) | ORR_FMI_RUNNING | ORR_FMI_IN(ENDED) | ORR_FMI_IN(BROKEN))
#define ORR_FMI_SETTABLE (ORR_FMI_IN(INSTANTIATED) | ORR_FMI_IN(INITIALISING) | ORR_FMI_RUNNING)

/* What changes besides the run and is plain data. */
typedef struct {
  int mode, looked, fresh, stepped, stopped, late;
  double told; /* the time that was given last for the clock of pending events */
} orr_fmi_flags;

typedef struct orr_fmi {
  const orr_fmi_body* body;
  orr_run run;
  orr_fmi_flags now;
  unsigned char *memory, *kept; /* kept: the run before it was initialised for a look */
  orr_cell* work;
  double *inputs, *slopes, *line; /* as they were given last, all elements; line: where inputs were in the last step */
  double *before, *values, *derivative; /* before, values: room for the largest variable */
  double* indicators;
  int* place;                              /* by input: the first of its elements among those */
  unsigned char* given;                    /* by input: since the last step; 2: with a slope */
  double* counts;                          /* by output clock: activations that were told */
  unsigned char* fired;                    /* by output clock: it ticks now */
  long long* ticks;                        /* by clock of a domain: how often it was ticked */
  unsigned char* ticked;                   /* … and whether it ticks now */
  double *entries, *seeds, *sums, *matrix; /* of derivatives: by entry, by column, by row, of a loop */
  int differentiated;                      /* entries are those of this point */
  int exchange, scheduled, event_mode, returns_early;
  void *user, *environment;
  char* name; /* of the instance, for FMI 2.0 */
  int logs;
  void (*log)(struct orr_fmi* fmu, int severity, const char* text);
  /* Called between the steps of the solver, where the importer asked for it; 1: the step is to end here. */
  int (*between)(struct orr_fmi* fmu);
  int asks; /* the importer has inputs for points between */
  double asked_at;
} orr_fmi;

/* Bytes of an instance with everything it needs; it is zeroed memory that orr_fmi_begin makes an instance of. */
size_t orr_fmi_size(const orr_fmi_body* body);
void orr_fmi_begin(orr_fmi* fmu, const orr_fmi_body* body);
/* As it was after orr_fmi_begin. */
void orr_fmi_reset(orr_fmi* fmu);
/* Whether the instance is in one of the modes, a sum of ORR_FMI_IN; if not, it says so. */
int orr_fmi_allowed(orr_fmi* fmu, unsigned modes, const char* function);

/* All return 1 where it went well; what did not was said. stop: infinity, not known; rtol 0: the model's own. */
int orr_fmi_set_up(orr_fmi* fmu, double start, double stop, double rtol);
int orr_fmi_initialise(orr_fmi* fmu);
int orr_fmi_get(orr_fmi* fmu, unsigned reference, double* values);
int orr_fmi_set(orr_fmi* fmu, unsigned reference, const double* values);
int orr_fmi_set_slope(orr_fmi* fmu, unsigned reference, const double* slopes);
void orr_fmi_set_time(orr_fmi* fmu, double t);
void orr_fmi_set_states(orr_fmi* fmu, const double* x);
/* again: an output clock ticks now. */
int orr_fmi_update(orr_fmi* fmu, int* changed, int* again, double* next);
int orr_fmi_completed(orr_fmi* fmu, int* events);
/* events: an output clock ticks; early: the step ended before it was to. */
int orr_fmi_do_step(orr_fmi* fmu, double t, double h, int* events, int* early);
void orr_fmi_end(orr_fmi* fmu);
int orr_fmi_refuse(orr_fmi* fmu, const char* text); /* says it and returns 0 */

/* Clocks. An interval that is not known is infinite. */
int orr_fmi_get_clock(orr_fmi* fmu, unsigned reference, int* active);
int orr_fmi_set_clock(orr_fmi* fmu, unsigned reference, int active);
const orr_fmi_clock* orr_fmi_find_clock(orr_fmi* fmu, unsigned reference); /* of a domain */
int orr_fmi_interval(orr_fmi* fmu, unsigned reference, double* interval, int* changed);
/* changed: the interval of pending events, or an output clock. */
int orr_fmi_activate(orr_fmi* fmu, unsigned reference, double t, int* changed);

/* Products with the partial derivatives of the unknowns by the knowns; arrays are row by row. */
int orr_fmi_directional(orr_fmi* fmu, const unsigned* unknowns, size_t unknown_count, const unsigned* knowns,
                        size_t known_count, const double* seed, size_t seed_count, double* result, size_t result_count);
int orr_fmi_adjoint(orr_fmi* fmu, const unsigned* unknowns, size_t unknown_count, const unsigned* knowns,
                    size_t known_count, const double* seed, size_t seed_count, double* result, size_t result_count);

/* Whether the model can be asked: where the importer initialises, after a look. */
int orr_fmi_ready(orr_fmi* fmu);

/* Saved instances: their bytes are the same in every process of one machine. A state is memory of the heap. */
size_t orr_fmi_saved_size(const orr_fmi* fmu);
int orr_fmi_get_state(orr_fmi* fmu, void** state);
int orr_fmi_set_state(orr_fmi* fmu, const void* state);
int orr_fmi_free_state(orr_fmi* fmu, void** state);
int orr_fmi_serialise(const orr_fmi* fmu, const void* state, void* bytes, size_t size);
int orr_fmi_deserialise(const orr_fmi* fmu, const void* bytes, size_t size, void** state);

int orr_fmi_count(const orr_fmi_variable* variable);
/* FMI has the elements of a matrix row by row. */
int orr_fmi_by_rows(const orr_fmi_variable* variable, int element);
const orr_fmi_variable* orr_fmi_find(orr_fmi* fmu, unsigned reference);

#endif
