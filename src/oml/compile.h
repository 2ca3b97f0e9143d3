// SPDX-License-Identifier: Apache-2.0
// Gives every name of a parsed text its slot, so that nothing is looked up by name while running.
#pragma once

#include "oml/ast.h"

namespace orrery::oml {

// Statements that run in the frame of `scope` (base workspace, eval in a function).
void compile_block(const Block& block, Scope& scope);
void compile_expression(Node* node, Scope& scope);
// A function with its nested and anonymous functions.
void compile_function(Function& f);
// The functions of a script or function file.
void compile_functions(const Script& script);

}  // namespace orrery::oml
