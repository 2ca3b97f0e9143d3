// SPDX-License-Identifier: Apache-2.0
// What a command of the shell prints, and its status where that is not 0.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>

namespace orrery::tests {

inline std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> buffer;
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  return status == 0 ? text : text + fmt::format("(status {})", status);
}

}  // namespace orrery::tests
