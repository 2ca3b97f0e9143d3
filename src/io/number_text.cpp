// SPDX-License-Identifier: Apache-2.0
// Numbers to text and back, independent of the locale.
#include "io/number_text.h"

#include <charconv>
#include <cmath>

namespace orrery::io {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

void append_number(std::string& text, double x) {
  if (std::isnan(x)) {
    text += "nan";  // without a sign: which NaN it is means nothing to a reader
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
  text.append(buffer, end);
}

std::string number_text(double x) {
  std::string text;
  append_number(text, x);
  return text;
}

std::string short_number(double x, int digits) {
  if (std::isnan(x)) return "nan";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::general, digits).ptr;
  return {buffer, end};
}

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  // Out of range is an honest infinity or zero, as strtod has it; from_chars leaves x alone.
  if (error == std::errc::result_out_of_range) {
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
    const double size = tiny ? 0.0 : HUGE_VAL;
    return text.front() == '-' ? -size : size;
  }
  if (error != std::errc()) return std::nullopt;
  return x;
}

}  // namespace orrery::io
