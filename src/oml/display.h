// SPDX-License-Identifier: Apache-2.0
// How values look when a statement without semicolon shows them.
#pragma once

#include <string>

#include "oml/value.h"

namespace orrery::oml {

struct DisplayFormat {
  enum class Style { standard, short_fixed, long_fixed, short_exponent, long_exponent } style = Style::standard;
};

std::string format_number(double x, const DisplayFormat& format);
std::string format_complex(Complex z, const DisplayFormat& format);
// "name = ..." with a final newline; an empty name leaves "name = " out (disp).
std::string display_text(const std::string& name, const Value& v, const DisplayFormat& format);
// The text of an expression as OML prints it: "x + 2 * y".
struct Node;
struct Function;
std::string expression_text(const Node* n);
std::string anonymous_text(const Function& f);  // "@(x, y) x + y"

}  // namespace orrery::oml
