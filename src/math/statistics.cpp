// SPDX-License-Identifier: Apache-2.0
// Descriptive statistics.
#include "math/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery::math {
namespace {

using Vec = std::vector<double>;

double deviations(const Vec& x, double centre, double (*of)(const Vec&)) {
  Vec d;
  for (double v : x) d.push_back(std::abs(v - centre));
  return of(d);
}

}  // namespace

double sum(const Vec& x) {
  double s = 0;
  for (double v : x) s += v;
  return s;
}

double mean(const Vec& x) { return sum(x) / static_cast<double>(x.size()); }

double geometric_mean(const Vec& x) {
  double s = 0;
  for (double v : x) s += std::log(v);
  return std::exp(s / static_cast<double>(x.size()));
}

double harmonic_mean(const Vec& x) {
  double s = 0;
  for (double v : x) s += 1 / v;
  return static_cast<double>(x.size()) / s;
}

double mean_square(const Vec& x) {
  double s = 0;
  for (double v : x) s += v * v;
  return s / static_cast<double>(x.size());
}

double central_moment(const Vec& x, int order) {
  const double m = mean(x);
  double s = 0;
  for (double v : x) s += std::pow(v - m, order);
  return s / static_cast<double>(x.size());
}

double variance(const Vec& x, bool population) {
  if (x.size() == 1) return 0;
  const auto n = static_cast<double>(x.size());
  return central_moment(x, 2) * n / (population ? n : n - 1);
}

double skewness(const Vec& x, bool corrected) {
  const auto n = static_cast<double>(x.size());
  const double s = central_moment(x, 3) / std::pow(central_moment(x, 2), 1.5);
  return corrected && n > 2 ? s * std::sqrt(n * (n - 1)) / (n - 2) : s;
}

double kurtosis(const Vec& x, bool corrected) {
  const auto n = static_cast<double>(x.size());
  const double k = central_moment(x, 4) / std::pow(central_moment(x, 2), 2);
  return corrected && n > 3 ? 3 + (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * k - 3 * (n - 1)) : k;
}

double median(Vec x) {
  if (x.empty()) return NAN;
  if (std::any_of(x.begin(), x.end(), [](double v) { return std::isnan(v); })) return NAN;
  std::sort(x.begin(), x.end());
  const std::size_t n = x.size();
  return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

double range(const Vec& x) {
  if (x.empty()) return NAN;
  return *std::max_element(x.begin(), x.end()) - *std::min_element(x.begin(), x.end());
}

double mean_deviation(const Vec& x) { return deviations(x, mean(x), mean); }
double median_deviation(const Vec& x) {
  return deviations(x, median(x), [](const Vec& d) { return median(d); });
}

Vec without_nan(const Vec& x) {
  Vec out;
  for (double v : x)
    if (!std::isnan(v)) out.push_back(v);
  return out;
}

Mode mode(const Vec& x) {
  std::map<double, double> seen;
  for (double v : x) seen[v] += 1;
  Mode m{NAN};
  for (const auto& [v, n] : seen)
    if (n > m.count) m.value = v, m.count = n;
  for (const auto& [v, n] : seen)
    if (n == m.count) m.all.push_back(v);
  return m;
}

double quantile(Vec x, double p, int method) {
  x = without_nan(x);
  if (x.empty()) return NAN;
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  const auto at = [&](double k) { return x[static_cast<std::size_t>(std::clamp(k, 1.0, n) - 1)]; };
  if (method <= 3) {
    const double t = n * p;
    if (method == 1) return at(std::ceil(t));
    if (method == 2) return (at(std::ceil(t)) + at(std::floor(t) + 1)) / 2;
    return at(std::nearbyint(t));
  }
  static constexpr double shift[][2] = {{0, 0}, {0.5, 0}, {0, 1}, {1, -1}, {1.0 / 3, 1.0 / 3}, {0.375, 0.25}};
  const double t = n * p + shift[method - 4][0] + p * shift[method - 4][1];
  const double k = std::floor(t), f = t - k;
  return at(k) + (f == 0 ? 0 : f * (at(k + 1) - at(k)));
}

RealMatrix covariance(RealMatrix x, bool population) {
  const auto n = static_cast<double>(x.rows);
  for (Index k = 0; k < x.cols; ++k) {
    double s = 0;
    for (Index i = 0; i < x.rows; ++i) s += x(i, k);
    for (Index i = 0; i < x.rows; ++i) x(i, k) -= s / n;
  }
  RealMatrix p = transpose(x) * x;
  for (double& v : p.data) v /= population || x.rows == 1 ? n : n - 1;
  return p;
}

}  // namespace orrery::math
