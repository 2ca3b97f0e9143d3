// SPDX-License-Identifier: Apache-2.0
// Initial conditions other than given values: states that are free, or begin at rest.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "model/settings.h"
#include "program/program.h"

namespace orrery::compile {

// The equations of InitialEquation blocks are the checks of the Program's start system, and stay so where nothing is
// free. False: reported.
[[nodiscard]] bool set_start(const std::vector<model::InitialChoice>& choices, const std::string& file,
                             program::Program& program, Diagnostics& diagnostics);

}  // namespace orrery::compile
