// SPDX-License-Identifier: Apache-2.0
// A way out where the modes of a system of equations do not settle by themselves.
//
// Conditions inside a system belong to it: each choice of them is a smooth system, and one has to be found whose
// solution agrees with it. Taking all conditions as the last solution had them, as find_modes() does, can go round in
// circles. Here one is changed at a time: the one that is wrong by most, and where that leads back, the first that is
// wrong, which ends for every linear complementarity problem with one solution (Murty, Linear Algebra and its
// Applications 7, 1974). What is then left is a bounded search.
#include <algorithm>
#include <cmath>
#include <set>

#include "passes/slice.h"
#include "sim/modes.h"

namespace orrery::sim {

// The conditions that are settled together with a loop: those whose modes its equations read, or that depend on its
// unknowns, and so on through other loops and conditions.
std::vector<std::uint32_t> Modes::conditions_of(std::uint32_t loop) const {
  struct Condition {
    std::uint32_t surface;
    std::set<program::SlotId> reads;
  };
  std::vector<Condition> waiting;
  for (std::uint32_t k = 0; k < run_.program.surfaces.size(); ++k) {
    const program::Surface& surface = run_.program.surfaces[k];
    if (surface.mode == program::no_slot || surface.settled != program::no_expr || model_.slides(k)) continue;
    const auto reads = passes::slots_read(run_.program.graph, {&surface.value, 1});
    waiting.push_back({k, {reads.begin(), reads.end()}});
  }
  std::vector<std::uint32_t> loops(run_.machine.surface_loops()), found;
  std::set<program::SlotId> unknowns, modes;  // of what belongs together
  const auto take_loop = [&](std::uint32_t k) {
    for (const program::SlotId slot : passes::slots_read(run_.program.graph, run_.program.loops[k].residuals))
      modes.insert(slot);
    unknowns.insert(run_.program.loops[k].unknowns.begin(), run_.program.loops[k].unknowns.end());
  };
  take_loop(loop);
  std::set<program::SlotId> own;  // modes of the conditions found
  for (bool changed = true; changed;) {
    const auto belongs = [&](const Condition& c) {
      const bool depends =
          std::any_of(c.reads.begin(), c.reads.end(), [&](program::SlotId slot) { return unknowns.contains(slot); });
      return depends || modes.contains(run_.program.surfaces[c.surface].mode);
    };
    const std::size_t before = found.size();
    std::erase_if(waiting, [&](const Condition& c) {
      if (!belongs(c)) return false;
      found.push_back(c.surface);
      own.insert(run_.program.surfaces[c.surface].mode);
      modes.insert(c.reads.begin(), c.reads.end());
      return true;
    });
    changed = found.size() > before;
    std::erase_if(loops, [&](std::uint32_t k) {
      const auto reads = passes::slots_read(run_.program.graph, run_.program.loops[k].residuals);
      const bool joined = std::any_of(reads.begin(), reads.end(), [&](auto slot) { return own.contains(slot); });
      if (joined) take_loop(k);
      changed = changed || joined;
      return joined;
    });
  }
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

using Pattern = std::vector<bool>;

}  // namespace

class ModeSearch {
 public:
  ModeSearch(RunContext& run, LoopSolver& loops, std::vector<std::uint32_t> surfaces)
      : run_(run),
        loops_(loops),
        surfaces_(std::move(surfaces)),
        g_(run.program.surfaces.size()),
        value_(surfaces_.size()),
        size_(surfaces_.size(), 0.0) {}

  bool find() {
    const std::size_t count = surfaces_.size();
    if (descend(read())) return true;
    if (descend(Pattern(count, false)) || descend(Pattern(count, true))) return true;
    constexpr std::size_t most_enumerated = 12;
    if (count <= most_enumerated) {
      for (std::uint32_t bits = 0; bits < (1u << count); ++bits) {
        Pattern pattern(count);
        for (std::size_t k = 0; k < count; ++k) pattern[k] = ((bits >> k) & 1u) != 0;
        if (agrees(pattern)) return true;
      }
      return false;
    }
    constexpr int most_starts = 200;
    std::uint64_t dice = 1;
    for (int start = 0; start < most_starts; ++start) {
      Pattern pattern(count);
      for (std::size_t k = 0; k < count; ++k) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;  // Knuth, MMIX
        pattern[k] = (dice >> 63) != 0;
      }
      if (descend(std::move(pattern))) return true;
    }
    return false;
  }

 private:
  std::byte& stored(std::size_t k) { return run_.mode_of(run_.program.surfaces[surfaces_[k]]); }
  Pattern read() {
    Pattern pattern;
    for (std::size_t k = 0; k < surfaces_.size(); ++k) pattern.push_back(stored(k) != std::byte{0});
    return pattern;
  }

  // Solves the equations with this choice; false where they have no solution, or more than one.
  bool solve(const Pattern& pattern) {
    for (std::size_t k = 0; k < pattern.size(); ++k) stored(k) = std::byte{pattern[k]};
    if (!loops_.try_newton(run_.machine.surface_loops(), run_.t, run_.states(), run_.tick)) return false;
    run_.machine.surfaces()(run_.t, run_.states(), g_.data(), run_.memory.data(), 0);
    for (std::size_t k = 0; k < pattern.size(); ++k) {
      value_[k] = g_[surfaces_[k]];
      if (!std::isfinite(value_[k])) return false;
      size_[k] = std::max(size_[k], std::fabs(value_[k]));
    }
    return true;
  }

  // By how much a condition contradicts the choice; 0: not beyond rounding.
  double wrong(std::size_t k, const Pattern& pattern) const {
    constexpr double rounding = 1e-10;
    const double off = pattern[k] ? -value_[k] : value_[k];
    return off > rounding * (size_[k] + rounding) ? off / size_[k] : 0;
  }

  bool agrees(const Pattern& pattern) {
    if (!solve(pattern)) return false;
    for (std::size_t k = 0; k < pattern.size(); ++k) {
      if (wrong(k, pattern) > 0) return false;
    }
    return true;
  }

  bool descend(Pattern pattern) {
    std::set<Pattern> seen;
    const std::size_t most = 4 * pattern.size() + 8;
    for (std::size_t step = 0; step < most; ++step) {
      if (!solve(pattern)) return false;
      seen.insert(pattern);
      std::size_t worst = SIZE_MAX, first = SIZE_MAX;
      for (std::size_t k = 0; k < pattern.size(); ++k) {
        const double off = wrong(k, pattern);
        if (off <= 0) continue;
        if (first == SIZE_MAX) first = k;
        if (worst == SIZE_MAX || off > wrong(worst, pattern)) worst = k;
      }
      if (first == SIZE_MAX) return true;
      pattern[worst] = !pattern[worst];
      if (!seen.contains(pattern)) continue;
      pattern[worst] = !pattern[worst];
      pattern[first] = !pattern[first];
    }
    return false;
  }

  RunContext& run_;
  LoopSolver& loops_;
  std::vector<std::uint32_t> surfaces_;
  std::vector<double> g_;             // of all surfaces
  std::vector<double> value_, size_;  // by condition: of the last solution, and the largest seen
};

// The conditions of this loop, taken together; they stay as they are found until the instant is over.
bool Modes::search(std::uint32_t loop) {
  if (!frozen_.empty()) return false;
  std::vector<std::uint32_t> surfaces = conditions_of(loop);
  if (surfaces.empty()) return false;
  const bool failed = model_.loops_failed();
  if (!ModeSearch(run_, *model_.loop_solver(), surfaces).find()) {
    model_.set_loops_failed(failed);
    return false;
  }
  model_.set_loops_failed(false);
  frozen_.assign(run_.program.surfaces.size(), false);
  for (const std::uint32_t k : surfaces) frozen_[k] = true;
  return true;
}

// Where modes went round in circles: the system that one of them belongs to.
bool Modes::search(std::span<const program::Surface* const> switched) {
  for (const std::uint32_t loop : run_.machine.surface_loops()) {
    const std::vector<std::uint32_t> conditions = conditions_of(loop);
    const bool concerned = std::any_of(conditions.begin(), conditions.end(), [&](std::uint32_t k) {
      return std::find(switched.begin(), switched.end(), &run_.program.surfaces[k]) != switched.end();
    });
    if (concerned) return search(loop);
  }
  return false;
}

}  // namespace orrery::sim
