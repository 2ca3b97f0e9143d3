// SPDX-License-Identifier: Apache-2.0
// Crossings of random functions that are linear between corners, rest at zero, touch it and leave it again: their sides
// are known in closed form, and events are the same for variable steps and for fixed ones.
#include <random>

#include "hybrid_runs.h"

namespace orrery::tests::piecewise_crossings_test {
namespace {

// Values at the times 0, 1/2, 1, …, straight lines between them.
struct Polyline {
  static constexpr double spacing = 0.5;
  std::vector<int> values;

  double end() const { return spacing * static_cast<double>(values.size() - 1); }
  double slope(std::size_t k) const { return (values[k + 1] - values[k]) / spacing; }
  static int sign(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }
  // Of the piece k, just after its beginning and just before its end.
  int first_side(std::size_t k) const { return values[k] != 0 ? sign(values[k]) : sign(slope(k)); }
  int last_side(std::size_t k) const { return values[k + 1] != 0 ? sign(values[k + 1]) : -sign(slope(k)); }

  enum class Detector { up, down, rising, falling };
  static bool fires(Detector detector, int before, int after) {
    switch (detector) {
      case Detector::up: return before < 0 && after >= 0;
      case Detector::down: return before > 0 && after <= 0;
      case Detector::rising: return before <= 0 && after > 0;
      case Detector::falling: return before > 0 && after <= 0;
    }
    return false;
  }
  std::vector<double> events(Detector detector) const {
    std::vector<double> times;
    for (std::size_t k = 0; k + 1 < values.size(); ++k) {
      const double begin = spacing * static_cast<double>(k);
      if (k > 0 && fires(detector, last_side(k - 1), first_side(k))) times.push_back(begin);
      if (first_side(k) * last_side(k) < 0 && fires(detector, first_side(k), last_side(k)))
        times.push_back(begin - values[k] / slope(k));
    }
    return times;
  }

  // As a formula of u1, with a corner where the slope changes.
  std::string formula(std::mt19937& random) const {
    std::string text = fmt::format("({})", values[0]) + fmt::format("+({})*u1", slope(0));
    for (std::size_t k = 1; k + 1 < values.size(); ++k) {
      const double bend = slope(k) - slope(k - 1), at = spacing * static_cast<double>(k);
      if (bend == 0) continue;
      switch (random() % 5) {
        case 0: text += fmt::format("+({})*max(u1-{},0)", bend, at); break;
        case 1: text += fmt::format("-({})*min({}-u1,0)", bend, at); break;
        case 2: text += fmt::format("+({})*(abs(u1-{})+(u1-{}))", bend / 2, at, at); break;
        case 3: text += fmt::format("+({})*(u1>={})*(u1-{})", bend, at, at); break;
        default: text += fmt::format("+({})*(1+sign(u1-{}))*(u1-{})", bend / 2, at, at); break;
      }
    }
    return text;
  }
};

// Rests, touches and passages of zero are frequent.
Polyline random_polyline(std::mt19937& random) {
  const int likely[] = {0, 0, 0, 1, -1, 1, -1, 2, -2};
  Polyline line;
  for (int k = 0; k < 9; ++k) line.values.push_back(likely[random() % std::size(likely)]);
  return line;
}

void expect_events(const std::string& settings, double step, std::uint32_t seed) {
  using Detector = Polyline::Detector;
  std::mt19937 random(seed);
  const Polyline line = random_polyline(random);
  const bool of_a_state = random() % 2 == 0;
  const std::string formula = line.formula(random);
  const auto run = run_hybrid(settings + fmt::format(R"(
    stop {}
    t: {}
    one: Constant value=1
    f: MathExpression expression='{}'
    up: ZeroCross direction='up'
    down: ZeroCross direction='down'
    rising: EdgeTrigger edge='rising'
    falling: EdgeTrigger edge='falling'
    n: Counter
    t:1 -> f:1
    f:1 -> up:1 down:1 rising:1 falling:1
    up:1 => n:1
    down:1 => n:1
    rising:1 => n:1
    falling:1 => n:1
    {})",
                                                     line.end() - 0.125, of_a_state ? "Integral" : "Time", formula,
                                                     of_a_state ? "one:1 -> t:1" : ""));
  ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  for (const auto& [name, detector] :
       {std::pair("up", Detector::up), std::pair("down", Detector::down), std::pair("rising", Detector::rising),
        std::pair("falling", Detector::falling)}) {
    std::vector<double> expected = line.events(detector);
    if (step > 0) {
      for (double& time : expected) time = step * std::ceil(time / step - 1e-6);
    }
    std::erase_if(expected, [&](double time) { return time > line.end() - 0.125; });
    EXPECT_EQ(compare_times(run.fired(name), expected, 1e-7), "")
        << name << " of " << formula << ", seed " << seed << ", of " << (of_a_state ? "a state" : "time");
  }
}

class PiecewiseCrossings : public WithEverySolver {};

INSTANTIATE_TEST_SUITE_P(Solvers, PiecewiseCrossings, testing::ValuesIn(variable_step_solvers()), name_of_solver);

TEST_P(PiecewiseCrossings, AreThoseOfTheSides) {
  const auto count = static_cast<std::uint32_t>(from_environment("ORRERY_POLYLINES", 20));
  for (std::uint32_t seed = 1; seed <= count; ++seed) expect_events(settings(""), 0, seed);
}

class FixedStepCrossings : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Solvers, FixedStepCrossings, testing::ValuesIn(names_of_fixed_step_solvers()), name_of_solver);

TEST_P(FixedStepCrossings, AreThoseOfTheSides) {
  const auto count = static_cast<std::uint32_t>(from_environment("ORRERY_POLYLINES", 20));
  for (std::uint32_t seed = 1; seed <= count; ++seed) {
    const double step = seed % 2 == 0 ? 0.05 : 0.0625;
    expect_events(fmt::format("solver {}\nstep {}\n", GetParam(), step), step, seed);
  }
}

// What comes to rest at zero has crossed it once, whatever it does then.
TEST_P(FixedStepCrossings, OfWhatRestsAtZero) {
  for (const double step : {0.01, 0.03, 0.125}) {
    const auto run = run_hybrid(fmt::format(R"(
      solver {}
      step {}
      stop 4
      t: Time
      f: MathExpression expression='max(1-u1,0)-max(u1-3,0)'
      z: ZeroCross direction='both'
      n: Counter
      t:1 -> f:1
      f:1 -> z:1
      z:1 => n:1)",
                                            GetParam(), step));
    EXPECT_EQ(compare_times(run.fired("z"), {step * std::ceil(1 / step - 1e-9)}, 1e-9), "") << step;
  }
}

// What something is in one instant only, and what it is at the start alone, is no side.
TEST_P(FixedStepCrossings, OfJumpsAtTheEndOfAStep) {
  for (const char* formula :
       {"0.5-abs(sign(u1-1))", "abs(sign(u1-1))-0.5", "sign(u1)-0.3", "0.5-(u1<=0)", "(u1==1)-0.5"}) {
    const auto run = run_hybrid(fmt::format(R"(
      solver {}
      step 0.125
      stop 2
      t: Time
      f: MathExpression expression='{}'
      z: ZeroCross direction='both'
      e: EdgeTrigger edge='both'
      n: Counter
      t:1 -> f:1
      f:1 -> z:1 e:1
      z:1 => n:1
      e:1 => n:1)",
                                            GetParam(), formula));
    EXPECT_TRUE(run.fired("z").empty()) << formula << to_text(run.diagnostics);
    EXPECT_TRUE(run.fired("e").empty()) << formula << to_text(run.diagnostics);
  }
}

// A state that an event puts on its corner moves on to either side: |x| touches zero, x crosses it.
TEST_P(FixedStepCrossings, OfAStateThatIsPutOnACorner) {
  for (const char* rate : {"1", "-1"}) {
    const auto run = run_hybrid(fmt::format(R"(
      solver {}
      step 0.0625
      stop 2
      r: Constant value={}
      zero: Constant value=0
      x: JumpStateSpace A=0 B=1 C=1 D=0 x0={}
      e: EventGenerate times=0.5
      f: Abs
      z: ZeroCross direction='both'
      y: ZeroCross direction='both'
      n: Counter
      r:1 -> x:1
      zero:1 -> x:2
      e:1 => x:1
      x:1 -> f:1 y:1
      f:1 -> z:1
      z:1 => n:1
      y:1 => n:1)",
                                            GetParam(), rate, *rate == '-' ? "5" : "-5"));
    EXPECT_TRUE(run.fired("z").empty()) << rate << to_text(run.diagnostics);
    EXPECT_EQ(compare_times(run.fired("y"), {0.5}, 1e-9), "") << rate;
  }
}

}  // namespace
}  // namespace orrery::tests::piecewise_crossings_test
