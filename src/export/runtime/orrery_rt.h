// SPDX-License-Identifier: MIT-0
/* What an exported model is to those who use it, and the run-time that runs one.
 *
 * A generated file gives one constant of type orr_model: sizes, tables and procedures, nothing that changes. An
 * instance is a block of memory that the procedures work on; its layout is a struct of the generated header. Whoever
 * wants to run the model as Orrery does (orrery_rt.c), wrap it for FMI or drive it from Python needs this description
 * only. C99, no global variables, no allocation, no library but libm. */
#ifndef ORRERY_RT_H
#define ORRERY_RT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORR_VERSION 1
#define ORR_NONE ((size_t)-1) /* an offset that is none */

/* t: time. x: continuous states, maybe a trial point outside the memory. y: results, where the procedure has some.
 * tick: of the base clock, at ticks of clocks. All reads of a procedure happen before all its stores. */
typedef void (*orr_procedure)(double t, const double* x, double* y, void* memory, long long tick);

/* Elements of arrays follow each other column by column; a complex element is two doubles, a boolean one byte. */
enum orr_type { ORR_F64, ORR_C128, ORR_I8, ORR_I16, ORR_I32, ORR_U8, ORR_U16, ORR_U32, ORR_BOOLEAN };
enum orr_kind { ORR_PARAMETER, ORR_INPUT, ORR_OUTPUT, ORR_SIGNAL, ORR_STATE, ORR_UNKNOWN, ORR_MEMORY, ORR_MODE };

/* A quantity with a name. Its start is what the initial memory holds. */
typedef struct {
  const char* name; /* "/Plant/Mass.x"; parameters, inputs and outputs: their own names */
  const char *unit, *about;
  unsigned char kind, type;
  unsigned char negated;    /* it is the negative of what lies there */
  unsigned char continuous; /* it has a value at every time, not only when events reach it */
  int rows, cols;
  size_t offset; /* in the memory */
} orr_variable;

/* A number that may be changed before a run begins. */
typedef struct {
  int variable;
  size_t given; /* a byte to be set to 1 then: its own formula is left out; ORR_NONE: it has none */
} orr_parameter;

/* An input. What the model reads is value + slope * (t - since) where it has a slope, else value. While a run goes on,
 * write next (and next_slope) and let the source happen; before it, the others as well. */
typedef struct {
  const char* name;
  int source;   /* what happens when the input is set, or when its activation comes */
  int variable; /* -1: an activation */
  size_t value, slope, since, next, next_slope;
} orr_input;

typedef struct {
  const char* name;
  int column;   /* its first column */
  int variable; /* -1: an activation, of which the column counts how often it came */
} orr_output;

/* What is recorded: one number of each row. */
typedef struct {
  const char* name; /* "/Scope.1[2]" */
  const char* unit;
  size_t offset;            /* in the memory */
  size_t seen;              /* a byte that is 1 once there is a value; ORR_NONE: from the start */
  unsigned char type;       /* of the number */
  unsigned char continuous; /* computed by outputs() */
  unsigned char wanted;     /* 0: nobody asked for it */
} orr_column;

enum orr_source_kind {
  ORR_INITIAL,    /* the first of all */
  ORR_CLOCK,      /* ticks of one synchronous domain */
  ORR_PROGRAMMED, /* scheduled by others, or an input */
  ORR_CROSSING,   /* zero-crossings of one block */
  ORR_STEP,       /* after each step of the integrator */
  ORR_LEFT,       /* before an instant that disturbs continuous time; each step of fixed size */
  ORR_INSTANT,    /* when all events of an instant have been */
  ORR_FINAL       /* at the end */
};

enum orr_action_kind {
  ORR_DO_STOP,
  ORR_DO_FAIL,
  ORR_DO_RESTART,
  ORR_DO_REPEAT,
  ORR_DO_WARN,
  ORR_DO_NOTE,
  ORR_DO_RECORD
};

typedef struct {
  unsigned char kind;
  int values;       /* numbers for the text */
  const char* text; /* each "{}" stands for the next of them */
  const char* path; /* of the block */
} orr_action;

/* Something that can happen. Its procedure does all of it: outputs, then states, then, in y, for each schedule a flag
 * and a delay, and for each action a flag and its values. */
typedef struct {
  const char* path; /* of the block */
  int port;         /* activation output of it */
  unsigned char kind;
  unsigned char critical; /* it disturbs continuous time */
  unsigned char queued;   /* several of its events may be pending */
  unsigned char first;    /* its events come before all others of their instant */
  unsigned char quiet;    /* no schedules, no actions but rows */
  unsigned char shows;    /* what is recorded can change */
  unsigned char reads_states, reads_modes, reads_sampled;
  unsigned char moves_modes, moves_shown; /* it changes what modes depend on, or modes that are only shown */
  int domain;                             /* clocks */
  orr_procedure run;
  orr_procedure shows_when; /* y[0] != 0 before the event: it does show; none: always */
  int schedules;
  const int* targets; /* by schedule: the source */
  int actions;
  const orr_action* action;
  int loops;
  const int* loop; /* solved before it */
} orr_source;

/* A clock ticks at base ticks first + j * divisor; base tick k comes at start + (offset + k * step) / denominator. */
typedef struct {
  long long first, divisor;
} orr_clock;
typedef struct {
  double offset, step, denominator;
  long long stride; /* where one clock ticks whenever any does: its divisor; else 0 */
  int clocks;
  const orr_clock* clock;
} orr_domain;

/* A function whose sign is watched. It has a mode, which is "value >= 0" (> 0 when strict) or a number that is held, or
 * it fires its source. */
typedef struct {
  const char *path, *text;
  size_t mode;      /* ORR_NONE: it fires */
  size_t direction; /* int8: how it crossed, while its source runs */
  int source;
  int held;                      /* the mode is a number: its place in settled(); -1: it is not */
  unsigned char rising, falling; /* the crossings that count */
  unsigned char strict, shown, edge, jumps, level;
  unsigned char affine, has_rate, by_states;
} orr_surface;

/* Equations 0 = residual(unknowns), solved together before a procedure that reads the unknowns. */
typedef struct {
  const char* path;
  int unknowns;
  const size_t* offset;             /* of each unknown, a double */
  orr_procedure residual, jacobian; /* jacobian: NULL, by differences; else its entries in the order of the pattern */
  int entries;
  const int *row, *column;
} orr_loop;

typedef struct {
  const char *path, *text;
  int values;
  unsigned char only_warns;
} orr_assertion;

/* What happens when generated code meets an index outside its array, or a loop without end. */
typedef struct orr_trouble {
  long long turns;
  double index;
  long long length;
  int site, unused;
} orr_trouble;
typedef struct {
  const char *path, *text;
} orr_site;

/* ORR_SDIRK: implicit, for stiff models. ORR_AUTO: ORR_DOPRI until a model shows to be stiff, then ORR_SDIRK. */
enum orr_solver { ORR_EULER, ORR_HEUN, ORR_RK4, ORR_RK5, ORR_DOPRI, ORR_SDIRK, ORR_AUTO };

typedef struct {
  double start, stop;
  int solver;
  double step;                          /* fixed */
  double rtol, atol, hmax, hmin, hinit; /* atol 0: rtol; hmax 0: a hundredth of the horizon */
  double time_tolerance;                /* events nearer to each other are simultaneous; 0: a few roundings */
  double zero_threshold;
  int final_tick; /* a tick exactly at the stop time happens */
  int record;     /* rows are wanted */
  int nominal;    /* x += step * rate, as a plain loop has it; 0: by the times of the grid */
} orr_options;

typedef struct {
  int version;
  const char *name, *about, *token; /* token: of the model's content */
  int fixed_step;                   /* made for methods with fixed steps: it has no modes */
  size_t memory;                    /* bytes of an instance */
  const void* initial;              /* what it holds before it starts */
  int states;                       /* doubles at the beginning of the memory */
  const double* tolerances;         /* absolute, by state; 0: the run's own times the nominal value */
  const double* nominals;
  int results;         /* of the largest y of a source */
  orr_options options; /* those of the model */

  orr_procedure derivatives; /* y: by state */
  /* y: partial derivatives of the derivatives, and of the equations of their loops behind them, by states and unknowns;
   * NULL: by differences. Only where the solver may be an implicit one. */
  orr_procedure jacobian;
  int jacobian_size, jacobian_entries; /* 0: there is no implicit method */
  const int *jacobian_row, *jacobian_column;
  orr_procedure outputs;       /* computes what is shown of continuous time, into the memory */
  orr_procedure surfaces;      /* y: by surface */
  orr_procedure surface_rates; /* y: by surface its first and second rate along the solution and its size */
  orr_procedure settled;       /* y: what numbers that are held become */
  orr_procedure sampled;       /* conditions as events read them, into the memory */
  orr_procedure assertions, tried_assertions, assertion_values;
  int starts;
  const orr_procedure* start; /* what follows from parameters, in order */

  int partial, partial_shown; /* derivatives, or what is shown, may be without a value: sqrt, log, division */
  int all_rates;              /* of all surfaces the rates are known */
  int continuous_columns, first_sources, step_sources, left_sources, instant_sources; /* whether there are such */
  int sources, domains, surface_count, held_count, loops, assertion_count, queues;
  const orr_source* source;
  const orr_domain* domain;
  const orr_surface* surface;
  const size_t* held; /* by number that is held: where it lies */
  const orr_loop* loop;
  const orr_assertion* assertion;
  int most_unknowns, most_entries; /* of a loop */
  int derivative_loops, surface_loops, output_loops, sampled_loops, assertion_loops;
  const int *derivative_loop, *surface_loop, *output_loop, *sampled_loop, *assertion_loop;

  int surface_states; /* how many states the surfaces read, where that is known and not all */
  const int* surface_state;

  int variables, parameters, inputs, outputs_count, columns;
  const orr_variable* variable;
  const orr_parameter* parameter;
  const orr_input* input;
  const orr_output* output;
  const orr_column* column;

  size_t trouble; /* of the orr_trouble in the memory; ORR_NONE: nothing can go wrong */
  int sites;
  const orr_site* site;
  size_t work; /* cells that a run needs besides (ORR_WORK) */
} orr_model;

/* The run-time: orrery_rt.c.
 *
 *   static NAME_instance one;                  a struct of the generated header: run, memory and room to work in
 *   NAME_begin(&one, NULL);                    its own options
 *   while (orr_advance(&one.run, INFINITY) == ORR_PAUSED) …
 *
 * The fixed-step methods give the bits of the simulation. */
enum orr_flow { ORR_ON, ORR_STOPPED, ORR_RESTART, ORR_FAILED, ORR_REACHED, ORR_PAUSED };
enum orr_phase {
  ORR_ROW_INITIAL,
  ORR_ROW_MESH,
  ORR_ROW_LEFT_OF_EVENT,
  ORR_ROW_EVENT,
  ORR_ROW_LEFT_OF_CROSSING,
  ORR_ROW_CROSSING
};
enum orr_severity { ORR_NOTE, ORR_WARNING, ORR_ERROR };

typedef union {
  double d;
  long long i;
} orr_cell;

struct orr_run;
typedef struct {
  void* user;
  /* A moment that is recorded, with the values of all columns; none: nothing is. */
  void (*row)(void* user, const struct orr_run* run, int phase, const double* values);
  void (*say)(void* user, const struct orr_run* run, int severity, const char* path, const char* text);
} orr_listener;

/* Vectors of a run, in the room it was given. */
typedef struct {
  double *begin, *end, *k[7], *d, *p, *q, *r, *tolerance, *ahead, *slope, *slope_ahead, *inside; /* by state */
  double *g, *rates, *speed, *g_ahead, *rates_ahead, *settled;                                   /* by surface */
  double *side, *last, *at_zero, *fired_at, *fired_value, *fired_way, *noise, *limit;            /* … as watched */
  double *at_end, *before, *first, *trial, *band, *left_at, *leave_rate, *leave_second, *leads, *loud, *turned, *near;
  double *passing, *rhythm, *flips, *tried, *kept, *kept_trial, *samples;
  double *found, *judged, *located; /* 4 a crossing */
  double* due;
  long long* order;
  long long* pending_tick;
  double* tick_time;
  double *results, *warned, *row, *last_row, *queue_time;
  long long *queue_order, *queue_source;
  double *z, *guess, *next, *residual, *next_residual, *move, *check, *start_residual, *offset, *last_z, *inverse,
      *pivot;
  double *matrix, *entries;
  double *newton, *newton_pivot, *newton_inverse, *newton_move, *jacobian; /* of the implicit method */
} orr_room;

/* A stretch of a step: surfaces are known at its ends and quarters. */
typedef struct {
  double begin, end;
  int value[5], depth, resolved; /* value: places among the samples */
} orr_piece;

#define ORR_PIECES 48
#define ORR_QUEUE 64    /* events that may wait behind each other at one activation output */
#define ORR_SAMPLES 192 /* points of one step at which surfaces are known at once */

/* Plain data. The pointers lead into the instance; orr_copy and orr_restore set them anew. */
typedef struct orr_run {
  const orr_model* model;
  unsigned char* memory;
  orr_cell* work;
  orr_room at;
  orr_options options;
  orr_listener listener;
  double t;
  long long tick;
  double time_tolerance, coincidence, horizon;
  double grid_start, step_begin, step_end, h, h_next, log_error, until, step_limit, from;
  double speed_at, begun_at, leaving_until, watched, instant, left_at, row_time, first_limit, longest;
  long long programmed, grid_count, events, events_in_instant, steps, rows, from_events;
  int begun, ended, single, restart_needed, in_instant, modes_moved, shown_moved, has_continuous, has_modes, started;
  int accepted, begin_known, end_known, dense, stale, undecided, some_leave, waiting, loops_failed, has_row;
  int found, louds, turns, nears, passings, pieces, sampled, least_depth, open;
  int lonely_clock, next_known; /* next_due is that of all sources */
  double next_due;
  int plain; /* derivatives need no more than their procedure */
  int implicit, jacobian_known, jacobian_current, stiff_signs, calm_steps;
  double found_time, rtol;
  double h_factored, h_controlled, error_controlled, newton_rate;
  orr_piece piece[ORR_PIECES], last_piece;
} orr_run;

/* Cells that a run needs to work in. samples: ORR_SAMPLES, or 6 with fixed steps. */
#define ORR_WORK(states, surfaces, samples, held, sources, domains, results, assertions, columns, queues, unknowns, \
                 entries)                                                                                           \
  (18 * (size_t)(states) + (57 + (size_t)(samples)) * (size_t)(surfaces) + (size_t)(held) + 2 * (size_t)(sources) + \
   2 * (size_t)(domains) + (size_t)(results) + (size_t)(assertions) + 2 * (size_t)(columns) +                       \
   3 * ORR_QUEUE * (size_t)(queues) + (12 + (size_t)(unknowns)) * (size_t)(unknowns) + (size_t)(entries) + 1)

/* … and besides, where there is an implicit method. */
#define ORR_IMPLICIT_WORK(size, entries) ((3 + (size_t)(size)) * (size_t)(size) + (size_t)(entries))

/* An instance before its run: memory as the model has it. Parameters and inputs may be set now. options: NULL, the
 * model's own. */
void orr_begin(orr_run* run, const orr_model* model, void* memory, orr_cell* work, const orr_options* options,
               const orr_listener* listener);
/* Everything that happens at the start, up to the first events. orr_advance does it where it has not been done. */
int orr_initialise(orr_run* run);
/* Goes on to `until` (at or after it with fixed steps) or the stop time. ORR_PAUSED, ORR_REACHED, ORR_STOPPED,
 * ORR_RESTART or ORR_FAILED. */
int orr_advance(orr_run* run, double until);
/* The same, and no step goes further. */
int orr_advance_exactly(orr_run* run, double until);
/* To the next accepted point, or through the events of this instant. */
int orr_step(orr_run* run);
/* The same up to the first point at or after `until`, no step going beyond the limit; single: one accepted point at
 * most. */
int orr_advance_within(orr_run* run, double until, double limit, int single);
/* Sets an input: one number for each element (of complex ones two). As an event of this instant once the run has begun.
 * slope: NULL, it stands still. */
int orr_set_input(orr_run* run, int input, const double* value, const double* slope);
/* An activation input: bit k of the mask is input k of those that are activations. They run one after the other. */
void orr_activate(orr_run* run, unsigned long long mask);
void orr_set_parameter(orr_run* run, int parameter, const double* values);
/* From now on: the fixed step, or the longest of variable ones. */
void orr_set_step(orr_run* run, double step);
/* Brings what is shown of continuous time up to date. */
void orr_outputs(orr_run* run);
double orr_number(const orr_model* model, const void* memory, size_t offset, int type);
double orr_column_value(const orr_run* run, int column);
/* Infinity: nothing is due. */
double orr_next_event(const orr_run* run);
/* An element of an array in the memory. */
double orr_element(const orr_model* model, const void* memory, size_t offset, int type, int element);
/* The states of this time, into the memory. */
void orr_refresh(orr_run* run);
/* What happens at the end of a run, where nothing has ended it yet. */
void orr_end(orr_run* run);

/* For those who integrate themselves (model exchange): the states are in the memory at time run->t. */
int orr_derivatives(orr_run* run, double* derivatives);             /* 0: they have no value here */
void orr_hold_input(orr_run* run, int input, const double* values); /* between events: no event of its own */
void orr_surface_values(orr_run* run, double* values); /* never on the other side of zero than was judged */
/* Everything due now, crossings among it, until nothing is left. stepped: a step has just ended. *changed: the states
 * are other ones. */
int orr_take_events(orr_run* run, int stepped, int* changed);
int orr_check_assertions(orr_run* run); /* 0: one is broken, and that was said */

/* Saving is copying: `to` goes on as `from` would. The bytes of a run: memory, then work, then the run itself. */
void orr_copy(orr_run* to, const orr_run* from);
size_t orr_saved_size(const orr_model* model);
void orr_save(const orr_run* run, void* bytes);
void orr_restore(orr_run* run, const void* bytes);
/* Parameters given as name=number on the command line of the standalone program; -1: there is none. */
int orr_find_parameter(const orr_model* model, const char* name);

#ifdef __cplusplus
}
#endif
#endif
