// SPDX-License-Identifier: Apache-2.0
// The polynomial of degree four through values at the ends and quarters of an interval, in Bernstein's form: it lies in
// the convex hull of its coefficients (Farouki, "The Bernstein polynomial basis: a centennial retrospective", Comput.
// Aided Geom. Design 29, 2012).
#pragma once

#include <array>

#include "solve/pair.h"

namespace orrery::sim {

template <class Value>
struct Quartic {
  std::array<Value, 5> c;
  Value fourth_difference;
};

template <class Value>
inline __attribute__((always_inline)) Quartic<Value> bernstein(const std::array<Value, 5>& v) {
  const auto inner = [](Value v0, Value v1, Value v2, Value v3, Value v4) {
    return (-13.0 / 12) * v0 + 4.0 * v1 - 3.0 * v2 + (4.0 / 3) * v3 - 0.25 * v4;
  };
  const Value middle = (13.0 / 18) * (v[0] + v[4]) - (32.0 / 9) * (v[1] + v[3]) + (20.0 / 3) * v[2];
  return {{v[0], inner(v[0], v[1], v[2], v[3], v[4]), middle, inner(v[4], v[3], v[2], v[1], v[0]), v[4]},
          (v[0] + v[4]) - 4.0 * (v[1] + v[3]) + 6.0 * v[2]};
}

}  // namespace orrery::sim
