// SPDX-License-Identifier: Apache-2.0
// Statistics of samples beside their distributions.
#include "math/hypothesis_tests.h"

#include <algorithm>
#include <cmath>

#include "math/distributions.h"
#include "math/statistics.h"

namespace orrery::math {
namespace {

double spread(const std::vector<double>& x) { return variance(x, false); }

TestResult t_result(double difference, double error, double hypothesis, double freedom, double alpha) {
  const double t = (difference - hypothesis) / error;
  const double half = t_quantile(1 - alpha / 2, freedom) * error;
  return {2 * t_cdf(-std::abs(t), freedom), difference - half, difference + half, t, {freedom}};
}

}  // namespace

TestResult t_test(const std::vector<double>& x, double mean_0, double alpha) {
  const auto n = static_cast<double>(x.size());
  return t_result(mean(x), std::sqrt(spread(x) / n), mean_0, n - 1, alpha);
}

TestResult t_test(const std::vector<double>& x, const std::vector<double>& y, double alpha) {
  const auto n = static_cast<double>(x.size()), m = static_cast<double>(y.size());
  const double pooled = ((n - 1) * spread(x) + (m - 1) * spread(y)) / (n + m - 2);
  return t_result(mean(x) - mean(y), std::sqrt(pooled * (1 / n + 1 / m)), 0, n + m - 2, alpha);
}

TestResult z_test(const std::vector<double>& x, double mean_0, double deviation, double alpha) {
  const double m = mean(x), error = deviation / std::sqrt(static_cast<double>(x.size())), z = (m - mean_0) / error;
  const double half = normal_quantile(1 - alpha / 2) * error;
  return {std::erfc(std::abs(z) / std::sqrt(2.0)), m - half, m + half, z, {}};
}

TestResult variance_test(const std::vector<double>& x, double variance_0, double alpha) {
  const double freedom = static_cast<double>(x.size()) - 1, squares = spread(x) * freedom, chi = squares / variance_0;
  const double lower = chi2_cdf(chi, freedom);
  return {2 * std::min(lower, 1 - lower),
          squares / chi2_quantile(1 - alpha / 2, freedom),
          squares / chi2_quantile(alpha / 2, freedom),
          chi,
          {freedom}};
}

TestResult variance_test(const std::vector<double>& x, const std::vector<double>& y, double alpha) {
  const double a = static_cast<double>(x.size()) - 1, b = static_cast<double>(y.size()) - 1;
  const double f = spread(x) / spread(y), lower = f_cdf(f, a, b);
  return {
      2 * std::min(lower, 1 - lower), f / f_quantile(1 - alpha / 2, a, b), f / f_quantile(alpha / 2, a, b), f, {a, b}};
}

Regression regress(const std::vector<double>& y, const RealMatrix& x, double alpha) {
  Regression result;
  RealMatrix column(x.rows, 1);
  column.data = y;
  const RealMatrix b = solve(x, column, result.singular), fit = x * b, residual = column - fit;
  result.b = b.data;
  result.residual = residual.data;
  const double m = mean(y);
  double unexplained = 0, all = 0;
  for (const double e : residual.data) unexplained += e * e;
  for (const double v : y) all += (v - m) * (v - m);
  const auto freedom = static_cast<double>(x.rows - x.cols), others = static_cast<double>(x.cols - 1);
  const RealMatrix inverse = solve(transpose(x) * x, RealMatrix::identity(x.cols), result.singular);
  const double t = std::abs(t_quantile(alpha / 2, freedom));
  result.interval = RealMatrix(x.cols, 2);
  for (Index k = 0; k < x.cols; ++k) {
    const double half = t * std::sqrt(unexplained / freedom * inverse(k, k));
    result.interval(k, 0) = b(k, 0) - half;
    result.interval(k, 1) = b(k, 0) + half;
  }
  const RealMatrix spread_of_fit = x * inverse;
  result.residual_interval = RealMatrix(x.rows, 2);
  for (Index i = 0; i < x.rows; ++i) {
    double leverage = 0;
    for (Index k = 0; k < x.cols; ++k) leverage += spread_of_fit(i, k) * x(i, k);
    const double e = residual(i, 0), rest = unexplained - e * e / (1 - leverage);
    const double half = t * std::sqrt(std::max(rest, 0.0) * (1 - leverage) / (freedom - 1));
    result.residual_interval(i, 0) = e - half;
    result.residual_interval(i, 1) = e + half;
  }
  result.variance = unexplained / freedom;
  result.r_squared = 1 - unexplained / all;
  result.f = ((all - unexplained) / others) / result.variance;
  result.p = 1 - f_cdf(result.f, others, freedom);
  return result;
}

}  // namespace orrery::math
