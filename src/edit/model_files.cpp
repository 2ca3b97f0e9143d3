// SPDX-License-Identifier: Apache-2.0
// Loads and saves models without regard to the extension of the file.
#include "edit/model_files.h"

#include <filesystem>

namespace orrery::edit {

std::optional<model::Model> read_model_file(const std::string& path, Diagnostics& diagnostics) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) == 0 && !error) {
    model::Model model;
    model.file = path;
    return model;
  }
  return model::load(path, diagnostics);
}

bool write_model_file(const model::Model& model, const std::string& path, Diagnostics& diagnostics) {
  return model::save(model, path, diagnostics);
}

}  // namespace orrery::edit
