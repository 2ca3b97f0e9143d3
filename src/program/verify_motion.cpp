// SPDX-License-Identifier: Apache-2.0
// Continuous time: states, loops, surfaces, and that the integrator sees smooth functions.
#include "program/verifier.h"

#include <algorithm>
#include <cmath>

#include "program/motion.h"
#include "program/parameter_space.h"

namespace orrery::program {

void Verifier::check_continuous() {
  if (program_.states.size() != program_.derivatives.size()) {
    problem("{} states but {} derivatives", program_.states.size(), program_.derivatives.size());
  }
  std::vector<bool> listed(program_.slots.size());
  for (std::size_t i = 0; i < program_.states.size(); ++i) {
    SlotId id = program_.states[i];
    if (id >= program_.slots.size()) {
      problem("state {}: slot {} does not exist", i, id);
      continue;
    }
    const Slot& slot = program_.slots[id];
    std::string where = slot_text(id);
    if (listed[id]) problem("{} is listed twice among the states", where);
    listed[id] = true;
    if (slot.kind != SlotKind::state && slot.kind != SlotKind::shadow) problem("{} is not a state", where);
    if (slot.type.scalar != Scalar::f64) problem("{}: a continuous state is double", where);
    if (i < program_.derivatives.size()) check_expression(program_.derivatives[i], slot.type, where + ": derivative");
  }
  for (ExprId id : program_.invariants) {
    if (exists(id, "invariant") && graph_.type(id).scalar != Scalar::f64) problem("an invariant is not double");
  }
  check_assigns(program_.projections, "projections");
  for (const Assertion& assertion : program_.assertions) {
    check_origin(assertion.origin, "assertion");
    check_expression(assertion.holds, Type{Scalar::boolean}, "assertion");
    check_expression(assertion.tried, Type{Scalar::boolean}, "assertion at a tried point");
    check_message(assertion.text, assertion.values, "assertion");
  }
  for (SlotId id = 0; id < program_.slots.size(); ++id) {
    bool continuous = program_.slots[id].kind == SlotKind::state || program_.slots[id].kind == SlotKind::shadow;
    if (continuous && !listed[id]) problem("{} has no derivative", slot_text(id));
  }
}

void Verifier::check_loops() {
  for (std::size_t k = 0; k < program_.loops.size(); ++k) {
    const Loop& loop = program_.loops[k];
    std::string where = fmt::format("loop {}", k);
    if (loop.unknowns.size() != loop.residuals.size()) {
      problem("{}: {} unknowns but {} residuals", where, loop.unknowns.size(), loop.residuals.size());
      continue;
    }
    if (loop.source < Loop::start || loop.source >= static_cast<std::int64_t>(program_.sources.size())) {
      problem("{}: no such source", where);
    }
    for (const Surface& mode : loop.modes) check_loop_mode(mode, where);
    for (std::size_t i = 0; i < loop.unknowns.size(); ++i) {
      SlotId id = loop.unknowns[i];
      if (id >= program_.slots.size() || program_.slots[id].kind != SlotKind::unknown) {
        problem("{}: {} is not an unknown", where, slot_text(id));
        continue;
      }
      if (program_.slots[id].type.scalar != Scalar::f64) problem("{}: an unknown is double", slot_text(id));
      check_expression(loop.residuals[i], program_.slots[id].type, where + ": residual");
    }
  }
}

void Verifier::check_loop_mode(const Surface& mode, const std::string& where) {
  check_slot_kind(mode.mode, SlotKind::mode, where + ": condition");
  check_expression(mode.value, Type{}, where + ": condition");
  const bool held = mode.mode < program_.slots.size() && program_.slots[mode.mode].type == Type{};
  if (held) check_expression(mode.settled, Type{}, where + ": what the number becomes");
}

void Verifier::check_surfaces() {
  for (std::size_t i = 0; i < program_.surfaces.size(); ++i) {
    const Surface& surface = program_.surfaces[i];
    std::string where = fmt::format("surface {}", i);
    check_origin(surface.origin, where);
    check_expression(surface.value, Type{}, where);
    if (surface.mode != no_slot) {
      check_slot_kind(surface.mode, SlotKind::mode, where);
      bool held = surface.mode < program_.slots.size() && program_.slots[surface.mode].type == Type{};
      if (held) check_expression(surface.settled, Type{}, where + ": what the number becomes");
      if (!held && surface.settled != no_expr) problem("{}: a boolean mode is its condition", where);
      continue;
    }
    if (surface.direction != no_slot) check_slot_kind(surface.direction, SlotKind::direction, where);
    if (surface.source >= program_.sources.size() || program_.sources[surface.source].kind != SourceKind::crossing) {
      problem("{}: source {} is not a crossing source", where, surface.source);
    }
  }
}

// Delays are not negative, and bounded: what a history keeps is.
void Verifier::check_histories() {
  for (std::size_t k = 0; k < program_.histories.size(); ++k) {
    const History& history = program_.histories[k];
    const std::string where = fmt::format("history {}", k);
    check_origin(history.origin, where);
    if (!exists(history.value, where)) continue;
    const Type type = graph_.type(history.value);
    if (type.scalar != Scalar::f64) problem("{}: the signal is not double", where);
    check_expression(history.start, type, where + ": before the start");
    const bool follows = history.of < k && history.parameter < program_.sensitivities.parameters.size();
    if (history.of != no_history && !follows) problem("{}: it is the sensitivity of nothing", where);
    check_bound(history.least, where + ": smallest delay");
    check_bound(history.largest, where + ": largest delay");
    if (!std::ranges::is_sorted(history.start_breaks)) problem("{}: the breaks before the start are not sorted", where);
  }
}

void Verifier::check_bound(ExprId bound, const std::string& where) {
  check_expression(bound, Type{}, where);
  if (bound >= graph_.size()) return;
  if (graph_.is_constant(bound)) {
    const double value = graph_.constant_data(bound)[0];
    if (!(value >= 0) || std::isinf(value)) problem("{} is {}", where, value);
  } else if (!is_start_value(program_, bound)) {
    problem("{} does not follow from parameters alone", where);
  }
}

// While the integrator steps it sees smooth functions: what moves reaches no operation with corners or jumps but
// through a mode (docs/semantics.md, 7.1).
void Verifier::check_corners() {
  const std::vector<bool> moves = find_moving(program_);
  std::vector<bool> seen(graph_.size());
  const auto check = [&](ExprId root, const std::string& where) {
    std::vector<ExprId> stack{root};
    while (!stack.empty()) {
      const ExprId id = stack.back();
      stack.pop_back();
      if (id == no_expr || seen[id]) continue;
      seen[id] = true;
      const auto arguments = graph_.arguments(id);
      stack.insert(stack.end(), arguments.begin(), arguments.end());
      if (!moves[id] || arguments.empty()) continue;
      if (has_corner(graph_, id)) {
        problem("{}: {} of something that moves, without a mode", where, name_of(graph_[id].op));
      }
    }
  };
  for (std::size_t i = 0; i < program_.states.size(); ++i) {
    const bool shadow = program_.slots[program_.states[i]].kind == SlotKind::shadow;
    const ExprId value = program_.derivatives[i];
    check(shadow ? without_bounds(value) : value, slot_text(program_.states[i]) + ": derivative");
  }
  for (const Loop& loop : program_.loops) {
    if (loop.source != Loop::continuous) continue;
    for (std::size_t i = 0; i < loop.residuals.size(); ++i) check(loop.residuals[i], slot_text(loop.unknowns[i]));
  }
  for (const ExprId id : program_.invariants) check(id, "invariant");
  for (const Assertion& assertion : program_.assertions) {
    if (!judged_as_it_stands(graph_, assertion)) check(assertion.holds, "assertion " + assertion.text);
  }
  for (const Assign& projection : program_.projections) check(projection.value, slot_text(projection.slot));
  for (const Surface& surface : program_.surfaces) check(surface.value, "surface " + surface.text);
  for (const Assign& assign : program_.always) {
    check(assign.value, slot_text(assign.slot));
    check(assign.guard, slot_text(assign.slot) + ": guard");
  }
}

// A shadow follows a term whose corners nobody locates; what bounds it is the outermost of its derivative.
ExprId Verifier::without_bounds(ExprId id) const {
  for (const Op op : {Op::max, Op::min}) {
    if (graph_[id].op != op || !graph_.is_constant(graph_.arguments(id)[1])) return id;
    id = graph_.arguments(id)[0];
  }
  return id;
}

}  // namespace orrery::program
