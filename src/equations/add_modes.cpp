// SPDX-License-Identifier: Apache-2.0
// One maker for each origin, so that equal conditions of one part are one mode.
#include "equations/add_modes.h"

#include <map>

#include "passes/make_modes.h"
#include "program/print_expression.h"

namespace orrery::equations {

using program::ExprId;
using program::no_expr;

void add_modes(System& system) {
  program::Program& program = *system.program;
  std::map<program::OriginId, passes::ModeMaker> makers;
  const auto apply = [&](program::OriginId origin, ExprId expression) {
    return makers.try_emplace(origin, program, origin).first->second.apply(expression);
  };
  for (Equation& equation : system.equations) equation.residual = apply(equation.origin, equation.residual);
  for (Variable& v : system.variables) {
    if (v.rate != no_expr) v.rate = apply(v.origin, v.rate);
  }
  for (const auto& [origin, maker] : makers) {
    for (const passes::MadeMode& made : maker.modes()) {
      const program::ExpressionText text(program, {&made.written, 1}, false);
      const bool held = program.slots[made.mode].type.scalar == program::Scalar::f64;
      for (const passes::ModeBound& bound : made.bounds) {
        program::Surface surface;
        surface.value = bound.value;
        surface.mode = made.mode;
        surface.strict = bound.strict;
        surface.origin = origin;
        if (held) surface.settled = made.condition;
        surface.text = text.explained(made.written) + (held ? " changes" : "");
        system.surfaces.push_back(std::move(surface));
      }
    }
  }
}

}  // namespace orrery::equations
