// SPDX-License-Identifier: Apache-2.0
// Texts with conversions as printf has them, taken apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace orrery::blocks {

// One conversion and the text before it; the last piece of a text has none.
struct PrintfPiece {
  std::string before;
  std::string flags;    // with width and precision: "-8.3"
  char conversion = 0;  // d i o u x X c e E f F g G; 0: none
  bool whole() const { return conversion != 0 && std::string("diouxXc").find(conversion) != std::string::npos; }
};

// Nothing, and what is wrong, when the text is not one of printf; widths from arguments and %n, %p, %s are not allowed.
std::optional<std::vector<PrintfPiece>> parse_printf(const std::string& text, std::string& wrong);

}  // namespace orrery::blocks
