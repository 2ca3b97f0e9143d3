// SPDX-License-Identifier: Apache-2.0
// A choice, so that a simplified problem without a value spoils nothing once the start is found.
#include "program/continuation.h"

namespace orrery::program {

SlotId continuation_slot(Program& program) {
  SlotId& slot = program.start_system.homotopy;
  if (slot == no_slot) slot = program.add_slot({"homotopy", Type{}, SlotKind::parameter, 0, program.graph.constant(1)});
  return slot;
}

ExprId continued(Graph& graph, ExprId share, ExprId actual, ExprId simplified) {
  const ExprId one = graph.constant(1);
  const ExprId rest = graph.binary(Op::sub, one, share);
  const ExprId mixed =
      graph.binary(Op::add, graph.binary(Op::mul, share, actual), graph.binary(Op::mul, rest, simplified));
  return graph.select(graph.binary(Op::equal, share, one), actual, mixed);
}

}  // namespace orrery::program
