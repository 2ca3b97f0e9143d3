// SPDX-License-Identifier: Apache-2.0
// The layout of a program: indentation by sections, no blanks at the ends of lines, one empty line at most.
#pragma once

#include <optional>
#include <string>

#include "cssl/languages.h"

namespace orrery::cssl {

// The same tokens and comments in the same lines. Nothing, and diagnostics, where the text cannot be read.
std::optional<std::string> format(const Language& language, const std::string& text, const std::string& file,
                                  Diagnostics& diagnostics);

}  // namespace orrery::cssl
