// SPDX-License-Identifier: Apache-2.0
// A map from numbers (of expressions, slots, blocks) to numbers in one array, for passes over large models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery {

// Open addressing with linear probing: no allocation for an entry, entries cannot be removed. Neither keys nor values
// may be `none`.
class NumberMap {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  // The value of a key, none where it has none.
  std::uint32_t find(std::uint32_t key) const {
    if (entries_.empty()) return none;
    for (std::size_t at = place_of(key);; at = (at + 1) & (entries_.size() - 1)) {
      if (entries_[at].first == key) return entries_[at].second;
      if (entries_[at].first == none) return none;
    }
  }
  bool contains(std::uint32_t key) const { return find(key) != none; }

  // The first value that is given to a key stays.
  void add(std::uint32_t key, std::uint32_t value) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    std::size_t at = place_of(key);
    while (entries_[at].first != none && entries_[at].first != key) at = (at + 1) & (entries_.size() - 1);
    if (entries_[at].first == key) return;
    entries_[at] = {key, value};
    ++count_;
  }

 private:
  // Fibonacci hashing: numbers that follow each other are spread.
  std::size_t place_of(std::uint32_t key) const {
    return (key * std::uint64_t{11400714819323198485U} >> 32) & (entries_.size() - 1);
  }

  void grow() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> before(entries_.empty() ? 16 : 2 * entries_.size(),
                                                                {none, none});
    before.swap(entries_);
    count_ = 0;
    for (const auto& [key, value] : before) {
      if (key != none) add(key, value);
    }
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries_;
  std::size_t count_ = 0;
};

}  // namespace orrery
