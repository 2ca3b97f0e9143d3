// SPDX-License-Identifier: Apache-2.0
// Blocks written as OML functions (Activate, 22.6.3): the book's examples, against closed forms and library blocks.
#include <gtest/gtest.h>

#include <cmath>

#include "notation.h"
#include "run_model.h"

namespace orrery::tests::custom_block_test {
namespace {

ModelRun simulate(const std::string& text, std::vector<std::string> context) {
  model::Model model = diagram(text);
  model.root.context = std::move(context);
  return run_model(model, {});
}

const std::vector<std::string> norm_function = {"function block=PNorm(block, flag)",
                                                "  if flag==1",
                                                "    v=block.io{1};",
                                                "    if length (block.io) == 3",
                                                "       P=block.io{2};",
                                                "       block.io{3}=v'*P*v;",
                                                "    else",
                                                "        P=block.params.P;",
                                                "       block.io{2}=v'*P*v;",
                                                "    end",
                                                "  end",
                                                "end"};

TEST(PCustomBlock, OneFunctionServesBothConfigurations) {
  const auto run = simulate(R"(
    stop 1
    v: Constant value=[1;-2]
    P: Constant value=[2,1;1,2]
    one: PCustomBlock code=PNorm params=struct('P',[2,1;1,2])
    two: PCustomBlock code=PNorm inputs=2
    out: Scope inputs=2
    v:1 -> one:1 two:1
    P:1 -> two:2
    one:1 -> out:1
    two:1 -> out:2)",
                            norm_function);
  EXPECT_EQ(last(run, "/out.1"), 2 - 4 + 8);
  EXPECT_EQ(last(run, "/out.2"), 2 - 4 + 8);
}

// The pendulum on a cart (Fig. 22.23): with u = 0 its energy does not change.
TEST(PCustomBlock, PendulumOnACartKeepsItsEnergy) {
  const auto run =
      simulate(R"(
    stop 5
    rtol 1e-10
    atol 1e-12
    zero: Constant value=0
    plant: PCustomBlock code=Plant inputs=2 params=struct('M',2,'m',0.5,'l',0.7)
    x: Integral x0=[0;0;0.3;0]
    energy: MatrixExpression expression='(2.5*u1(2)^2+0.5*0.7*cos(u1(3))*u1(2)*u1(4)+(0.5*0.7^2/3)*u1(4)^2)/2+0.5*9.8*0.7/2*cos(u1(3))'
    out: Scope inputs=2
    x:1 -> plant:1 energy:1 out:2
    zero:1 -> plant:2
    plant:1 -> x:1
    energy:1 -> out:1)",
               {"function block=Plant(block, flag)", "  M=block.params.M; g=9.8; m=block.params.m;",
                "  l=block.params.l; J=m*l^2/12;", "  if flag==1", "    x=block.io{1}; u=block.io{2};",
                "    F = [0, M+m, 0, m*l*cos(x(3))/2;", "       1,0,0,0;", "       0, m*l*cos(x(3))/2, 0, J+m*l^2/4;",
                "       0,0,1,0];", "    v = [m*l*x(4)^2*sin(x(3))/2 + u;", "        x(2)",
                "        m*g*l*sin(x(3))/2;", "        x(4)];", "    block.io{3}=inv(F)*v;", "  end", "end"});
  EXPECT_GT(std::fabs(last(run, "/out.2[3]")), 0.5);  // it falls
  EXPECT_NEAR(last(run, "/out.1"), 0.5 * 9.8 * 0.35 * std::cos(0.3), 1e-7);
}

// The low-pass filter of Fig. 22.27: parameters, instantiation, outputs and updates in one function.
TEST(PCustomBlock, LowPassFilterEqualsTheLibrarysStateSpace) {
  const auto run = simulate(
      R"(
    stop 0.05
    clock: SampleClock period=0.0005
    t: Time
    u: MathExpression expression='sqrt(2)*sin(31*u1)+0.25*sin(1100*u1)'
    s: SampleHold
    p: PCustomBlock code=LowPass params=struct('fs',2000,'fc',100,'n',4)
    q: DiscrStateSpace A=A B=B C=C D=D x0=zeros(4,1)
    out: Scope inputs=2
    t:1 -> u:1
    u:1 -> s:1
    s:1 -> p:1 q:1
    p:1 -> out:1
    q:1 -> out:2
    clock:1 => s:1)",
      {"function block=LowPass(block, flag)", "  fs = block.params.fs; fc = block.params.fc; n = block.params.n;",
       "  [a,b] = butter(n,fc/(fs/2));", "  [A, B, C, D] = tf2ss(a, b);", "  if flag==-1",
       "    block.state{1}=zeros(size(A,1),1);", "  elseif flag==1", "    x=block.state{1}; u=block.io{1};",
       "    block.io{2}=C*x+D*u;", "  elseif flag==2", "    x=block.state{1}; u=block.io{1};",
       "    block.state{1}=A*x+B*u;", "  end", "end", "[a,b] = butter(4,100/1000);", "[A, B, C, D] = tf2ss(a, b);"});
  EXPECT_GT(std::fabs(last(run, "/out.1")), 0.1);
  EXPECT_NEAR(last(run, "/out.1"), last(run, "/out.2"), 1e-13);
}

// x' = -x + u by block.x, with a jump to 5 at each event: flags -1, 0, 1 and 2 together, and nevprt.
TEST(PCustomBlock, ContinuousStatesIntegrateAndJump) {
  const auto run = simulate(
      R"(
    stop 2
    rtol 1e-10
    atol 1e-12
    one: Constant value=1
    tick: EventGenerate times=1
    p: PCustomBlock code=Decay outputs=2
    out: Scope inputs=2
    one:1 -> p:1
    p:1 -> out:1
    p:2 -> out:2
    tick:1 => p:1)",
      {"function block=Decay(block, flag)", "  if flag==-1", "    block.x{1}=3;", "    block.state{1}=int32(0);",
       "  elseif flag==0", "    block.x{2}=block.io{1}-block.x{1};", "  elseif flag==1", "    block.io{2}=block.x{1};",
       "    block.io{3}=double(block.state{1});", "  elseif flag==2", "    block.x{1}=5*block.nevprt;",
       "    block.state{1}=block.state{1}+1;", "  end", "end"});
  EXPECT_NEAR(last(run, "/out.1"), 1 + 4 * std::exp(-1.0), 1e-8);
  EXPECT_EQ(last(run, "/out.2"), 1);
}

// P_System_MatrixGain of 22.6.3 on integers.
TEST(PCustomBlock, MatrixGainOnIntegersSaturates) {
  const auto run = simulate(
      R"(
    stop 1
    u: Constant value=int8([100;-50])
    g: PCustomBlock code=P_System_MatrixGain params=struct('overflow',0,'gain',[1,0;1,2],'mulmethod','Gain*u1')
    out: Scope
    u:1 -> g:1
    g:1 -> out:1)",
      {"function block=P_System_MatrixGain(block,flag)", "  if flag==1", "    setoverflow(block.params.overflow);",
       "    gain=convert(block.params.gain,datatype(block.io{1}));", "    if strcmp(block.params.mulmethod,'Gain*u1')",
       "        block.io{2}=gain*block.io{1};", "    elseif strcmp(block.params.mulmethod,'u1*Gain')",
       "        block.io{2}=block.io{1}*gain;", "    else",
       "        error(['Unknown Multiplication Method: ',block.params.mulmethod]);", "    end", "  end", "end"});
  EXPECT_EQ(last(run, "/out.1[1]"), 100);
  EXPECT_EQ(last(run, "/out.1[2]"), 0);
}

TEST(PCustomBlock, ControlFlowBySizesWorksAndBySignalsNamesTheLine) {
  const std::vector<std::string> by_size = {"function block=F(block, flag)",
                                            "  if flag==1",
                                            "    v=block.io{1};",
                                            "    n=length(v);",
                                            "    if n==1",
                                            "      block.io{2}=abs(v);",
                                            "    else",
                                            "      block.io{2}=sqrt(v'*v)/(n-1);",
                                            "    end",
                                            "  end",
                                            "end"};
  const char* text = R"(
    stop 1
    u: Constant value=[3;4]
    p: PCustomBlock code=F
    out: Scope
    u:1 -> p:1
    p:1 -> out:1)";
  EXPECT_EQ(last(simulate(text, by_size), "/out.1"), 5);
  const auto wrong = simulate(text, {"function block=F(block, flag)", "  u=block.io{1};",
                                     "  if u(1) > 0, block.io{2}=1; else block.io{2}=0; end", "end"});
  ASSERT_TRUE(wrong.diagnostics.has_errors());
  const Diagnostic& d = wrong.diagnostics.all().front();
  EXPECT_EQ(d.code, "bad-parameter");
  EXPECT_EQ(d.place.block, "/p");
  EXPECT_EQ(d.place.port, "parameter code");
  EXPECT_NE(d.message.find("line 3, column"), std::string::npos) << d.message;
  EXPECT_NE(d.message.find("If_exp"), std::string::npos) << d.message;
}

TEST(PCustomBlock, ChoicesBySignals) {
  const auto run =
      simulate(R"(
    stop 1
    u: Constant value=[0;0.5]
    p: PCustomBlock code=Sinc
    out: Scope
    u:1 -> p:1
    p:1 -> out:1)",
               {"function block=Sinc(block, flag)",
                "  if flag==1, u=block.io{1}; block.io{2} = If_exp(abs(u) < 1e-12, 1, sin(u)./u); end", "end"});
  EXPECT_EQ(last(run, "/out.1[1]"), 1);
  EXPECT_EQ(last(run, "/out.1[2]"), std::sin(0.5) / 0.5);
}

// Code that stands in the block itself, as it is: several lines, quotes and all; a second function is private to it.
TEST(PCustomBlock, CodeInTheBlock) {
  model::Model model = diagram(R"(
    stop 1
    u: Constant value=3
    p: PCustomBlock
    out: Scope
    u:1 -> p:1
    p:1 -> out:1)");
  model.root.blocks[1].parameters.push_back({"code",
                                             "function block = f(block, flag)\n"
                                             "  if strcmp('a', 'a') && flag == 1\n"
                                             "    block.io{2} = twice(block.io{1})';\n"
                                             "  end\n"
                                             "end\n"
                                             "function y = twice(x)\n"
                                             "  y = 2*x;\n"
                                             "end\n",
                                             0});
  EXPECT_EQ(last(run_model(model, {}), "/out.1"), 6);
  model.root.blocks[1].parameters[0].value = "function block = f(block, flag)\n  block.io{2} = ];\nend";
  const auto run = run_model(model, {});
  ASSERT_TRUE(run.diagnostics.has_errors());
  EXPECT_NE(run.diagnostics.all()[0].message.find("line 2, column 17"), std::string::npos)
      << run.diagnostics.all()[0].message;
}

TEST(PCustomBlock, MistakesNameTheFlagAndTheField) {
  const char* text = R"(
    u: Constant value=1
    p: PCustomBlock code=F outputs=2
    u:1 -> p:1)";
  const auto message = [&](std::vector<std::string> code) {
    const auto run = simulate(text, std::move(code));
    return run.diagnostics.all().empty() ? std::string("no error") : run.diagnostics.all().front().message;
  };
  EXPECT_NE(message({"function block=F(block, flag)", "if flag==1, block.io{2}=1; end", "end"})
                .find("block.io{3} (output 2) gets no value"),
            std::string::npos);
  EXPECT_NE(message({"function block=F(block, flag)", "block.state{1}=block.io{1};", "end"})
                .find("with flag -1, block.state{1} depends on a signal"),
            std::string::npos);
  EXPECT_NE(message({"function r=F(block, flag)", "r=3;", "end"}).find("must return the struct"), std::string::npos);
  EXPECT_NE(message({"function block=F(block, flag)", "block.io{2}=tf2ss(2,block.io{1});", "end"})
                .find("tf2ss cannot be applied to a signal"),
            std::string::npos);
  EXPECT_NE(message({"x=1;"}).find("no variable and no function is called F"), std::string::npos);
}

}  // namespace
}  // namespace orrery::tests::custom_block_test
