// SPDX-License-Identifier: Apache-2.0
// A Python package around the C of a model (src/export/python has its texts).
#pragma once

#include <string>
#include <vector>

#include "export/c_files.h"

namespace orrery::code_export {

// The name of a model as that of a Python module: words of the language and packages that it needs are others.
std::string module_name(const std::string& name);

// A folder with pyproject.toml, setup.py, an example, a test, and the package NAME with its C in NAME/sources. `about`:
// a sentence for those who read it.
std::vector<ExportedFile> python_package(const CModel& model, const std::string& about);

}  // namespace orrery::code_export
