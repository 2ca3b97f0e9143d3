// SPDX-License-Identifier: Apache-2.0
// Checks that a Program keeps the rules its readers rely on.
#pragma once

#include <string>
#include <vector>

#include "program/program.h"

namespace orrery::program {

// One sentence for every broken rule, naming the slot or source and its origin; empty: the program is sound.
std::vector<std::string> verify(const Program& program);

}  // namespace orrery::program
