// SPDX-License-Identifier: Apache-2.0
// One suite for every solver of the list: accuracy, landing, dense output, restarts, failures.
#include "solve/integrator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "solve/problems_for_tests.h"

namespace orrery::solve {
namespace {

class EverySolver : public testing::TestWithParam<SolverInfo> {
 protected:
  const SolverInfo& info() const { return GetParam(); }
  // What to expect of the error: a solver of low order with a fixed step is as good as its order allows.
  double expected_error(double h) const {
    if (!info().fixed_step) return info().multistep ? 2e-3 : 2e-5;
    return 10 * std::pow(h, std::min(info().order, 5));
  }
};

INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver, testing::ValuesIn(solvers()), [](const auto& solver) {
  std::string name = solver.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EverySolver, ClosedForms) {
  for (const TestProblem& test : {decay(), oscillator(), forced()}) {
    const auto integrator = make(info(), test);
    const std::vector<double> x = solve_to_end(*integrator, test);
    const double exact = test.x0.size() == 2 ? 1 : test.x0[0] == 1 ? std::exp(-2.0) : std::sin(std::pow(1.5, 4)) / 4;
    EXPECT_NEAR(x[0], exact, expected_error(0.01));
  }
}

TEST_P(EverySolver, ErrorFollowsStepOrTolerance) {
  const TestProblem test = oscillator();
  const auto error = [&](const Settings& settings) {
    const auto integrator = make(info(), test, settings);
    const std::vector<double> x = solve_to_end(*integrator, test);
    return std::hypot(x[0] - 1, x[1]);
  };
  if (info().fixed_step) {
    // Steps that divide the interval, else the last, shorter one disturbs the order.
    const double coarse = error({.fixed = test.t_end / 100}), fine = error({.fixed = test.t_end / 200});
    EXPECT_NEAR(std::log2(coarse / fine), info().order, 0.15);
  } else {
    const double coarse = error({.relative = 1e-4, .absolute = 1e-4});
    const double fine = error({.relative = 1e-8, .absolute = 1e-8});
    EXPECT_LT(fine, coarse * 1e-3);
    EXPECT_GT(fine, coarse * 1e-6);
    EXPECT_LT(coarse, 0.1);
  }
}

double dense_error(const SolverInfo& info, const Settings& settings) {
  const TestProblem test = oscillator();
  const auto integrator = make(info, test, settings);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  double worst = 0;
  while (integrator->time() < test.t_end) {
    if (integrator->step(test.t_end) != Status::ok) return 1;
    const double from = integrator->previous_time(), h = integrator->time() - from;
    for (double s = 0.05; s < 1; s += 0.1) {
      double x[2];
      integrator->interpolate(from + s * h, x);
      worst = std::max(worst, std::hypot(x[0] - std::cos(from + s * h), x[1] + std::sin(from + s * h)));
    }
  }
  return worst;
}

TEST_P(EverySolver, DenseOutputIsAsGoodAsTheSteps) {
  if (info().fixed_step) {
    const double coarse = dense_error(info(), {.fixed = 2 * M_PI / 50});
    const double fine = dense_error(info(), {.fixed = 2 * M_PI / 100});
    EXPECT_NEAR(std::log2(coarse / fine), info().order, 0.3);
  } else {
    EXPECT_LT(dense_error(info(), {.relative = 1e-6, .absolute = 1e-6}), info().multistep ? 2e-3 : 2e-5);
    EXPECT_LT(dense_error(info(), {.relative = 1e-10, .absolute = 1e-10}), info().multistep ? 2e-6 : 2e-9);
  }
}

TEST_P(EverySolver, DenseOutputMeetsBothEnds) {
  const TestProblem test = oscillator();
  const auto integrator = make(info(), test);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  double x[2];
  integrator->interpolate(0, x);
  EXPECT_EQ(x[0], 1);
  double last[2] = {1, 0};
  for (int i = 0; i < 20 && integrator->time() < test.t_end; ++i) {
    ASSERT_EQ(integrator->step(test.t_end), Status::ok);
    integrator->interpolate(integrator->time(), x);
    EXPECT_TRUE(std::equal(x, x + 2, integrator->state()));
    integrator->interpolate(integrator->previous_time(), x);
    EXPECT_TRUE(std::equal(x, x + 2, last));
    std::copy_n(integrator->state(), 2, last);
  }
}

TEST_P(EverySolver, WatchedStatesAreThoseOfTheDenseOutput) {
  static int count = 0;
  const Rhs rhs{[](double t, const double* x, double* dx, void*) {
    for (int i = 0; i < count; ++i) dx[i] = std::cos(t) - (1 + 0.1 * i) * x[i];
    return 0;
  }};
  for (const int n : {3, 8, 9, 21}) {
    count = n;
    const TestProblem test{.rhs = rhs, .x0 = std::vector<double>(n, 1.0), .t_end = 1};
    const auto integrator = make(info(), test);
    const std::vector<int> which = {0, 2, n - 1};
    integrator->watch(which);
    ASSERT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
    std::vector<double> some(n), all(n);
    for (int k = 0; k < 5; ++k) {
      ASSERT_EQ(integrator->step(test.t_end), Status::ok);
      for (const double s : {0.0, 0.3, 0.9, 1.0}) {
        const double t = integrator->previous_time() + s * (integrator->time() - integrator->previous_time());
        integrator->interpolate_watched(t, some.data());
        if (k % 2 != 0) continue;
        integrator->interpolate(t, all.data());
        for (const int i : which) EXPECT_EQ(some[i], all[i]) << n << " " << i;
      }
    }
  }
}

TEST_P(EverySolver, LandsExactlyOnEveryStop) {
  const TestProblem test = oscillator();
  const auto integrator = make(info(), test);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  double t = 0;
  for (int i = 1; i <= 300; ++i) {
    t = i * 0.0137;
    ASSERT_TRUE(run_to(*integrator, t));
    ASSERT_EQ(integrator->time(), t);
  }
  // A stop one rounding away, from a running and from a fresh integrator.
  t = std::nextafter(t, 10);
  ASSERT_TRUE(run_to(*integrator, t));
  const std::vector<double> x(integrator->state(), integrator->state() + 2);
  ASSERT_EQ(integrator->start(t, x.data(), true), Status::ok);
  ASSERT_TRUE(run_to(*integrator, std::nextafter(t, 10)));
  EXPECT_LE(integrator->previous_time(), t);
  ASSERT_EQ(integrator->step(integrator->time()), Status::ok);
  ASSERT_TRUE(run_to(*integrator, t + 1));
  EXPECT_NEAR(integrator->state()[0], std::cos(t + 1), expected_error(0.01));
}

TEST_P(EverySolver, RestartsKeepTheAccuracy) {
  const TestProblem test = oscillator();
  const auto integrator = make(info(), test);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(run_to(*integrator, test.t_end * i / 20));
    ASSERT_EQ(integrator->start(integrator->time(), integrator->state(), i % 2 == 0), Status::ok);
  }
  EXPECT_NEAR(integrator->state()[0], 1, expected_error(0.01) * 2);
  EXPECT_NEAR(integrator->state()[1], 0, expected_error(0.01) * 2);
  EXPECT_EQ(integrator->statistics().restarts, 21);
  EXPECT_GE(integrator->statistics().steps, 20);
}

TEST_P(EverySolver, DerivativeThatIsNotFiniteNamesTheState) {
  const Rhs rhs{[](double t, const double*, double* dx, void*) {
    dx[0] = 1;
    dx[1] = t > 0.5 ? std::nan("") : 0.0;
    return 0;
  }};
  const TestProblem test{.rhs = rhs, .x0 = {0, 0}};
  const auto integrator = make(info(), test);
  ASSERT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  EXPECT_FALSE(run_to(*integrator, 1));
  EXPECT_EQ(integrator->failure().code, FailureCode::nan_derivative);
  EXPECT_EQ(integrator->failure().state, 1);
  EXPECT_NEAR(integrator->failure().t, 0.5, 0.02);
  EXPECT_EQ(integrator->time(), integrator->failure().t);
  EXPECT_NEAR(integrator->state()[0], integrator->time(), 1e-6);
  EXPECT_EQ(integrator->state()[1], 0);
  EXPECT_GT(integrator->statistics().rejected_other, 0);
}

TEST_P(EverySolver, InitialPointThatIsNotFinite) {
  const TestProblem test{.rhs = {[](double, const double*, double* dx, void*) { return dx[0] = 1.0 / 0.0, 0; }},
                         .x0 = {0}};
  const auto integrator = make(info(), test);
  // Fixed-step methods evaluate nothing before the first step.
  const Status started = integrator->start(0, test.x0.data(), false);
  EXPECT_EQ(info().fixed_step ? integrator->step(1) : started, Status::failed);
  EXPECT_EQ(integrator->failure().code, FailureCode::nan_derivative);
  EXPECT_EQ(integrator->failure().state, 0);
}

TEST_P(EverySolver, DerivativeThatFails) {
  for (const double sign : {1.0, -1.0}) {
    static double code = 0;
    code = sign;
    const TestProblem test{.rhs = {[](double t, const double*, double* dx, void*) {
                             return dx[0] = 1, t > 0.5 ? static_cast<int>(code) : 0;
                           }},
                           .x0 = {0}};
    const auto integrator = make(info(), test);
    ASSERT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
    EXPECT_FALSE(run_to(*integrator, 1));
    EXPECT_EQ(integrator->failure().code, FailureCode::derivative_failed);
    EXPECT_NEAR(integrator->failure().t, 0.5, sign > 0 ? 0.02 : 0.5);
  }
}

// x' = x^2 from 1 has a pole at t = 1.
TEST_P(EverySolver, PoleEndsTheRun) {
  const TestProblem test{.rhs = {[](double, const double* x, double* dx, void*) { return dx[0] = x[0] * x[0], 0; }},
                         .x0 = {1}};
  const auto integrator = make(info(), test);
  ASSERT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  EXPECT_FALSE(run_to(*integrator, 2));
  EXPECT_NEAR(integrator->failure().t, 1, info().fixed_step ? 0.3 : 1e-3);
  EXPECT_FALSE(integrator->failure().message.empty());
}

TEST_P(EverySolver, NoStates) {
  Problem problem;
  problem.limits.maximum = 0.25;
  problem.limits.fixed = 0.25;
  const auto integrator = make_integrator(info(), problem);
  ASSERT_EQ(integrator->start(0, nullptr, false), Status::ok);
  ASSERT_EQ(integrator->step(1), Status::ok);
  EXPECT_EQ(integrator->time(), 0.25);
  ASSERT_TRUE(run_to(*integrator, 1));
  EXPECT_EQ(integrator->statistics().steps, 4);
  problem.limits.maximum = 0;
  if (info().fixed_step) return;
  const auto unlimited = make_integrator(info(), problem);
  EXPECT_EQ(unlimited->start(0, nullptr, false), Status::ok);
  ASSERT_EQ(unlimited->step(1e9), Status::ok);
  EXPECT_EQ(unlimited->time(), 1e9);
}

TEST_P(EverySolver, BadSettingsShowAtTheStart) {
  const TestProblem test = decay();
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Settings> bad = {{.relative = -1}, {.absolute = std::nan("")}, {.relative = 0, .absolute = 0}};
  if (info().fixed_step) bad = {{.fixed = 0}, {.fixed = -1}, {.fixed = std::nan("")}, {.fixed = infinity}};
  for (const Settings& settings : bad) {
    const auto integrator = make(info(), test, settings);
    EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::failed);
    EXPECT_EQ(integrator->failure().code, FailureCode::bad_solver_setting);
    EXPECT_FALSE(integrator->failure().message.empty());
    EXPECT_EQ(integrator->step(1), Status::failed);
  }
}

TEST_P(EverySolver, SavedRunsContinueBitIdentically) {
  const TestProblem test = oscillator();
  const auto first = make(info(), test), second = make(info(), test);
  EXPECT_EQ(first->start(0, test.x0.data(), false), Status::ok);
  EXPECT_EQ(second->start(0, test.x0.data(), false), Status::ok);
  for (int i = 0; i < 7; ++i) ASSERT_EQ(first->step(test.t_end), Status::ok);
  std::vector<std::byte> bytes;
  if (info().multistep) {
    EXPECT_FALSE(first->save(bytes));
    return;
  }
  ASSERT_TRUE(first->save(bytes));
  ASSERT_TRUE(second->restore(bytes));
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(first->time(), second->time());
    ASSERT_EQ(first->previous_time(), second->previous_time());
    double a[2], b[2];
    const double middle = 0.5 * (first->time() + first->previous_time());
    first->interpolate(middle, a);
    second->interpolate(middle, b);
    ASSERT_TRUE(std::equal(a, a + 2, b));
    ASSERT_TRUE(std::equal(first->state(), first->state() + 2, second->state()));
    ASSERT_EQ(first->step(test.t_end), second->step(test.t_end));
  }
  EXPECT_FALSE(second->restore(std::span(bytes).first(bytes.size() - 1)));
  const auto other = make(info().name == "rk4" ? "rk5" : "rk4", test);
  EXPECT_FALSE(other->restore(bytes));
}

// Asking for dense output must not change the run.
TEST_P(EverySolver, InterpolationLeavesTheRunAlone) {
  const TestProblem test = oscillator();
  const auto quiet = make(info(), test), asked = make(info(), test);
  EXPECT_EQ(quiet->start(0, test.x0.data(), false), Status::ok);
  EXPECT_EQ(asked->start(0, test.x0.data(), false), Status::ok);
  double x[2];
  while (quiet->time() < 3) {
    ASSERT_EQ(quiet->step(3), Status::ok);
    ASSERT_EQ(asked->step(3), Status::ok);
    asked->interpolate(0.7 * asked->time() + 0.3 * asked->previous_time(), x);
  }
  EXPECT_EQ(quiet->time(), asked->time());
  EXPECT_TRUE(std::equal(quiet->state(), quiet->state() + 2, asked->state()));
}

TEST(Solvers, NamesAreFoundHoweverTheyAreWritten) {
  EXPECT_EQ(find_solver("CVODE-BDF-Newton")->name, "cvode-bdf-newton");
  EXPECT_EQ(find_solver("Dormand Prince")->name, "dopri");
  EXPECT_EQ(find_solver("explicit_trapezoidal")->name, "trapezoidal-explicit");
  EXPECT_EQ(find_solver("classical runge-kutta")->name, "rk4");
  EXPECT_EQ(find_solver("radau9000"), nullptr);
  EXPECT_EQ(find_solver(""), nullptr);
}

TEST(Solvers, NoNameIsTakenTwice) {
  for (const SolverInfo& info : solvers()) {
    EXPECT_EQ(find_solver(info.name), &info);
    for (const std::string& alias : info.aliases) EXPECT_EQ(find_solver(alias), &info) << alias;
    EXPECT_FALSE(info.title.empty() || info.summary.empty() || info.options.empty() || info.order == 0);
  }
}

}  // namespace
}  // namespace orrery::solve
