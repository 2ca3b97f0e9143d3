// SPDX-License-Identifier: Apache-2.0
// What `orrery sweep` is told besides the model.
#pragma once

#include <string>

#include "api/sweep.h"

namespace CLI {
class App;
}

namespace orrery::cli {

// Of the command that has the options of models already.
void add_sweep_options(CLI::App& command, api::SweepRequest& sweep);

}  // namespace orrery::cli
