// SPDX-License-Identifier: Apache-2.0
// One change at a time, then all choices or many beginnings.
#include "sim/mode_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

namespace orrery::sim {

std::optional<ModeSearch::Choice> ModeSearch::find(const Choice& first) {
  const std::size_t count = first.size();
  if (descend(first) || descend(Choice(count, false)) || descend(Choice(count, true))) return found_;
  constexpr std::size_t most_enumerated = 14;
  if (count <= most_enumerated) {
    for (std::uint32_t bits = 0; bits < (1u << count); ++bits) {
      Choice choice(count);
      for (std::size_t k = 0; k < count; ++k) choice[k] = ((bits >> k) & 1u) != 0;
      if (agrees(choice)) return found_;
    }
    complete_ = true;
    return std::nullopt;
  }
  constexpr int most_starts = 200;
  std::uint64_t dice = 1;
  for (int start = 0; start < most_starts; ++start) {
    Choice choice(count);
    for (std::size_t k = 0; k < count; ++k) {
      dice = dice * 6364136223846793005u + 1442695040888963407u;  // Knuth, MMIX
      choice[k] = (dice >> 63) != 0;
    }
    if (descend(std::move(choice))) return found_;
  }
  return std::nullopt;
}

bool ModeSearch::try_choice(const Choice& choice) {
  if (!solve_(choice, value_)) return false;
  for (std::size_t k = 0; k < choice.size(); ++k) {
    if (!std::isfinite(value_[k])) return false;
    size_[k] = std::max(size_[k], std::fabs(value_[k]));
    largest_ = std::max(largest_, size_[k]);
  }
  return true;
}

// What rounding in the solution of the equations makes of zero.
double ModeSearch::noise(std::size_t k) const { return 1e-10 * size_[k] + 1e-13 * largest_ + rounding_[k] + 1e-200; }

// By how much a condition contradicts the choice, in units of its size; 0: not beyond rounding.
double ModeSearch::wrong(std::size_t k, const Choice& choice) const {
  const double off = choice[k] ? -value_[k] : value_[k];
  return off > noise(k) ? off / size_[k] : 0;
}

double ModeSearch::band(std::size_t k) const { return std::fabs(value_[k]) <= noise(k) ? noise(k) : 0; }

bool ModeSearch::agrees(const Choice& choice) {
  if (!try_choice(choice)) return false;
  for (std::size_t k = 0; k < choice.size(); ++k) {
    if (wrong(k, choice) > 0) return note_conflicts(choice), false;
  }
  found_ = choice;
  return true;
}

void ModeSearch::note_conflicts(const Choice& choice) {
  std::vector<Conflict> now;
  for (std::size_t k = 0; k < choice.size(); ++k) {
    if (wrong(k, choice) > 0) now.push_back({k, choice[k], value_[k]});
  }
  if (conflicts_.empty() || now.size() < conflicts_.size()) conflicts_ = std::move(now);
}

bool ModeSearch::descend(Choice choice) {
  std::set<Choice> seen;
  const std::size_t most = 4 * choice.size() + 8;
  for (std::size_t step = 0; step < most; ++step) {
    if (!try_choice(choice)) return false;
    seen.insert(choice);
    std::size_t worst = SIZE_MAX, first = SIZE_MAX;
    for (std::size_t k = 0; k < choice.size(); ++k) {
      const double off = wrong(k, choice);
      if (off <= 0) continue;
      if (first == SIZE_MAX) first = k;
      if (worst == SIZE_MAX || off > wrong(worst, choice)) worst = k;
    }
    if (first == SIZE_MAX) {
      found_ = choice;
      return true;
    }
    note_conflicts(choice);
    choice[worst] = !choice[worst];
    if (!seen.contains(choice)) continue;
    choice[worst] = !choice[worst];
    choice[first] = !choice[first];
  }
  return false;
}

}  // namespace orrery::sim
