// SPDX-License-Identifier: Apache-2.0
// Skeletons of blocks: commented code, and a model that tests it.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace orrery::api {

// Writes a folder NAME with the block and NAME_test.orr, which runs without errors. kind: c, oml, p or cpp.
[[nodiscard]] bool new_block(const std::string& kind, const std::string& name, const std::string& parent,
                             Diagnostics& diagnostics);

// What the program of a block of this type can begin with, NAME standing for its name; null: it has no program.
const char* block_skeleton(std::string_view type);

}  // namespace orrery::api
