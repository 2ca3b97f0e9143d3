// SPDX-License-Identifier: Apache-2.0
// Means, spreads, quantiles and covariances of samples.
#pragma once

#include <vector>

#include "math/matrix.h"

namespace orrery::math {

// Of an empty sample: nan, but for the sum.
double sum(const std::vector<double>& x);
double mean(const std::vector<double>& x);
double geometric_mean(const std::vector<double>& x);
double harmonic_mean(const std::vector<double>& x);
double mean_square(const std::vector<double>& x);
double central_moment(const std::vector<double>& x, int order);
// Divided by n - 1, or by n for a whole population; 0 for one value.
double variance(const std::vector<double>& x, bool population);
double skewness(const std::vector<double>& x, bool corrected);
double kurtosis(const std::vector<double>& x, bool corrected);
double median(std::vector<double> x);  // nan where there is one in x
double range(const std::vector<double>& x);
// Mean absolute deviation from the mean, or median one from the median.
double mean_deviation(const std::vector<double>& x);
double median_deviation(const std::vector<double>& x);
std::vector<double> without_nan(const std::vector<double>& x);

// The most frequent value, the smallest of several; how often it occurs, and all that occur as often, ascending.
struct Mode {
  double value;
  double count = 0;
  std::vector<double> all = {};
};
Mode mode(const std::vector<double>& x);

// The sample quantiles of Hyndman and Fan, methods 1 to 9, without nan.
double quantile(std::vector<double> x, double p, int method);

// Of the columns; divided by n - 1, or by n for a whole population.
RealMatrix covariance(RealMatrix x, bool population);

}  // namespace orrery::math
