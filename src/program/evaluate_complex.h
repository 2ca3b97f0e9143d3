// SPDX-License-Identifier: Apache-2.0
// Evaluation of operations with complex arguments or a complex result.
#pragma once

#include <span>

#include "program/evaluate.h"

namespace orrery::program {

// Element-wise operations, casts, reductions and matmul.
void evaluate_complex(Op op, Type type, std::span<const Operand> arguments, std::span<double> result);

}  // namespace orrery::program
