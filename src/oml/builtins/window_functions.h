// SPDX-License-Identifier: Apache-2.0
// Functions of one number that windows and filters are made of.
#pragma once

#include <cmath>
#include <numbers>

namespace orrery::oml {

inline double sinc_of(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

inline double bessel_i0(double x) {
  double s = 1, t = 1;
  for (int k = 1; k < 500; ++k) {
    t *= (x / (2 * k)) * (x / (2 * k));
    s += t;
    if (t < 1e-17 * s) break;
  }
  return s;
}

}  // namespace orrery::oml
