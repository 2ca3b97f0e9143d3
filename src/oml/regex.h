// SPDX-License-Identifier: Apache-2.0
// Regular expressions with the syntax people know from Perl: groups, names, look-around, lazy repeats.
#pragma once

#include <bitset>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::oml {

struct RegexMatch {
  std::size_t begin = 0, end = 0;
  // Per group, (npos, npos) when it took no part.
  std::vector<std::pair<std::size_t, std::size_t>> groups;
};

struct RegexOptions {
  bool ignore_case = false;
  bool dot_matches_newline = true;
  bool line_anchors = false;  // ^ and $ at every line
  bool free_spacing = false;
};

// A backtracking matcher with a limit on its work, so that hostile patterns end in an error, not in a hang.
class Regex {
 public:
  // Throws OmlError when the pattern is malformed.
  Regex(std::string_view pattern, const RegexOptions& options);
  bool search(std::string_view text, std::size_t from, RegexMatch& match) const;
  std::size_t group_count() const { return group_names_.size(); }
  // Empty for groups without a name.
  const std::vector<std::string>& group_names() const { return group_names_; }

 private:
  enum class Kind {
    set,
    open,
    close,
    branch,
    simple_repeat,
    loop,
    line_start,
    line_end,
    text_start,
    text_end,
    word,
    not_word,
    word_start,
    word_end,
    back,
    look,
    accept
  };
  struct Node {
    Kind kind = Kind::accept;
    const Node* next = nullptr;
    std::bitset<256> set;
    std::vector<const Node*> branches;  // branch; body of loop and look
    int group = 0;
    int low = 0, high = -1;
    bool lazy = false, possessive = false, negated = false, behind = false;
  };
  struct Fragment {
    Node* first = nullptr;
    Node* last = nullptr;
  };
  struct State;

  Fragment parse_alternatives();
  Fragment parse_sequence();
  Fragment parse_atom();
  Fragment parse_group();
  Fragment parse_escape();
  Fragment parse_repeat(Fragment atom);
  bool parse_counts(int& low, int& high);
  std::bitset<256> parse_class();
  std::bitset<256> class_of(char letter, bool& known) const;
  Fragment set_fragment(std::bitset<256> set);
  Fragment fragment(Kind kind);
  Fragment join(Fragment a, Fragment b);
  bool run(const Node* n, std::size_t at, State& s) const;
  bool run_loop(const Node* n, std::size_t at, State& s) const;
  bool run_simple(const Node* n, std::size_t at, State& s) const;
  bool run_look(const Node* n, std::size_t at, State& s) const;
  bool more() const { return at_ < pattern_.size(); }
  char peek() const { return more() ? pattern_[at_] : '\0'; }

  std::deque<Node> nodes_;
  std::vector<std::string> group_names_;
  const Node* start_ = nullptr;
  std::string pattern_;
  std::size_t at_ = 0;
  int loops_ = 0, depth_ = 0;
  RegexOptions options_;
};

}  // namespace orrery::oml
