// SPDX-License-Identifier: Apache-2.0
// Numbers as text: the shortest digits that read back to the same double, and short ones for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery::io {

// Shortest text that reads back to the same bits; "nan", "inf", "-inf" for the others.
void append_number(std::string& text, double x);
std::string number_text(double x);
// At most `digits` significant digits, no trailing zeros: "0.1", "1.23e-07".
std::string short_number(double x, int digits = 6);
// The whole text as a number, surrounding blanks aside; nothing when it is not one.
std::optional<double> parse_number(std::string_view text);

}  // namespace orrery::io
