// SPDX-License-Identifier: Apache-2.0
// The way from numerical code to the running script's output for a warning.
#pragma once

#include <functional>
#include <string>

namespace orrery::oml {

// The running interpreter of this thread installs itself here; without one, warnings are dropped.
std::function<void(const std::string&)>& warning_sink();
void emit_warning(const std::string& text);

}  // namespace orrery::oml
