// SPDX-License-Identifier: Apache-2.0
// Incomplete gamma and beta functions and their inverses: the basis of the distributions.
#pragma once

namespace orrery::oml {

double gamma_p(double a, double x);  // regularised lower incomplete gamma
double gamma_q(double a, double x);  // 1 - gamma_p
double beta_regularised(double x, double a, double b);
double inverse_gamma_p(double a, double p);
double inverse_beta(double p, double a, double b);
double inverse_erf(double y);
double normal_quantile(double p);
double digamma(double x);

}  // namespace orrery::oml
