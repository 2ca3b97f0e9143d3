// SPDX-License-Identifier: Apache-2.0
// Texts of others on a terminal: what would move its cursor, change its title or its colours is shown, not sent.
#pragma once

#include <string>
#include <string_view>

namespace orrery {

// Control characters as \\x1b, except line ends and tabs; also those that UTF-8 encodes in two bytes (U+0080 to
// U+009F), and the marks that turn the direction of writing. Bytes that are no UTF-8 are shown as such.
std::string printable(std::string_view text);
// The same in one line: line ends and tabs are shown too.
std::string printable_line(std::string_view text);

}  // namespace orrery
