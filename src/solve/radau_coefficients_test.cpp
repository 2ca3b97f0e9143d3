// SPDX-License-Identifier: Apache-2.0
// Radau IIA's computed coefficients against the closed forms of the three-stage method and its defining conditions.
#include "solve/radau_coefficients.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::solve {
namespace {

// Hairer and Wanner, Solving ODEs II, table IV.5.6 and section IV.8.
TEST(RadauCoefficients, ThreeStagesHaveClosedForms) {
  const RadauCoefficients& r = radau_coefficients(3);
  const double root6 = std::sqrt(6.0);
  EXPECT_NEAR(r.node[0], (4 - root6) / 10, 1e-16);
  EXPECT_NEAR(r.node[1], (4 + root6) / 10, 1e-16);
  EXPECT_EQ(r.node[2], 1);
  EXPECT_NEAR(r.gamma, 3 + std::cbrt(3.0) * (std::cbrt(3.0) - 1), 1e-14);
  EXPECT_NEAR(r.error[0], -(13 + 7 * root6) / 3, 1e-14);
  EXPECT_NEAR(r.error[1], (-13 + 7 * root6) / 3, 1e-14);
  EXPECT_NEAR(r.error[2], -1.0 / 3, 1e-14);
}

// Collocation solves x' = k t^(k-1) exactly up to k = s: z_i = c_i^k must give h f_i = inverse(A) z, which the
// transformed system says as inverse(T) f = Lambda inverse(T) z.
TEST(RadauCoefficients, TransformedSystemCollocatesPolynomials) {
  for (const int s : {3, 5, 7}) {
    const RadauCoefficients& r = radau_coefficients(s);
    for (int k = 1; k <= s; ++k) {
      double w[7] = {}, g[7] = {};
      for (int i = 0; i < s; ++i) {
        for (int j = 0; j < s; ++j) {
          w[i] += r.t_inverse[i][j] * std::pow(r.node[j], k);
          g[i] += r.t_inverse[i][j] * k * std::pow(r.node[j], k - 1);
        }
      }
      EXPECT_NEAR(g[0], r.gamma * w[0], 2e-13);
      for (int p = 0; p < s / 2; ++p) {
        const double* v = w + 1 + 2 * p;
        EXPECT_NEAR(g[1 + 2 * p], r.alpha[p] * v[0] + r.beta[p] * v[1], 2e-13);
        EXPECT_NEAR(g[2 + 2 * p], -r.beta[p] * v[0] + r.alpha[p] * v[1], 2e-13);
      }
      // The error estimate sees none of the polynomials the embedded formula integrates: h f0 + error z = 0.
      double estimate = k == 1 ? 1 : 0;
      for (int i = 0; i < s; ++i) estimate += r.error[i] * std::pow(r.node[i], k);
      EXPECT_NEAR(estimate, 0, 2e-13);
    }
  }
}

}  // namespace
}  // namespace orrery::solve
