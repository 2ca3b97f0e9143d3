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

// df/dx - df/dz (dg/dz)^-1 dg/dx, full, column after column: what the solver sees of a model whose loops are solved
// within its derivative.
int HybridRun::condensed_jacobian(double t, const double* x, double* values, void* user) {
  auto* run = static_cast<HybridRun*>(user);
  const CompiledProgram& machine = *run->machine_;
  if (!run->loop_solver_->solve(machine.continuous_loops(), t, x, 0)) return 1;
  const JacobianCode& model = *machine.known_jacobian();
  const passes::Sparsity& pattern = model.pattern;
  const std::size_t states = machine.state_count();
  const auto all = static_cast<std::size_t>(pattern.n);
  const std::size_t unknowns = all - states;
  run->condensed_.resize(pattern.nonzeros());
  model.function()(t, x, run->condensed_.data(), run->memory_.data(), 0);

  std::vector<double> by_unknown(states * unknowns), right(unknowns);
  solve::Sparsity inner{static_cast<int>(unknowns), {0}, {}};
  std::vector<double> inner_values;
  for (std::size_t c = states; c < all; ++c) {
    for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k) {
      const auto row = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)]);
      const double value = run->condensed_[static_cast<std::size_t>(k)];
      if (row < states) {
        by_unknown[(c - states) * states + row] = value;
      } else {
        inner.row.push_back(static_cast<int>(row - states));
        inner_values.push_back(value);
      }
    }
    inner.column_start.push_back(static_cast<int>(inner.row.size()));
  }
  const solve::ShiftedStructure structure(static_cast<int>(unknowns), inner, {});
  solve::ShiftedMatrix<double> matrix(structure);
  if (!matrix.factor(0, inner_values.data())) return 1;
  std::fill_n(values, states * states, 0.0);
  for (std::size_t c = 0; c < states; ++c) {
    std::fill(right.begin(), right.end(), 0.0);
    double* column = values + c * states;
    for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k) {
      const auto row = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)]);
      (row < states ? column[row] : right[row - states]) = run->condensed_[static_cast<std::size_t>(k)];
    }
    matrix.solve(right.data());  // of the negative matrix: the sign is that of the formula
    for (std::size_t u = 0; u < unknowns; ++u) {
      if (right[u] == 0) continue;
      for (std::size_t r = 0; r < states; ++r) column[r] += by_unknown[u * states + r] * right[u];
    }
  }
  return 0;
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
  return Flow::failed;
}

}  // namespace orrery::sim
