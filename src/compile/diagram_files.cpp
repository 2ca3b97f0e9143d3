// SPDX-License-Identifier: Apache-2.0
// Reading included diagrams.
#include "compile/diagram_files.h"

namespace orrery::compile {

std::shared_ptr<const model::Model> DiagramFiles::load(const std::string& path, Diagnostics& diagnostics) {
  const std::lock_guard lock(mutex_);
  std::error_code ignored;
  const auto time = std::filesystem::last_write_time(path, ignored);
  const auto size = std::filesystem::file_size(path, ignored);
  const auto known = known_.find(path);
  if (known != known_.end() && known->second.time == time && known->second.size == size) return known->second.model;
  ++reads_;
  auto model = model::load(path, diagnostics);
  if (!model) return nullptr;
  auto shared = std::make_shared<const model::Model>(std::move(*model));
  known_[path] = {time, size, shared};
  return shared;
}

}  // namespace orrery::compile
