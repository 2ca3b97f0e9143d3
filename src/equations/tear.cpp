// SPDX-License-Identifier: Apache-2.0
// Greedy feedback vertex set.
#include "equations/tear.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace orrery::equations {
namespace {

// The neighbours of a vertex on one side: a few beside it, more of them elsewhere.
struct List {
  static constexpr std::uint32_t few = 6;
  std::uint32_t length = 0, live = 0;
  std::uint32_t item[few] = {};  // or where they begin, and for how many there is room
};
// In large systems without order every vertex is far from the last: all that is asked of one is in one line of the
// cache.
struct alignas(64) BothLists {
  List side[2];
};

// The neighbours of every vertex on one side, itself apart. An edge ends when one of its vertices does, so dead
// neighbours are skipped, and dropped when they are most of a list.
template <int side>
class Side {
 public:
  Side(const std::vector<bool>& alive, LargeArray<BothLists>& lists, std::vector<std::uint32_t>& elsewhere)
      : alive_(alive), lists_(lists), elsewhere_(elsewhere) {}

  std::uint32_t count(std::uint32_t v) const { return of(v).live; }
  void lose_one(std::uint32_t v) { --of(v).live; }

  void add(std::uint32_t v, std::uint32_t w) {
    List& list = of(v);
    ++list.live;
    if (list.length >= List::few && (list.length == List::few || list.length == list.item[1])) move_to_end(list);
    ++list.length;
    begin_of(list)[list.length - 1] = w;
  }
  // The place of a dead neighbour is used again.
  void add(std::uint32_t v, std::uint32_t w, std::uint32_t dead) {
    List& list = of(v);
    looked_at += list.length + 1;
    std::uint32_t* begin = begin_of(list);
    std::uint32_t* place = std::find(begin, begin + list.length, dead);
    if (place == begin + list.length) return add(v, w);
    ++list.live;
    *place = w;
  }

  template <class Visit>
  void each(std::uint32_t v, Visit&& visit) {
    List& list = of(v);
    if (list.length > 2 * list.live + 4) compact(list);
    looked_at += list.length + 1;
    const std::uint32_t* begin = begin_of(list);
    for (std::uint32_t k = 0; k < list.length; ++k) {
      if (alive_[begin[k]]) visit(begin[k]);
    }
  }

  std::uint32_t any(std::uint32_t v) {
    std::uint32_t found = none;
    each(v, [&found](std::uint32_t w) { found = found == none ? w : found; });
    return found;
  }

  void fetch_neighbours(std::uint32_t v) const {
    const List& list = of(v);
    if (list.length > List::few) return;
    for (std::uint32_t k = 0; k < list.length; ++k) __builtin_prefetch(&lists_[list.item[k]]);
  }

  std::uint32_t effort(std::uint32_t v) const { return of(v).length; }  // of a search
  bool contains(std::uint32_t v, std::uint32_t w) {
    List& list = of(v);
    const std::uint32_t* begin = begin_of(list);
    looked_at += list.length + 1;
    return std::find(begin, begin + list.length, w) != begin + list.length;
  }

  std::uint64_t looked_at = 0;

 private:
  List& of(std::uint32_t v) { return lists_[v].side[side]; }
  const List& of(std::uint32_t v) const { return lists_[v].side[side]; }
  std::uint32_t* begin_of(List& list) {
    return list.length <= List::few ? list.item : elsewhere_.data() + list.item[0];
  }

  void compact(List& list) {
    looked_at += list.length;
    std::uint32_t* begin = begin_of(list);
    const auto dead = [this](std::uint32_t w) { return !alive_[w]; };
    list.length = static_cast<std::uint32_t>(std::remove_if(begin, begin + list.length, dead) - begin);
    if (begin != list.item && list.length <= List::few) std::copy_n(begin, list.length, list.item);
  }

  void move_to_end(List& list) {
    const std::size_t first = elsewhere_.size();
    const std::uint32_t room = 2 * list.length + 4;
    elsewhere_.resize(first + room);
    std::copy_n(begin_of(list), list.length, elsewhere_.data() + first);
    list.item[0] = static_cast<std::uint32_t>(first);
    list.item[1] = room;
  }

  const std::vector<bool>& alive_;
  LargeArray<BothLists>& lists_;
  std::vector<std::uint32_t>& elsewhere_;
};

// Vertices by degree: the largest first, of equal ones the one that came first.
class Busiest {
 public:
  void push(std::uint64_t degree, std::uint32_t v) {
    if (degree >= small) return large_.push({degree, v});
    if (degree >= rows_.size()) rows_.resize(degree + 1);
    rows_[degree].waiting.push_back(v);
    highest_ = std::max(highest_, degree);
  }
  template <class Fetch>
  std::uint32_t pop(std::uint64_t& degree, Fetch&& fetch) {
    if (!large_.empty()) {
      const auto [most, v] = large_.top();
      large_.pop();
      degree = most;
      return v;
    }
    for (; highest_ > 0; --highest_) {
      Row& row = rows_[highest_];
      if (row.next < row.waiting.size()) {
        degree = highest_;
        if (row.next + 8 < row.waiting.size()) fetch(row.waiting[row.next + 8]);
        return row.waiting[row.next++];
      }
      row = {};
    }
    return none;
  }

 private:
  static constexpr std::uint64_t small = 4096;
  struct Row {
    std::vector<std::uint32_t> waiting;
    std::size_t next = 0;
  };
  std::vector<Row> rows_;
  std::uint64_t highest_ = 0;
  std::priority_queue<std::pair<std::uint64_t, std::uint32_t>> large_;
};

class Cutting {
 public:
  Cutting(const Adjacency& needs, const std::vector<bool>& tearable)
      : tearable_(tearable),
        alive_(needs.rows(), true),
        self_(needs.rows(), false),
        waits_(needs.rows(), true),
        lists_(needs.rows()),
        from_(alive_, lists_, elsewhere_),
        to_(alive_, lists_, elsewhere_) {
    reconsider_.resize(needs.rows());
    std::iota(reconsider_.begin(), reconsider_.end(), 0u);
    std::vector<std::uint32_t> row;
    for (std::uint32_t v = 0; v < needs.rows(); ++v) {
      row.assign(needs[v].begin(), needs[v].end());
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      for (const std::uint32_t w : row) {
        if (w == v) {
          self_[v] = true;
          continue;
        }
        from_.add(v, w);
        to_.add(w, v);
      }
    }
  }

  bool run(std::vector<std::uint32_t>& torn) {
    for (;;) {
      reduce(torn);
      const std::uint32_t busiest = choose();
      if (busiest == none) return std::find(alive_.begin(), alive_.end(), true) == alive_.end();
      torn.push_back(busiest);
      remove(busiest);
    }
  }
  std::uint64_t looked_at() const { return looked_at_ + from_.looked_at + to_.looked_at; }

 private:
  void look_again(std::uint32_t v) {
    if (waits_[v]) return;
    waits_[v] = true;
    reconsider_.push_back(v);
  }

  void remove(std::uint32_t v) {
    to_.each(v, [&](std::uint32_t w) {
      from_.lose_one(w);
      look_again(w);
    });
    from_.each(v, [&](std::uint32_t w) {
      to_.lose_one(w);
      look_again(w);
    });
    alive_[v] = false;
  }

  void connect(std::uint32_t a, std::uint32_t b, std::uint32_t over) {
    if (a == b) {
      self_[a] = true;
      return;
    }
    if (to_.effort(a) < from_.effort(b) ? to_.contains(a, b) : from_.contains(b, a)) return;
    to_.add(a, b, over);
    from_.add(b, a, over);
  }

  // Joins neighbours directly; for what may be torn only where that adds no edges.
  void bypass(std::uint32_t v) {
    before_.clear();
    after_.clear();
    from_.each(v, [&](std::uint32_t w) { before_.push_back(w); });
    to_.each(v, [&](std::uint32_t w) { after_.push_back(w); });
    remove(v);
    for (const std::uint32_t a : before_) {
      for (const std::uint32_t b : after_) connect(a, b, v);
      if (listed_) push(a);
    }
    if (listed_ && before_.size() > 1) {
      for (const std::uint32_t b : after_) push(b);
    }
  }

  void reduce(std::vector<std::uint32_t>& torn) {
    for (std::size_t next = 0; next < reconsider_.size(); ++next) {
      look_ahead(next);
      const std::uint32_t v = reconsider_[next];
      ++looked_at_;
      waits_[v] = false;
      if (!alive_[v]) continue;
      if (self_[v]) {
        if (!tearable_[v]) continue;
        torn.push_back(v);
        remove(v);
      } else if (from_.count(v) == 0 || to_.count(v) == 0) {
        remove(v);
      } else if (can_bypass(v)) {
        bypass(v);
      }
    }
    reconsider_.clear();
  }

  // Fetches what is looked at next: in large systems without order that is far away.
  void look_ahead(std::size_t next) const {
    constexpr std::size_t ahead = 6;
    if (next + 2 * ahead < reconsider_.size()) __builtin_prefetch(&lists_[reconsider_[next + 2 * ahead]]);
    if (next + ahead >= reconsider_.size()) return;
    const std::uint32_t v = reconsider_[next + ahead];
    if (from_.count(v) > 1 && to_.count(v) > 1) return;  // its neighbours will hardly be asked
    from_.fetch_neighbours(v);
    to_.fetch_neighbours(v);
  }

  // A vertex that must not be torn is bypassed at any price: cycles through it are cut elsewhere. One that may be torn
  // is bypassed in favour of its only neighbour when that may be torn too.
  bool can_bypass(std::uint32_t v) {
    if (!tearable_[v]) return true;
    return (from_.count(v) == 1 && tearable_[from_.any(v)]) || (to_.count(v) == 1 && tearable_[to_.any(v)]);
  }

  std::uint64_t degree(std::uint32_t v) const { return std::uint64_t{from_.count(v)} * to_.count(v); }
  void push(std::uint32_t v) {
    if (alive_[v] && tearable_[v] && degree(v) > 0) busy_.push(degree(v), v);
  }

  // Degrees mostly fall: an entry is an upper bound, looked at again when it is the largest.
  std::uint32_t choose() {
    if (!listed_) {
      listed_ = true;
      for (std::uint32_t v = 0; v < alive_.size(); ++v) push(v);
    }
    std::uint64_t then = 0;
    const auto fetch = [this](std::uint32_t v) { __builtin_prefetch(&lists_[v]); };
    for (std::uint32_t v = none; (v = busy_.pop(then, fetch)) != none;) {
      ++looked_at_;
      if (!alive_[v]) continue;
      if (degree(v) == then) return v;
      if (degree(v) < then) push(v);
    }
    return none;
  }

  const std::vector<bool>& tearable_;
  std::vector<bool> alive_, self_, waits_;
  LargeArray<BothLists> lists_;
  std::vector<std::uint32_t> elsewhere_;
  Side<0> from_;
  Side<1> to_;
  std::vector<std::uint32_t> reconsider_, before_, after_;
  Busiest busy_;
  bool listed_ = false;
  std::uint64_t looked_at_ = 0;
};

// Depth first, without recursion.
std::vector<std::uint32_t> order_of(const Adjacency& needs, const std::vector<std::uint32_t>& torn) {
  std::vector<std::uint32_t> order, stack;
  std::vector<bool> done(needs.rows(), false);
  std::vector<std::uint32_t> next(needs.start.begin(), needs.start.end() - 1);
  for (const std::uint32_t v : torn) done[v] = true;
  for (std::uint32_t root = 0; root < needs.rows(); ++root) {
    if (!done[root]) stack.push_back(root);
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      while (next[v] < needs.start[v + std::size_t{1}] && done[needs.target[next[v]]]) ++next[v];
      if (next[v] < needs.start[v + std::size_t{1}]) {
        stack.push_back(needs.target[next[v]]);
        continue;
      }
      done[v] = true;
      order.push_back(v);
      stack.pop_back();
    }
  }
  return order;
}

}  // namespace

Tearing tear(const Adjacency& needs, const std::vector<bool>& tearable) {
  Tearing result;
  Cutting cutting(needs, tearable);
  result.possible = cutting.run(result.torn);
  result.looked_at = cutting.looked_at();
  if (!result.possible) return result;
  std::sort(result.torn.begin(), result.torn.end());
  result.order = order_of(needs, result.torn);
  return result;
}

Tearing tear(const std::vector<std::vector<std::uint32_t>>& needs, const std::vector<bool>& tearable) {
  return tear(adjacency_of(needs), tearable);
}

}  // namespace orrery::equations
