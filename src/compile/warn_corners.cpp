// SPDX-License-Identifier: Apache-2.0
// Calls below what the integrator sees.
#include "compile/warn_corners.h"

#include <algorithm>
#include <set>

#include "program/evaluate.h"
#include "program/function.h"
#include "program/motion.h"

namespace orrery::compile {

using program::ExprId;

void warn_corners(const program::Program& program, Diagnostics& diagnostics) {
  const program::Graph& graph = program.graph;
  if (graph.functions().empty() || program.fixed_step) return;
  std::vector<ExprId> roots = program.derivatives;
  for (const program::Loop& loop : program.loops) {
    if (loop.source == program::Loop::continuous)
      roots.insert(roots.end(), loop.residuals.begin(), loop.residuals.end());
  }
  for (const program::Surface& surface : program.surfaces) roots.push_back(surface.value);
  roots.insert(roots.end(), program.invariants.begin(), program.invariants.end());
  const std::vector<bool> moves = program::find_moving(program);
  std::set<const program::Function*> told;
  for (const ExprId id : program::reachable(graph, roots)) {
    if (graph[id].op != program::Op::call || !moves[id]) continue;
    const program::Function& function = graph.function_of(id);
    if (!function.has_corners || !function.unguarded || !told.insert(&function).second) continue;
    Place place;
    for (const program::Site& site : function.graph.sites()) {
      if (site.kind == program::Site::Kind::turns) {
        place = site.place;
        break;
      }
    }
    diagnostics.warning(
        "unlocated-corner", place,
        "conditions inside this loop depend on continuous signals; where they change is not located",
        "steps are as small as the tolerance asks for; compute them outside the loop, as in b = u > knots, "
        "where they are located, use interp1 for tables, or sample the signals");
  }
}

}  // namespace orrery::compile
