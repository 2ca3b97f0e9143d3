// SPDX-License-Identifier: Apache-2.0
// Whether two super blocks of a diagram are the same but for their names.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace orrery::compile {

// The same type, parameters and, where it is drawn in the model itself, the same diagram: all that has a meaning, and
// lines at the same distance from the block's own, so that a place in one is a place in the other.
bool is_same_instance(const model::BlockInstance& a, const model::BlockInstance& b);
// Equal for instances that are the same.
std::uint64_t instance_hash(const model::BlockInstance& block);

}  // namespace orrery::compile
