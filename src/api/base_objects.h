// SPDX-License-Identifier: Apache-2.0
// The base workspace in a run, for FromBase and ToBase blocks.
#pragma once

#include "api/oml_evaluator.h"
#include "program/foreign_kinds.h"

namespace orrery::api {

// Each run reads the workspace when it starts and keeps what its blocks write to itself: whoever made the run hands the
// last values on (write_to_base). The evaluator must outlive the runs.
program::ForeignKind base_workspace_kind(OmlEvaluator& evaluator);

}  // namespace orrery::api
