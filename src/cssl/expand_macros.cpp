// SPDX-License-Identifier: Apache-2.0
// Macros: not yet more than their absence.
#include "cssl/expand_macros.h"

namespace orrery::cssl {

std::vector<Token> expand_macros(const text::Source&, std::vector<Token> tokens, Diagnostics&) { return tokens; }

}  // namespace orrery::cssl
