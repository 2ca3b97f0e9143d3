// SPDX-License-Identifier: Apache-2.0
// Sets of argument elements that spread along statements until nothing changes.
#include "passes/function_dependencies.h"

#include "passes/find_dependencies.h"

namespace orrery::passes {

using namespace program;

namespace {

constexpr std::int64_t most_elements = 256;  // of a local that is followed element by element

using Bits = std::vector<bool>;

bool unite(Bits& into, const Bits& from) {
  bool changed = false;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (!from[k] || into[k]) continue;
    into[k] = changed = true;
  }
  return changed;
}

class Spread {
 public:
  explicit Spread(const Function& function) : function_(function), leaves_(function.graph) {
    std::size_t columns = 0;
    for (std::size_t k = 0; k < function.arguments; ++k) {
      columns += static_cast<std::size_t>(function.locals[k].type.size());
    }
    std::size_t column = 0;
    for (std::size_t k = 0; k < function.locals.size(); ++k) {
      const std::int64_t size = function.locals[k].type.size();
      sets_.emplace_back(static_cast<std::size_t>(size <= most_elements ? size : 1), Bits(columns));
      for (std::int64_t i = 0; k < function.arguments && i < size; ++i) at(k, i)[column++] = true;
    }
    nothing_ = departed_ = Bits(columns);
  }

  std::vector<std::vector<std::uint32_t>> run() {
    do {
      changed_ = false;
      block(function_.body, nothing_);
    } while (changed_);
    std::vector<std::vector<std::uint32_t>> result;
    for (const std::uint32_t local : function_.results) {
      for (std::int64_t k = 0; k < function_.locals[local].type.size(); ++k) {
        Bits set = at(local, k);
        unite(set, departed_);
        std::vector<std::uint32_t>& list = result.emplace_back();
        for (std::size_t c = 0; c < set.size(); ++c) {
          if (set[c]) list.push_back(static_cast<std::uint32_t>(c));
        }
      }
    }
    return result;
  }

 private:
  Bits& at(std::size_t local, std::int64_t k) {
    auto& sets = sets_[local];
    return sets[sets.size() == 1 ? 0 : static_cast<std::size_t>(k)];
  }

  void add_leaves(const std::vector<Leaf>& leaves, Bits& into) {
    for (const Leaf& leaf : leaves) unite(into, at(leaf.slot, leaf.element));
  }
  Bits of_whole(ExprId id) {
    Bits set = nothing_;
    if (id != no_expr) add_leaves(leaves_.of_whole(id), set);
    return set;
  }
  void grow(std::size_t local, std::int64_t k, const Bits& set) {
    if (unite(at(local, k), set)) changed_ = true;
  }

  void depart(const Bits& set) {
    if (unite(departed_, set)) changed_ = true;
  }

  // `control`: what decides whether these statements run; whatever a jump depends on decides what follows it, too.
  void block(const std::vector<Statement>& statements, Bits control) {
    for (const Statement& s : statements) {
      unite(control, departed_);
      statement(s, control);
    }
  }

  void statement(const Statement& s, const Bits& control) {
    using Kind = Statement::Kind;
    switch (s.kind) {
      case Kind::assign:
        for (std::int64_t k = 0; k < function_.locals[s.local].type.size(); ++k) {
          Bits set = control;
          add_leaves(leaves_.of(s.value, k), set);
          grow(s.local, k, set);
        }
        return;
      case Kind::assign_element: {
        Bits set = control;
        unite(set, of_whole(s.value));
        for (const ExprId index : s.indices) unite(set, of_whole(index));
        const ExprId read = local_read(s.local);
        const std::int64_t only = read == no_expr ? -1 : function_.graph.constant_position(read, s.indices, 0);
        for (std::int64_t k = 0; k < function_.locals[s.local].type.size(); ++k) {
          if (only < 0 || only == k) grow(s.local, k, set);
        }
        return;
      }
      case Kind::leave:
      case Kind::go_on:
      case Kind::give_back: depart(control); return;
      case Kind::check: depart(of_whole(s.value)); return;
      default: break;
    }
    Bits inner = control;
    unite(inner, of_whole(s.value));
    if (s.kind == Kind::count_loop) grow(s.local, 0, inner);
    block(s.body, inner);
    block(s.otherwise, inner);
  }

  ExprId local_read(std::uint32_t local) {
    for (ExprId id = 0; id < function_.graph.size(); ++id) {
      if (function_.graph[id].op == Op::read && function_.graph[id].payload == local) return id;
    }
    return no_expr;
  }

  const Function& function_;
  Dependencies leaves_;
  std::vector<std::vector<Bits>> sets_;  // by local
  Bits nothing_, departed_;
  bool changed_ = false;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> function_dependencies(const Function& function) {
  return Spread(function).run();
}

}  // namespace orrery::passes
