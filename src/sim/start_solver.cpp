// SPDX-License-Identifier: Apache-2.0
// Newton's iteration block by block; where that fails, from a simpler problem (homotopy).
#include "sim/start_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "passes/slice.h"
#include "program/print.h"

namespace orrery::sim {

void StartSolver::set_homotopy(double lambda) {
  const program::SlotId slot = program_.start_system.homotopy;
  if (slot != program::no_slot) std::memcpy(&memory_[machine_.layout().offset[slot]], &lambda, sizeof lambda);
}

std::vector<double> StartSolver::values_of(std::uint32_t loop) const {
  std::vector<double> values;
  for (const std::uint32_t offset : machine_.loops()[loop].offsets) {
    std::memcpy(&values.emplace_back(), &memory_[offset], sizeof(double));
  }
  return values;
}

std::vector<std::string> StartSolver::names_of(std::uint32_t loop) const {
  std::vector<std::string> names;
  for (const program::SlotId slot : program_.loops[loop].unknowns) {
    const std::string name = program::slot_name(program_, slot);
    const program::Type type = program_.slots[slot].type;
    for (std::int64_t e = 0; e < type.size(); ++e) {
      names.push_back(type.is_scalar() ? name : fmt::format("{}[{}]", name, e + 1));
    }
  }
  return names;
}

bool StartSolver::solve_all() {
  report_.blocks.clear();
  for (const std::uint32_t loop : machine_.start_loops()) {
    const std::vector<double> guesses = values_of(loop);
    if (!loops_->solve({&loop, 1}, t_, states(), 0)) return false;
    note(loop, guesses);
  }
  return true;
}

void StartSolver::note(std::uint32_t loop, const std::vector<double>& guesses) {
  StartReport::Block& block = report_.blocks.emplace_back();
  block.names = names_of(loop);
  block.guesses = guesses;
  block.values = values_of(loop);
  const LoopSolver::Quality quality = loops_->quality_of(loop);
  block.iterations = quality.iterations;
  block.residual = quality.residual;
}

// From lambda = 0, with steps that grow where they succeed.
bool StartSolver::continue_from_simpler() {
  constexpr double smallest_step = 1e-4;
  report_.continued = true;
  set_homotopy(0);
  if (!solve_all()) return false;
  std::vector<std::byte> last(memory_.begin(), memory_.end());
  double lambda = 0, step = 0.25;
  while (lambda < 1) {
    const double target = std::min(1.0, lambda + step);
    set_homotopy(target);
    if (solve_all()) {
      lambda = target;
      step *= 2;
      last.assign(memory_.begin(), memory_.end());
      continue;
    }
    std::copy(last.begin(), last.end(), memory_.begin());
    step *= 0.25;
    if (step < smallest_step) return false;
  }
  return true;
}

bool StartSolver::run(const PlaceOf& place_of, Diagnostics& diagnostics) {
  const program::StartSystem& system = program_.start_system;
  report_.given = system.given;
  set_homotopy(1);
  if (system.empty() || (machine_.start_loops().empty() && system.checks.empty())) return true;
  if (machine_.guesses() != nullptr) machine_.guesses()(t_, states(), nullptr, memory_.data(), 0);
  const std::vector<std::byte> before(memory_.begin(), memory_.end());
  if (!solve_all()) {
    const LoopFailure failure = loops_->failure();
    bool found = false;
    if (system.homotopy != program::no_slot) {
      std::copy(before.begin(), before.end(), memory_.begin());
      loops_->search();
      found = continue_from_simpler();
      set_homotopy(1);
    }
    if (!found) {
      report_failure(place_of, diagnostics);
      return false;
    }
  }
  machine_.take_found(t_, memory_.data());
  return check(place_of, diagnostics);
}

// What the equations read of the blocks that were solved before them.
std::vector<std::string> StartSolver::found_before(const program::Loop& loop) const {
  constexpr std::size_t shown = 10;
  std::vector<std::string> texts;
  const auto reads = passes::slots_read(program_.graph, loop.residuals);
  for (const std::uint32_t earlier : machine_.start_loops()) {
    if (&program_.loops[earlier] == &loop) break;
    const std::vector<std::string> names = names_of(earlier);
    const std::vector<double> values = values_of(earlier);
    std::size_t k = 0;
    for (const program::SlotId slot : program_.loops[earlier].unknowns) {
      const bool is_read = std::binary_search(reads.begin(), reads.end(), slot);
      for (std::int64_t e = 0; e < program_.slots[slot].type.size(); ++e, ++k) {
        if (is_read && texts.size() < shown) texts.push_back(fmt::format("where {} = {:.6g}", names[k], values[k]));
      }
    }
  }
  return texts;
}

void StartSolver::report_failure(const PlaceOf& place_of, Diagnostics& diagnostics) const {
  constexpr std::size_t shown = 10;
  const LoopFailure& failure = loops_->failure();
  const program::Loop& loop = program_.loops[failure.loop];
  const std::vector<std::string> names = names_of(failure.loop);
  const bool singular = failure.undetermined >= 0 && failure.undetermined < static_cast<int>(names.size());
  const bool valueless =
      std::any_of(failure.residuals.begin(), failure.residuals.end(), [](double r) { return !std::isfinite(r); });
  const std::string reason =
      valueless  ? "they have no finite value where the search ended"
      : singular ? fmt::format("{} ({})", failure.reason, names[static_cast<std::size_t>(failure.undetermined)])
                 : failure.reason;
  auto& d = diagnostics.error("start-not-found", place_of(loop.blocks.empty() ? 0 : loop.blocks[0]),
                              "the initial equations are not solved: " + reason);
  d.help =
      valueless
          ? "such a start may not exist: something would have to be infinite, or a root or logarithm has no value; "
            "let one of these values be given, or change the equation there"
      : singular ? "at these values nothing determines it: give it a fixed start value, or another initial equation"
                 : "check that a start with these conditions exists; start values near it help the search";
  d.time = t_;
  for (std::size_t k = 0; k < std::min(names.size(), shown); ++k) {
    const double residual = failure.residuals[k];
    d.notes.push_back(fmt::format("{}: from {:.6g}, reached {:.6g}, {}", names[k], failure.guess[k], failure.values[k],
                                  std::isfinite(residual) ? fmt::format("residual {:.3g}", residual)
                                                          : std::string("where its equation has no finite value")));
  }
  for (const std::string& text : valueless ? found_before(loop) : std::vector<std::string>{}) d.notes.push_back(text);
  if (names.size() > shown) d.notes.push_back(fmt::format("and {} more unknowns", names.size() - shown));
  for (std::size_t k = 0; k < std::min(failure.conflicts.size(), shown); ++k) {
    d.notes.push_back(describe(loop.modes[failure.conflicts[k].condition], failure.conflicts[k]));
  }
}

// Equations that had nothing to determine hold, or too much was given.
bool StartSolver::check(const PlaceOf& place_of, Diagnostics& diagnostics) const {
  const std::vector<program::StartCheck>& checks = program_.start_system.checks;
  if (checks.empty()) return true;
  std::vector<double> residuals(checks.size());
  machine_.start_checks()(t_, states(), residuals.data(), memory_.data(), 0);
  double size = 1;
  for (std::size_t k = 0; k < machine_.state_count(); ++k) size = std::max(size, std::fabs(states()[k]));
  constexpr double agreement = 1e-7;
  Diagnostic* d = nullptr;
  for (std::size_t k = 0; k < checks.size(); ++k) {
    if (std::fabs(residuals[k]) <= agreement * size) continue;
    if (d == nullptr) {
      d = &diagnostics.error("start-contradiction", place_of(checks[k].origin),
                             "more is given at the start than can hold together",
                             "let one of the values that are fixed be free, or take an initial equation away");
      d->time = t_;
      for (const StartReport::Block& block : report_.blocks) {
        for (std::size_t u = 0; u < std::min<std::size_t>(block.names.size(), 4); ++u) {
          d->notes.push_back(fmt::format("found: {} = {:.6g}", block.names[u], block.values[u]));
        }
      }
    }
    d->notes.push_back(fmt::format("off by {:.6g}: {}", residuals[k], checks[k].text));
  }
  return d == nullptr;
}

}  // namespace orrery::sim
