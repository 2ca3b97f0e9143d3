// SPDX-License-Identifier: Apache-2.0
// Problems of the Test Set for IVP Solvers (Mazzia and Magherini, Bari) and of Hairer and Wanner, with the published
// values at the end point.
#pragma once

#include "solve/problems_for_tests.h"

namespace orrery::solve {

struct TestSet : TestProblem {
  const char* name = "";
  std::vector<double> reference = {};  // at t_end; may hold fewer values than there are states
  double scale = 1;                    // absolute tolerance over relative tolerance, and the floor of relative errors
};

inline Sparsity full_pattern(int n) {
  Sparsity pattern{n, {0}, {}};
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) pattern.row.push_back(i);
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  return pattern;
}

inline TestSet van_der_pol() {
  const Rhs rhs{[](double, const double* x, double* dx, void*) {
    dx[0] = x[1];
    dx[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
    return 0;
  }};
  const auto exact = [](double, const double* x, double* j, void*) {
    j[0] = 0;
    j[1] = -2000 * x[0] * x[1] - 1;
    j[2] = 1;
    j[3] = 1000 * (1 - x[0] * x[0]);
    return 0;
  };
  return {{.rhs = rhs, .x0 = {2, 0}, .t_end = 2000, .jacobian = {exact, nullptr, full_pattern(2)}},
          "van_der_pol",
          {1.706167732170483, -0.8928097010247975e-3},
          1};
}

inline TestSet hires() {
  const Rhs rhs{[](double, const double* y, double* f, void*) {
    const double fast = 280 * y[5] * y[7];
    f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    f[1] = 1.71 * y[0] - 8.75 * y[1];
    f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    f[5] = -fast + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    f[6] = fast - 1.81 * y[6];
    f[7] = -f[6];
    return 0;
  }};
  const auto exact = [](double, const double* y, double* j, void*) {
    const double a = 280 * y[7], b = 280 * y[5];
    const double columns[] = {-1.71,     1.71,      /**/ 0.43, -8.75,      8.32,      /**/ 8.32, -10.03, 1.71,
                              /**/ 0.43, -1.12,     0.69,      /**/ 0.035, -1.745,    1.71,
                              /**/ 0.43, -a - 0.43, a,         -a,         /**/ 0.43, 0.69,      -1.81,  1.81,
                              /**/ -b,   b,         -b};
    std::copy_n(columns, std::size(columns), j);
    return 0;
  };
  const Sparsity pattern{
      8, {0, 2, 5, 8, 11, 14, 18, 22, 25}, {0, 1, 0, 1, 3, 0, 2, 3, 2, 3, 5, 2, 4, 5, 4, 5, 6, 7, 4, 5, 6, 7, 5, 6, 7}};
  return {{.rhs = rhs, .x0 = {1, 0, 0, 0, 0, 0, 0, 0.0057}, .t_end = 321.8122, .jacobian = {exact, nullptr, pattern}},
          "hires",
          {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
           0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2},
          1e-4};
}

inline TestSet robertson() {
  const Rhs rhs{[](double, const double* x, double* dx, void*) {
    dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    dx[2] = 3e7 * x[1] * x[1];
    dx[1] = -dx[0] - dx[2];
    return 0;
  }};
  const auto exact = [](double, const double* x, double* j, void*) {
    const double columns[9] = {-0.04,      0.04,       0,           1e4 * x[2], -1e4 * x[2] - 6e7 * x[1],
                               6e7 * x[1], 1e4 * x[1], -1e4 * x[1], 0};
    std::copy_n(columns, 9, j);
    return 0;
  };
  return {{.rhs = rhs, .x0 = {1, 0, 0}, .t_end = 1e11, .jacobian = {exact, nullptr, full_pattern(3)}},
          "robertson",
          {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050},
          1e-6};
}

inline TestSet oregonator() {
  const Rhs rhs{[](double, const double* y, double* f, void*) {
    f[0] = 77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1]));
    f[1] = (y[2] - (1 + y[0]) * y[1]) / 77.27;
    f[2] = 0.161 * (y[0] - y[2]);
    return 0;
  }};
  return {{.rhs = rhs, .x0 = {1, 2, 3}, .t_end = 360},
          "oregonator",
          {1.000814870318523, 1228.178521549917, 132.0554942846706},
          1e-2};
}

// Seven stars in a plane, not stiff; the positions are published.
inline TestSet pleiades() {
  const Rhs rhs{[](double, const double* y, double* f, void*) {
    const double *x = y, *z = y + 7;
    for (int i = 0; i < 7; ++i) {
      double fx = 0, fz = 0;
      for (int j = 0; j < 7; ++j) {
        if (j == i) continue;
        const double dx = x[j] - x[i], dz = z[j] - z[i], r = dx * dx + dz * dz;
        fx += (j + 1) * dx / (r * std::sqrt(r));
        fz += (j + 1) * dz / (r * std::sqrt(r));
      }
      f[i] = y[14 + i];
      f[7 + i] = y[21 + i];
      f[14 + i] = fx;
      f[21 + i] = fz;
    }
    return 0;
  }};
  return {{.rhs = rhs,
           .x0 = {3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0},
           .t_end = 3},
          "pleiades",
          {0.3706139143970502, 3.237284092057233, -3.222559032418324, 0.6597091455775310, 0.3425581707156584,
           1.562172101400631, -0.7003092922212495, -3.943437585517392, -3.271380973972550, 5.225081843456543,
           -2.590612434977470, 1.198213693392275, -0.2429682344935824, 1.091449240428980},
          1};
}

inline Settings settings_for(const TestSet& set, double relative) {
  return {.relative = relative, .absolute = relative * set.scale};
}

// The largest |x - reference| / (scale + |reference|).
inline double error_at_end(const TestSet& set, const double* x) {
  double worst = 0;
  for (std::size_t i = 0; i < set.reference.size(); ++i) {
    worst = std::max(worst, std::abs(x[i] - set.reference[i]) / (set.scale + std::abs(set.reference[i])));
  }
  return worst;
}

}  // namespace orrery::solve
