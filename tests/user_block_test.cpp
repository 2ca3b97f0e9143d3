// SPDX-License-Identifier: Apache-2.0
// Blocks that users write in C (the sources in examples/custom) and in OML, against closed forms and library blocks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/folders_for_tests.h"
#include "semantics.h"

namespace orrery::tests::user_block_test {
namespace {

// The model beside the C sources, so that source='gain.c' finds them.
model::Model beside_examples(const std::string& text) {
  model::Model model = diagram(text);
  model.file = source_folder() + "/examples/custom/test.orr";
  return model;
}

// C code is native code, which is to be allowed.
ModelRun run_native(const model::Model& model) {
  RunSetup setup;
  setup.allow = Capability::native;
  return run_model(model, setup);
}

ModelRun run_without_errors(const model::Model& model) {
  ModelRun result = run_native(model);
  EXPECT_FALSE(result.diagnostics.has_errors()) << to_text(result.diagnostics);
  return result;
}

// A block whose code is in the model.
model::BlockInstance with_code(const std::string& name, const std::string& type, const std::string& code,
                               std::vector<std::pair<std::string, std::string>> parameters) {
  model::BlockInstance block;
  block.name = name;
  block.type = type;
  block.parameters.push_back({"code", code, 0});
  for (auto& [key, value] : parameters) block.parameters.push_back({key, value, 0});
  return block;
}

std::string errors_of(const ModelRun& run) {
  std::string text;
  for (const Diagnostic& d : run.diagnostics.all()) {
    if (d.severity == Severity::error) text += d.code + ": " + d.message + "\n";
  }
  return text;
}

TEST(CBlock, GainMedianAndVariableDelay) {
  const auto run = run_without_errors(beside_examples(R"(
    stop 6
    clock: SampleClock period=1
    t: Time
    u: SampleHold
    m: Constant value=[9,-1,4;7,3,5]
    d: Constant value=3
    gain: CCustomBlock source='gain.c' function='gain' opar={[2,3,4;5,6,7]}
    median: CCustomBlock source='median.c' function='median' outsizes=[1,1]
    delay: CCustomBlock source='variable_delay.c' function='variable_delay' insizes=[1,1;1,1] feedthrough=[0,1] outsizes=[1,1] z0=zeros(5,1) oz={int32(0)}
    out: Scope inputs=3
    t:1 -> u:1
    clock:1 => u:1
    m:1 -> gain:1 median:1
    u:1 -> delay:1
    d:1 -> delay:2
    gain:1 -> out:1
    median:1 -> out:2
    delay:1 -> out:3)"));
  EXPECT_EQ(last(run, "/out.1[2,1]"), 35);
  EXPECT_EQ(last(run, "/out.1[1,3]"), 16);
  EXPECT_EQ(last(run, "/out.2"), 4);
  EXPECT_EQ(last(run, "/out.3"), 3);
}

// The same equations as formulas of the library, with the explicit and the implicit block; to 10 times the tolerance.
TEST(CBlock, OdeWithItsJacobianAndTheSameAsResiduals) {
  for (const char* solver : {"dopri", "cvode", "radau"}) {
    const auto run = run_without_errors(beside_examples(fmt::format(R"(
      stop 4
      rtol 1e-9
      solver {}
      ode: CCustomBlock source='ode.c' function='ode' insizes=[] outsizes=[2,1] x0=[1;2] jacobian=1
      dae: CCustomBlock source='dae.c' function='dae' insizes=[] outsizes=[2,1] x0=[1;2] xd0=[1;-4] implicit=1
      f: MatrixExpression expression='[-u1(1)+u1(1)*u1(2);2*u1(1)-3*u1(2)]'
      x: Integral x0=[1;2]
      out: Scope inputs=3
      f:1 -> x:1
      x:1 -> f:1 out:1
      ode:1 -> out:2
      dae:1 -> out:3)",
                                                                    solver)));
    for (int k = 1; k <= 2; ++k) {
      const double exact = last(run, fmt::format("/out.1[{}]", k));
      EXPECT_NEAR(last(run, fmt::format("/out.2[{}]", k)), exact, 1e-8) << solver;
      EXPECT_NEAR(last(run, fmt::format("/out.3[{}]", k)), exact, 1e-8) << solver;
    }
  }
}

TEST(CBlock, CounterOfTypedStateAndItsOverflow) {
  const auto run = run_without_errors(beside_examples(R"(
    stop 5.5
    clock: SampleClock period=1
    up: CCustomBlock source='counter.c' function='counter' insizes=[] outsizes=[1,1] outtypes='int8' oz={int8(0)} opar={int8(124),int8(1)} events=1
    n: Counter
    out: Scope inputs=2
    clock:1 => up:1
    up:1 => n:1
    up:1 -> out:1
    n:1 -> out:2)"));
  // Ticks at 0 … 5 give 124 125 126 127 -128 -127; the update at 2 makes it 127, which fires.
  EXPECT_EQ(last(run, "/out.1"), -127);
  const std::vector<double> events = event_times(run, EventCause::programmed);
  EXPECT_NE(std::find(events.begin(), events.end(), 2.0), events.end());
  EXPECT_EQ(std::find(events.begin(), events.end(), 3.0), events.end());
}

// Impacts at sqrt(2 h/g) and then after flights of 2 v/g, each 0.9 of the last.
TEST(CBlock, BouncingBallHitsTheGroundWhereTheFormulaSays) {
  const auto run = run_without_errors(beside_examples(R"(
    stop 7
    rtol 1e-10
    ball: CCustomBlock source='bouncing_ball.c' function='bouncing_ball' insizes=[] outsizes=[1,1] x0=[10;0] surfaces=1
    out: Scope
    ball:1 -> out:1)"));
  double t = std::sqrt(2 * 10 / 9.81), v = 9.81 * t;
  const std::vector<double> impacts = event_times(run, EventCause::crossing);
  ASSERT_GE(impacts.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(impacts[static_cast<std::size_t>(k)], t, 1e-8);
    v *= 0.9;
    t += 2 * v / 9.81;
  }
  const double rest = 7 - (t - 2 * v / 9.81);
  EXPECT_NEAR(last(run, "/out.1"), v * rest - 9.81 / 2 * rest * rest, 1e-7);
}

// The integral of |sin t| up to k pi is 2 k: only with located corners does a long step get this.
TEST(CBlock, AbsoluteValueHasASurfaceAndAMode) {
  const auto run = run_without_errors(beside_examples(R"(
    stop 3*pi
    rtol 1e-10
    u: SineWaveGenerator
    a: CCustomBlock source='absolute.c' function='absolute' insizes=[1,1] outsizes=[1,1] surfaces=1 modes=1
    x: Integral
    out: Scope
    u:1 -> a:1
    a:1 -> x:1
    x:1 -> out:1)"));
  EXPECT_NEAR(last(run, "/out.1"), 6, 1e-8);
  EXPECT_GE(event_times(run, EventCause::crossing).size(), 2u);
}

TEST(CBlock, WritesAFileAtCallsThatAreNoTrials) {
  const std::string path = cache_of_this_process() + "/written.txt";
  {
    run_without_errors(beside_examples(fmt::format(R"(
      stop 2
      clock: SampleClock period=0.5
      t: Time
      w: CCustomBlock source='write_to_file.c' function='write_to_file' insizes=[1,1] outsizes=[] opar={{'{}'}}
      t:1 -> w:1
      clock:1 => w:1)",
                                                   path)));
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), "time, value\n0, 0\n0.5, 0.5\n1, 1\n1.5, 1.5\n2, 2\n5 lines\n");
}

// A loose tolerance drifts off the circle; both kinds of constraints keep it.
TEST(CBlock, PendulumIsKeptOnTheCircle) {
  const auto distance = [](const std::string& parameters) {
    const auto run = run_without_errors(beside_examples(R"(
      stop 20
      rtol 1e-4
      atol 1e-4
      p: CCustomBlock source='pendulum.c' insizes=[] outsizes=[4,1] x0=[1;0;0;0] )" +
                                                        parameters + R"(
      out: Scope
      p:1 -> out:1)"));
    return std::fabs(std::hypot(last(run, "/out.1[1]"), last(run, "/out.1[3]")) - 1);
  };
  const double free = distance("function='constraint_pendulum'");
  EXPECT_GT(free, 1e-5);
  EXPECT_LT(distance("function='constraint_pendulum' constraints=2"), 1e-6);
  EXPECT_LT(distance("function='projected_pendulum' constraint='projection'"), 1e-6);
}

TEST(CBlock, ProgramsAnEventWhenTheInitialisationEnds) {
  const auto run = run_without_errors(beside_examples(R"(
    stop 3
    e: CCustomBlock source='event_generate.c' function='event_generate' insizes=[] outsizes=[] events=1 rpar=1.25
    n: Counter
    out: EventScope
    e:1 => n:1 out:1)"));
  const std::vector<double> events = event_times(run, EventCause::programmed);
  EXPECT_NE(std::find(events.begin(), events.end(), 1.25), events.end());
}

// Volumes are conserved, and with the pump off the levels approach each other.
TEST(CBlock, DrainingTanksAsResiduals) {
  const auto run = run_without_errors(beside_examples(R"(
    stop 200
    rtol 1e-7
    off: Constant value=0
    tanks: CCustomBlock source='draining_tanks.c' function='draining_tanks' insizes=[1,1] outsizes=[1,1;1,1] x0=[2;1;1;0.02] xproperties=[1;1;-1;-1] implicit=1 rpar=[10;0.05;1000;1e-3;1;1e-4;64;2000;4000;0.04]
    out: Scope inputs=2
    off:1 -> tanks:1
    tanks:1 -> out:1
    tanks:2 -> out:2)"));
  const double h1 = last(run, "/out.1"), h2 = last(run, "/out.2");
  EXPECT_NEAR(h1 + h2, 3, 1e-6);
  EXPECT_LT(h1, 1.9);
  EXPECT_GT(h1, h2);
}

// Two modes: x' = 1 until x = 1, then x' = -1 from 1 until x = 0, and so on.
TEST(CBlock, AutomatonJumpsBetweenItsModes) {
  const auto run = run_without_errors(beside_examples(R"(
    stop 2.4
    rtol 1e-9
    up: MatrixExpression expression='[1+0*u1;u1;u1-1]'
    down: MatrixExpression expression='[-1+0*u1;u1;-u1]'
    a: CCustomBlock source='automaton.c' function='automaton' insizes=[3,1;3,1] feedthrough=0 outsizes=[1,1;1,1] x0=0.5 z0=1 ipar=[2;1] opar={int32(2),int32(1)} surfaces=1
    out: Scope inputs=2
    a:2 -> up:1 down:1 out:2
    a:1 -> out:1
    up:1 -> a:1
    down:1 -> a:2)"));
  EXPECT_EQ(last(run, "/out.1"), 1);
  EXPECT_NEAR(last(run, "/out.2"), 0.9, 1e-7);  // up for 0.5, down for 1, up for 0.9
}

const char* const mixed_types = R"(#include "vss_block4.h"
VSS_EXPORT void block(vss_block* block, int flag) {
  if (flag != VssFlag_OutputUpdate) return;
  const double* re = GetRealInPortPtrs(block, 1);
  const double* im = GetImagInPortPtrs(block, 1);
  GetRealOutPortPtrs(block, 1)[0] = -im[0];
  GetImagOutPortPtrs(block, 1)[0] = re[0];
  *Getuint16OutPortPtrs(block, 2) = (unsigned short)(*Getint16InPortPtrs(block, 2) + 40000);
  *GetBoolOutPortPtrs(block, 3) = !*GetBoolInPortPtrs(block, 3);
}
)";

TEST(CBlock, TypesOfPorts) {
  model::Model model = diagram(R"(
    stop 1
    c: Constant value=3+4i
    i: Constant value=int16(-7)
    b: Constant value=true
    out: Scope inputs=3
    c:1 -> f:1
    i:1 -> f:2
    b:1 -> f:3
    f:1 -> g:1
    g:1 -> out:1
    f:2 -> out:2
    f:3 -> out:3
    g: Abs)");
  model.root.blocks.push_back(with_code("f", "CCustomBlock", mixed_types,
                                        {{"insizes", "[1 1;1 1;1 1]"},
                                         {"intypes", "{'complex','int16','boolean'}"},
                                         {"outsizes", "[1 1;1 1;1 1]"},
                                         {"outtypes", "{'complex','uint16','boolean'}"}}));
  const auto run = run_native(model);
  if (run.diagnostics.has_errors()) GTEST_FAIL() << to_text(run.diagnostics);
  EXPECT_EQ(last(run, "/out.1"), 5);
  EXPECT_EQ(last(run, "/out.2"), 39993);
  EXPECT_EQ(last(run, "/out.3"), 0);
}

TEST(CBlock, MistakesAreToldWithTheirPlace) {
  const auto run_code = [](const std::string& code, std::vector<std::pair<std::string, std::string>> more = {}) {
    model::Model model = diagram("stop 1\n u: Constant value=1\n out: Scope\n u:1 -> f:1\n f:1 -> out:1");
    model.root.blocks.push_back(with_code("f", "CCustomBlock", code, std::move(more)));
    return run_native(model);
  };
  const std::string head = "#include \"vss_block4.h\"\nVSS_EXPORT void block(vss_block* block, int flag) {\n";
  EXPECT_TRUE(errors_of(run_code("int f( {")).starts_with("block-code"));
  EXPECT_TRUE(errors_of(run_code("void other(void) {}")).starts_with("block-code: there is no function block"));
  EXPECT_EQ(errors_of(run_code(head + "if (flag == 1) Coserror(block, \"no %d\", 7);\n}")), "block-error: no 7\n");
  EXPECT_TRUE(errors_of(run_code(head + "SetBlockError(block, -2);\n}")).starts_with("block-error"));
  const auto crash = run_code(head + "if (flag == 1) *(volatile int*)8 = 1;\n}", {{"safe", "1"}});
  EXPECT_TRUE(errors_of(crash).starts_with("block-crash: the block crashed")) << errors_of(crash);
  const auto exit = run_code("#include <stdlib.h>\n" + head + "if (flag == 1) exit(3);\n}", {{"safe", "1"}});
  EXPECT_TRUE(errors_of(exit).starts_with("block-crash: the block ended its process")) << errors_of(exit);
  const auto warned = run_code(head + "if (flag == VssFlag_Initialize) Coswarning(block, \"mind\");\n}");
  EXPECT_TRUE(has_code(warned, "block-warning"));
}

TEST(CBlock, RunsInAProcessOfItsOwnWithTheSameNumbers) {
  const auto impact = [](const char* safe) {
    return last(run_without_errors(beside_examples(fmt::format(R"(
      stop 3
      ball: CCustomBlock source='bouncing_ball.c' function='bouncing_ball' insizes=[] outsizes=[1,1] x0=[10;0] surfaces=1 safe={}
      out: Scope
      ball:1 -> out:1)",
                                                               safe))),
                "/out.1");
  };
  EXPECT_EQ(impact("0"), impact("1"));
}

TEST(CBlock, NeedsTheConsentOfTheUser) {
  const auto refused = run_model(beside_examples(R"(
    stop 1
    m: Constant value=[9;4;7]
    median: CCustomBlock source='median.c' function='median' outsizes=[1,1]
    out: Scope
    m:1 -> median:1
    median:1 -> out:1)"),
                                 RunSetup{.watch = {}, .allow = {}});
  EXPECT_TRUE(errors_of(refused).starts_with("needs-consent")) << errors_of(refused);
}

// Section 2: the interpreter sees ports, states and events of the block.
TEST(OmlBlock, ComputesOutputsStatesAndEvents) {
  model::Model model = diagram(R"(
    stop 4.5
    rtol 1e-10
    clock: SampleClock period=1
    t: Time
    out: Scope inputs=2
    t:1 -> f:1
    clock:1 => f:1
    f:1 -> out:1
    f:2 -> out:2)");
  model.root.blocks.push_back(with_code("f", "OmlCustomBlock", R"(function OmlBlockFunction(block, flag)
  if flag == vssBlockInitializeFlag
    vssSetWork(block, 0);
  elseif flag == vssBlockOutputUpdateFlag
    z = vssGetDiscreteState(block);
    vssSetOutputData(block, 1, vssGetState(block));
    vssSetOutputData(block, 2, z(1), vssGetOutputDataType(block, 2));
  elseif flag == vssBlockDerivativesFlag
    vssSetDerivative(block, -vssGetState(block) + 0*vssGetInputData(block, 1));
  elseif flag == vssBlockStateUpdateFlag
    vssSetWork(block, vssGetWork(block) + 1);
    vssSetDiscreteState(block, vssGetWork(block)*10 + vssGetEventCode(block));
  end
end)",
                                        {{"insizes", "[1 1]"}, {"outsizes", "[1 1;1 1]"}, {"x0", "1"}, {"z0", "0"}}));
  const auto run = run_model(model, {});
  ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_NEAR(last(run, "/out.1"), std::exp(-4.5), 1e-8);
  EXPECT_EQ(last(run, "/out.2"), 51);
}

TEST(OmlBlock, ErrorsNameTheFlag) {
  model::Model model = diagram("stop 1\n u: Constant value=1\n out: Scope\n u:1 -> f:1\n f:1 -> out:1");
  model.root.blocks.push_back(with_code(
      "f", "OmlCustomBlock", "function f(block, flag)\n if flag == 1, vssSetOutputData(block, 2, 1); end\nend", {}));
  EXPECT_TRUE(errors_of(run_model(model, {})).starts_with("block-error: with flag 1"));
  model.root.blocks.back().parameters[0].value = "nobody";
  EXPECT_TRUE(errors_of(run_model(model, {})).starts_with("block-code: there is no function 'nobody'"));
}

}  // namespace
}  // namespace orrery::tests::user_block_test
