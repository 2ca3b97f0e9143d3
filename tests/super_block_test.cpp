// SPDX-License-Identifier: Apache-2.0
// Super blocks: masks, atomic units, conditions, copies for each part, included files, programs that build diagrams.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "semantics.h"

namespace orrery::tests::super_block_test {
namespace {

// A super block with this diagram inside.
model::BlockInstance super_block(const std::string& name, const std::string& inside) {
  model::BlockInstance block;
  block.name = name;
  block.type = "SuperBlock";
  block.diagram = std::make_unique<model::Diagram>(std::move(diagram(inside).root));
  return block;
}

ModelRun run(const model::Model& model) { return run_model(model, {}); }

ModelRun run_well(const model::Model& model) {
  ModelRun result = run(model);
  EXPECT_FALSE(result.diagnostics.has_errors()) << to_text(result.diagnostics);
  return result;
}

std::string first_error(const ModelRun& result) {
  for (const Diagnostic& d : result.diagnostics.all()) {
    if (d.severity == Severity::error) return d.code + ": " + d.message;
  }
  return {};
}

std::vector<double> recorded_column(const ModelRun& run, const std::string& name) {
  std::vector<double> values;
  const std::size_t at = run.recording.column(name);
  EXPECT_NE(at, SIZE_MAX) << name;
  for (std::size_t r = 0; at != SIZE_MAX && r < run.recording.rows(); ++r) values.push_back(run.recording.value(r, at));
  return values;
}

// Fig. 22.16: states fed through inputs with periods 2 and 3. Not atomic each moves with its own input; atomic both
// move at every tick of either. A discrete sum of ones counts activations.
TEST(Atomic, CountsTheUnionWhereAFlatSuperBlockCountsItsOwnClock) {
  for (const bool atomic : {false, true}) {
    model::Model model = diagram(R"(
      stop 6
      two: SampleClock period=2
      three: SampleClock period=3
      t: Time
      a: SampleHold
      b: SampleHold
      out: Scope inputs=2
      t:1 -> a:1 b:1
      two:1 => a:1
      three:1 => b:1
      a:1 -> S:1
      b:1 -> S:2
      S:1 -> out:1
      S:2 -> out:2)");
    auto inner = super_block("S", R"(
      u: Input
      v: Input port=2
      cu: MatrixExpression expression='u1*0+1'
      cv: MatrixExpression expression='u1*0+1'
      p: DiscrStateSpace A=1 B=1 C=1 D=1 x0=0
      q: DiscrStateSpace A=1 B=1 C=1 D=1 x0=0
      y: Output
      z: Output port=2
      u:1 -> cu:1
      v:1 -> cv:1
      cu:1 -> p:1
      cv:1 -> q:1
      p:1 -> y:1
      q:1 -> z:1)");
    inner.diagram->atomic = atomic;
    model.root.blocks.push_back(std::move(inner));
    const auto result = run_well(model);
    // Ticks: period 2 at 0 2 4 6, period 3 at 0 3 6; either at 0 2 3 4 6.
    EXPECT_EQ(last(result, "/out.1"), atomic ? 5 : 4);
    EXPECT_EQ(last(result, "/out.2"), atomic ? 5 : 3);
  }
}

// With activation inputs nothing is inherited from the inputs.
TEST(Atomic, InheritsNothingFromItsInputsWhereItHasActivationInputs) {
  model::Model model = diagram(R"(
    stop 6
    two: SampleClock period=2
    three: SampleClock period=3
    t: Time
    a: SampleHold
    out: Scope
    t:1 -> a:1
    two:1 => a:1
    three:1 => S:1
    a:1 -> S:1
    S:1 -> out:1)");
  auto inner = super_block("S", R"(
    e: EventInput
    u: Input
    one: MatrixExpression expression='u1*0+1'
    p: DiscrStateSpace A=1 B=1 C=1 D=1 x0=0
    y: Output
    u:1 -> one:1
    one:1 -> p:1
    p:1 -> y:1)");
  inner.diagram->atomic = true;
  model.root.blocks.push_back(std::move(inner));
  EXPECT_EQ(last(run_well(model), "/out.1"), 3);
}

// Activate, 4.2: a ball on the curve y = 0.1 x^2. Newton's iteration for the time of the next collision is repeated in
// an atomic super block; nothing else is repeated. Times from an independent computation.
TEST(Atomic, ConfinesRepetitionABallOnACurve) {
  model::Model model = diagram(R"(
    stop 7
    start: InitialEvent
    memory: DiscreteDelay z0=[1;2;0;0;0]
    state: PCustomBlock code=Fly inputs=2
    old: DiscreteDelay z0=0
    next: EventVariableDelay
    out: Scope inputs=2
    start:1 => memory:1 old:1
    next:1 => memory:1 old:1
    memory:1 -> state:1
    old:1 -> state:2
    state:1 -> memory:1 T:1 out:1
    T:1 -> old:1 next:1 out:2)");
  model.root.context = {"function block = Fly(block, flag)",
                        "  if flag == 1",
                        "    s = block.io{1}; t = block.io{2}; g = 9.8;",
                        "    x = s(1) + s(3)*t; y = s(2) + s(4)*t - g*t^2/2; w = s(3); v = s(4) - g*t;",
                        "    d = 0.2*x; n = 1 + d^2;",
                        "    hit = s(5);",
                        "    w2 = (w*(1 - d^2) + 2*d*v)/n; v2 = (2*d*w + v*(d^2 - 1))/n;",
                        "    block.io{3} = [x; y; hit*w2 + (1-hit)*w; hit*v2 + (1-hit)*v; 1];",
                        "  end",
                        "end"};
  auto inner = super_block("T", R"(
    s: Input
    t: DiscreteDelay z0=5
    step: PCustomBlock code=Newton inputs=2 outputs=3
    again: RepeatActivation when='nonzero'
    y: Output
    s:1 -> step:1
    t:1 -> step:2
    step:1 -> y:1
    step:2 -> again:1
    step:3 -> t:1)");
  inner.diagram->atomic = true;
  inner.diagram->context = {"function block = Newton(block, flag)",
                            "  if flag == 1",
                            "    s = block.io{1}; t = block.io{2}; g = 9.8;",
                            "    x = s(1) + s(3)*t;",
                            "    h = s(2) + s(4)*t - g*t^2/2 - 0.1*x^2;",
                            "    dh = s(4) - g*t - 0.2*x*s(3);",
                            "    t2 = t - h/dh;",
                            "    done = abs(t2 - t) < 1e-13;",
                            "    block.io{3} = t2;",
                            "    block.io{4} = If_exp(done, 0, 1);",
                            "    block.io{5} = If_exp(done, 5, t2);",  // the next search begins far out again
                            "  end",
                            "end"};
  model.root.blocks.push_back(std::move(inner));
  const auto result = run_well(model);
  const double expected[] = {0.6226998490772, 1.7422346841204, 2.9494285963426};
  const std::vector<double> events = event_times(result, EventCause::programmed);
  ASSERT_GE(events.size(), 6u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(events[k], expected[k], 1e-10);
  EXPECT_NEAR(events[5], 6.5128832481665, 1e-10);
  EXPECT_EQ(result.events.size(), 1 + events.size());  // the rest of the model saw each event once
}

TEST(Atomic, RefusesToRepeatWhatContinuousTimeActivates) {
  model::Model model = diagram(R"(
    stop 1
    c: SampleClock period=1
    t: Time
    h: SampleHold
    out: Scope
    t:1 -> h:1 S:1
    c:1 => h:1
    h:1 -> S:2
    S:1 -> out:1)");
  auto inner = super_block("S", R"(
    u: Input
    v: Input port=2
    s: Sum
    r: RepeatActivation when='nonzero'
    y: Output
    u:1 -> s:1
    v:1 -> s:2
    s:1 -> y:1 r:1)");
  inner.diagram->atomic = true;
  model.root.blocks.push_back(std::move(inner));
  EXPECT_TRUE(first_error(run(model)).starts_with("cannot-repeat")) << first_error(run(model));
}

// Enabled for t in (1, 2): the integral grows there only, and the memory counts ticks there only.
TEST(Conditional, BlocksRunOnlyWhileTheInputIsPositive) {
  model::Model model = diagram(R"(
    stop 3
    rtol 1e-9
    clock: SampleClock period=0.3
    t: Time
    window: MathExpression expression='(u1-1)*(2-u1)'
    one: Constant value=1
    out: Scope inputs=2
    t:1 -> window:1
    window:1 -> S:1
    one:1 -> S:2
    clock:1 => S:1
    S:1 -> out:1
    S:2 -> out:2)");
  auto inner = super_block("S", R"(
    on: EnableInput
    u: Input port=2
    e: EventInput
    x: Integral
    n: DiscrStateSpace A=1 B=1 C=1 D=1 x0=0
    y: Output
    z: Output port=2
    u:1 -> x:1 n:1
    e:1 => n:1
    x:1 -> y:1
    n:1 -> z:1)");
  model.root.blocks.push_back(std::move(inner));
  const auto result = run_well(model);
  EXPECT_NEAR(last(result, "/out.1"), 1, 1e-12);
  EXPECT_EQ(last(result, "/out.2"), 3);  // the ticks at 1.2, 1.5 and 1.8
}

TEST(Conditional, OnTheTopDiagramIsAnError) {
  EXPECT_TRUE(first_error(run(diagram("stop 1\n on: EnableInput"))).starts_with("misplaced-block"));
}

TEST(ForEach, ElementsAndColumnsHaveACopyEach) {
  for (const auto how : {model::ForEach::elements, model::ForEach::columns}) {
    const bool columns = how == model::ForEach::columns;
    model::Model model = diagram(R"(
      stop 1
      rtol 1e-10
      u: Constant value=)" + std::string(columns ? "[1,2,3;4,5,6]" : "[1;2;3]") +
                                 R"(
      w: Constant value=10
      out: Scope
      u:1 -> S:1
      w:1 -> S:2
      S:1 -> out:1)");
    auto inner = super_block("S", R"(
      u: Input
      w: Input port=2 each='whole'
      g: Gain k=__index__
      s: Sum
      x: Integral
      y: Output
      u:1 -> g:1
      g:1 -> s:1
      w:1 -> s:2
      s:1 -> x:1
      x:1 -> y:1)");
    inner.diagram->for_each = how;
    inner.diagram->count = "n";
    if (columns) inner.diagram->blocks[4].parameters.push_back({"x0", "[0;0]", 0});
    model.root.context = {"n = 3;"};
    model.root.blocks.push_back(std::move(inner));
    const auto result = run_well(model);
    if (columns) {
      const double expected[] = {1 + 10, 4 + 10, 4 + 10, 10 + 10, 9 + 10, 18 + 10};
      for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 2; ++r) {
          EXPECT_NEAR(last(result, fmt::format("/out.1[{},{}]", r + 1, c + 1)), expected[2 * c + r], 1e-9);
        }
      }
    } else {
      for (int k = 1; k <= 3; ++k) EXPECT_NEAR(last(result, fmt::format("/out.1[{}]", k)), k * k + 10, 1e-9);
    }
  }
}

TEST(ForEach, TheNumberOfPartsMustFit) {
  model::Model model = diagram("stop 1\n u: Constant value=[1;2]\n out: Scope\n u:1 -> S:1\n S:1 -> out:1");
  auto inner = super_block("S", "u: Input\n y: Output\n g: Gain\n u:1 -> g:1\n g:1 -> y:1");
  inner.diagram->for_each = model::ForEach::elements;
  inner.diagram->count = "3";
  model.root.blocks.push_back(std::move(inner));
  EXPECT_TRUE(first_error(run(model)).starts_with("ports-disagree")) << first_error(run(model));
  model.root.blocks.back().diagram->count = "";
  EXPECT_TRUE(first_error(run(model)).starts_with("missing-parameter"));
  model.root.blocks.back().diagram->count = "0";
  EXPECT_TRUE(first_error(run(model)).starts_with("bad-parameter"));
}

// Choices, check boxes and conditions of a mask.
TEST(Mask, RefusesWhatItsKindsAndConditionsDoNotAllow) {
  const auto with = [](const std::string& name, const std::string& value) {
    model::Model model = diagram("stop 1\n out: Scope\n S:1 -> out:1");
    auto inner = super_block("S", "c: Constant value=k*(1+fast)\n y: Output\n c:1 -> y:1");
    model::MaskParameter law, fast, k;
    law.name = "law";
    law.kind = "choice";
    law.choices = {"linear", "cubic"};
    law.value = "'linear'";
    fast.name = "fast";
    fast.kind = "check";
    fast.value = "false";
    k.name = "k";
    k.value = "2";
    k.valid = "k > 0 && (k < 10 || strcmp(law, 'cubic'))";
    k.message = "the stiffness must be positive";
    inner.diagram->mask = {law, fast, k};
    if (!name.empty()) inner.parameters.push_back({name, value, 0});
    model.root.blocks.push_back(std::move(inner));
    return run(model);
  };
  EXPECT_EQ(last(with("", ""), "/out.1"), 2);
  EXPECT_EQ(last(with("fast", "true"), "/out.1"), 4);
  EXPECT_TRUE(first_error(with("law", "'square'")).starts_with("bad-choice"));
  EXPECT_TRUE(first_error(with("fast", "3")).starts_with("bad-parameter: must be true or false"));
  EXPECT_EQ(first_error(with("k", "-1")), "bad-parameter: the stiffness must be positive");
  EXPECT_EQ(first_error(with("k", "11")), "bad-parameter: the stiffness must be positive");
}

// custom_blocks of the book, 9.2.2: a shift register, output k is the input delayed k activations.
const std::vector<std::string> shift_register = {
    "if length(z0) == 1, z0 = z0*ones(nout, 1); end",
    "if length(z0) ~= nout, error('size of z0 must match nb of outputs.'); end",
    "add_block('in', 'Input');",
    "before = 'in:1';",
    "for k = 1:nout",
    "  name = sprintf('d%d', k);",
    "  out = sprintf('y%d', k);",
    "  add_block(name, 'DiscreteDelay', 'z0', z0(k));",
    "  add_block(out, 'Output', struct('port', k));",
    "  add_link(before, [name ':1']);",
    "  add_link([name ':1'], [out ':1']);",
    "  before = [name ':1'];",
    "end"};

model::Model with_register(const std::vector<std::string>& program, const std::string& nout, const std::string& z0) {
  model::Model model = diagram(R"(
    stop 5
    c: SampleClock period=1
    t: Time
    h: SampleHold
    out: Scope inputs=3
    t:1 -> h:1
    c:1 => h:1
    h:1 -> S:1
    S:1 -> out:1
    S:2 -> out:2
    S:3 -> out:3)");
  auto inner = super_block("S", "");
  model::MaskParameter n, z;
  n.name = "nout";
  n.value = nout;
  z.name = "z0";
  z.value = z0;
  inner.diagram->mask = {n, z};
  inner.diagram->program = program;
  model.root.blocks.push_back(std::move(inner));
  return model;
}

TEST(Programmable, AShiftRegisterIsBuiltFromItsParameters) {
  const auto result = run_well(with_register(shift_register, "3", "[7;8;9]"));
  EXPECT_EQ(last(result, "/out.1"), 4);
  EXPECT_EQ(last(result, "/out.2"), 3);
  EXPECT_EQ(last(result, "/out.3"), 2);
  const auto first = recorded_column(result, "/out.3");
  EXPECT_EQ(*std::find_if(first.begin(), first.end(), [](double y) { return y == y; }), 9);
  EXPECT_TRUE(first_error(run(with_register(shift_register, "3", "[1;2]"))).find("size of z0") != std::string::npos);
  EXPECT_TRUE(first_error(run(with_register(shift_register, "2", "0"))).starts_with("no-such-port"));
}

TEST(Programmable, TheFunctionsOfTheBookServeAsWell) {
  const std::vector<std::string> program = {
      "if length(z0) == 1, z0 = z0*ones(nout, 1); end",
      "_block = vssAddNewObject('SubSystem', _diagram);",
      "_diagr = vssCreateObject('Diagram');",
      "vssLoadBlock('system', 'Dynamical', 'DiscreteDelay');",
      "_vss._palettes.('_system').('Ports').('Input').setparams(_diagr, 'Input', struct('portNumber', 1, 'outsize', "
      "[-1;-2], 'outtyp', 'inherit', 'dept', 0));",
      "last = 'Input';",
      "for k = 1:nout",
      "  d = sprintf('DiscreteDelay_%d', k); o = sprintf('Output_%d', k); s = sprintf('Split_%d', k);",
      "  _vss._palettes.('_system').('Dynamical').('DiscreteDelay').setparams(_diagr, d, struct('init_cond', z0(k), "
      "'typ', 'double', 'externalActivation', 0));",
      "  _vss._palettes.('_system').('Ports').('Output').setparams(_diagr, o, struct('portNumber', k, 'insize', "
      "[-1;-2], 'intyp', 'inherit'));",
      "  _vss._palettes.('_system').('Links').('Split').setparams(_diagr, s, struct());",
      "  vssAdd_Link(_diagr, last, d, 1, 1, 0, 1, 1);",
      "  vssAdd_Link(_diagr, d, s, 1, 1, 0, 1, 1);",
      "  vssAdd_Link(_diagr, o, s, 1, 1, 1, 0, 1);",
      "  last = s;",
      "end",
      "vssSet_SubSystem(_block, 1, nout, 0, 0, 0, _label, _diagr);"};
  const auto result = run_well(with_register(program, "3", "7"));
  EXPECT_EQ(last(result, "/out.1"), 4);
  EXPECT_EQ(last(result, "/out.3"), 2);
}

class Included : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = cache_of_this_process() + "/included";
    std::filesystem::create_directories(folder_ + "/parts");
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ + "/" + name) << text; }
  ModelRun run_main(const std::string& text) const {
    model::Model model = diagram(text);
    model.file = folder_ + "/main.orr";
    return run(model);
  }
  std::string folder_;
};

TEST_F(Included, AFileByItsRelativePathWithItsMask) {
  write("parts/amplifier.orr", R"({
  "orrery": 1,
  "mask": [
    {"name": "k", "default": "3", "valid": "k > 0"}
  ],
  "initialization": ["twice = 2;"],
  "blocks": [
    {"name": "u", "type": "Input"},
    {"name": "g", "type": "Gain", "parameters": {"k": "k * twice"}},
    {"name": "y", "type": "Output"}
  ],
  "links": [
    {"from": "u:1", "to": ["g:1"]},
    {"from": "g:1", "to": ["y:1"]}
  ]
})");
  const auto result = run_main(R"(
    stop 1
    c: Constant value=5
    a: IncludeDiagram file='parts/amplifier.orr'
    b: IncludeDiagram file='parts/amplifier.orr' k=10
    out: Scope inputs=2
    c:1 -> a:1 b:1
    a:1 -> out:1
    b:1 -> out:2)");
  EXPECT_EQ(last(result, "/out.1"), 30);
  EXPECT_EQ(last(result, "/out.2"), 100);
  const auto wrong = run_main("stop 1\n a: IncludeDiagram file='parts/amplifier.orr' k=-1");
  EXPECT_TRUE(first_error(wrong).starts_with("bad-parameter")) << first_error(wrong);
}

TEST_F(Included, MistakesAreToldAtTheIncludeAndInTheFile) {
  write("parts/bad.orr", R"({"orrery": 1, "blocks": [{"name": "g", "type": "Gian"}]})");
  const auto bad = run_main("stop 1\n a: IncludeDiagram file='parts/bad.orr'");
  EXPECT_TRUE(first_error(bad).starts_with("unknown-block"));
  EXPECT_NE(bad.diagnostics.all()[0].place.file.find("bad.orr"), std::string::npos);
  EXPECT_EQ(bad.diagnostics.all()[0].place.block, "/a/g");
  write("parts/self.orr", R"({"orrery": 1, "blocks": [{"name": "g", "type": "IncludeDiagram",
    "parameters": {"file": "'self.orr'"}}]})");
  EXPECT_TRUE(first_error(run_main("stop 1\n a: IncludeDiagram file='parts/self.orr'")).starts_with("include-cycle"));
  const auto missing = run_main("stop 1\n a: IncludeDiagram file='parts/none.orr'");
  bool told = false;
  for (const Diagnostic& d : missing.diagnostics.all()) told = told || d.code == "cannot-include";
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace orrery::tests::super_block_test
