// SPDX-License-Identifier: Apache-2.0
// A work list of equations with one unknown.
#include "units/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery::units {
namespace {

constexpr double smallest_power = 1e-9;
constexpr std::size_t longest_path = 12;

// One quantity by itself.
bool is_single(const Product& side) {
  return side.powers.size() == 1 && side.powers[0].power == 1 && same_dimension(side.known, {}) &&
         same_size(side.known, {});
}

}  // namespace

Product Product::of(QuantityId quantity) {
  Product made;
  made.powers.push_back({quantity, 1});
  return made;
}

Product Product::of(const Unit& unit) {
  Product made;
  made.known = unit;
  return made;
}

Product operator+(const Product& a, const Product& b) {
  Product c = a;
  for (const Product::Power& item : b.powers) {
    const auto same = std::find_if(c.powers.begin(), c.powers.end(),
                                   [&](const Product::Power& known) { return known.quantity == item.quantity; });
    if (same == c.powers.end()) {
      c.powers.push_back(item);
    } else if (std::fabs(same->power += item.power) < smallest_power) {
      c.powers.erase(same);
    }
  }
  c.known = a.known + b.known;
  c.number = a.number && b.number;
  c.shifted = a.shifted || b.shifted;
  return c;
}

Product operator*(const Product& a, double power) {
  Product c = a;
  for (Product::Power& item : c.powers) item.power *= power;
  if (power == 0) c.powers.clear();
  c.known = a.known * power;
  return c;
}

QuantityId Inference::add(std::string name) {
  Quantity made;
  made.name = std::move(name);
  quantities_.push_back(std::move(made));
  return static_cast<QuantityId>(quantities_.size() - 1);
}

void Inference::declare(QuantityId quantity, const ParsedUnit& unit, std::string where) {
  Quantity& item = quantities_[quantity];
  item.known = item.declared = item.has_zero = true;
  item.unit = unit.unit;
  item.offset = unit.offset;
  item.where = std::move(where);
}

std::size_t Inference::equate(Product left, Product right, std::string where, bool defines) {
  Equation made;
  const Product difference = left - right;
  made.powers = difference.powers;
  made.known = difference.known;
  made.left = std::move(left);
  made.right = std::move(right);
  made.where = std::move(where);
  made.defines = defines;
  equations_.push_back(std::move(made));
  return equations_.size() - 1;
}

// Equations that have one unknown less now.
void Inference::settle(QuantityId quantity) {
  for (const std::size_t use : quantities_[quantity].uses) {
    if (--equations_[use].unknown == 1) (equations_[use].defines ? definitions_ : uses_).push_back(use);
  }
}

// The one unknown of an equation.
void Inference::infer(const Equation& equation, std::size_t number) {
  if (equation.unknown != 1) return;
  Unit rest = equation.known;
  const Product::Power* open = nullptr;
  for (const Product::Power& item : equation.powers) {
    if (quantities_[item.quantity].known) {
      rest = rest + quantities_[item.quantity].unit * item.power;
    } else {
      open = &item;
    }
  }
  if (open == nullptr) return;
  Quantity& found = quantities_[open->quantity];
  found.unit = rest * (-1 / open->power);
  found.known = true;
  found.equation = number;
  if (is_single(equation.left) && is_single(equation.right) && !equation.left.shifted && !equation.right.shifted) {
    const QuantityId other = equation.left.powers[0].quantity == open->quantity ? equation.right.powers[0].quantity
                                                                                : equation.left.powers[0].quantity;
    found.has_zero = quantities_[other].has_zero;
    found.offset = quantities_[other].offset;
  }
  settle(open->quantity);
}

std::vector<Conflict> Inference::solve() {
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    Equation& equation = equations_[e];
    equation.unknown = 0;
    for (const Product::Power& item : equation.powers) {
      quantities_[item.quantity].uses.push_back(e);
      if (!quantities_[item.quantity].known) ++equation.unknown;
    }
    if (equation.unknown == 1) (equation.defines ? definitions_ : uses_).push_back(e);
  }
  // In the order of the text and what is defined first, so that the path that is told is the one a reader goes.
  for (std::size_t definition = 0, use = 0; definition < definitions_.size() || use < uses_.size();) {
    const std::size_t e = definition < definitions_.size() ? definitions_[definition++] : uses_[use++];
    infer(equations_[e], e);
  }
  std::vector<Conflict> conflicts;
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    const Equation& equation = equations_[e];
    if (equation.unknown > 0) continue;
    Unit rest = equation.known;
    for (const Product::Power& item : equation.powers) rest = rest + quantities_[item.quantity].unit * item.power;
    Conflict conflict;
    conflict.equation = e;
    if (!same_dimension(rest, {})) {
      conflict.kind = Conflict::Kind::dimension;
    } else if (!same_size(rest, {})) {
      conflict.kind = Conflict::Kind::size;
      conflict.factor = std::exp(-rest.log_factor);
    } else if (check_zero(equation, conflict)) {
      conflict.kind = Conflict::Kind::zero;
    } else {
      continue;
    }
    conflict.left = side_text(equation.left);
    conflict.right = side_text(equation.right);
    std::vector<bool> told(quantities_.size(), false);
    explain(equation.left, conflict.path, told);
    explain(equation.right, conflict.path, told);
    conflicts.push_back(std::move(conflict));
  }
  return conflicts;
}

bool Inference::check_zero(const Equation& equation, Conflict& conflict) const {
  if (!is_single(equation.left) || !is_single(equation.right) || equation.left.shifted || equation.right.shifted)
    return false;
  const Quantity& left = quantities_[equation.left.powers[0].quantity];
  const Quantity& right = quantities_[equation.right.powers[0].quantity];
  if (!left.has_zero || !right.has_zero || left.offset == right.offset) return false;
  conflict.offset = right.offset - left.offset;
  return true;
}

// What is not known keeps its name.
std::string Inference::side_text(const Product& side) const {
  Unit unit = side.known;
  std::string open;
  for (const Product::Power& item : side.powers) {
    const Quantity& quantity = quantities_[item.quantity];
    if (quantity.known) {
      unit = unit + quantity.unit * item.power;
    } else {
      open += fmt::format("unit of {}{} ", quantity.name, item.power == 1 ? "" : fmt::format("^{:g}", item.power));
    }
  }
  const std::string text = to_text(unit);
  if (open.empty()) return text;
  return text == "1" ? open.substr(0, open.size() - 1) : open + text;
}

// From the equation backwards to what somebody has declared.
void Inference::explain(const Product& side, std::vector<std::string>& lines, std::vector<bool>& told) const {
  std::vector<QuantityId> next;
  for (const Product::Power& item : side.powers) next.push_back(item.quantity);
  for (std::size_t k = 0; k < next.size() && lines.size() < longest_path; ++k) {
    const Quantity& quantity = quantities_[next[k]];
    if (told[next[k]] || !quantity.known) continue;
    told[next[k]] = true;
    if (quantity.equation == nothing) {
      lines.push_back(fmt::format("{} is {}: {}", quantity.name, to_text(quantity.unit), quantity.where));
      continue;
    }
    const Equation& from = equations_[quantity.equation];
    lines.push_back(fmt::format("{} is {}: follows from {}", quantity.name, to_text(quantity.unit), from.where));
    for (const Product::Power& item : from.powers) next.push_back(item.quantity);
  }
}

}  // namespace orrery::units
