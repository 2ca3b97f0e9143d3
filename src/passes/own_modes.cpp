// SPDX-License-Identifier: Apache-2.0
// One maker of modes for each loop; what its table computes from the same conditions reads the modes.
#include "passes/own_modes.h"

#include "passes/make_modes.h"
#include "passes/substitute.h"
#include "program/print_expression.h"

namespace orrery::passes {

using namespace program;

namespace {

// What stands for the conditions is told to `in_table`.
void replace_corners(Program& program, Loop& loop, Substitution& in_table) {
  ModeMaker maker(program, loop.blocks.empty() ? 0 : loop.blocks[0], loop.unknowns);
  for (ExprId& residual : loop.residuals) residual = maker.apply(residual);
  for (const MadeMode& made : maker.modes()) {
    const ExpressionText text(program, {&made.written, 1}, false);
    const bool held = program.slots[made.mode].type.scalar == Scalar::f64;
    in_table.set_node(made.condition, program.read(made.mode));
    for (const ModeBound& bound : made.bounds) {
      Surface surface;
      surface.value = bound.value;
      surface.mode = made.mode;
      surface.strict = bound.strict;
      surface.origin = program.slots[made.mode].origin;
      if (held) surface.settled = made.condition;
      surface.text = text.explained(made.written) + (held ? " changes" : "");
      loop.modes.push_back(std::move(surface));
    }
  }
}

void rewrite_table(Table& table, Substitution& replace) {
  for (Assign& assign : table.assigns) {
    assign.value = replace.apply(assign.value);
    assign.guard = replace.apply(assign.guard);
  }
  for (Schedule& schedule : table.schedules) {
    schedule.delay = replace.apply(schedule.delay);
    schedule.guard = replace.apply(schedule.guard);
  }
  for (Action& action : table.actions) {
    action.guard = replace.apply(action.guard);
    for (ExprId& value : action.values) value = replace.apply(value);
  }
  for (Call& call : table.calls) {
    call.guard = replace.apply(call.guard);
    for (ExprId& argument : call.arguments) argument = replace.apply(argument);
  }
}

}  // namespace

void own_modes(Program& program) {
  for (std::size_t k = 0; k < program.loops.size(); ++k) {
    Loop& loop = program.loops[k];
    const bool in_table = loop.source >= 0;
    const bool stepped = loop.source == Loop::continuous && program.fixed_step;
    if (!loop.solution.empty() || !(in_table || stepped)) continue;
    Substitution replace(program.graph);
    replace_corners(program, loop, replace);
    if (in_table && !loop.modes.empty())
      rewrite_table(program.sources[static_cast<std::size_t>(loop.source)].table, replace);
  }
}

void own_modes(Program& program, Loop& loop) {
  Substitution unused(program.graph);
  replace_corners(program, loop, unused);
}

}  // namespace orrery::passes
