// SPDX-License-Identifier: Apache-2.0
// Parsing of patterns into linked nodes.
#include "oml/regex.h"

#include <algorithm>
#include <cctype>

#include "oml/error.h"

namespace orrery::oml {
namespace {

constexpr std::size_t npos = std::string::npos;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

template <class F>
std::bitset<256> set_where(F f) {
  std::bitset<256> out;
  for (int c = 0; c < 256; ++c)
    if (f(c)) out.set(static_cast<std::size_t>(c));
  return out;
}

[[noreturn]] void fail_pattern(const std::string& what) { fail("regular expression: " + what); }

}  // namespace

Regex::Regex(std::string_view pattern, const RegexOptions& options) : pattern_(pattern), options_(options) {
  Fragment all = parse_alternatives();
  if (more()) fail_pattern("unmatched ')'");
  Fragment end = fragment(Kind::accept);
  all.last->next = end.first;
  start_ = all.first;
}

Regex::Fragment Regex::fragment(Kind kind) {
  Node* n = &nodes_.emplace_back();
  n->kind = kind;
  return {n, n};
}

Regex::Fragment Regex::set_fragment(std::bitset<256> set) {
  if (options_.ignore_case) {
    for (int c = 'a'; c <= 'z'; ++c) {
      const auto low = static_cast<std::size_t>(c), high = static_cast<std::size_t>(c - 32);
      if (set[low] || set[high]) set.set(low).set(high);
    }
  }
  Fragment f = fragment(Kind::set);
  f.first->set = set;
  return f;
}

Regex::Fragment Regex::join(Fragment a, Fragment b) {
  if (a.first == nullptr) return b;
  a.last->next = b.first;
  return {a.first, b.last};
}

Regex::Fragment Regex::parse_alternatives() {
  if (++depth_ > 200) fail_pattern("nested too deeply");
  std::vector<Fragment> options = {parse_sequence()};
  while (peek() == '|' && more()) {
    ++at_;
    options.push_back(parse_sequence());
  }
  --depth_;
  if (options.size() == 1) return options[0];
  Fragment branch = fragment(Kind::branch);
  // All branches meet again in an empty group node.
  Fragment meet = fragment(Kind::open);
  meet.first->group = -1;
  for (const Fragment& f : options) {
    branch.first->branches.push_back(f.first);
    f.last->next = meet.first;
  }
  return {branch.first, meet.last};
}

Regex::Fragment Regex::parse_sequence() {
  Fragment out;
  while (more() && peek() != '|' && peek() != ')') {
    if (options_.free_spacing && std::isspace(static_cast<unsigned char>(peek()))) {
      ++at_;
      continue;
    }
    out = join(out, parse_repeat(parse_atom()));
  }
  if (out.first == nullptr) {
    out = fragment(Kind::open);
    out.first->group = -1;
  }
  return out;
}

bool Regex::parse_counts(int& low, int& high) {
  const char c = peek();
  if (c == '*' || c == '+' || c == '?') {
    ++at_;
    low = c == '+' ? 1 : 0;
    high = c == '?' ? 1 : -1;
    return true;
  }
  if (c != '{') return false;
  std::size_t k = at_ + 1;
  const auto number = [&](int& x) {
    const std::size_t begin = k;
    x = 0;
    while (k < pattern_.size() && std::isdigit(static_cast<unsigned char>(pattern_[k]))) {
      x = std::min(x * 10 + (pattern_[k++] - '0'), 100000);
    }
    return k > begin;
  };
  if (!number(low)) return false;
  high = low;
  if (k < pattern_.size() && pattern_[k] == ',') {
    ++k;
    if (!number(high)) high = -1;
  }
  if (k >= pattern_.size() || pattern_[k] != '}') return false;
  at_ = k + 1;
  return true;
}

Regex::Fragment Regex::parse_repeat(Fragment atom) {
  int low = 0, high = 0;
  while (more() && parse_counts(low, high)) {
    if (high >= 0 && high < low) fail_pattern("counts in the wrong order");
    const bool simple = atom.first == atom.last && atom.first->kind == Kind::set;
    Fragment repeat = fragment(simple ? Kind::simple_repeat : Kind::loop);
    Node* n = repeat.first;
    n->low = low;
    n->high = high;
    if (peek() == '?')
      n->lazy = true, ++at_;
    else if (peek() == '+')
      n->possessive = true, ++at_;
    if (simple) {
      n->set = atom.first->set;
    } else {
      n->group = loops_++;
      n->branches.push_back(atom.first);
      atom.last->next = n;
    }
    atom = repeat;
  }
  return atom;
}

Regex::Fragment Regex::parse_atom() {
  const char c = pattern_[at_++];
  switch (c) {
    case '.': {
      const bool all = options_.dot_matches_newline;
      return set_fragment(set_where([all](int ch) { return all || ch != '\n'; }));
    }
    case '^': return fragment(Kind::line_start);
    case '$': return fragment(Kind::line_end);
    case '(': return parse_group();
    case '[': return set_fragment(parse_class());
    case '\\': return parse_escape();
    case '*':
    case '+':
    case '?': fail_pattern("nothing to repeat");
    default: {
      std::bitset<256> set;
      set.set(static_cast<unsigned char>(c));
      return set_fragment(set);
    }
  }
}

Regex::Fragment Regex::parse_group() {
  bool capture = true;
  std::string name;
  Kind look = Kind::accept;
  bool negated = false, behind = false;
  const RegexOptions saved = options_;
  if (peek() == '?') {
    ++at_;
    char c = peek();
    ++at_;
    if (c == 'P' && peek() == '<') {
      c = '<';
      ++at_;
    }
    if (c == ':') {
      capture = false;
    } else if (c == '=' || c == '!') {
      look = Kind::look;
      negated = c == '!';
    } else if (c == '<' && (peek() == '=' || peek() == '!')) {
      look = Kind::look;
      behind = true;
      negated = peek() == '!';
      ++at_;
    } else if (c == '<') {
      while (more() && peek() != '>') name += pattern_[at_++];
      if (!more()) fail_pattern("group name without end");
      ++at_;
    } else if (c == '#') {
      while (more() && peek() != ')') ++at_;
      if (more()) ++at_;
      Fragment empty = fragment(Kind::open);
      empty.first->group = -1;
      return empty;
    } else if (c == 'i' || c == 's' || c == 'm' || c == 'x' || c == '-') {
      bool on = true;
      for (--at_; more() && peek() != ')' && peek() != ':'; ++at_) {
        if (peek() == '-')
          on = false;
        else if (peek() == 'i')
          options_.ignore_case = on;
        else if (peek() == 's')
          options_.dot_matches_newline = on;
        else if (peek() == 'm')
          options_.line_anchors = on;
        else if (peek() == 'x')
          options_.free_spacing = on;
        else
          fail_pattern("unknown option");
      }
      if (!more()) fail_pattern("options without end");
      if (pattern_[at_++] == ')') {
        Fragment empty = fragment(Kind::open);
        empty.first->group = -1;
        return empty;
      }
      capture = false;
    } else {
      fail_pattern("unknown group");
    }
  }
  if (look == Kind::look) capture = false;
  int group = -1;
  if (capture) {
    group = static_cast<int>(group_names_.size());
    group_names_.push_back(name);
  }
  Fragment body = parse_alternatives();
  if (peek() != ')' || !more()) fail_pattern("missing ')'");
  ++at_;
  options_.ignore_case = saved.ignore_case;
  if (look == Kind::look) {
    body.last->next = fragment(Kind::accept).first;
    Fragment f = fragment(Kind::look);
    f.first->branches.push_back(body.first);
    f.first->negated = negated;
    f.first->behind = behind;
    return f;
  }
  Fragment open = fragment(Kind::open), close = fragment(Kind::close);
  open.first->group = close.first->group = group;
  return join(join(open, body), close);
}

std::bitset<256> Regex::class_of(char letter, bool& known) const {
  known = true;
  switch (letter) {
    case 'd': return set_where([](int c) { return std::isdigit(c); });
    case 'D': return set_where([](int c) { return !std::isdigit(c); });
    case 's': return set_where([](int c) { return std::isspace(c); });
    case 'S': return set_where([](int c) { return !std::isspace(c); });
    case 'w': return set_where([](int c) { return is_word(static_cast<char>(c)); });
    case 'W': return set_where([](int c) { return !is_word(static_cast<char>(c)); });
    default: known = false; return {};
  }
}

namespace {

char control_of(char letter) {
  static constexpr std::string_view names = "abfnrtve", codes = "\a\b\f\n\r\t\v\x1b";
  const std::size_t k = names.find(letter);
  return k == npos ? letter : codes[k];
}

}  // namespace

Regex::Fragment Regex::parse_escape() {
  if (!more()) fail_pattern("ends in a backslash");
  const char c = pattern_[at_++];
  bool known = false;
  const std::bitset<256> set = class_of(c, known);
  if (known) return set_fragment(set);
  if (c == 'b') return fragment(Kind::word);
  if (c == 'B') return fragment(Kind::not_word);
  if (c == '<') return fragment(Kind::word_start);
  if (c == '>') return fragment(Kind::word_end);
  if (c == 'A') return fragment(Kind::text_start);
  if (c == 'z' || c == 'Z') return fragment(Kind::text_end);
  if (c >= '1' && c <= '9') {
    Fragment f = fragment(Kind::back);
    f.first->group = c - '1';
    return f;
  }
  std::bitset<256> one;
  one.set(static_cast<unsigned char>(c == 'b' ? c : control_of(c)));
  return set_fragment(one);
}

std::bitset<256> Regex::parse_class() {
  std::bitset<256> out;
  bool negated = false;
  if (peek() == '^') negated = true, ++at_;
  bool first = true;
  for (;; first = false) {
    if (!more()) fail_pattern("missing ']'");
    if (peek() == ']' && !first) break;
    if (pattern_.compare(at_, 2, "[:") == 0) {
      const std::size_t end = pattern_.find(":]", at_);
      if (end != npos) {
        const std::string name = pattern_.substr(at_ + 2, end - at_ - 2);
        at_ = end + 2;
        out |= set_where([&](int c) {
          return (name == "alpha" && std::isalpha(c)) || (name == "digit" && std::isdigit(c)) ||
                 (name == "alnum" && std::isalnum(c)) || (name == "space" && std::isspace(c)) ||
                 (name == "upper" && std::isupper(c)) || (name == "lower" && std::islower(c)) ||
                 (name == "punct" && std::ispunct(c)) || (name == "xdigit" && std::isxdigit(c));
        });
        continue;
      }
    }
    char low = pattern_[at_++];
    if (low == '\\' && more()) {
      bool known = false;
      const std::bitset<256> set = class_of(peek(), known);
      if (known) {
        ++at_;
        out |= set;
        continue;
      }
      low = control_of(pattern_[at_++]);
    }
    char high = low;
    if (peek() == '-' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']') {
      ++at_;
      high = pattern_[at_++];
      if (high == '\\' && more()) high = control_of(pattern_[at_++]);
    }
    for (int c = static_cast<unsigned char>(low); c <= static_cast<unsigned char>(high); ++c)
      out.set(static_cast<std::size_t>(c));
  }
  ++at_;
  if (options_.ignore_case) {
    for (int c = 'a'; c <= 'z'; ++c) {
      const auto l = static_cast<std::size_t>(c), u = static_cast<std::size_t>(c - 32);
      if (out[l] || out[u]) out.set(l).set(u);
    }
  }
  return negated ? ~out : out;
}

}  // namespace orrery::oml
