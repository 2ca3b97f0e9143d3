// SPDX-License-Identifier: Apache-2.0
// Diagrams in files of their own: read once, and again when the file has changed.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/diagnostic.h"
#include "model/model.h"

namespace orrery::compile {

class DiagramFiles {
 public:
  // Nothing when it cannot be read; what is wrong with it is told each time.
  std::shared_ptr<const model::Model> load(const std::string& path, Diagnostics& diagnostics);
  int reads() const { return reads_; }  // of files that were not known, or had changed

 private:
  struct Known {
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;
    std::shared_ptr<const model::Model> model;
  };
  std::mutex mutex_;
  std::map<std::string, Known> known_;
  int reads_ = 0;
};

}  // namespace orrery::compile
