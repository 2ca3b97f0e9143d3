// SPDX-License-Identifier: Apache-2.0
// Putting the statements of a sorted section into an order in which every name has its value before it is read.
#pragma once

#include "base/diagnostic.h"
#include "cssl/program.h"

namespace orrery::cssl {

// Among statements that are ready, the order of the text stays. States, constants and what other sections assign are
// known before. False, and a diagnostic for each loop with the names in it, when there is no such order.
bool order_statements(const Program& program, Section& section, Diagnostics& diagnostics);

}  // namespace orrery::cssl
