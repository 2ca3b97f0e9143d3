// SPDX-License-Identifier: Apache-2.0
// Divides the statements of a plan into functions and gives every value its place.
#pragma once

#include <vector>

#include "native/plan.h"

namespace orrery::native {

// Functions of about 50 statements compile fastest and run fastest (measured with gcc -O1); libtcc does not mind.
constexpr std::uint64_t function_length = 50;

void divide(const program::Program& program, const Frames& frames, const std::vector<Index>& index_of, Plan& plan);

}  // namespace orrery::native
