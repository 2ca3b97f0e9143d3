// SPDX-License-Identifier: Apache-2.0
// Slopes of user functions by differences, and a sign for those who know their slopes.
#pragma once

#include <algorithm>
#include <cmath>

#include "math/matrix.h"
#include "oml/builtins/target_function.h"
#include "oml/differencing.h"

namespace orrery::oml {

// Rows are elements of the function, columns are variables. The bounds, if there are any, are kept.
template <class F>
math::RealMatrix differences(Interpreter& interpreter, F&& f, const Vec& x, const Vec& low = {}, const Vec& high = {}) {
  const Differencing now(interpreter);
  math::RealMatrix slopes;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double h = std::cbrt(2.2e-16) * std::max(std::abs(x[k]), 1e-2);
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
  return slopes;
}

}  // namespace orrery::oml
