// SPDX-License-Identifier: Apache-2.0
// Numbers of runs to values of variables.
#include "analyse/sweep_plan.h"

#include <cmath>
#include <utility>

#include "math/distributions.h"

namespace orrery::analyse {
namespace {

std::size_t grid_size(const std::vector<SweepAxis>& axes) {
  std::size_t size = 1;
  for (const SweepAxis& axis : axes) size *= axis.points.size();
  return size;
}

bool is_positive_second(double, double b) { return b > 0; }
bool are_ordered(double a, double b) { return a < b; }
bool are_positive(double a, double b) { return a > 0 && b > 0; }
bool is_positive_first(double a, double) { return a > 0; }

}  // namespace

const std::vector<NamedDistribution>& distributions() {
  static const std::vector<NamedDistribution> all = {
      {"normal", 2, [](double p, double a, double b) { return math::normal_quantile(p, a, b); }, is_positive_second,
       "normal(mean, deviation)"},
      {"uniform", 2, math::uniform_quantile, are_ordered, "uniform(from, to)"},
      {"lognormal", 2, math::lognormal_quantile, is_positive_second, "lognormal(mean, deviation), of the logarithm"},
      {"exponential", 1, math::exponential_quantile, is_positive_first, "exponential(mean)"},
      {"weibull", 2, math::weibull_quantile, are_positive, "weibull(scale, shape)"},
      {"gamma", 2, math::gamma_quantile, are_positive, "gamma(shape, scale)"},
      {"beta", 2, math::beta_quantile, are_positive, "beta(a, b)"},
  };
  return all;
}

SweepPlan::SweepPlan(std::vector<SweepAxis> axes, std::vector<SweepSample> samples, math::Sampling sampling,
                     std::size_t samples_each, std::uint64_t seed)
    : axes_(std::move(axes)),
      samples_(std::move(samples)),
      samples_each_(samples_each),
      runs_(grid_size(axes_) * samples_each),
      points_(sampling, runs_, samples_.size(), seed) {
  for (const SweepAxis& axis : axes_) names_.insert(names_.end(), axis.names.begin(), axis.names.end());
  for (const SweepSample& sample : samples_) names_.push_back(sample.name);
}

void SweepPlan::values(std::size_t run, std::vector<double>& out) const {
  out.clear();
  std::size_t grid = run / samples_each_, size = runs_ / samples_each_;
  for (const SweepAxis& axis : axes_) {
    size /= axis.points.size();
    const std::vector<double>& point = axis.points[grid / size];
    grid %= size;
    out.insert(out.end(), point.begin(), point.end());
  }
  for (std::size_t d = 0; d < samples_.size(); ++d)
    out.push_back(samples_[d].quantile(points_.at(run, d), samples_[d].a, samples_[d].b));
}

}  // namespace orrery::analyse
