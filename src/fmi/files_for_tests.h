// SPDX-License-Identifier: Apache-2.0
// What tests with FMUs share: the test FMUs by name, files that vanish, diagnostics by code.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "base/diagnostic.h"
#include "base/folders_for_tests.h"

namespace orrery::fmi {

inline std::string fmu(const std::string& name) { return test_fmu_folder() + "/" + name + ".fmu"; }

inline const Diagnostic* find_code(const Diagnostics& diagnostics, const std::string& code) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.code == code) return &diagnostic;
  }
  return nullptr;
}

// A file of this test process that is removed in the end.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name)
      : path_(testing::TempDir() + "orrery_fmi_" + std::to_string(getpid()) + "_" + name) {}
  ~ScratchFile() { std::remove(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }
  const std::string& write(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }

 private:
  std::string path_;
};

// Sanitizers keep the handlers of signals and the limits of memory for themselves.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_sanitizer = true;
#else
inline constexpr bool under_sanitizer = false;
#endif

}  // namespace orrery::fmi
