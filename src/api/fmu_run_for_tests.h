// SPDX-License-Identifier: Apache-2.0
// What tests of runs share: options, and looks into results.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "api/fmu_run.h"
#include "fmi/files_for_tests.h"

namespace orrery::fmi {

using End = api::FmuEnd;
using Recording = api::FmuRecording;
using RunResult = api::FmuRunResult;

inline RunResult simulate(const std::string& file, const RunOptions& options) { return api::run_fmu(file, options); }

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

inline bool has_code(const RunResult& result, const std::string& code) {
  return find_code(result.diagnostics, code) != nullptr;
}

}  // namespace orrery::fmi
