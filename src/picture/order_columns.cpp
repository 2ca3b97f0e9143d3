// SPDX-License-Identifier: Apache-2.0
// Few crossings: sweeps that put each item at the mean of its neighbours; the best order seen is kept.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "picture/columns.h"

namespace orrery::picture {
namespace {

constexpr int sweeps = 8;

class Ordering {
 public:
  Ordering(const Layers& layers, Columns& columns) : columns_(columns), layers_(layers) {
    const std::size_t n = columns.items.size();
    left_.resize(n);
    right_.resize(n);
    position_.assign(n, 0);
    for (std::size_t s = 0; s < columns.segments.size(); ++s) {
      const ColumnSegment& segment = columns.segments[s];
      if (item(segment.from).layer + 1 != item(segment.to).layer) continue;
      right_[at(segment.from)].push_back(static_cast<int>(s));
      left_[at(segment.to)].push_back(static_cast<int>(s));
    }
  }

  void run() {
    int count = 0;
    for (const ColumnItem& i : columns_.items) count = std::max(count, i.layer + 1);
    order_.resize(at(count));
    for (std::size_t k = 0; k < columns_.items.size(); ++k) {
      if (columns_.items[k].host < 0) order_[at(columns_.items[k].layer)].push_back(static_cast<int>(k));
    }
    for (auto& column : order_) {
      std::stable_sort(column.begin(), column.end(), [&](int a, int b) { return rank(a) < rank(b); });
      number(column);
    }
    auto best = order_;
    std::int64_t fewest = crossings();
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
      if (sweep % 2 == 0) {
        for (std::size_t c = 1; c < order_.size(); ++c) sort(order_[c], left_, true, order_[c - 1].size());
      } else {
        for (std::size_t c = order_.size(); c-- > 1;) sort(order_[c - 1], right_, false, order_[c].size());
      }
      const std::int64_t now = crossings();
      if (now >= fewest) continue;
      fewest = now;
      best = order_;
    }
    columns_.columns = std::move(best);
    add_hosted();
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  const ColumnItem& item(int k) const { return columns_.items[at(k)]; }

  // The order in which the search met the blocks; a link that passes is with the block that it comes from.
  double rank(int k) const {
    if (item(k).node >= 0) return layers_.visit[at(item(k).node)];
    for (int i = k; !left_[at(i)].empty();) {
      i = columns_.segments[at(left_[at(i)][0])].from;
      if (item(i).node >= 0) return layers_.visit[at(item(i).node)] + 0.5;
    }
    return 0;
  }

  void number(const std::vector<int>& column) {
    for (std::size_t k = 0; k < column.size(); ++k) position_[at(column[k])] = static_cast<double>(k);
  }

  double share(int k, double offset) const {
    return item(k).height > 0 ? std::clamp(offset / item(k).height, 0.0, 1.0) * 0.9 : 0.45;
  }

  void sort(std::vector<int>& column, const std::vector<std::vector<int>>& neighbours, bool leftwards,
            std::size_t size) {
    std::vector<std::pair<double, int>> keyed;
    keyed.reserve(column.size());
    const double scale = column.empty() ? 1 : static_cast<double>(size) / static_cast<double>(column.size());
    for (const int k : column) {
      double sum = 0;
      for (const int s : neighbours[at(k)]) {
        const ColumnSegment& segment = columns_.segments[at(s)];
        const int other = leftwards ? segment.from : segment.to;
        sum += position_[at(other)] + share(other, leftwards ? segment.from_offset : segment.to_offset) -
               share(k, leftwards ? segment.to_offset : segment.from_offset) * 0.1;
      }
      const auto count = neighbours[at(k)].size();
      keyed.emplace_back(count > 0 ? sum / static_cast<double>(count) : position_[at(k)] * scale, k);
    }
    std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < keyed.size(); ++k) column[k] = keyed[k].second;
    number(column);
  }

  // Inversions between each pair of columns, by a tree of sums.
  std::int64_t crossings() const {
    std::int64_t total = 0;
    for (std::size_t c = 0; c + 1 < order_.size(); ++c) {
      std::vector<std::pair<double, double>> ends;
      for (const int k : order_[c]) {
        for (const int s : right_[at(k)]) {
          const ColumnSegment& segment = columns_.segments[at(s)];
          ends.emplace_back(position_[at(k)] + share(k, segment.from_offset),
                            position_[at(segment.to)] + share(segment.to, segment.to_offset));
        }
      }
      std::sort(ends.begin(), ends.end());
      std::vector<double> values;
      for (const auto& end : ends) values.push_back(end.second);
      std::sort(values.begin(), values.end());
      std::vector<std::int64_t> tree(values.size() + 1, 0);
      std::int64_t seen = 0;
      for (const auto& end : ends) {
        const auto up_to = std::upper_bound(values.begin(), values.end(), end.second) - values.begin();
        std::int64_t below = 0;
        for (std::size_t i = static_cast<std::size_t>(up_to); i > 0; i &= i - 1) below += tree[i];
        total += seen - below;
        ++seen;
        for (std::size_t i =
                 static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), end.second) - values.begin()) +
                 1;
             i < tree.size(); i += i & (~i + 1)) {
          ++tree[i];
        }
      }
    }
    return total;
  }

  // Ways back go below their hosts, the short ones first; clocks above.
  void add_hosted() {
    std::vector<std::vector<int>> hosted(columns_.items.size());
    for (std::size_t k = 0; k < columns_.items.size(); ++k) {
      if (columns_.items[k].host >= 0) hosted[at(columns_.items[k].host)].push_back(static_cast<int>(k));
    }
    for (auto& list : hosted) {
      std::stable_sort(list.begin(), list.end(), [&](int a, int b) { return item(a).span < item(b).span; });
    }
    std::vector<int> result;
    const auto add = [&](auto&& self, int k, int depth) -> void {
      if (depth > 1000) return;
      for (const int h : hosted[at(k)]) {
        if (item(h).above) self(self, h, depth + 1);
      }
      result.push_back(k);
      for (const int h : hosted[at(k)]) {
        if (!item(h).above) self(self, h, depth + 1);
      }
    };
    for (auto& column : columns_.columns) {
      result.clear();
      for (const int k : column) add(add, k, 0);
      column = result;
    }
  }

  Columns& columns_;
  const Layers& layers_;
  std::vector<std::vector<int>> left_, right_;  // segments
  std::vector<double> position_;
  std::vector<std::vector<int>> order_;
};

}  // namespace

void order_columns(const Layers& layers, Columns& columns) { Ordering(layers, columns).run(); }

}  // namespace orrery::picture
