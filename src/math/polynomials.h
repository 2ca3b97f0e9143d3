// SPDX-License-Identifier: Apache-2.0
// Polynomials as coefficients, highest power first.
#pragma once

#include <span>
#include <vector>

#include "math/matrix.h"

namespace orrery::math {

using Polynomial = std::vector<Complex>;

Polynomial polynomial_roots(Polynomial p);
// Monic; real when the roots come in conjugate pairs.
Polynomial polynomial_from_roots(const std::vector<Complex>& roots);
Polynomial polynomial_product(const Polynomial& a, const Polynomial& b);
// a + sign b
Polynomial polynomial_sum(Polynomial a, Polynomial b, double sign);
Complex polynomial_value(const Polynomial& p, Complex x);
double polynomial_value(std::span<const double> p, double x);
Polynomial polynomial_derivative(const Polynomial& p);
// The one with this constant term.
Polynomial polynomial_integral(Polynomial p, Complex constant);
// y = quotient a + remainder, which has the length of y; y must not be shorter than a, which must not start with zero.
struct Division {
  Polynomial quotient, remainder;
};
Division polynomial_division(Polynomial y, const Polynomial& a);
RealMatrix companion(std::span<const double> p);
// Rows of the powers n ... 0 of x.
RealMatrix vandermonde(std::span<const double> x, Index degree, double mean, double scale);

// b / a = direct + sum of residues / (s - pole)^order. Poles closer than a thousandth are taken as one.
struct PartialFractions {
  std::vector<Complex> residues, poles;
  std::vector<int> orders;
  Polynomial direct;
  bool singular = false;  // the system for the residues was
};
PartialFractions partial_fractions(Polynomial b, Polynomial a);

}  // namespace orrery::math
