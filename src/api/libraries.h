// SPDX-License-Identifier: Apache-2.0
// Work on libraries of blocks (model/library.h): making, filling, releasing, installing and documenting them.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "oml/builtin.h"

namespace orrery::api {

// All return false, and a diagnostic, when something is wrong.
[[nodiscard]] bool create_library(const std::string& name, const std::string& parent, Diagnostics& diagnostics);
// The masked super block at `path` ("/Plant") of a model file, or the whole file (path empty), becomes Level/Block.
[[nodiscard]] bool add_to_library(const std::string& folder, const std::string& model_file, const std::string& path,
                                  const std::string& block, Diagnostics& diagnostics);
// Checks every block, writes the palette with all of them and the documents.
[[nodiscard]] bool refresh_library(const std::string& folder, Diagnostics& diagnostics);
[[nodiscard]] bool generate_palette(const std::string& folder, Diagnostics& diagnostics);
[[nodiscard]] bool document_library(const std::string& folder, Diagnostics& diagnostics);
[[nodiscard]] bool install_library(const std::string& folder, Diagnostics& diagnostics);
// By its name or its folder.
[[nodiscard]] bool uninstall_library(const std::string& library, Diagnostics& diagnostics);
// Read-only, ready to be given away; and editable again, as the next version with a new key.
[[nodiscard]] bool lock_library(const std::string& folder, Diagnostics& diagnostics);
[[nodiscard]] bool unlock_library(const std::string& folder, Diagnostics& diagnostics);
// A line for each installed library, and for each of its blocks.
std::string installed_text();

oml::BuiltinFamily library_builtins();

}  // namespace orrery::api
