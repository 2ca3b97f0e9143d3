// SPDX-License-Identifier: Apache-2.0
// Values as the coefficients of src/math/polynomials.h, and back.
#pragma once

#include <vector>

#include "math/polynomials.h"
#include "oml/value.h"

namespace orrery::oml {

std::vector<Complex> coefficients(const Value& v);
Value coefficient_row(const std::vector<Complex>& p);
Value coefficient_column(const std::vector<Complex>& p);

}  // namespace orrery::oml
