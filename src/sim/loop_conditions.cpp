// SPDX-License-Identifier: Apache-2.0
// Loops with conditions of their own (Loop::modes): fixed while the equations are solved, taken anew from the solution
// until both agree; where that goes round in circles, a search (mode_search.h).
#include <algorithm>
#include <cstring>
#include <set>

#include "sim/loop_work.h"

namespace orrery::sim {

// Their values at the point in memory; of held numbers what they become there.
void LoopSolver::look_at_conditions(Work& work, const Place& place) {
  machine_.function(work.code.modes)(place.t, place.x, work.conditions.data(), memory_.data(), place.tick);
}

// Whether any changed. One without a value stays as it is.
bool LoopSolver::take_conditions(Work& work, bool only_held) {
  bool changed = false;
  for (std::size_t k = 0; k < work.conditions.size(); ++k) {
    const LoopCode::Mode& mode = work.code.conditions[k];
    const double value = work.conditions[k];
    if (std::isnan(value) || (only_held && !mode.held)) continue;
    std::byte* stored = memory_.data() + mode.offset;
    if (mode.held) {
      changed = changed || std::memcmp(stored, &value, sizeof value) != 0;
      std::memcpy(stored, &value, sizeof value);
    } else {
      const auto now = std::byte{mode.strict ? value > 0 : value >= 0};
      changed = changed || *stored != now;
      *stored = now;
    }
  }
  return changed;
}

// Takes the conditions of the guess and solves, takes those of the solution, and so on until they stay.
bool LoopSolver::repeat_conditions(Work& work, const Place& place, AlgebraicMethod method, LoopStatistics& statistics) {
  work.z = work.guess;
  put(work, work.z);
  look_at_conditions(work, place);
  take_conditions(work);
  std::set<std::vector<std::byte>> seen;
  const auto is_new = [&] {
    std::vector<std::byte> choice;
    for (const LoopCode::Mode& mode : work.code.conditions) {
      const std::byte* stored = memory_.data() + mode.offset;
      choice.insert(choice.end(), stored, stored + (mode.held ? sizeof(double) : 1));
    }
    return seen.insert(std::move(choice)).second;
  };
  while (is_new()) {
    if (!find(work, place, method, statistics)) return false;
    put(work, work.z);
    look_at_conditions(work, place);
    if (!take_conditions(work)) return true;
    if (seen.size() > 20 + 2 * work.conditions.size()) return false;
  }
  return false;
}

bool LoopSolver::settle_conditions(Work& work, const Place& place, AlgebraicMethod method, LoopStatistics& statistics) {
  const bool chosen = method != AlgebraicMethod::automatic;
  if (repeat_conditions(work, place, chosen ? method : AlgebraicMethod::newton, statistics)) return true;
  ++statistics.searches;
  if (search_conditions(work, place)) return true;
  const std::string trouble = work.trouble;
  const bool contradiction = !work.conflicts.empty();
  if (!chosen && repeat_conditions(work, place, method, statistics)) return true;
  // Where no choice has a solution from this guess: conditions as they stand at every point of the iteration.
  live_ = true;
  work.z = work.guess;
  const bool found = find(work, place, AlgebraicMethod::automatic, statistics);
  live_ = false;
  if (!found && contradiction) work.trouble = trouble;
  return found;
}

bool LoopSolver::search_conditions(Work& work, const Place& place) {
  std::vector<std::size_t> free;  // truth values; held numbers follow
  ModeSearch::Choice first;
  for (std::size_t k = 0; k < work.conditions.size(); ++k) {
    if (work.code.conditions[k].held) continue;
    free.push_back(k);
    first.push_back(memory_[work.code.conditions[k].offset] != std::byte{0});
  }
  const auto put_choice = [&](const ModeSearch::Choice& choice) {
    for (std::size_t k = 0; k < free.size(); ++k) {
      memory_[work.code.conditions[free[k]].offset] = std::byte{choice[k]};
    }
  };
  const auto solve = [&](const ModeSearch::Choice& choice, std::vector<double>& values) {
    constexpr int most_rounds = 10, most_iterations = 50;
    put_choice(choice);
    work.z = work.guess;
    for (int round = 0; round < most_rounds; ++round) {
      if (!newton(work, place, nullptr, most_iterations)) return false;
      put(work, work.z);
      look_at_conditions(work, place);
      for (std::size_t k = 0; k < free.size(); ++k) values[k] = work.conditions[free[k]];
      if (!take_conditions(work, true)) return true;
    }
    return false;
  };
  ModeSearch search(std::vector<double>(free.size(), 0.0), solve);
  if (const auto found = search.find(first)) {
    put_choice(*found);
    return true;
  }
  for (ModeSearch::Conflict conflict : search.conflicts()) {
    conflict.condition = free[conflict.condition];
    work.conflicts.push_back(conflict);
  }
  if (!work.conflicts.empty()) work.trouble = "its conditions contradict every solution";
  return false;
}

}  // namespace orrery::sim
