// SPDX-License-Identifier: Apache-2.0
// Tables of repeated units as functions.
#include "compile/repeat_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "passes/transplant.h"
#include "passes/visit.h"
#include "program/function.h"

namespace orrery::compile {
namespace {

using program::ExprId;
using program::no_expr;
using program::Op;
using program::Scalar;
using program::SlotId;
using program::Statement;
using program::Type;

bool is_inside(const FlatModel& model, std::uint32_t unit, std::uint32_t around) {
  while (unit != no_unit && unit != around) unit = model.units[unit].parent;
  return unit == around;
}

bool repeats(const blocks::Body& body) {
  return std::any_of(body.rules.begin(), body.rules.end(), [](const blocks::Rule& rule) {
    return rule.kind == blocks::Rule::Kind::action && rule.action == program::ActionKind::repeat;
  });
}

// The loop: all of the table is computed in each turn, then its memory is set, then it is asked whether to go on.
class UnitLoop {
 public:
  UnitLoop(program::Program& program, const std::unordered_map<SlotId, Placed>& places)
      : program_(program), graph_(program.graph), places_(places.begin(), places.end()) {
    for (const auto& [slot, placed] : places_) slot_of_.emplace(placed.placeholder, slot);
  }

  // What is wanted from the last turn; filled in with the results by make().
  void want(ExprId& value) {
    if (value != no_expr) wanted_.push_back(&value);
  }
  void assign(SlotId slot, ExprId value) { assigned_.emplace_back(slot, value); }
  void go_on_while(ExprId condition) { again_ = again_ == no_expr ? condition : graph_.either(again_, condition); }

  std::string make(const Place& place) {
    for (const auto& [slot, value] : assigned_) roots_.push_back(value);
    for (const ExprId* value : wanted_) roots_.push_back(*value);
    roots_.push_back(again_);
    if (std::string fault = find_invariants(); !fault.empty()) return fault;
    if (places_.size() + wanted_.size() > program::most_results) {
      return fmt::format("it has {} values, more than {}", places_.size() + wanted_.size(), program::most_results);
    }
    write(place);
    return {};
  }
  ExprId result_of(SlotId slot) const { return results_.at(slot); }

 private:
  bool depends(ExprId root) {
    return depends_(graph_, root, [&](ExprId id) { return slot_of_.contains(id); });
  }

  // The largest expressions that no turn changes: arguments of the function.
  std::string find_invariants() {
    std::vector<ExprId> waiting = roots_;
    std::set<ExprId> seen;
    while (!waiting.empty()) {
      const ExprId id = waiting.back();
      waiting.pop_back();
      if (!seen.insert(id).second || graph_.is_constant(id) || slot_of_.contains(id)) continue;
      if (!depends(id)) {
        invariants_.insert(id);
        continue;
      }
      if (graph_[id].op == Op::foreign) return "it calls foreign code";
      if (graph_[id].op == Op::past) return "it looks at the past of a signal";
      const auto arguments = graph_.arguments(id);
      waiting.insert(waiting.end(), arguments.begin(), arguments.end());
    }
    return {};
  }

  std::uint32_t add_local(std::string name, Type type) {
    function_.locals.push_back({std::move(name), type});
    return static_cast<std::uint32_t>(function_.locals.size() - 1);
  }

  void write(const Place& place) {
    function_.name = "repeat";
    function_.unguarded = true;  // only events call it
    std::vector<ExprId> arguments;
    std::map<SlotId, std::uint32_t> local_of;
    std::map<ExprId, std::uint32_t> invariant;
    for (const auto& [slot, placed] : places_) {
      local_of[slot] = add_local(program_.slots[slot].name, program_.slots[slot].type);
      arguments.push_back(placed.start);
    }
    for (const ExprId id : invariants_) {
      invariant[id] = add_local(fmt::format("a{}", invariant.size() + 1), graph_.type(id));
      arguments.push_back(id);
    }
    function_.arguments = static_cast<std::uint32_t>(function_.locals.size());
    passes::Transplant copy(graph_, function_.graph, [&](ExprId id) {
      if (const auto slot = slot_of_.find(id); slot != slot_of_.end())
        return function_.graph.read(local_of.at(slot->second), graph_.type(id));
      const auto found = invariant.find(id);
      return found == invariant.end() ? no_expr : function_.graph.read(found->second, graph_.type(id));
    });
    program::Site site;
    site.kind = program::Site::Kind::turns;
    site.place = place;
    const std::uint32_t go = add_local("again", {Scalar::boolean, 1, 1});
    Statement loop{.kind = Statement::Kind::while_loop,
                   .value = function_.graph.read(go, {Scalar::boolean, 1, 1}),
                   .site = function_.graph.add_site(site)};
    const auto set = [](std::uint32_t local, ExprId value) {
      return Statement{.kind = Statement::Kind::assign, .local = local, .value = value};
    };
    function_.body.push_back(set(go, function_.graph.boolean(true)));
    std::vector<Statement> take_over;
    for (const auto& [slot, value] : assigned_) {
      const Type type = graph_.type(value);
      const std::uint32_t next = add_local("next", type);
      loop.body.push_back(set(next, copy.apply(value)));
      take_over.push_back(set(local_of.at(slot), function_.graph.read(next, type)));
    }
    std::vector<std::uint32_t> wanted;
    for (const ExprId* value : wanted_) {
      const Type type = graph_.type(*value);
      wanted.push_back(add_local("left", type));
      const std::vector<double> zeros(static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1),
                                      0.0);
      function_.body.push_back(set(wanted.back(), function_.graph.constant(type, zeros)));
      loop.body.push_back(set(wanted.back(), copy.apply(*value)));
    }
    loop.body.push_back(set(go, copy.apply(again_)));
    loop.body.insert(loop.body.end(), take_over.begin(), take_over.end());
    function_.body.push_back(std::move(loop));
    for (const auto& [slot, local] : local_of) function_.results.push_back(local);
    function_.results.insert(function_.results.end(), wanted.begin(), wanted.end());
    const std::uint32_t number = graph_.declare(program::make_function(std::move(function_)));
    std::uint32_t r = 0;
    for (const auto& [slot, local] : local_of) results_[slot] = graph_.call(number, r++, arguments);
    for (ExprId* value : wanted_) *value = graph_.call(number, r++, arguments);
  }

  program::Program& program_;
  program::Graph& graph_;
  std::map<SlotId, Placed> places_;
  std::map<ExprId, SlotId> slot_of_;
  std::vector<std::pair<SlotId, ExprId>> assigned_;
  std::vector<ExprId*> wanted_;
  std::vector<ExprId> roots_;
  ExprId again_ = no_expr;
  passes::AnyBelow depends_;
  std::set<ExprId> invariants_;
  program::Function function_;
  std::map<SlotId, ExprId> results_;
};

}  // namespace

std::vector<RepeatedUnit> find_repeated_units(const FlatModel& model, const Bodies& bodies, const Plan& plan,
                                              std::uint32_t within) {
  std::vector<std::uint32_t> units;
  if (model.units.empty()) return {};
  for (std::uint32_t b : plan.members) {
    const std::uint32_t unit = model.blocks[b].unit;
    if (unit == no_unit || unit == within || !repeats(bodies.of_block[b])) continue;
    if (within != no_unit && !is_inside(model, unit, within)) continue;
    if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(unit);
  }
  std::vector<RepeatedUnit> result;
  for (std::uint32_t unit : units) {
    const auto holds = [&](std::uint32_t other) { return other != unit && is_inside(model, unit, other); };
    if (std::any_of(units.begin(), units.end(), holds)) continue;  // made with the one around it
    RepeatedUnit repeated{unit, {}};
    for (std::uint32_t b : plan.members) {
      if (is_inside(model, model.blocks[b].unit, unit)) repeated.members.push_back(b);
    }
    result.push_back(std::move(repeated));
  }
  return result;
}

std::vector<bool> find_repeated_blocks(const FlatModel& model, const Bodies& bodies) {
  std::vector<bool> unit_repeats(model.units.size(), false), result(model.blocks.size(), false);
  for (std::uint32_t b = 0; b < model.blocks.size(); ++b) {
    const std::uint32_t unit = model.blocks[b].unit;
    if (unit != no_unit && repeats(bodies.of_block[b])) unit_repeats[unit] = true;
  }
  for (std::uint32_t b = 0; b < model.blocks.size(); ++b) {
    for (std::uint32_t unit = model.blocks[b].unit; unit != no_unit; unit = model.units[unit].parent) {
      if (unit_repeats[unit]) result[b] = true;
    }
  }
  return result;
}

Plan part_of(const Plan& plan, const std::vector<std::uint32_t>& members) {
  Plan part = plan;
  part.members = members;
  part.active = {};
  for (std::uint32_t b : members) {
    for (const ActivePort& active : plan.active.of(b)) part.active.add(b, active);
  }
  return part;
}

bool repeat_table(program::Program& program, const std::unordered_map<SlotId, Placed>& places, const Place& place,
                  program::Table& table, std::vector<ExprId>& passes, Diagnostics& diagnostics) {
  program::Graph& graph = program.graph;
  UnitLoop loop(program, places);
  const auto truth = [&](ExprId guard) { return guard == no_expr ? graph.boolean(true) : guard; };
  for (const program::Assign& assign : table.assigns) {
    const ExprId old = places.at(assign.slot).placeholder;
    loop.assign(assign.slot, assign.guard == no_expr ? assign.value : graph.select(assign.guard, assign.value, old));
  }
  loop.go_on_while(graph.boolean(false));  // unless somebody asks; a condition that never holds has left no action
  for (program::Action& action : table.actions) {
    if (action.kind == program::ActionKind::repeat) {
      loop.go_on_while(truth(action.guard));
      continue;
    }
    loop.want(action.guard);
    for (ExprId& value : action.values) loop.want(value);
  }
  for (program::Schedule& schedule : table.schedules) {
    loop.want(schedule.delay);
    loop.want(schedule.guard);
  }
  for (ExprId& pass : passes) loop.want(pass);
  std::string fault = table.calls.empty() ? loop.make(place) : "it calls foreign code";
  if (!fault.empty()) {
    diagnostics.error("cannot-repeat", place, "the atomic super block cannot be repeated by itself: " + fault,
                      "keep only what is to be repeated in the atomic super block");
    return false;
  }
  for (program::Assign& assign : table.assigns) {
    assign.value = loop.result_of(assign.slot);
    assign.guard = no_expr;
  }
  std::erase_if(table.actions, [](const auto& action) { return action.kind == program::ActionKind::repeat; });
  return true;
}

}  // namespace orrery::compile
