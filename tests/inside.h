// SPDX-License-Identifier: Apache-2.0
// For tests of what a model is compiled to: its Program, which no front door shows, and runs of it.
#pragma once

#include <optional>

#include "program/program.h"
#include "run_model.h"

namespace orrery::tests {

// Verified. With `graph` nothing need be folded or shared.
std::optional<program::Program> program_of(const model::Model& model, const RunSetup& setup, Diagnostics& diagnostics,
                                           const program::GraphOptions& graph = {});
// As run_model(), with expressions that are not folded and not shared.
ModelRun run_unfolded(const model::Model& model, const RunSetup& setup);

}  // namespace orrery::tests
