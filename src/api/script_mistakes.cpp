// SPDX-License-Identifier: Apache-2.0
// Lines and remedies for diagnostics of scripts; reading again without the lines that are wrong.
#include "api/script_mistakes.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "oml/parser.h"
#include "text/source.h"

namespace orrery::api {
namespace {

constexpr std::size_t most_mistakes = 20;
constexpr std::size_t longest_searched = std::size_t{1} << 20;  // beyond it, only the first mistake: it is read once

// Where a line begins, and its length without the line feed.
struct Stretch {
  std::size_t begin = 0, length = 0;
};
Stretch line_of(std::string_view text, int number) {
  std::size_t begin = 0;
  for (int k = 1; k < number; ++k) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {text.size(), 0};
    begin = end + 1;
  }
  return {begin, std::min(text.find('\n', begin), text.size()) - begin};
}

// What takes the place of a line: as long as it is, so that the places of others stay.
std::string stand_in(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string_view code = line.substr(first);
  const auto begins = [&](std::string_view word) {
    return code.starts_with(word) &&
           (code.size() == word.size() || std::string_view(" \t(").find(code[word.size()]) != std::string_view::npos);
  };
  std::string made(line.size(), ' ');
  const char* opens = begins("if")       ? "if 0"
                      : begins("while")  ? "while 0"
                      : begins("for")    ? "while 0"
                      : begins("switch") ? "switch 0"
                      : begins("elseif") ? "elseif 0"
                      : begins("case")   ? "case 0"
                                         : "";
  const std::string_view word = opens;
  if (first + word.size() <= made.size()) made.replace(first, word.size(), word);
  return made;
}

// All mistakes of syntax, in the order of their lines. After one its line counts as empty, or as a block that does
// nothing where it opens one, and reading begins anew.
std::vector<oml::OmlError> find_mistakes(std::string_view text, const std::string& file) {
  std::vector<oml::OmlError> found;
  std::string left(text);
  oml::ParseOptions options;
  options.file = file;
  while (found.size() < most_mistakes) {
    try {
      oml::parse_script(left, options);
      break;
    } catch (const oml::OmlError& e) {
      const bool same =
          std::any_of(found.begin(), found.end(), [&](const oml::OmlError& f) { return f.line == e.line; });
      // What is not closed is noticed at the end, and may be the work of a line that was left out.
      if (same || (!found.empty() && e.kind == oml::ErrorKind::missing_end)) break;
      found.push_back(e);
      const Stretch line = line_of(left, e.line);
      if (e.kind == oml::ErrorKind::missing_end || line.length == 0 || text.size() > longest_searched) break;
      left.replace(line.begin, line.length, stand_in(std::string_view(left).substr(line.begin, line.length)));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const oml::OmlError& a, const oml::OmlError& b) { return a.line < b.line; });
  return found;
}

// What is usually the reason.
std::string remedy(const oml::OmlError& e) {
  if (e.kind == oml::ErrorKind::missing_end) return "each if, for, while, switch, try and function needs an end";
  const auto says = [&](const char* word) { return e.message.find(word) != std::string::npos; };
  if (says("missing") && says(")")) return "close the parenthesis";
  if (says("missing") && says("]")) return "close the bracket";
  if (says("unexpected")) return "something is missing before it, or it is too much";
  return {};
}

}  // namespace

Diagnostics script_mistakes(const oml::RunResult& result, const std::string& text, const std::string& file) {
  const text::Source source(file, text);
  Diagnostics shown;
  for (const Diagnostic& diagnostic : result.diagnostics.all()) {
    if (diagnostic.code == "oml-syntax" && (diagnostic.place.file == file || diagnostic.place.file.empty())) {
      for (const oml::OmlError& e : find_mistakes(text, file))
        source.error(shown, "oml-syntax", {e.line, e.column}, e.message, remedy(e));
      if (shown.has_errors()) continue;
    }
    Diagnostic copy = diagnostic;
    const text::Position at{copy.place.line, copy.place.column};
    if (at.line > 0 && copy.place.file == file) {
      const auto lines = text::excerpt(source.line(at.line), at);
      copy.notes.insert(copy.notes.begin(), lines.begin(), lines.end());
    }
    shown.add(std::move(copy));
  }
  return shown;
}

}  // namespace orrery::api
