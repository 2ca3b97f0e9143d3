// SPDX-License-Identifier: Apache-2.0
// Models of files whatever they are called, for tools that hand over copies under other names.
#pragma once

#include <optional>
#include <string>

#include "model/model.h"

namespace orrery::edit {

// An empty file is an empty model: what a version control system has where there was none.
std::optional<model::Model> read_model_file(const std::string& path, Diagnostics& diagnostics);
[[nodiscard]] bool write_model_file(const model::Model& model, const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::edit
