// SPDX-License-Identifier: Apache-2.0
// MAT files: variables of a workspace in the binary formats of versions 4, 5 and 7.3.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "oml/value.h"

namespace orrery::oml {

using NamedValues = std::vector<std::pair<std::string, Value>>;

enum class MatVersion { v5, v5_compressed, v7_3 };

// Whether the file starts like a MAT file.
bool is_mat_file(const std::string& path);
// In a process of its own, which may crash, hang or want too much memory: then it is an error.
NamedValues read_mat_file(const std::string& path);
// The same for any kind of file: `read` runs in that process, and may use what was loaded before.
NamedValues read_in_process(const std::string& path, const char* kind, const std::function<NamedValues()>& read);
// In this process.
NamedValues read_mat_file_here(const std::string& path);
void load_matio();
// Values a MAT file cannot hold (handles, environments) are an error.
void write_mat_file(const std::string& path, const NamedValues& variables, MatVersion version, bool append);
bool fits_mat_file(const Value& v);

}  // namespace orrery::oml
