// SPDX-License-Identifier: Apache-2.0
// Copies expressions from one graph to another, with leaves or whole subexpressions replaced on the way.
#pragma once

#include <functional>
#include <map>

#include "passes/visit.h"
#include "program/graph.h"

namespace orrery::passes {

class Transplant {
 public:
  // replace(id) gives what takes the place of a node of `from` in `to`, or no_expr: the node itself is copied. Slots
  // and foreign functions mean nothing elsewhere: reads, time, clocks and foreign calls must be replaced.
  using Replace = std::function<program::ExprId(program::ExprId)>;
  Transplant(const program::Graph& from, program::Graph& to, Replace replace)
      : from_(from), to_(to), replace_(std::move(replace)) {}

  program::ExprId apply(program::ExprId expression);  // no_expr stays no_expr
  std::uint32_t site(std::uint32_t number);

 private:
  program::ExprId copy(program::ExprId id);

  const program::Graph& from_;
  program::Graph& to_;
  Replace replace_;
  NodeMemo<program::ExprId> memo_{program::no_expr};
  std::map<std::uint32_t, std::uint32_t> sites_;
};

}  // namespace orrery::passes
