// SPDX-License-Identifier: Apache-2.0
// Numbers to text and back: num2str, str2double, bases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/printf_format.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

bool all_whole(const RealArray& a) {
  return std::all_of(a.data.begin(), a.data.end(), [](double x) { return !std::isfinite(x) || x == std::floor(x); });
}

std::string plain(double x, int precision) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Inf" : "-Inf";
  return fmt::format("{:.{}g}", x, precision);
}

std::string trimmed(const std::string& s) {
  const std::size_t b = s.find_first_not_of(' '), e = s.find_last_not_of(' ');
  return b == std::string::npos ? "" : s.substr(b, e - b + 1);
}

// Rows of a matrix in one text, line ends between them.
Value rows_as_text(const std::vector<std::string>& rows) {
  std::string out;
  for (std::size_t k = 0; k < rows.size(); ++k) out += (k > 0 ? "\n" : "") + rows[k];
  return Value::text(out);
}

// Columns two blanks apart, as wide as the widest number needs; common leading blanks are removed.
Value matrix_text(const RealArray& a, int digits) {
  const Index rows = a.dims.rows(), cols = rows == 0 ? 0 : a.size() / rows;
  double largest = 0;
  for (double x : a.data)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  const bool whole = all_whole(a);
  const int before = largest >= 1 ? static_cast<int>(std::floor(std::log10(largest))) + 1 : 1;
  const bool negative = std::any_of(a.data.begin(), a.data.end(), [](double x) { return x < 0; });
  std::vector<std::string> lines;
  const int decimals = std::min(digits >= 0 ? digits : 5, 50);
  const bool special = std::any_of(a.data.begin(), a.data.end(), [](double x) { return !std::isfinite(x); });
  const int whole_width = std::max(before, special ? 3 : 1) + (negative ? 1 : 0) + 2;
  const int width = whole && digits < 0 ? whole_width : whole_width + (decimals > 0 ? decimals + 1 : 0);
  for (Index r = 0; r < rows; ++r) {
    std::string line;
    for (Index c = 0; c < cols; ++c) {
      const double x = a[r + c * rows];
      const std::string text =
          !std::isfinite(x) ? plain(x, 5) : fmt::format("{:.{}f}", x, whole && digits < 0 ? 0 : decimals);
      line += fmt::format("{:>{}}", text, width);
    }
    lines.push_back(line);
  }
  std::size_t common = std::string::npos;
  for (const std::string& l : lines) common = std::min(common, l.find_first_not_of(' '));
  for (std::string& l : lines)
    if (common != std::string::npos) l.erase(0, common);
  return lines.size() == 1 ? Value::text(trimmed(lines[0])) : rows_as_text(lines);
}

std::string complex_text(Complex z, int digits, bool in_matrix) {
  const auto one = [&](double x) {
    if (in_matrix && std::isfinite(x) && (digits >= 0 || x != std::floor(x)))
      return fmt::format("{:.{}f}", x, std::min(digits < 0 ? 5 : digits, 50));
    return x == std::floor(x) && digits < 0 ? fmt::format("{:.0f}", x) : plain(x, digits < 0 ? 5 : digits);
  };
  return one(z.real()) + (std::signbit(z.imag()) ? "-" : "+") + one(std::abs(z.imag())) + "i";
}

void num2str(Call& c) {
  if (c[0].is_text()) return c.ret(c[0]);
  if (!c[0].is_arithmetic()) fail_argument(1, "must be numeric");
  const Value full_value = full(c[0]);
  if (c.is_text(1)) {
    const Value v = to_numeric(full_value);
    const Index rows = v.dims().rows();
    std::vector<std::string> lines;
    for (Index r = 0; r < rows; ++r) {
      std::vector<double> line;
      for (Index k = 0; k < v.numel() / rows; ++k) {
        if (v.kind() == Kind::complex)
          line.push_back(v.complex()[r + k * rows].real()), line.push_back(v.complex()[r + k * rows].imag());
        else
          line.push_back(v.real()[r + k * rows]);
      }
      const Value data = Value::row(line);
      lines.push_back(format_printf(c.text(1), std::span<const Value>(&data, 1)));
    }
    return c.ret(rows_as_text(lines));
  }
  const int digits = c.has(1) ? static_cast<int>(c.whole(1)) : -1;
  if (full_value.is_complex()) {
    const Value z = to_complex(full_value);
    const Index rows = z.dims().rows();
    std::vector<std::string> lines(static_cast<std::size_t>(rows));
    for (Index i = 0; i < z.numel(); ++i) {
      std::string& line = lines[static_cast<std::size_t>(i % rows)];
      line += (line.empty() ? "" : "  ") + complex_text(z.complex()[i], digits, z.numel() > 1);
    }
    return c.ret(rows_as_text(lines));
  }
  const Value v = to_real(full_value);
  if (v.numel() == 0) return c.ret(Value::text(""));
  if (v.numel() == 1) {
    const double x = v.real()[0];
    if (digits >= 0) return c.ret(Value::text(plain(x, digits)));
    if (x == std::floor(x) && std::abs(x) < 1e15) return c.ret(Value::text(fmt::format("{:.0f}", x)));
    const double m = std::abs(x);
    const int significant = m >= 1 ? std::clamp(static_cast<int>(std::floor(std::log10(m))) + 5, 5, 16) : 5;
    return c.ret(Value::text(plain(x, std::isfinite(x) ? significant : 5)));
  }
  c.ret(matrix_text(v.real(), digits));
}

void int2str(Call& c) {
  Value v = to_real(c[0]);
  for (double& x : v.edit_real().data) x = std::round(x);
  if (v.numel() == 1) return c.ret(Value::text(fmt::format("{:.0f}", v.real()[0])));
  c.ret(matrix_text(v.real(), -1));
}

std::string with_decimals(double x, int decimals) {
  if (decimals < 0 || !std::isfinite(x)) return plain(x, 15);
  return fmt::format("{:.{}f}", x, x == std::floor(x) ? 0 : decimals);
}

void mat2str(Call& c) {
  if (c[0].is_text()) return c.ret(Value::text("\"" + to_string(c[0]) + "\""));
  // Decimals: one number, or one for real and one for imaginary parts; without them as many digits as count.
  int digits = -1, imaginary_digits = -1;
  bool with_class = false;
  for (int k = 1; k < c.count(); ++k) {
    if (c.is_text(k)) {
      with_class = c.text(k) == "class";
      continue;
    }
    const std::vector<double> given = to_vector(c[k]);
    if (given.empty() || given.size() > 2 ||
        !(given[0] >= 0 && given[0] <= 50 && given.back() >= 0 && given.back() <= 50))
      fail_argument(k + 1, "must be a number of decimals");
    digits = static_cast<int>(given[0]);
    imaginary_digits = static_cast<int>(given.back());
  }
  const Value v = to_numeric(full(c[0]));
  const Dims d = v.dims();
  if (d.count() > 2) fail_argument(1, "must be a matrix");
  const bool logical = c[0].is_logical();
  const auto entry = [&](Index i) {
    if (v.kind() == Kind::complex) {
      const Complex z = v.complex()[i];
      return with_decimals(z.real(), digits) + (std::signbit(z.imag()) ? " - " : " + ") +
             with_decimals(std::abs(z.imag()), imaginary_digits) + "i";
    }
    if (logical) return std::string(v.real()[i] != 0 ? "true" : "false");
    return with_decimals(v.real()[i], digits);
  };
  const auto give = [&](const std::string& text) {
    c.ret(Value::text(with_class && !logical ? c[0].class_name() + "(" + text + ")" : text));
  };
  if (d.numel() == 1) return give(entry(0));
  if (d.numel() == 0) return c.ret(Value::text(fmt::format("zeros({},{})", d.rows(), d.cols())));
  std::string out = "[";
  for (Index r = 0; r < d.rows(); ++r) {
    if (r > 0) out += ";";
    for (Index k = 0; k < d.cols(); ++k) out += (k > 0 ? " " : "") + entry(r + k * d.rows());
  }
  give(out + "]");
}

// One real number with optional sign; moves `at` behind it.
bool read_real(const std::string& s, std::size_t& at, double& x) {
  const char* begin = s.c_str() + at;
  const std::string rest = s.substr(at, 4);
  double sign = 1;
  std::size_t k = 0;
  if (k < rest.size() && (rest[k] == '+' || rest[k] == '-')) sign = rest[k++] == '-' ? -1 : 1;
  while (at + k < s.size() && s[at + k] == ' ') ++k;
  std::string word;
  for (std::size_t j = at + k; j < s.size() && word.size() < 3; ++j) word += static_cast<char>(std::tolower(s[j]));
  if (word == "inf" || word == "nan") {
    x = word == "inf" ? sign * INFINITY : NAN;
    at += k + 3;
    return true;
  }
  begin = s.c_str() + at + k;
  if (!std::isdigit(static_cast<unsigned char>(*begin)) && *begin != '.') return false;
  std::string digits;
  for (const char* p = begin; *p != '\0'; ++p) {
    if (*p == ',') continue;  // thousands
    digits += *p == 'd' || *p == 'D' ? 'e' : *p;
  }
  if (digits.size() > 1 && (digits[1] == 'x' || digits[1] == 'X')) return false;
  char* end = nullptr;
  x = sign * std::strtod(digits.c_str(), &end);
  auto used = static_cast<std::size_t>(end - digits.c_str());
  if (used == 0) return false;
  std::size_t raw = 0;
  while (used > 0)
    if (begin[raw++] != ',') --used;
  at += k + raw;
  return true;
}

bool is_unit(const std::string& s, std::size_t at) {
  return at < s.size() && (s[at] == 'i' || s[at] == 'j' || s[at] == 'I' || s[at] == 'J');
}

// "3", "1.5e3", "2+3i", "i", "1e3 - 2i": NaN when it is anything else.
Complex parse_number(const std::string& given) {
  const Complex bad(NAN, 0);
  const std::string s = trimmed(given);
  if (s.empty()) return bad;
  double re = 0, im = 0;
  bool has_re = false, has_im = false;
  std::size_t at = 0;
  while (at < s.size()) {
    while (at < s.size() && s[at] == ' ') ++at;
    double x = 0;
    std::size_t k = at;
    double sign = 1;
    if (k < s.size() && (s[k] == '+' || s[k] == '-'))
      sign = s[k++] == '-' ? -1 : 1;
    else if (has_re || has_im)
      return bad;
    while (k < s.size() && s[k] == ' ') ++k;
    const bool inf_word = s.compare(k, 3, "inf") == 0 || s.compare(k, 3, "Inf") == 0;
    if (is_unit(s, k) && !inf_word) {
      if (has_im) return bad;
      im = sign;
      has_im = true;
      at = k + 1;
      continue;
    }
    if (!read_real(s, at, x)) return bad;
    if (at < s.size() && s[at] == '*') ++at;
    if (is_unit(s, at)) {
      if (has_im) return bad;
      im = x;
      has_im = true;
      ++at;
    } else {
      if (has_re) return bad;
      re = x;
      has_re = true;
    }
  }
  return Complex(re, im);
}

void str2double(Call& c) {
  const auto convert = [](const Value& v) -> Value {
    if (!v.is_text()) return Value(NAN);
    const Complex z = parse_number(to_string(v));
    return z.imag() == 0 ? Value(z.real()) : Value(z);
  };
  if (c[0].is_cell()) {
    Value out = Value::complex_zeros(c[0].dims());
    for (Index i = 0; i < out.numel(); ++i) out.edit_complex()[i] = to_complex_scalar(convert(c[0].cell()[i]));
    return c.ret(narrowed(out));
  }
  if (c[0].is_text() && c[0].dims().rows() > 1) {
    std::vector<double> out;
    for (const std::string& r : text_rows(c[0])) out.push_back(parse_number(r).real());
    return c.ret(Value::column(out));
  }
  if (!c[0].is_text() && c[0].numel() != 1) {
    Value out = Value::zeros(c[0].dims());
    for (double& x : out.edit_real().data) x = NAN;
    return c.ret(out);
  }
  c.ret(convert(c[0]));
}

void str2num(Call& c) {
  std::string text = "[";
  for (const std::string& r : text_rows(c[0])) text += r + ";";
  text += "]";
  try {
    Values out;
    c.oml.eval_text(text, c.oml.current_frame(), 1, out);
    if (out.empty()) fail("no value");
    c.ret(stored(out[0]));
    c.ret(Value(true));
  } catch (const OmlError&) {
    c.ret(Value::empty());
    c.ret(Value(false));
  }
}

std::string in_base(double x, int base, Index width) {
  if (x < 0 || x != std::floor(x) || x > 9.007e15) fail_argument(1, "must be a non-negative integer");
  auto n = static_cast<std::uint64_t>(x);
  std::string out;
  do {
    out += "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n % static_cast<std::uint64_t>(base)];
    n /= static_cast<std::uint64_t>(base);
  } while (n > 0);
  while (static_cast<Index>(out.size()) < width) out += '0';
  std::reverse(out.begin(), out.end());
  return out;
}

void to_base(Call& c, int base, int width_at) {
  if (base < 2 || base > 36) fail_argument(2, "must be between 2 and 36");
  std::vector<std::string> rows;
  Index width = c.has(width_at) ? std::min<Index>(c.whole(width_at), 100000) : 0;
  const std::vector<double> numbers = to_vector(c[0]);
  for (double x : numbers) width = std::max(width, static_cast<Index>(in_base(x, base, 0).size()));
  for (double x : numbers) rows.push_back(in_base(x, base, width));
  c.ret(rows.size() == 1 ? Value::text(rows[0]) : text_matrix(rows));
}

void from_base(Call& c, int base) {
  std::vector<double> out;
  for (const std::string& s : text_list(c[0])) {
    double x = 0;
    bool bad = false;
    for (char ch : s) {
      if (ch == ' ') continue;
      const int digit = std::isdigit(static_cast<unsigned char>(ch))   ? ch - '0'
                        : std::isalpha(static_cast<unsigned char>(ch)) ? std::tolower(ch) - 'a' + 10
                                                                       : 99;
      bad = bad || digit >= base;
      x = x * base + digit;
    }
    out.push_back(bad || s.empty() ? NAN : x);
  }
  c.ret(unboxed(Value::column(out)));
}

void de2bi(Call& c) {
  const std::vector<double> x = to_vector(c[0]);
  Index width = c.has(1) && !c[1].is_text() && !c[1].is_empty() ? c.whole(1) : 1;
  const double base = c.has(2) && !c[2].is_text() && !c[2].is_empty() ? c.number(2) : 2;
  if (!(base >= 2) || std::isinf(base)) fail_argument(3, "must be at least 2");
  bool left = false;
  for (int k = 1; k < c.count(); ++k)
    if (c.is_text(k)) left = c.text(k) == "left-msb";
  if (!c.has(1) || c[1].is_text() || c[1].is_empty()) {
    for (double v : x)
      while (std::isfinite(v) && std::pow(base, static_cast<double>(width)) <= v) ++width;
  }
  Value out = Value::zeros(Dims(static_cast<Index>(x.size()), width));
  for (std::size_t r = 0; r < x.size(); ++r) {
    double v = x[r];
    if (v < 0 || v != std::floor(v)) fail_argument(1, "must be non-negative integers");
    for (Index k = 0; k < width; ++k) {
      out.edit_real().at(static_cast<Index>(r), left ? width - 1 - k : k) = std::fmod(v, base);
      v = std::floor(v / base);
    }
  }
  c.ret(unboxed(out));
}

void bi2de(Call& c) {
  const Value v = to_real(c[0]);
  const double base = c.has(1) && !c[1].is_text() && !c[1].is_empty() ? c.number(1) : 2;
  bool left = false;
  for (int k = 1; k < c.count(); ++k)
    if (c.is_text(k)) left = c.text(k) == "left-msb";
  const Index rows = v.dims().rows(), cols = v.dims().cols();
  Value out = Value::zeros(Dims(rows, 1));
  for (Index r = 0; r < rows; ++r) {
    for (Index k = 0; k < cols; ++k) {
      out.edit_real()[r] += v.real().at(r, left ? cols - 1 - k : k) * std::pow(base, static_cast<double>(k));
    }
  }
  c.ret(unboxed(out));
}

constexpr Builtin number_text_table[] = {
    {"num2str", 1, 2, num2str,
     "num2str(x, digits|format): x as text; of a matrix digits are decimals and line ends stand between the rows.",
     "data, real scalar text []"},
    {"int2str", 1, 1, int2str, "int2str(x): x rounded, as text.", "real"},
    {"mat2str", 1, 3, mat2str,
     "mat2str(A, decimals): text that gives A when evaluated; [p q] are decimals of real and imaginary parts.",
     "data, real, option:class"},
    {"str2double", 1, 1, str2double, "str2double(s): number in the text, NaN when it is none.", "any"},
    {"str2num", 1, 1, str2num, "[x, ok] = str2num(s): value of the text as a matrix expression.", "text"},
    {"dec2bin", 1, 2, [](Call& c) { to_base(c, 2, 1); }, "dec2bin(n, width): binary digits of n.", "real, count"},
    {"dec2hex", 1, 2, [](Call& c) { to_base(c, 16, 1); }, "dec2hex(n, width): hexadecimal digits of n.", "real, count"},
    {"dec2base", 2, 3, [](Call& c) { to_base(c, static_cast<int>(c.whole(1)), 2); },
     "dec2base(n, base, width): digits of n in a base.", "real, dim, count"},
    {"bin2dec", 1, 1, [](Call& c) { from_base(c, 2); }, "bin2dec(s): number of binary digits.", "texts"},
    {"hex2dec", 1, 1, [](Call& c) { from_base(c, 16); }, "hex2dec(s): number of hexadecimal digits.", "texts"},
    {"base2dec", 2, 2, [](Call& c) { from_base(c, static_cast<int>(c.whole(1))); },
     "base2dec(s, base): number of digits in a base.", "texts, dim"},
    {"de2bi", 1, 4, de2bi, "de2bi(n, width, base, 'left-msb'): digits of numbers as rows, lowest first.",
     "real, count [] word:left-msb/right-msb, real scalar [] word:left-msb/right-msb, word:left-msb/right-msb"},
    {"bi2de", 1, 3, bi2de, "bi2de(rows, base, 'left-msb'): numbers of rows of digits, lowest first.",
     "real, real scalar [] word:left-msb/right-msb, word:left-msb/right-msb"},
};

}  // namespace

BuiltinFamily number_text_builtins() { return number_text_table; }

}  // namespace orrery::oml
