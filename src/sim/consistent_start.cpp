// SPDX-License-Identifier: Apache-2.0
// Start values that invariants do not allow: moved to where these vanish, and told; or refused where they are fixed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/hybrid_run.h"
#include "solve/projector.h"

namespace orrery::sim {

bool HybridRun::make_start_consistent() {
  if (run_.machine.invariants() == nullptr || run_.machine.state_count() == 0) return true;
  solve::Problem start = seat_.problem();
  start.projection.user = &model_;
  start.projection.residual = &ModelFunctions::invariants;
  start.projection.constraints = static_cast<int>(run_.machine.invariant_count());
  std::vector<double> c(run_.machine.invariant_count());
  const std::vector<double> before(run_.states(), run_.states() + run_.machine.state_count());
  std::vector<double> moved = before;
  if (ModelFunctions::invariants(run_.t, before.data(), c.data(), &model_) != 0) return true;  // the loops say why
  if (std::all_of(c.begin(), c.end(), [](double value) { return std::fabs(value) < 1e-13; })) return true;
  const auto projector = solve::Projector::make(start);
  if (projector->project(run_.t, moved.data()) != 0) {
    auto& d =
        run_.diagnostics.error("start-contradiction", run_.place_of(0),
                               "the start values do not agree with what the model says must stay zero, and no values "
                               "near them do",
                               "choose start values that fulfil the constraints");
    d.time = run_.t;
    for (std::size_t k = 0; k < std::min<std::size_t>(c.size(), 8); ++k) {
      d.notes.push_back(fmt::format("constraint {}: off by {:.6g}", k + 1, c[k]));
    }
    return false;
  }
  const auto tolerance = [&](std::size_t k) {
    return start.tolerance.absolute_per_state[k] + start.tolerance.relative * std::fabs(before[k]);
  };
  std::vector<std::string> moves;
  bool is_fixed = false;
  std::size_t first = 0;
  for (const program::SlotId slot : run_.program.states) {
    const auto size = static_cast<std::size_t>(run_.program.slots[slot].type.size());
    for (std::size_t k = first; k < first + size; ++k) {
      if (!(std::fabs(moved[k] - before[k]) > tolerance(k))) continue;
      is_fixed = is_fixed || run_.program.slots[slot].fixed;
      moves.push_back(fmt::format("{}: from {:.10g} to {:.10g}{}", run_.state_name(static_cast<int>(k)), before[k],
                                  moved[k], run_.program.slots[slot].fixed ? ", which is fixed" : ""));
    }
    first += size;
  }
  if (moves.empty()) return true;
  auto& d = is_fixed
                ? run_.diagnostics.error("start-contradiction", run_.place_of(0),
                                         "fixed start values do not agree with what the model says must stay zero",
                                         "let one of them be free, or choose values that fulfil the constraints")
                : run_.diagnostics.warning("start-moved", run_.place_of(0),
                                           "start values do not agree with what the model says must stay zero: the "
                                           "run begins at the nearest that do",
                                           "choose start values that fulfil the constraints");
  d.time = run_.t;
  constexpr std::size_t shown = 8;
  d.notes.assign(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(std::min(moves.size(), shown)));
  if (moves.size() > shown) d.notes.push_back(fmt::format("and {} more states", moves.size() - shown));
  if (is_fixed) return false;
  std::copy(moved.begin(), moved.end(), run_.states());
  return modes_.relax();
}

}  // namespace orrery::sim
