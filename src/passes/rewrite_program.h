// SPDX-License-Identifier: Apache-2.0
// Applies a rewriting of expressions to every expression of a Program.
#pragma once

#include "program/program.h"

namespace orrery::passes {

// rewrite(ExprId) -> ExprId, with no_expr for no_expr. Initial values are constants and stay as they are.
template <class Rewrite>
void rewrite_program(program::Program& program, Rewrite&& rewrite) {
  auto assigns = [&](std::vector<program::Assign>& list) {
    for (program::Assign& a : list) {
      a.value = rewrite(a.value);
      a.guard = rewrite(a.guard);
    }
  };
  assigns(program.start);
  assigns(program.start_system.guesses);
  assigns(program.start_system.found);
  for (program::StartCheck& check : program.start_system.checks) check.residual = rewrite(check.residual);
  for (program::Source& source : program.sources) {
    assigns(source.table.assigns);
    for (program::Schedule& s : source.table.schedules) {
      s.delay = rewrite(s.delay);
      s.guard = rewrite(s.guard);
    }
    for (program::Action& a : source.table.actions) {
      a.guard = rewrite(a.guard);
      for (program::ExprId& value : a.values) value = rewrite(value);
    }
    for (program::Call& call : source.table.calls) {
      call.guard = rewrite(call.guard);
      for (program::ExprId& argument : call.arguments) argument = rewrite(argument);
    }
  }
  assigns(program.always);
  assigns(program.sampled);
  for (program::ExprId& id : program.derivatives) id = rewrite(id);
  for (program::ExprId& id : program.invariants) id = rewrite(id);
  assigns(program.projections);
  for (program::Assertion& assertion : program.assertions) {
    assertion.holds = rewrite(assertion.holds);
    assertion.tried = rewrite(assertion.tried);
    for (program::ExprId& value : assertion.values) value = rewrite(value);
  }
  auto surfaces = [&](std::vector<program::Surface>& list) {
    for (program::Surface& surface : list) {
      surface.value = rewrite(surface.value);
      surface.settled = rewrite(surface.settled);
    }
  };
  for (program::Loop& loop : program.loops) {
    for (program::ExprId& id : loop.residuals) id = rewrite(id);
    surfaces(loop.modes);
  }
  surfaces(program.surfaces);
  for (program::History& history : program.histories) {
    for (program::ExprId* id : {&history.value, &history.start, &history.least, &history.largest}) *id = rewrite(*id);
  }
  for (program::Variable& variable : program.variables) variable.value = rewrite(variable.value);
  for (program::SurfaceTangent& tangent : program.sensitivities.surfaces) {
    tangent.rate = rewrite(tangent.rate);
    for (program::ExprId& id : tangent.change) id = rewrite(id);
  }
}

}  // namespace orrery::passes
