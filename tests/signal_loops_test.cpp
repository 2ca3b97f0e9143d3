// SPDX-License-Identifier: Apache-2.0
// Loops and indices of OML texts on signals: functions of the Program instead of unrolled formulas.
#include <gtest/gtest.h>

#include <cmath>

#include "inside.h"
#include "native/code.h"
#include "notation.h"
#include "passes/make_procedures.h"
#include "program/function.h"

namespace orrery::tests::signal_loops_test {
namespace {

ModelRun simulate(const std::string& text, std::vector<std::string> context, RunSetup setup = {}) {
  model::Model model = diagram(text);
  model.root.context = std::move(context);
  return run_model(model, setup);
}

bool has_code(const Diagnostics& diagnostics, const std::string& code) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.code == code) return true;
  }
  return false;
}

std::vector<std::string> function_of(std::vector<std::string> body) {
  std::vector<std::string> text = {"function block=F(block, flag)", "  if flag==1", "    u=block.io{1};"};
  text.insert(text.end(), body.begin(), body.end());
  text.insert(text.end(), {"    block.io{2}=y;", "  end", "end"});
  return text;
}

constexpr const char* constant_through_f =
    "stop 1\nu: Constant value=2\nf: PCustomBlock code=F\nout: Scope\nu:1 -> f:1\nf:1 -> out:1";

double of_constant(std::vector<std::string> body) {
  return last(simulate(constant_through_f, function_of(std::move(body))), "/out.1");
}

TEST(SignalLoops, LongLoopsAreFunctions) {
  double expected = 0;
  for (int i = 1; i <= 1000; ++i) expected = expected + 2 / static_cast<double>(i * i);
  EXPECT_EQ(of_constant({"y=0;", "for i=1:1000", "  y=y+u/(i*i);", "end"}), expected);
}

// Text and nodes of a model whose loop has n turns.
struct Size {
  std::size_t code = 0, nodes = 0;
};

Size size_of_loop(int n) {
  model::Model model = diagram("x: Integral x0=1\nf: PCustomBlock code=F\nx:1 -> f:1\nf:1 -> x:1");
  model.root.context = function_of({"y=u;", "for i=1:" + std::to_string(n), "  y=0.99*y-0.001*sin(y+i);", "end"});
  Diagnostics diagnostics;
  auto program = program_of(model, {}, diagnostics);
  EXPECT_TRUE(program) << to_text(diagnostics);
  if (!program) return {};
  program::Layout layout = lay_out(*program);
  const auto procedures = passes::make_procedures(*program);
  native::reserve_workspace(*program, procedures.all, layout);
  return {native::emit_c(*program, layout, procedures.all).size(), program->graph.size()};
}

TEST(SignalLoops, SizeDoesNotDependOnTheTurns) {
  const Size hundred = size_of_loop(100), thousand = size_of_loop(1000);
  EXPECT_EQ(thousand.nodes, hundred.nodes);
  EXPECT_LT(thousand.code, hundred.code + 20);
}

// dx/dt = -sqrt(x), the root by Newton's iteration, whose derivative an implicit solver uses: x = (1 - t/2)^2.
TEST(SignalLoops, WhileOnSignalsInContinuousTime) {
  for (const char* solver : {"dopri", "radau"}) {
    const auto run =
        simulate(std::string("stop 1\nrtol 1e-9\natol 1e-12\nsolver ") + solver +
                     "\nx: Integral x0=1\nf: PCustomBlock code=F\nout: Scope\nx:1 -> f:1 out:1\nf:1 -> x:1",
                 function_of({"r=1;", "while abs(r*r-u)>1e-13", "  r=0.5*(r+u/r);", "end", "y=-r;"}));
    EXPECT_NEAR(last(run, "/out.1"), 0.25, 1e-7) << solver;
    EXPECT_TRUE(has_code(run.diagnostics, "unlocated-corner"));
  }
}

TEST(SignalLoops, ControlFlowOfEveryKind) {
  EXPECT_EQ(of_constant({"y=0; k=0;", "while true", "  k=k+1;", "  if k>10*u, break, end", "  if mod(k,3)==0",
                         "    continue", "  end", "  y=y+k;", "end"}),
            210 - 63);
  EXPECT_EQ(of_constant({"y=0;", "for i=1:2*u", "  y=y+i;", "end"}), 10) << "the range depends on the signal";
  EXPECT_EQ(of_constant({"y=1; a=0; b=1;", "for i=1:40", "  c=a+b; a=b; b=c;", "end", "y=u*b/2;"}), 165580141)
      << "variables change places";
  EXPECT_EQ(of_constant({"v=zeros(1,50);", "for i=1:50", "  if i*u>60", "    v(i)=1;", "  elseif i*u>40", "    v(i)=2;",
                         "  else", "    v(i)=3;", "  end", "end", "y=sum(v);"}),
            20 + 2 * 10 + 3 * 20);
  EXPECT_EQ(of_constant({"s.total=0; c={0,u};", "for i=1:100", "  s.total=s.total+c{2}; c{1}=c{1}+i;", "end",
                         "y=s.total+c{1};"}),
            200 + 5050);
}

TEST(SignalLoops, NestedLoopsAndFunctions) {
  EXPECT_EQ(
      of_constant({"A=u*ones(40,40); y=0;", "for i=1:40", "  for j=1:40", "    y=y+A(i,j)*(i==j);", "  end", "end"}),
      80);
  EXPECT_EQ(of_constant({"y=0;", "for i=1:40", "  k=0;", "  while k<i*u", "    k=k+1;", "  end", "  y=y+k;", "end"}),
            2 * 820);
}

TEST(SignalLoops, IndicesAreSignals) {
  EXPECT_EQ(of_constant({"v=[10 20 30]*u;", "y=v(u)+v(u+1);"}), 100);
  EXPECT_EQ(of_constant({"A=[1 2;3 4]*u;", "A(u,1)=100;", "y=sum(sum(A))+A(1,u);"}), 2 + 4 + 8 + 100 + 4);
  EXPECT_EQ(of_constant({"v=[1 2 3 4];", "v(u)=50;", "y=v(u)+v(1);"}), 51);
}

TEST(SignalLoops, ErrorsNameTheLine) {
  const auto outside = simulate("stop 5\nt: Time\nf: PCustomBlock code=F\nout: Scope\nt:1 -> f:1\nf:1 -> out:1",
                                function_of({"v=[1 2 3];", "y=v(floor(u)+1);"}));
  ASSERT_TRUE(has_code(outside.diagnostics, "index-outside")) << to_text(outside.diagnostics);
  const std::string text = to_text(outside.diagnostics);
  EXPECT_NE(text.find("/f"), std::string::npos) << text;
  EXPECT_NE(text.find("line 5"), std::string::npos) << text;
  EXPECT_NE(text.find("4 is outside 1 to 3"), std::string::npos) << text;
  EXPECT_NEAR(outside.recording.time.back(), 3, 1e-9) << "as far as it could go";
  const auto endless = simulate(constant_through_f, function_of({"y=0;", "while u>0", "  y=y+1;", "end"}));
  EXPECT_TRUE(has_code(endless.diagnostics, "endless-loop")) << to_text(endless.diagnostics);
}

// An index that a condition keeps inside is no error.
TEST(SignalLoops, ConditionsProtect) {
  const auto run = simulate("stop 5\nt: Time\nf: PCustomBlock code=F\nout: Scope\nt:1 -> f:1\nf:1 -> out:1",
                            function_of({"v=[1 2 3];", "y=.if u<3 .then v(floor(u)+1) .else -1 .end;"}));
  EXPECT_EQ(last(run, "/out.1"), -1);
}

// A discrete filter whose state is a vector that events index.
TEST(SignalLoops, RingBufferAtEvents) {
  const auto run = simulate(
      R"(
    stop 99.5
    clock: SampleClock period=1
    t: Time
    hold: SampleHold
    f: PCustomBlock code=R
    out: Scope
    t:1 -> hold:1
    hold:1 -> f:1
    f:1 -> out:1
    clock:1 => hold:1 f:1)",
      {"function block=R(block, flag)", "  if flag==-1", "    block.state{1}=zeros(10,1); block.state{2}=0;",
       "  elseif flag==1", "    block.io{2}=block.state{1}(block.state{2}+1);", "  elseif flag==2",
       "    b=block.state{1}; k=block.state{2};", "    b(k+1)=block.io{1};",
       "    block.state{1}=b; block.state{2}=mod(k+1,10);", "  end", "end"});
  EXPECT_EQ(last(run, "/out.1"), 89) << to_text(run.diagnostics);
}

TEST(SignalLoops, BothTiersAgree) {
  const std::string text = "stop 3\nx: Integral x0=1\nf: PCustomBlock code=F\nout: Scope\nx:1 -> f:1 out:1\nf:1 -> x:1";
  const auto body = function_of({"y=0; v=zeros(1,60);", "for i=1:60", "  v(i)=sin(i*u);", "  if v(i)>0",
                                 "    y=y-v(i)/60;", "  else", "    y=y-0.01*u;", "  end", "end"});
  RunSetup second;
  second.native = api::NativeCode::second;
  const auto a = simulate(text, body), b = simulate(text, body, second);
  EXPECT_EQ(first_difference(a.recording, b.recording), "");
}

}  // namespace
}  // namespace orrery::tests::signal_loops_test
