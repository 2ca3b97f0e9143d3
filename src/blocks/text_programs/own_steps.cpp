// SPDX-License-Identifier: Apache-2.0
// Derivative sections with fixed steps of their own, as in ACSL: Euler, Heun and Runge-Kutta by events.
//
// The states of such a section are memories. At the beginning of a step everything that the section reads from others
// is taken as it is then; what its states are at the end is computed at once and put in place when the end has come.
#include <fmt/format.h>

#include "blocks/text_programs/program_building.h"
#include "cssl/names.h"
#include "cssl/operators.h"

namespace orrery::blocks::text_programs {

// Integrators are all that such a section may remember with.
void ProgramBuilding::check_part(const Statement& statement) const {
  const bool state = cssl::defines_state(program_, statement);
  for (const cssl::NodeId root : cssl::expressions_of(statement)) {
    cssl::visit_nodes(program_, root, [&](cssl::NodeId id) {
      const Node& node = program_[id];
      const cssl::Operator* known = node.kind == Node::Kind::call ? cssl::find_operator(node.name) : nullptr;
      const bool outermost = state && id == statement.value && (node.name == "integ" || node.name == "intvc");
      if (known == nullptr || known->kind == cssl::OperatorKind::function || outermost) return;
      fail(node.at, fmt::format("{} cannot stand here: its DERIVATIVE section has fixed steps of its own", node.name),
           "write x = INTEG(…) there, and move other operators to the section of the solver");
    });
  }
}

// Rates of the states at other values of them and of the time: formulas of the section are evaluated anew, those of
// others are as they are.
std::vector<Expr> ProgramBuilding::rates_of(const std::vector<const Statement*>& statements,
                                            const std::vector<Expr>& states, Expr time) {
  Scope scope(&derived_);
  Execution::Options made = options(scope);
  made.time = [time] { return time; };
  made.effect = [](const Effect&) {};
  Execution execution(program_, b_.graph(), scope, std::move(made));
  std::size_t k = 0;
  for (const Statement* s : statements) {
    if (cssl::defines_state(program_, *s)) scope.set(program_[s->targets[0]].name, states[k++]);
  }
  for (const Statement* s : statements) {
    if (!cssl::defines_state(program_, *s)) execution.run(*s);
  }
  std::vector<Expr> rates;
  for (const Statement* s : statements) {
    if (!cssl::defines_state(program_, *s)) continue;
    const Expr state = states[rates.size()];
    Expr rate = execution.formulas().number(program_[s->value].arguments[0]);
    if (rate.type() != state.type() && !rate.type().is_scalar())
      fail(s->at, "the derivative is an array of another size than the initial value");
    if (rate.type() != state.type()) rate = b_.fill(state.type(), 0) + rate;
    rates.push_back(rate);
  }
  return rates;
}

void ProgramBuilding::build_part(int number) {
  const cssl::Part& part = program_.parts[static_cast<std::size_t>(number) - 1];
  std::vector<const Statement*> statements;
  std::vector<Variable> states, next_states;
  std::vector<Expr> now;
  for (const cssl::Section& section : program_.sections) {
    if (section.kind != cssl::Section::Kind::derivative) continue;
    for (const Statement& s : section.statements) {
      if (s.part != number) continue;
      statements.push_back(&s);
      if (!cssl::defines_state(program_, s)) continue;
      const std::string& name = program_[s.targets[0]].name;
      states.push_back(variables_.at(name));
      next_states.push_back(next_values_.at(name));
      now.push_back(states.back());
    }
  }
  const auto constant = [&](const std::string& name) { return derived_.find(name)->as(Scalar::f64); };
  const Expr interval = constant(program_.roles.interval), steps = constant(part.steps);
  const Expr largest = constant(part.largest_step);
  const Expr limited = largest < interval / steps;
  const Expr h = select(limited, largest, interval / steps);
  const auto ahead = [&](Expr length, const std::vector<Expr>& rates) {
    std::vector<Expr> there;
    for (std::size_t k = 0; k < now.size(); ++k) there.push_back(now[k] + length * rates[k]);
    return there;
  };
  const Expr t = b_.time();
  const std::vector<Expr> k1 = rates_of(statements, now, t);
  std::vector<Expr> slope = k1;
  if (part.order == 2) {
    const std::vector<Expr> k2 = rates_of(statements, ahead(h, k1), t + h);
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] = (k1[k] + k2[k]) * 0.5;
  } else if (part.order == 4) {
    const std::vector<Expr> k2 = rates_of(statements, ahead(h * 0.5, k1), t + h * 0.5);
    const std::vector<Expr> k3 = rates_of(statements, ahead(h * 0.5, k2), t + h * 0.5);
    const std::vector<Expr> k4 = rates_of(statements, ahead(h, k3), t + h);
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] = (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k]) / 6.0;
  }
  const std::vector<Expr> end = ahead(h, slope);
  // Instants are counted, so that they meet those of communication points, as long as the step stays.
  const std::string stem = fmt::format("zzpart{}", number);
  const Variable count = b_.memory(stem + "count", b_.constant(0)), from = b_.memory(stem + "from", start_);
  const Variable length = b_.memory(stem + "length", b_.constant(0));
  const int tick = new_port(), advance = new_port();
  b_.queue(tick);
  b_.queue(advance);
  b_.on_start().emit(tick);
  const Trigger ends = b_.on_fired(tick);
  for (std::size_t k = 0; k < states.size(); ++k) ends.set(states[k], next_states[k]);
  ends.emit(advance);
  const Trigger begins = b_.on_fired(advance);
  for (std::size_t k = 0; k < states.size(); ++k) begins.set(next_states[k], end[k]);
  const Expr stays = length == h;
  const Expr next = select(stays, count + 1.0, b_.constant(1)), origin = select(stays, from, t);
  const Expr due = origin + select(limited, next * largest, next / steps * interval);
  begins.set(count, next).set(from, origin).set(length, h);
  begins.schedule(tick, max(due - t, b_.constant(0)));
  begins.when(!(h > 0.0)).fail("a step of a DERIVATIVE section must be positive, but is {}", {h});
}

void ProgramBuilding::build_parts() {
  for (std::size_t k = 0; k < program_.parts.size(); ++k) build_part(static_cast<int>(k) + 1);
}

}  // namespace orrery::blocks::text_programs
