// SPDX-License-Identifier: Apache-2.0
// OmlCustomBlock in a run: the function of the block is interpreted whenever the simulator needs something of it.
#pragma once

#include <memory>

#include "api/oml_evaluator.h"
#include "oml/builtin.h"
#include "program/foreign_kinds.h"

namespace orrery::api {

// The evaluator must outlive the runs.
program::ForeignKind oml_block_kind(OmlEvaluator& evaluator);
// What the functions of such blocks call: vssGetInputData(block, n) and the like.
oml::BuiltinFamily oml_block_builtins();

}  // namespace orrery::api
