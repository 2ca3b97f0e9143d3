// SPDX-License-Identifier: Apache-2.0
// Dependence spreads from states and inputs through tables and schedules until nothing changes.
#include "analyse/event_memories.h"

#include <algorithm>
#include <array>

#include "analyse/differentiation.h"
#include "passes/needed_loops.h"

namespace orrery::analyse {
namespace {

using program::ExprId;
using program::no_expr;
using program::SlotId;
using program::SlotKind;

bool is_memory(const program::Slot& slot) { return slot.kind == SlotKind::discrete || slot.kind == SlotKind::signal; }

}  // namespace

EventMemories::EventMemories(const program::Program& program, const LinearRequest& request)
    : program_(program), request_(request) {
  find_writes();
  find_responding();
}

void EventMemories::find_writes() {
  writes_.resize(program_.slots.size());
  std::vector<bool> is_outside(program_.sources.size(), false);  // who runs the model fires it
  for (const program::InputPort& port : program_.inputs) {
    if (port.source != program::no_source) is_outside[port.source] = true;
  }
  for (std::uint32_t k = 1; k < program_.sources.size(); ++k) {
    if (is_outside[k]) continue;
    const program::Table& table = program_.sources[k].table;
    for (const program::Assign& assign : table.assigns) writes_[assign.slot].push_back({k, assign.value, assign.guard});
    for (const program::Call& call : table.calls) {
      for (const SlotId slot : call.results) writes_[slot].push_back({k, no_expr, call.guard});
    }
  }
}

bool EventMemories::depends(ExprId expression, std::int32_t source) const {
  if (expression == no_expr) return false;
  const std::array<ExprId, 1> one{expression};
  const auto slots = passes::needed_loops(program_, one, source).slots;
  return std::any_of(slots.begin(), slots.end(), [&](SlotId slot) -> bool { return responds_[slot]; });
}

void EventMemories::find_responding() {
  responds_.assign(program_.slots.size(), false);
  source_responds_.assign(program_.sources.size(), false);
  for (SlotId slot = 0; slot < program_.slots.size(); ++slot) {
    const SlotKind kind = program_.slots[slot].kind;
    responds_[slot] = kind == SlotKind::state || kind == SlotKind::unknown || kind == SlotKind::mode ||
                      kind == SlotKind::direction || kind == SlotKind::before;
  }
  for (const SlotId slot : request_.inputs) responds_[slot] = true;
  for (const program::Assign& assign : program_.always) responds_[assign.slot] = true;
  for (const program::Assign& assign : program_.sampled) responds_[assign.slot] = true;
  for (std::size_t k = 1; k < program_.sources.size(); ++k) {
    const program::SourceKind kind = program_.sources[k].kind;
    source_responds_[k] = kind != program::SourceKind::clock && kind != program::SourceKind::programmed;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < program_.sources.size(); ++k) {
      const auto table = static_cast<std::int32_t>(k);
      for (const program::Schedule& schedule : program_.sources[k].table.schedules) {
        if (source_responds_[schedule.source]) continue;
        if (!source_responds_[k] && !depends(schedule.delay, table) && !depends(schedule.guard, table)) continue;
        source_responds_[schedule.source] = changed = true;
      }
    }
    for (SlotId slot = 0; slot < writes_.size(); ++slot) {
      if (responds_[slot]) continue;
      for (const EventWrite& write : writes_[slot]) {
        const auto table = static_cast<std::int32_t>(write.source);
        if (!source_responds_[write.source] && write.value != no_expr && !depends(write.value, table) &&
            !depends(write.guard, table))
          continue;
        responds_[slot] = changed = true;
      }
    }
  }
}

std::vector<SlotId> EventMemories::read_directly() const {
  program::Program copy = program_;
  std::vector<SlotId> found =
      passes::needed_loops(copy, rates_and_outputs(copy, request_), program::Loop::continuous).slots;
  std::erase_if(found, [&](SlotId slot) {
    return !is_memory(program_.slots[slot]) || !responds_[slot] || writes_[slot].empty();
  });
  return found;
}

std::vector<SlotId> EventMemories::read_by(const EventWrite& write) const {
  const std::array<ExprId, 2> texts{write.value, write.guard};
  std::vector<ExprId> given;
  for (const ExprId text : texts)
    if (text != no_expr) given.push_back(text);
  std::vector<SlotId> found = passes::needed_loops(program_, given, static_cast<std::int32_t>(write.source)).slots;
  std::erase_if(found, [&](SlotId slot) {
    return !is_memory(program_.slots[slot]) || !responds_[slot] || writes_[slot].empty();
  });
  return found;
}

}  // namespace orrery::analyse
