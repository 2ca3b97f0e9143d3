// SPDX-License-Identifier: Apache-2.0
// The formulas of program/complex_formulas.h as C functions.
#pragma once

#include <set>
#include <string>

#include "program/graph.h"

namespace orrery::native {

// `static void orr_c_<op>(double* r, const double* a[, const double* b])`; adds the libm functions it calls to `libm`.
std::string complex_function_text(program::Op op, std::set<std::string>& libm);

}  // namespace orrery::native
