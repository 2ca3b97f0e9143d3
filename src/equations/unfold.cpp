// SPDX-License-Identifier: Apache-2.0
// Depth first over expressions in which a variable has its value for an argument.
#include "equations/unfold.h"

namespace orrery::equations {

using program::ExprId;
using program::no_expr;
using program::Op;
using program::SlotId;

void Unfolding::set(SlotId slot, std::int64_t element, ExprId value) {
  values_[slot].insert_or_assign(element, value);
  memo_.clear();
}

bool Unfolding::replaces(SlotId slot, std::int64_t element) const {
  const auto found = values_.find(slot);
  return found != values_.end() && found->second.contains(element);
}

const Unfolding::Elements* Unfolding::replaced(ExprId id) const {
  if (graph_[id].op != Op::read) return nullptr;
  const auto found = values_.find(static_cast<SlotId>(graph_[id].payload));
  return found == values_.end() ? nullptr : &found->second;
}

// True: its value is known; else it comes first.
bool Unfolding::wait_for(ExprId id) {
  if (known(id) != no_expr) return true;
  stack_.push_back(id);
  return false;
}

bool Unfolding::rebuild_read(ExprId id, const Elements& elements) {
  const program::Type type = graph_.type(id);
  bool ready = true;
  for (const auto& [element, value] : elements) ready = wait_for(value) && ready;
  if (!ready) return false;
  if (type.is_scalar()) {
    memo_.emplace(id, known(elements.at(0)));
    return true;
  }
  std::vector<ExprId> parts;
  for (std::int64_t k = 0; k < type.size(); ++k) {
    const auto found = elements.find(k);
    parts.push_back(found == elements.end() ? graph_.element(id, k) : known(found->second));
  }
  memo_.emplace(id, graph_.stack(type, parts));
  return true;
}

bool Unfolding::rebuild(ExprId id) {
  if (const Elements* elements = replaced(id); elements != nullptr) return rebuild_read(id, *elements);
  if (graph_[id].op == Op::element) {
    if (const Elements* elements = replaced(graph_.arguments(id)[0]); elements != nullptr) {
      const auto found = elements->find(static_cast<std::int64_t>(graph_[id].payload));
      if (found == elements->end()) {
        memo_.emplace(id, id);
      } else {
        if (!wait_for(found->second)) return false;
        memo_.emplace(id, known(found->second));
      }
      return true;
    }
  }
  arguments_.clear();
  bool ready = true, changed = false;
  for (const ExprId argument : graph_.arguments(id)) {
    ready = wait_for(argument) && ready;
    if (!ready) continue;
    arguments_.push_back(known(argument));
    changed = changed || arguments_.back() != argument;
  }
  if (!ready) return false;
  memo_.emplace(id, changed ? graph_.rebuild(id, arguments_) : id);
  return true;
}

ExprId Unfolding::apply(ExprId expression) {
  if (expression == no_expr || values_.empty()) return expression;
  stack_.assign(1, expression);
  while (!stack_.empty()) {
    const ExprId id = stack_.back();
    if (known(id) != no_expr || rebuild(id)) stack_.pop_back();
  }
  return known(expression);
}

}  // namespace orrery::equations
