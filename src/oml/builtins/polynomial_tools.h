// SPDX-License-Identifier: Apache-2.0
// Polynomial arithmetic shared by the polynomial, filter and control families.
#pragma once

#include <vector>

#include "oml/value.h"

namespace orrery::oml {

std::vector<Complex> coefficients(const Value& v);
Value coefficient_row(const std::vector<Complex>& p);
std::vector<Complex> polynomial_roots(std::vector<Complex> p);
// Monic; real when the roots come in conjugate pairs.
std::vector<Complex> polynomial_from_roots(const std::vector<Complex>& roots);
std::vector<Complex> polynomial_product(const std::vector<Complex>& a, const std::vector<Complex>& b);
Complex polynomial_value(const std::vector<Complex>& p, Complex x);

}  // namespace orrery::oml
