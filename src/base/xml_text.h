// SPDX-License-Identifier: Apache-2.0
// Texts of others inside XML, HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace orrery {

// The characters that mean something in markup become entities; control characters become blanks.
std::string xml_text(std::string_view text);

}  // namespace orrery
