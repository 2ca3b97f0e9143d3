// SPDX-License-Identifier: Apache-2.0
// Patterns compiled and matched by PCRE2 (pcre2api, pcre2callout).
#include "oml/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <exception>

#include "oml/error.h"

namespace orrery::oml {
namespace {

// A search that is done with few backtracks needs no watch. Another one is repeated with a callout before each item of
// the pattern: their number and the way between them is the work done, also where one start of the match is cheap and
// there are very many of them.
constexpr std::size_t quick_backtracks = 1000000;
constexpr std::size_t max_work = 10000000;
constexpr std::size_t work_per_turn = 4096;
constexpr std::size_t characters_per_callout = 16;  // are passed in the time of one
constexpr std::uint32_t max_backtracks = 20000000;
constexpr std::uint32_t max_kilobytes = 128 * 1024;

[[noreturn]] void fail_pattern(const std::string& what) { fail("regular expression: " + what); }

std::string message_of(int code) {
  PCRE2_UCHAR8 text[256] = {};
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

// PCRE2 has no \< and \>.
std::string with_word_ends(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    const char c = pattern[k];
    if (c == '\\' && k + 1 < pattern.size()) {
      const char next = pattern[++k];
      if (!in_class && next == '<')
        out += "\\b(?=\\w)";
      else if (!in_class && next == '>')
        out += "\\b(?<=\\w)";
      else
        out.append({c, next});
      continue;
    }
    if (in_class && c == '[' && pattern.compare(k, 2, "[:") == 0) {
      const std::size_t end = pattern.find(":]", k);
      if (end != std::string_view::npos) {
        out.append(pattern.substr(k, end + 2 - k));
        k = end + 1;
        continue;
      }
    }
    if (!in_class && c == '[') {
      in_class = true;
      out += c;
      // A bracket right after the opening one, or after its ^, is a member.
      if (k + 1 < pattern.size() && pattern[k + 1] == '^') out += pattern[++k];
      if (k + 1 < pattern.size() && pattern[k + 1] == ']') out += pattern[++k];
      continue;
    }
    if (in_class && c == ']') in_class = false;
    out += c;
  }
  return out;
}

struct Work {
  const std::function<void()>& turn;
  std::size_t done = 0, next_turn = work_per_turn, place = 0;
  std::exception_ptr thrown;  // must not pass through PCRE2, which is C
};

int count_callout(pcre2_callout_block_8* callout, void* data) {
  Work& work = *static_cast<Work*>(data);
  const std::size_t place = callout->current_position;
  work.done += 1 + (place > work.place ? place - work.place : work.place - place) / characters_per_callout;
  work.place = place;
  if (work.done < work.next_turn) return 0;
  if (work.done >= max_work) return PCRE2_ERROR_MATCHLIMIT;
  work.next_turn = work.done + work_per_turn;
  try {
    if (work.turn) work.turn();
  } catch (...) {
    work.thrown = std::current_exception();
    return PCRE2_ERROR_CALLOUT;
  }
  return 0;
}

}  // namespace

struct Regex::Compiled {
  pcre2_code_8* code = nullptr;
  pcre2_match_data_8* groups = nullptr;
  pcre2_match_context_8* limits = nullptr;
  ~Compiled() {
    pcre2_match_context_free_8(limits);
    pcre2_match_data_free_8(groups);
    pcre2_code_free_8(code);
  }
};

Regex::~Regex() = default;

std::unique_ptr<Regex::Compiled> Regex::compile(bool watched) const {
  auto out = std::make_unique<Compiled>();
  const std::unique_ptr<pcre2_compile_context_8, decltype(&pcre2_compile_context_free_8)> context(
      pcre2_compile_context_create_8(nullptr), pcre2_compile_context_free_8);
  pcre2_set_compile_extra_options_8(context.get(), PCRE2_EXTRA_BAD_ESCAPE_IS_LITERAL);
  int error = 0;
  PCRE2_SIZE at = 0;
  out->code = pcre2_compile_8(reinterpret_cast<PCRE2_SPTR8>(pattern_.data()), pattern_.size(),
                              flags_ | (watched ? PCRE2_AUTO_CALLOUT : 0), &error, &at, context.get());
  if (out->code == nullptr) fail_pattern(message_of(error));
  out->groups = pcre2_match_data_create_from_pattern_8(out->code, nullptr);
  out->limits = pcre2_match_context_create_8(nullptr);
  if (out->groups == nullptr || out->limits == nullptr) fail("out of memory");
  pcre2_set_match_limit_8(out->limits, max_backtracks);
  pcre2_set_heap_limit_8(out->limits, max_kilobytes);
  return out;
}

Regex::Regex(std::string_view given, const RegexOptions& options)
    : pattern_(with_word_ends(given)), flags_(PCRE2_DOLLAR_ENDONLY | PCRE2_DUPNAMES) {
  if (options.ignore_case) flags_ |= PCRE2_CASELESS;
  if (options.dot_matches_newline) flags_ |= PCRE2_DOTALL;
  if (options.line_anchors) flags_ |= PCRE2_MULTILINE;
  if (options.free_spacing) flags_ |= PCRE2_EXTENDED;
  quick_ = compile(false);
  std::uint32_t groups = 0, names = 0, entry = 0;
  PCRE2_SPTR8 table = nullptr;
  pcre2_pattern_info_8(quick_->code, PCRE2_INFO_CAPTURECOUNT, &groups);
  pcre2_pattern_info_8(quick_->code, PCRE2_INFO_NAMECOUNT, &names);
  pcre2_pattern_info_8(quick_->code, PCRE2_INFO_NAMEENTRYSIZE, &entry);
  pcre2_pattern_info_8(quick_->code, PCRE2_INFO_NAMETABLE, &table);
  group_names_.resize(groups);
  for (std::uint32_t k = 0; k < names; ++k, table += entry) {
    const std::size_t number = static_cast<std::size_t>(table[0]) * 256 + table[1];
    group_names_.at(number - 1) = reinterpret_cast<const char*>(table + 2);
  }
}

bool Regex::search(std::string_view text, std::size_t from, RegexMatch& match,
                   const std::function<void()>& turn) const {
  const auto run = [&](Compiled& c) {
    return pcre2_match_8(c.code, reinterpret_cast<PCRE2_SPTR8>(text.data()), text.size(), from, 0, c.groups, c.limits);
  };
  // PCRE2 counts for each start of a match, of which there may be as many as characters.
  const std::size_t share = std::max<std::size_t>(quick_backtracks / (text.size() + 1), 50);
  pcre2_set_match_limit_8(quick_->limits, static_cast<std::uint32_t>(share));
  const Compiled* used = quick_.get();
  int found = run(*quick_);
  if (found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_HEAPLIMIT) {
    if (!watched_) watched_ = compile(true);
    Work work{turn, 0, work_per_turn, from, nullptr};
    pcre2_set_callout_8(watched_->limits, count_callout, &work);
    found = run(*watched_);
    used = watched_.get();
    if (work.thrown) std::rethrow_exception(work.thrown);
  }
  if (found == PCRE2_ERROR_NOMATCH) return false;
  if (found == PCRE2_ERROR_MATCHLIMIT) fail_pattern("the pattern takes too long");
  if (found == PCRE2_ERROR_HEAPLIMIT) fail_pattern("the text is too long for this pattern");
  if (found < 0) fail_pattern(message_of(found));
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer_8(used->groups);
  // \K inside a look-ahead can put the start of a match after its end.
  match.begin = std::min(ends[0], ends[1]);
  match.end = ends[1];
  match.groups.assign(group_names_.size(), {std::string::npos, std::string::npos});
  for (std::size_t g = 0; g < match.groups.size(); ++g)
    if (ends[2 * g + 2] != PCRE2_UNSET) match.groups[g] = {ends[2 * g + 2], ends[2 * g + 3]};
  return true;
}

}  // namespace orrery::oml
