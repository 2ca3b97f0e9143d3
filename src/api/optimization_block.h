// SPDX-License-Identifier: Apache-2.0
// Optimization blocks in runs: a search that outlives the runs it asks for.
#pragma once

#include <optional>
#include <string>

#include "api/oml_evaluator.h"
#include "program/foreign_kinds.h"

namespace orrery::api {

// The searches belong to the evaluator, and begin anew with its first run.
program::ForeignKind optimization_kind(OmlEvaluator& evaluator);

struct SearchProgress {
  double cost = 0, least = 0;  // of the last run, of all of them
  std::string unsure;          // the block whose search has used up its runs before it was sure of a minimum
};
// Of the search that was told a cost last; nothing: none was.
std::optional<SearchProgress> search_progress(OmlEvaluator& evaluator);

}  // namespace orrery::api
