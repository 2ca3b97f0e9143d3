// SPDX-License-Identifier: Apache-2.0
// On which elements of its arguments each element of a function's results depends.
#pragma once

#include <cstdint>
#include <vector>

#include "program/function.h"

namespace orrery::passes {

// For each element of the results, one after the other, elements of the arguments counted over all of them, ascending.
// Conditions count for whatever they decide. Locals of many elements are followed as a whole, and so is an array whose
// position is computed; the answer is then larger than it need be, never smaller.
std::vector<std::vector<std::uint32_t>> function_dependencies(const program::Function& function);

}  // namespace orrery::passes
