// SPDX-License-Identifier: Apache-2.0
// Expressions: nodes and what they call.
#include "program/verifier.h"

#include <algorithm>

#include "program/function.h"

namespace orrery::program {

void Verifier::check_nodes() {
  for (ExprId id = 0; id < graph_.size(); ++id) {
    const Node& node = graph_[id];
    for (ExprId a : graph_.arguments(id)) {
      if (a >= id) problem("expression {}: argument {} does not come before it", id, a);
    }
    if (node.op == Op::read) {
      if (node.payload >= program_.slots.size())
        problem("expression {}: slot {} does not exist", id, node.payload);
      else if (program_.slots[node.payload].type != node.type) {
        auto slot = static_cast<SlotId>(node.payload);
        problem("expression {}: reads {} as {}", id, slot_text(slot), to_text(node.type));
      }
    } else if (node.op == Op::clock_active && node.payload >= program_.clocks.size()) {
      problem("expression {}: clock {} does not exist", id, node.payload);
    } else if (node.op == Op::past) {
      check_past(id);
    } else if (node.op == Op::foreign) {
      check_foreign(id);
    } else if (node.op == Op::call) {
      check_call(id);
    } else if ((node.op == Op::gather || node.op == Op::update) && node.payload > graph_.sites().size()) {
      problem("expression {}: site {} does not exist", id, node.payload);
    }
  }
  for (const ListedFunction& listed : list_functions(graph_)) {
    for (const std::string& text : verify(*listed.function)) problem("{}", text);
  }
}

void Verifier::check_call(ExprId id) {
  const Node& node = graph_[id];
  if (node.payload >> 8 >= graph_.functions().size()) return problem("expression {}: calls no function", id);
  const Function& function = graph_.function_of(id);
  const std::uint64_t result = node.payload & 255;
  if (result >= function.results.size() || function.result_type(result) != node.type) {
    problem("expression {}: {} has no result {} of type {}", id, function.name, result, to_text(node.type));
  }
  const auto arguments = graph_.arguments(id);
  bool agree = arguments.size() == function.arguments;
  for (std::size_t k = 0; agree && k < arguments.size(); ++k) {
    agree = graph_.type(arguments[k]) == function.argument_type(k);
  }
  if (!agree) problem("expression {}: arguments of {} have other types", id, function.name);
}

void Verifier::check_past(ExprId id) {
  const PastOf of = PastOf::from(graph_[id].payload);
  const std::size_t arguments = graph_[id].argument_count;
  if (of.history >= program_.histories.size()) {
    return problem("expression {}: history {} does not exist", id, of.history);
  }
  const ExprId value = program_.histories[of.history].value;
  if (value < graph_.size() && of.element >= static_cast<std::uint64_t>(graph_.type(value).size())) {
    problem("expression {}: history {} has no element {}", id, of.history, of.element);
  }
  const bool fits = of.what == PastWhat::value     ? arguments == 2 || arguments == 4
                    : of.what == PastWhat::weight  ? arguments == 3
                    : of.what == PastWhat::stretch ? arguments == 2
                                                   : arguments == 1 && of.what <= PastWhat::end;
  if (!fits) problem("expression {}: past with {} arguments", id, arguments);
  for (const ExprId argument : graph_.arguments(id)) {
    if (graph_.type(argument) != Type{}) problem("expression {}: an argument of past is no number", id);
  }
}

void Verifier::check_foreign(ExprId id) {
  const Node& node = graph_[id];
  std::uint64_t number = node.payload >> 8;
  std::uint64_t result = node.payload & 255;
  const auto& functions = graph_.foreign_functions();
  if (number >= functions.size()) {
    return problem("expression {}: foreign function {} does not exist", id, number);
  }
  const ForeignFunction& function = functions[number];
  if (function.object >= program_.foreign_objects.size()) problem("{} belongs to no object", function.symbol);
  if (result >= function.results.size() || function.results[result] != node.type) {
    problem("expression {}: {} has no result {} of type {}", id, function.symbol, result, to_text(node.type));
  }
  auto arguments = graph_.arguments(id);
  auto same_type = [&](ExprId a, const Type& type) { return graph_.type(a) == type; };
  bool agree = std::ranges::equal(arguments, function.arguments, same_type);
  if (!agree) problem("expression {}: arguments of {} have other types", id, function.symbol);
}

}  // namespace orrery::program
