// SPDX-License-Identifier: Apache-2.0
// Which variables of an FMU a run records.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.h"
#include "fmi/instance.h"
#include "fmi/run_options.h"

namespace orrery::fmi {

// Those the options name, else the outputs, else all that changes. The instance is asked where the description does
// not say which variables are states (FMI 1.0). Nothing, and diagnostics, when a name is wrong or an array too large.
std::optional<std::vector<const Variable*>> choose_variables(const Description& description, Kind kind,
                                                             const RunOptions& options, Instance& instance,
                                                             const Place& place, Diagnostics& diagnostics);

}  // namespace orrery::fmi
