// SPDX-License-Identifier: MIT-0
/* Blocks written in C: a function void name(vss_block* block, int flag), called with flags by the simulator.
 *
 * The structure is reached through the macros below only; numbers n of ports, parameters and states and dimensions m
 * begin at 1, matrices are stored column by column. The terms are those of "Extended Definitions", 9.1 and 10.3.
 */
#ifndef VSS_BLOCK4_H
#define VSS_BLOCK4_H

#ifndef VSS_WITHOUT_HEADERS /* compiled in memory, on a machine without a C compiler */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#endif

#ifdef __cplusplus
extern "C" {
#define VSS_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define VSS_EXPORT __attribute__((visibility("default")))
#endif

#define VSS_BLOCK_VERSION 4

/* Flags: what is wanted. */
enum {
  VssFlag_Derivatives = 0,
  VssFlag_OutputUpdate = 1,
  VssFlag_StateUpdate = 2,
  VssFlag_EventScheduling = 3,
  VssFlag_Initialize = 4,
  VssFlag_Terminate = 5,
  VssFlag_Reinitialize = 6,
  VssFlag_ReinitializeImplicit = 7,
  VssFlag_Projection = 8,
  VssFlag_ZeroCrossings = 9,
  VssFlag_Jacobians = 10,
  VssFlag_GotoPause = 11,
  VssFlag_ReturnFromPause = 12
};

/* Element types: numbers, and what they are in C. */
enum {
  SCSREAL_N = 10,
  SCSCOMPLEX_N = 11,
  SCSINT32_N = 84,
  SCSINT16_N = 82,
  SCSINT8_N = 81,
  SCSUINT32_N = 814,
  SCSUINT16_N = 812,
  SCSUINT8_N = 811,
  SCSBOOL_N = 80,
  SCSSTRING_N = 20
};
typedef double SCSREAL_COP;
typedef double SCSCOMPLEX_COP;
typedef int SCSINT_COP;
typedef int SCSINT32_COP;
typedef short SCSINT16_COP;
typedef signed char SCSINT8_COP;
typedef unsigned int SCSUINT32_COP;
typedef unsigned short SCSUINT16_COP;
typedef unsigned char SCSUINT8_COP;
typedef unsigned char SCSBOOL_COP;
typedef char SCSSTRING_COP;
typedef void* SCSPOINTER_COP;

/* Phases of a simulation. */
enum {
  PHASE_MESHPOINT_LEFTL = -1,
  PHASE_MESHPOINT = 0,
  PHASE_DISCRETE = 1,
  PHASE_TRY_MFX = 2,
  PHASE_TRY_MRLX = 3,
  PHASE_ZC_LEFTL = 4,
  PHASE_ZCROSS = 5,
  PHASE_EXIT_INITIALIZATION = 6
};

/* Kinds of constraints (10.3): residuals that are zero, or corrections of the states. */
enum { VSS_NO_CONSTRAINT = 0, CONSTRAINT = 1, PROJECTION = 2 };

/* A matrix of the block: a port, a parameter or a discrete state. */
typedef struct {
  int size[2];
  int type;
  void* real;
  void* imag; /* complex: the imaginary parts; text: nothing */
} vss_matrix;

struct vss_block;

/* What belongs to the simulator. */
typedef struct {
  double time, initial_time, final_time, mesh_point;
  double last_step, next_step, hmax, hmax_used;
  double atol, rtol, ttol;
  const double* atol_vector;
  double alpha, beta;
  int phase, modes_fixed, zero_crossings_enabled, modes_enabled, debug, stop_requested;
  int initialising, terminating, in_repeat, hot_restart;
  int neq, nzero, block_number;
  const double *initial_x, *initial_xd;
  const int* xprop;
  const char *model_name, *model_file, *temporary_folder;
  /* What the block asks for. */
  void (*stop)(struct vss_block*, int value);
  void (*cold_restart)(struct vss_block*);
  void (*discard)(struct vss_block*);
  void (*message)(struct vss_block*, int severity, const char* format, va_list list);
  void* (*allocate)(struct vss_block*, size_t size);
  FILE* (*open_file)(struct vss_block*, const char* name, const char* mode);
  void* owner;
} vss_simulator;

typedef struct vss_block {
  int version;
  int ninput, noutput;
  vss_matrix *input, *output;
  int nevinput, event_code;
  int nevoutput;
  double* evoutput;
  int nstate, implicit;
  double *state, *derivative, *residual;
  int* xprop;
  int ndstate;
  double* dstate;
  int nodstate;
  vss_matrix* odstate;
  int nconstraint, constraint_kind;
  double* constraint;
  int nrpar, nipar, nopar;
  double* rpar;
  int* ipar;
  vss_matrix* opar;
  int nzcross;
  double* zcross;
  int* jroot;
  int nmode;
  int* mode;
  void* work;
  int analytic_jacobian;
  double* jacobian;
  int error;
  int dept, inherits, blocktype;
  const char *label, *name;
  vss_simulator* sim;
} vss_block;

/* Inputs and outputs. */
#define GetNin(b) ((b)->ninput)
#define GetInDim(b, n) 2
#define GetInPortPtrs(b, n) ((b)->input[(n)-1].real)
#define GetInPortSize(b, n, m) ((b)->input[(n)-1].size[(m)-1])
#define GetInPortRows(b, n) GetInPortSize(b, n, 1)
#define GetInPortCols(b, n) GetInPortSize(b, n, 2)
#define GetInType(b, n) ((b)->input[(n)-1].type)
#define GetRealInPortPtrs(b, n) ((SCSREAL_COP*)(b)->input[(n)-1].real)
#define GetImagInPortPtrs(b, n) ((SCSREAL_COP*)(b)->input[(n)-1].imag)
#define Getint8InPortPtrs(b, n) ((SCSINT8_COP*)(b)->input[(n)-1].real)
#define Getint16InPortPtrs(b, n) ((SCSINT16_COP*)(b)->input[(n)-1].real)
#define Getint32InPortPtrs(b, n) ((SCSINT32_COP*)(b)->input[(n)-1].real)
#define Getuint8InPortPtrs(b, n) ((SCSUINT8_COP*)(b)->input[(n)-1].real)
#define Getuint16InPortPtrs(b, n) ((SCSUINT16_COP*)(b)->input[(n)-1].real)
#define Getuint32InPortPtrs(b, n) ((SCSUINT32_COP*)(b)->input[(n)-1].real)
#define GetBoolInPortPtrs(b, n) ((SCSBOOL_COP*)(b)->input[(n)-1].real)
#define GetSizeOfIn(b, n) vss_size_of(GetInType(b, n))

#define GetNout(b) ((b)->noutput)
#define GetOutDim(b, n) 2
#define GetOutPortPtrs(b, n) ((b)->output[(n)-1].real)
#define GetOutPortSize(b, n, m) ((b)->output[(n)-1].size[(m)-1])
#define GetOutPortRows(b, n) GetOutPortSize(b, n, 1)
#define GetOutPortCols(b, n) GetOutPortSize(b, n, 2)
#define GetOutType(b, n) ((b)->output[(n)-1].type)
#define GetRealOutPortPtrs(b, n) ((SCSREAL_COP*)(b)->output[(n)-1].real)
#define GetImagOutPortPtrs(b, n) ((SCSREAL_COP*)(b)->output[(n)-1].imag)
#define Getint8OutPortPtrs(b, n) ((SCSINT8_COP*)(b)->output[(n)-1].real)
#define Getint16OutPortPtrs(b, n) ((SCSINT16_COP*)(b)->output[(n)-1].real)
#define Getint32OutPortPtrs(b, n) ((SCSINT32_COP*)(b)->output[(n)-1].real)
#define Getuint8OutPortPtrs(b, n) ((SCSUINT8_COP*)(b)->output[(n)-1].real)
#define Getuint16OutPortPtrs(b, n) ((SCSUINT16_COP*)(b)->output[(n)-1].real)
#define Getuint32OutPortPtrs(b, n) ((SCSUINT32_COP*)(b)->output[(n)-1].real)
#define GetBoolOutPortPtrs(b, n) ((SCSBOOL_COP*)(b)->output[(n)-1].real)
#define GetSizeOfOut(b, n) vss_size_of(GetOutType(b, n))

/* Parameters. */
#define GetNrpar(b) ((b)->nrpar)
#define GetRparPtrs(b) ((b)->rpar)
#define GetNipar(b) ((b)->nipar)
#define GetIparPtrs(b) ((b)->ipar)
#define GetNopar(b) ((b)->nopar)
#define GetOparType(b, n) ((b)->opar[(n)-1].type)
#define GetOparSizePtrs(b, n) ((b)->opar[(n)-1].size)
#define GetOparSize(b, n, m) ((b)->opar[(n)-1].size[(m)-1])
#define GetOparPtrs(b, n) ((b)->opar[(n)-1].real)
#define GetRealOparPtrs(b, n) ((SCSREAL_COP*)(b)->opar[(n)-1].real)
#define GetImagOparPtrs(b, n) ((SCSREAL_COP*)(b)->opar[(n)-1].imag)
#define Getint8OparPtrs(b, n) ((SCSINT8_COP*)(b)->opar[(n)-1].real)
#define Getint16OparPtrs(b, n) ((SCSINT16_COP*)(b)->opar[(n)-1].real)
#define Getint32OparPtrs(b, n) ((SCSINT32_COP*)(b)->opar[(n)-1].real)
#define Getuint8OparPtrs(b, n) ((SCSUINT8_COP*)(b)->opar[(n)-1].real)
#define Getuint16OparPtrs(b, n) ((SCSUINT16_COP*)(b)->opar[(n)-1].real)
#define Getuint32OparPtrs(b, n) ((SCSUINT32_COP*)(b)->opar[(n)-1].real)
#define GetBoolOparPtrs(b, n) ((SCSBOOL_COP*)(b)->opar[(n)-1].real)
#define GetStringOparPtrs(b, n) ((SCSSTRING_COP*)(b)->opar[(n)-1].real)
#define GetSizeOfOpar(b, n) vss_size_of(GetOparType(b, n))

/* Continuous states. */
#define GetNstate(b) ((b)->nstate)
#define GetState(b) ((b)->state)
#define GetDerState(b) ((b)->derivative)
#define GetResState(b) ((b)->residual)
#define GetXpropPtrs(b) ((b)->xprop)
#define GetImplicitFlag(b) ((b)->implicit)
#define GetJacobianPtrs(b) ((b)->jacobian)
#define GetAjac(b) ((b)->analytic_jacobian)
#define SetAjac(b, n) ((b)->analytic_jacobian = (n))

/* Discrete states. */
#define GetNdstate(b) ((b)->ndstate)
#define GetDstate(b) ((b)->dstate)
#define GetNoz(b) ((b)->nodstate)
#define GetOz(b) ((b)->odstate)
#define GetOzType(b, n) ((b)->odstate[(n)-1].type)
#define GetOzTypePtrs(b, n) (&(b)->odstate[(n)-1].type)
#define GetOzSizePtrs(b, n) ((b)->odstate[(n)-1].size)
#define GetOzSize(b, n, m) ((b)->odstate[(n)-1].size[(m)-1])
#define GetOzPtrs(b, n) ((b)->odstate[(n)-1].real)
#define GetRealOzPtrs(b, n) ((SCSREAL_COP*)(b)->odstate[(n)-1].real)
#define GetImagOzPtrs(b, n) ((SCSREAL_COP*)(b)->odstate[(n)-1].imag)
#define Getint8OzPtrs(b, n) ((SCSINT8_COP*)(b)->odstate[(n)-1].real)
#define Getint16OzPtrs(b, n) ((SCSINT16_COP*)(b)->odstate[(n)-1].real)
#define Getint32OzPtrs(b, n) ((SCSINT32_COP*)(b)->odstate[(n)-1].real)
#define Getuint8OzPtrs(b, n) ((SCSUINT8_COP*)(b)->odstate[(n)-1].real)
#define Getuint16OzPtrs(b, n) ((SCSUINT16_COP*)(b)->odstate[(n)-1].real)
#define Getuint32OzPtrs(b, n) ((SCSUINT32_COP*)(b)->odstate[(n)-1].real)
#define GetBoolOzPtrs(b, n) ((SCSBOOL_COP*)(b)->odstate[(n)-1].real)
#define GetSizeOfOz(b, n) vss_size_of(GetOzType(b, n))

/* Events: the code is the sum of 2^(p-1) over the active inputs p, -1 for a zero-crossing of the block itself. */
#define GetNevIn(b) ((b)->event_code)
#define GetEventCode(b) ((b)->event_code)
#define GetNevin(b) ((b)->nevinput)
#define GetNevOut(b) ((b)->nevoutput)
#define GetNevOutPtrs(b) ((b)->evoutput)
#define GetEvOutVal(b, n) ((b)->evoutput[(n)-1])

/* Zero-crossings and modes. */
#define GetNg(b) ((b)->nzcross)
#define GetGPtrs(b) ((b)->zcross)
#define GetJrootPtrs(b) ((b)->jroot)
#define GetNmode(b) ((b)->nmode)
#define GetModePtrs(b) ((b)->mode)

/* Memory of the block's own. */
#define GetWorkPtrs(b) ((b)->work)
#define GetPtrWorkPtrs(b) (&(b)->work)

/* Who it is. */
#define GetLabelPtrs(b) ((b)->label)
#define GetBlockName(b) ((b)->name)
#define GetBlockNamePtrs(b) (&(b)->name)
#define GetBlockType(b) ((b)->blocktype)
#define GetBlockNSubNames(b) 1
#define GetBlockSubName(b, n) ((b)->name)
#define GetDept(b) ((b)->dept)
#define GetInher(b) ((b)->inherits)

/* Constraints. */
#define GetCorrPtr(b) ((b)->constraint)
#define GetConstraintKind(b) ((b)->constraint_kind)
#define GetNConstraint(b) ((b)->nconstraint)
#define SetConstraintKind(b, kind) ((b)->constraint_kind = (kind))
#define SetNConstraint(b, n) ((b)->nconstraint = (n))

/* The simulator. */
#define GetVssTime(b) ((b)->sim->time)
#define GetVssInitialTime(b) ((b)->sim->initial_time)
#define GetFinalTime(b) ((b)->sim->final_time)
#define GetMeshPoint(b) ((b)->sim->mesh_point)
#define GetLastStepSize(b) ((b)->sim->last_step)
#define GetNextTryStepSize(b) ((b)->sim->next_step)
#define GetHmax(b) ((b)->sim->hmax)
#define GetHmaxUsed(b) ((b)->sim->hmax_used)
#define GetAtol(b) ((b)->sim->atol)
#define GetRtol(b) ((b)->sim->rtol)
#define GetAtolptr(b) ((b)->sim->atol_vector)
#define GetTtol(b) ((b)->sim->ttol)
#define GetTtolUsed(b) ((b)->sim->ttol)
#define GetSQRU(b) 1.4901161193847656e-08
#define GetNeq(b) ((b)->sim->neq)
#define GetNzero(b) ((b)->sim->nzero)
#define GetInitialX(b) ((b)->sim->initial_x)
#define GetInitialXd(b) ((b)->sim->initial_xd)
#define GetXpropPtr(b) ((b)->sim->xprop)
#define GetBlockNum(b) ((b)->sim->block_number)
#define GetSimulatedModelName(b) ((b)->sim->model_name)
#define GetSimulatedModelFilePath(b) ((b)->sim->model_file)
#define GetSimulatedModelTempDir(b) ((b)->sim->temporary_folder)
#define GetSimulationPhase(b) ((b)->sim->phase)
#define isinTryPhase(b) ((b)->sim->phase == PHASE_TRY_MFX || (b)->sim->phase == PHASE_TRY_MRLX)
#define areModesFixed(b) ((b)->sim->modes_fixed)
#define isZeroCrossing(b) ((b)->sim->phase == PHASE_ZCROSS)
#define isDiscreteEvent(b) ((b)->sim->phase == PHASE_DISCRETE)
#define isMeshPoint(b) ((b)->sim->phase == PHASE_MESHPOINT)
#define isDiscreteLeftLimit(b) ((b)->sim->phase == PHASE_MESHPOINT_LEFTL)
#define isZeroCrossingLeftLimit(b) ((b)->sim->phase == PHASE_ZC_LEFTL)
#define isExitInitialization(b) ((b)->sim->phase == PHASE_EXIT_INITIALIZATION)
#define isSimulatorInInitializationPhase(b) ((b)->sim->initialising)
#define isSimulatorInTerminationPhase(b) ((b)->sim->terminating)
#define GetSimulatorInitiated(b) (!(b)->sim->initialising)
#define isinRepeatEventBlock(b) ((b)->sim->in_repeat)
#define isZeroCrossingEnabled(b) ((b)->sim->zero_crossings_enabled)
#define isModeEnabled(b) ((b)->sim->modes_enabled)
#define isInDebugMode(b) ((b)->sim->debug)
#define isStopRequested(b) ((b)->sim->stop_requested)
#define IsHotReStart(b) ((b)->sim->hot_restart)
#define isColdRestart(b) (!(b)->sim->hot_restart)
#define GetAlphaPt(b) ((b)->sim->alpha)
#define GetBetaPt(b) ((b)->sim->beta)

/* What a block can do. */
#define SetBlockError(b, n) ((b)->error = (n))
#define StopSimulation(b, value) ((b)->sim->stop((b), (value)))
#define DoColdRestart(b) ((b)->sim->cold_restart(b))
#define Discard(b) ((b)->sim->discard(b))
#define vss_malloc(b, size) ((b)->sim->allocate((b), (size)))
#define vss_file_open(b, name, mode) ((b)->sim->open_file((b), (name), (mode)))

static inline int vss_size_of(int type) {
  switch (type) {
    case SCSINT8_N:
    case SCSUINT8_N:
    case SCSBOOL_N:
    case SCSSTRING_N: return 1;
    case SCSINT16_N:
    case SCSUINT16_N: return 2;
    case SCSINT32_N:
    case SCSUINT32_N: return 4;
    default: return 8;
  }
}

/* Messages; after an error the block returns. */
#ifdef VSS_WITHOUT_HEADERS
void vss_say(vss_block* block, int severity, const char* format, ...);
#else
static inline void vss_say(vss_block* block, int severity, const char* format, ...) {
  va_list list;
  va_start(list, format);
  block->sim->message(block, severity, format, list);
  va_end(list);
}
#endif
#define Coserror(...) vss_say_first(2, __VA_ARGS__)
#define Coswarning(...) vss_say_first(1, __VA_ARGS__)
#define Cosmessage(...) vss_say_first(0, __VA_ARGS__)
#define vss_say_first(severity, block, ...) vss_say(block, severity, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
