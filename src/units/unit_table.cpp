// SPDX-License-Identifier: Apache-2.0
// Units of SI (The International System of Units, 9th edition, tables 2, 4, 7 and 8) and common others, with the exact
// factors of NIST Special Publication 811, appendix B.
#include <cmath>
#include <numbers>

#include "units/unit.h"

namespace orrery::units {
namespace {

struct Exponents {
  double m = 0, kg = 0, s = 0, a = 0, k = 0, mol = 0, cd = 0;
};

NamedUnit row(std::string_view name, std::string_view what, const Exponents& e, double factor = 1,
              bool prefixes = false, double offset = 0) {
  NamedUnit made{name, what, {}, offset, prefixes};
  made.unit.exponents = {e.m, e.kg, e.s, e.a, e.k, e.mol, e.cd};
  made.unit.log_factor = std::log(factor);
  return made;
}

std::vector<NamedUnit> make_table() {
  const double pi = std::numbers::pi;
  const Exponents none{}, length{.m = 1}, mass{.kg = 1}, time{.s = 1}, area{.m = 2}, volume{.m = 3};
  const Exponents speed{.m = 1, .s = -1}, force{.m = 1, .kg = 1, .s = -2}, energy{.m = 2, .kg = 1, .s = -2};
  const Exponents power{.m = 2, .kg = 1, .s = -3}, pressure{.m = -1, .kg = 1, .s = -2}, frequency{.s = -1};
  const Exponents charge{.s = 1, .a = 1}, activity{.s = -1}, dose{.m = 2, .s = -2};
  const double foot = 0.3048, pound = 0.45359237, gravity = 9.80665;
  return {
      // base units
      row("m", "metre", length, 1, true),
      row("g", "gram", mass, 1e-3, true),
      row("s", "second", time, 1, true),
      row("A", "ampere", {.a = 1}, 1, true),
      row("K", "kelvin", {.k = 1}, 1, true),
      row("mol", "mole", {.mol = 1}, 1, true),
      row("cd", "candela", {.cd = 1}, 1, true),
      // with names of their own
      row("N", "newton", force, 1, true),
      row("Pa", "pascal", pressure, 1, true),
      row("J", "joule", energy, 1, true),
      row("W", "watt", power, 1, true),
      row("Hz", "hertz", frequency, 1, true),
      row("C", "coulomb", charge, 1, true),
      row("V", "volt", {.m = 2, .kg = 1, .s = -3, .a = -1}, 1, true),
      row("Ohm", "ohm", {.m = 2, .kg = 1, .s = -3, .a = -2}, 1, true),
      row("ohm", "ohm", {.m = 2, .kg = 1, .s = -3, .a = -2}, 1, true),
      row("S", "siemens", {.m = -2, .kg = -1, .s = 3, .a = 2}, 1, true),
      row("F", "farad", {.m = -2, .kg = -1, .s = 4, .a = 2}, 1, true),
      row("H", "henry", {.m = 2, .kg = 1, .s = -2, .a = -2}, 1, true),
      row("Wb", "weber", {.m = 2, .kg = 1, .s = -2, .a = -1}, 1, true),
      row("T", "tesla", {.kg = 1, .s = -2, .a = -1}, 1, true),
      row("lm", "lumen", {.cd = 1}, 1, true),
      row("lx", "lux", {.m = -2, .cd = 1}, 1, true),
      row("Bq", "becquerel", activity, 1, true),
      row("Gy", "gray", dose, 1, true),
      row("Sv", "sievert", dose, 1, true),
      row("kat", "katal", {.s = -1, .mol = 1}, 1, true),
      // angles and numbers
      row("rad", "radian", none, 1, true),
      row("sr", "steradian", none),
      row("deg", "degree", none, pi / 180),
      row("rev", "revolution", none, 2 * pi),
      row("rpm", "revolutions a minute", frequency, 2 * pi / 60),
      row("percent", "hundredth", none, 0.01),
      row("%", "hundredth", none, 0.01),
      // time
      row("min", "minute", time, 60),
      row("h", "hour", time, 3600),
      row("d", "day", time, 86400),
      row("day", "day", time, 86400),
      row("week", "week", time, 604800),
      row("yr", "Julian year", time, 31557600),
      // length, area, volume
      row("in", "inch", length, 0.0254),
      row("ft", "foot", length, foot),
      row("yd", "yard", length, 0.9144),
      row("mi", "mile", length, 1609.344),
      row("nmi", "nautical mile", length, 1852),
      row("au", "astronomical unit", length, 149597870700.0),
      row("ha", "hectare", area, 1e4),
      row("acre", "acre", area, 43560 * foot * foot),
      row("l", "litre", volume, 1e-3, true),
      row("L", "litre", volume, 1e-3, true),
      row("gal", "US gallon", volume, 231 * 0.0254 * 0.0254 * 0.0254),
      // mass, force, pressure
      row("t", "tonne", mass, 1000, true),
      row("lb", "pound", mass, pound),
      row("lbm", "pound (mass)", mass, pound),
      row("oz", "ounce", mass, pound / 16),
      row("slug", "slug", mass, pound * gravity / foot),
      row("lbf", "pound-force", force, pound * gravity),
      row("kgf", "kilogram-force", force, gravity),
      row("dyn", "dyne", force, 1e-5),
      row("bar", "bar", pressure, 1e5, true),
      row("atm", "standard atmosphere", pressure, 101325),
      row("psi", "pound-force per square inch", pressure, pound * gravity / (0.0254 * 0.0254)),
      row("torr", "torr", pressure, 101325.0 / 760),
      row("mmHg", "millimetre of mercury", pressure, 133.322387415),
      // energy, power, speed
      row("eV", "electronvolt", energy, 1.602176634e-19, true),
      row("cal", "calorie (thermochemical)", energy, 4.184, true),
      row("BTU", "British thermal unit (IT)", energy, 1055.05585262),
      row("Wh", "watt-hour", energy, 3600, true),
      row("erg", "erg", energy, 1e-7),
      row("hp", "horsepower (550 ft lbf/s)", power, 550 * foot * pound * gravity),
      row("kn", "knot", speed, 1852.0 / 3600),
      row("mph", "mile an hour", speed, 0.44704),
      row("g0", "standard acceleration of free fall", {.m = 1, .s = -2}, gravity),
      // temperature
      row("degC", "degree Celsius", {.k = 1}, 1, false, 273.15),
      row("degF", "degree Fahrenheit", {.k = 1}, 5.0 / 9, false, 459.67 * 5 / 9),
      row("degR", "degree Rankine", {.k = 1}, 5.0 / 9),
  };
}

}  // namespace

const std::vector<NamedUnit>& unit_table() {
  static const std::vector<NamedUnit> table = make_table();
  return table;
}

}  // namespace orrery::units
