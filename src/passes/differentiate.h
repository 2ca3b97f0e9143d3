// SPDX-License-Identifier: Apache-2.0
// Exact symbolic derivatives of expressions with respect to elements of slots, sparse.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "passes/local_partials.h"
#include "passes/visit.h"
#include "program/graph.h"

namespace orrery::passes {

struct Partial {
  std::uint32_t column;
  program::ExprId value;
};

// A slot of doubles to differentiate by, and how many elements it has.
struct Variable {
  program::SlotId slot;
  std::int64_t size = 1;
};

// Gradients with respect to the elements of a list of slots; columns count their elements in order.
//
// Nodes with few nonzero derivatives carry them (forward mode). An expression with many is differentiated backwards
// down to such nodes (reverse mode), so neither long chains over few states nor sums over very many cost more than
// about the expressions and the answers.
class Gradients {
 public:
  Gradients(program::Graph& graph, std::span<const Variable> variables);

  // Structurally nonzero derivatives of one element of an expression, by ascending column.
  std::vector<Partial> of(program::ExprId expression, std::int64_t element = 0);
  // False after an expression that depends on a column through something without a rule (expm, a complex number, a
  // foreign call that has no partials): its derivatives lack that part.
  bool complete() const { return complete_; }
  std::uint32_t columns() const { return columns_; }

 private:
  struct Place {
    std::size_t first = SIZE_MAX;
  };
  struct Range {
    std::size_t first = 0;
    std::uint32_t count = 0;  // wide: too many to carry
  };

  void differentiate(program::ExprId id);
  Range forward(program::ExprId id, std::int64_t k);
  std::vector<Partial> backward(std::size_t index);
  void read_columns(program::ExprId id, std::size_t first);
  std::size_t index_of(program::ExprId id, std::int64_t k) const;
  bool is_active(program::ExprId id, std::int64_t k) const;
  program::ExprId plus(program::ExprId a, program::ExprId b);
  Range forward_call(program::ExprId id, std::int64_t k);
  const std::vector<Partial>& call_tangents(program::ExprId id);
  template <class Visit>
  void visit_columns(program::ExprId id, const Visit& visit) const;

  program::Graph& graph_;
  std::uint32_t columns_ = 0;
  bool complete_ = true;
  std::vector<std::uint32_t> first_column_;  // by slot
  NodeMemo<Place> places_{Place{}};
  std::vector<Range> ranges_;            // by element of node
  std::vector<program::ExprId> owners_;  // by element of node
  std::vector<Partial> pool_;
  std::map<program::ExprId, std::vector<Partial>> calls_;  // directions of whole calls, by column
  std::map<const program::Function*, std::vector<std::vector<std::uint32_t>>> depends_on_;
};

// d expression / d slot[element] of a scalar expression; a constant 0 where it does not depend on it.
program::ExprId differentiate(program::Graph& graph, program::ExprId expression, program::SlotId slot,
                              std::int64_t element = 0);

}  // namespace orrery::passes
