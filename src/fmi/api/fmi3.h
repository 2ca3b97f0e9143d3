// SPDX-License-Identifier: Apache-2.0
// FMI 3.0 in C: the types and functions of Model Exchange, Co-Simulation and Scheduled Execution. Every function is
// one line of a list, so that a table of pointers (importer) and prototypes (FMU) come from the same text.
#ifndef ORRERY_FMI_API_FMI3_H
#define ORRERY_FMI_API_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;

#define fmi3True true
#define fmi3False false
#define fmi3ClockActive true
#define fmi3ClockInactive false
#define fmi3Version "3.0"

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                                       fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment, fmi3Float64 intermediateUpdateTime,
                                               fmi3Boolean intermediateVariableSetRequested,
                                               fmi3Boolean intermediateVariableGetAllowed,
                                               fmi3Boolean intermediateStepFinished, fmi3Boolean canReturnEarly,
                                               fmi3Boolean* earlyReturnRequested, fmi3Float64* earlyReturnTime);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#define FMI3_GET(type) (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, type values[], size_t nValues)
#define FMI3_SET(type) (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const type values[], size_t nValues)

/* X(kind, result, name, arguments); kind: 0 optional, 1 required for all, 2 for Model Exchange, 3 for Co-Simulation. */
#define FMI3_FUNCTIONS(X)                                                                                              \
  X(0, const char*, GetVersion, (void))                                                                                \
  X(0, fmi3Status, SetDebugLogging,                                                                                    \
    (fmi3Instance c, fmi3Boolean loggingOn, size_t nCategories, const fmi3String categories[]))                        \
  X(2, fmi3Instance, InstantiateModelExchange,                                                                         \
    (fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath, fmi3Boolean visible,             \
     fmi3Boolean loggingOn, fmi3InstanceEnvironment environment, fmi3LogMessageCallback logMessage))                   \
  X(3, fmi3Instance, InstantiateCoSimulation,                                                                          \
    (fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath, fmi3Boolean visible,             \
     fmi3Boolean loggingOn, fmi3Boolean eventModeUsed, fmi3Boolean earlyReturnAllowed,                                 \
     const fmi3ValueReference requiredIntermediateVariables[], size_t nRequiredIntermediateVariables,                  \
     fmi3InstanceEnvironment environment, fmi3LogMessageCallback logMessage,                                           \
     fmi3IntermediateUpdateCallback intermediateUpdate))                                                               \
  X(0, fmi3Instance, InstantiateScheduledExecution,                                                                    \
    (fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath, fmi3Boolean visible,             \
     fmi3Boolean loggingOn, fmi3InstanceEnvironment environment, fmi3LogMessageCallback logMessage,                    \
     fmi3ClockUpdateCallback clockUpdate, fmi3LockPreemptionCallback lockPreemption,                                   \
     fmi3UnlockPreemptionCallback unlockPreemption))                                                                   \
  X(1, void, FreeInstance, (fmi3Instance c))                                                                           \
  X(1, fmi3Status, EnterInitializationMode,                                                                            \
    (fmi3Instance c, fmi3Boolean toleranceDefined, fmi3Float64 tolerance, fmi3Float64 startTime,                       \
     fmi3Boolean stopTimeDefined, fmi3Float64 stopTime))                                                               \
  X(1, fmi3Status, ExitInitializationMode, (fmi3Instance c))                                                           \
  X(2, fmi3Status, EnterEventMode, (fmi3Instance c))                                                                   \
  X(0, fmi3Status, Terminate, (fmi3Instance c))                                                                        \
  X(0, fmi3Status, Reset, (fmi3Instance c))                                                                            \
  X(0, fmi3Status, GetFloat32, FMI3_GET(fmi3Float32))                                                                  \
  X(0, fmi3Status, GetFloat64, FMI3_GET(fmi3Float64))                                                                  \
  X(0, fmi3Status, GetInt8, FMI3_GET(fmi3Int8))                                                                        \
  X(0, fmi3Status, GetUInt8, FMI3_GET(fmi3UInt8))                                                                      \
  X(0, fmi3Status, GetInt16, FMI3_GET(fmi3Int16))                                                                      \
  X(0, fmi3Status, GetUInt16, FMI3_GET(fmi3UInt16))                                                                    \
  X(0, fmi3Status, GetInt32, FMI3_GET(fmi3Int32))                                                                      \
  X(0, fmi3Status, GetUInt32, FMI3_GET(fmi3UInt32))                                                                    \
  X(0, fmi3Status, GetInt64, FMI3_GET(fmi3Int64))                                                                      \
  X(0, fmi3Status, GetUInt64, FMI3_GET(fmi3UInt64))                                                                    \
  X(0, fmi3Status, GetBoolean, FMI3_GET(fmi3Boolean))                                                                  \
  X(0, fmi3Status, GetString, FMI3_GET(fmi3String))                                                                    \
  X(0, fmi3Status, GetBinary,                                                                                          \
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, size_t valueSizes[], fmi3Binary values[],              \
     size_t nValues))                                                                                                  \
  X(0, fmi3Status, GetClock, (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3Clock values[]))          \
  X(0, fmi3Status, SetFloat32, FMI3_SET(fmi3Float32))                                                                  \
  X(0, fmi3Status, SetFloat64, FMI3_SET(fmi3Float64))                                                                  \
  X(0, fmi3Status, SetInt8, FMI3_SET(fmi3Int8))                                                                        \
  X(0, fmi3Status, SetUInt8, FMI3_SET(fmi3UInt8))                                                                      \
  X(0, fmi3Status, SetInt16, FMI3_SET(fmi3Int16))                                                                      \
  X(0, fmi3Status, SetUInt16, FMI3_SET(fmi3UInt16))                                                                    \
  X(0, fmi3Status, SetInt32, FMI3_SET(fmi3Int32))                                                                      \
  X(0, fmi3Status, SetUInt32, FMI3_SET(fmi3UInt32))                                                                    \
  X(0, fmi3Status, SetInt64, FMI3_SET(fmi3Int64))                                                                      \
  X(0, fmi3Status, SetUInt64, FMI3_SET(fmi3UInt64))                                                                    \
  X(0, fmi3Status, SetBoolean, FMI3_SET(fmi3Boolean))                                                                  \
  X(0, fmi3Status, SetString, FMI3_SET(fmi3String))                                                                    \
  X(0, fmi3Status, SetBinary,                                                                                          \
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const size_t valueSizes[], const fmi3Binary values[],  \
     size_t nValues))                                                                                                  \
  X(0, fmi3Status, SetClock, (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Clock values[]))    \
  X(0, fmi3Status, GetNumberOfVariableDependencies, (fmi3Instance c, fmi3ValueReference vr, size_t * n))               \
  X(0, fmi3Status, GetVariableDependencies,                                                                            \
    (fmi3Instance c, fmi3ValueReference dependent, size_t elementIndicesOfDependent[],                                 \
     fmi3ValueReference independents[], size_t elementIndicesOfIndependents[], fmi3DependencyKind kinds[], size_t n))  \
  X(0, fmi3Status, GetFMUState, (fmi3Instance c, fmi3FMUState * state))                                                \
  X(0, fmi3Status, SetFMUState, (fmi3Instance c, fmi3FMUState state))                                                  \
  X(0, fmi3Status, FreeFMUState, (fmi3Instance c, fmi3FMUState * state))                                               \
  X(0, fmi3Status, SerializedFMUStateSize, (fmi3Instance c, fmi3FMUState state, size_t * size))                        \
  X(0, fmi3Status, SerializeFMUState, (fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size))             \
  X(0, fmi3Status, DeserializeFMUState, (fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState* state))    \
  X(0, fmi3Status, GetDirectionalDerivative,                                                                           \
    (fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns, const fmi3ValueReference knowns[],         \
     size_t nKnowns, const fmi3Float64 seed[], size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity))          \
  X(0, fmi3Status, GetAdjointDerivative,                                                                               \
    (fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns, const fmi3ValueReference knowns[],         \
     size_t nKnowns, const fmi3Float64 seed[], size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity))          \
  X(0, fmi3Status, EnterConfigurationMode, (fmi3Instance c))                                                           \
  X(0, fmi3Status, ExitConfigurationMode, (fmi3Instance c))                                                            \
  X(0, fmi3Status, GetIntervalDecimal,                                                                                 \
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3Float64 intervals[],                               \
     fmi3IntervalQualifier qualifiers[]))                                                                              \
  X(0, fmi3Status, GetIntervalFraction,                                                                                \
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3UInt64 counters[], fmi3UInt64 resolutions[],       \
     fmi3IntervalQualifier qualifiers[]))                                                                              \
  X(0, fmi3Status, GetShiftDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3Float64 shifts[])) \
  X(0, fmi3Status, GetShiftFraction,                                                                                   \
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, fmi3UInt64 counters[], fmi3UInt64 resolutions[]))      \
  X(0, fmi3Status, SetIntervalDecimal,                                                                                 \
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Float64 intervals[]))                        \
  X(0, fmi3Status, SetIntervalFraction,                                                                                \
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3UInt64 counters[],                           \
     const fmi3UInt64 resolutions[]))                                                                                  \
  X(0, fmi3Status, SetShiftDecimal,                                                                                    \
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Float64 shifts[]))                           \
  X(0, fmi3Status, SetShiftFraction,                                                                                   \
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3UInt64 counters[],                           \
     const fmi3UInt64 resolutions[]))                                                                                  \
  X(0, fmi3Status, EvaluateDiscreteStates, (fmi3Instance c))                                                           \
  X(2, fmi3Status, UpdateDiscreteStates,                                                                               \
    (fmi3Instance c, fmi3Boolean * discreteStatesNeedUpdate, fmi3Boolean * terminateSimulation,                        \
     fmi3Boolean * nominalsOfContinuousStatesChanged, fmi3Boolean * valuesOfContinuousStatesChanged,                   \
     fmi3Boolean * nextEventTimeDefined, fmi3Float64 * nextEventTime))                                                 \
  X(2, fmi3Status, EnterContinuousTimeMode, (fmi3Instance c))                                                          \
  X(0, fmi3Status, CompletedIntegratorStep,                                                                            \
    (fmi3Instance c, fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean * enterEventMode,                       \
     fmi3Boolean * terminateSimulation))                                                                               \
  X(2, fmi3Status, SetTime, (fmi3Instance c, fmi3Float64 time))                                                        \
  X(2, fmi3Status, SetContinuousStates, (fmi3Instance c, const fmi3Float64 x[], size_t nx))                            \
  X(2, fmi3Status, GetContinuousStateDerivatives, (fmi3Instance c, fmi3Float64 derivatives[], size_t nx))              \
  X(2, fmi3Status, GetEventIndicators, (fmi3Instance c, fmi3Float64 eventIndicators[], size_t nz))                     \
  X(2, fmi3Status, GetContinuousStates, (fmi3Instance c, fmi3Float64 x[], size_t nx))                                  \
  X(0, fmi3Status, GetNominalsOfContinuousStates, (fmi3Instance c, fmi3Float64 nominals[], size_t nx))                 \
  X(0, fmi3Status, GetNumberOfEventIndicators, (fmi3Instance c, size_t * nz))                                          \
  X(0, fmi3Status, GetNumberOfContinuousStates, (fmi3Instance c, size_t * nx))                                         \
  X(0, fmi3Status, EnterStepMode, (fmi3Instance c))                                                                    \
  X(0, fmi3Status, GetOutputDerivatives,                                                                               \
    (fmi3Instance c, const fmi3ValueReference vr[], size_t nvr, const fmi3Int32 orders[], fmi3Float64 values[],        \
     size_t nValues))                                                                                                  \
  X(3, fmi3Status, DoStep,                                                                                             \
    (fmi3Instance c, fmi3Float64 currentCommunicationPoint, fmi3Float64 communicationStepSize,                         \
     fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean * eventHandlingNeeded,                                  \
     fmi3Boolean * terminateSimulation, fmi3Boolean * earlyReturn, fmi3Float64 * lastSuccessfulTime))                  \
  X(0, fmi3Status, ActivateModelPartition, (fmi3Instance c, fmi3ValueReference clock, fmi3Float64 activationTime))

#ifdef __cplusplus
}
#endif
#endif
