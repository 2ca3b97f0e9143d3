// SPDX-License-Identifier: Apache-2.0
// Probe::seen and Probe::bent.
#include "compile/describe_probes.h"

#include <algorithm>

#include "compile/time_dependence.h"

namespace orrery::compile {
namespace {

using program::no_expr;

bool records(const program::Action& action, std::uint32_t probe) {
  return action.kind == program::ActionKind::record && action.probe == probe;
}

// Counts of events begin with 0; what is unguarded in continuous time or at the start has a value from there on.
bool is_there_from_the_start(const program::Program& program, std::uint32_t index) {
  const program::Probe& probe = program.probes[index];
  if (program.slots[probe.slot].kind != program::SlotKind::signal) return true;
  const auto& first = program.sources[0].table.actions;
  return std::any_of(program.always.begin(), program.always.end(),
                     [&](const auto& a) { return a.slot == probe.slot && a.guard == no_expr; }) ||
         std::any_of(first.begin(), first.end(),
                     [&](const auto& a) { return records(a, index) && a.guard == no_expr; });
}

// A block's first activation leaves a mark beside the value.
void mark_activations(program::Program& program) {
  const program::Type boolean{program::Scalar::boolean, 1, 1};
  const program::ExprId yes = program.graph.constant(boolean, std::vector<double>{1});
  for (std::uint32_t p = 0; p < program.probes.size(); ++p) {
    if (is_there_from_the_start(program, p)) continue;
    program::Probe& probe = program.probes[p];
    probe.seen = program.add_slot({"seen", boolean, program::SlotKind::discrete, probe.origin});
    const std::size_t count = program.always.size();
    for (std::size_t k = 0; k < count; ++k) {
      const program::Assign assign = program.always[k];
      if (assign.slot == probe.slot) program.always.push_back({probe.seen, yes, assign.guard, probe.origin});
    }
    for (program::Source& source : program.sources) {
      for (const program::Action& action : source.table.actions) {
        if (records(action, p)) source.table.assigns.push_back({probe.seen, yes, action.guard, probe.origin});
      }
    }
  }
}

// What foreign code gives is not asked for more often than steps do: that can be slow, and is its own business.
bool is_foreign(const program::Program& program, const std::vector<program::ExprId>& values) {
  std::vector<program::ExprId> stack = values;
  std::vector<bool> seen(program.graph.size(), false);
  while (!stack.empty()) {
    const program::ExprId id = stack.back();
    stack.pop_back();
    if (id == no_expr || seen[id]) continue;
    seen[id] = true;
    if (program.graph[id].op == program::Op::foreign) return true;
    for (program::ExprId argument : program.graph.arguments(id)) stack.push_back(argument);
  }
  return false;
}

void mark_bent(program::Program& program) {
  const bool any =
      std::any_of(program.probes.begin(), program.probes.end(), [](const auto& probe) { return probe.continuous; });
  if (!any || program.fixed_step) return;
  std::vector<program::ExprId> shown;
  for (const program::Assign& assign : program.always) shown.insert(shown.end(), {assign.value, assign.guard});
  if (is_foreign(program, shown)) return;
  std::vector<bool> slots(program.slots.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<std::uint8_t> depends = time_dependence(program, slots);
    for (const program::Assign& assign : program.always) {
      if (slots[assign.slot] || (depends[assign.value] & bent) == 0) continue;
      slots[assign.slot] = changed = true;
    }
  }
  for (program::Probe& probe : program.probes) probe.bent = probe.continuous && slots[probe.slot];
}

}  // namespace

void describe_probes(program::Program& program) {
  mark_activations(program);
  mark_bent(program);
}

}  // namespace orrery::compile
