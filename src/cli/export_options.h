// SPDX-License-Identifier: Apache-2.0
// What `orrery export` is told besides the model.
#pragma once

#include "api/export_fmu.h"

namespace CLI {
class App;
}

namespace orrery::cli {

// Of a command that has the options of models already; all targets share these.
void add_export_options(CLI::App& command, api::ExportRequest& request);
void add_export_block_options(CLI::App& command, api::ExportRequest& request);
void add_export_c_options(CLI::App& command, api::ExportRequest& request);
void add_export_fmu_options(CLI::App& command, api::FmuRequest& request);

}  // namespace orrery::cli
