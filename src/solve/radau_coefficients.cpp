// SPDX-License-Identifier: Apache-2.0
// From the definition of Radau IIA (Hairer and Wanner, Solving ODEs II, IV.5): collocation at the zeros of
// P_s(2c - 1) - P_(s-1)(2c - 1), P Legendre's polynomials, so that a[i][j] is the integral of l_j from 0 to c_i.
#include "solve/radau_coefficients.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace orrery::solve {

namespace {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

// P_k(x) and P_(k-1)(x).
std::pair<Real, Real> legendre(int k, Real x) {
  Real last = 1, now = x;
  if (k == 0) return {1, 0};
  for (int m = 2; m <= k; ++m) {
    const Real next = ((2 * m - 1) * x * now - (m - 1) * last) / m;
    last = now;
    now = next;
  }
  return {now, last};
}

// All zeros of f in (-1, 1), by sign changes on a fine grid and bisection; f has them simple and apart.
template <class Function>
std::vector<Real> zeros_inside(Function f) {
  constexpr int pieces = 4001;  // odd: the middle of the interval is no grid point
  std::vector<Real> zeros;
  // Not up to 1 itself: P_s - P_(s-1) is zero there.
  const Real first = -1, last = 1 - Real(1e-3);
  for (int p = 0; p < pieces; ++p) {
    Real a = first + (last - first) * p / pieces, b = first + (last - first) * (p + 1) / pieces;
    if ((f(a) < 0) == (f(b) < 0)) continue;
    const bool rising = f(a) < 0;
    for (int k = 0; k < 80; ++k) {
      const Real middle = (a + b) / 2;
      ((f(middle) < 0) == rising ? a : b) = middle;
    }
    zeros.push_back((a + b) / 2);
  }
  return zeros;
}

RealMatrix collocation_matrix(const std::vector<Real>& c) {
  const int s = static_cast<int>(c.size());
  // Gauss's formula with s points integrates the polynomials l_j exactly.
  const std::vector<Real> gauss = zeros_inside([s](Real x) { return legendre(s, x).first; });
  ORRERY_CHECK(static_cast<int>(gauss.size()) == s);
  RealMatrix a = RealMatrix::Zero(s, s);
  for (const Real x : gauss) {
    const Real slope = s * (legendre(s, x).second - x * legendre(s, x).first) / (1 - x * x);
    const Real weight = 2 / ((1 - x * x) * slope * slope);
    for (int i = 0; i < s; ++i) {
      const Real at = c[i] * (x + 1) / 2;
      for (int j = 0; j < s; ++j) {
        Real l = 1;
        for (int k = 0; k < s; ++k) {
          if (k != j) l *= (at - c[k]) / (c[j] - c[k]);
        }
        a(i, j) += c[i] / 2 * weight * l;
      }
    }
  }
  return a;
}

// The real eigenvector, then real and imaginary part of one of each pair, the last component scaled to 1.
RealMatrix transformation(const RealMatrix& a_inverse, RadauCoefficients& result) {
  const int s = static_cast<int>(a_inverse.rows());
  const Eigen::EigenSolver<RealMatrix> solver(a_inverse);
  RealMatrix t(s, s);
  int pairs = 0;
  for (int k = 0; k < s; ++k) {
    const std::complex<Real> value = solver.eigenvalues()(k);
    if (value.imag() < 0) continue;
    const Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, 1> vector =
        solver.eigenvectors().col(k) / solver.eigenvectors()(s - 1, k);
    if (value.imag() == 0) {
      result.gamma = static_cast<double>(value.real());
      t.col(0) = vector.real();
      continue;
    }
    result.alpha[pairs] = static_cast<double>(value.real());
    result.beta[pairs] = static_cast<double>(value.imag());
    t.col(1 + 2 * pairs) = vector.real();
    t.col(2 + 2 * pairs) = vector.imag();
    ++pairs;
  }
  ORRERY_CHECK(2 * pairs + 1 == s);
  return t;
}

RadauCoefficients compute(int s) {
  RadauCoefficients result;
  result.stages = s;
  std::vector<Real> c = zeros_inside([s](Real x) {
    const auto [now, last] = legendre(s, x);
    return now - last;
  });
  for (Real& node : c) node = (node + 1) / 2;
  c.push_back(1);
  ORRERY_CHECK(static_cast<int>(c.size()) == s);
  const RealMatrix a_inverse = collocation_matrix(c).inverse();
  const RealMatrix t = transformation(a_inverse, result);
  const RealMatrix t_inverse = t.inverse();
  std::vector<Real> at_zero(s, 1);  // l_i(0)
  for (int i = 0; i < s; ++i) {
    Real product = c[i];
    for (int k = 0; k < s; ++k) {
      if (k == i) continue;
      at_zero[i] *= c[k] / (c[k] - c[i]);
      product *= c[i] - c[k];
    }
    result.node[i] = static_cast<double>(c[i]);
    result.lagrange[i] = static_cast<double>(1 / product);
    for (int j = 0; j < s; ++j) {
      result.t[i][j] = static_cast<double>(t(i, j));
      result.t_inverse[i][j] = static_cast<double>(t_inverse(i, j));
    }
  }
  // The embedded formula of order s uses f0 with the weight 1 / gamma; its other weights differ from those of the
  // method by -l_i(0) / gamma, and h f = inverse(A) z.
  for (int j = 0; j < s; ++j) {
    Real sum = 0;
    for (int i = 0; i < s; ++i) sum -= at_zero[i] * a_inverse(i, j);
    result.error[j] = static_cast<double>(sum);
  }
  return result;
}

}  // namespace

const RadauCoefficients& radau_coefficients(int stages) {
  ORRERY_CHECK(stages == 3 || stages == 5 || stages == 7);
  static const std::array<RadauCoefficients, 3> all = {compute(3), compute(5), compute(7)};
  return all[static_cast<std::size_t>(stages - 3) / 2];
}

}  // namespace orrery::solve
