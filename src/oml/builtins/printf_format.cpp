// SPDX-License-Identifier: Apache-2.0
// printf formats applied to OML values.
#include "oml/builtins/printf_format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/interrupt.h"
#include "oml/memory.h"
#include "oml/nesting.h"

namespace orrery::oml {

std::string process_escapes(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '\\' || k + 1 >= text.size()) {
      out += text[k];
      continue;
    }
    const char c = text[++k];
    static constexpr std::string_view names = "abfnrtv", codes = "\a\b\f\n\r\t\v";
    const std::size_t at = names.find(c);
    if (at != std::string_view::npos) {
      out += codes[at];
    } else if (c == 'x') {
      int value = 0, digits = 0;
      while (digits < 2 && k + 1 < text.size() && std::isxdigit(static_cast<unsigned char>(text[k + 1]))) {
        value = value * 16 + std::stoi(std::string(1, text[++k]), nullptr, 16);
        ++digits;
      }
      out += static_cast<char>(value);
    } else if (c >= '0' && c <= '7') {
      int value = c - '0';
      for (int digits = 1; digits < 3 && k + 1 < text.size() && text[k + 1] >= '0' && text[k + 1] <= '7'; ++digits) {
        value = value * 8 + (text[++k] - '0');
      }
      out += static_cast<char>(value);
    } else if (c == '\\' || c == '"' || c == '\'') {
      out += c;
    } else {
      out += '\\';
      out += c;
    }
  }
  return out;
}

namespace {

// What the format takes its data from, cells opened: texts, and numbers as real arrays.
void flatten(const Value& v, std::vector<Value>& out) {
  const NestingGuard guard;
  if (v.is_text()) {
    out.push_back(v);
  } else if (v.is_cell()) {
    for (const Value& item : v.cell().data) flatten(item, out);
  } else if (v.is_complex()) {
    const Value z = to_complex(v);  // of complex numbers the real parts
    Value parts = Value::real_uninitialised(z.dims());
    for (Index i = 0; i < z.numel(); ++i) parts.edit_real()[i] = z.complex()[i].real();
    if (parts.numel() > 0) out.push_back(parts);
  } else if (v.kind() == Kind::handle || v.is_struct()) {
    fail("a " + v.class_name() + " cannot be printed by a format");
  } else if (v.numel() > 0) {
    out.push_back(to_real(v));
  }
}

struct Piece {
  std::string literal;  // printed before the conversion
  std::string flags;    // "-08.3" between % and the letter
  char letter = 0;      // 0: no conversion
  int stars = 0;
};

std::vector<Piece> split(const std::string& format) {
  std::vector<Piece> pieces;
  Piece piece;
  for (std::size_t k = 0; k < format.size(); ++k) {
    if (format[k] != '%') {
      piece.literal += format[k];
      continue;
    }
    if (k + 1 < format.size() && format[k + 1] == '%') {
      piece.literal += '%';
      ++k;
      continue;
    }
    std::size_t e = k + 1;
    while (e < format.size() && std::string_view("-+ #0123456789.*").find(format[e]) != std::string_view::npos) {
      if (format[e] == '*') ++piece.stars;
      piece.flags += format[e++];
    }
    while (e < format.size() && (format[e] == 'l' || format[e] == 'h')) ++e;
    if (e < format.size() && format[e] == '%' && piece.stars > 0) {  // %*% takes an argument and prints %
      piece.letter = '%';
      pieces.push_back(piece);
      piece = Piece();
      k = e;
      continue;
    }
    if (e >= format.size() || std::string_view("diouxXeEfFgGcsaA").find(format[e]) == std::string_view::npos) {
      piece.literal += format.substr(k, e - k);
      piece.flags.clear();
      piece.stars = 0;
      k = e - 1;
      continue;
    }
    piece.letter = format[e];
    pieces.push_back(piece);
    piece = Piece();
    k = e;
  }
  if (!piece.literal.empty() || pieces.empty()) pieces.push_back(piece);
  return pieces;
}

// The texts of one format, which may not be larger than the memory of scripts; neither may one of them on its way.
constexpr double longest_text = 1e8;

void expect_text(double size) {
  charge_memory(static_cast<std::size_t>(2 * size));
  memory_account().used -= static_cast<std::size_t>(2 * size);
}

// The widths and precisions of a conversion: C's own printf makes room for them before it says how much that is.
void check_flags(std::string_view flags) {
  double number = 0, sum = 0;
  for (const char c : flags) {
    number = c >= '0' && c <= '9' ? 10 * number + (c - '0') : 0;
    if (number > longest_text) fail("the format gives too much text");
    sum = std::max(sum, number);
  }
  if (sum > 1e6) expect_text(8 * sum);
}

template <class... Args>
std::string print_c(const std::string& format, Args... args) {
  check_flags(format);
  const int n = std::snprintf(nullptr, 0, format.c_str(), args...);
  if (n < 0 || n > longest_text) fail("the format gives too much text");
  std::string out(static_cast<std::size_t>(n), '\0');
  std::snprintf(out.data(), out.size() + 1, format.c_str(), args...);
  return out;
}

std::string without_precision(std::string flags) {
  const std::size_t dot = flags.find('.');
  if (dot != std::string::npos) flags.resize(dot);
  std::erase(flags, '0');
  return flags;
}

std::string shortest(double x) {
  std::string s = print_c("%.5g", x);
  if (x == std::floor(x) && std::abs(x) < 1e10) s = print_c("%.0f", x);
  return s;
}

std::string print_number(const Piece& p, const std::string& flags, double x) {
  const std::string head = "%" + flags;
  switch (p.letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      if (!std::isfinite(x))
        return print_c("%" + without_precision(flags) + "s", std::isnan(x) ? "NaN" : x > 0 ? "Inf" : "-Inf");
      if (std::abs(x) >= 9.2e18) return print_c(head + "e", x);
      const char letter = p.letter == 'i' || p.letter == 'u' ? 'd' : p.letter;
      return print_c(head + "ll" + letter, static_cast<long long>(x));
    }
    case 'c': return print_c("%" + without_precision(flags) + "c", static_cast<int>(x));
    case 's':
      if (x == std::floor(x) && x >= 0 && x < 256)
        return print_c("%" + flags + "s", std::string(1, static_cast<char>(x)).c_str());
      return print_c("%" + without_precision(flags) + "s", shortest(x).c_str());
    default:
      if (!std::isfinite(x))
        return print_c("%" + without_precision(flags) + "s", std::isnan(x) ? "NaN" : x > 0 ? "Inf" : "-Inf");
      return print_c(head + p.letter, x);
  }
}

class Source {
 public:
  explicit Source(std::vector<Value> data) : data_(std::move(data)) {}
  bool empty() const { return at_ >= data_.size(); }
  bool next_is_text() const { return !empty() && data_[at_].is_text() && element_ == 0; }
  std::string take_text() { return to_string(data_[at_++]); }
  // Strings are taken character by character here.
  double take_number() {
    const Value& v = data_[at_];
    double x = 0;
    if (v.numel() > 0) x = v.is_text() ? static_cast<double>(v.bytes()[element_]) : v.real()[element_];
    if (++element_ >= v.numel()) {
      ++at_;
      element_ = 0;
    }
    return x;
  }
  // Empty strings give nothing to conversions that want characters.
  void skip_empty_text() {
    while (!empty() && data_[at_].is_text() && data_[at_].is_empty()) ++at_;
  }

 private:
  std::vector<Value> data_;
  std::size_t at_ = 0;
  Index element_ = 0;
};

std::string expand_stars(const Piece& p, Source& source) {
  std::string out;
  for (char c : p.flags) {
    if (c == '*')
      out += std::to_string(source.empty() ? 0 : static_cast<int>(source.take_number()));
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string format_printf(const std::string& given, std::span<const Value> values) {
  const std::string format = process_escapes(given);
  std::vector<Value> data;
  for (const Value& v : values) flatten(v, data);
  Source source(std::move(data));
  const std::vector<Piece> pieces = split(format);
  bool converts = false;
  for (const Piece& p : pieces) converts = converts || p.letter != 0;
  const bool had_data = !values.empty();
  std::string out;
  bool first = true;
  InterruptPoll poll;
  std::size_t checked = 0;
  do {
    for (const Piece& p : pieces) {
      poll();
      if (out.size() > checked + (std::size_t{1} << 20)) {  // a text that would pass the memory limit is an error
        checked = out.size();
        poll_interrupt();
        expect_text(static_cast<double>(checked));
      }
      if (p.letter != 's') source.skip_empty_text();
      // Once the data have run out, the rest of the format from the next conversion on is dropped.
      if (p.letter != 0 && had_data && source.empty() && !first) return out + p.literal;
      out += p.literal;
      if (p.letter == 0) continue;
      if (p.letter == '%') {
        if (source.empty()) return out;
        source.take_number();
        out += '%';
        first = false;
        continue;
      }
      const std::string flags = expand_stars(p, source);
      if (source.empty()) {
        out += print_c("%" + without_precision(flags) + "s", "");
        if (had_data) first = false;
        continue;
      }
      if (p.letter == 's' && source.next_is_text()) {
        const std::string text = source.take_text();
        // A C string would end at a zero character.
        out += flags.empty() ? text : print_c("%" + flags + "s", text.c_str());
      } else
        out += print_number(p, flags, source.take_number());
      first = false;
    }
  } while (converts && had_data && !source.empty());
  return out;
}

}  // namespace orrery::oml
