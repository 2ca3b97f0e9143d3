// SPDX-License-Identifier: Apache-2.0
// The ends of the real numbers, under short names.
#pragma once

#include <limits>

namespace orrery {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace orrery
