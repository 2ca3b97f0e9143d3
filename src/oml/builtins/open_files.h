// SPDX-License-Identifier: Apache-2.0
// Files a script has open, by number.
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <ostream>
#include <string>

#include "oml/builtin.h"

namespace orrery::oml {

struct OpenFiles {
  struct File {
    std::FILE* handle = nullptr;
    std::string name, mode, arch = "ieee-le";
  };
  std::map<int, File> files;
  // The name of one that could not be written as a whole; empty: there is none.
  std::string close_all();
  OpenFiles() = default;
  ~OpenFiles();
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;
};

OpenFiles& open_files(Interpreter& oml);
// Also the standard streams 0, 1 and 2, from which nothing is read.
std::FILE* file_argument(Call& c, int k);
bool is_standard_stream(const Call& c, int k);
bool is_console(const Call& c, int k);  // 1 or 2
// The name itself, or with / for \ when only that exists.
std::string existing_name(const std::string& name);
// Grows text while somebody reads into it: an error past the memory limit, and the place where Ctrl-C is seen.
void expect_growth(std::size_t size);
// The text of a file that may be read; an OML error where it cannot.
std::string read_whole(const Call& c, const std::string& name);
// Calls `write` with a name beside the file, which takes its place when it is complete: a script that is ended in the
// middle leaves the old one. Devices are written directly.
void replace_file(const std::string& name, const std::function<void(const std::string&)>& write);
// Fails when something that was written before has not arrived.
void expect_written(std::ostream& out, const std::string& name);

}  // namespace orrery::oml
