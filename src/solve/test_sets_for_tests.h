// SPDX-License-Identifier: Apache-2.0
// Problems of the Test Set for IVP Solvers (Mazzia and Magherini, Bari) and of Hairer and Wanner, as callbacks.
#pragma once

#include "solve/problems_for_tests.h"
#include "solve/published_values.h"

namespace orrery::solve {

struct TestSet : TestProblem, published::EndPoint {};

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
          published::van_der_pol()};
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
          published::hires()};
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
          published::robertson()};
}

inline TestSet oregonator() {
  const Rhs rhs{[](double, const double* y, double* f, void*) {
    f[0] = 77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1]));
    f[1] = (y[2] - (1 + y[0]) * y[1]) / 77.27;
    f[2] = 0.161 * (y[0] - y[2]);
    return 0;
  }};
  return {{.rhs = rhs, .x0 = {1, 2, 3}, .t_end = 360}, published::oregonator()};
}

// Seven stars in a plane, not stiff.
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
          published::pleiades()};
}

// HNW I, section II.0: a satellite around earth and moon; the initial values return after one period.
inline TestSet arenstorf() {
  const Rhs rhs{[](double, const double* x, double* dx, void*) {
    const double mu = 0.012277471, nu = 1 - mu;
    const double d1 = std::pow((x[0] + mu) * (x[0] + mu) + x[1] * x[1], 1.5);
    const double d2 = std::pow((x[0] - nu) * (x[0] - nu) + x[1] * x[1], 1.5);
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = x[0] + 2 * x[3] - nu * (x[0] + mu) / d1 - mu * (x[0] - nu) / d2;
    dx[3] = x[1] - 2 * x[2] - nu * x[1] / d1 - mu * x[1] / d2;
    return 0;
  }};
  return {{.rhs = rhs, .x0 = published::arenstorf().values, .t_end = 17.0652165601579625588917206249},
          published::arenstorf()};
}

inline TestSet pollution() {
  const Rhs rhs{[](double, const double* y, double* f, void*) {
    const double r[] = {
        0.35 * y[0],         26.6 * y[1] * y[3],  1.23e4 * y[4] * y[1], 8.6e-4 * y[6],         8.2e-4 * y[6],
        1.5e4 * y[6] * y[5], 1.3e-4 * y[8],       2.4e4 * y[8] * y[5],  1.65e4 * y[10] * y[1], 9e3 * y[10] * y[0],
        0.022 * y[12],       1.2e4 * y[9] * y[1], 1.88 * y[13],         1.63e4 * y[0] * y[5],  4.8e6 * y[2],
        3.5e-4 * y[3],       0.0175 * y[3],       1e8 * y[15],          4.44e11 * y[15],       1240 * y[16] * y[5],
        2.1 * y[18],         5.78 * y[18],        0.0474 * y[0] * y[3], 1780 * y[18] * y[0],   3.12 * y[19]};
    f[0] = -r[0] - r[9] - r[13] - r[22] - r[23] + r[1] + r[2] + r[8] + r[10] + r[11] + r[21] + r[24];
    f[1] = -r[1] - r[2] - r[8] - r[11] + r[0] + r[20];
    f[2] = -r[14] + r[0] + r[16] + r[18] + r[21];
    f[3] = -r[1] - r[15] - r[16] - r[22] + r[14];
    f[4] = -r[2] + 2 * r[3] + r[5] + r[6] + r[12] + r[19];
    f[5] = -r[5] - r[7] - r[13] - r[19] + r[2] + 2 * r[17];
    f[6] = -r[3] - r[4] - r[5] + r[12];
    f[7] = r[3] + r[4] + r[5] + r[6];
    f[8] = -r[6] - r[7];
    f[9] = -r[11] + r[6] + r[8];
    f[10] = -r[8] - r[9] + r[7] + r[10];
    f[11] = r[8];
    f[12] = -r[10] + r[9];
    f[13] = -r[12] + r[11];
    f[14] = r[13];
    f[15] = -r[17] - r[18] + r[15];
    f[16] = -r[19];
    f[17] = r[19];
    f[18] = -r[20] - r[21] - r[23] + r[22] + r[24];
    f[19] = -r[24] + r[23];
    return 0;
  }};
  return {{.rhs = rhs, .x0 = {0, 0.2, 0, 0.04, 0, 0, 0.1, 0.3, 0.01, 0, 0, 0, 0, 0, 0, 0, 0.007, 0, 0, 0}, .t_end = 60},
          published::pollution()};
}

// With the stray capacitance 2e-12.
inline TestSet ring_modulator() {
  const Rhs rhs{[](double t, const double* y, double* f, void*) {
    const double c = 1.6e-8, cs = 2e-12, cp = 1e-8, r = 25e3, rp = 50, lh = 4.45, ls1 = 2e-3, ls2 = 5e-4, ls3 = 5e-4;
    const double rg1 = 36.3, rg2 = 17.3, rg3 = 17.3, ri = 50, rc = 600;
    const auto q = [](double u) { return 40.67286402e-9 * (std::exp(17.7493332 * u) - 1); };
    const double in1 = 0.5 * std::sin(2e3 * M_PI * t), in2 = 2 * std::sin(2e4 * M_PI * t);
    const double q1 = q(y[2] - y[4] - y[6] - in2), q2 = q(-y[3] + y[5] - y[6] - in2);
    const double q3 = q(y[3] + y[4] + y[6] + in2), q4 = q(-y[2] - y[5] + y[6] + in2);
    f[0] = (y[7] - y[9] / 2 + y[10] / 2 + y[13] - y[0] / r) / c;
    f[1] = (y[8] - y[11] / 2 + y[12] / 2 + y[14] - y[1] / r) / c;
    f[2] = (y[9] - q1 + q4) / cs;
    f[3] = (-y[10] + q2 - q3) / cs;
    f[4] = (y[11] + q1 - q3) / cs;
    f[5] = (-y[12] - q2 + q4) / cs;
    f[6] = (-y[6] / rp + q1 + q2 - q3 - q4) / cp;
    f[7] = -y[0] / lh;
    f[8] = -y[1] / lh;
    f[9] = (y[0] / 2 - y[2] - rg2 * y[9]) / ls2;
    f[10] = (-y[0] / 2 + y[3] - rg3 * y[10]) / ls3;
    f[11] = (y[1] / 2 - y[4] - rg2 * y[11]) / ls2;
    f[12] = (-y[1] / 2 + y[5] - rg3 * y[12]) / ls3;
    f[13] = (-y[0] + in1 - (ri + rg1) * y[13]) / ls1;
    f[14] = (-y[1] - (rc + rg1) * y[14]) / ls1;
    return 0;
  }};
  return {{.rhs = rhs, .x0 = std::vector<double>(15), .t_end = 1e-3}, published::ring_modulator()};
}

inline Settings settings_for(const TestSet& set, double relative) {
  return {.relative = relative, .absolute = relative * set.scale};
}

}  // namespace orrery::solve
