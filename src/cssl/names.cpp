// SPDX-License-Identifier: Apache-2.0
// Walking expressions and statements.
#include "cssl/names.h"

#include "cssl/operators.h"

namespace orrery::cssl {

void visit_nodes(const Program& program, NodeId root, const std::function<void(NodeId)>& visit_one) {
  std::vector<NodeId> stack{root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (id == no_node) continue;
    visit_one(id);
    const auto& arguments = program[id].arguments;
    stack.insert(stack.end(), arguments.rbegin(), arguments.rend());
  }
}

void collect_reads(const Program& program, NodeId expression, bool at_once, std::vector<Use>& reads) {
  std::vector<NodeId> stack{expression};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (id == no_node) continue;
    const Node& node = program[id];
    if (node.kind == Node::Kind::name) reads.push_back({node.name, node.at});
    if (node.kind != Node::Kind::call) {
      stack.insert(stack.end(), node.arguments.rbegin(), node.arguments.rend());
      continue;
    }
    const Declared* declared = program.find(node.name);
    const bool element = declared != nullptr && declared->array;
    if (element) reads.push_back({node.name, node.at});
    const Operator* known =
        element || program.find_subprogram(node.name) != nullptr ? nullptr : find_operator(node.name);
    const std::uint32_t skipped = at_once && known != nullptr ? known->later | known->initial : 0;
    for (std::size_t k = node.arguments.size(); k-- > 0;) {
      if (k >= 32 || (skipped >> k & 1U) == 0) stack.push_back(node.arguments[k]);
    }
  }
}

std::vector<NodeId> expressions_of(const Statement& s) {
  std::vector<NodeId> list;
  if (s.value != no_node) list.push_back(s.value);
  list.insert(list.end(), s.arguments.begin(), s.arguments.end());
  return list;
}

void collect_reads(const Program& program, const Statement& s, bool at_once, std::vector<Use>& reads) {
  for (const NodeId id : expressions_of(s)) collect_reads(program, id, at_once, reads);
  for (const NodeId target : s.targets) {
    for (const NodeId index : program[target].arguments) collect_reads(program, index, at_once, reads);
  }
  for (const Statement& inner : s.body) collect_reads(program, inner, at_once, reads);
  for (const Statement& inner : s.otherwise) collect_reads(program, inner, at_once, reads);
}

void collect_writes(const Program& program, const Statement& s, std::vector<Use>& writes) {
  for (const NodeId target : s.targets) writes.push_back({program[target].name, program[target].at});
  if (s.kind == Statement::Kind::count_loop) writes.push_back({s.name, s.at});
  for (const Statement& inner : s.body) collect_writes(program, inner, writes);
  for (const Statement& inner : s.otherwise) collect_writes(program, inner, writes);
}

void visit(const std::vector<Statement>& statements, const std::function<void(const Statement&)>& visit_one) {
  for (const Statement& s : statements) visit(s, visit_one);
}

void visit(const Statement& s, const std::function<void(const Statement&)>& visit_one) {
  visit_one(s);
  visit(s.body, visit_one);
  visit(s.otherwise, visit_one);
}

bool defines_state(const Program& program, const Statement& s) {
  if (s.kind != Statement::Kind::assign) return false;
  const Node& value = program[s.value];
  if (value.kind != Node::Kind::call || program.find_subprogram(value.name) != nullptr) return false;
  const Operator* known = find_operator(value.name);
  return known != nullptr && known->kind == OperatorKind::state;
}

}  // namespace orrery::cssl
