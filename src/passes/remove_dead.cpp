// SPDX-License-Identifier: Apache-2.0
// Liveness of signal slots, from what must be computed backwards.
#include "passes/remove_dead.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace orrery::passes {

using namespace program;

namespace {

class Liveness {
 public:
  explicit Liveness(const Program& program)
      : program_(program), needed_(program.slots.size()), seen_(program.graph.size()), writers_(program.slots.size()) {
    for (const Loop& loop : program.loops) {
      for (SlotId unknown : loop.unknowns) loops_[unknown].push_back(&loop);
    }
  }

  void collect(std::span<const SlotId> kept) {
    for (const Source& source : program_.sources) table(source.table);
    assigns(program_.always);
    assigns(program_.sampled);
    for (ExprId id : program_.derivatives) expression(id);
    for (ExprId id : program_.invariants) expression(id);
    for (const Assign& projection : program_.projections) expression(projection.value);
    assigns(program_.start_system.found);
    for (const StartCheck& check : program_.start_system.checks) expression(check.residual);
    for (const Assertion& assertion : program_.assertions) {
      expression(assertion.holds);
      expression(assertion.tried);
      for (ExprId value : assertion.values) expression(value);
    }
    for (const Surface& surface : program_.surfaces) {
      expression(surface.value);
      expression(surface.settled);
    }
    for (const History& history : program_.histories) {
      for (const ExprId id : {history.value, history.start, history.least, history.largest}) expression(id);
    }
    for (const Probe& probe : program_.probes) slot(probe.slot);
    for (const program::Variable& variable : program_.variables) {
      expression(variable.value);
      const bool wanted = variable.kind == VariableKind::signal || variable.kind == VariableKind::input;
      if (wanted && variable.value == no_expr) slot(variable.slot);
    }
    for (SlotId id : kept) slot(id);
    drain();
  }

  bool needed(const Loop& loop) const {
    return !loop.solution.empty() ||
           std::any_of(loop.unknowns.begin(), loop.unknowns.end(), [&](SlotId id) { return needed_[id]; });
  }

  bool needed(const Assign& assign) const {
    return program_.slots[assign.slot].kind != SlotKind::signal || needed_[assign.slot];
  }

 private:
  void table(const Table& t) {
    assigns(t.assigns);
    for (const Schedule& s : t.schedules) {
      expression(s.delay);
      expression(s.guard);
    }
    for (const Action& a : t.actions) {
      expression(a.guard);
      for (ExprId value : a.values) expression(value);
    }
    for (const Call& call : t.calls) {
      expression(call.guard);
      for (ExprId argument : call.arguments) expression(argument);
    }
  }

  void assigns(const std::vector<Assign>& list) {
    for (const Assign& a : list) {
      if (program_.slots[a.slot].kind == SlotKind::signal) {
        writers_[a.slot].push_back(&a);
      } else {
        expression(a.value);
        expression(a.guard);
      }
    }
  }

  void expression(ExprId id) {
    if (id == no_expr || seen_[id]) return;
    seen_[id] = true;
    nodes_.push_back(id);
  }

  void slot(SlotId id) {
    if (id >= needed_.size() || needed_[id]) return;
    needed_[id] = true;
    slots_.push_back(id);
  }

  void drain() {
    while (!nodes_.empty() || !slots_.empty()) {
      if (!slots_.empty()) {
        SlotId id = slots_.back();
        slots_.pop_back();
        for (const Assign* a : writers_[id]) {
          expression(a->value);
          expression(a->guard);
        }
        if (const auto found = loops_.find(id); found != loops_.end()) {
          for (const Loop* loop : found->second) {
            for (ExprId residual : loop->residuals) expression(residual);
            for (const Surface& mode : loop->modes) {
              expression(mode.value);
              expression(mode.settled);
            }
            for (SlotId unknown : loop->unknowns) slot(unknown);
          }
        }
        continue;
      }
      ExprId id = nodes_.back();
      nodes_.pop_back();
      if (program_.graph[id].op == Op::read) slot(static_cast<SlotId>(program_.graph[id].payload));
      for (ExprId a : program_.graph.arguments(id)) expression(a);
    }
  }

  const Program& program_;
  std::vector<bool> needed_;
  std::vector<bool> seen_;
  std::vector<std::vector<const Assign*>> writers_;
  std::unordered_map<SlotId, std::vector<const Loop*>> loops_;  // by unknown
  std::vector<ExprId> nodes_;
  std::vector<SlotId> slots_;
};

}  // namespace

std::size_t remove_dead(Program& program, std::span<const SlotId> kept) {
  Liveness liveness(program);
  liveness.collect(kept);
  std::size_t dropped = 0;
  auto unneeded = [&](const Assign& a) { return !liveness.needed(a); };
  std::erase_if(program.loops, [&](const Loop& loop) { return !liveness.needed(loop); });
  for (Source& source : program.sources) dropped += std::erase_if(source.table.assigns, unneeded);
  dropped += std::erase_if(program.sampled, unneeded);
  std::vector<bool> solved(program.slots.size(), false);
  for (const Loop& loop : program.loops) {
    for (const SlotId unknown : loop.unknowns) solved[unknown] = loop.solution.empty();
  }
  std::erase_if(program.variables, [&](const program::Variable& v) {
    return v.kind == VariableKind::unknown && v.alias == no_variable && !solved[v.slot];
  });
  return dropped + std::erase_if(program.always, unneeded);
}

}  // namespace orrery::passes
