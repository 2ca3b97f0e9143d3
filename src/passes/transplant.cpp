// SPDX-License-Identifier: Apache-2.0
// Copies of nodes, arguments first.
#include "passes/transplant.h"

#include "base/check.h"
#include "program/function.h"

namespace orrery::passes {

using namespace program;

std::uint32_t Transplant::site(std::uint32_t number) {
  if (number == 0) return 0;
  const auto [entry, is_new] = sites_.try_emplace(number, 0);
  if (is_new) entry->second = to_.add_site(from_.sites()[number - 1]);
  return entry->second;
}

// Replaced nodes are not entered.
ExprId Transplant::apply(ExprId expression) {
  if (expression == no_expr) return no_expr;
  std::vector<ExprId> waiting{expression};
  while (!waiting.empty()) {
    const ExprId id = waiting.back();
    if (memo_[id] != no_expr) {
      waiting.pop_back();
      continue;
    }
    if (const ExprId other = replace_(id); other != no_expr) {
      memo_.set(id, other);
      continue;
    }
    const std::size_t before = waiting.size();
    for (const ExprId a : from_.arguments(id)) {
      if (memo_[a] == no_expr) waiting.push_back(a);
    }
    if (waiting.size() > before) continue;
    memo_.set(id, copy(id));
    waiting.pop_back();
  }
  return memo_[expression];
}

ExprId Transplant::copy(ExprId id) {
  const Node& node = from_[id];
  std::vector<ExprId> arguments;
  for (const ExprId a : from_.arguments(id)) arguments.push_back(memo_[a]);
  switch (node.op) {
    case Op::constant: return to_.constant(node.type, from_.constant_data(id));
    case Op::gather:
    case Op::update: return to_.make(node.op, node.type, arguments, site(static_cast<std::uint32_t>(node.payload)));
    case Op::call: {
      const std::uint32_t function = to_.declare(from_.functions()[node.payload >> 8]);
      return to_.call(function, static_cast<std::uint32_t>(node.payload & 255), arguments);
    }
    default: break;
  }
  const bool bound = node.op == Op::read || node.op == Op::time || node.op == Op::clock_active ||
                     node.op == Op::placeholder || node.op == Op::foreign;
  ORRERY_CHECK(!bound);
  return to_.make(node.op, node.type, arguments, node.payload);
}

}  // namespace orrery::passes
