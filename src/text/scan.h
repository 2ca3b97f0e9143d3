// SPDX-License-Identifier: Apache-2.0
// Names, numbers and quoted texts at an offset of a text: what lexers are made of. Bytes, not locales.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::text {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = to_lower(c);
  return lower;
}

// How many characters from `at` on hold.
template <class Holds>
constexpr std::size_t count_while(std::string_view text, std::size_t at, Holds&& holds) {
  std::size_t end = at;
  while (end < text.size() && holds(text[end])) ++end;
  return end - at;
}

// A quoted text that begins at `at`; a doubled quote stands for one. Nothing where it does not end in its line.
struct Quoted {
  std::string value;
  std::size_t length = 0;  // with the quotes
};
inline std::optional<Quoted> scan_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  Quoted found;
  for (std::size_t k = at + 1; k < text.size() && text[k] != '\n'; ++k) {
    if (text[k] != quote) {
      found.value += text[k];
    } else if (k + 1 < text.size() && text[k + 1] == quote) {
      found.value += quote;
      ++k;
    } else {
      found.length = k + 1 - at;
      return found;
    }
  }
  return std::nullopt;
}

// The number a text is in full: decimal, with a point or an exponent (e or d) or without. Nothing: it is none, or one
// that no double can hold.
inline std::optional<double> number_of(std::string_view text) {
  std::string plain(text);
  for (char& c : plain) {
    if (c == 'd' || c == 'D') c = 'e';
  }
  double value = 0;
  const char* begin = plain.data();
  const char* end = begin + plain.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace orrery::text
