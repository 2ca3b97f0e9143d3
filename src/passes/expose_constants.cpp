// SPDX-License-Identifier: Apache-2.0
// Compares Programs node by node and replaces constants.
#include "passes/expose_constants.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/rewrite_program.h"
#include "passes/substitute.h"

namespace orrery::passes {

using namespace program;

bool same_shape(const Program& a, const Program& b) {
  if (a.graph.size() != b.graph.size() || a.slots.size() != b.slots.size() || a.sources.size() != b.sources.size() ||
      a.surfaces.size() != b.surfaces.size()) {
    return false;
  }
  for (ExprId id = 0; id < a.graph.size(); ++id) {
    const Node &x = a.graph[id], &y = b.graph[id];
    if (x.op != y.op || x.type != y.type || (x.op != Op::constant && x.payload != y.payload)) return false;
    if (!std::ranges::equal(a.graph.arguments(id), b.graph.arguments(id))) return false;
  }
  return true;
}

std::vector<ExprId> changed_constants(const Program& a, const Program& b) {
  std::vector<ExprId> changed;
  for (ExprId id = 0; id < a.graph.size(); ++id) {
    if (!a.graph.is_constant(id) || a.graph.type(id).scalar != Scalar::f64) continue;
    if (!std::ranges::equal(a.graph.constant_data(id), b.graph.constant_data(id))) changed.push_back(id);
  }
  return changed;
}

std::vector<SlotId> expose_constants(Program& program, std::span<const ExprId> constants) {
  Substitution substitution(program.graph);
  std::vector<SlotId> slots;
  for (const ExprId node : constants) {
    const Type type = program.graph.type(node);
    slots.push_back(program.add_slot({fmt::format("constant{}", node), type, SlotKind::parameter, 0, node}));
    substitution.set_node(node, program.read(slots.back()));
  }
  rewrite_program(program, [&](ExprId id) { return substitution.apply(id); });
  return slots;
}

}  // namespace orrery::passes
