// SPDX-License-Identifier: Apache-2.0
// Crossings within a step, however close they lie.
#include "sim/step_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace orrery::sim {
namespace {

struct Bench {
  program::Program program;
  long evaluations = 0;

  explicit Bench(std::size_t surfaces = 1) { program.surfaces.resize(surfaces); }

  // Times of all crossings of g over [0, 1], looked at as one step.
  template <class Function>
  std::vector<double> crossings(const Function& g, bool exact = false, const double* rates = nullptr) {
    SurfaceWatch watch(program, 0, 1e-15);
    if (exact) watch.set_exact(0, true);
    StepSearch search(watch, 1e-15);
    const auto evaluate = [&](double t, double* out) {
      ++evaluations;
      *out = g(t);
      watch.correct(t, out);
    };
    const double start = g(0.0);
    const std::uint8_t none = 0;
    watch.begin(0, {&start, rates}, &none);
    search.open(1);
    std::vector<double> times;
    Found found;
    while (search.find(evaluate, 1e-15, found)) {
      times.push_back(found.time);
      watch.settle(found);
    }
    return times;
  }
};

TEST(StepSearch, FourEvaluationsWhereNothingHappens) {
  Bench bench;
  EXPECT_TRUE(bench.crossings([](double t) { return 1 + t * t; }).empty());
  EXPECT_EQ(bench.evaluations, 4);
}

// A surface that rates carry away from zero, by a method whose dense output begins with a slope a little wrong; with
// rates that bring it back it is believed.
TEST(StepSearch, ASlightlyWrongSlopeAtTheBeginningIsNoCrossing) {
  Bench bench;
  const auto g = [](double t) { return t * t - 1e-5 * t; };
  const double away[] = {0, 2, 0}, around[] = {1e-5, -2, 0};
  EXPECT_TRUE(bench.crossings(g, true, away).empty());
  const std::vector<double> times = bench.crossings([&](double t) { return -g(t); }, true, around);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(times[0], 1e-5, 1e-10);
}

// Two zeros a ten-thousandth of the step apart, anywhere, of polynomials that the values determine.
TEST(StepSearch, DoubleRootsOfQuarticsAreSeen) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 10000; ++k) {
    const double a = uniform(random) * 0.999, gap = 1e-4 + 0.1 * uniform(random) * uniform(random);
    const double b = std::min(1.0, a + gap), c = 4 * uniform(random) - 2, d = 0.1 + uniform(random);
    Bench bench;
    const auto g = [&](double t) { return (t - a) * (t - b) * ((t - c) * (t - c) + d); };
    const std::vector<double> times = bench.crossings(g, true);
    ASSERT_EQ(times.size(), b < 1 ? 2u : times.size()) << k << ": " << a << ", " << b;
    EXPECT_NEAR(times[0], a, 1e-9);
  }
}

// The same of smooth functions that are not polynomials.
TEST(StepSearch, DoubleRootsOfSmoothFunctionsAreSeen) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0, 1);
  long evaluations = 0;
  for (int k = 0; k < 10000; ++k) {
    const double a = 0.01 + uniform(random) * 0.98, gap = 1e-4 * std::pow(1e3, uniform(random));
    const double frequency = 0.3 + 2.7 * uniform(random);
    // cos(w (t - a)) - cos(w gap / 2): zeros at a - gap / 2 and a + gap / 2, and a period further on.
    Bench bench;
    const auto g = [&](double t) {
      return -2 * std::sin(frequency * (t - a + gap / 2) / 2) * std::sin(frequency * (t - a - gap / 2) / 2);
    };
    const std::vector<double> times = bench.crossings(g);
    std::size_t expected = (a - gap / 2 > 0 ? 1u : 0u) + (a + gap / 2 < 1 ? 1u : 0u);
    ASSERT_EQ(times.size(), expected) << k << ": " << a << ", gap " << gap << ", frequency " << frequency;
    evaluations += bench.evaluations;
  }
  EXPECT_LT(evaluations / 10000, 120);
}

// It leaves zero and comes back within a small part of the step: the ball after its bounce.
TEST(StepSearch, LeavingZeroAndComingBackIsSeen) {
  for (const double root : {0.5, 1e-2, 1e-4, 1e-6}) {
    Bench bench;
    const std::vector<double> times = bench.crossings([&](double t) { return t * (root - t); }, true);
    ASSERT_EQ(times.size(), 1u) << root;
    EXPECT_NEAR(times[0], root, 1e-12);
  }
}

// At quarters of the step a fast sine may look like a constant; the rate at the end does not agree with that.
TEST(StepSearch, RatesShowWhatValuesHide) {
  program::Program program;
  program.surfaces.resize(1);
  SurfaceWatch watch(program, 0, 1e-15);
  StepSearch search(watch, 1e-15);
  const double w = 8 * M_PI;
  const auto evaluate = [&](double t, double* g) { *g = std::sin(w * t + 0.5); };
  double rates[3] = {};
  search.check_rates([&](double t) {
    rates[0] = w * std::cos(w * t + 0.5);
    return rates;
  });
  double start = 0;
  evaluate(0, &start);
  const std::uint8_t none = 0;
  watch.begin(0, {&start, rates}, &none);
  search.open(1);
  Found found;
  int count = 0;
  for (; search.find(evaluate, 1e-15, found); ++count) watch.settle(found);
  EXPECT_EQ(count, 8);
}

// Where the surface has no value it has not crossed, and noise around zero does not keep the search for ever.
TEST(StepSearch, NeitherNothingNorNoiseKeepsIt) {
  Bench bench;
  EXPECT_EQ(bench.crossings([](double t) { return t < 0.37 ? NAN : 1.0; }).size(), 0u);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  bench.evaluations = 0;
  bench.crossings([&](double) { return 1e-17 * uniform(random); });
  EXPECT_LT(bench.evaluations, 2000000);
}

}  // namespace
}  // namespace orrery::sim
