// SPDX-License-Identifier: Apache-2.0
// Loops of a run: who solves them, their part in the Jacobian, and what is said when they have no solution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/hybrid_run.h"
#include "solve/dae.h"

namespace orrery::sim {

// A DAE solver always does; a solver that exists for both kinds does where there is something to solve.
bool HybridRun::takes_loops_over() const {
  const solve::SolverInfo* dae = solve::find_dae_solver(solver_->name);
  const bool kept = machine_->invariants() != nullptr || machine_->projections() != nullptr;
  return dae != nullptr && machine_->state_count() > 0 &&
         (dae == solver_ || !machine_->continuous_loops().empty() || (kept && !solver_->projects));
}

std::vector<program::SlotId> HybridRun::solver_vector() const {
  std::vector<program::SlotId> slots = program_.states;
  for (std::uint32_t k : machine_->continuous_loops()) {
    slots.insert(slots.end(), program_.loops[k].unknowns.begin(), program_.loops[k].unknowns.end());
  }
  return slots;
}

int HybridRun::invariants(double t, const double* x, double* c, void* user) {
  auto* run = static_cast<HybridRun*>(user);
  if (!run->machine_->kept_loops().empty() && !run->loop_solver_->solve(run->machine_->kept_loops(), t, x, 0)) return 1;
  run->machine_->invariants()(t, x, c, run->memory_.data(), 0);
  return 0;
}

int HybridRun::projections(double t, const double* x, double* move, void* user) {
  auto* run = static_cast<HybridRun*>(user);
  if (!run->machine_->kept_loops().empty() && !run->loop_solver_->solve(run->machine_->kept_loops(), t, x, 0)) return 1;
  run->machine_->projections()(t, x, move, run->memory_.data(), 0);
  return 0;
}

// Invariants and projections of the model reach the solver (Activate, 10.3); one that cannot keep them says so.
void HybridRun::keep_invariants(solve::Problem& problem) {
  if (machine_->invariants() == nullptr && machine_->projections() == nullptr) return;
  if (!solver_->projects && !takes_loops_over()) {
    diagnostics_.warning("projection-ignored", place_of(0),
                         fmt::format("the solver {} does not put states back where invariants vanish", solver_->name),
                         "choose cpode, radau, dopri or another solver that projects (orrery show solvers)");
    return;
  }
  problem.projection.user = this;
  if (machine_->projections() != nullptr) {
    problem.projection.correction = &HybridRun::projections;
  } else {
    problem.projection.residual = &HybridRun::invariants;
    problem.projection.constraints = static_cast<int>(machine_->invariant_count());
  }
}

const solve::Sparsity& HybridRun::condensed_pattern() {
  if (!condensed_) {
    std::vector<std::size_t> sizes;
    for (const std::uint32_t k : machine_->continuous_loops()) sizes.push_back(machine_->loops()[k].offsets.size());
    const passes::Sparsity& pattern = machine_->known_jacobian()->pattern;
    condensed_ = std::make_unique<CondensedJacobian>(pattern, machine_->state_count(), sizes);
    model_values_.resize(pattern.nonzeros());
  }
  return condensed_->pattern();
}

int HybridRun::condensed_jacobian(double t, const double* x, double* values, void* user) {
  auto* run = static_cast<HybridRun*>(user);
  const CompiledProgram& machine = *run->machine_;
  if (!run->loop_solver_->solve(machine.continuous_loops(), t, x, 0)) return 1;
  run->condensed_pattern();
  machine.known_jacobian()->function()(t, x, run->model_values_.data(), run->memory_.data(), 0);
  return run->condensed_->evaluate(run->model_values_.data(), values) ? 0 : 1;
}

bool HybridRun::is_stuck(double t) {
  constexpr long patience = 1000;
  constexpr double crawl = 1e-9;  // of what is left of the run, for as many refusals
  if (++refusals_ % patience != 0) return false;
  const bool stuck = t - refused_at_ < crawl * (options_.stop - t);
  refused_at_ = t;
  loops_failed_ = loops_failed_ || stuck;
  return stuck;
}

HybridRun::Flow HybridRun::report_loop_failure() {
  loops_failed_ = false;
  const LoopFailure& failure = loop_solver_->failure();
  const program::Loop& loop = program_.loops[failure.loop];
  std::vector<std::string> names;
  for (program::SlotId unknown : loop.unknowns) {
    const program::Slot& slot = program_.slots[unknown];
    const std::string name = fmt::format("{}.{}", program_.origins[slot.origin].path, slot.name);
    for (std::int64_t e = 0; e < slot.type.size(); ++e) {
      names.push_back(slot.type.is_scalar() ? name : fmt::format("{}[{}]", name, e + 1));
    }
  }
  std::string path;
  for (program::OriginId block : loop.blocks) path += (path.empty() ? "" : " -> ") + program_.origins[block].path;
  const bool singular = failure.undetermined >= 0 && failure.undetermined < static_cast<int>(names.size());
  auto& d = diagnostics_.error(
      "loop-not-solved", place_of(loop.blocks.empty() ? 0 : loop.blocks[0]),
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
  if (failure.conflicts.empty() && conflicts_.empty()) return Flow::failed;
  d.code = "modes-do-not-settle";
  d.message = "no choice of its conditions agrees with the equations";
  d.help = contradiction_help;
  d.notes.insert(d.notes.end(), conflicts_.begin(), conflicts_.begin() + std::min(conflicts_.size(), shown));
  for (std::size_t k = 0; k < std::min(failure.conflicts.size(), shown); ++k) {
    const ModeSearch::Conflict& conflict = failure.conflicts[k];
    d.notes.push_back(describe(loop.modes[conflict.condition], conflict));
  }
  return Flow::failed;
}

}  // namespace orrery::sim
