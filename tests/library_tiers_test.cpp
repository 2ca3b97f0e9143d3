// SPDX-License-Identifier: Apache-2.0
// Every block of the library, in all element types it takes, gives the same bits on both tiers.
#include <gtest/gtest.h>

#include "blocks/block.h"
#include "diagram_builder.h"
#include "notation.h"
#include "run_model.h"

namespace orrery::tests::library_tiers_test {
namespace {

using program::Scalar;
using program::Type;

void expect_same_on_both_tiers(const model::Model& model) {
  RunSetup setup;
  setup.watch = blocks_with_outputs(model);
  const ModelRun first = run_model(model, setup);
  ASSERT_TRUE(first.compiled) << to_text(first.diagnostics) << model::write(model);
  EXPECT_NE(first.report.state, api::RunState::failed) << to_text(first.diagnostics);
  EXPECT_GT(first.recording.rows(), 5u);
  setup.native = api::NativeCode::second;
  const ModelRun second = run_model(model, setup);
  EXPECT_TRUE(second.report.second_tier);
  EXPECT_EQ(first_difference(first.recording, second.recording), "") << model::write(model);
  EXPECT_EQ(first_difference(first.events, second.events), "") << model::write(model);
}

// Adds one block after the other, all of them driven by the same two signals of one type and size.
class TypedBlocks {
 public:
  explicit TypedBlocks(Type type) : type_(type) {
    clock_ = d_.add("SampleClock", {{"period", "0.1"}});
    u_ = driver("SineWaveGenerator", {{"frequency", "9"}, {"amplitude", "3"}, {"phase", "0.3"}}, 1.5);
    const std::string changing = driver("Sawtooth", {{"lower", "-2"}, {"upper", "2.5"}, {"period", "0.3"}}, -0.75);
    v_ = d_.add("SampleHold");
    d_.link(changing, 1, v_, 1);
    d_.event(clock_, 1, v_, 1);
    d_.model().settings.stop.text = "0.7";
    d_.model().settings.rtol.text = "1e-3";
  }

  model::Model& model() { return d_.model(); }
  bool is_number() const { return type_.scalar != Scalar::boolean; }
  bool is_ordered() const { return type_.scalar != Scalar::c128; }
  bool is_floating() const { return program::is_floating(type_.scalar); }
  bool is_scalar() const { return type_.is_scalar(); }

  std::string add(const std::string& block, int inputs, const DiagramBuilder::Texts& parameters = {}) {
    const std::string name = d_.add(block, parameters);
    for (int port = 1; port <= inputs; ++port) d_.link(port % 2 == 1 ? u_ : v_, 1, name, port);
    return name;
  }
  void add_sampled(const std::string& block, int inputs, const DiagramBuilder::Texts& parameters = {}) {
    const std::string name = add(block, inputs, parameters);
    d_.event(clock_, 1, name, 1);
  }
  void add_each(const std::string& block, int inputs, const std::string& parameter,
                const std::vector<std::string>& values) {
    for (const std::string& value : values) add(block, inputs, {{parameter, "'" + value + "'"}});
  }
  DiagramBuilder& diagram() { return d_; }
  const std::string& clock() const { return clock_; }
  std::string initial() const {  // a value of the type
    const std::string ones = fmt::format("ones({},{})", type_.rows, type_.cols);
    if (type_.scalar == Scalar::f64) return ones;
    return type_.scalar == Scalar::c128 ? ones + "*(1+2*i)" : fmt::format("{}({})", name_of(type_.scalar), ones);
  }

 private:
  // A scalar wave times a matrix of different numbers, as a signal of the type.
  std::string driver(const std::string& wave, const DiagramBuilder::Texts& parameters, double factor) {
    std::string numbers = "[";
    for (int row = 0; row < type_.rows; ++row) {
      for (int col = 0; col < type_.cols; ++col) numbers += fmt::format(" {}", factor * (1 + row - 1.7 * col));
      numbers += ";";
    }
    const std::string source = d_.add(wave, parameters);
    const bool is_complex = type_.scalar == Scalar::c128;
    const std::string matrix = d_.add("Constant", {{"value", is_complex ? numbers + "]*(1-0.5*i)" : numbers + "]"}});
    const std::string product = d_.add("Product");
    const std::string converted = d_.add("DataTypeConversion", {{"type", fmt::format("'{}'", name_of(type_.scalar))}});
    if (is_complex) {
      d_.link(source, 1, converted, 1);
      d_.link(converted, 1, product, 1);
      d_.link(matrix, 1, product, 2);
      return product;
    }
    d_.link(source, 1, product, 1);
    d_.link(matrix, 1, product, 2);
    d_.link(product, 1, converted, 1);
    return converted;
  }

  Type type_;
  DiagramBuilder d_;
  std::string clock_, u_, v_;
};

void add_arithmetic(TypedBlocks& t) {
  if (!t.is_number()) return;
  t.add("Gain", 1, {{"k", "3"}});
  t.add("Bias", 1, {{"bias", "2"}});
  t.add_each("Sum", 2, "signs", {"++", "+-", "-+", "--"});
  t.add("Sum", 3, {{"signs", "3"}});
  t.add_each("Product", 2, "signs", {"**", "*/", "/*"});
  t.add("Power", 1);
  t.add("Power", 1, {{"power", "3"}});
  t.add("Abs", 1);
  if (!t.is_ordered()) return;
  t.add("Sign", 1);
  t.add_each("MaxMin", 2, "function", {"max", "min"});
  t.add("MaxMin", 1, {{"inputs", "1"}});
  t.add("Saturation", 1, {{"lower", "0"}, {"upper", "2"}});
  t.add("Saturation", 1, {{"lower", "1"}, {"upper", "inf"}});
  t.add("Deadzone", 1, {{"lower", "0"}, {"upper", "1"}});
}

void add_functions(TypedBlocks& t) {
  if (!t.is_floating()) return;
  t.add_each("MathFunc", 1, "function",
             {"exp", "log", "log10", "sqrt", "square", "reciprocal", "conj", "real", "imag", "magnitude", "angle"});
  t.add_each("MathFunc", 2, "function", {"pow"});
  t.add_each("TrigFunc", 1, "function", {"sin", "cos", "tan", "sinh", "cosh", "tanh"});
  t.add("MatrixGain", 1, {{"K", "2.5"}});
  if (!t.is_ordered()) return;
  t.add_each("MathFunc", 1, "function", {"floor", "ceil", "round", "trunc"});
  t.add_each("MathFunc", 2, "function", {"mod", "rem", "hypot"});
  t.add_each("TrigFunc", 1, "function", {"asin", "acos", "atan", "asinh", "acosh", "atanh"});
  t.add_each("TrigFunc", 2, "function", {"atan2"});
  t.add("MatrixExpression", 2, {{"inputs", "2"}, {"expression", "'max(abs(u1),u2).^2-sign(u1)./(1+exp(u2))'"}});
  t.add("MatrixExpression", 1, {{"expression", "'[u1(:);sum(u1(:));u1(end)]'"}});
  if (t.is_scalar()) t.add("MathExpression", 2, {{"inputs", "2"}, {"expression", "'If_exp(u1>u2,mod(u1,2),u2^3)'"}});
}

void add_logic(TypedBlocks& t) {
  t.add_each("RelationalOp", 2, "operator", {"==", "~="});
  if (t.is_ordered()) t.add_each("RelationalOp", 2, "operator", {"<", "<=", ">", ">="});
  t.add_each("LogicalOp", 2, "operator", {"AND", "OR", "NAND", "NOR", "XOR"});
  t.add("LogicalOp", 1, {{"operator", "'NOT'"}});
  if (t.is_ordered()) t.add_each("Switch2", 3, "rule", {">=", ">", "~="});
  t.add_each("DataTypeConversion", 1, "type",
             {"double", "complex", "int8", "int16", "int32", "uint8", "uint16", "uint32", "boolean"});
}

void add_routing(TypedBlocks& t, int elements) {
  DiagramBuilder& d = t.diagram();
  const std::string mux = t.add("Mux", 2);
  const std::string demux = d.add("Demux", {{"sizes", fmt::format("[{} {}]", 1, 2 * elements - 1)}});
  d.link(mux, 1, demux, 1);
  t.add_sampled("SelectInput", 2);
  t.add("SelectInput", 2);
  t.add_sampled("DiscreteDelay", 1, {{"z0", t.initial()}});
  t.add("DiscreteDelay", 1, {{"z0", t.initial()}});
  t.add_sampled("Memory", 1, {{"z0", t.initial()}});
  t.add_sampled("SampleHold", 1);
  t.add("Scope", 1);
  t.add("Display", 1);
  t.add("SignalOut", 1);
  t.add("SetSignal", 1, {{"tag", "'u'"}});
  const std::string get = d.add("GetSignal", {{"tag", "'u'"}});
  d.link(get, 1, d.add("SampleHold"), 1);
  const std::string extract = t.add("ExtractActivation", 1);
  d.event(extract, 1, d.add("Counter"), 1);
  if (!t.is_ordered() || !t.is_scalar()) return;
  for (const char* type : {"IfThenElse", "SwitchCase"}) {
    const std::string block = t.add(type, 1);
    d.event(t.clock(), 1, block, 1);
    d.event(block, 2, d.add("Counter"), 1);
  }
  for (const char* edge : {"rising", "falling", "both"}) {
    const std::string block = t.add("EdgeTrigger", 1, {{"edge", fmt::format("'{}'", edge)}});
    d.event(block, 1, d.add("Counter"), 1);
  }
}

std::vector<model::Model> typed_models() {
  std::vector<model::Model> models;
  for (int code = 0; code <= static_cast<int>(Scalar::boolean); ++code) {
    for (const auto& [rows, cols] : {std::pair{1, 1}, std::pair{3, 2}}) {
      TypedBlocks t({static_cast<Scalar>(code), rows, cols});
      add_arithmetic(t);
      add_functions(t);
      add_logic(t);
      add_routing(t, rows * cols);
      models.push_back(std::move(t.model()));
    }
  }
  return models;
}

constexpr const char* continuous_blocks = R"(
stop 3
S: SineWaveGenerator frequency=2 amplitude=1.5
S2: Mux inputs=2
C: SampleClock period=0.25
R: Random distribution='normal' a=[0;0] b=[1;2] seed=4
I1: Integral x0=0.5
I2: Integral x0=0.25 lower=-0.3 upper=0.4
I3: Integral x0=1 reset='activation'
I4: Integral x0=[1,2]
V: Constant value=[0.5,-1]
CS: ContStateSpace A=[-1,2;-2,-1] B=[1;0.5] C=[1,-1] D=0.25 x0=[1;2]
CS2: ContStateSpace
CT: ContTransFunc num=[1,2] den=[1,0.5,4]
CT2: ContTransFunc num=[2] den=[4]
J: JumpStateSpace A=[0,1;-4,-0.1] B=[0;1] C=[1,0;0,1] x0=[1;0]
Z1: ZeroCross direction='up'
Z2: ZeroCross direction='down'
Z3: ZeroCross
N: Counter
EV: EventScope inputs=3
T: Time
Ra: Ramp start=0.7 slope=-2
St: StepGenerator time=0.9 before=[1;2] after=[3;4]
Sq: SquareWaveGenerator period=0.7 duty=30 start=0.1
Sw: Sawtooth period=0.9 start=-0.2
M: MatrixGain K=[1,2;3,4;5,6]
FD: FixedDelay T=0.4 init=0.1
FV: FixedDelay T=0.3 init=[1;2]
VD: VariableDelay max=3 init=1
VL: VariableDelay min=0.2 max=3
DL: MathExpression expression='0.7+0.5*u1/1.5'
IF: Integral
Sq:1 -> FD:1
St:1 -> FV:1
S:1 -> DL:1
DL:1 -> VD:2 VL:2
IF:1 -> VD:1
Sw:1 -> VL:1
FD:1 -> IF:1
R:1 -> J:2 M:1
S:1 -> I1:1 I2:1 I3:1 CS:1 CS2:1 CT:1 CT2:1 J:1 Z1:1 S2:1
I1:1 -> I3:2 S2:2 Z2:1
S2:1 -> Z3:1
V:1 -> I4:1
C:1 => I3:1 J:1 R:1
Z1:1 => EV:1
Z2:1 => EV:2
Z3:1 => EV:3 N:1
)";

constexpr const char* implicit_blocks = R"(
stop 2
rtol 1e-6
S: SineWaveGenerator frequency=2
C: Constraint guess=[1;0]
EC: MatrixExpression expression='[u1(1)^3+u1(1)-u2;u1(2)*(2+u1(1))-1]' inputs=2
D: ImplicitDerivative x0=[1;1] xproperties=[1;-1]
ED: MatrixExpression expression='[u2(1)+u1(2);exp(u1(2))-1-u1(1)]' inputs=2
L: LoopBreaker guess=0.5
EL: MathExpression expression='cos(u1+u2)' inputs=2
P: ProjectedIntegral x0=[1;0]
EP: MatrixExpression expression='[-u1(2);u1(1)]'
PP: MatrixExpression expression='u1/sqrt(u1(1)^2+u1(2)^2)'
M: Automaton modes=2 x0=[1;0] xproperties=[1,1;1,-1] jumps=[2;1]
M1: MatrixExpression expression='[u1(3)-u1(2);u1(4)+4*u1(1);u1(1:2);-u1(1)-0.5]'
M2: MatrixExpression expression='[u1(3)-u1(2);u1(2)-1-u1(1);u1(1);u1(2);u1(1)-0.8]'
out: Scope inputs=3
S:1 -> EC:2 EL:2
C:1 -> EC:1 out:1
EC:1 -> C:1
D:1 -> ED:1 out:2
D:2 -> ED:2
ED:1 -> D:1
L:1 -> EL:1 out:3
EL:1 -> L:1
P:1 -> EP:1 PP:1
EP:1 -> P:1
PP:1 -> P:2
M:2 -> M1:1 M2:1
M1:1 -> M:1
M2:1 -> M:2
)";

constexpr const char* invariant_blocks = R"(
stop 2
X: Integral x0=[1;0]
F: MatrixExpression expression='[-u1(2);u1(1)]'
R: MatrixExpression expression='u1(1)^2+u1(2)^2-1'
K: Invariant
free: Integral x0=2
still: Gain k=-1
from: MathExpression expression='u1+u1^3-10' inputs=1
begin: InitialEquation
out: Scope
X:1 -> F:1 R:1 out:1
F:1 -> X:1
R:1 -> K:1
free:1 -> still:1 from:1
still:1 -> free:1
from:1 -> begin:1
)";

constexpr const char* discrete_blocks = R"(
stop 6
rtol 1e-4
S: SineWaveGenerator frequency=2
C: SampleClock period=1/3
C2: SampleClock period=0.25 offset=0.1
C3: ReSampleClock factor=3 phase=1
E: EventClock period=0.3 offset=0.05
G: EventGenerate times=[0.5,1.25,3] outputs='one'
First: InitialEvent
A: AlwaysActivate
U: EventUnion inputs=3
X: ActivationIntersection
F: FrequencyDivider factor=3 phase=1
D: EventDelay delay=0.07
VD: EventVariableDelay
CH: EventDelayedChannel
K: Constant value=0.8
R1: Random distribution='uniform' a=-1 b=2 seed=1
R2: Random distribution='exponential' a=[1;2;3] seed=2
R3: Random
N1: Counter direction='down' from=5 to=-3 step=2
N2: Counter to=4
DI1: DiscreteIntegral method='forward' T=0.25 z0=[1;2]
DI2: DiscreteIntegral method='backward' T=0.25
DI3: DiscreteIntegral method='trapezoidal' T=0.25
DS: DiscrStateSpace A=[0.5,0.2;-0.1,0.8] B=[1;2] C=[1,1;0,1] D=[0;1] x0=[1;2]
DT: DiscrTransFunc num=[1,0.5] den=[1,-1.2,0.5]
DT2: DiscrTransFunc
V: Mux inputs=2
H: SampleHold
H2: SampleHold
I: IfThenElse
W: SwitchCase cases=3 base=-1
B: Bias bias=0.25
Again: RelationalOp operator='<'
Loop: RepeatActivation when='nonzero'
Three: Constant value=3
Count: Counter
L: Memory
EV: EventScope inputs=5
Last: FinalEvent
Says: Message text='{}'
Pos: Bias bias=2
Holds: Assertion text='{}'
S:1 -> Pos:1
Pos:1 -> Holds:1 Holds:2 Says:1
Last:1 => Says:1
S:1 -> H:1 B:1
B:1 -> I:1 W:1
K:1 -> VD:1 CH:1
H:1 -> DI2:1 DI3:1 DS:1 DT:1 DT2:1 V:1 V:2 L:1
V:1 -> DI1:1
R1:1 -> H2:1
Count:1 -> Again:1
Three:1 -> Again:2
Again:1 -> Loop:1
C:1 => H:1 C3:1 X:1 I:1 W:1 R1:1 N1:1
C2:1 => X:2 F:1 CH:1 N2:1 DT2:1
C3:1 => U:1 R2:1 L:1
E:1 => D:1 VD:1 H2:1
G:1 => U:2 Count:1 Loop:1
First:1 => U:3
A:1 => EV:1
D:1 => EV:2
I:1 => EV:3
W:2 => EV:4
X:1 => EV:5
)";

// Super blocks, their ports, clocks of their own, and an end of the run.
constexpr const char* nested_blocks = R"({
  "orrery": 1, "name": "nested", "simulation": {"stop": "2"},
  "blocks": [
    {"name": "Clock", "type": "SampleClock", "parameters": {"period": "0.1"}},
    {"name": "Sine", "type": "SineWaveGenerator"},
    {"name": "Inside", "type": "SuperBlock", "diagram": {"blocks": [
      {"name": "Apart", "type": "SyncTag"},
      {"name": "u", "type": "Input"},
      {"name": "Tick", "type": "EventInput"},
      {"name": "Own", "type": "SampleClock", "parameters": {"period": "0.15"}},
      {"name": "Hold", "type": "SampleHold"},
      {"name": "Count", "type": "Counter"},
      {"name": "Sum", "type": "Sum"},
      {"name": "y", "type": "Output"},
      {"name": "Tock", "type": "EventOutput"}], "links": [
      {"from": "u:1", "to": ["Hold:1"]}, {"from": "Hold:1", "to": ["Sum:1"]},
      {"from": "Count:1", "to": ["Sum:2"]}, {"from": "Sum:1", "to": ["y:1"]},
      {"event": "Tick:1", "to": ["Hold:1"]}, {"event": "Own:1", "to": ["Count:1", "Tock:1"]}]}},
    {"name": "Integral", "type": "Integral"},
    {"name": "Number", "type": "Counter"},
    {"name": "Enough", "type": "Bias", "parameters": {"bias": "-7.5"}},
    {"name": "Stop", "type": "End", "parameters": {"when": "'positive'"}},
    {"name": "Late", "type": "EventGenerate", "parameters": {"times": "1.9"}},
    {"name": "Stop too", "type": "End"}],
  "links": [
    {"from": "Sine:1", "to": ["Inside:1"]}, {"from": "Inside:1", "to": ["Integral:1", "Enough:1"]},
    {"from": "Enough:1", "to": ["Stop:1"]},
    {"event": "Clock:1", "to": ["Inside:1"]}, {"event": "Inside:1", "to": ["Number:1"]},
    {"event": "Late:1", "to": ["Stop too:1"]}]
})";

model::Model nested_model() {
  Diagnostics diagnostics;
  auto model = model::parse(nested_blocks, "nested.orr", diagnostics);
  if (!model) throw std::runtime_error(to_text(diagnostics));
  return std::move(*model);
}

TEST(LibraryTiers, BlocksOfEveryElementTypeAndSize) {
  for (const model::Model& model : typed_models()) expect_same_on_both_tiers(model);
}

TEST(LibraryTiers, ContinuousBlocks) {
  for (const char* solver : {"dopri", "cvode-bdf-newton", "rk4"}) {
    SCOPED_TRACE(solver);
    expect_same_on_both_tiers(diagram(fmt::format("solver {}\nstep 0.02\n{}", solver, continuous_blocks)));
  }
}

TEST(LibraryTiers, ImplicitBlocks) {
  for (const char* solver : {"dopri", "cvode-bdf-newton", "rk4"}) {
    SCOPED_TRACE(solver);
    expect_same_on_both_tiers(diagram(fmt::format("solver {}\nstep 0.02\n{}", solver, implicit_blocks)));
    expect_same_on_both_tiers(diagram(fmt::format("solver {}\nstep 0.02\n{}", solver, invariant_blocks)));
  }
}

TEST(LibraryTiers, DiscreteBlocksAndActivations) { expect_same_on_both_tiers(diagram(discrete_blocks)); }

TEST(LibraryTiers, NestedDiagrams) { expect_same_on_both_tiers(nested_model()); }

}  // namespace
}  // namespace orrery::tests::library_tiers_test
