// SPDX-License-Identifier: Apache-2.0
// The list of endings.
#include "base/runnable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace orrery {
namespace {

constexpr std::array endings = {".orr", ".oml", ".m",   ".c",  ".h",  ".cc", ".cpp", ".hpp",
                                ".cxx", ".so",  ".fmu", ".py", ".mo", ".a",  ".o",   ".inc"};

}  // namespace

bool can_run(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string ending = whole.extension().string();
  return std::find(endings.begin(), endings.end(), ending) != endings.end() ||
         whole.filename().string().find(".so.") != std::string::npos;
}

std::string endings_that_run() {
  return fmt::format("code is taken from files that end in {}: recorded trust watches those", fmt::join(endings, ", "));
}

}  // namespace orrery
