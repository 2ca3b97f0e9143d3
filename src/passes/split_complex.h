// SPDX-License-Identifier: Apache-2.0
// Replaces complex arithmetic by real arithmetic on real and imaginary parts.
#pragma once

#include <vector>

#include "passes/visit.h"
#include "program/program.h"

namespace orrery::passes {

// After it, complex nodes occur in these places only:
//  - real(s) and imag(s), where s is a read of a complex slot or a foreign result, whole or an element of it;
//  - complex_pair(re, im), or a complex constant, as the value of a whole expression (what a store writes) or as an
//    argument of a foreign call.
// Functions follow complex_formulas.h, so the bits are those of evaluate().
class ComplexSplit {
 public:
  explicit ComplexSplit(program::Graph& graph) : graph_(graph) {}

  // An expression of the same type; a complex one is a complex_pair. no_expr stays no_expr.
  program::ExprId apply(program::ExprId expression);

 private:
  struct Parts {
    program::ExprId re = program::no_expr;  // the node itself where it is real
    program::ExprId im = program::no_expr;
  };

  void split(program::ExprId id);
  Parts split_node(program::ExprId id);
  program::ExprId spread(program::ExprId id, std::size_t part);
  Parts constant_parts(program::ExprId id);
  Parts leaf_parts(program::ExprId id);
  Parts structure_parts(program::ExprId id);
  Parts product_parts(program::ExprId id);
  Parts function_parts(program::ExprId id);
  program::ExprId to_real(program::ExprId id);
  program::ExprId rebuild_real(program::ExprId id);

  program::Graph& graph_;
  NodeMemo<Parts> memo_{Parts{}};
};

// Splits every expression of the program.
void split_complex(program::Program& program);

}  // namespace orrery::passes
