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
  bool jacobian = false;  // partial derivatives, for FMUs
  std::string target;     // a machine that lacks something: no-libm, no-double; empty: any
};

// Nothing, and diagnostics, when it cannot be exported.
std::optional<code_export::CModel> c_model_of(const ExportRequest& request, Diagnostics& diagnostics);
// The same for a model that is there already.
std::optional<code_export::CModel> c_model_of(const model::Model& model, const ExportRequest& request,
                                              Diagnostics& diagnostics);
// Writes the project to the folder; a line with the names of the files, and the report where it is asked for.
std::optional<std::string> export_c(const ExportRequest& request, Diagnostics& diagnostics);

}  // namespace orrery::api
