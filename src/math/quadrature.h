// SPDX-License-Identifier: Apache-2.0
// Integrals of functions by adaptive rules. What the functions throw passes through.
#pragma once

#include <functional>
#include <vector>

namespace orrery::math {

// Values at many points at once.
using VectorFunction = std::function<std::vector<double>(const std::vector<double>& x)>;
// From a to b, either of which may be infinite, by Gauss and Kronrod's rule of 15 points; to within the tolerance, or
// as good as 20 000 panels make it.
double integrate_gauss_kronrod(const VectorFunction& f, double a, double b, double tolerance);

using ScalarFunction = std::function<double(double x)>;
struct Integral {
  double value = 0;
  int evaluations = 0;
};
// Bisection until Gauss and Legendre's rules of 4 and 5 points agree; limits may be infinite. At most 10 000
// evaluations, as for Simpson's rule.
Integral integrate_gauss_legendre(const ScalarFunction& f, double a, double b, double relative = 1e-8,
                                  double absolute = 1e-8);
Integral integrate_simpson(const ScalarFunction& f, double a, double b, double tolerance);

}  // namespace orrery::math
