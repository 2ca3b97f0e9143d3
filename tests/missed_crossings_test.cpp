// SPDX-License-Identifier: Apache-2.0
// Ten thousand smooth surfaces that cross zero twice within a small part of a step: none of the crossings is missed.
#include <map>
#include <random>

#include "hybrid_runs.h"

namespace orrery::tests {
namespace {

constexpr int surfaces_per_model = 100;
constexpr double longest_step = 0.01;  // a hundredth of the horizon, which is 1

struct Pair {
  double middle = 0;
  double half = 0;  // of the distance of the two roots
};

// The roots of each kind are middle - half and middle + half and no others in [0, 1].
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
    case 5:  // turned over
      return formula("x", fmt::format("cos(5*(u1-{1:.17g}))-cos({0:.17g})", 5 * d, c));
    default:  // a state that falls and rises again
      return fmt::format(
          "r{0}: MathExpression expression='2*(u1-{1:.17g})'\ns{0}: Integral x0={2:.17g}\nz{0}: ZeroCross\n"
          "t:1 -> r{0}:1\nr{0}:1 -> s{0}:1\ns{0}:1 -> z{0}:1\n",
          number, c, c * c - d * d);
  }
}

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
    std::string text = fmt::format(
        "solver {}\nstop 1\nrtol 1e-6\nt: Time\none: Constant value=1\nx: Integral\none:1 -> x:1\n", GetParam());
    std::vector<Pair> pairs;
    const int kinds =
        GetParam() == "dopri" ? 7 : 6;  // other solvers get the integral of t right to their tolerance only
    for (int k = 0; k < surfaces_per_model; ++k) {
      const double distance = longest_step * std::pow(10, -4 * uniform(random));
      const Pair pair{0.02 + 0.96 * uniform(random), distance / 2};
      pairs.push_back(pair);
      text += surface_text(k, (m + k) % kinds, pair);
    }
    const auto run = run_hybrid(text);
    ASSERT_EQ(run.report.end, sim::End::reached_stop) << to_text(run.diagnostics);
    for (int k = 0; k < surfaces_per_model; ++k) {
      const Pair& pair = pairs[static_cast<std::size_t>(k)];
      const std::string wrong =
          compare_times(run.crossings(fmt::format("z{}", k)), {pair.middle - pair.half, pair.middle + pair.half},
                        0.2 * pair.half + 1e-9);
      if (wrong.empty()) continue;
      ++missed;
      ++by_kind[(m + k) % kinds];
      if (first.empty())
        first = fmt::format("{} (half {}): {}", surface_text(k, (m + k) % kinds, pair), pair.half, wrong);
    }
  }
  for (const auto& [kind, count] : by_kind) first += fmt::format("\nkind {}: {}", kind, count);
  EXPECT_EQ(missed, 0) << "of " << models * surfaces_per_model << ", the first: " << first;
}

INSTANTIATE_TEST_SUITE_P(Solvers, MissedCrossings, testing::ValuesIn(variable_step_solvers()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace orrery::tests
