// SPDX-License-Identifier: Apache-2.0
// Turns operations on small matrices into operations on their elements, so that they are folded and shared one by one.
#pragma once

#include <vector>

#include "passes/visit.h"
#include "program/program.h"

namespace orrery::passes {

// Element-wise operations, select, matmul, transpose, reshape and reductions whose operands and result have at most
// `limit` elements become stacks of scalar expressions (reductions: scalars). solve, inverse, determinant, expm,
// foreign calls and larger matrices stay whole. The bits do not change: sums run over ascending indices, starting from
// the first term, and a complex matmul is four real sums for each entry, as evaluate.h says.
class SmallExpansion {
 public:
  explicit SmallExpansion(program::Graph& graph, std::int64_t limit = 32) : graph_(graph), limit_(limit) {}

  program::ExprId apply(program::ExprId expression);  // no_expr stays no_expr

 private:
  void expand(program::ExprId id);
  bool is_small(program::ExprId id) const;
  bool expandable(program::ExprId id) const;
  program::ExprId scalar_element(program::ExprId id, std::int64_t k);
  program::ExprId expanded_element(program::ExprId id, std::int64_t k);
  program::ExprId matmul_entry(program::ExprId a, program::ExprId b, std::int64_t row, std::int64_t col);
  program::ExprId reduction(program::Op op, program::ExprId a);

  program::Graph& graph_;
  std::int64_t limit_;
  NodeMemo<program::ExprId> memo_{program::no_expr};
  std::vector<program::ExprId> arguments_;
};

// Expands every expression of the program.
void expand_small(program::Program& program, std::int64_t limit = 32);

}  // namespace orrery::passes
