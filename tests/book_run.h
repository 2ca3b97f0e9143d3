// SPDX-License-Identifier: Apache-2.0
// Runs of the models in examples/book, and what they show.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/folders_for_tests.h"
#include "run_model.h"

namespace orrery::tests {

using Numbers = std::vector<double>;

inline api::RunResult run_book(const std::string& name, double interval = 0,
                               const std::vector<compile::Override>& overrides = {}, const std::string& stop = {}) {
  api::RunRequest request;
  request.file = fmt::format("{}/examples/book/{}.orr", source_folder(), name);
  request.tier = api::TierChoice::first;
  request.events = true;
  request.interval = interval;
  request.overrides = overrides;
  request.settings.stop.text = stop;
  request.allow = Capabilities::all();  // some have blocks in C
  api::RunResult result = api::run(request);
  EXPECT_FALSE(result.failed()) << to_text(result.diagnostics);
  return result;
}

inline Numbers curve(const api::RunResult& result, const std::string& ending) {
  Numbers values;
  for (std::size_t k = 0; k < result.recording.columns.size(); ++k) {
    if (!result.recording.columns[k].name.ends_with(ending)) continue;
    for (std::size_t row = 0; row < result.recording.rows(); ++row) values.push_back(result.recording.value(row, k));
    return values;
  }
  std::string names;
  for (const auto& known : result.recording.columns) names += " " + known.name;
  ADD_FAILURE() << "no column " << ending << " among" << names;
  return {0};
}

// The last row of each instant: what its events have left.
inline Numbers settled_curve(const api::RunResult& result, const std::string& ending) {
  const Numbers all = curve(result, ending);
  Numbers values;
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (row + 1 == all.size() || result.recording.time[row + 1] != result.recording.time[row])
      values.push_back(all[row]);
  }
  return values;
}

inline Numbers times_of(const api::RunResult& result, const std::string& block, sim::Cause cause) {
  Numbers times;
  for (const sim::LedgerEntry& entry : result.ledger.entries) {
    if (entry.cause == cause && result.program().origins[entry.origin].path == block) times.push_back(entry.time);
  }
  return times;
}

}  // namespace orrery::tests
