// SPDX-License-Identifier: Apache-2.0
// Matching of regular expressions by backtracking, with a limit on steps and depth.
#include <algorithm>
#include <cctype>

#include "oml/error.h"
#include "oml/regex.h"

namespace orrery::oml {
namespace {

constexpr std::size_t npos = std::string::npos;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

struct Regex::State {
  std::string_view text;
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  std::vector<int> counts;
  std::vector<std::size_t> entries;
  std::size_t end = 0;
  long steps = 0;
  int depth = 0;
};

bool Regex::run_simple(const Node* n, std::size_t at, State& s) const {
  const auto fits = [&](std::size_t k) { return k < s.text.size() && n->set[static_cast<unsigned char>(s.text[k])]; };
  std::size_t count = 0;
  const std::size_t low = static_cast<std::size_t>(n->low),
                    high = n->high < 0 ? npos : static_cast<std::size_t>(n->high);
  if (n->lazy) {
    while (count < low)
      if (!fits(at + count++)) return false;
    for (;;) {
      if (run(n->next, at + count, s)) return true;
      if (count >= high || !fits(at + count)) return false;
      ++count;
    }
  }
  while (count < high && fits(at + count)) ++count;
  if (count < low) return false;
  if (n->possessive) return run(n->next, at + count, s);
  for (;; --count) {
    if (run(n->next, at + count, s)) return true;
    if (count == low) return false;
  }
}

bool Regex::run_loop(const Node* n, std::size_t at, State& s) const {
  const auto k = static_cast<std::size_t>(n->group);
  const int count = s.counts[k];
  const std::size_t entry = s.entries[k];
  const auto again = [&] {
    s.counts[k] = count + 1;
    s.entries[k] = at;
    const bool ok = run(n->branches[0], at, s);
    s.counts[k] = count;
    s.entries[k] = entry;
    return ok;
  };
  const auto leave = [&] {
    s.counts[k] = 0;
    s.entries[k] = npos;
    const bool ok = run(n->next, at, s);
    s.counts[k] = count;
    s.entries[k] = entry;
    return ok;
  };
  if (count < n->low) return again();
  // A turn that took no characters would go on for ever.
  const bool may = (n->high < 0 || count < n->high) && entry != at;
  if (n->lazy) return leave() || (may && again());
  return (may && again()) || leave();
}

bool Regex::run_look(const Node* n, std::size_t at, State& s) const {
  const std::size_t end = s.end;
  bool found = false;
  const auto groups = s.groups;
  if (!n->behind) {
    found = run(n->branches[0], at, s);
  } else {
    for (std::size_t begin = at + 1; begin-- > 0 && !found;) found = run(n->branches[0], begin, s) && s.end == at;
  }
  s.end = end;
  if (n->negated || !found) s.groups = groups;
  return found != n->negated;
}

bool Regex::run(const Node* n, std::size_t at, State& s) const {
  struct Depth {
    int& d;
    explicit Depth(int& x) : d(x) {
      if (++d > 4000) fail("regular expression: the text is too long for this pattern");
    }
    ~Depth() { --d; }
  } guard(s.depth);
  for (;;) {
    if (++s.steps > 20000000) fail("regular expression: the pattern takes too long");
    const auto is_boundary = [&] {
      const bool before = at > 0 && is_word(s.text[at - 1]), after = at < s.text.size() && is_word(s.text[at]);
      return before != after;
    };
    switch (n->kind) {
      case Kind::accept: s.end = at; return true;
      case Kind::set:
        if (at >= s.text.size() || !n->set[static_cast<unsigned char>(s.text[at])]) return false;
        ++at;
        break;
      case Kind::open:
      case Kind::close: {
        if (n->group < 0) break;
        auto& g = s.groups[static_cast<std::size_t>(n->group)];
        const auto saved = g;
        // A group is only known once it closes; its start waits in `first` of an open one.
        if (n->kind == Kind::open)
          g.first = at;
        else
          g.second = at;
        if (run(n->next, at, s)) return true;
        g = saved;
        return false;
      }
      case Kind::branch:
        for (const Node* b : n->branches)
          if (run(b, at, s)) return true;
        return false;
      case Kind::simple_repeat: return run_simple(n, at, s);
      case Kind::loop: return run_loop(n, at, s);
      case Kind::line_start:
        if (at != 0 && !(options_.line_anchors && s.text[at - 1] == '\n')) return false;
        break;
      case Kind::line_end:
        if (at != s.text.size() && !(options_.line_anchors && s.text[at] == '\n')) return false;
        break;
      case Kind::text_start:
        if (at != 0) return false;
        break;
      case Kind::text_end:
        if (at != s.text.size()) return false;
        break;
      case Kind::word:
        if (!is_boundary()) return false;
        break;
      case Kind::not_word:
        if (is_boundary()) return false;
        break;
      case Kind::word_start:
        if (!is_boundary() || at >= s.text.size() || !is_word(s.text[at])) return false;
        break;
      case Kind::word_end:
        if (!is_boundary() || at == 0 || !is_word(s.text[at - 1])) return false;
        break;
      case Kind::back: {
        if (static_cast<std::size_t>(n->group) >= s.groups.size()) return false;
        const auto g = s.groups[static_cast<std::size_t>(n->group)];
        if (g.first == npos || g.second == npos) return false;
        const std::string_view part = s.text.substr(g.first, g.second - g.first);
        if (s.text.substr(at, part.size()) != part) return false;
        at += part.size();
        break;
      }
      case Kind::look:
        if (!run_look(n, at, s)) return false;
        break;
    }
    n = n->next;
  }
}

bool Regex::search(std::string_view text, std::size_t from, RegexMatch& match) const {
  State s;
  s.text = text;
  for (std::size_t at = from; at <= text.size(); ++at) {
    s.groups.assign(group_names_.size(), {npos, npos});
    s.counts.assign(static_cast<std::size_t>(loops_), 0);
    s.entries.assign(static_cast<std::size_t>(loops_), npos);
    if (!run(start_, at, s)) continue;
    match.begin = at;
    match.end = s.end;
    match.groups = s.groups;
    for (auto& g : match.groups)
      if (g.second == npos) g.first = npos;
    return true;
  }
  return false;
}

}  // namespace orrery::oml
