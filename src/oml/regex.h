// SPDX-License-Identifier: Apache-2.0
// Regular expressions on PCRE2: Perl's syntax, with a limit on the work and a place to interrupt it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

class Regex {
 public:
  // Throws OmlError when the pattern is malformed. \< and \> are the start and the end of a word.
  Regex(std::string_view pattern, const RegexOptions& options);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  // Throws OmlError when the work exceeds a limit, so that hostile patterns end. `turn` is called now and then while it
  // goes on; what it throws ends the search.
  bool search(std::string_view text, std::size_t from, RegexMatch& match, const std::function<void()>& turn) const;
  // Empty for groups without a name.
  const std::vector<std::string>& group_names() const { return group_names_; }

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compile(bool watched) const;

  std::string pattern_;
  std::uint32_t flags_ = 0;
  std::unique_ptr<Compiled> quick_;
  mutable std::unique_ptr<Compiled> watched_;  // with callouts, made when the quick one gives up
  std::vector<std::string> group_names_;
};

}  // namespace orrery::oml
