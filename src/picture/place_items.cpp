// SPDX-License-Identifier: Apache-2.0
// Heights of items: isotonic regression by pooling adjacent violators, with medians, so that links become exactly
// straight.
#include <algorithm>
#include <cmath>

#include "picture/columns.h"

namespace orrery::picture {
namespace {

constexpr double between_blocks = 40;
constexpr double block_to_link = 30;
constexpr double link_to_block = 20;
constexpr double between_links = 10;
constexpr std::size_t most_for_medians = 200;  // larger pools take the mean: the work stays linear

struct Wish {
  double at;
  double weight;
};

// Neighbours that touch each other and move together.
struct Pool {
  std::size_t first, last;  // items of the column
  std::vector<Wish> wishes;
  double at = 0;

  void settle() {
    if (wishes.size() > most_for_medians) {
      double sum = 0, weight = 0;
      for (const Wish& wish : wishes) {
        sum += wish.at * wish.weight;
        weight += wish.weight;
      }
      at = 10 * static_cast<double>(static_cast<long long>(sum / weight / 10));
      return;
    }
    std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) { return a.at < b.at; });
    double half = 0;
    for (const Wish& wish : wishes) half += wish.weight;
    half /= 2;
    for (const Wish& wish : wishes) {
      half -= wish.weight;
      at = wish.at;
      if (half <= 0) return;
    }
  }
};

class Placing {
 public:
  Placing(const std::vector<ArrangeNode>& nodes, Columns& columns) : nodes_(nodes), columns_(columns) {
    left_.resize(columns.items.size());
    right_.resize(columns.items.size());
    joined_.resize(columns.items.size());
    for (const ColumnSegment& segment : columns.segments) {
      joined_[at(segment.from)].push_back(segment.to);
      joined_[at(segment.to)].push_back(segment.from);
    }
    for (std::size_t k = 0; k < columns.items.size(); ++k) {
      if (columns.items[k].host < 0) continue;
      joined_[k].push_back(columns.items[k].host);
      joined_[at(columns.items[k].host)].push_back(static_cast<int>(k));
    }
    for (std::size_t s = 0; s < columns.segments.size(); ++s) {
      const ColumnSegment& segment = columns.segments[s];
      const int d = item(segment.to).layer - item(segment.from).layer;
      if (d != 1 && d != -1) continue;
      (d == 1 ? right_ : left_)[at(segment.from)].push_back(static_cast<int>(s));
      (d == 1 ? left_ : right_)[at(segment.to)].push_back(static_cast<int>(s));
    }
  }

  void run() {
    for (const auto& column : columns_.columns) {
      double y = 0;
      for (std::size_t k = 0; k < column.size(); ++k) {
        if (k > 0) y += distance(column[k - 1], column[k]);
        item(column[k]).y = y;
      }
    }
    for (int round = 0; round < 4; ++round) {
      for (auto& column : columns_.columns) place(column, true, false);
      for (auto column = columns_.columns.rbegin(); column != columns_.columns.rend(); ++column)
        place(*column, false, true);
    }
    for (auto& column : columns_.columns) place(column, true, true);
    for (int round = 0; round < 3; ++round) straighten();
    for (int round = 0; round < 3; ++round) pull_rows();
    close_gaps();
    for (auto& column : columns_.columns) settle_hosted(column);
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  ColumnItem& item(int k) { return columns_.items[at(k)]; }

  // From the top of one item to the top of the next one.
  double distance(int upper, int lower) {
    const ColumnItem &a = item(upper), &b = item(lower);
    double room = between_links;
    if (a.node >= 0 && b.node >= 0)
      room = between_blocks;
    else if (a.node >= 0)
      room = block_to_link;
    else if (b.node >= 0)
      room = link_to_block;
    if (a.node >= 0) room += nodes_[at(a.node)].room_below;
    if (b.node >= 0) room += nodes_[at(b.node)].room_above;
    return a.height + room;
  }

  // Sweeps end where no single column can improve. Rows of blocks that are straight in themselves but one step apart
  // are left over: whole rows are moved to close such steps.
  void straighten() {
    rank_.assign(columns_.items.size(), {0, 0});
    for (std::size_t c = 0; c < columns_.columns.size(); ++c) {
      for (std::size_t k = 0; k < columns_.columns[c].size(); ++k) rank_[at(columns_.columns[c][k])] = {c, k};
    }
    for (const ColumnSegment& segment : columns_.segments) {
      if (!segment.aligned || segment.weight < 2) continue;
      const double jog = item(segment.from).y + segment.from_offset - item(segment.to).y - segment.to_offset;
      if (jog == 0 || item(segment.from).layer == item(segment.to).layer) continue;
      if (!shift_row(segment.to, segment.from, jog)) shift_row(segment.from, segment.to, -jog);
    }
  }

  double jog_of(const ColumnSegment& segment) {
    return item(segment.from).y + segment.from_offset - item(segment.to).y - segment.to_offset;
  }

  // Moves an item with all that is straight with it, unless blocks are in the way or more is lost than won.
  bool shift_row(int start, int without, double by) {
    constexpr std::size_t most = 200;
    std::vector<int> row{start};
    std::vector<char>& in = in_row_;
    in.resize(columns_.items.size(), 0);
    in[at(start)] = 1;
    bool good = true;
    const auto each = [&](int k, auto&& act) {
      for (const auto* list : {&left_, &right_}) {
        for (const int s : (*list)[at(k)]) act(columns_.segments[at(s)]);
      }
    };
    for (std::size_t r = 0; r < row.size() && good; ++r) {
      each(row[r], [&](const ColumnSegment& segment) {
        const int other = segment.from == row[r] ? segment.to : segment.from;
        if (!segment.aligned || in[at(other)] || jog_of(segment) != 0) return;
        if (other == without) good = false;
        in[at(other)] = 1;
        row.push_back(other);
      });
      // Clocks move with what they activate.
      if (row.size() > most) good = false;
    }
    double won = 0;
    for (const int k : row) {
      if (!good) break;
      const auto [c, r] = rank_[at(k)];
      const auto& column = columns_.columns[c];
      const auto free = [&](int upper, int lower, double moved_upper, double moved_lower) {
        return item(lower).y + moved_lower - item(upper).y - moved_upper >= distance(upper, lower);
      };
      if (r > 0 && !in[at(column[r - 1])] && !free(column[r - 1], k, 0, by)) good = false;
      if (r + 1 < column.size() && !in[at(column[r + 1])] && !free(k, column[r + 1], by, 0)) good = false;
      each(k, [&](const ColumnSegment& segment) {
        const int other = segment.from == k ? segment.to : segment.from;
        if (!segment.aligned || in[at(other)]) return;
        const double now = jog_of(segment), then = now + (segment.from == k ? by : -by);
        won += segment.weight * ((now != 0 ? 20 : 0) + std::abs(now) - (then != 0 ? 20 : 0) - std::abs(then));
      });
    }
    good = good && won > 0;
    for (const int k : row) {
      in[at(k)] = 0;
      if (good) item(k).y += by;
    }
    return good;
  }

  // What is straight with an item, and clocks with what they activate: all that moves as one.
  std::vector<int> row_of(int start, std::vector<char>& taken) {
    std::vector<int> row{start};
    taken[at(start)] = 1;
    const auto join = [&](int other) {
      if (taken[at(other)]) return;
      taken[at(other)] = 1;
      row.push_back(other);
    };
    for (std::size_t r = 0; r < row.size(); ++r) {
      for (const auto* list : {&left_, &right_}) {
        for (const int s : (*list)[at(row[r])]) {
          const ColumnSegment& segment = columns_.segments[at(s)];
          if (segment.aligned && jog_of(segment) == 0) join(segment.from == row[r] ? segment.to : segment.from);
        }
      }
      for (const int other : joined_[at(row[r])]) {
        const bool hosted = item(other).host == row[r] && item(other).node >= 0;
        const bool hosts = item(row[r]).host == other && item(row[r]).node >= 0;
        if (hosted || hosts) join(other);
      }
    }
    return row;
  }

  // A row wants to be where its links are short, as far as its neighbours leave room: ways back near their loop, and
  // blocks that stood below one of them near what they are linked to.
  void pull_rows() {
    std::vector<char> taken(columns_.items.size(), 0);
    std::vector<std::vector<int>> rows;
    for (std::size_t k = 0; k < columns_.items.size(); ++k) {
      if (!taken[k]) rows.push_back(row_of(static_cast<int>(k), taken));
    }
    std::vector<int> row_number(columns_.items.size(), 0);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const int k : rows[r]) row_number[at(k)] = static_cast<int>(r);
    }
    std::vector<std::vector<const ColumnSegment*>> outside(rows.size());
    for (const ColumnSegment& segment : columns_.segments) {
      const int a = row_number[at(segment.from)], b = row_number[at(segment.to)];
      if (a == b) continue;
      outside[at(a)].push_back(&segment);
      outside[at(b)].push_back(&segment);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) pull_row(rows[r], outside[r], row_number);
  }

  void pull_row(const std::vector<int>& row, const std::vector<const ColumnSegment*>& segments,
                const std::vector<int>& row_number) {
    constexpr std::size_t most_goals = 40;
    constexpr double far = 1e6;
    if (segments.empty()) return;
    double up = far, down = far;
    for (const int k : row) {
      const auto [c, r] = rank_[at(k)];
      const auto& column = columns_.columns[c];
      const auto other = [&](int n) { return row_number[at(n)] != row_number[at(k)]; };
      if (r > 0 && other(column[r - 1]))
        up = std::min(up, item(k).y - item(column[r - 1]).y - distance(column[r - 1], k));
      if (r + 1 < column.size() && other(column[r + 1]))
        down = std::min(down, item(column[r + 1]).y - item(k).y - distance(k, column[r + 1]));
    }
    up = std::max(up, 0.0);
    down = std::max(down, 0.0);
    struct Goal {
      double by, weight;
      bool aligned;
    };
    std::vector<Goal> goals;
    for (const ColumnSegment* segment : segments) {
      const double jog = jog_of(*segment);
      const bool own = row_number[at(segment->from)] == row_number[at(row[0])];
      goals.push_back({own ? -jog : jog, segment->aligned ? std::max(0.2, static_cast<double>(segment->weight)) : 0.2,
                       segment->aligned});
    }
    const auto cost = [&](double by) {
      double sum = 0;
      for (const Goal& goal : goals) {
        sum += goal.weight * (std::abs(goal.by - by) + (goal.aligned && goal.by != by ? 20 : 0));
      }
      return sum;
    };
    double best = 0, least = cost(0) - 1e-9;
    for (std::size_t k = 0; k < std::min(goals.size(), most_goals); ++k) {
      const double by = std::clamp(goals[k].by, -up, down);
      const double then = cost(by);
      if (then >= least) continue;
      least = then;
      best = by;
    }
    for (const int k : row) item(k).y += best;
  }

  // Parts that no signal joins to the others keep whatever height they began with: they move up to what is above them.
  void close_gaps() {
    const std::size_t n = columns_.items.size();
    std::vector<int> part(n, -1);
    std::vector<std::vector<int>> members;
    for (std::size_t k = 0; k < n; ++k) {
      if (part[k] >= 0) continue;
      std::vector<int> todo{static_cast<int>(k)};
      part[k] = static_cast<int>(members.size());
      members.emplace_back();
      while (!todo.empty()) {
        const int i = todo.back();
        todo.pop_back();
        members.back().push_back(i);
        const auto join = [&](int other) {
          if (part[at(other)] >= 0) return;
          part[at(other)] = part[k];
          todo.push_back(other);
        };
        for (const int other : joined_[at(i)]) join(other);
      }
    }
    if (members.size() < 2) return;
    std::vector<int> before(n, -1);
    for (const auto& column : columns_.columns) {
      for (std::size_t k = 1; k < column.size(); ++k) before[at(column[k])] = column[k - 1];
    }
    const auto top = [&](const std::vector<int>& list) {
      double y = 1e300;
      for (const int k : list) y = std::min(y, item(k).y);
      return y;
    };
    std::stable_sort(members.begin(), members.end(), [&](const auto& a, const auto& b) { return top(a) < top(b); });
    for (const auto& list : members) {
      double slack = 1e300;
      for (const int k : list) {
        const int upper = before[at(k)];
        if (upper < 0 || part[at(upper)] == part[at(k)]) continue;
        slack = std::min(slack, item(k).y - item(upper).y - distance(upper, k));
      }
      if (slack <= 0 || slack > 1e299) continue;
      for (const int k : list) item(k).y -= slack;
    }
  }

  // What only activates comes as near to its block as there is room.
  void settle_hosted(const std::vector<int>& column) {
    for (std::size_t k = column.size(); k-- > 0;) {
      const ColumnItem& own = item(column[k]);
      if (own.node < 0 || own.host < 0 || !own.above || k + 1 >= column.size()) continue;
      item(column[k]).y = std::max(own.y, item(column[k + 1]).y - distance(column[k], column[k + 1]));
    }
  }

  void place(const std::vector<int>& column, bool by_left, bool by_right) {
    std::vector<Pool> pools;
    std::vector<double> depth(column.size(), 0);
    for (std::size_t k = 0; k < column.size(); ++k) {
      if (k > 0) depth[k] = depth[k - 1] + distance(column[k - 1], column[k]);
      Pool pool{k, k, {}, 0};
      const auto wish = [&](const std::vector<std::vector<int>>& segments) {
        for (const int s : segments[at(column[k])]) {
          const ColumnSegment& segment = columns_.segments[at(s)];
          const bool is_from = segment.from == column[k];
          const double other = is_from ? item(segment.to).y + segment.to_offset - segment.from_offset
                                       : item(segment.from).y + segment.from_offset - segment.to_offset;
          pool.wishes.push_back({other - depth[k], segment.aligned ? static_cast<double>(segment.weight) : 0.1});
        }
      };
      if (by_left) wish(left_);
      if (by_right) wish(right_);
      const ColumnItem& own = item(column[k]);
      if (own.host >= 0 && own.node >= 0) {
        const double apart = own.above ? -distance(column[k], own.host) : distance(own.host, column[k]);
        pool.wishes.push_back({item(own.host).y + apart - depth[k], 0.3});
      }
      if (pool.wishes.empty()) pool.wishes.push_back({item(column[k]).y - depth[k], 0.01});
      pool.settle();
      pools.push_back(std::move(pool));
      while (pools.size() > 1 && pools[pools.size() - 2].at > pools.back().at) {
        Pool lower = std::move(pools.back());
        pools.pop_back();
        Pool& upper = pools.back();
        upper.last = lower.last;
        upper.wishes.insert(upper.wishes.end(), lower.wishes.begin(), lower.wishes.end());
        upper.settle();
      }
    }
    for (const Pool& pool : pools) {
      for (std::size_t k = pool.first; k <= pool.last; ++k) item(column[k]).y = pool.at + depth[k];
    }
  }

  const std::vector<ArrangeNode>& nodes_;
  Columns& columns_;
  std::vector<std::vector<int>> left_, right_;             // segments
  std::vector<std::vector<int>> joined_;                   // items that stay together
  std::vector<std::pair<std::size_t, std::size_t>> rank_;  // column and place in it
  std::vector<char> in_row_;
};

}  // namespace

void place_items(const std::vector<ArrangeNode>& nodes, Columns& columns) { Placing(nodes, columns).run(); }

}  // namespace orrery::picture
