// SPDX-License-Identifier: Apache-2.0
// Strong components of the graph of conditions and loops.
#include "passes/mode_systems.h"

#include <algorithm>
#include <unordered_map>

#include "passes/slice.h"
#include "passes/strong_components.h"

namespace orrery::passes {

using namespace program;

std::vector<ModeSystem> mode_systems(const Program& program, const std::vector<std::uint32_t>& loops) {
  std::vector<std::uint32_t> conditions;
  std::unordered_map<SlotId, std::vector<std::uint32_t>> gives;  // by slot: the vertices that determine it
  for (std::uint32_t k = 0; k < program.surfaces.size(); ++k) {
    const Surface& surface = program.surfaces[k];
    if (surface.mode == no_slot || surface.settled != no_expr) continue;
    gives[surface.mode].push_back(static_cast<std::uint32_t>(conditions.size()));
    conditions.push_back(k);
  }
  for (std::size_t l = 0; l < loops.size(); ++l) {
    for (const SlotId unknown : program.loops[loops[l]].unknowns) {
      gives[unknown].push_back(static_cast<std::uint32_t>(conditions.size() + l));
    }
  }
  Adjacency needs;
  const auto add_row = [&](std::span<const ExprId> expressions) {
    std::vector<std::uint32_t> row;
    for (const SlotId slot : slots_read(program.graph, expressions)) {
      if (const auto found = gives.find(slot); found != gives.end())
        row.insert(row.end(), found->second.begin(), found->second.end());
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    needs.add_row(row);
  };
  for (const std::uint32_t k : conditions) add_row({&program.surfaces[k].value, 1});
  for (const std::uint32_t l : loops) add_row(program.loops[l].residuals);
  const Adjacency components = strong_components(needs);
  std::vector<ModeSystem> systems;
  for (std::uint32_t c = 0; c < components.rows(); ++c) {
    ModeSystem& system = systems.emplace_back();
    for (const std::uint32_t v : components[c]) {
      const bool is_loop = v >= conditions.size();
      (is_loop ? system.loops : system.surfaces).push_back(is_loop ? loops[v - conditions.size()] : conditions[v]);
    }
    std::sort(system.surfaces.begin(), system.surfaces.end());
    std::sort(system.loops.begin(), system.loops.end());
  }
  return systems;
}

}  // namespace orrery::passes
