// SPDX-License-Identifier: Apache-2.0
// Which part of a formula is not a number, and its text.
#include "blocks/math_operations/refuse_nan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>

#include "program/evaluate.h"
#include "program/motion.h"
#include "program/print.h"

namespace orrery::blocks {
namespace {

using program::ExprId;

constexpr std::size_t most_parts = 12;    // that are told from each other
constexpr std::size_t longest_text = 80;  // of a part

// Whether the operation may give no number for numbers.
bool may_fail(const program::Graph& graph, ExprId id) {
  if (!program::is_floating(graph.type(id).scalar)) return false;
  const auto arguments = graph.arguments(id);
  const auto settled = [&](ExprId argument, auto&& holds) {
    if (!graph.is_constant(argument)) return false;
    const auto data = graph.constant_data(argument);
    return std::all_of(data.begin(), data.end(), holds);
  };
  switch (graph[id].op) {
    case Op::constant: return settled(id, [](double x) { return std::isnan(x); });
    case Op::div: return !settled(arguments[1], [](double x) { return x != 0; });
    case Op::pow: return !settled(arguments[1], [](double x) { return x == std::trunc(x) && x >= 0; });
    case Op::call:
    case Op::solve:
    case Op::inverse: return true;
    default: return program::may_lack_value(graph, {}, id);
  }
}

Expr has_nan(const Expr& value) {
  const Expr is_none = apply(Op::is_nan, value);
  return value.type().is_scalar() ? is_none : apply(Op::sum, is_none) > 0.0;
}

Expr any_has_nan(Block& b, const std::vector<Expr>& values) {
  Expr any = b.constant(0, Scalar::boolean);
  for (const Expr& value : values) {
    if (program::is_floating(value.scalar_type()) && !b.graph().is_constant(value.id())) any = any || has_nan(value);
  }
  return any;
}

void replace_name(std::string& text, const std::string& name, const std::string& by) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + by.size())) {
    const std::size_t end = at + name.size();
    if (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) {
      at = end - by.size();
      continue;
    }
    text.replace(at, name.size(), by);
  }
}

// As the user would write it: inputs are u1, u2, … What has a meaning in messages is taken out.
std::string text_of(Block& b, ExprId part) {
  std::string text = program::to_text(b.program(), part);
  for (std::size_t k = 0; k < b.inputs().size(); ++k) {
    const ExprId input = b.inputs()[k].id();
    if (b.graph()[input].op != Op::read) continue;
    replace_name(text, program::slot_name(b.program(), static_cast<program::SlotId>(b.graph()[input].payload)),
                 fmt::format("u{}", k + 1));
  }
  std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == '|'; });
  return text.size() > longest_text ? text.substr(0, longest_text - 3) + "..." : text;
}

// When each node of the formula takes part in its value: of a choice only the branch that is taken does. No entry:
// never asked; an Expr without graph: always.
std::map<ExprId, Expr> conditions_of(program::Graph& graph, const std::vector<ExprId>& nodes, ExprId root) {
  std::map<ExprId, Expr> takes_part{{root, Expr{}}};
  const auto allow = [&](ExprId id, const Expr& condition) {
    const auto [known, added] = takes_part.emplace(id, condition);
    if (added || known->second.graph() == nullptr) return;
    known->second = condition.graph() == nullptr ? condition : known->second || condition;
  };
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const auto span = graph.arguments(*node);
    const std::vector<ExprId> arguments(span.begin(), span.end());
    const Expr here = takes_part[*node];
    const bool chooses = graph[*node].op == Op::select && graph.type(arguments[0]).is_scalar();
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (!chooses || k == 0) {
        allow(arguments[k], here);
        continue;
      }
      const Expr condition{&graph, arguments[0]};
      const Expr taken = k == 1 ? condition : !condition;
      allow(arguments[k], here.graph() == nullptr ? taken : here && taken);
    }
  }
  return takes_part;
}

}  // namespace

void refuse_nan(Block& b, const Expr& value, const char* what, const Expr& when) {
  if (!program::is_floating(value.scalar_type())) return;
  const program::Graph& graph = b.graph();
  const ExprId root[] = {value.id()};
  const std::vector<ExprId> nodes = reachable(graph, root);
  std::vector<ExprId> parts;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(parts), [&](ExprId id) { return may_fail(graph, id); });
  if (parts.empty()) return;
  parts.resize(std::min(parts.size(), most_parts));
  // Arguments come before what is made of them, so the first part that is not a number is an innermost one.
  const std::map<ExprId, Expr> takes_part = conditions_of(b.graph(), nodes, value.id());
  std::string items;
  Expr which = b.constant(static_cast<double>(parts.size()));
  for (std::size_t k = parts.size(); k-- > 0;) {
    Expr blamed = has_nan({&b.graph(), parts[k]});
    if (const Expr condition = takes_part.at(parts[k]); condition.graph() != nullptr) blamed = blamed && condition;
    which = select(blamed, b.constant(static_cast<double>(k)), which);
  }
  for (const ExprId part : parts) items += "|" + text_of(b, part);
  const std::string text = fmt::format("{} is not a number, because of {{{}|a part of the formula}}", what, items);
  Expr holds = !has_nan(value) || any_has_nan(b, b.inputs());
  if (when.graph() != nullptr) holds = holds || !when;
  b.require(holds, text, {which});
  b.body().assertions.back().tried = b.graph().boolean(true);  // points that are only tried are judged by the solver
  b.on_activation().when(!holds).fail(text, {which});
}

void refuse_nan_in_condition(Block& b, const Expr& value, const Expr& when) {
  constexpr const char* what = "a condition";
  refuse_nan(b, value, what, when);
  const ExprId root[] = {value.id()};
  const std::vector<ExprId> nodes = reachable(b.graph(), root);
  const std::map<ExprId, Expr> takes_part = conditions_of(b.graph(), nodes, value.id());
  for (const ExprId node : nodes) {
    const Op op = b.graph()[node].op;
    if (op != Op::less && op != Op::less_equal && op != Op::equal && op != Op::not_equal) continue;
    const Expr condition = takes_part.at(node);
    const auto span = b.graph().arguments(node);
    for (const ExprId side : std::vector<ExprId>(span.begin(), span.end()))
      refuse_nan(b, {&b.graph(), side}, what, condition.graph() == nullptr ? when : when && condition);
  }
}

}  // namespace orrery::blocks
