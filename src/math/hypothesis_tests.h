// SPDX-License-Identifier: Apache-2.0
// Tests of means and variances of normal samples, and linear regression.
#pragma once

#include <vector>

#include "math/matrix.h"

namespace orrery::math {

// The probability of a statistic like this or worse where the hypothesis holds, and the confidence interval, of level
// 1 - alpha, of what was tested.
struct TestResult {
  double p = 0, low = 0, high = 0, statistic = 0;
  std::vector<double> freedom = {};  // degrees of freedom of the statistic's distribution
};

TestResult t_test(const std::vector<double>& x, double mean, double alpha);
TestResult t_test(const std::vector<double>& x, const std::vector<double>& y, double alpha);  // equal means
TestResult z_test(const std::vector<double>& x, double mean, double deviation, double alpha);
TestResult variance_test(const std::vector<double>& x, double variance, double alpha);
TestResult variance_test(const std::vector<double>& x, const std::vector<double>& y, double alpha);  // equal variances

// y = X b + residual. Intervals have two columns and the level 1 - alpha; those of residuals are about deviations
// estimated without the one in question (Draper and Smith, Applied Regression Analysis, 8.1).
struct Regression {
  std::vector<double> b, residual;
  RealMatrix interval, residual_interval;
  double r_squared = 0, f = 0, p = 0, variance = 0;  // of the whole: share explained, F statistic, of the residuals
  bool singular = false;                             // X has no full rank
};
Regression regress(const std::vector<double>& y, const RealMatrix& x, double alpha);

}  // namespace orrery::math
