// SPDX-License-Identifier: Apache-2.0
// Numbers of a Program become parameter slots: they can then change while the code stays.
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace orrery::passes {

// Whether two Programs differ at most in the values of their constants; both made without folding and sharing.
bool same_shape(const program::Program& a, const program::Program& b);

// The constants of type f64 whose values are not the same in two Programs of the same shape.
std::vector<program::ExprId> changed_constants(const program::Program& a, const program::Program& b);

// Each constant is read from a new parameter slot with its value as initial value, wherever it was used. The slots, in
// the order of the constants.
std::vector<program::SlotId> expose_constants(program::Program& program, std::span<const program::ExprId> constants);

}  // namespace orrery::passes
