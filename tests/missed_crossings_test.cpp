// SPDX-License-Identifier: Apache-2.0
// Ten thousand smooth surfaces that cross zero twice within a small part of a step: none of the crossings is missed.
#include <map>
#include <numbers>
#include <random>

#include "hybrid_runs.h"

namespace orrery::tests::missed_crossings_test {
namespace {

constexpr int surfaces_per_model = 100;
constexpr double longest_step = 0.01;  // a hundredth of the horizon, which is 1

struct Pair {
  double middle = 0;
  double half = 0;  // of the distance of the two roots
};

// The roots of each kind are middle - half and middle + half and no others in [0, 1]. x is the time as a state, sine
// and cosine are those of 3 t.
std::string surface_text(int number, int kind, const Pair& roots) {
  const double c = roots.middle, d = roots.half;
  const auto formula = [&](const char* signal, const std::string& text) {
    return fmt::format("f{0}: MathExpression expression='{1}'\nz{0}: ZeroCross\n{2}:1 -> f{0}:1\nf{0}:1 -> z{0}:1\n",
                       number, text, signal);
  };
  const std::string parabola = fmt::format("((u1-{0:.17g})*(u1-{0:.17g})-{1:.17g})", c, d * d);
  switch (kind) {
    case 0: return formula("t", parabola);
    case 1: return formula("x", parabola);
    case 2: return formula("t", "(1+0.3*sin(7*u1))*" + parabola);
    case 3: return formula("x", "exp(-u1)*" + parabola);
    case 4: return formula("t", fmt::format("cos({0:.17g})-cos(5*(u1-{1:.17g}))", 5 * d, c));
    case 7:  // a point on a circle: the double angle of it turns back at the middle
      return fmt::format(
          "f{0}: MathExpression expression='{1:.17g}-({2:.17g}*u1+{3:.17g}*u2)' inputs=2\nz{0}: ZeroCross\n"
          "cosine:1 -> f{0}:1\nsine:1 -> f{0}:2\nf{0}:1 -> z{0}:1\n",
          number, std::cos(3 * d), std::cos(3 * c), std::sin(3 * c));
    case 5:  // turned over
      return formula("x", fmt::format("cos(5*(u1-{1:.17g}))-cos({0:.17g})", 5 * d, c));
    default:  // a state that falls and rises again
      return fmt::format(
          "r{0}: MathExpression expression='2*(u1-{1:.17g})'\ns{0}: Integral x0={2:.17g}\nz{0}: ZeroCross\n"
          "t:1 -> r{0}:1\nr{0}:1 -> s{0}:1\ns{0}:1 -> z{0}:1\n",
          number, c, c * c - d * d);
  }
}

const char* const states = "t: Time\none: Constant value=1\nx: Integral\none:1 -> x:1\n";
const char* const oscillator = R"(
    cosine: Integral x0=1
    sine: Integral
    down: Gain k=-3
    up: Gain k=3
    sine:1 -> down:1
    cosine:1 -> up:1
    down:1 -> cosine:1
    up:1 -> sine:1
)";

class MissedCrossings : public testing::TestWithParam<std::string> {};

TEST_P(MissedCrossings, NoneOfTenThousandSurfaces) {
  const int models =
      from_environment("ORRERY_RANDOM_MODELS", GetParam() == "dopri" ? 10'000 : 2'000) / surfaces_per_model;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  int missed = 0;
  std::map<int, int> by_kind;
  std::string first;
  for (int m = 0; m < models; ++m) {
    // Other solvers get the integral of t right to their tolerance only. Every eighth model has an oscillator, whose
    // surfaces are as far from zero between their roots as its errors demand.
    const bool circle = m % 8 == 7;
    const int kinds = GetParam() == "dopri" ? 7 : 6;
    const auto kind_of = [&](int k) { return circle ? 7 : (m + k) % kinds; };
    std::string text = fmt::format("solver {}\nstop 1\nrtol {}\n", GetParam(), circle ? "1e-10" : "1e-6") + states;
    if (circle) text += oscillator;
    std::vector<Pair> pairs;
    for (int k = 0; k < surfaces_per_model; ++k) {
      const double distance = longest_step * std::pow(10, (circle ? -1 : -4) * uniform(random));
      const Pair pair{0.02 + 0.96 * uniform(random), distance / 2};
      pairs.push_back(pair);
      text += surface_text(k, kind_of(k), pair);
    }
    const auto run = run_hybrid(text);
    ASSERT_EQ(run.report.state, api::RunState::reached_stop) << to_text(run.diagnostics);
    for (int k = 0; k < surfaces_per_model; ++k) {
      const Pair& pair = pairs[static_cast<std::size_t>(k)];
      const std::string wrong =
          compare_times(run.crossings(fmt::format("z{}", k)), {pair.middle - pair.half, pair.middle + pair.half},
                        0.2 * pair.half + 1e-9);
      if (wrong.empty()) continue;
      ++missed;
      ++by_kind[kind_of(k)];
      if (first.empty()) first = fmt::format("{} (half {}): {}", surface_text(k, kind_of(k), pair), pair.half, wrong);
    }
  }
  for (const auto& [kind, count] : by_kind) first += fmt::format("\nkind {}: {}", kind, count);
  EXPECT_EQ(missed, 0) << "of " << models * surfaces_per_model << ", the first: " << first;
}

INSTANTIATE_TEST_SUITE_P(Solvers, MissedCrossings, testing::ValuesIn(variable_step_solvers()), name_of_solver);

// sin(1 / sqrt|1 - t|) and sin(1 / (1 - t)) cross zero without end before and after t = 1: whoever counts that is told,
// and those well before it are all found.
TEST_P(MissedCrossings, ThatAreTooManyAreTold) {
  const std::string formulas[] = {"sin(1/sqrt(abs(1-u1)))", "sin(1/(1-u1))"};
  for (const std::string& formula : formulas) {
    const auto run =
        run_hybrid(fmt::format("solver {}\nstop 3\nt: Time\nf: MathExpression expression='{}'\n"
                               "z: ZeroCross\nn: Counter\nt:1 -> f:1\nf:1 -> z:1\nz:1 => n:1",
                               GetParam(), formula));
    EXPECT_TRUE(has_code(run, "crossings-too-close") || has_code(run, "chattering") || has_code(run, "zeno"))
        << formula << to_text(run.diagnostics);
    const double power = formula == formulas[0] ? 2 : 1;
    std::vector<double> expected, found = run.fired("z");
    for (int k = 1; k <= 20; ++k) {
      const double before = std::pow(1 / (k * std::numbers::pi), power);
      if (before < 1) expected.push_back(1 - before);
    }
    found.resize(std::min(found.size(), expected.size()));
    EXPECT_EQ(compare_times(found, expected, 1e-9), "") << formula;
  }
}

// A pulse that is positive for as long as the largest step, and flat before and behind.
TEST_P(MissedCrossings, OfPulsesAreBoundedByTheLargestStep) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(1, 9);
  std::string text;
  std::vector<double> middles;
  const double half = 0.5e-2, width = half / std::sqrt(std::numbers::ln2);
  for (int k = 0; k < 20; ++k) {
    middles.push_back(uniform(random));
    text += fmt::format(
        "f{0}: MathExpression expression='exp(-((u1-{1:.17g})/{2:.17g})^2)-0.5'\nz{0}: ZeroCross\n"
        "t:1 -> f{0}:1\nf{0}:1 -> z{0}:1\n",
        k, middles.back(), width);
  }
  const auto run = run_hybrid(fmt::format("solver {}\nstop 10\nhmax {}\nt: Time\n", GetParam(), 2 * half) + text);
  for (int k = 0; k < 20; ++k) {
    const double middle = middles[static_cast<std::size_t>(k)];
    EXPECT_EQ(compare_times(run.crossings(fmt::format("z{}", k)), {middle - half, middle + half}, 1e-9), "")
        << to_text(run.diagnostics);
  }
}

}  // namespace
}  // namespace orrery::tests::missed_crossings_test
