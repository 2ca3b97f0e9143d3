// SPDX-License-Identifier: Apache-2.0
// Riccati equations and pole placement against closed forms, residuals and the wished eigenvalues.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "math/decompositions.h"
#include "math/linear_model.h"
#include "math/pole_placement.h"
#include "math/riccati.h"

namespace orrery::math {
namespace {

RealMatrix matrix(std::initializer_list<std::initializer_list<double>> rows) {
  RealMatrix m(static_cast<Index>(rows.size()), static_cast<Index>(rows.begin()->size()));
  Index r = 0;
  for (const auto& row : rows) {
    Index c = 0;
    for (double x : row) m(r, c++) = x;
    ++r;
  }
  return m;
}

double largest(const RealMatrix& m) {
  double s = 0;
  for (double x : m.data) s = std::max(s, std::abs(x));
  return s;
}

RealMatrix random_matrix(std::mt19937& random, Index rows, Index cols) {
  RealMatrix m(rows, cols);
  for (double& x : m.data) x = std::uniform_real_distribution<double>(-1, 1)(random);
  return m;
}

// Relative to the largest of the terms.
double dare_residual(const RealMatrix& a, const RealMatrix& b, const RealMatrix& q, const RiccatiSolution& s) {
  const RealMatrix ax = transpose(a) * s.x, free = ax * a, input = ax * b * s.k;
  return largest(free - s.x - input + q) / std::max(largest(s.x), largest(free));
}

double care_residual(const RealMatrix& a, const RealMatrix& b, const RealMatrix& q, const RiccatiSolution& s) {
  const RealMatrix free = transpose(a) * s.x + s.x * a;
  return largest(free - s.x * b * s.k + q) / std::max(largest(s.x), largest(free));
}

// The largest distance of an eigenvalue of a - b k from the wished one next to it.
double pole_error(const RealMatrix& a, const RealMatrix& b, const RealMatrix& k, std::vector<Complex> wished) {
  double worst = 0;
  for (const Complex& z : eigenvalues(a - b * k)) {
    const auto near = std::min_element(wished.begin(), wished.end(), [&](const Complex& x, const Complex& y) {
      return std::abs(x - z) < std::abs(y - z);
    });
    worst = std::max(worst, std::abs(*near - z));
    wished.erase(near);
  }
  return worst;
}

double eigenvector_condition(RealMatrix a) {
  ComplexMatrix v(a.rows, a.rows);
  std::vector<Complex> w(static_cast<std::size_t>(a.rows));
  eigen(static_cast<int>(a.rows), a.data.data(), w.data(), v.data.data());
  const std::vector<double> s = singular_values(v);
  return s.front() / s.back();
}

TEST(Dare, ScalarHasItsClosedForm) {
  for (double a : {0.0, 0.5, 1.0, 2.0, -3.0}) {
    const double b = 0.7, q = 2, r = 3, p = r - a * a * r - q * b * b;
    const double exact = (-p + std::sqrt(p * p + 4 * b * b * q * r)) / (2 * b * b);
    const RiccatiSolution s = solve_dare(matrix({{a}}), matrix({{b}}), matrix({{q}}), matrix({{r}}));
    EXPECT_NEAR(s.x.data[0], exact, 1e-14 * exact) << a;
    EXPECT_NEAR(s.k.data[0], a * b * exact / (r + b * b * exact), 1e-14) << a;
  }
}

// Two delays: the state leaves by itself, so that any input only costs.
TEST(Dare, PlantPolesAtZero) {
  const RiccatiSolution s =
      solve_dare(matrix({{0, 1}, {0, 0}}), matrix({{0}, {1}}), RealMatrix::identity(2), matrix({{1}}));
  EXPECT_LT(largest(s.x - matrix({{1, 0}, {0, 2}})), 1e-14);
  EXPECT_LT(largest(s.k), 1e-14);
}

TEST(Dare, InputsForFree) {
  const RealMatrix a = matrix({{1, 2}, {3, 4}}), one = RealMatrix::identity(2);
  const RiccatiSolution s = solve_dare(a, one, one, RealMatrix(2, 2));
  EXPECT_LT(largest(s.x - one), 1e-13);
  EXPECT_LT(largest(s.k - a), 1e-13);
}

TEST(Riccati, ResidualsOfRandomSystems) {
  std::mt19937 random(7);
  for (int n = 1; n <= 12; ++n) {
    RealMatrix a = random_matrix(random, n, n);
    if (n % 2 == 0)  // a column is lost: a pole at zero
      for (Index i = 0; i < n; ++i) a(i, 0) = n > 1 ? a(i, n - 1) : 0;
    const RealMatrix b = random_matrix(random, n, 2), half = random_matrix(random, n, n);
    const RealMatrix q = half * transpose(half) + RealMatrix::identity(n), r = matrix({{2, 0.5}, {0.5, 1}});
    const RiccatiSolution d = solve_dare(a, b, q, r);
    EXPECT_LT(dare_residual(a, b, q, d), 1e-10) << n;
    for (const Complex& z : eigenvalues(a - b * d.k)) EXPECT_LT(std::abs(z), 1) << n;
    const RiccatiSolution c = solve_care(a, b, q, r);
    EXPECT_LT(care_residual(a, b, q, c), 1e-9) << n;
    for (const Complex& z : eigenvalues(a - b * c.k)) EXPECT_LT(z.real(), 0) << n;
  }
}

TEST(Riccati, WhatCannotBeStabilised) {
  const RealMatrix a = matrix({{2, 0}, {0, 0.5}}), b = matrix({{0}, {1}}), q = RealMatrix::identity(2);
  EXPECT_THROW(solve_dare(a, b, q, matrix({{1}})), Error);
}

// The chemical reactor of Kautsky, Nichols and Van Dooren (1985), example 1.
TEST(Place, ChemicalReactor) {
  const RealMatrix a = matrix({{1.38, -0.2077, 6.715, -5.676},
                               {-0.5814, -4.29, 0, 0.675},
                               {1.067, 4.273, -6.654, 5.893},
                               {0.048, 4.273, 1.343, -2.104}});
  const RealMatrix b = matrix({{0, 0}, {5.679, 0}, {1.136, -3.146}, {1.136, 0}});
  const std::vector<Complex> poles = {-0.2, -0.5, -5.0566, -8.6659};
  const Placement p = place_poles(a, b, poles);
  EXPECT_LT(pole_error(a, b, p.k, poles), 1e-12);
  EXPECT_LT(eigenvector_condition(a - b * p.k), 3.5);
}

TEST(Place, RepeatedAndConjugatePoles) {
  const RealMatrix a = matrix({{0, 1, 0, 0}, {1, 0, 2, 0}, {0, 0, 0, 1}, {3, 0, 1, 0}});
  const RealMatrix b = matrix({{0, 0}, {1, 0}, {0, 0}, {1, 1}});
  for (const std::vector<Complex>& poles : {std::vector<Complex>{-1, -1, -2, -2},
                                            {Complex(-1, 2), Complex(-1, -2), Complex(-1, 2), Complex(-1, -2)},
                                            {-1, Complex(-3, 1), -1, Complex(-3, -1)},
                                            {0, 0, -1, -3}}) {
    const Placement p = place_poles(a, b, poles);
    EXPECT_LT(pole_error(a, b, p.k, poles), 1e-11);
    EXPECT_LT(eigenvector_condition(a - b * p.k), 50);
  }
  // More often than there are inputs: a Jordan block, whose eigenvalues are known to the root of the precision only.
  EXPECT_LT(pole_error(a, b, place_poles(a, b, {-1, -1, -1, -2}).k, {-1, -1, -1, -2}), 1e-3);
}

TEST(Place, InputsThatAddNothing) {
  const RealMatrix a = matrix({{0, 1, 0}, {0, 0, 1}, {1, 2, 3}}), b = matrix({{0, 0, 0}, {0, 1, 0}, {1, 0, 2}});
  const std::vector<Complex> poles = {-1, Complex(-2, 1), Complex(-2, -1)};
  EXPECT_LT(pole_error(a, b, place_poles(a, b, poles).k, poles), 1e-12);
  const RealMatrix square = matrix({{1, 2}, {3, 4}});
  EXPECT_LT(
      pole_error(a, RealMatrix::identity(3), place_poles(a, RealMatrix::identity(3), {-1, -1, -1}).k, {-1, -1, -1}),
      1e-13);
  EXPECT_THROW(place_poles(square, matrix({{1}, {0}}), {-1}), Error);
  EXPECT_THROW(place_poles(square, RealMatrix::identity(2), {Complex(0, 1), -1}), Error);
  EXPECT_THROW(place_poles(RealMatrix::identity(2), matrix({{1}, {0}}), {-1, -2}), Error);
}

TEST(Place, RandomSystems) {
  std::mt19937 random(3);
  for (int n = 2; n <= 14; ++n) {
    const RealMatrix a = random_matrix(random, n, n), b = random_matrix(random, n, 3);
    std::vector<Complex> poles;
    for (int k = 0; k + 1 < n; k += 2) poles.insert(poles.end(), {Complex(-1 - k, 2), Complex(-1 - k, -2)});
    if (n % 2 == 1) poles.push_back(-0.5);
    EXPECT_LT(pole_error(a, b, place_poles(a, b, poles).k, poles), 1e-7) << n;
  }
}

// A double integrator sampled with its input held: phi = [1 h; 0 1], g0 = [h^2/2; h].
TEST(LinearModel, SampledDoubleIntegrator) {
  const LinearModel m = transfer_function(std::vector<double>{1}, {1, 0, 0}, 0);
  const Sampled s = sampled(m, 0.5);
  // The controllable form has the velocity first.
  EXPECT_NEAR(largest(s.phi - matrix({{1, 0}, {0.5, 1}})), 0, 1e-15);
  EXPECT_NEAR(largest(s.g0 - matrix({{0.5}, {0.125}})), 0, 1e-15);
  bool singular = false;
  EXPECT_NEAR(std::abs(response_at(m, Complex(0, 2), singular).data[0] - Complex(-0.25)), 0, 1e-15);
}

}  // namespace
}  // namespace orrery::math
