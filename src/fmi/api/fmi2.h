// SPDX-License-Identifier: Apache-2.0
// FMI 2.0 in C: the types and functions of Model Exchange and Co-Simulation. Every function is one line of a list, so
// that a table of pointers (importer) and prototypes (FMU) come from the same text.
#ifndef ORRERY_FMI_API_FMI2_H
#define ORRERY_FMI_API_FMI2_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char* fmi2String;
typedef char fmi2Byte;

#define fmi2True 1
#define fmi2False 0
#define fmi2TypesPlatform "default"
#define fmi2Version "2.0"

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment environment, fmi2String instanceName, fmi2Status status,
                                   fmi2String category, fmi2String message, ...);
typedef void* (*fmi2CallbackAllocateMemory)(size_t nobj, size_t size);
typedef void (*fmi2CallbackFreeMemory)(void* obj);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);

typedef struct {
  fmi2CallbackLogger logger;
  fmi2CallbackAllocateMemory allocateMemory;
  fmi2CallbackFreeMemory freeMemory;
  fmi2StepFinished stepFinished;
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
  fmi2Boolean newDiscreteStatesNeeded;
  fmi2Boolean terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

/* X(kind, result, name, arguments); kind: 0 optional, 1 required for both, 2 for Model Exchange, 3 for Co-Simulation.
 */
#define FMI2_FUNCTIONS(X)                                                                                             \
  X(0, const char*, GetTypesPlatform, (void))                                                                         \
  X(0, const char*, GetVersion, (void))                                                                               \
  X(0, fmi2Status, SetDebugLogging,                                                                                   \
    (fmi2Component c, fmi2Boolean loggingOn, size_t nCategories, const fmi2String categories[]))                      \
  X(1, fmi2Component, Instantiate,                                                                                    \
    (fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID, fmi2String fmuResourceLocation,                   \
     const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean loggingOn))                             \
  X(1, void, FreeInstance, (fmi2Component c))                                                                         \
  X(1, fmi2Status, SetupExperiment,                                                                                   \
    (fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real startTime,                           \
     fmi2Boolean stopTimeDefined, fmi2Real stopTime))                                                                 \
  X(1, fmi2Status, EnterInitializationMode, (fmi2Component c))                                                        \
  X(1, fmi2Status, ExitInitializationMode, (fmi2Component c))                                                         \
  X(0, fmi2Status, Terminate, (fmi2Component c))                                                                      \
  X(0, fmi2Status, Reset, (fmi2Component c))                                                                          \
  X(0, fmi2Status, GetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[]))           \
  X(0, fmi2Status, GetInteger, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Integer value[]))     \
  X(0, fmi2Status, GetBoolean, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Boolean value[]))     \
  X(0, fmi2Status, GetString, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2String value[]))       \
  X(0, fmi2Status, SetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[]))     \
  X(0, fmi2Status, SetInteger,                                                                                        \
    (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer value[]))                          \
  X(0, fmi2Status, SetBoolean,                                                                                        \
    (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Boolean value[]))                          \
  X(0, fmi2Status, SetString, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2String value[])) \
  X(0, fmi2Status, GetFMUstate, (fmi2Component c, fmi2FMUstate * state))                                              \
  X(0, fmi2Status, SetFMUstate, (fmi2Component c, fmi2FMUstate state))                                                \
  X(0, fmi2Status, FreeFMUstate, (fmi2Component c, fmi2FMUstate * state))                                             \
  X(0, fmi2Status, SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t * size))                      \
  X(0, fmi2Status, SerializeFMUstate, (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size))           \
  X(0, fmi2Status, DeSerializeFMUstate, (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state))  \
  X(0, fmi2Status, GetDirectionalDerivative,                                                                          \
    (fmi2Component c, const fmi2ValueReference unknown[], size_t nUnknown, const fmi2ValueReference known[],          \
     size_t nKnown, const fmi2Real dvKnown[], fmi2Real dvUnknown[]))                                                  \
  X(2, fmi2Status, EnterEventMode, (fmi2Component c))                                                                 \
  X(2, fmi2Status, NewDiscreteStates, (fmi2Component c, fmi2EventInfo * eventInfo))                                   \
  X(2, fmi2Status, EnterContinuousTimeMode, (fmi2Component c))                                                        \
  X(0, fmi2Status, CompletedIntegratorStep,                                                                           \
    (fmi2Component c, fmi2Boolean noSetFMUStatePriorToCurrentPoint, fmi2Boolean * enterEventMode,                     \
     fmi2Boolean * terminateSimulation))                                                                              \
  X(2, fmi2Status, SetTime, (fmi2Component c, fmi2Real time))                                                         \
  X(2, fmi2Status, SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t nx))                             \
  X(2, fmi2Status, GetDerivatives, (fmi2Component c, fmi2Real derivatives[], size_t nx))                              \
  X(2, fmi2Status, GetEventIndicators, (fmi2Component c, fmi2Real eventIndicators[], size_t ni))                      \
  X(2, fmi2Status, GetContinuousStates, (fmi2Component c, fmi2Real x[], size_t nx))                                   \
  X(0, fmi2Status, GetNominalsOfContinuousStates, (fmi2Component c, fmi2Real x_nominal[], size_t nx))                 \
  X(0, fmi2Status, SetRealInputDerivatives,                                                                           \
    (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[], const fmi2Real value[]))  \
  X(0, fmi2Status, GetRealOutputDerivatives,                                                                          \
    (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[], fmi2Real value[]))        \
  X(3, fmi2Status, DoStep,                                                                                            \
    (fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,                             \
     fmi2Boolean noSetFMUStatePriorToCurrentPoint))                                                                   \
  X(0, fmi2Status, CancelStep, (fmi2Component c))                                                                     \
  X(0, fmi2Status, GetStatus, (fmi2Component c, const fmi2StatusKind s, fmi2Status* value))                           \
  X(0, fmi2Status, GetRealStatus, (fmi2Component c, const fmi2StatusKind s, fmi2Real* value))                         \
  X(0, fmi2Status, GetIntegerStatus, (fmi2Component c, const fmi2StatusKind s, fmi2Integer* value))                   \
  X(0, fmi2Status, GetBooleanStatus, (fmi2Component c, const fmi2StatusKind s, fmi2Boolean* value))                   \
  X(0, fmi2Status, GetStringStatus, (fmi2Component c, const fmi2StatusKind s, fmi2String* value))

#ifdef __cplusplus
}
#endif
#endif
