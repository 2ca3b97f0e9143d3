// SPDX-License-Identifier: Apache-2.0
// Central differences in the place of slopes that are too steep.
#include "sim/steep_slopes.h"

#include <algorithm>
#include <limits>

namespace orrery::sim {

void bound_steep_slopes(const passes::Sparsity& pattern, double bound, std::span<const double> steps,
                        std::vector<double> x, const VectorFunction& evaluate, double* values) {
  const std::size_t n = x.size();
  std::vector<double> low(n), high(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto first = static_cast<std::size_t>(pattern.column_start[j]);
    const auto last = static_cast<std::size_t>(pattern.column_start[j + 1]);
    if (!any_steeper(bound, values + first, last - first)) continue;
    const double here = x[j];
    const double step = std::max(std::sqrt(std::numeric_limits<double>::epsilon()) * std::fabs(here), steps[j]);
    x[j] = here + step;
    bool known = evaluate(x.data(), high.data());
    x[j] = here - step;
    known = known && evaluate(x.data(), low.data());
    x[j] = here;
    for (std::size_t e = first; e < last && known; ++e) {
      const auto row = static_cast<std::size_t>(pattern.row[e]);
      const double slope = (high[row] - low[row]) / (2 * step);
      const bool misleads = !(std::fabs(values[e]) <= 4 * std::fabs(slope));
      if (any_steeper(bound, values + e, 1) && misleads && std::isfinite(slope)) values[e] = slope;
    }
  }
}

}  // namespace orrery::sim
