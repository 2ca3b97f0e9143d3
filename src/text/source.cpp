// SPDX-License-Identifier: Apache-2.0
// Lines, positions, excerpts.
#include "text/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"

namespace orrery::text {
namespace {

constexpr std::size_t widest_excerpt = 100;

// Tabs keep their place in the caret's line, so that it stands under the same column wherever they lead.
std::string blanks_below(std::string_view line) {
  std::string blanks;
  for (const char c : line) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // of a character in UTF-8
    if (!continues) blanks += c == '\t' ? '\t' : ' ';
  }
  return blanks;
}

}  // namespace

Source::Source(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  starts_.push_back(0);
  for (std::size_t k = 0; k < text_.size(); ++k) {
    if (text_[k] == '\n') starts_.push_back(k + 1);
  }
}

std::string_view Source::line(int number) const {
  if (number < 1 || number > lines()) return {};
  const std::size_t begin = starts_[static_cast<std::size_t>(number - 1)];
  const std::size_t end = text_.find('\n', begin);
  std::string_view line = std::string_view(text_).substr(begin, end == std::string::npos ? end : end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Position Source::position(std::size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<std::size_t>(after - starts_.begin());
  return {static_cast<int>(line), static_cast<int>(offset - starts_[line - 1]) + 1};
}

std::vector<std::string> excerpt(std::string_view line, Position at) {
  std::size_t column = at.column > 0 ? static_cast<std::size_t>(at.column - 1) : 0;
  column = std::min(column, line.size());
  const std::size_t begin = column > widest_excerpt / 2 && line.size() > widest_excerpt
                                ? std::min(column - widest_excerpt / 2, line.size() - widest_excerpt)
                                : 0;
  const std::string_view shown = line.substr(begin, widest_excerpt);
  const std::string number = fmt::format("{:>4}", at.line);
  std::vector<std::string> lines{fmt::format("{} | {}", number, printable(shown))};
  if (at.column > 0) {
    lines.push_back(std::string(number.size(), ' ') + " | " + blanks_below(shown.substr(0, column - begin)) + "^");
  }
  return lines;
}

Diagnostic& Source::show(Diagnostic& diagnostic, Position at) const {
  if (at.line > 0 && !line(at.line).empty()) diagnostic.notes = excerpt(line(at.line), at);
  return diagnostic;
}

Diagnostic& Source::error(Diagnostics& diagnostics, std::string code, Position at, std::string message,
                          std::string help) const {
  return show(diagnostics.error(std::move(code), place(at), std::move(message), std::move(help)), at);
}

Diagnostic& Source::warning(Diagnostics& diagnostics, std::string code, Position at, std::string message,
                            std::string help) const {
  return show(diagnostics.warning(std::move(code), place(at), std::move(message), std::move(help)), at);
}

}  // namespace orrery::text
