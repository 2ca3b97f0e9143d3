// SPDX-License-Identifier: Apache-2.0
// Rewriting body expressions for one table.
#include "compile/compose_table.h"

#include <algorithm>

#include "base/check.h"

namespace orrery::compile {

using program::ExprId;
using program::no_expr;
using program::Op;
using program::SlotId;
using program::SlotKind;

TableComposer::TableComposer(program::Program& program, const FlatModel& model, const Bodies& bodies, const Plan& plan,
                             Reads& reads, SignalValues& values)
    : program_(program), model_(model), bodies_(bodies), plan_(plan), reads_(reads), signals_(values) {}

ExprId TableComposer::atom_guard(std::uint32_t index) {
  const Atom& atom = plan_.atoms[index];
  switch (atom.kind) {
    case Atom::Kind::direct:
    case Atom::Kind::continuous: return no_expr;
    case Atom::Kind::clock: {
      const program::Clock& clock = program_.clocks[atom.index];
      if (clock.divisor == 1 && clock.first_tick == 0) return no_expr;  // ticks with the base
      return program_.graph.clock_active(static_cast<int>(atom.index));
    }
    case Atom::Kind::pass: {
      const auto known = pass_guard_.find(index);
      if (known == pass_guard_.end() && outer_ != nullptr) return outer_->atom_guard(index);
      ORRERY_CHECK(known != pass_guard_.end());
      return known->second;
    }
  }
  return no_expr;
}

// One of these activations reaches the block.
template <class Counts>
ExprId TableComposer::any_guard(std::uint32_t block, const Counts& counts) {
  bool any = false;
  ExprId result = no_expr;
  for (const ActivePort& at : plan_.active.of(block)) {
    if (!counts(at)) continue;
    result = any ? program_.graph.either(result, atom_guard(at.atom)) : atom_guard(at.atom);
    any = true;
  }
  return any ? result : program_.graph.boolean(false);
}

ExprId TableComposer::port_guard(std::uint32_t block, int port) {
  return any_guard(block, [port](const ActivePort& at) { return at.port == port; });
}

ExprId TableComposer::condition(std::uint32_t block) {
  ExprId result = no_expr;
  const auto found = bodies_.conditions.find(block);
  if (found == bodies_.conditions.end()) return result;
  for (SlotId signal : found->second) result = program_.graph.both(result, seen(signal));
  return result;
}

ExprId TableComposer::guard(std::uint32_t block, bool updates_only) {
  const ExprId result = any_guard(block, [&](const ActivePort& at) {
    return !updates_only || plan_.atoms[at.atom].kind != Atom::Kind::continuous;
  });
  return program_.graph.both(condition(block), result);
}

// Guards are built with both(): a conjunction implies each of its parts.
bool TableComposer::implies(ExprId guard, ExprId condition) const {
  if (condition == no_expr || guard == condition) return true;
  for (int depth = 0; guard != no_expr && depth < 64; ++depth) {
    if (guard == condition) return true;
    if (program_.graph[guard].op != Op::logical_and) return false;
    const auto parts = program_.graph.arguments(guard);
    if (parts[1] == condition) return true;
    guard = parts[0];
  }
  return false;
}

void TableComposer::set_groups(std::unordered_map<std::uint32_t, std::uint32_t> group_of, std::size_t count,
                               EvaluateGroup evaluate) {
  group_of_ = std::move(group_of);
  group_done_.assign(count, false);
  evaluate_group_ = std::move(evaluate);
}

bool TableComposer::is_placed(SlotId slot) const {
  return outer_ != nullptr && slot < bodies_.owner.size() && plan_.contains(bodies_.owner[slot]);
}

ExprId TableComposer::memory_of(SlotId slot) {
  if (is_placed(slot)) return place_of(slot);
  return outer_ != nullptr ? outer_->memory_of(slot) : program_.read(slot);
}

// The size of the graph is a number that no placeholder has had.
ExprId TableComposer::place_of(SlotId slot) {
  const auto [at, fresh] = places_.try_emplace(slot);
  if (!fresh) return at->second.placeholder;
  const ExprId start = outer_->memory_of(slot);
  const auto number = static_cast<std::uint32_t>(program_.graph.size());
  const ExprId placeholder = program_.graph.placeholder(number, program_.slots[slot].type);
  places_[slot] = {placeholder, start};
  return placeholder;
}

ExprId TableComposer::outside_value(SlotId slot) {
  if (is_placed(slot)) return place_of(slot);
  if (!plan_.always && slot < signals_.always.size() && signals_.always[slot] != no_expr) return signals_.always[slot];
  if (slot < signals_.constant.size() && signals_.constant[slot] != no_expr) return signals_.constant[slot];
  return program_.read(slot);
}

ExprId TableComposer::lookup_signal(SlotId slot, ExprId guard) {
  const auto value = computed_.find(slot);
  if (value == computed_.end() && outer_ != nullptr && !is_placed(slot)) return outer_->lookup_signal(slot, no_expr);
  if (value == computed_.end()) return outside_value(slot);
  if (implies(guard, value->second.guard)) return value->second.fresh;
  return program_.graph.select(value->second.guard, value->second.fresh, outside_value(slot));
}

ExprId TableComposer::lookup(SlotId slot, ExprId guard) {
  const program::Slot& what = program_.slots[slot];
  switch (what.kind) {
    case SlotKind::signal: return lookup_signal(slot, guard);
    case SlotKind::activation: {
      const std::uint32_t block = bodies_.owner[slot];
      const auto& slots = bodies_.of_block[block].active_slots;
      const auto port = std::find(slots.begin(), slots.end(), slot) - slots.begin();
      const ExprId active = port_guard(block, static_cast<int>(port) + 1);
      return active == no_expr ? program_.graph.boolean(true) : active;
    }
    case SlotKind::before: {
      const auto& before = bodies_.of_block[bodies_.owner[slot]].before;
      const auto own = std::find_if(before.begin(), before.end(), [slot](const auto& b) { return b.first == slot; });
      if (outer_ != nullptr && !is_placed(own->second)) return outer_->outside_value(own->second);
      return outside_value(own->second);
    }
    case SlotKind::discrete:
    case SlotKind::state: return memory_of(slot);
    default: return program_.read(slot);
  }
}

// The value of an element of an output that is evaluated element by element; no_expr: it is something else.
ExprId TableComposer::piece_of(ExprId id) const {
  if (elements_.empty() || program_.graph[id].op != Op::element) return no_expr;
  const program::Node inner = program_.graph[program_.graph.arguments(id)[0]];
  if (inner.op != Op::read) return no_expr;
  const auto pieces = elements_.find(static_cast<SlotId>(inner.payload));
  if (pieces == elements_.end()) return no_expr;
  const ExprId piece = pieces->second[program_.graph[id].payload];
  ORRERY_CHECK(piece != no_expr);
  return piece;
}

ExprId TableComposer::leaf_now(ExprId id, ExprId guard) {
  const program::Node node = program_.graph[id];
  if (const ExprId piece = piece_of(id); piece != no_expr) return piece;
  if (node.op != Op::read) return id;
  const auto slot = static_cast<SlotId>(node.payload);
  const auto pieces = elements_.find(slot);  // of a loop that falls apart
  const bool known = pieces != elements_.end() &&
                     std::find(pieces->second.begin(), pieces->second.end(), no_expr) == pieces->second.end();
  return known ? program_.graph.stack(node.type, pieces->second) : lookup(slot, guard);
}

ExprId TableComposer::rewrite(ExprId root, ExprId guard) {
  return rewrite(
      memo_[guard], root, [&](ExprId id) { return leaf_now(id, guard); },
      [&](ExprId id, const std::vector<ExprId>& arguments) { return program_.graph.rebuild(id, arguments); });
}

void TableComposer::evaluate(const Task& task) {
  const blocks::Body& body = bodies_.of_block[task.block];
  const ExprId active = guard(task.block);
  const bool sampled = samples(task.block);
  const auto value = [&](ExprId expr) { return sampled ? rewrite_sampled(expr, active) : rewrite(expr, active); };
  if (task.kind == Task::Kind::pass) {
    pass_guard_[task.atom] = program_.graph.both(active, value(body.passes[task.index].condition));
    return;
  }
  if (task.index == 0) order_.push_back(task.block);
  const ExprId output = body.outputs[task.index];
  computed_[bodies_.signals[task.block][task.index]] = {value(output), active,
                                                        sampled ? rewrite_after(output, active) : no_expr};
}

bool TableComposer::evaluate_outputs(Diagnostics& diagnostics) {
  bool ok = true;
  const auto visit = [&](const Part& part) {
    if (part.group >= 0) {
      ok = evaluate_group(part, diagnostics) && ok;
    } else if (!part.cyclic) {
      evaluate(part.tasks[0]);
    } else if (!evaluate_elements(part, diagnostics)) {
      ok = false;
      for (const Task& task : part.tasks) {  // go on with what memory holds, to find further errors
        if (task.kind == Task::Kind::pass) pass_guard_[task.atom] = program_.graph.boolean(false);
      }
    }
  };
  order_table(bodies_, plan_, reads_, group_of_, visit);
  // Groups that give nothing to others.
  for (std::uint32_t group = 0; group < group_done_.size(); ++group) {
    if (!group_done_[group]) ok = evaluate_group_(group) && ok;
  }
  return ok;
}

bool TableComposer::evaluate_group(const Part& part, Diagnostics& diagnostics) {
  const auto group = static_cast<std::uint32_t>(part.group);
  group_done_[group] = true;
  if (!part.cyclic) {
    for (const Task& task : part.tasks) {
      if (task.kind == Task::Kind::output && task.index == 0) order_.push_back(task.block);
    }
    return evaluate_group_(group);
  }
  const auto inside = std::find_if(part.tasks.begin(), part.tasks.end(),
                                   [&](const Task& task) { return group_of_.contains(task.block); });
  diagnostics.error("cannot-repeat", model_.place(model_.blocks[inside->block]),
                    "what an atomic super block repeats depends on itself through blocks outside it",
                    "put a delay into the loop, or all of it into the super block");
  for (const Task& task : part.tasks) {
    if (task.kind == Task::Kind::pass) pass_guard_[task.atom] = program_.graph.boolean(false);
  }
  return false;
}

}  // namespace orrery::compile
