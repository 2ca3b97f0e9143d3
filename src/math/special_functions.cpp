// SPDX-License-Identifier: Apache-2.0
// Special functions by Boost.Math. The only file that includes it: it takes seconds to compile.
#include "math/special_functions.h"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

namespace orrery::math {
namespace {

namespace policies = boost::math::policies;
// Nothing is thrown: what cannot be computed is NaN or infinite, as with the functions of <cmath>.
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;
constexpr Quiet quiet;

bool is_positive(double a) { return a > 0 && std::isfinite(a); }

}  // namespace

double gamma_p(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a < 0) return NAN;
  if (x <= 0) return 0;
  if (a == 0 || std::isinf(x)) return 1;
  return std::isinf(a) ? 0 : boost::math::gamma_p(a, x, quiet);
}

double gamma_q(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a < 0) return NAN;
  if (x <= 0) return 1;
  if (a == 0 || std::isinf(x)) return 0;
  return std::isinf(a) ? 1 : boost::math::gamma_q(a, x, quiet);
}

double gamma_p_derivative(double a, double x) {
  if (!is_positive(a) || std::isnan(x)) return NAN;
  return x < 0 || std::isinf(x) ? 0 : boost::math::gamma_p_derivative(a, x, quiet);
}

double inverse_gamma_p(double a, double p) {
  if (std::isnan(p) || p < 0 || p > 1 || !is_positive(a)) return NAN;
  if (p == 0) return 0;
  if (p == 1) return INFINITY;
  return boost::math::gamma_p_inv(a, p, quiet);
}

double beta_p(double x, double a, double b) {
  if (std::isnan(x) || std::isnan(a) || std::isnan(b)) return NAN;
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return is_positive(a) && is_positive(b) ? boost::math::ibeta(a, b, x, quiet) : NAN;
}

double beta_q(double x, double a, double b) {
  if (std::isnan(x) || std::isnan(a) || std::isnan(b)) return NAN;
  if (x <= 0) return 1;
  if (x >= 1) return 0;
  return is_positive(a) && is_positive(b) ? boost::math::ibetac(a, b, x, quiet) : NAN;
}

double beta_p_derivative(double x, double a, double b) {
  if (!is_positive(a) || !is_positive(b) || std::isnan(x)) return NAN;
  if (x < 0 || x > 1) return 0;
  if (x == 0) return a < 1 ? INFINITY : a == 1 ? b : 0;
  if (x == 1) return b < 1 ? INFINITY : b == 1 ? a : 0;
  return boost::math::ibeta_derivative(a, b, x, quiet);
}

double inverse_beta_p(double p, double a, double b, double& rest) {
  rest = NAN;
  if (std::isnan(p) || p < 0 || p > 1 || !is_positive(a) || !is_positive(b)) return NAN;
  rest = 1 - p;
  if (p == 0 || p == 1) return p;
  return boost::math::ibeta_inv(a, b, p, &rest, quiet);
}

double inverse_erf(double y) {
  if (std::isnan(y) || y < -1 || y > 1) return NAN;
  if (std::abs(y) == 1) return std::copysign(INFINITY, y);
  return boost::math::erf_inv(y, quiet);
}

double inverse_erfc(double y) {
  if (std::isnan(y) || y < 0 || y > 2) return NAN;
  if (y == 0) return INFINITY;
  if (y == 2) return -INFINITY;
  return boost::math::erfc_inv(y, quiet);
}

double digamma(double x) {
  if (std::isnan(x) || (x <= 0 && x == std::floor(x))) return NAN;
  return std::isinf(x) ? x : boost::math::digamma(x, quiet);
}

double trigamma(double x) {
  if (std::isnan(x) || (x <= 0 && x == std::floor(x))) return NAN;
  return std::isinf(x) ? 0 : boost::math::trigamma(x, quiet);
}

}  // namespace orrery::math
