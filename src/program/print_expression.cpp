// SPDX-License-Identifier: Apache-2.0
// Infix text of expressions, built from the leaves up.
#include "program/print_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "program/evaluate.h"
#include "program/function.h"
#include "program/print.h"

namespace orrery::program {
namespace {

constexpr int atom = 9;
constexpr int prefix = 7;
constexpr std::size_t longest_text = 90;    // longer ones are named, so that lines and the work stay bounded
constexpr std::size_t longest_unnamed = 2;  // shared expressions with more operations are named
constexpr std::int64_t most_printed_numbers = 16;

struct Infix {
  const char* symbol;
  int precedence;
  bool associative;  // a op (b op c) may be printed without parentheses
};

Infix infix(Op op) {
  switch (op) {
    case Op::logical_or: return {"||", 1, true};
    case Op::logical_and: return {"&&", 2, true};
    case Op::equal: return {"==", 3, false};
    case Op::not_equal: return {"!=", 3, false};
    case Op::less: return {"<", 4, false};
    case Op::less_equal: return {"<=", 4, false};
    case Op::add: return {"+", 5, false};
    case Op::sub: return {"-", 5, false};
    case Op::mul: return {"*", 6, false};
    case Op::div: return {"/", 6, false};
    default: return {nullptr, 0, false};
  }
}

std::string number_text(double value, Scalar scalar) {
  if (scalar == Scalar::boolean) return value != 0 ? "true" : "false";
  return fmt::format("{}", value);
}

}  // namespace

std::string ExpressionText::explained(ExprId id) const {
  constexpr std::size_t most = 3;
  const auto joins = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '/';
  };
  std::string text = (*this)[id];
  std::vector<std::size_t> told;
  for (std::size_t at = text.find('t'); at != std::string::npos && told.size() < most; at = text.find('t', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    if (end == at + 1 || (at > 0 && joins(text[at - 1])) || (end < text.size() && joins(text[end]))) continue;
    const std::size_t number = std::stoul(text.substr(at + 1, end - at - 1));
    if (number == 0 || number > definitions_.size() || std::ranges::find(told, number) != told.end()) continue;
    text += (told.empty() ? ", where " : ", ") + definitions_[number - 1];
    told.push_back(number);
  }
  return text;
}

ExpressionText::ExpressionText(const Program& program, std::span<const ExprId> expressions, bool name_shared)
    : program_(program) {
  const Graph& graph = program.graph;
  std::vector<ExprId> order = reachable(graph, expressions);
  position_.assign(graph.size(), 0);
  std::vector<std::uint32_t> uses(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    position_[order[i]] = static_cast<std::uint32_t>(i);
    for (ExprId a : graph.arguments(order[i])) ++uses[position_[a]];
  }
  for (ExprId id : expressions) {
    if (id != no_expr) ++uses[position_[id]];
  }
  texts_.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    Text text = node_text(order[i]);
    bool leaf = graph[order[i]].argument_count == 0;
    bool shared = name_shared && uses[i] > 1 && text.operations > longest_unnamed;
    if (!leaf && (shared || text.text.size() > longest_text)) {
      std::string name = fmt::format("t{}", definitions_.size() + 1);
      definitions_.push_back(fmt::format("{} = {}", name, text.text));
      text = {name, atom, 1};
    }
    texts_[i] = std::move(text);
  }
}

const ExpressionText::Text& ExpressionText::argument(ExprId id, std::size_t i) const {
  return texts_[position_[program_.graph.arguments(id)[i]]];
}

std::string ExpressionText::enclosed(ExprId id, std::size_t i, int least) const {
  const Text& text = argument(id, i);
  return text.precedence >= least ? text.text : "(" + text.text + ")";
}

std::string ExpressionText::call(const std::string& name, ExprId id) const {
  std::string text = name + "(";
  for (std::size_t i = 0; i < program_.graph[id].argument_count; ++i) {
    if (i > 0) text += ", ";
    text += argument(id, i).text;
  }
  return text + ")";
}

ExpressionText::Text ExpressionText::constant_text(ExprId id) const {
  Type type = program_.graph.type(id);
  std::span<const double> data = program_.graph.constant_data(id);
  if (type.size() > most_printed_numbers) return {fmt::format("[{} constant]", to_text(type)), atom, 0};
  auto one = [&](std::int64_t k) {
    if (type.scalar != Scalar::c128) return number_text(data[k], type.scalar);
    return fmt::format("({}{:+}i)", data[2 * k], data[2 * k + 1]);
  };
  if (type.is_scalar()) {
    std::string text = one(0);
    int precedence = text[0] == '-' ? prefix : atom;
    return {std::move(text), precedence, 0};
  }
  std::string text = "[";
  for (std::int64_t row = 0; row < type.rows; ++row) {
    if (row > 0) text += "; ";
    for (std::int64_t col = 0; col < type.cols; ++col) text += (col > 0 ? " " : "") + one(row + col * type.rows);
  }
  return {text + "]", atom, 0};
}

// past2[3] is element 3 of history 2, past2''[3] its second derivative.
std::string ExpressionText::past_name(const PastOf& of) const {
  const std::string name = fmt::format("past{}", of.history);
  switch (of.what) {
    case PastWhat::value: break;
    case PastWhat::weight: return name + ".weight";
    case PastWhat::stretch: return name + ".stretch";
    case PastWhat::begin: return name + ".begin";
    case PastWhat::end: return name + ".end";
  }
  const bool single =
      of.history < program_.histories.size() && program_.graph.type(program_.histories[of.history].value).is_scalar();
  return name + std::string(of.order, '\'') + (single ? "" : fmt::format("[{}]", of.element));
}

ExpressionText::Text ExpressionText::node_text(ExprId id) const {
  const Node& node = program_.graph[id];
  if (node.op == Op::constant) return constant_text(id);
  std::size_t operations = 1;
  for (std::size_t i = 0; i < node.argument_count; ++i) operations += argument(id, i).operations;
  if (Infix i = infix(node.op); i.symbol != nullptr) {
    std::string left = enclosed(id, 0, i.precedence);
    std::string right = enclosed(id, 1, i.associative ? i.precedence : i.precedence + 1);
    return {left + " " + i.symbol + " " + right, i.precedence, operations};
  }
  switch (node.op) {
    case Op::read: return {slot_name(program_, static_cast<SlotId>(node.payload)), atom, 0};
    case Op::time: return {"time", atom, 0};
    case Op::clock_active: return {fmt::format("clock_active({})", node.payload), atom, 0};
    case Op::neg: return {"-" + enclosed(id, 0, prefix + 1), prefix, operations};
    case Op::logical_not: return {"!" + enclosed(id, 0, prefix), prefix, operations};
    case Op::element: return {enclosed(id, 0, atom) + fmt::format("[{}]", node.payload), atom, operations};
    case Op::cast: return {call(name_of(node.type.scalar), id), atom, operations};
    case Op::reshape:
      return {call(fmt::format("reshape<{},{}>", node.type.rows, node.type.cols), id), atom, operations};
    case Op::past: return {call(past_name(PastOf::from(node.payload)), id), atom, operations};
    case Op::placeholder: return {fmt::format("?{}", node.payload), atom, 0};
    case Op::concat: return {call(fmt::format("concat<{},{}>", node.type.rows, node.type.cols), id), atom, operations};
    case Op::call:
      return {call(fmt::format("{}#{}", program_.graph.function_of(id).name, node.payload & 255), id), atom,
              operations};
    case Op::foreign: {
      std::uint64_t number = node.payload >> 8;
      const auto& functions = program_.graph.foreign_functions();
      std::string name = number < functions.size() ? functions[number].symbol : "foreign";
      return {call(fmt::format("{}#{}", name, node.payload & 255), id), atom, operations};
    }
    default: return {call(name_of(node.op), id), atom, operations};
  }
}

std::string to_text(const Program& program, ExprId expression) {
  ExpressionText texts(program, {&expression, 1});
  std::string text;
  for (const std::string& definition : texts.definitions()) text += definition + "; ";
  return text + texts[expression];
}

}  // namespace orrery::program
