// SPDX-License-Identifier: Apache-2.0
// Units of measurement: exponents of the seven base units of SI, and how many of those one of this unit is.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::units {

constexpr std::size_t base_units = 7;  // m kg s A K mol cd

// A product of powers. Products of units add all these numbers, powers multiply them.
struct Unit {
  std::array<double, base_units> exponents = {};
  double log_factor = 0;  // natural logarithm of its size in base units: km has log(1000)

  friend Unit operator+(const Unit& a, const Unit& b);
  friend Unit operator-(const Unit& a, const Unit& b);
  friend Unit operator*(const Unit& a, double power);
};

struct ParsedUnit {
  Unit unit;
  double offset = 0;  // of the zero point, in base units: degC has 273.15
};

bool same_dimension(const Unit& a, const Unit& b);
bool same_size(const Unit& a, const Unit& b);
double factor_between(const Unit& from, const Unit& to);  // numbers in `from` times this are numbers in `to`

Unit second();

// "kg m/s^2", "kg*m*s-2", "m**2", "1/s", "(m/s)/s", "1": what follows a / up to the next factor is divided by. Nothing
// and a message where a name is not in the table. `any_case`: a text in capitals, as on punched cards, means lower case
// where there is such a unit.
struct UnitError {
  std::string message, help;
};
std::optional<ParsedUnit> parse_unit(std::string_view text, bool any_case, UnitError& error);

// "m s^-2", "kg m s^-2 (N)", "1", "km s^-1": products of base units, with the name of one that has no other size, or
// the factor before.
std::string to_text(const Unit& unit);

// One line of the table, for documentation and tests.
struct NamedUnit {
  std::string_view name;
  std::string_view what;
  Unit unit;
  double offset = 0;
  bool prefixes = false;  // takes k, m, M, …
};
const std::vector<NamedUnit>& unit_table();

}  // namespace orrery::units
