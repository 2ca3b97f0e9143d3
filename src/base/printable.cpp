// SPDX-License-Identifier: Apache-2.0
// Reads UTF-8 byte by byte; most texts are copied as they are.
#include "base/printable.h"

#include <fmt/format.h>

namespace orrery {
namespace {

// Bytes of the character that begins here; 0: none begins here.
std::size_t length_at(std::string_view text) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  const unsigned first = byte(0);
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xc0U) == 0x80U; };
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    const bool long_form = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0);
    return follows(1) && follows(2) && !long_form ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    const bool outside = (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90);
    return follows(1) && follows(2) && follows(3) && !outside ? 4 : 0;
  }
  return 0;
}

// Marks of direction, and the separators that some terminals take for line ends.
bool turns_text(unsigned code) {
  return code == 0x61c || (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

std::string shown(std::string_view text, bool keeps_lines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = length_at(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length <= 1) {
      const bool kept =
          length == 1 && ((first >= 0x20 && first != 0x7f) || (keeps_lines && (first == '\n' || first == '\t')));
      if (kept) {
        result += text[0];
      } else {
        result += fmt::format("\\x{:02x}", first);
      }
      text.remove_prefix(1);
      continue;
    }
    unsigned code = first & (0xffU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) code = code << 6 | (static_cast<unsigned char>(text[k]) & 0x3fU);
    if (code < 0xa0 || turns_text(code)) {
      result += fmt::format("\\u{:04x}", code);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return shown(text, true); }
std::string printable_line(std::string_view text) { return shown(text, false); }

}  // namespace orrery
