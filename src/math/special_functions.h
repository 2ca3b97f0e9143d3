// SPDX-License-Identifier: Apache-2.0
// Incomplete gamma and beta functions, their inverses and derivatives: the basis of the distributions. NaN outside
// their domain.
#pragma once

namespace orrery::math {

double gamma_p(double a, double x);             // regularised lower incomplete gamma function
double gamma_q(double a, double x);             // 1 - gamma_p
double gamma_p_derivative(double a, double x);  // with respect to x
double inverse_gamma_p(double a, double p);
double beta_p(double x, double a, double b);             // regularised incomplete beta function
double beta_q(double x, double a, double b);             // 1 - beta_p
double beta_p_derivative(double x, double a, double b);  // with respect to x
// x with beta_p(x, a, b) = p; `rest` becomes 1 - x with all its digits.
double inverse_beta_p(double p, double a, double b, double& rest);
double inverse_erf(double y);
double inverse_erfc(double y);
double digamma(double x);
double trigamma(double x);

}  // namespace orrery::math
