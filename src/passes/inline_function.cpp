// SPDX-License-Identifier: Apache-2.0
// Statements carried out on expressions.
#include "passes/inline_function.h"

#include <algorithm>

#include "passes/transplant.h"
#include "program/evaluate.h"

namespace orrery::passes {

using namespace program;

namespace {

constexpr std::size_t most_nodes = 60;

class Written {
 public:
  Written(Graph& graph, const Function& function) : graph_(graph), function_(function) {}

  std::vector<ExprId> run(std::span<const ExprId> arguments) {
    Values values(arguments.begin(), arguments.end());
    values.resize(function_.locals.size(), no_expr);
    block(function_.body, values);
    std::vector<ExprId> results;
    for (const std::uint32_t local : function_.results) results.push_back(values[local]);
    return results;
  }

 private:
  using Values = std::vector<ExprId>;  // of the locals at some place; no_expr: none yet

  void block(const std::vector<Statement>& statements, Values& values) {
    for (const Statement& s : statements) statement(s, values);
  }

  void statement(const Statement& s, Values& values) {
    Transplant copy(function_.graph, graph_, [&](ExprId id) {
      const Node& node = function_.graph[id];
      return node.op == Op::read ? values[node.payload] : no_expr;
    });
    const ExprId value = copy.apply(s.value);
    if (s.kind == Statement::Kind::assign) {
      values[s.local] = value;
    } else if (s.kind == Statement::Kind::assign_element) {
      const ExprId first = copy.apply(s.indices[0]);
      const std::uint32_t site = copy.site(s.site);
      values[s.local] = s.indices.size() == 1
                            ? graph_.update(values[s.local], first, value, site)
                            : graph_.update_at(values[s.local], first, copy.apply(s.indices[1]), value, site);
    } else if (s.kind == Statement::Kind::branch) {
      Values otherwise = values;
      block(s.body, values);
      block(s.otherwise, otherwise);
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (values[k] == otherwise[k] || otherwise[k] == no_expr) continue;
        values[k] = values[k] == no_expr ? otherwise[k] : graph_.select(value, values[k], otherwise[k]);
      }
    }
  }

  Graph& graph_;
  const Function& function_;
};

}  // namespace

bool is_small(const Function& function) {
  bool plain = true;
  std::vector<ExprId> used;
  const Statement* last = function.body.empty() ? nullptr : &function.body.back();
  visit_statements(function.body, [&](const Statement& s) {
    const bool ends = s.kind == Statement::Kind::give_back && &s == last;
    plain = plain && (s.kind == Statement::Kind::assign || s.kind == Statement::Kind::assign_element ||
                      s.kind == Statement::Kind::branch || ends);
    used.push_back(s.value);
    used.insert(used.end(), s.indices.begin(), s.indices.end());
  });
  return plain && reachable(function.graph, used).size() <= most_nodes;
}

std::vector<ExprId> call_results(Graph& graph, std::shared_ptr<const Function> function,
                                 std::span<const ExprId> arguments) {
  if (is_small(*function)) return Written(graph, *function).run(arguments);
  const std::size_t count = function->results.size();
  const std::uint32_t number = graph.declare(std::move(function));
  std::vector<ExprId> results;
  for (std::uint32_t r = 0; r < count; ++r) results.push_back(graph.call(number, r, arguments));
  return results;
}

}  // namespace orrery::passes
