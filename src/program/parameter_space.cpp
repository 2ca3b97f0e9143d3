// SPDX-License-Identifier: Apache-2.0
// Declares parameters and remembers who needed their numbers.
#include "program/parameter_space.h"

#include <algorithm>
#include <unordered_set>

#include "base/check.h"
#include "program/evaluate.h"

namespace orrery::program {

bool is_start_value(const Program& program, ExprId expression) {
  if (expression == no_expr) return true;
  const ExprId roots[] = {expression};
  for (const ExprId id : reachable(program.graph, roots)) {
    const Node& node = program.graph[id];
    if (node.op == Op::time || node.op == Op::clock_active || node.op == Op::past) return false;
    if (node.op == Op::read && program.slots[node.payload].kind != SlotKind::parameter) return false;
  }
  return true;
}

const Parameter* ParameterSpace::find(const std::string& name) const {
  for (const Parameter& parameter : beginning_.parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

SlotId ParameterSpace::declare(const std::string& name, Type type, std::vector<double> values, std::string unit) {
  ORRERY_CHECK(target_ == &beginning_);
  std::erase_if(beginning_.parameters, [&](const Parameter& earlier) { return earlier.name == name; });
  const ExprId initial = beginning_.graph.constant(type, values);
  // Passes call their placeholder for the simulated time so.
  const std::string slot_name = name == "time" ? "time_parameter" : name;
  const SlotId slot = beginning_.add_slot({slot_name, type, SlotKind::parameter, 0, initial});
  beginning_.parameters.push_back({name, slot, std::move(unit)});
  return slot;
}

SlotId ParameterSpace::declare(const std::string& name, ExprId formula, std::string unit) {
  const Type type = graph().type(formula);
  const auto count = static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1);
  const SlotId slot = declare(name, type, std::vector<double>(count, 0.0), std::move(unit));
  const Type boolean{Scalar::boolean, 1, 1};
  const SlotId given = beginning_.add_slot({name + " given", boolean, SlotKind::parameter, 0});
  beginning_.parameters.back().given = given;
  const ExprId own = beginning_.graph.unary(Op::logical_not, beginning_.read(given));
  beginning_.start.push_back({slot, formula, own});
  return slot;
}

SlotId ParameterSpace::compute(std::string name, ExprId value) {
  const SlotId slot = target_->add_slot({std::move(name), graph().type(value), SlotKind::parameter, 0});
  target_->start.push_back({slot, value});
  return slot;
}

void ParameterSpace::fix(ExprId formula, Place place, std::string reason) {
  if (paused) return;
  std::unordered_set<SlotId> seen;
  std::vector<ExprId> waiting{formula};
  while (!waiting.empty()) {
    const std::vector<ExprId> roots = std::exchange(waiting, {});
    for (const ExprId id : reachable(graph(), roots)) {
      if (graph()[id].op != Op::read || !seen.insert(static_cast<SlotId>(graph()[id].payload)).second) continue;
      const auto slot = static_cast<SlotId>(graph()[id].payload);
      for (const Assign& assign : target_->start) {
        if (assign.slot == slot) waiting.push_back(assign.value);
      }
    }
  }
  for (const Parameter& parameter : beginning_.parameters) {
    if (!seen.contains(parameter.slot)) continue;
    std::vector<NumberUse>& uses = uses_[parameter.slot];
    const auto same = [&](const NumberUse& use) {
      return use.reason == reason && use.place.block == place.block && use.place.line == place.line &&
             use.place.port == place.port;
    };
    if (std::none_of(uses.begin(), uses.end(), same)) uses.push_back({place, reason});
  }
}

const std::vector<NumberUse>& ParameterSpace::uses(SlotId slot) const {
  static const std::vector<NumberUse> none;
  const auto found = uses_.find(slot);
  return found == uses_.end() ? none : found->second;
}

}  // namespace orrery::program
