// SPDX-License-Identifier: Apache-2.0
// Edit distance with a cut-off, so that long foreign texts cost little.
#include "model/closest_name.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace orrery::model {
namespace {

constexpr std::size_t longest_compared = 64;

// Levenshtein distance in half steps: a difference in case costs 1, every other edit 2.
int half_distance(std::string_view a, std::string_view b, std::vector<int>& row) {
  row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = 2 * static_cast<int>(j);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0];
    row[0] += 2;
    for (std::size_t j = 0; j < b.size(); ++j) {
      int replace = 2;
      if (a[i] == b[j]) {
        replace = 0;
      } else if (std::tolower(static_cast<unsigned char>(a[i])) == std::tolower(static_cast<unsigned char>(b[j]))) {
        replace = 1;
      }
      const int best = std::min({diagonal + replace, row[j] + 2, row[j + 1] + 2});
      diagonal = row[j + 1];
      row[j + 1] = best;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view closest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  if (name.empty() || name.size() > longest_compared) return best;
  // About one edit in three characters is still recognisably the same word.
  const int limit = 2 * std::max(1, static_cast<int>(name.size()) / 3);
  int best_distance = limit + 1;
  std::vector<int> row;
  for (std::string_view candidate : candidates) {
    const auto longer = std::max(candidate.size(), name.size());
    const auto shorter = std::min(candidate.size(), name.size());
    if (longer > longest_compared || 2 * static_cast<int>(longer - shorter) >= best_distance) continue;
    const int distance = half_distance(name, candidate, row);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view best = closest_name(name, candidates);
  if (best.empty()) return {};
  return "did you mean \"" + std::string(best) + "\"?";
}

}  // namespace orrery::model
