// SPDX-License-Identifier: Apache-2.0
// What a reference result was made with: collections of FMUs for comparing tools have X_ref.opt, X_in.csv and X_ref.csv
// beside X.fmu.
#pragma once

#include <optional>
#include <string>

#include "fmi/run_options.h"

namespace orrery::fmi {

// Takes start, stop, step, tolerance and inputs from there where they are not set yet, and records the variables of the
// reference besides the outputs. Returns what was taken, in words; empty: nothing, or there are no such files.
std::string take_reference_options(const std::string& fmu, RunOptions& options);

}  // namespace orrery::fmi
