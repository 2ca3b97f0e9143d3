// SPDX-License-Identifier: Apache-2.0
// Models for the manual: drawn up from the ports of a type, or written down.
#include "blocks/example_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace orrery::blocks {
namespace {

// Examples by hand, a block or a link a line: "g: Gain k=2", "a:1 -> b:1 c:2", "c:1 => g:1". Names of diagrams inside
// stand before a dot: "S.g: Gain" is a block of the super block S.
struct Written {
  const char* type;
  const char* text;
};

const Written written[] = {
    {"Gain", "w: SineWaveGenerator\ng: Gain k=2\no: Scope inputs=2\nw:1 -> g:1 o:1\ng:1 -> o:2"},
    {"LookupTable",
     "t: Ramp initial=-1\nl: LookupTable x=[0,1,2,4] y=[4,7,6,5] method='natural' left='hold' right='hold'\no: "
     "Scope\nt:1 -> l:1\nl:1 -> o:1"},
    {"FromCSV", "f: FromCSV file='wave.csv' after='hold'\no: Scope\nf:1 -> o:1"},
    {"FromText", "f: FromText file='wave.txt' after='hold'\no: Scope\nf:1 -> o:1"},
    {"FromMat", "f: FromMat file='wave.mat' after='hold'\no: Scope\nf:1 -> o:1"},
    {"FromHDF", "f: FromHDF file='wave.h5' after='hold'\no: Scope\nf:1 -> o:1"},
    {"ToCSV",
     "w: SineWaveGenerator\nc: SampleClock period=0.1\nf: ToCSV file='wave.csv' names='wave'\no: Scope\nw:1 -> f:1 "
     "o:1\nc:1 => f:1"},
    {"ToText",
     "w: SineWaveGenerator\nc: SampleClock period=0.1\nf: ToText file='wave.txt' names='wave' header=1\no: Scope\nw:1 "
     "-> f:1 o:1\nc:1 => f:1"},
    {"ToMat",
     "w: SineWaveGenerator\nc: SampleClock period=0.1\nf: ToMat file='wave.mat' names='wave'\no: Scope\nw:1 -> f:1 "
     "o:1\nc:1 => f:1"},
    {"ToHDF",
     "w: SineWaveGenerator\nc: SampleClock period=0.1\nf: ToHDF file='wave.h5' names='wave'\no: Scope\nw:1 -> f:1 "
     "o:1\nc:1 => f:1"},
    {"IncludeDiagram",
     "w: SineWaveGenerator\ni: IncludeDiagram file='part.orr' k=2\no: Scope inputs=2\nw:1 -> i:1 o:1\ni:1 -> o:2"},
    {"FMU", "w: SineWaveGenerator\nf: FMU fmu='lag.fmu'\no: Scope inputs=2\nw:1 -> f:1 o:1\nf:1 -> o:2"},
    {"CCustomBlock",
     "w: SineWaveGenerator\nc: CCustomBlock function='rectify'\no: Scope inputs=2\nw:1 -> c:1 o:1\nc:1 -> o:2"},
    {"CppBlock",
     "w: SineWaveGenerator\nb: CppBlock library='my_block/my_block.so' block='my_block' k=2\no: Scope inputs=2\nw:1 "
     "-> b:1 o:1\nb:1 -> o:2"},
    {"SetSignal", "w: SineWaveGenerator\ns: SetSignal tag='w'\ng: GetSignal tag='w'\no: Scope\nw:1 -> s:1\ng:1 -> o:1"},
    {"GetSignal", "w: SineWaveGenerator\ns: SetSignal tag='w'\ng: GetSignal tag='w'\no: Scope\nw:1 -> s:1\ng:1 -> o:1"},
    {"SignalScoping",
     "sc: SignalScoping tag='w'\nS: SuperBlock\nS.w: SineWaveGenerator\nS.s: SetSignal tag='w'\nS.w:1 -> S.s:1\n"
     "g: GetSignal tag='w'\no: Scope\ng:1 -> o:1"},
    {"SetActivationSignal",
     "c: SampleClock period=0.5\ns: SetActivationSignal tag='t'\ng: GetActivationSignal tag='t'\nn: Counter\no: "
     "Scope\nc:1 => s:1\ng:1 => n:1\nn:1 -> o:1"},
    {"GetActivationSignal",
     "c: SampleClock period=0.5\ns: SetActivationSignal tag='t'\ng: GetActivationSignal tag='t'\nn: Counter\no: "
     "Scope\nc:1 => s:1\ng:1 => n:1\nn:1 -> o:1"},
    {"ActivationSignalScoping",
     "sc: ActivationSignalScoping tag='t'\nS: SuperBlock\nS.c: SampleClock period=0.5\nS.s: SetActivationSignal "
     "tag='t'\nS.c:1 => S.s:1\ng: GetActivationSignal tag='t'\nn: Counter\no: Scope\ng:1 => n:1\nn:1 -> o:1"},
    {"BusCreator",
     "w: SineWaveGenerator\nt: Time\nb: BusCreator names='wave,time'\nx: BusExtractor names='time,wave'\no: Scope "
     "inputs=2\nw:1 -> b:1\nt:1 -> b:2\nb:1 -> x:1\nx:1 -> o:1\nx:2 -> o:2"},
    {"BusExtractor",
     "w: SineWaveGenerator\nt: Time\nb: BusCreator names='wave,time'\nx: BusExtractor names='wave'\no: Scope\nw:1 -> "
     "b:1\nt:1 -> b:2\nb:1 -> x:1\nx:1 -> o:1"},
    {"BusAssignment",
     "w: SineWaveGenerator\nt: Time\nb: BusCreator names='wave,time'\nk: Constant value=0.5\na: BusAssignment "
     "names='time'\nx: BusExtractor names='wave,time'\no: Scope inputs=2\nw:1 -> b:1\nt:1 -> b:2\nb:1 -> a:1\nk:1 -> "
     "a:2\na:1 -> x:1\nx:1 -> o:1\nx:2 -> o:2"},
    {"BusConstant",
     "b: BusConstant value=struct('low',-1,'high',1)\nx: BusExtractor names='low,high'\nw: SineWaveGenerator "
     "amplitude=2\ns: ControlledSaturation\no: Scope\nb:1 -> x:1\nx:1 -> s:1\nw:1 -> s:2\nx:2 -> s:3\ns:1 -> o:1"},
    {"BusInput",
     "w: SineWaveGenerator\nt: Time\nb: BusCreator names='wave,time'\nw:1 -> b:1\nt:1 -> b:2\nb:1 -> S:1\nS: "
     "SuperBlock\nS.u: BusInput\nS.x: BusExtractor names='wave'\nS.y: Output\nS.u:1 -> S.x:1\nS.x:1 -> S.y:1\no: "
     "Scope\nS:1 -> o:1"},
    {"BusOutput",
     "S: SuperBlock\nS.w: SineWaveGenerator\nS.t: Time\nS.b: BusCreator names='wave,time'\nS.y: BusOutput\nS.w:1 -> "
     "S.b:1\nS.t:1 -> S.b:2\nS.b:1 -> S.y:1\nx: BusExtractor names='wave'\no: Scope\nS:1 -> x:1\nx:1 -> o:1"},
    {"SetBusSignal",
     "w: SineWaveGenerator\nb: BusCreator names='wave'\ns: SetBusSignal tag='bus'\ng: GetBusSignal tag='bus'\nx: "
     "BusExtractor names='wave'\no: Scope\nw:1 -> b:1\nb:1 -> s:1\ng:1 -> x:1\nx:1 -> o:1"},
    {"GetBusSignal",
     "w: SineWaveGenerator\nb: BusCreator names='wave'\ns: SetBusSignal tag='bus'\ng: GetBusSignal tag='bus'\nx: "
     "BusExtractor names='wave'\no: Scope\nw:1 -> b:1\nb:1 -> s:1\ng:1 -> x:1\nx:1 -> o:1"},
    {"BusSignalScoping",
     "sc: BusSignalScoping tag='bus'\nS: SuperBlock\nS.w: SineWaveGenerator\nS.b: BusCreator names='wave'\nS.s: "
     "SetBusSignal tag='bus'\nS.w:1 -> S.b:1\nS.b:1 -> S.s:1\ng: GetBusSignal tag='bus'\nx: BusExtractor "
     "names='wave'\no: Scope\ng:1 -> x:1\nx:1 -> o:1"},
    {"EventPortZero",
     "c: SampleClock period=0.4\nz: EventPortZero\nw: SineWaveGenerator\no: Scope\nc:1 => z:1\nw:1 -> o:1"},
    {"SyncTag", "t: SyncTag\nc: SampleClock period=0.5\nn: Counter\no: Scope\nc:1 => n:1\nn:1 -> o:1"},
    {"End", "t: Time\nb: Bias bias=-2\nz: ZeroCrossUp\ne: End\no: Scope\nt:1 -> b:1 o:1\nb:1 -> z:1\nz:1 => e:1"},
    {"RepeatActivation",
     "c: SampleClock period=1\nS: SuperBlock atomic\nS.e: EventInput\nS.n: DiscreteDelay z0=0\nS.a: Bias bias=1\nS.l: "
     "CompareToConstant operator='<' value=5\nS.m: MathExpression expression='If_exp(u1>=5,0,u1)'\nS.i: "
     "IfThenElse\nS.r: "
     "RepeatActivation\nS.y: Output\nS.e:1 => S.n:1 S.i:1\nS.n:1 -> S.a:1\nS.a:1 -> S.m:1 S.l:1 S.y:1\nS.m:1 -> "
     "S.n:1\nS.l:1 -> S.i:1\nS.i:1 => S.r:1\nc:1 => S:1\no: Scope\nS:1 -> o:1"},
    {"Constraint",
     "t: Time\ny: Constraint\ne: MathExpression inputs=2 expression='u1^3+u1-u2'\no: Scope\ny:1 -> e:1 o:1\nt:1 -> "
     "e:2\ne:1 -> y:1"},
    {"LoopBreaker", "t: Time\ns: Sum signs='+-'\nl: LoopBreaker\no: Scope\nt:1 -> s:1\ns:1 -> l:1 o:1\nl:1 -> s:2"},
    {"Invariant",
     "x: Integral x0=[1;0]\nf: MatrixExpression expression='[u1(2);-u1(1)]'\ng: MatrixExpression "
     "expression='u1(1)^2+u1(2)^2-1'\ni: Invariant\no: Scope\nx:1 -> f:1 g:1 o:1\nf:1 -> x:1\ng:1 -> i:1"},
    {"InitialEquation",
     "x: Integral x0=1\nf: MathExpression expression='1-u1^3'\ne: InitialEquation\no: Scope\nx:1 -> f:1 o:1\nf:1 -> "
     "x:1 e:1"},
    {"ImplicitDerivative",
     "x: ImplicitDerivative x0=1\ne: MathExpression inputs=2 expression='2*u1+u2'\no: Scope\nx:1 -> e:2 o:1\nx:2 -> "
     "e:1\ne:1 -> x:1"},
    {"ProjectedIntegral",
     "x: ProjectedIntegral x0=[1;0]\nf: MatrixExpression expression='[u1(2);-u1(1)]'\np: MatrixExpression "
     "expression='u1/sqrt(u1(1)^2+u1(2)^2)'\no: Scope\nx:1 -> f:1 p:1 o:1\nf:1 -> x:1\np:1 -> x:2"},
    {"Message", "c: SampleClock period=2\nt: Time\nm: Message text='t={}'\no: Scope\nt:1 -> m:1 o:1\nc:1 => m:1"},
    {"Assertion", "w: SineWaveGenerator bias=2\na: Assertion\no: Scope\nw:1 -> a:1 o:1"},
    {"VariableDelay",
     "w: SineWaveGenerator\nd: SineWaveGenerator frequency=0.5 bias=1\nv: VariableDelay max=3\no: Scope inputs=2\nw:1 "
     "-> "
     "v:1 o:1\nd:1 -> v:2\nv:1 -> o:2"},
    {"EventVariableDelay",
     "i: InitialEvent\nk: Constant value=0.7\nd: EventVariableDelay\nu: EventUnion\nn: Counter\no: Scope\nk:1 -> "
     "d:1\ni:1 => u:1\nd:1 => u:2\nu:1 => d:1 n:1\nn:1 -> o:1"},
    {"EventDelayedChannel",
     "c: SampleClock period=0.5\nk: Constant value=1.2\nd: EventDelayedChannel\nn: Counter\no: Scope\nk:1 -> d:1\nc:1 "
     "=> d:1\nd:1 => n:1\nn:1 -> o:1"},
    {"SuperBlock",
     "w: SineWaveGenerator\nS: SuperBlock\nS.u: Input\nS.g: Gain k=2\nS.y: Output\nS.u:1 -> S.g:1\nS.g:1 "
     "-> S.y:1\nw:1 -> S:1\no: Scope\nS:1 -> o:1"},
    {"Input",
     "w: SineWaveGenerator\nS: SuperBlock\nS.u: Input\nS.g: Gain k=2\nS.y: Output\nS.u:1 -> S.g:1\nS.g:1 -> "
     "S.y:1\nw:1 -> S:1\no: Scope\nS:1 -> o:1"},
    {"Output", "w: SineWaveGenerator\ny: Output\nw:1 -> y:1"},
    {"EventInput",
     "c: SampleClock period=0.5\nS: SuperBlock\nS.e: EventInput\nS.n: Counter\nS.y: Output\nS.e:1 => S.n:1\nS.n:1 -> "
     "S.y:1\nc:1 => S:1\no: Scope\nS:1 -> o:1"},
    {"EventOutput",
     "S: SuperBlock\nS.c: SampleClock period=0.5\nS.e: EventOutput\nS.c:1 => S.e:1\nn: Counter\nS:1 => n:1\no: "
     "Scope\nn:1 -> o:1"},
    {"EnableInput",
     "w: SineWaveGenerator\nt: Time\nS: SuperBlock\nS.e: EnableInput\nS.u: Input port=2\nS.i: Integral\nS.y: "
     "Output\nS.u:1 -> S.i:1\nS.i:1 -> S.y:1\nw:1 -> S:1\nt:1 -> S:2\no: Scope inputs=2\nS:1 -> o:1\nw:1 -> o:2"},
    {"PCustomBlock",
     "w: SineWaveGenerator\np: PCustomBlock code=Square\no: Scope inputs=2\nw:1 -> p:1 o:1\np:1 -> o:2"},
    {"OmlCustomBlock",
     "c: SampleClock period=0.2\nw: SineWaveGenerator\nh: SampleHold\np: OmlCustomBlock code=Rectify insizes=[1,1] "
     "outsizes=[1,1]\no: Scope\nc:1 => h:1\nw:1 -> h:1\nh:1 -> p:1\np:1 -> o:1"},
    {"CsslBlock", "c: CsslBlock outputs='x'\no: Scope\nc:1 -> o:1"},
    {"Automaton",
     "a: Automaton modes=2 initial_mode=1 x0=0.5 jumps=[2;1]\nu: MatrixExpression "
     "expression='[1-u1(2);u1(1);u1(1)-1]'\nd: MatrixExpression expression='[-1-u1(2);u1(1);-u1(1)]'\no: Scope "
     "inputs=2\na:2 -> u:1 d:1 o:2\nu:1 -> a:1\nd:1 -> a:2\na:1 -> o:1"},
    {"FromBase",
     "b: FromBase name='p' default=2\nw: SineWaveGenerator\ng: Product\no: Scope\nb:1 -> g:1\nw:1 -> "
     "g:2\ng:1 -> o:1"},
    {"Optimization",
     "i: InitialEvent\np: FromBase name='manual_p' default=3\nc: MathExpression expression='(u1-1)^2+2'\ns: "
     "Optimization\nk: ToBase name='manual_p'\ne: End\no: Scope inputs=2\ni:1 => s:1\np:1 -> c:1 s:1\nc:1 -> s:2\n"
     "s:1 -> k:1 o:1\ns:2 -> o:2\ns:1 => e:1"},
    {"ExecOMLScript", "x: ExecOMLScript script=k=3;\nw: SineWaveGenerator\no: Scope\nw:1 -> o:1"},
    {"ToBase", "w: SineWaveGenerator\nb: ToBase name='p'\no: Scope\nw:1 -> b:1 o:1"},
    {"Scope", "w: SineWaveGenerator\nt: Sawtooth\no: Scope inputs=2 names='sine,saw'\nw:1 -> o:1\nt:1 -> o:2"},
    {"EventScope",
     "c: SampleClock period=0.5\nd: EventClock period=0.7\ne: EventScope inputs=2\nc:1 => e:1\nd:1 => e:2"},
    {"Display", "w: SineWaveGenerator\nd: Display\no: Scope\nw:1 -> d:1 o:1"},
    {"SignalOut", "w: SineWaveGenerator\ns: SignalOut name='wave'\nw:1 -> s:1"},
    {"LinearisationPoint",
     "w: SineWaveGenerator\np: LinearisationPoint\ni: ContTransFunc\no: Scope\nw:1 -> p:1\np:1 -> i:1\ni:1 -> o:1"},
    {"Deadzone", "w: SineWaveGenerator amplitude=2\nd: Deadzone\no: Scope inputs=2\nw:1 -> d:1 o:2\nd:1 -> o:1"},
    {"Hysteresis", "w: SineWaveGenerator amplitude=2\nh: Hysteresis\no: Scope inputs=2\nw:1 -> h:1 o:2\nh:1 -> o:1"},
    {"CompareToConstant",
     "w: SineWaveGenerator\nc: CompareToConstant operator='>' value=0.5\no: Scope inputs=2\nw:1 -> c:1 o:2\nc:1 -> "
     "o:1"},
    {"LogicalOp",
     "w: SineWaveGenerator\nv: SineWaveGenerator frequency=3\na: CompareToConstant operator='>'\nb: CompareToConstant "
     "operator='>'\nl: LogicalOp\no: Scope inputs=3\nw:1 -> a:1\nv:1 -> b:1\na:1 -> l:1 o:2\nb:1 -> l:2 o:3\nl:1 -> "
     "o:1"},
    {"LookupTable2D_port",
     "w: SineWaveGenerator\nv: SineWaveGenerator frequency=3\nx: Constant value=[-1;0;1]\ny: Constant "
     "value=[-1;1]\nz: Constant value=[0,1;2,0;1,3]\nl: LookupTable2D_port\no: Scope\nw:1 -> l:1\nv:1 -> l:2\nx:1 -> "
     "l:3\ny:1 -> l:4\nz:1 -> l:5\nl:1 -> o:1"},
    {"EventDelay",
     "g: EventGenerate times=1\nd: EventDelay delay=0.5\nu: EventUnion\nn: Counter\no: Scope\ng:1 => u:1\nd:1 => "
     "u:2\nu:1 => d:1 n:1\nn:1 -> o:1"},
    {"ActivationIntersection",
     "a: SampleClock period=0.2\nb: SampleClock period=0.3\ni: ActivationIntersection\nn: Counter\no: Scope\na:1 => "
     "i:1\nb:1 => i:2\ni:1 => n:1\nn:1 -> o:1"},
    {"AndActivations",
     "a: SampleClock period=0.2\nb: SampleClock period=0.3\ni: AndActivations\no: Scope\na:1 => i:1\nb:1 => i:2\ni:1 "
     "-> o:1"},
    {"AlwaysActivate",
     "a: AlwaysActivate\nw: SineWaveGenerator\nh: SampleHold\no: Scope\nw:1 -> h:1\na:1 => h:1\nh:1 -> o:1"},
    {"EdgeTrigger",
     "w: SineWaveGenerator frequency=3\ne: EdgeTrigger\nn: Counter\no: Scope inputs=2\nw:1 -> e:1 o:2\ne:1 => "
     "n:1\nn:1 -> o:1"},
    {"DiscrEdgeTrigger",
     "c: SampleClock period=0.2\nw: SineWaveGenerator frequency=3\nh: SampleHold\ne: DiscrEdgeTrigger\nn: Counter\no: "
     "Scope inputs=2\nw:1 -> h:1\nc:1 => h:1\nh:1 -> e:1 o:2\ne:1 => n:1\nn:1 -> o:1"},
    {"SignalIn",
     "s: SignalIn signal=struct('time',[0,1,2,4],'ch',{{struct('type','double','data',[4,7,6,5])}}) after='hold'\no: "
     "Scope\ns:1 -> o:1"},
    {"CrossProduct",
     "a: SineWaveGenerator amplitude=[1;2;0] frequency=[1;2;3]\nb: Constant value=[0;0;1]\nc: CrossProduct\no: "
     "Scope\na:1 -> c:1\nb:1 -> "
     "c:2\nc:1 -> o:1"},
    {"ReSampleClock",
     "c: SampleClock period=0.25\nr: ReSampleClock\ne: EventScope inputs=2\nc:1 => r:1 e:1\nr:1 => e:2"},
};

// Scripts, which also make the files that an example reads.
struct Script {
  const char* type;
  bool initialization;  // otherwise the context
  std::vector<std::string> lines;
};

const std::vector<Script>& scripts() {
  static const std::vector<Script> list = {
      {"PCustomBlock",
       false,
       {"function block = Square(block, flag)", "  if flag == 1", "    block.io{2} = block.io{1}^2;", "  end", "end"}},
      {"OmlCustomBlock",
       false,
       {"function Rectify(block, flag)", "  if flag == vssBlockOutputUpdateFlag",
        "    vssSetOutputData(block, 1, max(vssGetInputData(block, 1), 0));", "  end", "end"}},
      {"FromCSV", true, {"t = (0:0.25:5)';", "csvwrite('wave.csv', [t sin(t) cos(2*t)]);"}},
      {"FromText", true, {"t = (0:0.25:5)';", "dlmwrite('wave.txt', [t sin(t) cos(2*t)], ' ');"}},
      {"FromMat", true, {"t = (0:0.25:5)';", "x = [t sin(t) cos(2*t)];", "save('wave.mat', 'x');"}},
      {"FromHDF",
       true,
       {"t = (0:0.25:5)';", "x = [t sin(t) cos(2*t)]'; % these files keep matrices row by row",
        "save('wave.h5', 'x', '-v7.3');"}},
      {"IncludeDiagram",
       true,
       {"m = bdeNewModel('part'); % the file that is included", "bdeAddBlock(m, '/u', 'Input');",
        "bdeAddBlock(m, '/g', 'Gain', {'k', 'k'});", "bdeAddBlock(m, '/y', 'Output');",
        "bdeAddLink(m, '/', 'u:1', {'g:1'});", "bdeAddLink(m, '/', 'g:1', {'y:1'});",
        "bdeSetMask(m, '/', {'k', 'Factor', '1'});", "bdeSave(m, 'part.orr');"}},
      {"FMU",
       true,
       {"m = bdeNewModel('lag'); % a model that becomes an FMU", "bdeAddBlock(m, '/Lag', 'SuperBlock');",
        "bdeAddBlock(m, '/Lag/u', 'Input');", "bdeAddBlock(m, '/Lag/f', 'ContTransFunc');",
        "bdeAddBlock(m, '/Lag/y', 'Output');", "bdeAddLink(m, '/Lag', 'u:1', {'f:1'});",
        "bdeAddLink(m, '/Lag', 'f:1', {'y:1'});", "vssGenerateFMUBlock(m, '/Lag', struct('fmufile', 'lag.fmu'));"}},
  };
  return list;
}

// Parameters that are code: no text of one line.
struct Code {
  const char* type;
  const char* block;
  const char* text;
};

const Code codes[] = {
    {"CCustomBlock", "c",
     "#include \"vss_block4.h\"\n"
     "\n"
     "VSS_EXPORT void rectify(vss_block* block, int flag) {\n"
     "  const double* u = GetRealInPortPtrs(block, 1);\n"
     "  double* y = GetRealOutPortPtrs(block, 1);\n"
     "  if (flag == VssFlag_OutputUpdate) *y = *u > 0 ? *u : 0;\n"
     "}\n"},
};

model::Diagram* inside(model::Diagram& root, const std::string& name) {
  for (model::BlockInstance& block : root.blocks) {
    if (block.name != name) continue;
    if (!block.diagram) block.diagram = std::make_unique<model::Diagram>();
    return block.diagram.get();
  }
  return &root;
}

// "S.g:1" in the diagram of S is g:1.
model::PortRef port_ref(const std::string& text, std::string& diagram) {
  const std::size_t colon = text.rfind(':'), dot = text.find('.');
  diagram = dot == std::string::npos ? "" : text.substr(0, dot);
  const std::size_t from = dot == std::string::npos ? 0 : dot + 1;
  return {text.substr(from, colon - from), std::stoi(text.substr(colon + 1))};
}

void add_line(model::Diagram& root, const std::string& line) {
  std::istringstream words(line);
  std::string first, second, word, name;
  words >> first >> second;
  if (second == "->" || second == "=>") {
    model::Link link;
    link.activation = second == "=>";
    link.from = port_ref(first, name);
    while (words >> word) link.to.push_back(port_ref(word, name));
    inside(root, name)->links.push_back(std::move(link));
    return;
  }
  first.pop_back();  // the colon
  const std::size_t dot = first.find('.');
  model::Diagram& diagram = dot == std::string::npos ? root : *inside(root, first.substr(0, dot));
  model::BlockInstance block;
  block.name = dot == std::string::npos ? first : first.substr(dot + 1);
  block.type = second;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      block.diagram = std::make_unique<model::Diagram>();
      block.diagram->atomic = word == "atomic";
    } else {
      block.parameters.push_back({word.substr(0, equals), word.substr(equals + 1), 0});
    }
  }
  if (block.type == "SuperBlock" && !block.diagram) block.diagram = std::make_unique<model::Diagram>();
  diagram.blocks.push_back(std::move(block));
}

model::Model begin_example(const BlockType& type) {
  model::Model model;
  model.file = type.name + "_example.orr";
  model.name = type.name + "_example";
  model.about = type.summary;
  model.settings.stop.text = "5";
  model.settings.hmax.text = "0.02";
  return model;
}

const char* first_word(const std::string& palette) {
  return palette == "FlipFlops" || palette == "LogicalOperations" ? "SquareWaveGenerator" : "SineWaveGenerator";
}

// Waves of different phases at the inputs; tables of points ascend.
std::optional<model::Model> drawn_up(const BlockType& type, const TextEvaluator& evaluate) {
  const auto parameters = default_parameters(type, evaluate);
  if (!parameters || type.ports == nullptr || type.build == nullptr) return std::nullopt;
  Ports ports(*parameters);
  type.ports(ports);
  model::Model model = begin_example(type);
  add_line(model.root, fmt::format("it: {}", type.name));
  const bool tables = type.name.ends_with("_port");
  for (int k = 1; k <= ports.input_count(); ++k) {
    const Port& port = ports.in(k);
    int rows = port.rows > 0 ? port.rows : 1, cols = port.cols > 0 ? port.cols : 1;
    const int first_table = type.name == "LookupTable_port" ? 2 : 3;
    const bool is_table = tables && k >= first_table;
    if (is_table) rows = k == 4 ? 2 : 3;
    if (is_table && k == 5) cols = 2;
    std::string numbers = "[";
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < cols; ++col)
        numbers += fmt::format("{}{}", col > 0 ? "," : "", row + 2 * col + (row == col ? 1 : 0));
      numbers += row + 1 < rows ? ";" : "]";
    }
    std::string from;
    if (is_table) {
      from = fmt::format("k{}", k);
      add_line(model.root, fmt::format("{}: Constant value={}", from, numbers));
    } else if (std::string_view(first_word(type.palette)) == "SquareWaveGenerator") {
      from = fmt::format("u{}", k);
      add_line(model.root, fmt::format("{}: SquareWaveGenerator period={} start={}", from, 0.8 + 0.7 * k, 0.2 * k));
    } else {
      from = fmt::format("u{}", k);
      add_line(model.root,
               fmt::format("{}: SineWaveGenerator frequency={} phase={}", from, k == 1 ? 2 : 1 + k, 0.3 * (k - 1)));
      if (rows * cols > 1) {
        add_line(model.root, fmt::format("m{}: Constant value={}", k, numbers));
        add_line(model.root, fmt::format("p{}: Sum", k));
        add_line(model.root, fmt::format("{}:1 -> p{}:1", from, k));
        add_line(model.root, fmt::format("m{0}:1 -> p{0}:2", k));
        from = fmt::format("p{}", k);
      }
    }
    const Scalar scalar = port.type < 0 ? Scalar::f64 : static_cast<Scalar>(port.type);
    if (scalar != Scalar::f64) {
      add_line(model.root, fmt::format("c{}: DataTypeConversion type='{}'", k, name_of(scalar)));
      add_line(model.root, fmt::format("{}:1 -> c{}:1", from, k));
      from = fmt::format("c{}", k);
    }
    add_line(model.root, fmt::format("{}:1 -> it:{}", from, k));
  }
  const bool discrete = type.activation == Activation::inherit || type.activation == Activation::initial ||
                        type.activation == Activation::inherit_per_input;
  const bool formula = type.palette == "MathOperations" || type.palette == "MatrixOperations" ||
                       type.palette == "LookupTables" || type.palette == "LogicalOperations" ||
                       type.palette == "SignalConversions" || type.palette == "Hybrid";
  if (discrete && ports.activation_input_count() > 0 && !(formula && ports.input_count() > 0)) {
    for (int k = 1; k <= ports.activation_input_count(); ++k) {
      add_line(model.root, fmt::format("clock{}: SampleClock period={} offset={}", k, 0.25 * k, 0.1 * (k - 1)));
      add_line(model.root, fmt::format("clock{0}:1 => it:{0}", k));
    }
  }
  if (ports.activation_output_count() > 0) {
    add_line(model.root, fmt::format("events: EventScope inputs={}", ports.activation_output_count()));
    for (int k = 1; k <= ports.activation_output_count(); ++k)
      add_line(model.root, fmt::format("it:{0} => events:{0}", k));
  }
  const bool shows_input = ports.input_count() > 0 && !tables;
  if (ports.output_count() > 0) {
    add_line(model.root, fmt::format("out: Scope inputs={}", ports.output_count()));
    for (int k = 1; k <= ports.output_count(); ++k) add_line(model.root, fmt::format("it:{0} -> out:{0}", k));
  }
  if (shows_input) {
    add_line(model.root, fmt::format("in: Scope inputs={}", ports.input_count()));
    for (int k = 1; k <= ports.input_count(); ++k) {
      for (model::Link& link : model.root.links) {
        if (link.to[0] == model::PortRef{"it", k} && !link.activation) link.to.push_back({"in", k});
      }
    }
  }
  return model;
}

}  // namespace

std::optional<model::Model> example_model(const BlockType& type, const TextEvaluator& evaluate) {
  for (const Written& example : written) {
    if (type.name != example.type) continue;
    model::Model model = begin_example(type);
    std::istringstream lines(example.text);
    for (std::string line; std::getline(lines, line);) add_line(model.root, line);
    for (const Script& script : scripts()) {
      if (type.name == script.type) (script.initialization ? model.initialization : model.root.context) = script.lines;
    }
    for (const Code& code : codes) {
      if (type.name != code.type) continue;
      for (model::BlockInstance& block : model.root.blocks) {
        if (block.name == code.block) block.parameters.push_back({"code", code.text, 0});
      }
    }
    return model;
  }
  return drawn_up(type, evaluate);
}

}  // namespace orrery::blocks
