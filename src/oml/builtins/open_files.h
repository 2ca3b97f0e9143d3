// SPDX-License-Identifier: Apache-2.0
// Files a script has open, by number.
#pragma once

#include <cstdio>
#include <map>
#include <string>

#include "oml/builtin.h"

namespace orrery::oml {

struct OpenFiles {
  struct File {
    std::FILE* handle = nullptr;
    std::string name, mode, arch = "ieee-le";
  };
  std::map<int, File> files;
  OpenFiles() = default;
  ~OpenFiles();
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;
};

OpenFiles& open_files(Interpreter& oml);
std::FILE* file_argument(Call& c, int k);
// The text of a file; an OML error where it cannot be read.
std::string read_whole(const std::string& name);

}  // namespace orrery::oml
