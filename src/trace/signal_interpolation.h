// SPDX-License-Identifier: Apache-2.0
// Tables of points, looked up at signals: interp1.
#pragma once

#include "oml/value.h"
#include "program/expr.h"

namespace orrery::trace {

// interp1(x, y, u, …) and interp1(y, u, …) where u is a signal and x are numbers. Straight lines and steps take y as
// formulas of parameters too. Throws OmlError.
program::Expr interpolate_at_signal(const oml::Values& arguments, program::Graph& graph);

}  // namespace orrery::trace
