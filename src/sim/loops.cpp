// SPDX-License-Identifier: Apache-2.0
// Loops that have no solution: when to give up, and what is said then.
#include <fmt/format.h>

#include <algorithm>

#include "sim/model_functions.h"

namespace orrery::sim {

bool ModelFunctions::is_stuck(double t) {
  constexpr long patience = 1000;
  constexpr double crawl = 1e-9;  // of what is left of the run, for as many refusals
  if (++refusals_ % patience != 0) return false;
  const bool stuck = t - refused_at_ < crawl * (run_.options.stop - t);
  refused_at_ = t;
  loops_failed_ = loops_failed_ || stuck;
  return stuck;
}

Flow ModelFunctions::report_loop_failure() {
  loops_failed_ = false;
  const LoopFailure& failure = loop_solver_->failure();
  const program::Loop& loop = run_.program.loops[failure.loop];
  std::vector<std::string> names;
  for (program::SlotId unknown : loop.unknowns) {
    const program::Slot& slot = run_.program.slots[unknown];
    const std::string name = fmt::format("{}.{}", run_.program.origins[slot.origin].path, slot.name);
    for (std::int64_t e = 0; e < slot.type.size(); ++e) {
      names.push_back(slot.type.is_scalar() ? name : fmt::format("{}[{}]", name, e + 1));
    }
  }
  std::string path;
  for (program::OriginId block : loop.blocks) path += (path.empty() ? "" : " -> ") + run_.program.origins[block].path;
  const bool singular = failure.undetermined >= 0 && failure.undetermined < static_cast<int>(names.size());
  auto& d = run_.diagnostics.error(
      "loop-not-solved", run_.place_of(loop.blocks.empty() ? 0 : loop.blocks[0]),
      fmt::format("{}{}", failure.reason,
                  singular ? fmt::format(" ({})", names[static_cast<std::size_t>(failure.undetermined)]) : ""),
      "check that the equations have a solution here; a guess near it (parameter of a Constraint or LoopBreaker block) "
      "helps the iteration, another way to search it (--algebraic auto, newton, homotopy, idacalc) may find it");
  d.time = failure.t;
  if (singular) {
    d.help =
        "its equation must depend on it here: look for a factor that is zero, a saturated or constant branch, or a "
        "part of the equation that is active only at other times; two equations must not say the same";
  }
  d.notes.push_back("loop: " + path);
  constexpr std::size_t shown = 10;
  for (std::size_t k = 0; k < std::min(names.size(), shown); ++k) {
    d.notes.push_back(fmt::format("{}: guess {:.6g}, reached {:.6g}, residual {:.3g}", names[k], failure.guess[k],
                                  failure.values[k], failure.residuals[k]));
  }
  if (names.size() > shown) d.notes.push_back(fmt::format("and {} more unknowns", names.size() - shown));
  if (failure.conflicts.empty() && conflicts.empty()) return Flow::failed;
  d.code = "modes-do-not-settle";
  d.message = "no choice of its conditions agrees with the equations";
  d.help = contradiction_help;
  for (std::size_t k = 0; k < std::min(conflicts.size(), shown); ++k) d.notes.push_back(conflicts[k]);
  for (std::size_t k = 0; k < std::min(failure.conflicts.size(), shown); ++k) {
    const ModeSearch::Conflict& conflict = failure.conflicts[k];
    d.notes.push_back(describe(loop.modes[conflict.condition], conflict));
  }
  return Flow::failed;
}

}  // namespace orrery::sim
