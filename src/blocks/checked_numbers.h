// SPDX-License-Identifier: Apache-2.0
// What parameters with numbers must fulfil beyond being numbers.
#pragma once

#include <string_view>

#include "blocks/parameters.h"

namespace orrery::blocks {

// One real number, neither infinite nor NaN.
double finite_number(const Parameters& parameters, std::string_view name);

// `lower` and `upper`: real, one number or as many as the other has, the lower one not above the upper one.
void check_limits(const Parameters& parameters);

}  // namespace orrery::blocks
