// SPDX-License-Identifier: Apache-2.0
// Which settings of a simulation (model/settings.h) a run of an FMU has, and where its options keep them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "fmi/run_options.h"
#include "model/settings.h"

namespace orrery::api {

// Where the options keep the number of a setting, by its name or an option of the command line ("tol"); nullptr: an FMU
// has no such number.
std::optional<double>* fmu_setting(std::string_view name, fmi::RunOptions& options);
std::vector<std::string_view> fmu_setting_names();
// Texts of a model are expressions; of an FMU, which has no context, they are numbers, and 0 means "as the FMU says".
// What makes no sense for an FMU is an error.
void take_fmu_settings(const model::Settings& settings, fmi::RunOptions& options, Diagnostics& diagnostics);

}  // namespace orrery::api
