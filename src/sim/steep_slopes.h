// SPDX-License-Identifier: Apache-2.0
// Slopes that mislead Newton's iteration: those of a root near zero, which differences over the tolerance replace.
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "passes/sparsity.h"

namespace orrery::sim {

inline bool all_finite(const double* values, std::size_t count) {
  double zero = 0;
  for (std::size_t k = 0; k < count; ++k) zero += 0 * values[k];
  return zero == 0;
}

// What counts as steep: it changes a derivative ten thousandfold in a hundredth of the horizon.
inline double steepest_slope(double horizon) { return 1e4 * 100 / horizon; }

inline bool any_steeper(double bound, const double* slopes, std::size_t count) {
  bool any = false;
  for (std::size_t k = 0; k < count; ++k) any |= !(std::fabs(slopes[k]) <= bound);
  return any;
}

// evaluate(x, f) gives f at x, or false. Entries of its matrix at x that are steeper than `bound`, or have no value,
// become differences over `steps`, where these are much smaller.
using VectorFunction = std::function<bool(const double* x, double* f)>;
void bound_steep_slopes(const passes::Sparsity& pattern, double bound, std::span<const double> steps,
                        std::vector<double> x, const VectorFunction& evaluate, double* values);

}  // namespace orrery::sim
