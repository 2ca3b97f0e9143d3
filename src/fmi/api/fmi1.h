// SPDX-License-Identifier: Apache-2.0
// FMI 1.0 in C: the types and functions of Model Exchange and Co-Simulation. Every function is one line of a list, so
// that a table of pointers (importer) and prototypes (FMU) come from the same text. Exported names carry the prefix
// "<modelIdentifier>_fmi".
#ifndef ORRERY_FMI_API_FMI1_H
#define ORRERY_FMI_API_FMI1_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmiComponent;
typedef unsigned int fmiValueReference;
typedef double fmiReal;
typedef int fmiInteger;
typedef char fmiBoolean;
typedef const char* fmiString;

#define fmiTrue 1
#define fmiFalse 0
#define fmiUndefinedValueReference ((fmiValueReference)(-1))

typedef enum { fmiOK, fmiWarning, fmiDiscard, fmiError, fmiFatal, fmiPending } fmiStatus;
typedef enum { fmiDoStepStatus, fmiPendingStatus, fmiLastSuccessfulTime } fmiStatusKind;

typedef void (*fmiCallbackLogger)(fmiComponent c, fmiString instanceName, fmiStatus status, fmiString category,
                                  fmiString message, ...);
typedef void* (*fmiCallbackAllocateMemory)(size_t nobj, size_t size);
typedef void (*fmiCallbackFreeMemory)(void* obj);
typedef void (*fmiStepFinished)(fmiComponent c, fmiStatus status);

typedef struct {
  fmiCallbackLogger logger;
  fmiCallbackAllocateMemory allocateMemory;
  fmiCallbackFreeMemory freeMemory;
} fmiModelCallbacks;

typedef struct {
  fmiCallbackLogger logger;
  fmiCallbackAllocateMemory allocateMemory;
  fmiCallbackFreeMemory freeMemory;
  fmiStepFinished stepFinished;
} fmiSlaveCallbacks;

typedef struct {
  fmiBoolean iterationConverged;
  fmiBoolean stateValueReferencesChanged;
  fmiBoolean stateValuesChanged;
  fmiBoolean terminateSimulation;
  fmiBoolean upcomingTimeEvent;
  fmiReal nextEventTime;
} fmiEventInfo;

/* X(kind, result, name, arguments); kind: 0 optional, 1 required for both, 2 for Model Exchange, 3 for Co-Simulation.
 */
#define FMI1_FUNCTIONS(X)                                                                                           \
  X(0, const char*, GetModelTypesPlatform, (void))                                                                  \
  X(0, const char*, GetTypesPlatform, (void))                                                                       \
  X(0, const char*, GetVersion, (void))                                                                             \
  X(0, fmiStatus, SetDebugLogging, (fmiComponent c, fmiBoolean loggingOn))                                          \
  X(0, fmiStatus, SetReal, (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiReal value[]))       \
  X(0, fmiStatus, SetInteger, (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger value[])) \
  X(0, fmiStatus, SetBoolean, (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiBoolean value[])) \
  X(0, fmiStatus, SetString, (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiString value[]))   \
  X(0, fmiStatus, GetReal, (fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiReal value[]))             \
  X(0, fmiStatus, GetInteger, (fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiInteger value[]))       \
  X(0, fmiStatus, GetBoolean, (fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiBoolean value[]))       \
  X(0, fmiStatus, GetString, (fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiString value[]))         \
  X(2, fmiComponent, InstantiateModel,                                                                              \
    (fmiString instanceName, fmiString GUID, fmiModelCallbacks functions, fmiBoolean loggingOn))                    \
  X(2, void, FreeModelInstance, (fmiComponent c))                                                                   \
  X(2, fmiStatus, SetTime, (fmiComponent c, fmiReal time))                                                          \
  X(2, fmiStatus, SetContinuousStates, (fmiComponent c, const fmiReal x[], size_t nx))                              \
  X(2, fmiStatus, CompletedIntegratorStep, (fmiComponent c, fmiBoolean * callEventUpdate))                          \
  X(2, fmiStatus, Initialize,                                                                                       \
    (fmiComponent c, fmiBoolean toleranceControlled, fmiReal relativeTolerance, fmiEventInfo * eventInfo))          \
  X(2, fmiStatus, GetDerivatives, (fmiComponent c, fmiReal derivatives[], size_t nx))                               \
  X(2, fmiStatus, GetEventIndicators, (fmiComponent c, fmiReal eventIndicators[], size_t ni))                       \
  X(2, fmiStatus, EventUpdate, (fmiComponent c, fmiBoolean intermediateResults, fmiEventInfo * eventInfo))          \
  X(2, fmiStatus, GetContinuousStates, (fmiComponent c, fmiReal states[], size_t nx))                               \
  X(0, fmiStatus, GetNominalContinuousStates, (fmiComponent c, fmiReal x_nominal[], size_t nx))                     \
  X(0, fmiStatus, GetStateValueReferences, (fmiComponent c, fmiValueReference vrx[], size_t nx))                    \
  X(0, fmiStatus, Terminate, (fmiComponent c))                                                                      \
  X(3, fmiComponent, InstantiateSlave,                                                                              \
    (fmiString instanceName, fmiString fmuGUID, fmiString fmuLocation, fmiString mimeType, fmiReal timeout,         \
     fmiBoolean visible, fmiBoolean interactive, fmiSlaveCallbacks functions, fmiBoolean loggingOn))                \
  X(3, fmiStatus, InitializeSlave, (fmiComponent c, fmiReal tStart, fmiBoolean StopTimeDefined, fmiReal tStop))     \
  X(0, fmiStatus, TerminateSlave, (fmiComponent c))                                                                 \
  X(0, fmiStatus, ResetSlave, (fmiComponent c))                                                                     \
  X(3, void, FreeSlaveInstance, (fmiComponent c))                                                                   \
  X(0, fmiStatus, SetRealInputDerivatives,                                                                          \
    (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger order[], const fmiReal value[]))    \
  X(0, fmiStatus, GetRealOutputDerivatives,                                                                         \
    (fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger order[], fmiReal value[]))          \
  X(0, fmiStatus, CancelStep, (fmiComponent c))                                                                     \
  X(3, fmiStatus, DoStep,                                                                                           \
    (fmiComponent c, fmiReal currentCommunicationPoint, fmiReal communicationStepSize, fmiBoolean newStep))         \
  X(0, fmiStatus, GetStatus, (fmiComponent c, const fmiStatusKind s, fmiStatus* value))                             \
  X(0, fmiStatus, GetRealStatus, (fmiComponent c, const fmiStatusKind s, fmiReal* value))                           \
  X(0, fmiStatus, GetIntegerStatus, (fmiComponent c, const fmiStatusKind s, fmiInteger* value))                     \
  X(0, fmiStatus, GetBooleanStatus, (fmiComponent c, const fmiStatusKind s, fmiBoolean* value))                     \
  X(0, fmiStatus, GetStringStatus, (fmiComponent c, const fmiStatusKind s, fmiString* value))

#ifdef __cplusplus
}
#endif
#endif
