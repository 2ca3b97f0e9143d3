// SPDX-License-Identifier: Apache-2.0
// Greedy distance-2 colouring of columns.
#include "passes/colour_columns.h"

#include <algorithm>
#include <numeric>

namespace orrery::passes {
namespace {

// Colours already used in one row. All below `next` are taken; a dense row is then skipped over at once.
struct RowColours {
  std::vector<std::uint64_t> bits;
  std::int32_t next = 0;

  bool has(std::int32_t colour) const {
    auto word = static_cast<std::size_t>(colour) / 64;
    return word < bits.size() && (bits[word] >> (colour % 64) & 1) != 0;
  }
  void add(std::int32_t colour) {
    auto word = static_cast<std::size_t>(colour) / 64;
    if (word >= bits.size()) bits.resize(word + 1);
    bits[word] |= std::uint64_t{1} << (colour % 64);
    while (has(next)) ++next;
  }
};

}  // namespace

Colouring colour_columns(const Sparsity& pattern) {
  auto entries = [&](std::int32_t c) { return pattern.column_start[c + 1] - pattern.column_start[c]; };
  std::vector<std::int32_t> order(static_cast<std::size_t>(pattern.n));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) { return entries(a) > entries(b); });

  Colouring result;
  result.colour.assign(order.size(), 0);
  std::vector<RowColours> used(static_cast<std::size_t>(pattern.rows));
  for (std::int32_t c : order) {
    auto first = pattern.row.begin() + pattern.column_start[c];
    auto last = pattern.row.begin() + pattern.column_start[c + 1];
    std::int32_t colour = 0;
    for (auto r = first; r != last; ++r) colour = std::max(colour, used[*r].next);
    while (std::any_of(first, last, [&](std::int32_t r) { return used[r].has(colour); })) ++colour;
    for (auto r = first; r != last; ++r) used[*r].add(colour);
    result.colour[c] = colour;
    result.count = std::max(result.count, colour + 1);
  }
  return result;
}

}  // namespace orrery::passes
