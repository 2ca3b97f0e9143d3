// SPDX-License-Identifier: Apache-2.0
// Tables: assignments that may not meet, programming, actions, foreign calls.
#include <algorithm>
#include <unordered_map>

#include "program/message.h"
#include "program/verifier.h"

namespace orrery::program {

// Two guards that can never hold together: one is among the conjuncts of the other, negated.
bool Verifier::disjoint(ExprId a, ExprId b) const {
  if (a == no_expr || b == no_expr) return false;
  std::vector<ExprId> left = conjuncts(a);
  std::vector<ExprId> right = conjuncts(b);
  for (ExprId x : left) {
    for (ExprId y : right) {
      bool opposite = (graph_[x].op == Op::logical_not && graph_.arguments(x)[0] == y) ||
                      (graph_[y].op == Op::logical_not && graph_.arguments(y)[0] == x);
      if (opposite || graph_.is_constant(x, 0) || graph_.is_constant(y, 0) || differ_by_constant(x, y)) return true;
    }
  }
  return false;
}

// s == 1 and s == 2; s == 1 and s != 1.
bool Verifier::differ_by_constant(ExprId x, ExprId y) const {
  if (graph_[x].op == Op::not_equal) std::swap(x, y);
  if (graph_[x].op != Op::equal || (graph_[y].op != Op::equal && graph_[y].op != Op::not_equal)) return false;
  auto a = graph_.arguments(x);
  auto b = graph_.arguments(y);
  if (graph_[y].op == Op::not_equal) return a[0] == b[0] && a[1] == b[1];
  if (a[0] != b[0] || !graph_.is_constant(a[1]) || !graph_.is_constant(b[1])) return false;
  return graph_.constant_data(a[1])[0] != graph_.constant_data(b[1])[0];
}

std::vector<ExprId> Verifier::conjuncts(ExprId guard) const {
  std::vector<ExprId> parts{guard};
  constexpr std::size_t enough = 64;  // the check is quadratic in this
  for (std::size_t i = 0; i < parts.size() && parts.size() < enough; ++i) {
    if (graph_[parts[i]].op != Op::logical_and) continue;
    for (ExprId a : graph_.arguments(parts[i])) parts.push_back(a);
  }
  return parts;
}

void Verifier::check_assigns(const std::vector<Assign>& assigns, const std::string& where) {
  std::unordered_map<SlotId, std::vector<ExprId>> guards;
  for (const Assign& assign : assigns) {
    std::string target = where + ": " + slot_text(assign.slot);
    check_origin(assign.origin, target);
    check_guard(assign.guard, target);
    if (assign.slot >= program_.slots.size()) {
      problem("{} does not exist", target);
      continue;
    }
    check_expression(assign.value, program_.slots[assign.slot].type, target);
    std::vector<ExprId>& earlier = guards[assign.slot];
    bool clash = std::ranges::any_of(earlier, [&](ExprId g) { return !disjoint(g, assign.guard); });
    if (clash) problem("{} is written twice and the guards may hold together", target);
    earlier.push_back(assign.guard);
  }
}

void Verifier::check_source(std::size_t i) {
  const Source& source = program_.sources[i];
  std::string where = fmt::format("source {}", i);
  check_origin(source.origin, where);
  bool initial = source.kind == SourceKind::initial;
  if ((i == 0) != initial) problem("{}: the initial source is number 0, and only that", where);
  if (source.kind == SourceKind::clock && source.domain >= program_.domains.size()) {
    problem("{}: clock domain {} does not exist", where, source.domain);
  }
  check_assigns(source.table.assigns, where);
  for (const Schedule& schedule : source.table.schedules) {
    check_guard(schedule.guard, where);
    check_expression(schedule.delay, Type{}, where + ": delay");
    if (schedule.source >= program_.sources.size()) {
      problem("{}: schedules source {}, which does not exist", where, schedule.source);
    } else if (program_.sources[schedule.source].kind != SourceKind::programmed) {
      problem("{}: schedules source {}, which is not a programmed one", where, schedule.source);
    }
  }
  check_calls(source.table.calls, where);
  for (const Action& action : source.table.actions) {
    check_guard(action.guard, where);
    check_message(action.text, action.values, where + ": action");
    if (action.kind == ActionKind::record && action.probe >= program_.probes.size()) {
      problem("{}: probe {} does not exist", where, action.probe);
    }
  }
}

void Verifier::check_message(const std::string& text, const std::vector<ExprId>& values, const std::string& where) {
  for (ExprId value : values) check_expression(value, Type{}, where + ": value of a message");
  std::size_t places = 0;
  std::string_view rest = text;
  for (MessagePlace at = next_place(rest); at.begin != std::string::npos; at = next_place(rest)) {
    rest.remove_prefix(at.end);
    ++places;
  }
  if (!values.empty() && places != values.size()) {
    problem("{}: a message has {} places for {} values", where, places, values.size());
  }
}

void Verifier::check_calls(const std::vector<Call>& calls, const std::string& where) {
  for (const Call& call : calls) {
    check_guard(call.guard, where + ": call");
    if (call.object >= program_.foreign_objects.size()) problem("{}: calls an object that does not exist", where);
    for (ExprId argument : call.arguments) {
      if (exists(argument, where + ": call") && graph_.type(argument).scalar != Scalar::f64) {
        problem("{}: an argument of a call is not double", where);
      }
    }
    for (SlotId slot : call.results) {
      if (slot >= program_.slots.size()) problem("{}: a call writes slot {}, which does not exist", where, slot);
    }
    std::vector<std::uint32_t> sources = call.fires;
    sources.insert(sources.end(), {call.wake, call.end});
    for (std::uint32_t programmed : sources) {
      if (programmed == no_source) continue;
      bool known = programmed < program_.sources.size();
      if (!known || program_.sources[programmed].kind != SourceKind::programmed) {
        problem("{}: a call programs source {}, which is not a programmed one", where, programmed);
      }
    }
  }
}

}  // namespace orrery::program
