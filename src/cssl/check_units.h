// SPDX-License-Identifier: Apache-2.0
// The units of a program: those that remarks give to names, those that follow, and where they do not agree.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "cssl/program.h"
#include "units/infer.h"

namespace orrery::cssl {

// A remark says "h [m], v [m/s]", or "[m]" behind a line that gives one name a value. Disagreements are errors
// (unit-mismatch), units of one kind and different sizes warnings with the factor (unit-size).
std::vector<units::UnitOfName> check_units(const Program& program, Diagnostics& diagnostics);

}  // namespace orrery::cssl
