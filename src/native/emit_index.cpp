// SPDX-License-Identifier: Apache-2.0
// Positions in arrays, and who is told when one is outside.
#include <fmt/format.h>

#include "native/emit_expression.h"
#include "native/frames.h"

namespace orrery::native {

using program::ExprId;
using program::Node;
using program::Type;

std::string ExpressionPrinter::trouble(const PlannedNode& n) {
  prologue_.kernel("fail");
  if (!n.needed) return "(struct orr_trouble*)0";
  sees_trouble_ = true;
  return "e";
}

std::string ExpressionPrinter::position(ExprId id, Subscript at) {
  const auto arguments = graph_.arguments(id);
  const Node& node = graph_[id];
  const Type array = graph_.type(arguments[0]);
  const std::uint64_t first = planner_.inside() != nullptr ? planner_.inside()->first_site : 0;
  const std::uint64_t site = (node.payload > 0 ? first + node.payload : 0) + 1;
  const std::string record = node.payload > 0 ? trouble(planned(id)) : "(struct orr_trouble*)0";
  if (program::index_count(node) == 2) {
    return fmt::format("{}({}, {}, {}, {}, {}, {})", prologue_.kernel("index2"), record, value(arguments[1], at, true),
                       value(arguments[2], at, true), array.rows, array.cols, site);
  }
  return fmt::format("{}({}, {}, {}, {})", prologue_.kernel("index"), record, value(arguments[1], at, true),
                     array.size(), site);
}

}  // namespace orrery::native
