// SPDX-License-Identifier: Apache-2.0
// What single blocks compute, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "blocks/block_bench.h"

namespace orrery::blocks {
namespace {

using Numbers = std::vector<double>;

TEST(MathOperations, Arithmetic) {
  EXPECT_EQ(BlockBench("Gain", {{"k", "[2; 3]"}}, {column(2)})({{5, 7}}), (Numbers{10, 21}));
  EXPECT_EQ(BlockBench("Gain", {{"k", "3"}}, {{Scalar::i8, 1, 1}})({{50}}), (Numbers{127}));
  EXPECT_EQ(BlockBench("Gain", {{"k", "2"}}, {{Scalar::c128, 1, 1}})({{1, -1}}), (Numbers{2, -2}));
  EXPECT_EQ(BlockBench("Sum", {{"signs", "'-+-'"}}, {real_type, column(2), real_type})({{1}, {10, 20}, {2}}),
            (Numbers{7, 17}));
  EXPECT_EQ(BlockBench("Sum", {{"signs", "3"}}, {real_type, real_type, real_type})({{1}, {2}, {3}}), (Numbers{6}));
  EXPECT_EQ(BlockBench("Product", {{"signs", "'*/'"}}, {real_type, real_type})({{1}, {4}}), (Numbers{0.25}));
  EXPECT_EQ(BlockBench("Product", {{"signs", "'/'"}}, {real_type})({{4}}), (Numbers{0.25}));
  EXPECT_EQ(BlockBench("MatrixGain", {{"K", "[1 2; 3 4]"}}, {column(2)})({{5, 6}}), (Numbers{17, 39}));
  EXPECT_EQ(BlockBench("Bias", {{"bias", "-1"}}, {real_type})({{5}}), (Numbers{4}));
  EXPECT_EQ(BlockBench("Power", {}, {real_type})({{-3}}), (Numbers{9}));
  EXPECT_EQ(BlockBench("Power", {{"power", "3"}}, {{Scalar::i32, 1, 1}})({{-3}}), (Numbers{-27}));
}

TEST(MathOperations, Functions) {
  const double x = 0.375;
  const auto of = [&](const char* block, const char* name) {
    return BlockBench(block, {{"function", std::string("'") + name + "'"}}, {real_type})({{x}})[0];
  };
  EXPECT_EQ(of("MathFunc", "exp"), std::exp(x));
  EXPECT_EQ(of("MathFunc", "square"), x * x);
  EXPECT_EQ(of("MathFunc", "reciprocal"), 1 / x);
  EXPECT_EQ(of("MathFunc", "round"), 0);
  EXPECT_EQ(of("MathFunc", "conj"), x);
  EXPECT_EQ(of("MathFunc", "imag"), 0);
  EXPECT_EQ(of("TrigFunc", "cos"), std::cos(x));
  EXPECT_EQ(of("TrigFunc", "atanh"), std::atanh(x));
  EXPECT_EQ(BlockBench("TrigFunc", {{"function", "'atan2'"}}, {real_type, real_type})({{1}, {-1}})[0],
            std::atan2(1, -1));
  EXPECT_EQ(BlockBench("MathFunc", {{"function", "'mod'"}}, {real_type, real_type})({{-1}, {3}}), (Numbers{2}));
  EXPECT_EQ(BlockBench("MathFunc", {{"function", "'magnitude'"}}, {{Scalar::c128, 1, 1}})({{3, 4}}), (Numbers{5}));
}

TEST(MathOperations, CornersAreModesForDoublesOnly) {
  BlockBench of_doubles("Abs", {}, {column(2)});
  EXPECT_EQ(of_doubles({{-3, 4}}), (Numbers{3, 4}));
  EXPECT_EQ(of_doubles.modes(), 2u);
  BlockBench of_integers("Abs", {}, {column(2, Scalar::i32)});
  EXPECT_EQ(of_integers({{-3, 4}}), (Numbers{3, 4}));
  EXPECT_EQ(of_integers.modes(), 0u);
}

TEST(MathOperations, NonSmooth) {
  EXPECT_EQ(BlockBench("Sign", {}, {column(3)})({{-3, 0, 2}}), (Numbers{-1, 0, 1}));
  EXPECT_EQ(BlockBench("Saturation", {}, {column(3)})({{-3, 0.5, 2}}), (Numbers{-1, 0.5, 1}));
  BlockBench half("Saturation", {{"upper", "inf"}}, {column(3)});
  EXPECT_EQ(half({{-3, 0.5, 2}}), (Numbers{-1, 0.5, 2}));
  EXPECT_EQ(half.modes(), 3u);
  EXPECT_EQ(BlockBench("Deadzone", {{"lower", "-2"}}, {column(3)})({{-3, 0.5, 2}}), (Numbers{-1, 0, 1}));
  EXPECT_EQ(BlockBench("MaxMin", {}, {column(2), real_type})({{1, 5}, {3}}), (Numbers{3, 5}));
  EXPECT_EQ(BlockBench("MaxMin", {{"function", "'min'"}, {"inputs", "1"}}, {column(4)})({{4, 2, 8, 3}}), (Numbers{2}));
}

TEST(LogicalOperations, RelationsAndLogic) {
  EXPECT_EQ(BlockBench("RelationalOp", {{"operator", "'>='"}}, {column(3), real_type})({{1, 2, 3}, {2}}),
            (Numbers{0, 1, 1}));
  EXPECT_EQ(BlockBench("RelationalOp", {{"operator", "'~='"}}, {real_type, real_type})({{1}, {2}}), (Numbers{1}));
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      const auto of = [&](const char* name) {
        return BlockBench("LogicalOp", {{"operator", name}},
                          {boolean_type, real_type})({{static_cast<double>(a)}, {5.0 * b}})[0];
      };
      EXPECT_EQ(of("'AND'"), a & b);
      EXPECT_EQ(of("'OR'"), a | b);
      EXPECT_EQ(of("'NAND'"), 1 - (a & b));
      EXPECT_EQ(of("'NOR'"), 1 - (a | b));
      EXPECT_EQ(of("'XOR'"), a ^ b);
    }
    EXPECT_EQ(BlockBench("LogicalOp", {{"operator", "'NOT'"}}, {boolean_type})({{static_cast<double>(a)}})[0], 1 - a);
  }
}

TEST(Routing, SwitchesAndSelections) {
  BlockBench choose("Switch2", {{"threshold", "1"}}, {column(2), real_type, column(2)});
  EXPECT_EQ(choose({{1, 2}, {1}, {3, 4}}), (Numbers{1, 2}));
  EXPECT_EQ(choose({{1, 2}, {0.5}, {3, 4}}), (Numbers{3, 4}));
  EXPECT_EQ(choose.modes(), 1u);
  BlockBench by_truth("Switch2", {}, {real_type, boolean_type, real_type});
  EXPECT_EQ(by_truth({{1}, {0}, {3}}), (Numbers{3}));
  EXPECT_EQ(by_truth.modes(), 0u);
  BlockBench by_integer("Switch2", {}, {real_type, {Scalar::i8, 1, 1}, real_type});
  EXPECT_EQ(by_integer({{1}, {-1}, {3}}), (Numbers{3}));
  EXPECT_EQ(by_integer.modes(), 0u);

  for (const auto& [priority, chosen] : {std::pair{"'lowest'", 2.0}, {"'highest'", 3.0}}) {
    BlockBench several("SelectInput", {{"inputs", "3"}, {"priority", priority}}, {real_type, real_type, real_type});
    several.set_active(2, true);
    EXPECT_EQ(several({{1}, {2}, {3}}), (Numbers{2}));
    several.set_active(3, true);
    EXPECT_EQ(several({{1}, {2}, {3}}), (Numbers{chosen}));
  }

  EXPECT_EQ(BlockBench("Mux", {}, {column(2), real_type})({{1, 2}, {3}}), (Numbers{1, 2, 3}));
  BlockBench split("Demux", {{"sizes", "[1 2]"}}, {column(3)});
  split.set_input(1, {1, 2, 3});
  EXPECT_EQ(split.output(2), (Numbers{2, 3}));
}

TEST(SignalConversions, Casts) {
  EXPECT_EQ(BlockBench("DataTypeConversion", {{"type", "'int8'"}}, {column(3)})({{-1.9, 300, NAN}}),
            (Numbers{-1, 127, 0}));
  EXPECT_EQ(BlockBench("DataTypeConversion", {{"type", "'boolean'"}}, {real_type})({{0.5}}), (Numbers{1}));
  EXPECT_EQ(BlockBench("DataTypeConversion", {{"type", "'complex'"}}, {real_type})({{0.5}}), (Numbers{0.5, 0}));
}

TEST(SignalGenerators, StepStartsOnTheRightSide) {
  BlockBench step("StepGenerator", {{"time", "2"}, {"before", "[1; 2]"}, {"after", "5"}}, {});
  EXPECT_EQ(step.run(When::start), (std::map<int, double>{{1, 2.0}}));
  EXPECT_EQ(step.output(), (Numbers{1, 2}));
  step.time = 2;
  step.run(When::fired, 1);
  EXPECT_EQ(step.output(), (Numbers{5, 5}));
  BlockBench late("StepGenerator", {{"time", "0"}}, {});
  EXPECT_TRUE(late.run(When::start).empty());
  EXPECT_EQ(late.output(), (Numbers{1}));
}

TEST(SignalGenerators, RampBendsAtItsEvent) {
  BlockBench ramp_block("Ramp", {{"slope", "3"}, {"start", "1"}, {"initial", "2"}}, {});
  ramp_block.run(When::start);
  ramp_block.time = 0.5;
  EXPECT_EQ(ramp_block.output(), (Numbers{2}));
  ramp_block.run(When::fired, 1);
  ramp_block.time = 2;
  EXPECT_EQ(ramp_block.output(), (Numbers{5}));
}

TEST(SignalGenerators, SquareWaveNeverDrifts) {
  BlockBench wave("SquareWaveGenerator", {{"first", "3"}, {"second", "-1"}, {"period", "0.1"}, {"duty", "25"}}, {});
  auto delays = wave.run(When::start);
  EXPECT_EQ(wave.output(), (Numbers{3}));
  double rise = delays[1];
  for (int k = 2; k <= 20000; ++k) {
    wave.time = rise;
    rise += wave.run(When::fired, 1)[1];
    EXPECT_EQ(rise, k * 0.1);
  }
  wave.time = delays[2];
  EXPECT_EQ(wave.time, 0.025);
  wave.run(When::fired, 2);
  EXPECT_EQ(wave.output(), (Numbers{-1}));
}

TEST(SignalGenerators, SawtoothFallsBack) {
  BlockBench saw("Sawtooth", {{"period", "2"}, {"start", "0.5"}, {"lower", "-1"}}, {});
  EXPECT_EQ(saw.run(When::start)[1], 0.5);
  EXPECT_EQ(saw.output(), (Numbers{0.5}));
  saw.time = 0.5;
  EXPECT_EQ(saw.run(When::fired, 1)[1], 2);
  EXPECT_EQ(saw.output(), (Numbers{-1}));
  saw.time = 1.5;
  EXPECT_EQ(saw.output(), (Numbers{0}));
}

struct Moments {
  double mean;
  double variance;
};

Moments moments_of(const BlockBench::Texts& parameters) {
  BlockBench block("Random", parameters, {});
  constexpr int count = 20000;
  double total = 0;
  double squares = 0;
  for (int k = 0; k < count; ++k) {
    const double x = block.output()[0];
    total += x;
    squares += x * x;
    block.run(When::activation);
  }
  return {total / count, squares / count - total / count * (total / count)};
}

TEST(SignalGenerators, RandomNumbersFollowTheirLaws) {
  const Moments uniform = moments_of({{"a", "1"}, {"b", "3"}});
  EXPECT_NEAR(uniform.mean, 2.5, 0.02);
  EXPECT_NEAR(uniform.variance, 0.75, 0.02);
  const Moments normal = moments_of({{"distribution", "'normal'"}, {"a", "3"}, {"b", "2"}});
  EXPECT_NEAR(normal.mean, 3, 0.06);
  EXPECT_NEAR(normal.variance, 4, 0.16);
  const Moments exponential = moments_of({{"distribution", "'exponential'"}, {"a", "2"}});
  EXPECT_NEAR(exponential.mean, 2, 0.06);
  EXPECT_NEAR(exponential.variance, 4, 0.3);
}

TEST(SignalGenerators, RandomElementsAndSeedsDiffer) {
  BlockBench pair("Random", {{"b", "[1; 1]"}}, {});
  EXPECT_NE(pair.output()[0], pair.output()[1]);
  BlockBench one("Random", {{"seed", "7"}}, {});
  BlockBench same("Random", {{"seed", "7"}}, {}, false);
  BlockBench other("Random", {{"seed", "8"}}, {});
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(one.output(), same.output());
    EXPECT_NE(one.output(), other.output());
    one.run(When::activation);
    same.run(When::activation);
    other.run(When::activation);
  }
}

TEST(Dynamical, IntegralStopsAtItsLimitsAndLeavesThem) {
  BlockBench x("Integral", {{"x0", "1"}, {"upper", "1"}}, {real_type});
  x.set_input(1, {2});
  EXPECT_EQ(x.derivative(), 0);
  x.set_input(1, {-2});
  EXPECT_EQ(x.derivative(), -2);
  EXPECT_EQ(x.modes(), 2u);
  EXPECT_EQ(BlockBench("Integral", {}, {real_type}).modes(), 0u);
}

// A state beyond its limit would have to be integrated back before the output moves.
TEST(Dynamical, IntegralCutsWhatEntersItsState) {
  BlockBench x("Integral", {{"x0", "3"}, {"upper", "1"}, {"lower", "-1"}, {"reset", "'activation'"}},
               {real_type, real_type});
  EXPECT_EQ(x.value("x"), 1);
  x.set_input(2, {-7});
  x.set_active(1, true);
  x.run(When::activation);
  EXPECT_EQ(x.value("x"), -1);
}

TEST(Dynamical, IntegralIsResetThroughItsActivationInput) {
  BlockBench x("Integral", {{"reset", "'activation'"}}, {real_type, real_type});
  x.set_input(2, {7});
  x.run(When::activation);
  EXPECT_EQ(x.output(), (Numbers{0}));
  x.set_active(1, true);
  x.run(When::activation);
  EXPECT_EQ(x.output(), (Numbers{7}));
}

TEST(Dynamical, TransferFunctionInCanonicalForm) {
  // (2 s^2 + 3 s + 4) / (s^2 + 5 s + 6) = 2 + (-7 s - 8) / (s^2 + 5 s + 6)
  BlockBench system("ContTransFunc", {{"num", "[2 3 4]"}, {"den", "[1 5 6]"}}, {real_type});
  EXPECT_EQ(system({{1}}), (Numbers{2}));
  EXPECT_EQ(system.derivative(0), 0);
  EXPECT_EQ(system.derivative(1), 1);
  BlockBench gain_only("ContTransFunc", {{"num", "[0 6]"}, {"den", "[0 3]"}}, {real_type});
  EXPECT_EQ(gain_only({{5}}), (Numbers{10}));
  EXPECT_TRUE(gain_only.body().derivatives.empty());
}

TEST(Dynamical, StateSpace) {
  BlockBench system("ContStateSpace",
                    {{"A", "[1 2; 3 4]"}, {"B", "[5; 6]"}, {"C", "[1 1; 0 1]"}, {"D", "[0; 7]"}, {"x0", "[1; 2]"}},
                    {real_type});
  EXPECT_EQ(system({{10}}), (Numbers{3, 72}));
  EXPECT_EQ(system.derivative(0), 55);
  EXPECT_EQ(system.derivative(1), 71);
  BlockBench jump("JumpStateSpace", {{"A", "[0 1; 0 0]"}, {"B", "[0; 1]"}, {"C", "[1 0]"}}, {real_type, column(2)});
  jump.set_input(2, {3, 4});
  jump.set_active(1, true);
  jump.run(When::activation);
  EXPECT_EQ(jump.output(), (Numbers{3}));
  EXPECT_EQ(jump.derivative(0), 4);
}

TEST(Dynamical, LargeDenseSystemsStayMatrices) {
  std::string a = "[";
  for (int i = 0; i < 9; ++i) a += "1 1 1 1 1 1 1 1 1;";
  a.back() = ']';
  BlockBench system("ContStateSpace",
                    {{"A", a}, {"B", "[1;1;1;1;1;1;1;1;1]"}, {"C", "[1 1 1 1 1 1 1 1 1]"}, {"x0", "1"}}, {real_type});
  system.set_input(1, {2});
  EXPECT_EQ(system.derivative(4), 11);
}

TEST(Dynamical, DiscreteSystemsStepByStep) {
  BlockBench delay("DiscreteDelay", {{"z0", "[1; 2]"}}, {column(2)});
  EXPECT_EQ(delay({{3, 4}}), (Numbers{1, 2}));
  delay.run(When::activation);
  EXPECT_EQ(delay.output(), (Numbers{3, 4}));

  const std::map<std::string, Numbers> expected = {
      {"'forward'", {0, 0.5, 1.5}}, {"'backward'", {0.5, 1.5, 3}}, {"'trapezoidal'", {0.25, 1, 2.25}}};
  for (const auto& [method, sums] : expected) {
    BlockBench z("DiscreteIntegral", {{"method", method}, {"T", "0.5"}}, {real_type});
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(z({{k + 1.0}})[0], sums[static_cast<std::size_t>(k)]) << method;
      z.run(When::activation);
    }
  }

  BlockBench filter("DiscrTransFunc", {{"num", "1"}, {"den", "[1 -0.5]"}}, {real_type});
  filter.set_input(1, {1});
  for (const double y : {0.0, 1.0, 1.5, 1.75}) {
    EXPECT_EQ(filter.output()[0], y);
    filter.run(When::activation);
  }
}

TEST(Dynamical, CounterWrapsAround) {
  BlockBench up("Counter", {{"from", "1"}, {"to", "3"}}, {});
  for (const double n : {1, 2, 3, 1, 2}) {
    EXPECT_EQ(up.output()[0], n);
    up.run(When::activation);
  }
  BlockBench down("Counter", {{"direction", "'down'"}, {"step", "2"}}, {});
  for (const double n : {0, -2, -4}) {
    EXPECT_EQ(down.output()[0], n);
    down.run(When::activation);
  }
}

TEST(ActivationOperations, ClocksAreExact) {
  const BlockBench clock_block("SampleClock", {{"period", "0.1"}, {"offset", "0.025"}}, {});
  const Body& body = clock_block.body();
  ASSERT_EQ(body.clocks.size(), 1u);
  EXPECT_EQ(body.clocks[0].period, (Rational{1, 10}));
  EXPECT_EQ(body.clocks[0].offset, (Rational{1, 40}));
  const BlockBench always_block("SampleClock", {{"period", "0"}}, {});
  EXPECT_TRUE(always_block.body().timeless.at(0).always);
  const BlockBench once("SampleClock", {{"period", "-1"}}, {});
  EXPECT_FALSE(once.body().timeless.at(0).always);
}

TEST(ActivationOperations, EventClockNeverDrifts) {
  BlockBench events("EventClock", {{"period", "0.1"}, {"offset", "0.3"}}, {});
  events.time = events.run(When::start)[1];
  EXPECT_EQ(events.time, 0.3);
  for (int k = 1; k < 20000; ++k) {
    events.time += events.run(When::fired, 1)[1];
    EXPECT_EQ(events.time, 0.3 + k * 0.1);
  }
}

TEST(ActivationOperations, EventGenerateGoesThroughItsTimes) {
  BlockBench events("EventGenerate", {{"times", "[-1 0.1 0.7 2]"}, {"outputs", "'one'"}}, {});
  events.time = 0.1 - 0.1;
  auto delays = events.run(When::start);
  std::vector<double> fired;
  while (delays.count(1) != 0) {
    events.time += delays[1];
    fired.push_back(events.time);
    delays = events.run(When::fired, 1);
  }
  EXPECT_EQ(fired, (Numbers{0.1, 0.7, 2}));
  BlockBench over("EventGenerate", {{"times", "-1"}}, {});
  EXPECT_TRUE(over.run(When::start).empty());
}

TEST(ActivationOperations, ConditionalBlocksPassToOneOutput) {
  BlockBench choice("IfThenElse", {}, {real_type});
  choice.set_input(1, {0});
  EXPECT_FALSE(choice.passes(1));
  EXPECT_TRUE(choice.passes(2));
  BlockBench cases("SwitchCase", {{"cases", "3"}}, {real_type});
  for (const auto& [u, port] : std::map<double, int>{{-5, 1}, {1, 1}, {1.5, 1}, {2, 2}, {3, 3}, {9, 3}}) {
    cases.set_input(1, {u});
    for (int k = 1; k <= 3; ++k) EXPECT_EQ(cases.passes(k), k == port) << u;
  }
}

TEST(ActivationOperations, DividerAndIntersection) {
  BlockBench divider("FrequencyDivider", {{"factor", "3"}, {"phase", "1"}}, {});
  std::string pattern;
  for (int k = 0; k < 7; ++k) {
    pattern += divider.passes(1) ? '1' : '0';
    divider.run(When::activation);
  }
  EXPECT_EQ(pattern, "0100100");
  BlockBench both("ActivationIntersection", {}, {});
  both.set_active(1, true);
  EXPECT_FALSE(both.passes(1));
  both.set_active(2, true);
  EXPECT_TRUE(both.passes(1));
}

TEST(ActivationOperations, EdgesBetweenEventsArePassedOn) {
  BlockBench edge("EdgeTrigger", {}, {real_type});
  std::string pattern;
  for (const double u : {1.0, -1.0, 2.0, 3.0, 0.0, 1.0}) {
    edge.set_input(1, {u});
    pattern += edge.passes(1) ? '1' : '0';
    edge.run(When::activation);
  }
  EXPECT_EQ(pattern, "001001");
  EXPECT_TRUE(edge.body().passes[0].events_only);
  EXPECT_EQ(edge.body().surfaces.size(), 1u);
}

TEST(ActivationOperations, DelaysAndEnds) {
  EXPECT_EQ(BlockBench("EventDelay", {{"delay", "2"}}, {}).run(When::activation)[1], 2);
  BlockBench variable("EventVariableDelay", {}, {real_type});
  variable.set_input(1, {0.25});
  EXPECT_EQ(variable.run(When::activation)[1], 0.25);
  BlockBench channel("EventDelayedChannel", {}, {real_type});
  EXPECT_EQ(channel.body().queued_ports, std::vector<int>{1});
  BlockBench finish("End", {{"when", "'positive'"}}, {real_type});
  finish.run(When::activation);
  EXPECT_EQ(finish.actions, 0);
  finish.set_input(1, {1});
  finish.run(When::activation);
  EXPECT_EQ(finish.actions, 1);
  BlockBench again("RepeatActivation", {{"when", "'nonzero'"}}, {real_type});
  again.set_input(1, {0});
  again.run(When::activation);
  EXPECT_EQ(again.actions, 0);
  again.set_input(1, {1});
  again.run(When::activation);
  EXPECT_EQ(again.actions, 1);
  BlockBench always("RepeatActivation", {}, {});
  always.run(When::activation);
  EXPECT_EQ(always.actions, 1);
}

TEST(SignalViewers, ScopeNamesItsCurves) {
  const BlockBench view("Scope", {{"inputs", "3"}, {"names", "'speed, ,angle of it'"}},
                        {real_type, column(2), boolean_type});
  ASSERT_EQ(view.body().probes.size(), 3u);
  EXPECT_EQ(view.body().probes[0].name, "speed");
  EXPECT_EQ(view.body().probes[1].name, "2");
  EXPECT_EQ(view.body().probes[2].name, "angle of it");
}

}  // namespace
}  // namespace orrery::blocks
