// SPDX-License-Identifier: Apache-2.0
// Greedy start, then phases of shortest augmenting paths.
#include "equations/match.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace orrery::equations {
namespace {

// Equations and unknowns with one choice left are paired first: that is never wrong. Where all have several, the next
// equation takes the unknown with the fewest. In large systems without order every entry read is far from the last: so
// one number, as short as it may be, says both whether a partner is free and how many choices it has.
template <class Count>
class Greedy {
 public:
  Greedy(const Adjacency& occurs, const Adjacency& places, Matching& matching)
      : occurs_(occurs), places_(places), matching_(matching) {}

  void run() {
    const std::uint32_t equations = occurs_.rows(), unknowns = places_.rows();
    count_choices(matching_.unknown_of, matching_.equation_of, occurs_, choices_of_equation_);
    count_choices(matching_.equation_of, matching_.unknown_of, places_, choices_of_unknown_);
    for (std::uint32_t e = 0; e < equations; ++e) {
      if (choices_of_equation_[e] == 1) queue_.push_back(e);
    }
    for (std::uint32_t u = 0; u < unknowns; ++u) {
      if (choices_of_unknown_[u] == 1) queue_.push_back(equations + u);
    }
    follow();
    for (std::uint32_t e = 0; e < equations; ++e) {
      if (choices_of_equation_[e] == taken || choices_of_equation_[e] == 0) continue;
      take_best(e);
      follow();
    }
  }

 private:
  static constexpr Count taken = std::numeric_limits<Count>::max();  // it has a partner

  // How many of those that a row reads are free; nobody has a partner as a rule, and then that is how many it reads.
  void count_choices(const Indices& own, const Indices& partner_of, const Adjacency& reads,
                     std::vector<Count>& choices) {
    const bool all_free = std::all_of(own.begin(), own.end(), [](std::uint32_t partner) { return partner == none; });
    choices.resize(own.size());
    for (std::uint32_t r = 0; r < own.size(); ++r) {
      if (own[r] != none) {
        choices[r] = taken;
      } else if (all_free) {
        choices[r] = static_cast<Count>(reads[r].size());
      } else {
        matching_.looked_at += reads[r].size();
        choices[r] = static_cast<Count>(std::count_if(reads[r].begin(), reads[r].end(),
                                                      [&](std::uint32_t other) { return partner_of[other] == none; }));
      }
    }
  }

  void take_best(std::uint32_t e) {
    std::uint32_t best = none;
    Count fewest = taken;
    for (const std::uint32_t u : occurs_[e]) {
      ++matching_.looked_at;
      if (choices_of_unknown_[u] >= fewest) continue;
      best = u;
      fewest = choices_of_unknown_[u];
    }
    if (best != none) join(e, best);
  }

  void join(std::uint32_t e, std::uint32_t u) {
    __builtin_prefetch(places_.target.data() + places_.start[u]);
    matching_.pair(e, u);
    choices_of_equation_[e] = choices_of_unknown_[u] = taken;
    for (const std::uint32_t other : occurs_[e]) {
      ++matching_.looked_at;
      Count& choices = choices_of_unknown_[other];
      if (choices != taken && --choices == 1) queue_.push_back(occurs_.rows() + other);
    }
    for (const std::uint32_t other : places_[u]) {
      ++matching_.looked_at;
      Count& choices = choices_of_equation_[other];
      if (choices != taken && --choices == 1) queue_.push_back(other);
    }
  }

  void follow() {
    for (; next_ < queue_.size(); ++next_) {
      look_ahead();
      const std::uint32_t v = queue_[next_];
      if (v < occurs_.rows()) {
        if (choices_of_equation_[v] != taken) take_best(v);
        continue;
      }
      const std::uint32_t u = v - occurs_.rows();
      if (choices_of_unknown_[u] == taken) continue;
      for (const std::uint32_t e : places_[u]) {
        ++matching_.looked_at;
        if (choices_of_equation_[e] != taken) {
          join(e, u);
          break;
        }
      }
    }
  }

  // Fetches the rows that are asked for next, in four steps: where they are, what is in them, and the same for the
  // partner that each will have.
  void look_ahead() const {
    constexpr std::size_t step = 4;
    const std::size_t next = next_ + step;
    if (next + 3 * step < queue_.size()) {
      const Row row = row_of(queue_[next + 3 * step]);
      __builtin_prefetch(&row.rows.start[row.number]);
    }
    if (next + 2 * step < queue_.size()) {
      const Row row = row_of(queue_[next + 2 * step]);
      __builtin_prefetch(row.rows.target.data() + row.rows.start[row.number]);
    }
    if (next + step < queue_.size()) {
      const Row row = row_of(queue_[next + step]);
      const std::uint32_t partner = likely_partner(row);
      if (partner != none) __builtin_prefetch(&row.others.start[partner]);
    }
    if (next < queue_.size()) {
      const Row row = row_of(queue_[next]);
      const std::uint32_t partner = likely_partner(row);
      if (partner != none) __builtin_prefetch(row.others.target.data() + row.others.start[partner]);
    }
  }

  struct Row {
    const Adjacency &rows, &others;
    const std::vector<Count>& choices;  // of those that the row reads
    std::uint32_t number;
  };
  Row row_of(std::uint32_t v) const {
    if (v < occurs_.rows()) return {occurs_, places_, choices_of_unknown_, v};
    return {places_, occurs_, choices_of_equation_, v - occurs_.rows()};
  }
  static std::uint32_t likely_partner(const Row& row) {
    for (const std::uint32_t other : row.rows[row.number]) {
      if (row.choices[other] != taken) return other;
    }
    return none;
  }

  const Adjacency& occurs_;
  const Adjacency& places_;
  Matching& matching_;
  std::vector<Count> choices_of_equation_, choices_of_unknown_;  // taken: it has a partner
  std::vector<std::uint32_t> queue_;
  std::size_t next_ = 0;
};

// Shortest augmenting paths, one at a time: forwards from all free equations and backwards from all free unknowns, the
// smaller side first, until they meet. Where few are left over in a large system that reads little of it.
class Meeting {
 public:
  Meeting(const Adjacency& occurs, const Adjacency& places, Matching& matching)
      : occurs_(occurs), places_(places), matching_(matching) {}

  // As long as that pays: while the work stays below that of reading everything once.
  void run() {
    const std::uint64_t enough = matching_.looked_at + occurs_.target.size();
    for (std::uint32_t e = 0; e < occurs_.rows(); ++e) {
      if (matching_.unknown_of[e] == none && !occurs_[e].empty()) free_equations_.push_back(e);
    }
    for (std::uint32_t u = 0; u < places_.rows(); ++u) {
      if (matching_.equation_of[u] == none && !places_[u].empty()) free_unknowns_.push_back(u);
    }
    if (free_equations_.empty() || free_unknowns_.empty()) return;
    from_.assign(occurs_.rows(), none);
    takes_.assign(occurs_.rows(), none);
    while (!free_equations_.empty() && !free_unknowns_.empty() && matching_.looked_at < enough && search()) {
    }
  }

 private:
  static constexpr std::uint32_t root = none - 1;

  bool search() {
    forward_.assign(free_equations_.begin(), free_equations_.end());
    backward_.assign(free_unknowns_.begin(), free_unknowns_.end());
    reached_.clear();
    for (const std::uint32_t e : forward_) from_[e] = root;
    std::size_t next_forward = 0, next_backward = 0;
    std::uint32_t met = none;
    while (met == none && next_forward < forward_.size() && next_backward < backward_.size()) {
      if (forward_.size() - next_forward <= backward_.size() - next_backward)
        met = go_on(forward_[next_forward++]);
      else
        met = go_back(backward_[next_backward++]);
    }
    if (met != none) join(met);
    for (const std::uint32_t e : forward_) from_[e] = none;
    for (const std::uint32_t e : reached_) takes_[e] = none;
    return met != none;
  }

  // To the equations that own what this one reads.
  std::uint32_t go_on(std::uint32_t e) {
    for (const std::uint32_t u : occurs_[e]) {
      ++matching_.looked_at;
      const std::uint32_t owner = matching_.equation_of[u];
      if (owner == none) {  // a free unknown: it can be taken at once
        takes_[e] = u;
        reached_.push_back(e);
        return e;
      }
      if (from_[owner] != none) continue;
      from_[owner] = e;
      forward_.push_back(owner);
      if (takes_[owner] != none) return owner;
    }
    return none;
  }

  // To the equations that could take this unknown, and what they would set free.
  std::uint32_t go_back(std::uint32_t u) {
    for (const std::uint32_t e : places_[u]) {
      ++matching_.looked_at;
      if (takes_[e] != none || matching_.unknown_of[e] == u) continue;
      takes_[e] = u;
      reached_.push_back(e);
      if (from_[e] != none) return e;
      backward_.push_back(matching_.unknown_of[e]);
    }
    return none;
  }

  // Every equation before the meeting takes what the next one owned, every one behind it what it was to take.
  void join(std::uint32_t met) {
    std::uint32_t given = matching_.unknown_of[met], e = met;
    for (;;) {
      const std::uint32_t unknown = takes_[e], owner = matching_.equation_of[unknown];
      matching_.pair(e, unknown);
      if (owner == none) std::erase(free_unknowns_, unknown);
      if (owner == none) break;
      e = owner;
    }
    for (e = met; from_[e] != root; e = from_[e]) {
      const std::uint32_t earlier = from_[e], owned = matching_.unknown_of[earlier];
      matching_.pair(earlier, given);
      given = owned;
    }
    std::erase(free_equations_, e);
  }

  const Adjacency& occurs_;
  const Adjacency& places_;
  Matching& matching_;
  std::vector<std::uint32_t> free_equations_, free_unknowns_;
  Indices from_;   // by equation: who came to it forwards; root: it is free
  Indices takes_;  // by equation: the unknown it would take, seen backwards
  std::vector<std::uint32_t> forward_, backward_, reached_;
};

class Phases {
 public:
  Phases(const Adjacency& occurs, Matching& matching) : occurs_(occurs), matching_(matching) {}

  void run() {
    for (std::uint32_t e = 0; e < occurs_.rows(); ++e) {
      if (matching_.unknown_of[e] == none && !occurs_[e].empty()) free_.push_back(e);
    }
    level_.assign(occurs_.rows(), none);
    next_.resize(occurs_.rows());
    while (!free_.empty() && layer()) {
      std::size_t left = 0;
      for (const std::uint32_t e : free_) {
        if (!augment(e)) free_[left++] = e;
      }
      free_.resize(left);
      for (const std::uint32_t e : visited_) level_[e] = none;
    }
  }

 private:
  // Breadth first from all free equations to the nearest free unknown. Only what is reached costs anything.
  bool layer() {
    visited_.assign(free_.begin(), free_.end());
    for (const std::uint32_t e : free_) {
      level_[e] = 0;
      next_[e] = occurs_.start[e];
    }
    std::uint32_t nearest = none;
    for (std::size_t at = 0; at < visited_.size(); ++at) {
      const std::uint32_t e = visited_[at];
      if (level_[e] >= nearest) break;
      for (const std::uint32_t u : occurs_[e]) {
        ++matching_.looked_at;
        const std::uint32_t owner = matching_.equation_of[u];
        if (owner == none) {
          nearest = level_[e];
        } else if (level_[owner] == none) {
          level_[owner] = level_[e] + 1;
          next_[owner] = occurs_.start[owner];
          visited_.push_back(owner);
        }
      }
    }
    if (nearest == none) {
      for (const std::uint32_t e : visited_) level_[e] = none;
    }
    nearest_ = nearest;
    return nearest != none;
  }

  // Depth first along the layers; each edge once in a phase.
  bool augment(std::uint32_t start) {
    path_.assign(1, start);
    while (!path_.empty()) {
      const std::uint32_t e = path_.back();
      bool descended = false;
      while (next_[e] < occurs_.start[e + std::size_t{1}]) {
        const std::uint32_t u = occurs_.target[next_[e]++];
        ++matching_.looked_at;
        const std::uint32_t owner = matching_.equation_of[u];
        if (owner == none) {
          give_way(u);
          return true;
        }
        if (level_[owner] != level_[e] + 1 || level_[owner] > nearest_) continue;
        path_.push_back(owner);
        descended = true;
        break;
      }
      if (descended) continue;
      level_[e] = none - 1;  // leads nowhere in this phase
      path_.pop_back();
    }
    return false;
  }

  // Each equation on the path leaves its unknown to the one before.
  void give_way(std::uint32_t unknown) {
    while (!path_.empty()) {
      const std::uint32_t e = path_.back();
      path_.pop_back();
      const std::uint32_t before = matching_.unknown_of[e];
      matching_.pair(e, unknown);
      level_[e] = none - 1;  // paths of a phase do not meet
      unknown = before;
    }
  }

  const Adjacency& occurs_;
  Matching& matching_;
  std::vector<std::uint32_t> free_, level_, next_, visited_, path_;
  std::uint32_t nearest_ = none;
};

std::uint32_t longest_row(const Adjacency& rows) {
  std::uint32_t longest = 0;
  for (std::uint32_t r = 0; r < rows.rows(); ++r) longest = std::max(longest, rows.start[r + 1] - rows.start[r]);
  return longest;
}

// What alternating paths from `roots` reach: along edges[v] to the other side, and on to whom that belongs.
void reach(std::span<const std::uint32_t> roots, const Adjacency& edges, const Indices& partner,
           std::vector<bool>& seen, std::vector<bool>& seen_other) {
  std::vector<std::uint32_t> stack(roots.begin(), roots.end());
  for (const std::uint32_t v : roots) seen[v] = true;
  while (!stack.empty()) {
    const std::uint32_t v = stack.back();
    stack.pop_back();
    for (const std::uint32_t w : edges[v]) {
      if (seen_other[w]) continue;
      seen_other[w] = true;
      const std::uint32_t next = partner[w];
      if (next == none || seen[next]) continue;
      seen[next] = true;
      stack.push_back(next);
    }
  }
}

// The connected parts of what is marked.
std::vector<Part> connected(const Adjacency& occurs, const Adjacency& places, const std::vector<bool>& equations,
                            const std::vector<bool>& unknowns) {
  std::vector<Part> parts;
  std::vector<bool> seen_equation(equations.size(), false), seen_unknown(unknowns.size(), false);
  std::vector<std::uint32_t> stack;
  const std::uint32_t count = occurs.rows();
  const auto visit = [&](std::uint32_t v) {
    const bool is_equation = v < count;
    const std::uint32_t k = is_equation ? v : v - count;
    auto seen = is_equation ? seen_equation[k] : seen_unknown[k];
    if (seen || !(is_equation ? equations[k] : unknowns[k])) return;
    seen = true;
    (is_equation ? parts.back().equations : parts.back().unknowns).push_back(k);
    stack.push_back(v);
  };
  const auto grow = [&](std::uint32_t root) {
    parts.emplace_back();
    visit(root);
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      stack.pop_back();
      if (v < count) {
        for (const std::uint32_t u : occurs[v]) visit(count + u);
      } else {
        for (const std::uint32_t e : places[v - count]) visit(e);
      }
    }
    std::sort(parts.back().equations.begin(), parts.back().equations.end());
    std::sort(parts.back().unknowns.begin(), parts.back().unknowns.end());
  };
  for (std::uint32_t e = 0; e < count; ++e) {
    if (equations[e] && !seen_equation[e]) grow(e);
  }
  for (std::uint32_t u = 0; u < unknowns.size(); ++u) {
    if (unknowns[u] && !seen_unknown[u]) grow(count + u);
  }
  return parts;
}

}  // namespace

std::uint32_t Matching::size() const {
  return static_cast<std::uint32_t>(
      std::count_if(unknown_of.begin(), unknown_of.end(), [](std::uint32_t u) { return u != none; }));
}

Matching empty_matching(std::uint32_t equations, std::uint32_t unknowns) {
  return {Indices(equations, none), Indices(unknowns, none)};
}

Matching match(const Adjacency& occurs, Matching begin) {
  const Adjacency places = transposed(occurs, static_cast<std::uint32_t>(begin.equation_of.size()));
  begin.looked_at += 2 * occurs.target.size();  // by transposing: to count, and to place
  if (longest_row(occurs) < 255 && longest_row(places) < 255)
    Greedy<std::uint8_t>(occurs, places, begin).run();
  else
    Greedy<std::uint32_t>(occurs, places, begin).run();
  Meeting(occurs, places, begin).run();
  Phases(occurs, begin).run();
  return begin;
}

Matching match(const Adjacency& occurs, std::uint32_t unknowns) {
  return match(occurs, empty_matching(occurs.rows(), unknowns));
}

Misfits find_misfits(const Adjacency& occurs, const Matching& matching) {
  const std::uint32_t equations = occurs.rows();
  const auto unknowns = static_cast<std::uint32_t>(matching.equation_of.size());
  const Adjacency places = transposed(occurs, unknowns);
  std::vector<std::uint32_t> loose_equations, loose_unknowns;
  for (std::uint32_t e = 0; e < equations; ++e) {
    if (matching.unknown_of[e] == none) loose_equations.push_back(e);
  }
  for (std::uint32_t u = 0; u < unknowns; ++u) {
    if (matching.equation_of[u] == none) loose_unknowns.push_back(u);
  }
  Misfits misfits;
  std::vector<bool> in_equations(equations, false), in_unknowns(unknowns, false);
  reach(loose_equations, occurs, matching.equation_of, in_equations, in_unknowns);
  if (!loose_equations.empty()) misfits.over = connected(occurs, places, in_equations, in_unknowns);
  in_equations.assign(equations, false);
  in_unknowns.assign(unknowns, false);
  reach(loose_unknowns, places, matching.unknown_of, in_unknowns, in_equations);
  if (!loose_unknowns.empty()) misfits.under = connected(occurs, places, in_equations, in_unknowns);
  return misfits;
}

}  // namespace orrery::equations
