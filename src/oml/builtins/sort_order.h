// SPDX-License-Identifier: Apache-2.0
// The order of sort and of sets: NaN last, complex numbers by magnitude, then by angle.
#pragma once

#include <cmath>

#include "oml/value.h"

namespace orrery::oml {

inline bool before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }
inline bool before(Complex a, Complex b) {
  const double x = std::abs(a), y = std::abs(b);
  return x != y ? before(x, y) : std::arg(a) < std::arg(b);
}

}  // namespace orrery::oml
