// SPDX-License-Identifier: Apache-2.0
// Polynomials, interpolation, special functions, distributions and hulls against numbers known from elsewhere.
#include <gtest/gtest.h>

#include <cmath>

#include "math/distributions.h"
#include "math/hull.h"
#include "math/interpolation.h"
#include "math/matrix_functions.h"
#include "math/polynomials.h"
#include "math/special_functions.h"

namespace orrery::math {
namespace {

TEST(Polynomials, RootsAndPartialFractions) {
  // (s - 1)(s - 2)(s - 3)
  std::vector<Complex> roots = polynomial_roots({1, -6, 11, -6});
  ASSERT_EQ(roots.size(), 3u);
  for (const Complex& r : roots) EXPECT_LT(std::abs(polynomial_value({1, -6, 11, -6}, r)), 1e-12);
  // 1 / ((s + 1)(s + 2)) = 1 / (s + 1) - 1 / (s + 2)
  const PartialFractions f = partial_fractions({1}, {1, 3, 2});
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(f.residues[k].real(), std::abs(f.poles[k] + 1.0) < 0.5 ? 1 : -1, 1e-13);
  const Division d = polynomial_division({1, -6, 11, -6}, {1, -1});
  EXPECT_EQ(d.quotient, (Polynomial{1, -5, 6}));
}

TEST(Interpolation, CubicsAreReproduced) {
  const std::vector<double> x = {0, 1, 2.5, 4, 5}, y = {0, 1, 15.625, 64, 125};
  EXPECT_NEAR(Curve(x, y, "spline")(3), 27, 1e-12);
  EXPECT_NEAR(Curve(x, y, "linear")(0.5), 0.5, 1e-15);
  EXPECT_EQ(Curve(x, y, "previous")(3.9), 15.625);
  EXPECT_THROW(Curve(x, y, "none"), Error);
}

// Abramowitz and Stegun, tables 26.8 and 26.10; Student's t from its closed form for two degrees of freedom.
TEST(Distributions, KnownValues) {
  EXPECT_NEAR(gamma_p(1, 2), 1 - std::exp(-2.0), 1e-15);
  EXPECT_NEAR(beta_p(0.3, 2, 1), 0.09, 1e-16);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(chi2_quantile(0.95, 2), -2 * std::log(0.05), 1e-13);
  for (double p : {1e-12, 0.1, 0.4999999, 0.9}) {
    const double alpha = 4 * p * (1 - p), exact = 2 * (p - 0.5) * std::sqrt(2 / alpha);
    EXPECT_NEAR(t_quantile(p, 2), exact, 1e-8 * std::abs(exact)) << p;
    EXPECT_NEAR(t_cdf(exact, 2), p, 1e-14) << p;
  }
  EXPECT_NEAR(digamma(1), -0.5772156649015329, 1e-15);
  EXPECT_NEAR(trigamma(1), 1.6449340668482264, 1e-14);
  EXPECT_TRUE(std::isnan(gamma_quantile(2, 1, 1)));
  for (double p : {1e-9, 0.2, 0.7}) EXPECT_NEAR(beta_cdf(beta_quantile(p, 2.5, 0.7), 2.5, 0.7), p, 1e-14 + 1e-12 * p);
}

TEST(Hull, CubeAndItsTriangulation) {
  std::vector<double> cube;
  for (int k = 0; k < 8; ++k)
    for (int axis = 0; axis < 3; ++axis) cube.push_back((k >> axis) & 1);
  cube.insert(cube.end(), {0.5, 0.5, 0.5});
  const std::vector<HullFacet> facets = convex_hull(cube, 3, {});
  EXPECT_EQ(facets.size(), 12u);  // two triangles on each side
  for (const HullFacet& f : facets) {
    double centre = -f.offset;
    for (double n : f.normal) centre += 0.5 * n;
    EXPECT_NEAR(centre, -0.5, 1e-14);
  }
  double volume = 0;
  for (const std::vector<int>& s : delaunay(cube, 3, {})) {
    std::vector<double> edges;
    for (std::size_t r = 1; r < 4; ++r)
      for (std::size_t k = 0; k < 3; ++k)
        edges.push_back(cube[static_cast<std::size_t>(s[r]) * 3 + k] - cube[static_cast<std::size_t>(s[0]) * 3 + k]);
    const double part = determinant(edges, 3) / 6;
    EXPECT_GT(part, 0);
    volume += part;
  }
  EXPECT_NEAR(volume, 1, 1e-14);
  EXPECT_TRUE(convex_hull({0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, 3, {}).empty());  // on a line
}

TEST(MatrixFunctions, RotationAndItsLogarithm) {
  RealMatrix a(2, 2);
  a(0, 1) = -1;
  a(1, 0) = 1;
  const RealMatrix e = exponential(a);
  EXPECT_NEAR(e(0, 0), std::cos(1.0), 1e-15);
  EXPECT_NEAR(e(1, 0), std::sin(1.0), 1e-15);
  const ComplexMatrix l = logarithm(to_complex(e));
  EXPECT_NEAR(std::abs(l(1, 0) - 1.0), 0, 1e-14);
}

}  // namespace
}  // namespace orrery::math
