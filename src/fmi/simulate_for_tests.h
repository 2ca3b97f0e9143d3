// SPDX-License-Identifier: Apache-2.0
// What tests of runs share: the test FMUs by name, and looks into results.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/folders_for_tests.h"
#include "fmi/simulate.h"

namespace orrery::fmi {

inline std::string fmu(const std::string& name) { return test_fmu_folder() + "/" + name + ".fmu"; }

inline RunOptions exchange(double rtol = 1e-6) {
  RunOptions options;
  options.kind = Kind::model_exchange;
  options.rtol = rtol;
  return options;
}

inline RunOptions co_simulation() {
  RunOptions options;
  options.kind = Kind::co_simulation;
  return options;
}

// The names of a model's FMUs of all versions.
inline std::vector<std::string> versions(const std::string& model, const char* kind) {
  return {model + "_1_" + kind, model + "_2", model + "_3"};
}

#define EXPECT_RUNS(result) EXPECT_FALSE((result).failed()) << to_text((result).diagnostics)

inline double last(const RunResult& result, const std::string& name) {
  const int place = result.recording.find(name);
  EXPECT_GE(place, 0) << name;
  if (place < 0 || result.recording.rows() == 0) return std::nan("");
  return result.recording.number(result.recording.rows() - 1, static_cast<std::size_t>(place));
}

// Texts, and the digits of 64-bit integers.
inline std::string last_text(const RunResult& result, const std::string& name) {
  for (const Recording::Column& column : result.recording.columns) {
    if (column.name != name) continue;
    const std::size_t place = column.is_text ? column.place : column.exact;
    if (place == no_index) break;
    return result.recording.texts[(result.recording.rows() - 1) * result.recording.texts_per_row + place];
  }
  ADD_FAILURE() << name << " is no column of texts";
  return {};
}

inline const Diagnostic* find_code(const Diagnostics& diagnostics, const std::string& code) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.code == code) return &diagnostic;
  }
  return nullptr;
}

inline bool has_code(const RunResult& result, const std::string& code) {
  return find_code(result.diagnostics, code) != nullptr;
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
