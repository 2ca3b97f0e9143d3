// SPDX-License-Identifier: Apache-2.0
// Calls of functions, the small ones written out where they are called.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "program/function.h"

namespace orrery::passes {

// Whether a function is short and has no loops, assertions or early returns, so that its results are expressions. Its
// conditions are then located like any others (docs/semantics.md, 7.1).
bool is_small(const program::Function& function);

// All results for these arguments: written out when the function is small, else by calls.
std::vector<program::ExprId> call_results(program::Graph& graph, std::shared_ptr<const program::Function> function,
                                          std::span<const program::ExprId> arguments);

}  // namespace orrery::passes
