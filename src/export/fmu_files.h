// SPDX-License-Identifier: Apache-2.0
// All texts of an FMU.
#pragma once

#include "export/c_files.h"
#include "export/fmu_description.h"

namespace orrery::code_export {

struct FmuFiles {
  std::string description;            // modelDescription.xml
  std::vector<ExportedFile> sources;  // of the folder "sources"
  std::vector<std::string> compiled;  // those that are given to a compiler
  std::string icon;                   // SVG
  std::vector<FmuVariable> variables;
};

// The token of the plan is made of the content by `hash`.
FmuFiles fmu_files(FmuPlan plan, std::string (*hash)(std::string_view));

}  // namespace orrery::code_export
