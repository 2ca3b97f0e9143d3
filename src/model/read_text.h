// SPDX-License-Identifier: Apache-2.0
// The text of a model file, whatever its language.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"

namespace orrery::model {

// Nothing, and a diagnostic, when the file cannot be read or is too large for a model.
std::optional<std::string> read_text(const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::model
