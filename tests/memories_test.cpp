// SPDX-License-Identifier: Apache-2.0
// What keeps something in continuous time, or bends, against closed forms: every solver, and steps of fixed size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "hybrid_runs.h"

namespace orrery::tests::memories_test {
namespace {

using std::numbers::pi;
constexpr double stop = 7;

// The block b reads u = sin t; its output is y(t), which is smooth between the breaks.
struct Law {
  const char* name;
  const char* block;
  std::function<double(double)> y;
  std::vector<double> breaks;
};

// y follows sin t from a distance of a half, and stands where that turns back.
double play(double t) {
  if (t < pi / 6) return 0;
  if (t < pi / 2) return std::sin(t) - 0.5;
  t = std::fmod(t - pi / 2, 2 * pi);
  return t < pi / 2 ? 0.5 : t < pi ? std::sin(t + pi / 2) + 0.5 : t < 3 * pi / 2 ? -0.5 : std::sin(t + pi / 2) - 0.5;
}

// Where f changes its sign between two times.
double zero_between(double a, double b, const std::function<double(double)>& f) {
  const bool sign = f(a) > 0;
  for (int k = 0; k < 200; ++k) ((f((a + b) / 2) > 0) == sign ? a : b) = (a + b) / 2;
  return a;
}

// Slopes of at most a half: 0.5 t until it meets the sine, which falls too fast from 2 pi / 3 on, and so on.
struct Limited {
  double meets = zero_between(1, 3, [](double t) { return 0.5 * t - std::sin(t); });
  double top = 2 * pi / 3;
  double falls(double t) const { return std::sin(top) - 0.5 * (t - top); }
  double below = zero_between(4, 6, [this](double t) { return falls(t) - std::sin(t); });  // the sine rises too fast
  double rises(double t) const { return falls(below) + 0.5 * (t - below); }
  double operator()(double t) const {
    return t < meets ? 0.5 * t : t < top ? std::sin(t) : t < below ? falls(t) : rises(t);
  }
};

double down_to(double step, double u) { return step * std::floor(u / step); }

std::vector<double> quantum_breaks() {
  std::vector<double> breaks;
  for (int n = -3; n <= 3; ++n) {
    const double level = 0.3 * n;
    for (int k = 0; k < 2; ++k) {
      breaks.push_back(2 * pi * k + std::asin(level));
      breaks.push_back(2 * pi * k + pi - std::asin(level));
    }
  }
  return breaks;
}

std::vector<Law> laws() {
  const auto when = [](bool condition) { return condition ? 1.0 : 0.0; };
  const auto phase = [](double t) { return std::fmod(t, 2 * pi); };
  const Limited limited;
  const double third = std::asin(0.3);
  return {
      {"Backlash", "b: Backlash gap=1\nu:1 -> b:1", play, {pi / 6, pi / 2, pi, 3 * pi / 2, 2 * pi}},
      {"RateLimiter",
       "b: RateLimiter upper=0.5 lower=-0.5\nu:1 -> b:1",
       limited,
       {limited.meets, limited.top, limited.below}},
      {"Hysteresis",
       "b: Hysteresis on=0.3 off=-0.3\nu:1 -> b:1",
       [=](double t) { return when(phase(t) > third && phase(t) < pi + third); },
       {third, pi + third, 2 * pi + third}},
      {"SRFlipFlop",
       "p: Bias bias=-0.3\nq: Gain k=-1\nr: Bias bias=-0.3\nb: SRFlipFlop\nu:1 -> p:1 q:1\n"
       "q:1 -> r:1\np:1 -> b:1\nr:1 -> b:2",
       [=](double t) { return when(phase(t) > third && phase(t) < pi + third); },
       {third, pi + third, 2 * pi + third}},
      {"DLatch",
       "p: MathExpression expression='u1>0.3'\nc: CosWave\nb: DLatch\nu:1 -> p:1\np:1 -> b:1\nc:1 -> b:2",
       [=](double t) {  // follows u > 0.3 while cos t > 0
         const double p = phase(t);
         return when(p > third && p < 3 * pi / 2);
       },
       {third, 3 * pi / 2, 2 * pi + third}},
      {"DFlipFlop",
       "c: CosWave\no: Constant value=1\nb: DFlipFlop\nc:1 -> b:1\nu:1 -> b:2\no:1 -> b:3",
       [=](double t) { return when(t > 2 * pi); },
       {2 * pi}},
      {"JKFlipFlop",
       "o: Constant value=1\nb: JKFlipFlop\no:1 -> b:1 b:3\nu:1 -> b:2",
       [=](double t) { return when(t > 2 * pi); },
       {2 * pi}},
      {"Deadzone",
       "b: Deadzone lower=-0.3 upper=0.3\nu:1 -> b:1",
       [](double t) { return std::sin(t) - std::clamp(std::sin(t), -0.3, 0.3); },
       {third, pi - third, pi + third, 2 * pi - third, 2 * pi + third}},
      {"Saturation",
       "b: Saturation lower=-0.3 upper=0.3\nu:1 -> b:1",
       [](double t) { return std::clamp(std::sin(t), -0.3, 0.3); },
       {third, pi - third, pi + third, 2 * pi - third, 2 * pi + third}},
      {"Abs", "b: Abs\nu:1 -> b:1", [](double t) { return std::abs(std::sin(t)); }, {pi, 2 * pi}},
      {"Sign", "b: Sign\nu:1 -> b:1", [](double t) { return std::sin(t) > 0 ? 1.0 : -1.0; }, {pi, 2 * pi}},
      {"MaxMin",
       "o: Constant value=0.3\nb: MaxMin function='max'\nu:1 -> b:1\no:1 -> b:2",
       [](double t) { return std::max(std::sin(t), 0.3); },
       {third, pi - third, 2 * pi + third}},
      {"Quantization", "b: Quantization step=0.3 method='floor'\nu:1 -> b:1",
       [](double t) { return down_to(0.3, std::sin(t)); }, quantum_breaks()},
      {"LimitedIntegral",
       "b: Integral lower=-0.5 upper=1\nu:1 -> b:1",
       [](double t) {                           // 1 - cos t up to 1, from pi on 2 + cos t - 1 ... down to -0.5
         const double reach = std::acos(-0.5);  // from pi on: 1 + (-1 - cos t)
         if (t < pi / 2) return 1 - std::cos(t);
         if (t < pi) return 1.0;
         if (t < pi + reach) return -std::cos(t);
         return t < 2 * pi ? -0.5 : -0.5 + 1 - std::cos(t);
       },
       {pi / 2, pi, pi + std::acos(-0.5), 2 * pi}},
  };
}

// Simpson's rule on each piece.
double integral_of(const Law& law) {
  std::vector<double> ends = law.breaks;
  std::erase_if(ends, [](double t) { return t <= 0 || t >= stop; });
  ends.insert(ends.end(), {0, stop});
  std::ranges::sort(ends);
  double sum = 0;
  constexpr int parts = 400;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    const double a = ends[k] + 1e-14, b = ends[k + 1] - 1e-14, h = (b - a) / parts;
    for (int i = 0; i < parts; ++i) {
      const double t = a + h * i;
      sum += h / 6 * (law.y(t) + 4 * law.y(t + h / 2) + law.y(t + h));
    }
  }
  return sum;
}

// u is a state, or a function of time.
std::string model_of(const Law& law, bool states) {
  std::string text = law.block;
  const std::string cosine = "CosWave";
  const bool has_cosine = text.find(cosine) != std::string::npos;
  if (has_cosine)
    text.replace(text.find(cosine), cosine.size(), "SineWaveGenerator phase=pi/2 frequency=1 amplitude=1");
  const char* input = states ? "u: Integral\nv: Integral x0=1\nm: Gain k=-1\nv:1 -> u:1\nu:1 -> m:1\nm:1 -> v:1\n"
                             : "u: SineWaveGenerator frequency=1 amplitude=1\n";
  return input + text + "\nz: Integral\nb:1 -> z:1\n";
}

class Memories : public WithEverySolver {};

TEST_P(Memories, HaveTheirIntegrals) {
  for (const Law& law : laws()) {
    for (const bool states : {true, false}) {
      const auto run = run_hybrid(settings(fmt::format("stop {}", stop)) + model_of(law, states), {"/z"});
      EXPECT_NEAR(last(run, "/z"), integral_of(law), 10 * 1e-8 * stop)  // ten tolerances for each unit of time
          << law.name << (states ? " of states" : " of time") << to_text(run.diagnostics);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, Memories, testing::ValuesIn(variable_step_solvers()), name_of_solver);

// An event costs first order in the step, and no more.
TEST(MemoriesOfFixedSteps, ConvergeWithTheStep) {
  for (const std::string& solver : names_of_fixed_step_solvers()) {
    for (const Law& law : laws()) {
      double errors[2];
      int k = 0;
      for (const double step : {0.01, 0.001}) {
        const auto run =
            run_hybrid(fmt::format("solver {}\nstep {}\nstop {}\n", solver, step, stop) + model_of(law, true), {"/z"});
        errors[k++] = std::abs(last(run, "/z") - integral_of(law));
      }
      EXPECT_LE(errors[0], 0.2) << solver << " " << law.name;
      EXPECT_LE(errors[1], 0.02) << solver << " " << law.name;
    }
  }
}

// u = t falls by 3 at t = 1 and rises again: the output is carried to -1.7 and stands there while u crosses the gap.
TEST(MemoriesOfFixedSteps, StandWhereAnEventHasPutThem) {
  for (const char* solver : {"euler", "rk4", "euler-implicit", "trapezoidal-implicit"}) {
    const auto run = run_hybrid(fmt::format(R"(
      solver {}
      step 0.1
      stop 1.5
      t: Time
      s: StepGenerator time=1 before=0 after=-3
      u: Sum signs='++'
      b: Backlash gap=0.6
      S: Scope
      t:1 -> u:1
      s:1 -> u:2
      u:1 -> b:1
      b:1 -> S:1)",
                                            solver));
    EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
    EXPECT_NEAR(last(run, "/S.1"), -1.7, 1e-12) << solver;
  }
}

TEST_P(Memories, NeedNoLimitOnBothSides) {
  const auto run = run_hybrid(fmt::format(R"(
    solver {}
    rtol 1e-8
    stop 3.141592653589793
    u: SineWaveGenerator
    a: RateLimiter upper=inf lower=-inf
    b: RateLimiter upper=inf lower=-0.5
    x: Integral
    S: Scope inputs=2
    u:1 -> a:1 b:1
    a:1 -> x:1
    x:1 -> S:1
    b:1 -> S:2)",
                                          GetParam()));
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_NEAR(last(run, "/S.1"), 2, 1e-6);
  // From where cos t = -1/2 on, t = 2 pi / 3, it falls by 1/2 a second.
  EXPECT_NEAR(last(run, "/S.2"), std::sqrt(3.0) / 2 - std::acos(-1.0) / 6, 1e-6);
}

// What jumps, by an event, by a condition or because a state is set, moves the play at once, also where the motion
// leads back from there.
TEST_P(Memories, FollowJumps) {
  const char* const jumps[] = {
      "s: StepGenerator time=1 before=0 after=10\nt: Time\nu: Sum signs='+-'\ns:1 -> u:1\nt:1 -> u:2\n",
      "t: Time\nu: MathExpression expression='10*(u1>1)-u1'\nt:1 -> u:1\n",
      "o: Constant value=-1\nr: Constant value=9\ne: EventGenerate times=1 outputs='one'\n"
      "u: Integral reset='activation'\no:1 -> u:1\nr:1 -> u:2\ne:1 => u:1\n"};
  for (const char* jump : jumps) {
    const auto run = run_hybrid(settings("stop 3") + jump +
                                    "b: Backlash gap=1\nl: RateLimiter upper=4 lower=-4\nu:1 -> b:1 l:1\n"
                                    "z: Integral\ny: Integral\nb:1 -> z:1\nl:1 -> y:1\nc: ZeroCross\nn: Counter\n"
                                    "b:1 -> c:1\nc:1 => n:1\n",
                                {"/z", "/b", "/l", "/y"});
    // 0, from 0.5 on 0.5 - t; 8.5 from 1 to 2, then 10.5 - t.
    EXPECT_NEAR(last(run, "/b"), 7.5, 1e-8) << jump << to_text(run.diagnostics);
    EXPECT_NEAR(last(run, "/z"), -0.125 + 8.5 + 8, 1e-7) << jump;
    EXPECT_EQ(compare_times(run.fired("c"), {1}, 1e-8), "") << jump;
    // -t until 1; then -1 + 4 (t - 1) until it meets 10 - t at 3.
    EXPECT_NEAR(last(run, "/l"), 7, 1e-7) << jump;
    EXPECT_NEAR(last(run, "/y"), -0.5 + 2 * (-1 + 7) / 2, 1e-7) << jump;
  }
}

// Reversals at corners, at the start, and of an input that rests.
TEST_P(Memories, TurnBackAtCorners) {
  const auto run = run_hybrid(settings("stop 6") +
                                  "t: Time\nu: MathExpression expression='abs(mod(u1+1,4)-2)'\nt:1 -> u:1\n"
                                  "b: Backlash gap=0.5 y0=1\nu:1 -> b:1\nz: Integral\nb:1 -> z:1\n"
                                  "d: MathExpression expression='3-min(u1,2)'\nt:1 -> d:1\nf: Backlash gap=1 y0=0\n"
                                  "d:1 -> f:1\n",
                              {"/z", "/b", "/f"});
  // u = 1 - t to 1, t - 1 to 3, 5 - t to 5, t - 5: y falls from 1 at 0.25 to 0.25, rises at 1.5 from 0.25 to 1.75 at 3,
  // falls from 3.5 on to 0.25 at 5, rises from 5.5 on to 0.75.
  EXPECT_NEAR(last(run, "/b"), 0.75, 1e-9) << to_text(run.diagnostics);
  const double expected = 0.25 + 0.75 * (1 + 0.25) / 2 + 0.5 * 0.25 + 1.5 * (0.25 + 1.75) / 2 + 0.5 * 1.75 +
                          1.5 * (1.75 + 0.25) / 2 + 0.5 * 0.25 + 0.5 * (0.25 + 0.75) / 2;
  EXPECT_NEAR(last(run, "/z"), expected, 1e-7);
  EXPECT_NEAR(last(run, "/f"), 1.5, 1e-9);  // pushed to 2.5 at the start, taken along again from 1 on
}

}  // namespace
}  // namespace orrery::tests::memories_test
