// SPDX-License-Identifier: Apache-2.0
// Products, quotients and powers of units with and without prefixes.
#include "export/fmu_units.h"

#include <cctype>
#include <cmath>
#include <numbers>
#include <string_view>

namespace orrery::code_export {
namespace {

struct KnownUnit {
  std::string_view name;
  int exponents[8];  // kg m s A K mol cd rad
  double factor = 1, offset = 0;
  bool takes_prefix = true;
};

constexpr double inch_m = 0.0254, pound_kg = 0.45359237, standard_gravity = 9.80665,
                 degree_rad = std::numbers::pi / 180;

// The International System of Units, 9th edition (BIPM 2019); NIST Special Publication 811, appendix B.
constexpr KnownUnit known_units[] = {
    {"m", {0, 1, 0, 0, 0, 0, 0, 0}},
    {"g", {1, 0, 0, 0, 0, 0, 0, 0}, 1e-3},
    {"s", {0, 0, 1, 0, 0, 0, 0, 0}},
    {"A", {0, 0, 0, 1, 0, 0, 0, 0}},
    {"K", {0, 0, 0, 0, 1, 0, 0, 0}},
    {"mol", {0, 0, 0, 0, 0, 1, 0, 0}},
    {"cd", {0, 0, 0, 0, 0, 0, 1, 0}},
    {"rad", {0, 0, 0, 0, 0, 0, 0, 1}},
    {"Hz", {0, 0, -1, 0, 0, 0, 0, 0}},
    {"N", {1, 1, -2, 0, 0, 0, 0, 0}},
    {"Pa", {1, -1, -2, 0, 0, 0, 0, 0}},
    {"J", {1, 2, -2, 0, 0, 0, 0, 0}},
    {"W", {1, 2, -3, 0, 0, 0, 0, 0}},
    {"C", {0, 0, 1, 1, 0, 0, 0, 0}},
    {"V", {1, 2, -3, -1, 0, 0, 0, 0}},
    {"F", {-1, -2, 4, 2, 0, 0, 0, 0}},
    {"Ohm", {1, 2, -3, -2, 0, 0, 0, 0}},
    {"ohm", {1, 2, -3, -2, 0, 0, 0, 0}},
    {"S", {-1, -2, 3, 2, 0, 0, 0, 0}},
    {"Wb", {1, 2, -2, -1, 0, 0, 0, 0}},
    {"T", {1, 0, -2, -1, 0, 0, 0, 0}},
    {"H", {1, 2, -2, -2, 0, 0, 0, 0}},
    {"bar", {1, -1, -2, 0, 0, 0, 0, 0}, 1e5},
    {"l", {0, 3, 0, 0, 0, 0, 0, 0}, 1e-3},
    {"L", {0, 3, 0, 0, 0, 0, 0, 0}, 1e-3},
    {"t", {1, 0, 0, 0, 0, 0, 0, 0}, 1e3, 0, false},
    {"min", {0, 0, 1, 0, 0, 0, 0, 0}, 60, 0, false},
    {"h", {0, 0, 1, 0, 0, 0, 0, 0}, 3600, 0, false},
    {"d", {0, 0, 1, 0, 0, 0, 0, 0}, 86400, 0, false},
    {"deg", {0, 0, 0, 0, 0, 0, 0, 1}, degree_rad, 0, false},
    {"rev", {0, 0, 0, 0, 0, 0, 0, 1}, 2 * std::numbers::pi, 0, false},
    {"rpm", {0, 0, -1, 0, 0, 0, 0, 1}, std::numbers::pi / 30, 0, false},
    {"degC", {0, 0, 0, 0, 1, 0, 0, 0}, 1, 273.15, false},
    {"degF", {0, 0, 0, 0, 1, 0, 0, 0}, 5.0 / 9, 459.67 * 5 / 9, false},
    {"in", {0, 1, 0, 0, 0, 0, 0, 0}, inch_m, 0, false},
    {"ft", {0, 1, 0, 0, 0, 0, 0, 0}, 12 * inch_m, 0, false},
    {"mi", {0, 1, 0, 0, 0, 0, 0, 0}, 63360 * inch_m, 0, false},
    {"mph", {0, 1, -1, 0, 0, 0, 0, 0}, 63360 * inch_m / 3600, 0, false},
    {"kn", {0, 1, -1, 0, 0, 0, 0, 0}, 1852.0 / 3600, 0, false},
    {"lb", {1, 0, 0, 0, 0, 0, 0, 0}, pound_kg, 0, false},
    {"lbf", {1, 1, -2, 0, 0, 0, 0, 0}, pound_kg* standard_gravity, 0, false},
    {"psi", {1, -1, -2, 0, 0, 0, 0, 0}, pound_kg* standard_gravity / (inch_m * inch_m), 0, false},
    {"atm", {1, -1, -2, 0, 0, 0, 0, 0}, 101325, 0, false},
    {"%", {}, 0.01, 0, false},
    {"1", {}, 1, 0, false},
};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr Prefix prefixes[] = {{"da", 1e1}, {"d", 1e-1},  {"c", 1e-2},  {"m", 1e-3}, {"u", 1e-6},
                               {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}, {"h", 1e2},  {"k", 1e3},
                               {"M", 1e6},  {"G", 1e9},   {"T", 1e12},  {"P", 1e15}};

class UnitReader {
 public:
  explicit UnitReader(const std::string& text) : text_(text) { unit_.name = text; }

  std::optional<FmuUnit> read() {
    if (text_.empty() || !product(1) || at_ != text_.size()) return std::nullopt;
    if (unit_.offset != 0 && factors_ > 1) return std::nullopt;  // what 1 degC/s is, an offset does not say
    return unit_;
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  // A quotient of more than two parts is read from the left, "J/kg.K" as J/(kg.K), as the standard of Modelica has it.
  bool product(int power) {
    int sign = power;
    for (;;) {
      if (!factor(sign)) return false;
      if (next() == '/') {
        sign = -power;
      } else if (next() != '.' && next() != '*') {
        return true;
      }
      ++at_;
    }
  }

  bool factor(int power) {
    if (next() == '(') {
      ++at_;
      if (!product(power) || next() != ')') return false;
      ++at_;
      return true;
    }
    const std::size_t begin = at_;
    while (std::isalpha(static_cast<unsigned char>(next())) != 0 || next() == '%') ++at_;
    std::string_view name(text_.data() + begin, at_ - begin);
    if (name.empty() && next() == '1') {
      name = "1";
      ++at_;
    }
    return take(name, power * exponent());
  }

  int exponent() {
    if (next() == '^') ++at_;
    int sign = 1, number = 0;
    if (next() == '-' || next() == '+') sign = text_[at_++] == '-' ? -1 : 1;
    const std::size_t begin = at_;
    while (std::isdigit(static_cast<unsigned char>(next())) != 0 && at_ - begin < 3)
      number = 10 * number + (text_[at_++] - '0');
    return at_ == begin ? sign : sign * number;
  }

  bool take(std::string_view name, int power) {
    ++factors_;
    for (const KnownUnit& known : known_units) {
      if (known.name == name) return apply(known, 1, power);
    }
    for (const Prefix& prefix : prefixes) {
      if (!name.starts_with(prefix.name)) continue;
      for (const KnownUnit& known : known_units) {
        if (known.takes_prefix && known.name == name.substr(prefix.name.size()))
          return apply(known, prefix.factor, power);
      }
    }
    return false;
  }

  bool apply(const KnownUnit& known, double prefix, int power) {
    if (known.offset != 0 && power != 1) return false;
    for (int k = 0; k < 8; ++k) unit_.exponents[k] += power * known.exponents[k];
    const double factor = prefix * known.factor;
    for (int k = 0; k < std::abs(power); ++k) unit_.factor = power > 0 ? unit_.factor * factor : unit_.factor / factor;
    unit_.offset += known.offset;
    return true;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int factors_ = 0;
  FmuUnit unit_;
};

}  // namespace

std::optional<FmuUnit> parse_unit(const std::string& text) { return UnitReader(text).read(); }

}  // namespace orrery::code_export
