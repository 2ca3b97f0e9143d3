// SPDX-License-Identifier: Apache-2.0
// Columns of the results by patterns of their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "program/program.h"

namespace orrery::api {

// `*` stands for any characters, also none, and `?` for one. As in the other options, the slash in front may be left
// out.
bool matches_column(std::string_view pattern, std::string_view name);
// The columns that are recorded (`recorded`, by probe).
std::vector<std::string> recorded_columns(const program::Program& program, const std::vector<bool>& recorded);
// Whether every pattern names a column that is recorded; if not, there are diagnostics.
[[nodiscard]] bool check_patterns(const std::vector<std::string>& patterns, const program::Program& program,
                                  const std::vector<bool>& recorded, Diagnostics& diagnostics);

}  // namespace orrery::api
