// SPDX-License-Identifier: Apache-2.0
// The printf family: formats reused until the data run out.
#pragma once

#include <span>
#include <string>

#include "oml/value.h"

namespace orrery::oml {

std::string format_printf(const std::string& format, std::span<const Value> data);
// \n, \t, \\, \x41, \101 and the like.
std::string process_escapes(const std::string& text);

}  // namespace orrery::oml
