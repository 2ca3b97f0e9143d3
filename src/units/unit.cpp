// SPDX-License-Identifier: Apache-2.0
// Arithmetic, reading and writing of units.
#include "units/unit.h"

#include <fmt/format.h>

#include <cmath>

#include "base/rational.h"

namespace orrery::units {
namespace {

constexpr double tiny = 1e-9;

struct Prefix {
  std::string_view sign;
  double factor;
};
constexpr std::array prefixes = {
    Prefix{"da", 1e1},  Prefix{"Q", 1e30},  Prefix{"R", 1e27},  Prefix{"Y", 1e24},  Prefix{"Z", 1e21},
    Prefix{"E", 1e18},  Prefix{"P", 1e15},  Prefix{"T", 1e12},  Prefix{"G", 1e9},   Prefix{"M", 1e6},
    Prefix{"k", 1e3},   Prefix{"h", 1e2},   Prefix{"d", 1e-1},  Prefix{"c", 1e-2},  Prefix{"m", 1e-3},
    Prefix{"u", 1e-6},  Prefix{"n", 1e-9},  Prefix{"p", 1e-12}, Prefix{"f", 1e-15}, Prefix{"a", 1e-18},
    Prefix{"z", 1e-21}, Prefix{"y", 1e-24}, Prefix{"µ", 1e-6},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%'; }

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// By its own name first, then with a prefix: "min" is the minute and not a milli-inch.
std::optional<ParsedUnit> find_named(std::string_view name) {
  for (const NamedUnit& known : unit_table()) {
    if (known.name == name) return ParsedUnit{known.unit, known.offset};
  }
  for (const Prefix& prefix : prefixes) {
    if (!name.starts_with(prefix.sign)) continue;
    const std::string_view rest = name.substr(prefix.sign.size());
    for (const NamedUnit& known : unit_table()) {
      if (!known.prefixes || known.name != rest) continue;
      ParsedUnit made{known.unit, 0};
      made.unit.log_factor += std::log(prefix.factor);
      return made;
    }
  }
  return std::nullopt;
}

// As written; in a text of capitals alone rather in lower case, else whatever the case.
std::optional<ParsedUnit> find_unit(std::string_view name, bool any_case) {
  if (!any_case) return find_named(name);
  const std::string lower = in_lower_case(name);
  if (const auto found = find_named(lower)) return found;
  if (const auto found = find_named(name)) return found;
  for (const NamedUnit& known : unit_table()) {
    if (in_lower_case(known.name) == lower) return ParsedUnit{known.unit, known.offset};
  }
  return std::nullopt;
}

class UnitParser {
 public:
  UnitParser(std::string_view text, bool any_case, UnitError& error)
      : text_(text), any_case_(any_case), error_(error) {}

  std::optional<ParsedUnit> run() {
    const auto made = product(0);
    skip();
    if (made && at_ < text_.size()) return fail(fmt::format("\"{}\" is not expected in a unit", text_.substr(at_)));
    return made;
  }

 private:
  std::optional<ParsedUnit> fail(std::string message, std::string help = {}) {
    if (error_.message.empty()) error_ = {std::move(message), std::move(help)};
    return std::nullopt;
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool accept(std::string_view sign) {
    skip();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  std::optional<ParsedUnit> product(int depth) {
    if (depth > 20) return fail("the unit is nested too deeply");
    std::optional<ParsedUnit> made;
    bool single = true;
    for (;;) {
      double sign = 1;
      skip();
      if (at_ >= text_.size() || text_[at_] == ')') break;
      if (accept("/")) {
        sign = -1;
      } else if (made && !text_.substr(at_).starts_with("**") && (accept("*") || accept("."))) {
      } else if (made && accept("·")) {
      }
      const auto one = factor(depth);
      if (!one) return std::nullopt;
      if (made || sign < 0) single = false;
      ParsedUnit next{(made ? made->unit : Unit{}) + one->unit * sign, one->offset};
      made = next;
    }
    if (!made) return fail("a unit is missing here", "[1] says that a quantity has none");
    if (!single) made->offset = 0;
    return made;
  }

  std::optional<ParsedUnit> factor(int depth) {
    skip();
    std::optional<ParsedUnit> made;
    if (accept("(")) {
      made = product(depth + 1);
      if (!made) return made;
      if (!accept(")")) return fail("the parenthesis of the unit is not closed");
    } else if (at_ < text_.size() && is_digit(text_[at_])) {
      const double value = digits();
      if (!(value > 0)) return fail("a number in a unit must be positive");
      made = ParsedUnit{};
      made->unit.log_factor = std::log(value);
      return made;  // a number has no power
    } else {
      const std::size_t begin = at_;
      if (text_.substr(at_).starts_with("µ")) at_ += std::string_view("µ").size();
      while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
      std::string_view name = text_.substr(begin, at_ - begin);
      if (name.empty()) return fail(fmt::format("\"{}\" is not expected in a unit", text_.substr(at_)));
      if (name == "g" && at_ < text_.size() && text_[at_] == '0') name = text_.substr(begin, ++at_ - begin);
      made = find_unit(name, any_case_);
      if (!made)
        return fail(fmt::format("there is no unit {}", name), "docs/languages/units.md lists the units that are known");
    }
    const double power = exponent();
    if (power != 1) made = ParsedUnit{made->unit * power, 0};
    return made;
  }

  double digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    if (at_ < text_.size() && text_[at_] == 'e' && at_ + 1 < text_.size() &&
        (is_digit(text_[at_ + 1]) ||
         ((text_[at_ + 1] == '-' || text_[at_ + 1] == '+') && at_ + 2 < text_.size() && is_digit(text_[at_ + 2])))) {
      at_ += 2;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    const auto value = parse_decimal(text_.substr(begin, at_ - begin));
    return value ? value->value() : 0;
  }

  // ^2, **2, ^-2, ^(1/2), 2, -2; also the small figures of Unicode.
  double exponent() {
    if (text_.substr(at_).starts_with("²")) return at_ += 2, 2;
    if (text_.substr(at_).starts_with("³")) return at_ += 2, 3;
    const bool written = accept("**") || accept("^");
    const bool closed = written && accept("(");
    const std::size_t begin = at_;
    double sign = 1;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) sign = text_[at_++] == '-' ? -1 : 1;
    if (at_ >= text_.size() || !is_digit(text_[at_])) return at_ = begin, 1;
    double value = digits();
    if (closed && accept("/")) value /= digits();
    if (closed) accept(")");
    return sign * value;
  }

  std::string_view text_;
  bool any_case_;
  UnitError& error_;
  std::size_t at_ = 0;
};

std::string exponent_text(double value) {
  const auto exact = approximate(value, 1e-7);
  if (!exact) return fmt::format("{:.6g}", value);
  if (exact->denominator == 1) return fmt::format("{}", exact->numerator);
  return fmt::format("({}/{})", exact->numerator, exact->denominator);
}

}  // namespace

Unit operator+(const Unit& a, const Unit& b) {
  Unit c = a;
  for (std::size_t k = 0; k < base_units; ++k) c.exponents[k] += b.exponents[k];
  c.log_factor += b.log_factor;
  return c;
}

Unit operator*(const Unit& a, double power) {
  Unit c = a;
  for (double& exponent : c.exponents) exponent *= power;
  c.log_factor *= power;
  return c;
}

Unit operator-(const Unit& a, const Unit& b) { return a + b * -1; }

bool same_dimension(const Unit& a, const Unit& b) {
  for (std::size_t k = 0; k < base_units; ++k) {
    if (std::fabs(a.exponents[k] - b.exponents[k]) > tiny) return false;
  }
  return true;
}

bool same_size(const Unit& a, const Unit& b) { return std::fabs(a.log_factor - b.log_factor) < tiny; }
double factor_between(const Unit& from, const Unit& to) { return std::exp(from.log_factor - to.log_factor); }

Unit second() {
  Unit made;
  made.exponents[2] = 1;
  return made;
}

std::optional<ParsedUnit> parse_unit(std::string_view text, bool any_case, UnitError& error) {
  constexpr std::size_t longest = 200;
  if (text.size() > longest) {
    error = {"the unit is too long", {}};
    return std::nullopt;
  }
  const bool capitals = any_case && text.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
  return UnitParser(text, capitals, error).run();
}

std::string to_text(const Unit& unit) {
  static constexpr std::array<std::string_view, base_units> names = {"m", "kg", "s", "A", "K", "mol", "cd"};
  std::string text;
  int factors = 0;
  for (const std::size_t k : {1, 0, 2, 3, 4, 5, 6}) {  // kg m s …, as usual
    const double e = unit.exponents[k];
    if (std::fabs(e) < tiny) continue;
    ++factors;
    text += (text.empty() ? "" : " ") + std::string(names[k]);
    if (std::fabs(e - 1) > tiny) text += "^" + exponent_text(e);
  }
  if (text.empty()) text = "1";
  std::string alias;
  for (const NamedUnit& known : unit_table()) {
    const bool plain = std::fabs(unit.log_factor) < tiny;
    if (!same_dimension(known.unit, unit) || !same_size(known.unit, unit) || known.offset != 0) continue;
    // Names of what is several base units, or of another size than these; s^-1 is no hertz unless somebody says so.
    if ((plain && factors < 2) || text == "1" || known.name == "Gy" || known.name == "Sv") continue;
    alias = known.name;
    break;
  }
  if (std::fabs(unit.log_factor) > tiny) {
    const std::string number = fmt::format("{:.9g}", std::exp(unit.log_factor));
    text = text == "1" ? number : number + " " + text;
  }
  return alias.empty() ? text : fmt::format("{} ({})", text, alias);
}

}  // namespace orrery::units
