// SPDX-License-Identifier: Apache-2.0
// A model as an FMU: description, sources and a binary for this machine and for those that cross compilers know.
#pragma once

#include "api/export_model.h"

namespace orrery::api {

struct FmuRequest {
  ExportRequest model;
  int version = 2;  // of FMI
  bool exchange = true, cosimulation = true;
  bool scheduled = false;  // Scheduled Execution, by itself
  bool clocks = false;     // FMI 3.0: the importer ticks the sample clocks
  bool binaries = true;    // false: sources only
};

// Writes the archive; the platforms it has binaries for. Nothing, and diagnostics, when it cannot be made.
std::optional<std::vector<std::string>> export_fmu(const FmuRequest& request, Diagnostics& diagnostics);

}  // namespace orrery::api
