// SPDX-License-Identifier: Apache-2.0
// Slopes of user functions by differences, and a sign for those who know their slopes.
#pragma once

#include <algorithm>
#include <cmath>

#include "math/matrix.h"
#include "oml/builtins/target_function.h"
#include "oml/differencing.h"

namespace orrery::oml {

inline double difference_step(double x) { return std::cbrt(2.2e-16) * std::max(std::abs(x), 1e-2); }

// Whether slopes promise what the function does in a direction that moves everything.
template <class F>
bool slopes_hold(F&& f, const math::RealMatrix& slopes, const Vec& x, const Vec& low, const Vec& high) {
  Vec above = x, below = x;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double h = difference_step(x[k]) * (k % 2 == 0 ? 1 : -0.7);
    const double a = k < low.size() ? low[k] : -HUGE_VAL, b = k < high.size() ? high[k] : HUGE_VAL;
    above[k] = std::clamp(x[k] + h, a, b);
    below[k] = std::clamp(x[k] - h, a, b);
  }
  const Vec right = f(above), left = f(below);
  for (std::size_t r = 0; r < right.size() && r < left.size(); ++r) {
    double promised = 0, size = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double part = slopes(static_cast<math::Index>(r), static_cast<math::Index>(k)) * (above[k] - below[k]);
      promised += part;
      size += std::abs(part);
    }
    const double seen = right[r] - left[r], noise = 1e-9 * std::max(1.0, std::abs(right[r]));
    if (!(std::abs(seen - promised) <= 1e-2 * std::max(size, std::abs(seen)) + noise)) return false;
  }
  return true;
}

// Rows are elements of the function, columns are variables. The bounds, if there are any, are kept.
template <class F>
math::RealMatrix differences(Interpreter& interpreter, F&& f, const Vec& x, const Vec& low = {}, const Vec& high = {}) {
  math::RealMatrix slopes;
  const long answers = Differencing::answers(interpreter);
  {
    const Differencing now(interpreter);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double h = difference_step(x[k]);
      Vec above = x, below = x;
      above[k] = k < high.size() ? std::min(x[k] + h, high[k]) : x[k] + h;
      below[k] = k < low.size() ? std::max(x[k] - h, low[k]) : x[k] - h;
      const double width = above[k] - below[k];
      const Vec right = f(above), left = f(below);
      if (right.size() != left.size()) fail("the function must return as many values everywhere");
      if (k == 0) slopes = math::RealMatrix(static_cast<math::Index>(right.size()), static_cast<math::Index>(x.size()));
      for (std::size_t r = 0; r < right.size() && width > 0; ++r)
        slopes(static_cast<math::Index>(r), static_cast<math::Index>(k)) = (right[r] - left[r]) / width;
    }
  }
  if (Differencing::answers(interpreter) == answers || !Differencing::is_comparison_due(interpreter)) return slopes;
  if (slopes_hold(f, slopes, x, low, high)) return slopes;
  Differencing::distrust(interpreter);
  return differences(interpreter, f, x, low, high);
}

}  // namespace orrery::oml
