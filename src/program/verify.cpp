// SPDX-License-Identifier: Apache-2.0
// The rules of a Program, one check each: slots, clocks, the start, probes and names.
#include "program/verify.h"

#include "program/parameter_space.h"
#include "program/verifier.h"

namespace orrery::program {

std::vector<std::string> Verifier::run() {
  check_nodes();
  check_slots();
  check_clocks();
  check_continuous();
  check_loops();
  check_start();
  check_assigns(program_.always, "always");
  check_assigns(program_.sampled, "sampled");
  for (std::size_t i = 0; i < program_.sources.size(); ++i) check_source(i);
  check_surfaces();
  check_histories();
  check_probes();
  check_variables();
  if (problems_.empty() && !program_.fixed_step) check_corners();
  return std::move(problems_);
}

std::string Verifier::slot_text(SlotId id) const {
  if (id >= program_.slots.size()) return fmt::format("slot {}", id);
  const Slot& slot = program_.slots[id];
  std::string path = slot.origin < program_.origins.size() ? program_.origins[slot.origin].path : "";
  return fmt::format("slot {} ({}{}{})", id, path, path.empty() ? "" : ".", slot.name);
}

bool Verifier::exists(ExprId id, const std::string& where) {
  if (id < graph_.size()) return true;
  problem("{}: the expression does not exist", where);
  return false;
}

void Verifier::check_expression(ExprId id, Type type, const std::string& where) {
  if (!exists(id, where) || graph_.type(id) == type) return;
  problem("{}: the value is {}, not {}", where, to_text(graph_.type(id)), to_text(type));
}

void Verifier::check_guard(ExprId guard, const std::string& where) {
  if (guard != no_expr) check_expression(guard, Type{Scalar::boolean, 1, 1}, where + ": guard");
}

void Verifier::check_origin(OriginId origin, const std::string& where) {
  if (origin >= program_.origins.size() && origin != 0) problem("{}: origin {} does not exist", where, origin);
}

void Verifier::check_slots() {
  for (SlotId id = 0; id < program_.slots.size(); ++id) {
    const Slot& slot = program_.slots[id];
    std::string where = slot_text(id);
    check_origin(slot.origin, where);
    if (slot.type.rows < 0 || slot.type.cols < 0) problem("{}: negative size", where);
    bool mode = slot.kind == SlotKind::mode;
    bool direction = slot.kind == SlotKind::direction;
    if (mode && slot.type != Type{Scalar::boolean, 1, 1} && slot.type != Type{})
      problem("{}: a mode is a boolean or a double", where);
    if (direction && slot.type != Type{Scalar::i8, 1, 1}) problem("{}: a direction is int8", where);
    if (slot.initial == no_expr) continue;
    check_expression(slot.initial, slot.type, where + ": initial value");
    if (slot.initial < graph_.size() && !graph_.is_constant(slot.initial)) {
      problem("{}: the initial value is not a constant", where);
    }
  }
}

void Verifier::check_clocks() {
  for (std::size_t d = 0; d < program_.domains.size(); ++d) {
    if (program_.domains[d].base.numerator <= 0) problem("clock domain {}: the base period is not positive", d);
    for (std::uint32_t clock : program_.domains[d].clocks) {
      if (clock >= program_.clocks.size()) problem("clock domain {}: clock {} does not exist", d, clock);
    }
  }
  for (std::size_t c = 0; c < program_.clocks.size(); ++c) {
    if (program_.clocks[c].divisor < 1) problem("clock {}: the divisor is not positive", c);
  }
}

// Expressions of the start read parameters only.
void Verifier::check_start() {
  check_assigns(program_.start, "start");
  for (const Assign& assign : program_.start) {
    for (const ExprId id : {assign.value, assign.guard}) {
      if (id < graph_.size() && !is_start_value(program_, id)) {
        problem("start: {} does not follow from parameters alone", slot_text(assign.slot));
      }
    }
  }
  check_start_system();
  for (const Parameter& parameter : program_.parameters) {
    check_slot_kind(parameter.slot, SlotKind::parameter, "parameter " + parameter.name);
    if (parameter.given != no_slot) check_slot_kind(parameter.given, SlotKind::parameter, parameter.name);
  }
}

// Nothing is sought twice, and guesses are for unknowns.
void Verifier::check_start_system() {
  const StartSystem& system = program_.start_system;
  std::vector<bool> sought(program_.slots.size());
  for (const Loop& loop : program_.loops) {
    if (loop.source != Loop::start) continue;
    for (SlotId id : loop.unknowns) {
      if (id >= sought.size()) continue;
      if (sought[id]) problem("start: {} is sought twice", slot_text(id));
      sought[id] = true;
    }
  }
  check_assigns(system.guesses, "guesses of the start");
  for (const Assign& guess : system.guesses) check_slot_kind(guess.slot, SlotKind::unknown, "guess of the start");
  check_assigns(system.found, "what the start finds");
  for (const StartCheck& check : system.checks) {
    check_origin(check.origin, "check of the start");
    check_expression(check.residual, Type{}, "check of the start");
  }
  if (system.homotopy == no_slot) return;
  check_slot_kind(system.homotopy, SlotKind::parameter, "homotopy");
  if (system.homotopy < program_.slots.size() && program_.slots[system.homotopy].type != Type{}) {
    problem("start: the slot of the homotopy is not a double");
  }
}

void Verifier::check_slot_kind(SlotId id, SlotKind kind, const std::string& where) {
  if (id >= program_.slots.size() || program_.slots[id].kind != kind) {
    problem("{}: {} is not of the kind it should be", where, slot_text(id));
  }
}

void Verifier::check_probes() {
  for (const Probe& probe : program_.probes) {
    if (probe.slot >= program_.slots.size()) problem("probe {}: slot {} does not exist", probe.name, probe.slot);
    if (probe.seen != no_slot) check_slot_kind(probe.seen, SlotKind::discrete, fmt::format("probe {}", probe.name));
  }
}

void Verifier::check_variables() {
  for (std::size_t k = 0; k < program_.variables.size(); ++k) {
    const Variable& variable = program_.variables[k];
    const std::string where = fmt::format("variable {}", k);
    check_origin(variable.origin, where);
    if (variable.slot >= program_.slots.size()) {
      problem("{}: slot {} does not exist", where, variable.slot);
      continue;
    }
    const Type type = program_.slots[variable.slot].type;
    if (variable.element >= type.size()) problem("{}: the slot has no element {}", where, variable.element);
    if (variable.value != no_expr) check_expression(variable.value, type, where);
    if (variable.alias != no_variable && variable.alias >= program_.variables.size())
      problem("{}: it is another name of nothing", where);
    for (const std::uint32_t text : {variable.name, variable.unit, variable.about}) {
      if (text != 0 && text >= program_.texts.size()) problem("{}: text {} does not exist", where, text);
    }
  }
}

std::vector<std::string> verify(const Program& program) { return Verifier(program).run(); }

}  // namespace orrery::program
