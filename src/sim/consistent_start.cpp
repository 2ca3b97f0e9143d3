// SPDX-License-Identifier: Apache-2.0
// Start values that invariants do not allow: moved to where these vanish, and told; or refused where they are fixed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/hybrid_run.h"
#include "solve/projector.h"

namespace orrery::sim {

bool HybridRun::make_start_consistent() {
  if (machine_->invariants() == nullptr || machine_->state_count() == 0) return true;
  solve::Problem start = problem();
  start.projection.user = this;
  start.projection.residual = &HybridRun::invariants;
  start.projection.constraints = static_cast<int>(machine_->invariant_count());
  std::vector<double> c(machine_->invariant_count());
  const std::vector<double> before(states(), states() + machine_->state_count());
  std::vector<double> moved = before;
  if (invariants(t_, before.data(), c.data(), this) != 0) return true;  // the loops say why
  if (std::all_of(c.begin(), c.end(), [](double value) { return std::fabs(value) < 1e-13; })) return true;
  const auto projector = solve::Projector::make(start);
  if (projector->project(t_, moved.data()) != 0) {
    auto& d = diagnostics_.error("start-contradiction", place_of(0),
                                 "the start values do not agree with what the model says must stay zero, and no values "
                                 "near them do",
                                 "choose start values that fulfil the constraints");
    d.time = t_;
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
  for (const program::SlotId slot : program_.states) {
    const auto size = static_cast<std::size_t>(program_.slots[slot].type.size());
    for (std::size_t k = first; k < first + size; ++k) {
      if (!(std::fabs(moved[k] - before[k]) > tolerance(k))) continue;
      is_fixed = is_fixed || program_.slots[slot].fixed;
      moves.push_back(fmt::format("{}: from {:.10g} to {:.10g}{}", state_name(static_cast<int>(k)), before[k], moved[k],
                                  program_.slots[slot].fixed ? ", which is fixed" : ""));
    }
    first += size;
  }
  if (moves.empty()) return true;
  auto& d = is_fixed ? diagnostics_.error("start-contradiction", place_of(0),
                                          "fixed start values do not agree with what the model says must stay zero",
                                          "let one of them be free, or choose values that fulfil the constraints")
                     : diagnostics_.warning("start-moved", place_of(0),
                                            "start values do not agree with what the model says must stay zero: the "
                                            "run begins at the nearest that do",
                                            "choose start values that fulfil the constraints");
  d.time = t_;
  constexpr std::size_t shown = 8;
  d.notes.assign(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(std::min(moves.size(), shown)));
  if (moves.size() > shown) d.notes.push_back(fmt::format("and {} more states", moves.size() - shown));
  if (is_fixed) return false;
  std::copy(moved.begin(), moved.end(), states());
  return relax_modes();
}

}  // namespace orrery::sim
