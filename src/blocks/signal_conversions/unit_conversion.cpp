// SPDX-License-Identifier: Apache-2.0
// UnitConversion: one table of units, each as a factor and an offset to the coherent unit of its quantity.
#include <fmt/format.h>

#include <numbers>

#include "blocks/signal_conversions/signal_conversions.h"

namespace orrery::blocks {
namespace {

// value in the coherent unit = factor * value + offset. Exact definitions: The International System of Units, 9th
// edition (BIPM 2019); NIST Special Publication 811, appendix B, for the others.
struct Unit {
  const char* quantity;
  const char* name;
  double factor;
  double offset = 0;
};

constexpr double inch = 0.0254, pound = 0.45359237, gravity = 9.80665, degree = std::numbers::pi / 180;
constexpr Unit units[] = {
    {"length", "m", 1},
    {"length", "km", 1000},
    {"length", "cm", 0.01},
    {"length", "mm", 0.001},
    {"length", "um", 1e-6},
    {"length", "in", inch},
    {"length", "ft", 12 * inch},
    {"length", "yd", 36 * inch},
    {"length", "mi", 63360 * inch},
    {"length", "nmi", 1852},
    {"mass", "kg", 1},
    {"mass", "g", 0.001},
    {"mass", "mg", 1e-6},
    {"mass", "t", 1000},
    {"mass", "lb", pound},
    {"mass", "oz", pound / 16},
    {"mass", "slug", pound* gravity / (12 * inch)},
    {"time", "s", 1},
    {"time", "ms", 0.001},
    {"time", "us", 1e-6},
    {"time", "min", 60},
    {"time", "h", 3600},
    {"time", "d", 86400},
    {"temperature", "K", 1},
    {"temperature", "degC", 1, 273.15},
    {"temperature", "degF", 5.0 / 9, 459.67 * 5 / 9},
    {"temperature", "degR", 5.0 / 9},
    {"angle", "rad", 1},
    {"angle", "deg", degree},
    {"angle", "rev", 2 * std::numbers::pi},
    {"angle", "grad", std::numbers::pi / 200},
    {"angle", "arcmin", degree / 60},
    {"angle", "arcsec", degree / 3600},
    {"angular velocity", "rad/s", 1},
    {"angular velocity", "deg/s", degree},
    {"angular velocity", "rpm", std::numbers::pi / 30},
    {"angular velocity", "Hz", 2 * std::numbers::pi},
    {"velocity", "m/s", 1},
    {"velocity", "km/h", 1 / 3.6},
    {"velocity", "mph", 63360 * inch / 3600},
    {"velocity", "ft/s", 12 * inch},
    {"velocity", "kn", 1852.0 / 3600},
    {"acceleration", "m/s2", 1},
    {"acceleration", "ft/s2", 12 * inch},
    {"acceleration", "gn", gravity},
    {"force", "N", 1},
    {"force", "kN", 1000},
    {"force", "lbf", pound* gravity},
    {"force", "kgf", gravity},
    {"force", "dyn", 1e-5},
    {"torque", "N.m", 1},
    {"torque", "lbf.ft", pound* gravity * 12 * inch},
    {"torque", "lbf.in", pound* gravity* inch},
    {"pressure", "Pa", 1},
    {"pressure", "kPa", 1e3},
    {"pressure", "MPa", 1e6},
    {"pressure", "bar", 1e5},
    {"pressure", "atm", 101325},
    {"pressure", "psi", pound* gravity / (inch * inch)},
    {"energy", "J", 1},
    {"energy", "kJ", 1e3},
    {"energy", "MJ", 1e6},
    {"energy", "Wh", 3600},
    {"energy", "kWh", 3.6e6},
    {"energy", "cal", 4.184},
    {"energy", "Btu", 1055.05585262},
    {"power", "W", 1},
    {"power", "kW", 1e3},
    {"power", "MW", 1e6},
    {"power", "hp", 550 * 12 * inch* pound* gravity},
    {"power", "PS", 75 * gravity},
    {"volume", "m3", 1},
    {"volume", "l", 1e-3},
    {"volume", "cm3", 1e-6},
    {"volume", "gal", 231 * inch* inch* inch},
    {"volume", "ft3", 1728 * inch* inch* inch},
    {"area", "m2", 1},
    {"area", "cm2", 1e-4},
    {"area", "mm2", 1e-6},
    {"area", "in2", inch* inch},
    {"area", "ft2", 144 * inch* inch},
    {"flow", "m3/s", 1},
    {"flow", "m3/h", 1.0 / 3600},
    {"flow", "l/min", 1e-3 / 60},
    {"flow", "gal/min", 231 * inch* inch* inch / 60},
};

const Unit& unit_named(const Parameters& p, const char* parameter) {
  const std::string& name = p.text(parameter);
  for (const Unit& unit : units) {
    if (name == unit.name) return unit;
  }
  std::string known;
  for (const Unit& unit : units) known += (known.empty() ? "" : ", ") + std::string(unit.name);
  p.fail(parameter, fmt::format("'{}' is not a unit that is known here", name), "the known ones are " + known);
}

}  // namespace

const BlockType unit_conversion = {
    .name = "UnitConversion",
    .palette = "SignalConversions",
    .summary = "The same quantity in another unit: y = a u + b.",
    .description =
        "Units of length (m, km, cm, mm, um, in, ft, yd, mi, nmi), mass (kg, g, mg, t, lb, oz, slug), time (s, ms, us, "
        "min, h, d), temperature (K, degC, degF, degR), angle (rad, deg, rev, grad, arcmin, arcsec), angular velocity "
        "(rad/s, deg/s, rpm, Hz), velocity (m/s, km/h, mph, ft/s, kn), acceleration (m/s2, ft/s2, gn), force (N, kN, "
        "lbf, kgf, dyn), torque (N.m, lbf.ft, lbf.in), pressure (Pa, kPa, MPa, bar, atm, psi), energy (J, kJ, MJ, Wh, "
        "kWh, cal, Btu), power (W, kW, MW, hp, PS), volume (m3, l, cm3, gal, ft3), area (m2, cm2, mm2, in2, ft2) and "
        "flow (m3/s, m3/h, l/min, gal/min).",
    .icon = {.text = "{from} → {to}"},
    .parameters = {{"from", "'degC'", "unit of the input"}, {"to", "'K'", "unit of the output"}},
    .ports = [](Ports& p) { p.input("u", {}, Scalar::f64).output("y", {}, Scalar::f64); },
    .build =
        [](Block& b) {
          const Unit& from = unit_named(b.parameters(), "from");
          const Unit& to = unit_named(b.parameters(), "to");
          if (std::string(from.quantity) != to.quantity) {
            b.fail("to", fmt::format("{} is a {}, but {} is a {}", to.name, to.quantity, from.name, from.quantity));
          }
          const double factor = from.factor / to.factor, offset = (from.offset - to.offset) / to.factor;
          const Expr scaled = factor == 1 ? b.in() : factor * b.in();
          b.out(1, offset == 0 ? scaled : scaled + offset);
        },
};

}  // namespace orrery::blocks
