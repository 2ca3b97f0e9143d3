// SPDX-License-Identifier: Apache-2.0
// Topological order of stores by "reads before it is written".
#include "native/order_stores.h"

#include <algorithm>
#include <deque>
#include <map>

#include "base/check.h"

namespace orrery::native {

using program::ExprId;
using program::Op;

StoreOrder::StoreOrder(const program::Graph& graph, const std::vector<Index>& index_of, Plan& plan)
    : graph_(graph), index_of_(index_of), plan_(plan) {
  program::SlotId slots = 0;
  for (std::uint32_t s = 0; s < plan_.store_scope.size(); ++s) {
    if (!plan_.is_ordered[s] || plan_.store_scope[s] == none) continue;
    stores_.push_back(s);
    slots = std::max(slots, store(s).index + 1);
  }
  writer_.assign(slots, none);
  for (std::uint32_t k = 0; k < stores_.size(); ++k) writer_[store(stores_[k]).index] = k;
}

// What the text of an expression consists of where it stands: slots that ordered stores write to, and named nodes.
template <class OnRead, class OnNode>
void StoreOrder::visit_text(ExprId id, const OnRead& on_read, const OnNode& on_node) const {
  Index i = index_of_[id];
  const PlannedNode* n = &plan_.nodes[i];
  if (n->form == Form::inlined) {
    for (ExprId argument : graph_.arguments(id)) visit_text(argument, on_read, on_node);
    return;
  }
  while (n->form == Form::leaf && (graph_[n->id].op == Op::element || graph_[n->id].op == Op::reshape)) {
    i = index_of_[graph_.arguments(n->id)[0]];
    n = &plan_.nodes[i];
  }
  if (n->form != Form::leaf) return on_node(n->leader == none ? i : n->leader);
  if (!n->unstable) return;
  const auto slot = static_cast<program::SlotId>(graph_[n->id].payload);
  if (slot < writer_.size() && writer_[slot] != none) on_read(writer_[slot]);
}

void StoreOrder::find_edges() {
  after_.resize(stores_.size());
  waiting_for_.assign(stores_.size(), 0);
  for (std::uint32_t k = 0; k < stores_.size(); ++k) {
    const auto on_read = [&](std::uint32_t writer) {
      if (writer == k) return;  // one statement reads and writes
      after_[k].push_back(writer);
      ++waiting_for_[writer];
    };
    visit_text(store(stores_[k]).value, on_read, [](Index) {});
  }
}

// The value gets a name; whatever else reads the same expression then reads the variable, too.
void StoreOrder::hold(std::uint32_t at) {
  PlannedNode& value = plan_.nodes[index_of_[store(stores_[at]).value]];
  value.held = true;
  value.form = value.pointer || graph_[value.id].op == Op::update ? Form::array : Form::variable;
}

void StoreOrder::sort() {
  find_edges();
  // Stores under one guard follow each other as long as possible.
  std::map<ExprId, std::deque<std::uint32_t>> ready;
  for (std::uint32_t k = 0; k < stores_.size(); ++k) {
    if (waiting_for_[k] == 0) ready[store(stores_[k]).guard].push_back(k);
  }
  std::vector<bool> released(stores_.size(), false);
  const auto release = [&](std::uint32_t k) {
    released[k] = true;
    for (std::uint32_t next : after_[k]) {
      if (--waiting_for_[next] == 0) ready[store(stores_[next]).guard].push_back(next);
    }
  };
  for (std::uint32_t first = 0; sequence_.size() < stores_.size();) {
    while (!ready.empty()) {
      auto group = ready.begin();
      while (!group->second.empty()) {
        const std::uint32_t k = group->second.front();
        group->second.pop_front();
        sequence_.push_back(k);
        if (!released[k]) release(k);
      }
      ready.erase(group);
    }
    while (first < stores_.size() && (released[first] || waiting_for_[first] == 0 || after_[first].empty())) ++first;
    if (first == stores_.size()) break;
    hold(first);
    release(first);
    after_[first].clear();
  }
  ORRERY_CHECK(sequence_.size() == stores_.size());
}

void StoreOrder::note_readers(ExprId id, std::int64_t position) {
  visit_text(
      id, [&](std::uint32_t writer) { last_reader_[writer] = position; }, [](Index) {});
}

void StoreOrder::note_scope(ScopeId scope, std::int64_t position) {
  for (const Item& item : plan_.scopes[scope].items) note_item(item, position);
}

void StoreOrder::note_item(const Item& item, std::int64_t position) {
  switch (item.kind) {
    case Item::Kind::node:
    case Item::Kind::stack_part: {
      const PlannedNode& n = plan_.nodes[item.index];
      defined_at_[item.index] = position;
      if (graph_[n.id].op == Op::read && n.unstable) {
        const auto slot = static_cast<program::SlotId>(graph_[n.id].payload);
        if (slot < writer_.size() && writer_[slot] != none) last_reader_[writer_[slot]] = position;
      }
      for (ExprId argument : graph_.arguments(n.id)) note_readers(argument, position);
      if (n.is_if) {
        note_scope(n.arms, position);
        note_scope(n.arms + 1, position);
      }
      break;
    }
    case Item::Kind::store: note_readers(store(item.index).value, position); break;
    case Item::Kind::guard:
      note_readers(plan_.nodes[plan_.scopes[item.index].condition].id, position);
      note_scope(item.index, position);
      break;
    case Item::Kind::arm_value: {
      const Scope& scope = plan_.scopes[item.index];
      ExprId select = plan_.nodes[scope.select].id;
      note_readers(graph_.arguments(select)[static_cast<std::size_t>(scope.arm) + 1], position);
      break;
    }
    case Item::Kind::late_stores: break;
  }
}

// The item behind which each ordered store may stand; -1: before all.
std::vector<std::int64_t> StoreOrder::positions() {
  last_reader_.assign(stores_.size(), -1);
  defined_at_.assign(plan_.nodes.size(), -1);
  const auto& items = plan_.scopes[0].items;
  for (std::size_t k = 0; k < items.size(); ++k) note_item(items[k], static_cast<std::int64_t>(k));
  std::vector<std::int64_t> at = last_reader_;
  for (std::uint32_t k : sequence_) {
    const auto on_node = [&](Index i) {
      at[k] = std::max(at[k], defined_at_[i]);
      // Computed under a guard, used in another statement under the same guard.
      if (plan_.nodes[i].scope != 0) plan_.nodes[i].held = true;
    };
    visit_text(
        store(stores_[k]).value, [](std::uint32_t) {}, on_node);
    for (ScopeId s = plan_.store_scope[stores_[k]]; s != 0; s = plan_.scopes[s].parent) {
      visit_text(
          plan_.nodes[plan_.scopes[s].condition].id, [](std::uint32_t) {}, on_node);
    }
    for (std::uint32_t next : after_[k]) at[next] = std::max(at[next], at[k]);
  }
  return at;
}

void StoreOrder::place() {
  constexpr std::uint32_t most_together = 40;
  if (plan_.late.empty()) return;
  const std::vector<std::int64_t> at = positions();
  std::stable_sort(sequence_.begin(), sequence_.end(), [&](std::uint32_t a, std::uint32_t b) { return at[a] < at[b]; });
  std::vector<std::uint32_t> late;
  for (std::uint32_t k : sequence_) late.push_back(stores_[k]);
  for (std::uint32_t s : plan_.late) {
    if (!plan_.is_ordered[s]) late.push_back(s);
  }
  plan_.late = std::move(late);
  const auto& all = plan_.late;
  auto& old_items = plan_.scopes[0].items;
  const auto position = [&](std::uint32_t k) {
    return k < sequence_.size() ? at[sequence_[k]] : static_cast<std::int64_t>(old_items.size());
  };
  std::vector<Item> items;
  std::uint32_t from = 0;
  for (std::int64_t p = -1; p <= static_cast<std::int64_t>(old_items.size()); ++p) {
    if (p >= 0 && p < static_cast<std::int64_t>(old_items.size())) {
      items.push_back(old_items[static_cast<std::size_t>(p)]);
    }
    while (from < all.size() && position(from) == p) {  // neighbours with one guard make one item
      std::uint32_t to = from;
      while (to < all.size() && position(to) == p && to - from < most_together &&
             store(all[to]).guard == store(all[from]).guard) {
        ++to;
      }
      items.push_back(
          {.kind = Item::Kind::late_stores, .index = all[from], .from = from, .to = to, .weight = to - from});
      from = to;
    }
  }
  old_items = std::move(items);
}

}  // namespace orrery::native
