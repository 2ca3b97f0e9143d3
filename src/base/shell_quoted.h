// SPDX-License-Identifier: Apache-2.0
// A word for the command line of a shell.
#pragma once

#include <string>
#include <string_view>

namespace orrery {

// In single quotes, within which a shell gives no character a meaning.
inline std::string shell_quoted(std::string_view word) {
  std::string text = "'";
  for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
  return text + "'";
}

}  // namespace orrery
