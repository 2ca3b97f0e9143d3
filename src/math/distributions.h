// SPDX-License-Identifier: Apache-2.0
// Densities, distribution functions and quantiles. Each takes the point (or probability) and up to two parameters, so
// that all have one type; NaN where the parameters make no distribution.
#pragma once

namespace orrery::math {

// Mean.
double exponential_pdf(double x, double mean, double);
double exponential_cdf(double x, double mean, double);
double exponential_quantile(double p, double mean, double);
double weibull_pdf(double x, double scale, double shape);
double weibull_cdf(double x, double scale, double shape);
double weibull_quantile(double p, double scale, double shape);
double normal_pdf(double x, double mean, double deviation);
double normal_cdf(double x, double mean, double deviation);
double normal_quantile(double p, double mean = 0, double deviation = 1);
double lognormal_pdf(double x, double mean, double deviation);
double lognormal_cdf(double x, double mean, double deviation);
double lognormal_quantile(double p, double mean, double deviation);
double uniform_pdf(double x, double a, double b);
double uniform_cdf(double x, double a, double b);
double uniform_quantile(double p, double a, double b);
double beta_pdf(double x, double a, double b);
double beta_cdf(double x, double a, double b);
double beta_quantile(double p, double a, double b);
double gamma_pdf(double x, double shape, double scale);
double gamma_cdf(double x, double shape, double scale);
double gamma_quantile(double p, double shape, double scale);
// Degrees of freedom.
double chi2_pdf(double x, double n, double = 0);
double chi2_cdf(double x, double n, double = 0);
double chi2_quantile(double p, double n, double = 0);
double t_pdf(double x, double n, double = 0);
double t_cdf(double x, double n, double = 0);
double t_quantile(double p, double n, double = 0);
double f_pdf(double x, double m, double n);
double f_cdf(double x, double m, double n);
double f_quantile(double p, double m, double n);
double poisson_pdf(double k, double mean, double);
double poisson_cdf(double k, double mean, double);
double poisson_quantile(double p, double mean, double);
double binomial_pdf(double k, double n, double p);
double binomial_cdf(double k, double n, double p);
double binomial_quantile(double q, double n, double p);

}  // namespace orrery::math
