// SPDX-License-Identifier: Apache-2.0
// The files of an exported C project.
#pragma once

#include <string>
#include <vector>

#include "export/c_model.h"

namespace orrery::code_export {

struct ExportedFile {
  std::string name;  // within the folder
  std::string text;
};

// NAME.h, NAME.c and the run-time; with `program`, also a main.c and what builds it. float32: with floats for doubles.
std::vector<ExportedFile> c_project(const CModel& model, bool program, bool float32 = false);
// A text with the name of the model wherever it says @NAME@.
std::string with_name(std::string text, const std::string& name);
// The run-time alone: header and source.
std::vector<ExportedFile> runtime_files();

}  // namespace orrery::code_export
