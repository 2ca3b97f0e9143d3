// SPDX-License-Identifier: Apache-2.0
// Edit distance with a cut-off, so that long foreign texts cost little.
#include "model/closest_name.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace orrery::model {
namespace {

constexpr std::size_t longest_compared = 64;

int replacement_cost(char a, char b) {
  if (a == b) return 0;
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b)) ? 1 : 2;
}

// Optimal string alignment distance in half steps: a difference in case costs 1; to insert, delete, replace or swap
// neighbours costs 2.
int half_distance(std::string_view a, std::string_view b) {
  std::array<std::array<int, longest_compared + 1>, 3> rows;
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = 2 * static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    row[0] = 2 * static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j - 1] + replacement_cost(a[i - 1], b[j - 1]), row[j - 1] + 2, above[j] + 2});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 2);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string_view closest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  if (name.empty() || name.size() > longest_compared) return best;
  // About one edit in three characters is still recognisably the same word.
  const int limit = 2 * std::max(1, static_cast<int>(name.size()) / 3);
  int best_distance = limit + 1;
  for (std::string_view candidate : candidates) {
    const auto longer = std::max(candidate.size(), name.size());
    const auto shorter = std::min(candidate.size(), name.size());
    if (longer > longest_compared || 2 * static_cast<int>(longer - shorter) >= best_distance) continue;
    const int distance = half_distance(name, candidate);
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
