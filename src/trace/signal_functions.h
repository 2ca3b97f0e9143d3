// SPDX-License-Identifier: Apache-2.0
// The functions of OML that work on signals.
#pragma once

#include <optional>
#include <string>

#include "oml/value.h"
#include "program/expr.h"
#include "program/program.h"

namespace orrery::oml {
class Interpreter;
}

namespace orrery::trace {

// Kept in the interpreter while a text runs on the signals of a Program; nullptr: only sizes matter.
struct TracedProgram {
  program::Program* program = nullptr;
};

// Whether a builtin function never looks at the value of a number, so that it can run on anything.
bool moves_values_only(const std::string& name);
// Nothing: the function only moves its arguments about, so it can run as it does on any value. Throws OmlError for what
// cannot be done without knowing the values.
std::optional<oml::Values> call_on_signals(oml::Interpreter& interpreter, const std::string& name,
                                           const oml::Values& arguments, int nargout, program::Graph& graph);

}  // namespace orrery::trace
