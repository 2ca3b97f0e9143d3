// SPDX-License-Identifier: Apache-2.0
// Refusing numbers that would make a block compute something nobody asked for.
#include "blocks/checked_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orrery::blocks {

double finite_number(const Parameters& parameters, std::string_view name) {
  const double x = parameters.number(name);
  if (!std::isfinite(x)) parameters.fail(std::string(name), fmt::format("must be a finite number, but is {}", x));
  return x;
}

void check_limits(const Parameters& parameters) {
  const auto& lower = parameters.now_reals("lower");
  const auto& upper = parameters.now_reals("upper");
  if (lower.empty() || upper.empty() || !(lower.size() == 1 || upper.size() == 1 || lower.size() == upper.size())) {
    parameters.fail("lower", "must be a scalar, or of the size of `upper`");
  }
  for (std::size_t k = 0; k < std::max(lower.size(), upper.size()); ++k) {
    const double low = lower[lower.size() == 1 ? 0 : k];
    const double high = upper[upper.size() == 1 ? 0 : k];
    if (std::isnan(low)) parameters.fail("lower", "must not be nan", "-inf for no limit");
    if (std::isnan(high)) parameters.fail("upper", "must not be nan", "inf for no limit");
    if (low > high) {
      parameters.fail("lower", fmt::format("must not be greater than `upper`, but {} is greater than {}", low, high));
    }
    if (std::isinf(low) && low > 0) parameters.fail("lower", "must be finite, or -inf for no limit");
    if (std::isinf(high) && high < 0) parameters.fail("upper", "must be finite, or inf for no limit");
  }
}

}  // namespace orrery::blocks
