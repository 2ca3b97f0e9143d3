// SPDX-License-Identifier: Apache-2.0
// Derivatives of whole expressions in one direction: matrices stay matrices (forward mode).
#pragma once

#include <functional>

#include "passes/visit.h"
#include "program/graph.h"

namespace orrery::passes {

class Tangents {
 public:
  // of_read(id) is the direction in which a read of doubles moves, of its type; no_expr: it stands still.
  Tangents(program::Graph& graph, std::function<program::ExprId(program::ExprId)> of_read)
      : graph_(graph), of_read_(std::move(of_read)) {}

  // How a double expression moves, of its type; no_expr: it stands still.
  program::ExprId of(program::ExprId expression);
  // False after an expression that moves through something without a rule.
  bool complete() const { return complete_; }

 private:
  struct Tangent {
    program::ExprId value = program::no_expr;
    bool known = false;
  };

  program::ExprId tangent(program::ExprId id);
  program::ExprId structure(program::ExprId id);
  program::ExprId product(program::ExprId id);
  program::ExprId by_partials(program::ExprId id, std::int64_t k);
  program::ExprId by_elements(program::ExprId id);
  program::ExprId call(program::ExprId id);
  program::ExprId or_zeros(program::ExprId argument);
  program::ExprId zeros(program::Type type);
  program::ExprId plus(program::ExprId a, program::ExprId b);

  program::Graph& graph_;
  std::function<program::ExprId(program::ExprId)> of_read_;
  NodeMemo<Tangent> memo_{Tangent{}};
  bool complete_ = true;
};

}  // namespace orrery::passes
