// SPDX-License-Identifier: Apache-2.0
// Statements with their tangents: what moves is computed first, from the values before the statement.
#include "passes/differentiate_function.h"

#include "passes/tangents.h"
#include "passes/transplant.h"
#include "program/function.h"

namespace orrery::passes {

using namespace program;

namespace {

constexpr std::uint32_t no_local = UINT32_MAX;

class Differentiation {
 public:
  explicit Differentiation(const Function& function)
      : function_(function),
        copy_(function.graph, made_.graph, [this](ExprId id) { return read_of(id); }),
        tangents_(made_.graph, [this](ExprId id) { return direction_of(id); }) {}

  std::shared_ptr<const Function> run() {
    made_.name = "d_" + function_.name;
    made_.unguarded = true;
    name_locals();
    made_.body = block(function_.body);
    if (!tangents_.complete()) return nullptr;
    for (const std::uint32_t local : function_.results) {
      made_.results.push_back(direction_[local] == no_local ? place_[local] : direction_[local]);
    }
    return make_function(std::move(made_));
  }

 private:
  bool is_double(std::size_t local) const { return function_.locals[local].type.scalar == Scalar::f64; }

  std::uint32_t add(const Local& local, const char* before) {
    made_.locals.push_back({before + local.name, local.type});
    return static_cast<std::uint32_t>(made_.locals.size() - 1);
  }

  // Arguments, their directions, then the others.
  void name_locals() {
    const std::size_t count = function_.locals.size();
    place_.assign(count, no_local);
    direction_.assign(count, no_local);
    for (std::size_t k = 0; k < function_.arguments; ++k) place_[k] = add(function_.locals[k], "");
    for (std::size_t k = 0; k < function_.arguments; ++k) {
      if (is_double(k)) direction_[k] = add(function_.locals[k], "d_");
    }
    made_.arguments = static_cast<std::uint32_t>(made_.locals.size());
    for (std::size_t k = function_.arguments; k < count; ++k) {
      place_[k] = add(function_.locals[k], "");
      if (is_double(k)) direction_[k] = add(function_.locals[k], "d_");
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (direction_[k] == no_local) continue;
      if (place_[k] >= moves_with_.size()) moves_with_.resize(place_[k] + 1, no_local);
      moves_with_[place_[k]] = direction_[k];
    }
  }

  ExprId read_of(ExprId id) {
    const Node& node = function_.graph[id];
    return node.op == Op::read ? made_.graph.read(place_[node.payload], node.type) : no_expr;
  }
  ExprId direction_of(ExprId id) {
    const Node& node = made_.graph[id];
    if (node.payload >= moves_with_.size() || moves_with_[node.payload] == no_local) return no_expr;
    return made_.graph.read(moves_with_[node.payload], node.type);
  }

  std::vector<Statement> block(const std::vector<Statement>& statements) {
    std::vector<Statement> result;
    for (const Statement& s : statements) statement(s, result);
    return result;
  }

  void statement(const Statement& s, std::vector<Statement>& result) {
    const bool assigns = s.kind == Statement::Kind::assign || s.kind == Statement::Kind::assign_element;
    Statement made{.kind = s.kind, .value = copy_.apply(s.value), .site = copy_.site(s.site)};
    if (assigns || s.kind == Statement::Kind::count_loop) made.local = place_[s.local];
    for (const ExprId index : s.indices) made.indices.push_back(copy_.apply(index));
    if (assigns && direction_[s.local] != no_local) {
      Statement moving = made;
      moving.local = direction_[s.local];
      moving.value = tangents_.of(made.value);
      if (moving.value == no_expr) {
        const Type type = made_.graph.type(made.value);
        moving.value = made_.graph.constant(type, std::vector<double>(static_cast<std::size_t>(type.size())));
      }
      result.push_back(std::move(moving));
    }
    made.body = block(s.body);
    made.otherwise = block(s.otherwise);
    result.push_back(std::move(made));
  }

  const Function& function_;
  Function made_;
  std::vector<std::uint32_t> place_, direction_;  // by local of the function
  std::vector<std::uint32_t> moves_with_;         // by local of what is made
  Transplant copy_;
  Tangents tangents_;
};

}  // namespace

std::uint32_t derivative_function(Graph& graph, std::uint32_t function) {
  if (const auto found = graph.derivatives().find(function); found != graph.derivatives().end()) return found->second;
  const std::shared_ptr<const Function> original = graph.functions()[function];
  const std::shared_ptr<const Function> made = Differentiation(*original).run();
  const std::uint32_t number = made == nullptr ? no_function : graph.declare(made);
  graph.derivatives()[function] = number;
  return number;
}

}  // namespace orrery::passes
