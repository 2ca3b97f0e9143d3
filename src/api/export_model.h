// SPDX-License-Identifier: Apache-2.0
// Code out: a model as C, for others to compile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/session.h"
#include "export/c_files.h"
#include "export/c_model.h"

namespace orrery::api {

struct ExportRequest {
  RunRequest run;         // the file, settings and --vary as those of a run
  std::string block;      // a super block; empty: the whole model
  std::string name;       // of the C names; empty: from the model or block
  std::string out;        // folder or file
  bool comments = true;   // the block of each statement
  bool program = true;    // main.c and what builds it
  bool report = false;    // what it costs
  bool atomic = false;    // the super block as a unit, whatever it says itself
  bool always = false;    // `export block`: all its inputs count as continuous
  bool jacobian = false;  // partial derivatives, for FMUs
  bool float32 = false;   // with floats instead of doubles
  std::string target;     // a machine that lacks something: no-libm, no-double; empty: any
};

// Nothing, and diagnostics, when it cannot be exported.
std::optional<code_export::CModel> c_model_of(const ExportRequest& request, Diagnostics& diagnostics);
// The same for a model that is there already. asked: those of the varied variables that must exist; default: all.
std::optional<code_export::CModel> c_model_of(const model::Model& model, const ExportRequest& request,
                                              Diagnostics& diagnostics,
                                              const std::vector<std::string>* asked = nullptr);
// Writes texts to a folder, with the folders in their names; a line that names them.
std::optional<std::string> write_files(const std::string& folder, const std::vector<code_export::ExportedFile>& files,
                                       Diagnostics& diagnostics);
// Writes the project to the folder; a line with the names of the files, and the report where it is asked for.
std::optional<std::string> export_c(const ExportRequest& request, Diagnostics& diagnostics);

}  // namespace orrery::api
