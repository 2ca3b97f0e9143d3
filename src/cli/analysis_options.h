// SPDX-License-Identifier: Apache-2.0
// What `orrery trim` and `orrery optimise` are told besides the model.
#pragma once

#include "api/optimise.h"
#include "api/trim.h"

namespace CLI {
class App;
}

namespace orrery::cli {

// Which part of a model is looked at, and when; also of `orrery linearise`.
void add_point_options(CLI::App& command, api::LinearisationRequest& where);
void add_trim_options(CLI::App& command, api::TrimRequest& trim);
void add_optimise_options(CLI::App& command, api::OptimiseRequest& optimise);

}  // namespace orrery::cli
