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
  ORR_FMI_ABSENT     /* another kind of FMU has it */
};

typedef struct {
  unsigned char what, type; /* type: of orr_type */
  int index, first;         /* first: element */
  int rows, cols;           /* column by column here */
} orr_fmi_variable;

/* Generated. A body for each kind of FMU, as modes and methods differ; model is NULL where it is not offered. */
typedef struct {
  const orr_model* model;
  const orr_fmi_variable* variable;
} orr_fmi_body;
extern const orr_fmi_body orr_fmi_exchange, orr_fmi_cosimulation;
extern const unsigned orr_fmi_variables;
extern const char* const orr_fmi_token;

enum orr_fmi_mode {
  ORR_FMI_INSTANTIATED,
  ORR_FMI_INITIALISING,
  ORR_FMI_EVENTS,     /* model exchange */
  ORR_FMI_CONTINUOUS, /* model exchange */
  ORR_FMI_STEPPING,   /* co-simulation */
  ORR_FMI_ENDED,
  ORR_FMI_BROKEN
};

typedef struct orr_fmi {
  const orr_fmi_body* body;
  orr_run run;
  unsigned char *memory, *kept; /* kept: the run before it was initialised for a look */
  orr_cell* work;
  double *inputs, *slopes;              /* as they were given last, all elements */
  double *before, *values, *derivative; /* before, values: room for the largest variable */
  double* indicators;
  int* place;           /* by input: the first of its elements among those */
  unsigned char* given; /* by input: since the last step; 2: with a slope */
  int mode, exchange, looked, fresh, stepped, stopped, late;
  void *user, *environment;
  char* name; /* of the instance, for FMI 2.0 */
  int logs;
  void (*log)(struct orr_fmi* fmu, int severity, const char* text);
} orr_fmi;

/* Bytes of an instance with everything it needs; it is zeroed memory that orr_fmi_begin makes an instance of. */
size_t orr_fmi_size(const orr_fmi_body* body);
void orr_fmi_begin(orr_fmi* fmu, const orr_fmi_body* body);
/* As it was after orr_fmi_begin. */
void orr_fmi_reset(orr_fmi* fmu);

/* All return 1 where it went well; what did not was said. stop: infinity, not known; rtol 0: the model's own. */
int orr_fmi_set_up(orr_fmi* fmu, double start, double stop, double rtol);
int orr_fmi_initialise(orr_fmi* fmu);
int orr_fmi_get(orr_fmi* fmu, unsigned reference, double* values);
int orr_fmi_set(orr_fmi* fmu, unsigned reference, const double* values);
int orr_fmi_set_slope(orr_fmi* fmu, unsigned reference, const double* slopes);
void orr_fmi_set_time(orr_fmi* fmu, double t);
void orr_fmi_set_states(orr_fmi* fmu, const double* x);
int orr_fmi_update(orr_fmi* fmu, int* changed, double* next);
int orr_fmi_completed(orr_fmi* fmu, int* events);
int orr_fmi_do_step(orr_fmi* fmu, double t, double h);
void orr_fmi_end(orr_fmi* fmu);
int orr_fmi_refuse(orr_fmi* fmu, const char* text); /* says it and returns 0 */

/* Whether the model can be asked: where the importer initialises, after a look. */
int orr_fmi_ready(orr_fmi* fmu);

/* Saved instances: their bytes are the same in every process of one machine. */
size_t orr_fmi_saved_size(const orr_fmi* fmu);
void orr_fmi_save(const orr_fmi* fmu, void* bytes);
void orr_fmi_restore(orr_fmi* fmu, const void* bytes);

int orr_fmi_count(const orr_fmi_variable* variable);
const orr_fmi_variable* orr_fmi_find(orr_fmi* fmu, unsigned reference);

#endif
