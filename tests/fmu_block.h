// SPDX-License-Identifier: Apache-2.0
// For tests of the FMU block: diagrams with test FMUs, and what their columns hold.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "api/oml_evaluator.h"
#include "base/folders_for_tests.h"
#include "notation.h"
#include "run_model.h"

namespace orrery::tests {

inline std::string fmu(const std::string& name) { return fmt::format("fmu='{}/{}.fmu'", test_fmu_folder(), name); }

inline api::RunResult run(const std::string& text, api::RunRequest request = {}) {
  model::Model model = diagram(text);
  request.file = model.file;
  request.tier = api::TierChoice::first;
  request.events = true;
  api::OmlEvaluator evaluator(Consent::everything());
  return api::run(model, request, evaluator);
}

inline api::RunResult good_run(const std::string& text, api::RunRequest request = {}) {
  api::RunResult result = run(text, std::move(request));
  EXPECT_FALSE(result.failed()) << to_text(result.diagnostics);
  return result;
}

inline std::size_t column_of(const api::RunResult& result, const std::string& name) {
  for (std::size_t k = 0; k < result.recording.columns.size(); ++k) {
    if (result.recording.columns[k].name == name) return k;
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

// The largest difference between a column and a function of time.
inline double error(const api::RunResult& result, const std::string& name, const std::function<double(double)>& exact) {
  const std::size_t k = column_of(result, name);
  double worst = 0;
  for (std::size_t row = 0; row < result.recording.rows(); ++row) {
    worst = std::max(worst, std::fabs(result.recording.value(row, k) - exact(result.recording.time[row])));
  }
  return worst;
}

inline std::vector<double> times(const api::RunResult& result, sim::Cause cause) {
  std::vector<double> list;
  for (const auto& entry : result.ledger.entries) {
    if (entry.cause == cause) list.push_back(entry.time);
  }
  return list;
}

}  // namespace orrery::tests
