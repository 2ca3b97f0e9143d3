// SPDX-License-Identifier: Apache-2.0
// Which elements of which slots each element of an expression depends on, by structure.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "passes/visit.h"
#include "program/graph.h"

namespace orrery::passes {

struct Leaf {
  program::SlotId slot;
  std::uint32_t element;
  friend auto operator<=>(const Leaf&, const Leaf&) = default;
};

// Element by element through element-wise operations, structure and products; a factor that is a constant zero cuts the
// dependency. select depends on its condition and both branches; calls on what the function shows, foreign ones on what
// they declare; an element by index on the whole array and the index, unless that is a constant; solve, inverse,
// determinant and expm on everything below. Sets are shared between nodes and large ones are kept as unions of smaller
// ones until asked for, so the cost is about linear in the expressions and the answers.
class Dependencies {
 public:
  // With a list of slots, only their elements are followed. The graph may grow between questions.
  explicit Dependencies(const program::Graph& graph) : graph_(graph), sets_(1) {}
  Dependencies(const program::Graph& graph, std::span<const program::SlotId> slots);

  // Ascending.
  std::vector<Leaf> of(program::ExprId expression, std::int64_t element = 0);
  // Of all elements together.
  std::vector<Leaf> of_whole(program::ExprId expression);

 private:
  using SetId = std::uint32_t;  // index into sets_; 0 is the empty set
  struct Set {
    std::vector<Leaf> leaves;  // ascending; or, for a large set,
    std::vector<SetId> parts;  // the sets it unites
  };
  struct Place {
    std::size_t first = SIZE_MAX;  // in elements_
  };

  void prepare(program::ExprId expression);
  void find(program::ExprId id);
  void find_read(program::ExprId id);
  void find_elementwise(program::ExprId id);
  void find_matmul(program::ExprId id);
  void find_structure(program::ExprId id);
  bool find_foreign(program::ExprId id);
  void find_call(program::ExprId id);
  void find_indexed(program::ExprId id);
  void find_listed(program::ExprId id, std::size_t row, const std::vector<std::vector<std::uint32_t>>& depends_on);
  SetId at(program::ExprId id, std::int64_t k) const;
  SetId of_all(program::ExprId id);
  SetId unite(SetId a, SetId b);
  SetId unite(std::vector<SetId> parts);
  std::vector<Leaf> leaves(SetId set) const;

  const program::Graph& graph_;
  bool all_slots_ = true;
  std::vector<bool> followed_;  // by slot, unless all_slots_
  std::vector<Set> sets_;
  NodeMemo<Place> places_{Place{}};
  std::vector<SetId> elements_;
  std::map<const program::Function*, std::vector<std::vector<std::uint32_t>>> functions_;  // what results depend on
};

}  // namespace orrery::passes
