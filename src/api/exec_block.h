// SPDX-License-Identifier: Apache-2.0
// Scripts of ExecOMLScript blocks (Activate, chapter 21).
#pragma once

#include <optional>
#include <string>

#include "api/oml_evaluator.h"
#include "api/session.h"

namespace orrery::api {

// In the base workspace of the evaluator. False, and diagnostics, when there is no such block or its script fails.
[[nodiscard]] bool execute_block(const model::Model& model, const std::string& path, OmlEvaluator& evaluator,
                                 Diagnostics& diagnostics);
// Of the model of a file, in a workspace of its own: the variables it leaves there, a line for each.
std::optional<std::string> execute_block(const RunRequest& request, const std::string& path, Diagnostics& diagnostics);

// The variables of the base workspace, a line for each.
std::string base_text(OmlEvaluator& evaluator);

}  // namespace orrery::api
