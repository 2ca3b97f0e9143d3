// SPDX-License-Identifier: Apache-2.0
// What must be true of a program before it is put in order: names, sections, numbers of arguments, labels.
#pragma once

#include "base/diagnostic.h"
#include "cssl/program.h"

namespace orrery::cssl {

// Reports everything that is wrong. Several DERIVATIVE sections become one.
void check(Program& program, const std::vector<std::string>& given, Diagnostics& diagnostics);

}  // namespace orrery::cssl
