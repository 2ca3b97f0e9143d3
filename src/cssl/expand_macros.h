// SPDX-License-Identifier: Apache-2.0
// MACRO of ACSL: definitions are taken out of the tokens, and what they stand for put in the place of their uses.
#pragma once

#include <vector>

#include "cssl/lexer.h"

namespace orrery::cssl {

std::vector<Token> expand_macros(const text::Source& source, std::vector<Token> tokens, Diagnostics& diagnostics);

// The macros of CSMP in that form, uses included; then expand_macros does the rest.
std::vector<Token> csmp_macros_as_acsl(std::vector<Token> tokens);

}  // namespace orrery::cssl
