// SPDX-License-Identifier: Apache-2.0
// Rules of differentiation: how one element of a node changes with the elements of its arguments.
#pragma once

#include <functional>
#include <vector>

#include "program/graph.h"

namespace orrery::passes {

// d node / d argument[element] = factor where the condition is `when`, else exactly 0. A condition is kept apart from
// the factor because the branch that is not taken may have no finite derivative.
struct LocalPartial {
  program::ExprId argument = program::no_expr;
  std::int64_t element = 0;
  program::ExprId factor = program::no_expr;     // no_expr: 1
  program::ExprId condition = program::no_expr;  // no_expr: always
  bool when = true;
};

struct LocalPartials {
  std::vector<LocalPartial> list;
  bool known = true;  // false: an operation without a rule, or a foreign call without partials
};

// Partials of element k of node `id` for those elements of arguments for which active(argument, element) holds. Floor,
// sign, relations, logic and integers have none. min, max and select follow the branch that is taken.
LocalPartials local_partials(program::Graph& graph, program::ExprId id, std::int64_t k,
                             const std::function<bool(program::ExprId, std::int64_t)>& active);

// For k, of an element-wise operation: all elements at once; the partials of whole arguments then have element -1 and
// factors and conditions of the size of the node, or scalars.
constexpr std::int64_t whole_node = -1;

// A product of derivatives; either may be no_expr, which is 1.
program::ExprId times(program::Graph& graph, program::ExprId a, program::ExprId b);
// What a partial makes of the way its argument moves.
program::ExprId contribution(program::Graph& graph, const LocalPartial& partial, program::ExprId tangent);

}  // namespace orrery::passes
