// SPDX-License-Identifier: Apache-2.0
// The options a reference result was made with: collections of FMUs for comparing tools have X_ref.opt beside X.fmu.
#pragma once

#include <optional>
#include <string>

#include "fmi/simulate.h"

namespace orrery::fmi {

// Takes start, stop, step and tolerance from there for those that are not set yet. Returns what was taken, in words;
// empty: nothing, or there is no such file.
std::string take_reference_options(const std::string& fmu, RunOptions& options);

}  // namespace orrery::fmi
