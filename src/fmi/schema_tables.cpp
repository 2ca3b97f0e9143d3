// SPDX-License-Identifier: Apache-2.0
// The grammars of FMI 1.0, 2.0 and 3.0. A line describes an element; indented lines belong to the line above.
//
//   Name section attributes > children
//
//   attribute!            it must be there
//   attribute:type        bool, real, positive, date, hex, int8 ... uint64, or one of the words a|b|c; with [] behind
//   it a list %group                the attributes of the line above that begins with %group child? child* child+  none
//   or one, any number, at least one; exactly one without a sign; children come in this order A|B|C                 one
//   of these (the sign behind the last one is for all) child=Line            the child is described by another line
//   than the one of its name
//   ...                   anything may be inside
#include "fmi/schema.h"

namespace orrery::fmi {
namespace {

constexpr std::string_view table_1 = R"(
fmiModelDescription - fmiVersion! modelName! modelIdentifier! guid! description author version generationTool
    generationDateAndTime:date variableNamingConvention:flat|structured numberOfContinuousStates!:uint32
    numberOfEventIndicators!:uint32
  > UnitDefinitions? TypeDefinitions? DefaultExperiment? VendorAnnotations? ModelVariables? Implementation?
UnitDefinitions - > BaseUnit+
BaseUnit - unit! > DisplayUnitDefinition*
DisplayUnitDefinition - displayUnit! offset:real gain:real
TypeDefinitions - > Type+
Type - name! description > RealType|IntegerType|BooleanType|StringType|EnumerationType
%real - quantity unit displayUnit relativeQuantity:bool min:real max:real nominal:real
%integer - quantity min:int32 max:int32
RealType - %real
IntegerType - %integer
BooleanType -
StringType -
EnumerationType - %integer > Item+
Item - name! description
DefaultExperiment - startTime:real stopTime:real tolerance:positive
VendorAnnotations - > Tool+
Tool - name! > Annotation+
Annotation - name! value!
ModelVariables - > ScalarVariable*
ScalarVariable - name! valueReference!:uint32 description variability:constant|parameter|discrete|continuous
    causality:input|output|internal|none alias:noAlias|alias|negatedAlias
  > Real|Integer|Boolean|String|Enumeration DirectDependency?
Real - declaredType %real start:real fixed:bool
Integer - declaredType %integer start:int32 fixed:bool
Boolean - declaredType start:bool fixed:bool
String - declaredType start fixed:bool
Enumeration - declaredType! %integer start:int32 fixed:bool
DirectDependency - > Name*
Name - ...
Implementation - > CoSimulation_StandAlone|CoSimulation_Tool
CoSimulation_StandAlone - > Capabilities
CoSimulation_Tool - > Capabilities Model
Capabilities - canHandleVariableCommunicationStepSize:bool canHandleEvents:bool canRejectSteps:bool
    canInterpolateInputs:bool maxOutputDerivativeOrder:uint32 canRunAsynchronuously:bool canSignalEvents:bool
    canBeInstantiatedOnlyOncePerProcess:bool canNotUseMemoryManagementFunctions:bool
Model - entryPoint! manualStart:bool type! > File*
File - file!
)";

constexpr std::string_view table_2 = R"(
fmiModelDescription 2.2.1 fmiVersion! modelName! guid! description author version copyright license generationTool
    generationDateAndTime:date variableNamingConvention:flat|structured numberOfEventIndicators:uint32
  > ModelExchange|CoSimulation+ UnitDefinitions? TypeDefinitions? LogCategories? DefaultExperiment? VendorAnnotations?
    ModelVariables ModelStructure
%interface - modelIdentifier! needsExecutionTool:bool canBeInstantiatedOnlyOncePerProcess:bool
    canNotUseMemoryManagementFunctions:bool canGetAndSetFMUstate:bool canSerializeFMUstate:bool
    providesDirectionalDerivative:bool
ModelExchange 3.3.1 %interface completedIntegratorStepNotNeeded:bool > SourceFiles?
CoSimulation 4.3.1 %interface canHandleVariableCommunicationStepSize:bool canInterpolateInputs:bool
    maxOutputDerivativeOrder:uint32 canRunAsynchronuously:bool
  > SourceFiles?
SourceFiles 3.3.1 > File+
File 3.3.1 name!
UnitDefinitions 2.2.2 > Unit+
Unit 2.2.2 name! > BaseUnit? DisplayUnit*
BaseUnit 2.2.2 kg:int32 m:int32 s:int32 A:int32 K:int32 mol:int32 cd:int32 rad:int32 factor:real offset:real
DisplayUnit 2.2.2 name! factor:real offset:real
TypeDefinitions 2.2.3 > SimpleType+
SimpleType 2.2.3 name! description
  > Real=RealType|Integer=IntegerType|Boolean=PlainType|String=PlainType|Enumeration=EnumerationType
%real - quantity unit displayUnit relativeQuantity:bool min:real max:real nominal:real unbounded:bool
%integer - quantity min:int32 max:int32
RealType 2.2.3 %real
IntegerType 2.2.3 %integer
PlainType 2.2.3
EnumerationType 2.2.3 quantity > Item+
Item 2.2.3 name! value!:int32 description
LogCategories 2.2.4 > Category+
Category 2.2.4 name! description
DefaultExperiment 2.2.5 startTime:real stopTime:real tolerance:positive stepSize:positive
VendorAnnotations 2.2.6 > Tool+
Tool 2.2.6 name! ...
ModelVariables 2.2.7 > ScalarVariable+
ScalarVariable 2.2.7 name! valueReference!:uint32 description
    causality:parameter|calculatedParameter|input|output|local|independent
    variability:constant|fixed|tunable|discrete|continuous initial:exact|approx|calculated
    canHandleMultipleSetPerTimeInstant:bool
  > Real|Integer|Boolean|String|Enumeration Annotations=VendorAnnotations?
Real 2.2.7 declaredType %real start:real derivative:uint32 reinit:bool
Integer 2.2.7 declaredType %integer start:int32
Boolean 2.2.7 declaredType start:bool
String 2.2.7 declaredType start
Enumeration 2.2.7 declaredType! %integer start:int32
ModelStructure 2.2.8 > Outputs=Unknowns? Derivatives=Unknowns? InitialUnknowns?
Unknowns 2.2.8 > Unknown+
Unknown 2.2.8 index!:uint32 dependencies:uint32[] dependenciesKind:dependent|constant|fixed|tunable|discrete[]
InitialUnknowns 2.2.8 > Unknown=InitialUnknown+
InitialUnknown 2.2.8 index!:uint32 dependencies:uint32[] dependenciesKind:dependent|constant[]
)";

constexpr std::string_view table_3 = R"(
fmiModelDescription 2.4.1 fmiVersion! modelName! instantiationToken! description author version copyright license
    generationTool generationDateAndTime:date variableNamingConvention:flat|structured
  > ModelExchange? CoSimulation? ScheduledExecution? UnitDefinitions? TypeDefinitions? LogCategories?
    DefaultExperiment? ModelVariables ModelStructure Annotations?
%interface - modelIdentifier! needsExecutionTool:bool canBeInstantiatedOnlyOncePerProcess:bool
    canGetAndSetFMUState:bool canSerializeFMUState:bool providesDirectionalDerivatives:bool
    providesAdjointDerivatives:bool providesPerElementDependencies:bool
ModelExchange 3.4 %interface needsCompletedIntegratorStep:bool providesEvaluateDiscreteStates:bool > Annotations?
CoSimulation 4.4 %interface canHandleVariableCommunicationStepSize:bool fixedInternalStepSize:positive
    maxOutputDerivativeOrder:uint32 recommendedIntermediateInputSmoothness:int32 providesIntermediateUpdate:bool
    mightReturnEarlyFromDoStep:bool canReturnEarlyAfterIntermediateUpdate:bool hasEventMode:bool
    providesEvaluateDiscreteStates:bool
  > Annotations?
ScheduledExecution 5.4 %interface > Annotations?
Annotations 2.4.2 > Annotation+
Annotation 2.4.2 type! ...
UnitDefinitions 2.4.3 > Unit+
Unit 2.4.3 name! > Annotations? BaseUnit? DisplayUnit*
BaseUnit 2.4.3 kg:int32 m:int32 s:int32 A:int32 K:int32 mol:int32 cd:int32 rad:int32 factor:real offset:real
DisplayUnit 2.4.3 name! factor:real offset:real inverse:bool > Annotations?
%clock - canBeDeactivated:bool priority:uint32
    intervalVariability!:constant|fixed|calculated|tunable|changing|countdown|triggered intervalDecimal:real
    shiftDecimal:real supportsFraction:bool resolution:uint64 intervalCounter:uint64 shiftCounter:uint64
TypeDefinitions 2.4.4
  > Float32Type|Float64Type|Int8Type|UInt8Type|Int16Type|UInt16Type|Int32Type|UInt32Type|Int64Type|UInt64Type|BooleanType=PlainType|StringType=PlainType|BinaryType|EnumerationType|ClockType+
%type - name! description
%float - quantity unit displayUnit relativeQuantity:bool unbounded:bool min:real max:real nominal:real
Float32Type 2.4.4 %type %float > Annotations?
Float64Type 2.4.4 %type %float > Annotations?
Int8Type 2.4.4 %type quantity min:int8 max:int8 > Annotations?
UInt8Type 2.4.4 %type quantity min:uint8 max:uint8 > Annotations?
Int16Type 2.4.4 %type quantity min:int16 max:int16 > Annotations?
UInt16Type 2.4.4 %type quantity min:uint16 max:uint16 > Annotations?
Int32Type 2.4.4 %type quantity min:int32 max:int32 > Annotations?
UInt32Type 2.4.4 %type quantity min:uint32 max:uint32 > Annotations?
Int64Type 2.4.4 %type quantity min:int64 max:int64 > Annotations?
UInt64Type 2.4.4 %type quantity min:uint64 max:uint64 > Annotations?
PlainType 2.4.4 %type > Annotations?
BinaryType 2.4.4 %type mimeType maxSize:uint64 > Annotations?
EnumerationType 2.4.4 %type quantity min:int64 max:int64 > Annotations? Item+
Item 2.4.4 name! value!:int64 description > Annotations?
ClockType 2.4.4 %type %clock > Annotations?
LogCategories 2.4.5 > Category+
Category 2.4.5 name! description > Annotations?
DefaultExperiment 2.4.6 startTime:real stopTime:real tolerance:positive stepSize:positive > Annotations?
ModelVariables 2.4.7
  > Float32|Float64|Int8|UInt8|Int16|UInt16|Int32|UInt32|Int64|UInt64|Boolean|String|Binary|Enumeration|Clock+
%variable - name! valueReference!:uint32 description
    causality:parameter|calculatedParameter|structuralParameter|input|output|local|independent|dependent
    variability:constant|fixed|tunable|discrete|continuous canHandleMultipleSetPerTimeInstant:bool
    intermediateUpdate:bool previous:uint32 clocks:uint32[]
%array - %variable declaredType initial:exact|approx|calculated
%derivative - derivative:uint32 reinit:bool
Float32 2.4.7 %array %float start:real[] %derivative > Annotations? Dimension* Alias*
Float64 2.4.7 %array %float start:real[] %derivative > Annotations? Dimension* Alias*
Int8 2.4.7 %array quantity min:int8 max:int8 start:int8[] > Annotations? Dimension* Alias*
UInt8 2.4.7 %array quantity min:uint8 max:uint8 start:uint8[] > Annotations? Dimension* Alias*
Int16 2.4.7 %array quantity min:int16 max:int16 start:int16[] > Annotations? Dimension* Alias*
UInt16 2.4.7 %array quantity min:uint16 max:uint16 start:uint16[] > Annotations? Dimension* Alias*
Int32 2.4.7 %array quantity min:int32 max:int32 start:int32[] > Annotations? Dimension* Alias*
UInt32 2.4.7 %array quantity min:uint32 max:uint32 start:uint32[] > Annotations? Dimension* Alias*
Int64 2.4.7 %array quantity min:int64 max:int64 start:int64[] > Annotations? Dimension* Alias*
UInt64 2.4.7 %array quantity min:uint64 max:uint64 start:uint64[] > Annotations? Dimension* Alias*
Boolean 2.4.7 %array start:bool[] > Annotations? Dimension* Alias*
String 2.4.7 %array > Annotations? Dimension* Start* Alias*
Binary 2.4.7 %array mimeType maxSize:uint64 start:hex[] > Annotations? Dimension* Start=BinaryStart* Alias*
Enumeration 2.4.7 %array quantity min:int64 max:int64 start:int64[] > Annotations? Dimension* Alias*
Clock 2.4.7 %variable declaredType %clock > Annotations? Alias*
Dimension 2.4.7 start:uint64 valueReference:uint32
Start 2.4.7 value!
BinaryStart 2.4.7 value!:hex
Alias 2.4.7 name! description displayUnit
ModelStructure 2.4.8
  > Output=Unknown* ContinuousStateDerivative=Unknown* ClockedState=Unknown* InitialUnknown=Unknown* EventIndicator=Unknown*
Unknown 2.4.8 valueReference!:uint32 dependencies:uint32[] dependenciesKind:dependent|constant|fixed|tunable|discrete[]
  > Annotations?
)";

constexpr std::string_view table_terminals = R"(
fmiTerminalsAndIcons 2.4.9 fmiVersion! > GraphicalRepresentation? Terminals? Annotations?
Annotations 2.4.2 > Annotation+
Annotation 2.4.2 type! ...
GraphicalRepresentation 2.4.9 > CoordinateSystem? Icon? Annotations?
%box - x1!:real y1!:real x2!:real y2!:real
CoordinateSystem 2.4.9 %box suggestedScalingFactorTo_mm!:real
Icon 2.4.9 %box
Terminals 2.4.9 > Terminal+
Terminal 2.4.9 name! matchingRule! terminalKind description
  > TerminalMemberVariable* TerminalStreamMemberVariable* Terminal* TerminalGraphicalRepresentation? Annotations?
TerminalMemberVariable 2.4.9 variableKind! memberName variableName! > Annotations?
TerminalStreamMemberVariable 2.4.9 inStreamMemberName! outStreamMemberName! inStreamVariableName!
    outStreamVariableName!
  > Annotations?
TerminalGraphicalRepresentation 2.4.9 defaultConnectionColor defaultConnectionStrokeSize:real %box iconBaseName!
  > Annotations?
)";

constexpr std::string_view table_build = R"(
fmiBuildDescription 2.5.1 fmiVersion! > BuildConfiguration+ Annotations?
Annotations 2.4.2 > Annotation+
Annotation 2.4.2 type! ...
BuildConfiguration 2.5.1 modelIdentifier! platform description > SourceFileSet* Library* Annotations?
SourceFileSet 2.5.1 name language compiler compilerOptions
  > SourceFile+ PreprocessorDefinition* IncludeDirectory* Annotations?
SourceFile 2.5.1 name! > Annotations?
PreprocessorDefinition 2.5.1 name! optional:bool value description > Option* Annotations?
Option 2.5.1 value description
IncludeDirectory 2.5.1 name! > Annotations?
Library 2.5.1 name! version external:bool description > Annotations?
)";

}  // namespace

std::string_view description_schema(Version version) {
  return version == Version::fmi1 ? table_1 : version == Version::fmi2 ? table_2 : table_3;
}
std::string_view terminals_schema() { return table_terminals; }
std::string_view build_schema() { return table_build; }

}  // namespace orrery::fmi
