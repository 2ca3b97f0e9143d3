// SPDX-License-Identifier: Apache-2.0
// State feedback that puts the poles of a linear system where they are wished.
#pragma once

#include "math/matrix.h"

namespace orrery::math {

// [b ab a^2b ...]
RealMatrix controllability(const RealMatrix& a, const RealMatrix& b);

struct Placement {
  RealMatrix k;           // a - b k has the poles
  bool singular = false;  // a matrix that was inverted on the way was singular to working precision
};
// One input: Ackermann's formula. Several: the eigenvectors are made as orthogonal as they can be, so that the poles
// move least with errors of a and b; a pole may repeat as often as b has independent columns. Poles that repeat more
// often still are placed, without that choice. An Error when the pair is not controllable, or when complex poles lack
// their conjugates.
Placement place_poles(const RealMatrix& a, const RealMatrix& b, const std::vector<Complex>& poles);

}  // namespace orrery::math
