// SPDX-License-Identifier: Apache-2.0
// A model as a Python package.
#pragma once

#include "api/export_model.h"

namespace orrery::api {

// Writes the package to the folder request.out and compiles its library where there is a C compiler; a line with the
// names of the files. Nothing, and diagnostics, when it cannot be made.
std::optional<std::string> export_python(const ExportRequest& request, Diagnostics& diagnostics);

}  // namespace orrery::api
