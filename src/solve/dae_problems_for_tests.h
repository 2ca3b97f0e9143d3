// SPDX-License-Identifier: Apache-2.0
// Implicit problems with known answers, shared by the tests of the DAE solvers.
#pragma once

#include <cmath>

#include "solve/dae.h"
#include "solve/test_sets_for_tests.h"

namespace orrery::solve {

struct DaeTest {
  DaeProblem problem;
  std::vector<double> x0, dx0;
  double t_end = 1;
  std::vector<double> reference = {};
};

// Robertson's kinetics with the conservation law as an equation.
inline DaeTest robertson_dae() {
  DaeTest test;
  test.problem.n = 3;
  test.problem.residual = {[](double, const double* x, const double* dx, double* r, void*) {
    const double first = -0.04 * x[0] + 1e4 * x[1] * x[2], third = 3e7 * x[1] * x[1];
    r[0] = dx[0] - first;
    r[1] = dx[1] + first + third;
    r[2] = x[0] + x[1] + x[2] - 1;
    return 0;
  }};
  test.problem.jacobian = {[](double, double c, const double* x, const double*, double* j, void*) {
                             const double columns[] = {
                                 c + 0.04,    -0.04,      1, -1e4 * x[2], c + 1e4 * x[2] + 6e7 * x[1], 1,
                                 -1e4 * x[1], 1e4 * x[1], 1};
                             std::copy_n(columns, 9, j);
                             return 0;
                           },
                           nullptr, full_pattern(3)};
  test.problem.differential = {1, 1, 0};
  test.problem.tolerance = {.relative = 1e-7, .absolute = 1e-7, .absolute_per_state = {1e-13, 1e-18, 1e-9}};
  test.x0 = {1, 0, 0};
  test.dx0 = {-0.04, 0.04, 0};
  test.t_end = 1e11;
  test.reference = published::robertson().values;
  return test;
}

// The two-transistor amplifier of the Test Set for IVP Solvers: capacitors couple the derivatives, index 1.
inline int amplifier(double t, const double* y, const double* d, double* r, void*) {
  const double ub = 6, alpha = 0.99, r0 = 1000, rk = 9000;
  const auto g = [](double u) { return 1e-6 * (std::exp(u / 0.026) - 1); };
  const double ue = 0.1 * std::sin(200 * M_PI * t), g23 = g(y[1] - y[2]), g56 = g(y[4] - y[5]);
  const double f[8] = {-ue / r0 + y[0] / r0,
                       -ub / rk + y[1] * 2 / rk - (alpha - 1) * g23,
                       -g23 + y[2] / rk,
                       -ub / rk + y[3] / rk + alpha * g23,
                       -ub / rk + y[4] * 2 / rk - (alpha - 1) * g56,
                       -g56 + y[5] / rk,
                       -ub / rk + y[6] / rk + alpha * g56,
                       y[7] / rk};
  const double m[8] = {1e-6 * (d[1] - d[0]), 1e-6 * (d[0] - d[1]), -2e-6 * d[2],         3e-6 * (d[4] - d[3]),
                       3e-6 * (d[3] - d[4]), -4e-6 * d[5],         5e-6 * (d[7] - d[6]), 5e-6 * (d[6] - d[7])};
  for (int i = 0; i < 8; ++i) r[i] = m[i] - f[i];
  return 0;
}

inline DaeTest transistor_amplifier() {
  DaeTest test;
  test.problem.n = 8;
  test.problem.residual = {amplifier};
  test.problem.tolerance = {.relative = 1e-7, .absolute = 1e-7, .absolute_per_state = {}};
  test.x0 = {0, 3, 3, 6, 3, 3, 6, 0};
  test.dx0 = {51.338775,   51.338775,          -3 / (2e-6 * 9000), -24.9757667,
              -24.9757667, -3 / (4e-6 * 9000), -10.00564453,       -10.00564453};
  test.t_end = 0.2;
  test.reference = published::transistor_amplifier().values;
  return test;
}

// x' = y, 0 = y + x z - sin t, 0 = z - 1: an oscillation with algebraic parts; x' = sin t - x from x(0) = 1.
inline DaeTest forced_decay() {
  DaeTest test;
  test.problem.n = 3;
  test.problem.residual = {[](double t, const double* x, const double* dx, double* r, void*) {
    r[0] = dx[0] - x[1];
    r[1] = x[1] + x[0] * x[2] - std::sin(t);
    r[2] = x[2] - 1;
    return 0;
  }};
  test.problem.differential = {1, 0, 0};
  test.problem.tolerance = {.relative = 1e-8, .absolute = 1e-8, .absolute_per_state = {}};
  test.x0 = {1, -1, 1};
  test.dx0 = {-1, 0, 0};
  test.t_end = 5;
  return test;
}

inline double forced_decay_at(double t) { return 1.5 * std::exp(-t) + (std::sin(t) - std::cos(t)) / 2; }

inline bool run_to(DaeIntegrator& integrator, double t) {
  for (int i = 0; i < 1000000 && integrator.time() < t; ++i) {
    if (integrator.step(t) != Status::ok) return false;
  }
  return integrator.time() == t;
}

// A pendulum of unit length in Cartesian coordinates x, y, u, v with the force l in the rod, from the horizontal: the
// constraint differentiated twice makes it an equation of index 1 for l.
inline DaeTest pendulum_index_1() {
  DaeTest test;
  test.problem.n = 5;
  test.problem.residual = {[](double, const double* x, const double* dx, double* r, void*) {
    const double g = 9.81;
    r[0] = dx[0] - x[2];
    r[1] = dx[1] - x[3];
    r[2] = dx[2] + x[4] * x[0];
    r[3] = dx[3] + x[4] * x[1] + g;
    r[4] = x[2] * x[2] + x[3] * x[3] - x[4] * (x[0] * x[0] + x[1] * x[1]) - g * x[1];
    return 0;
  }};
  test.problem.differential = {1, 1, 1, 1, 0};
  test.problem.tolerance = {.relative = 1e-8, .absolute = 1e-8, .absolute_per_state = {}};
  test.x0 = {1, 0, 0, 0, 0};
  test.dx0 = {0, 0, 0, -9.81, 0};
  test.t_end = 2;
  test.reference = published::pendulum().values;
  return test;
}

}  // namespace orrery::solve
