// SPDX-License-Identifier: Apache-2.0
// Greedy feedback vertex set.
#include "compile/tear.h"

#include <algorithm>
#include <queue>
#include <set>

namespace orrery::compile {
namespace {

class Cutting {
 public:
  Cutting(const std::vector<std::vector<std::uint32_t>>& needs, const std::vector<bool>& tearable)
      : tearable_(tearable), from_(needs.size()), to_(needs.size()), alive_(needs.size(), true) {
    for (std::uint32_t v = 0; v < needs.size(); ++v) {
      for (std::uint32_t w : needs[v]) connect(w, v);
    }
    for (std::uint32_t v = 0; v < needs.size(); ++v) reconsider_.push(v);
  }

  bool run(std::vector<std::uint32_t>& torn) {
    for (;;) {
      reduce(torn);
      const std::uint32_t busiest = choose();
      if (busiest == none) return !left_over();
      torn.push_back(busiest);
      remove(busiest);
    }
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  void connect(std::uint32_t a, std::uint32_t b) {
    to_[a].insert(b);
    from_[b].insert(a);
  }

  void remove(std::uint32_t v) {
    alive_[v] = false;
    for (std::uint32_t w : to_[v]) {
      from_[w].erase(v);
      reconsider_.push(w);
    }
    for (std::uint32_t w : from_[v]) {
      to_[w].erase(v);
      reconsider_.push(w);
    }
    to_[v].clear();
    from_[v].clear();
  }

  // Joins neighbours directly; only where that adds no edges.
  void bypass(std::uint32_t v) {
    const std::vector<std::uint32_t> before(from_[v].begin(), from_[v].end());
    const std::vector<std::uint32_t> after(to_[v].begin(), to_[v].end());
    remove(v);
    for (std::uint32_t a : before) {
      for (std::uint32_t b : after) connect(a, b);
    }
  }

  void reduce(std::vector<std::uint32_t>& torn) {
    while (!reconsider_.empty()) {
      const std::uint32_t v = reconsider_.front();
      reconsider_.pop();
      if (!alive_[v]) continue;
      const bool self = to_[v].contains(v);
      if (self) {
        if (!tearable_[v]) continue;
        torn.push_back(v);
        remove(v);
      } else if (from_[v].empty() || to_[v].empty()) {
        remove(v);
      } else if (can_bypass(v)) {
        bypass(v);
      }
    }
  }

  // A vertex that must not be torn is bypassed at any price: cycles through it are cut elsewhere. One that may be torn
  // is bypassed in favour of its only neighbour when that may be torn too.
  bool can_bypass(std::uint32_t v) const {
    if (!tearable_[v]) return true;
    return (from_[v].size() == 1 && tearable_[*from_[v].begin()]) || (to_[v].size() == 1 && tearable_[*to_[v].begin()]);
  }

  std::uint32_t choose() const {
    std::uint32_t best = none;
    std::size_t most = 0;
    for (std::uint32_t v = 0; v < alive_.size(); ++v) {
      if (!alive_[v] || !tearable_[v]) continue;
      const std::size_t degree = from_[v].size() * to_[v].size();
      if (degree > most) {
        most = degree;
        best = v;
      }
    }
    return best;
  }

  bool left_over() const { return std::find(alive_.begin(), alive_.end(), true) != alive_.end(); }

  const std::vector<bool>& tearable_;
  std::vector<std::set<std::uint32_t>> from_, to_;
  std::vector<bool> alive_;
  std::queue<std::uint32_t> reconsider_;
};

}  // namespace

Tearing tear(const std::vector<std::vector<std::uint32_t>>& needs, const std::vector<bool>& tearable) {
  Tearing result;
  result.possible = Cutting(needs, tearable).run(result.torn);
  if (!result.possible) return result;
  std::sort(result.torn.begin(), result.torn.end());
  std::vector<bool> done(needs.size(), false);
  for (std::uint32_t v : result.torn) done[v] = true;
  // Depth first, without recursion.
  std::vector<std::uint32_t> stack;
  for (std::uint32_t root = 0; root < needs.size(); ++root) {
    stack.push_back(root);
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      if (done[v]) {
        stack.pop_back();
        continue;
      }
      bool ready = true;
      for (std::uint32_t w : needs[v]) {
        if (done[w]) continue;
        stack.push_back(w);
        ready = false;
      }
      if (!ready) continue;
      done[v] = true;
      result.order.push_back(v);
      stack.pop_back();
    }
  }
  return result;
}

}  // namespace orrery::compile
