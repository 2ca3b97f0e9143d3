// SPDX-License-Identifier: Apache-2.0
// Finding places in JSON text and explaining syntax errors there.
#include "model/json_text.h"

#include <algorithm>
#include <string>

namespace orrery::model {
namespace {

// The length of the well-formed sequence at the start of text, 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool too_high = first == 0xf4 && byte(1) > 0x8f;
    return continues(1) && continues(2) && continues(3) && !overlong && !too_high ? 4 : 0;
  }
  return 0;
}

// "[…] parse error at line 3, column 5: syntax error while … - unexpected X; last read: 'Y'; expected Z" without the
// identifier and the position, which is the place of the diagnostic, and without the token, which may be long.
std::string plain_reason(std::string_view reason) {
  if (const auto column = reason.find(", column "); column != std::string_view::npos) {
    const auto colon = reason.find(": ", column);
    if (colon != std::string_view::npos) reason.remove_prefix(colon + 2);
  } else if (const auto bracket = reason.find("] "); bracket != std::string_view::npos) {
    reason.remove_prefix(bracket + 2);
  }
  std::string result(reason);
  const auto token = result.find("; last read: '");
  if (token != std::string::npos) {
    const auto expected = result.rfind("'; expected ");
    const auto end = expected != std::string::npos && expected > token ? expected + 1 : result.size();
    result.erase(token, end - token);
  }
  constexpr std::size_t longest = 300;
  if (result.size() > longest) result = result.substr(0, longest) + "…";
  return result;
}

}  // namespace

Place place_of(std::string_view text, std::size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const auto line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  const std::string_view line = before.substr(line_start);
  Place place;
  place.file = file;
  place.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  place.column = 1 + static_cast<int>(std::count_if(line.begin(), line.end(), is_first_byte));
  return place;
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i, 4));
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

void report_syntax(std::string_view text, std::size_t offset, std::string_view reason, const std::string& file,
                   Diagnostics& diagnostics) {
  offset = std::min(offset, text.size());
  const std::string_view rest = text.substr(offset);
  if (rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with("#")) {
    diagnostics.error("json-syntax", place_of(text, offset, file), "comments are not part of JSON",
                      "put remarks into an \"about\" field, or after % in a context line");
    return;
  }
  std::string help;
  if (rest.starts_with("'")) help = "JSON strings stand in double quotes";
  const std::string_view before = text.substr(0, offset);
  const auto last = before.find_last_not_of(" \t\r\n");
  if ((rest.starts_with("]") || rest.starts_with("}")) && last != std::string_view::npos && before[last] == ',') {
    help = "JSON allows no comma after the last element: remove it";
  }
  const bool begins = rest.starts_with("{") || rest.starts_with("[") || rest.starts_with("\"");
  if (begins && last != std::string_view::npos && std::string_view("}]\"").find(before[last]) != std::string_view::npos)
    help = "a comma is missing between two elements";
  if (rest.empty()) help = "the file ends too early: a bracket or quote is not closed";
  diagnostics.error("json-syntax", place_of(text, offset, file), plain_reason(reason), std::move(help));
}

}  // namespace orrery::model
