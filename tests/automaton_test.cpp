// SPDX-License-Identifier: Apache-2.0
// The automata of chapter 17, run as the examples are, against independent computations.
#include <functional>

#include "base/folders_for_tests.h"
#include "semantics.h"

namespace orrery::tests::automaton_test {
namespace {

ModelRun run_example(const std::string& name, const std::string& solver = "") {
  Diagnostics diagnostics;
  auto model = api::open_model(source_folder() + "/examples/automata/" + name, diagnostics);
  EXPECT_TRUE(model) << to_text(diagnostics);
  if (!model) return {};
  if (!solver.empty()) model->settings.solver.text = solver;
  ModelRun run = run_model(*model, {});
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  return run;
}

// When the automaton changed its mode, and to which.
struct Change {
  double time;
  int mode;
};
std::vector<Change> mode_changes(const ModelRun& run) {
  std::vector<Change> changes;
  std::size_t column = 0;
  while (column < run.recording.names.size() && run.recording.names[column] != "/Mode.1[1]") ++column;
  EXPECT_LT(column, run.recording.names.size());
  if (run.recording.rows() == 0) return changes;
  double before = run.recording.value(0, column);
  for (std::size_t r = 1; r < run.recording.rows(); ++r) {
    const double mode = run.recording.value(r, column);
    if (mode != before) changes.push_back({run.recording.time[r], static_cast<int>(mode)});
    before = mode;
  }
  return changes;
}

// The first root of an increasing-through-zero function after `from`, by stepping and bisection.
double first_rise(const std::function<long double(long double)>& g, double from, double step, double until) {
  for (double t = from; t < until; t += step) {
    if (!(g(t) <= 0 && g(t + step) > 0)) continue;
    long double lo = t, hi = t + step;
    for (int k = 0; k < 80; ++k) {
      const long double middle = (lo + hi) / 2;
      (g(middle) > 0 ? hi : lo) = middle;
    }
    return static_cast<double>(hi);
  }
  return until;
}

// The circuit in closed form, in extended precision. With R C v' = R i - v and L i' = e - v both are damped
// oscillations around (e, e / R); with no current v decays.
class Buck {
 public:
  using Real = long double;
  struct Point {
    Real v, i;
  };

  static Real ramp(Real t) {
    const Real phase = t / period - std::floor(t / period);
    return 3.8L + (8.2L - 3.8L) * phase;
  }
  static Real excess(Real t, Real v) { return ramp(t) - (v - 11.3L) * 8.4L; }

  static Point flow(int mode, Point from, Real dt) {
    if (mode == 3) return {from.v * std::exp(-dt / (R * C)), 0};
    const Real e = mode == 1 ? 20 : 0;
    const Real damping = 1 / (2 * R * C), frequency = std::sqrt(1 / (L * C) - damping * damping);
    const Real w = from.v - e, j = from.i - e / R;
    const Real rate = (j - w / R) / C;
    const Real c = std::cos(frequency * dt), s = std::sin(frequency * dt), decay = std::exp(-damping * dt);
    const Real b = (rate + damping * w) / frequency;
    const Real wt = decay * (w * c + b * s);
    const Real wt_rate = decay * (-damping * (w * c + b * s) + frequency * (b * c - w * s));
    return {wt + e, C * wt_rate + wt / R + e / R};
  }

  // The next change after t, within the period of the ramp or at its end.
  static std::vector<Change> changes(std::size_t count) {
    std::vector<Change> list;
    Point x{0, 0};
    Real t = 0;
    int mode = 1;
    long cycle = 0;
    while (list.size() < count) {
      const Real end = static_cast<Real>(cycle + 1) * period;
      const auto at = [&](Real time) { return flow(mode, x, time - t); };
      // Just below the end of the period the ramp is still high.
      const auto on = [&](long double s) { return excess_in(cycle, s, at(s).v); };
      const auto off = [&](long double s) { return -excess_in(cycle, s, at(s).v); };
      const auto empty = [&](long double s) { return -at(s).i; };
      const auto start = static_cast<double>(t), stop = static_cast<double>(end), step = 2e-8;
      double next = stop;
      int to = mode;
      const auto try_one = [&](const std::function<long double(long double)>& g, int target) {
        const double found = first_rise(g, start, step, next);
        if (found < next) {
          next = found;
          to = target;
        }
      };
      if (mode == 1) try_one(off, 2);
      if (mode != 1) try_one(on, 1);
      if (mode == 2) try_one(empty, 3);
      if (next < stop) {
        x = at(next);
        t = next;
      } else {
        x = at(end);
        t = end;
        ++cycle;
        const Real q = excess_in(cycle, t, x.v);
        to = mode == 1 && q < 0 ? 2 : mode != 1 && q > 0 ? 1 : mode;
      }
      if (to == mode) continue;
      mode = to;
      if (mode == 3) x.i = 0;
      list.push_back({static_cast<double>(t), mode});
    }
    return list;
  }

 private:
  static constexpr Real L = 20e-3L, C = 47e-6L, R = 110, period = 400e-6L;
  static Real excess_in(long cycle, Real t, Real v) {
    const Real phase = (t - static_cast<Real>(cycle) * period) / period;
    return 3.8L + (8.2L - 3.8L) * phase - (v - 11.3L) * 8.4L;
  }
};

TEST(Automaton, BuckConverterSwitchesWhereTheClosedFormDoes) {
  const auto changes = mode_changes(run_example("buck_converter.orr"));
  const auto exact = Buck::changes(20);
  ASSERT_GE(changes.size(), 20u);
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(changes[k].mode, exact[k].mode) << k;
    EXPECT_NEAR(changes[k].time, exact[k].time, 1e-9) << k;
  }
}

// Until the second change everything is a cosine: separate from rest, then stuck with the common momentum.
TEST(Automaton, StickyBallsMeetAndPartOnTime) {
  const auto run = run_example("sticky_balls.orr");
  const auto changes = mode_changes(run);
  ASSERT_GE(changes.size(), 2u);
  const double w2 = std::sqrt(2.0), w3 = std::sqrt(1.5), a3 = 5.0 / 3;
  const double meet =
      first_rise([&](long double t) { return (1 - std::cos(t)) - (2 + std::cos(w2 * t)); }, 0, 1e-3, 10);
  EXPECT_NEAR(changes[0].time, meet, 1e-8);
  EXPECT_EQ(changes[0].mode, 2);
  const double x = 1 - std::cos(meet);
  const double v = (std::sin(meet) - w2 * std::sin(w2 * meet)) / 2;
  const auto stuck = [&](long double s) { return a3 + (x - a3) * std::cos(w3 * s) + v / w3 * std::sin(w3 * s); };
  const double part = first_rise(
      [&](long double s) { return std::fabs((stuck(s) - 1) - 2 * (stuck(s) - 2)) - 10 * std::exp(-s); }, 0, 1e-3, 10);
  EXPECT_NEAR(changes[1].time, meet + part, 1e-7);
  EXPECT_EQ(changes[1].mode, 1);
}

TEST(Automaton, SwingUpEndsUprightInTheCatchingMode) {
  for (const char* solver : {"auto", "radau", "ida", "cvode-bdf-newton"}) {
    const auto run = run_example("swing_up.orr", solver);
    const auto changes = mode_changes(run);
    ASSERT_FALSE(changes.empty()) << solver;
    EXPECT_EQ(changes.back().mode, 4) << solver;
    EXPECT_GT(changes.size(), 3u) << solver;
    const double angle = last(run, "/Angle.1");
    EXPECT_NEAR(std::remainder(angle, 2 * M_PI), 0, 1e-4) << solver;
    EXPECT_NEAR(last(run, "/Speed.1"), 0, 1e-4) << solver;
  }
}

}  // namespace
}  // namespace orrery::tests::automaton_test
