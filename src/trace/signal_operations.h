// SPDX-License-Identifier: Apache-2.0
// The operators of OML on expressions, with its rules for sizes and element types.
#pragma once

#include <string_view>

#include "oml/operators.h"
#include "program/expr.h"

namespace orrery::trace {

// Booleans count as numbers, as they do in OML.
program::Expr number_like(program::Expr a);
// Throws OmlError unless the sizes agree or one of the two is a scalar.
void check_sizes(program::Expr a, program::Expr b, std::string_view operation);
// A scalar repeated to a size; anything else as it is.
program::Expr filled(program::Expr a, program::Type type);

program::Expr apply_operator(oml::BinaryOp op, program::Expr a, program::Expr b);
program::Expr apply_operator(oml::UnaryOp op, program::Expr a);
// Element by element: `yes` where the condition is not zero, `no` elsewhere.
program::Expr choose(program::Expr condition, program::Expr yes, program::Expr no);
// To another element type as OML converts: integers are rounded to the nearest and saturate.
program::Expr convert(program::Expr a, program::Scalar scalar);

}  // namespace orrery::trace
