// SPDX-License-Identifier: Apache-2.0
// Initial value problems with known answers, shared by the tests of the integrators.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "solve/integrator.h"

namespace orrery::solve {

struct TestProblem {
  Rhs rhs;
  std::vector<double> x0;
  double t_end = 1;
  Jacobian jacobian = {};
};

// x' = -x: x = exp(-t)
inline TestProblem decay() {
  return {.rhs = {[](double, const double* x, double* dx, void*) { return dx[0] = -x[0], 0; }}, .x0 = {1}, .t_end = 2};
}

// x'' = -x: (cos t, -sin t)
inline TestProblem oscillator() {
  return {.rhs = {[](double, const double* x, double* dx, void*) { return dx[0] = x[1], dx[1] = -x[0], 0; }},
          .x0 = {1, 0},
          .t_end = 2 * M_PI};
}

// x' = t^3 cos(t^4): depends on time alone, x = sin(t^4) / 4
inline TestProblem forced() {
  const Rhs rhs{[](double t, const double*, double* dx, void*) {
    dx[0] = t * t * t * std::cos(t * t * t * t);
    return 0;
  }};
  return {.rhs = rhs, .x0 = {0}, .t_end = 1.5};
}

struct Settings {
  double relative = 1e-6, absolute = 1e-9, fixed = 0.01;
};

inline std::unique_ptr<Integrator> make(const SolverInfo& info, const TestProblem& test,
                                        const Settings& settings = {}) {
  Problem problem;
  problem.n = static_cast<int>(test.x0.size());
  problem.rhs = test.rhs;
  problem.jacobian = test.jacobian;
  problem.tolerance.relative = settings.relative;
  problem.tolerance.absolute = settings.absolute;
  problem.limits.fixed = settings.fixed;
  problem.t_end_hint = test.t_end;
  return make_integrator(info, problem);
}

inline std::unique_ptr<Integrator> make(const char* name, const TestProblem& test, const Settings& settings = {}) {
  return make(*find_solver(name), test, settings);
}

// Steps to t exactly, at most a million times; false: a step failed.
inline bool run_to(Integrator& integrator, double t) {
  for (int i = 0; i < 1000000 && integrator.time() < t; ++i) {
    if (integrator.step(t) != Status::ok) return false;
  }
  return integrator.time() == t;
}

inline std::vector<double> solve_to_end(Integrator& integrator, const TestProblem& test) {
  EXPECT_EQ(integrator.start(0, test.x0.data(), false), Status::ok) << integrator.failure().message;
  EXPECT_TRUE(run_to(integrator, test.t_end))
      << name_of(integrator.failure().code) << ": " << integrator.failure().message;
  return {integrator.state(), integrator.state() + test.x0.size()};
}

}  // namespace orrery::solve
