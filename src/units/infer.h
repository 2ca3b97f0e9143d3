// SPDX-License-Identifier: Apache-2.0
// Which unit each quantity must have: equations between products of powers, solved step by step.
//
// Units are logarithms here: the unit of a product is a sum, so an assignment, a sum or a comparison is a linear
// equation between the units of what stands on both sides. One with a single unknown determines it, one with none is
// checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "units/unit.h"

namespace orrery::units {

// For lists of what was found.
struct UnitOfName {
  std::string name;
  std::string unit;  // empty: nothing tells
  bool declared = false;
};

using QuantityId = std::uint32_t;

// The unit of an expression: a product of powers of quantities, times a known unit.
struct Product {
  struct Power {
    QuantityId quantity;
    double power;
  };
  std::vector<Power> powers = {};
  Unit known = {};
  bool number = false;   // written as a number: takes any unit where it is added or compared
  bool shifted = false;  // a number was added: says nothing about zero points

  static Product of(QuantityId quantity);
  static Product of(const Unit& unit);
  friend Product operator+(const Product& a, const Product& b);
  friend Product operator*(const Product& a, double power);
  friend Product operator-(const Product& a, const Product& b) { return a + b * -1; }
};

struct Conflict {
  enum class Kind : std::uint8_t { dimension, size, zero };
  Kind kind = Kind::dimension;
  std::size_t equation = 0;       // its number
  std::string left, right;        // units as texts
  double factor = 1;              // size: numbers of the right side times this are numbers of the left side
  double offset = 0;              // zero: … plus this, in base units
  std::vector<std::string> path;  // how the units of both sides are known, a line for each quantity
};

class Inference {
 public:
  // `name` is for messages.
  QuantityId add(std::string name);
  // Somebody says what it is; `where` is for messages: "line 3".
  void declare(QuantityId quantity, const ParsedUnit& unit, std::string where);
  // Both sides have one unit. `where` is for messages: "line 8: g = c2/(h + r)**2". The number of the equation.
  // One that `defines` its left side tells sooner what that is than one that only uses it.
  std::size_t equate(Product left, Product right, std::string where, bool defines = false);

  // All that follows; what does not agree, in the order of the equations.
  std::vector<Conflict> solve();

  bool known(QuantityId quantity) const { return quantities_[quantity].known; }
  bool declared(QuantityId quantity) const { return quantities_[quantity].declared; }
  const Unit& unit(QuantityId quantity) const { return quantities_[quantity].unit; }
  const std::string& name(QuantityId quantity) const { return quantities_[quantity].name; }
  std::size_t size() const { return quantities_.size(); }

 private:
  static constexpr std::size_t nothing = SIZE_MAX;
  struct Quantity {
    std::string name;
    bool known = false, declared = false;
    Unit unit;
    bool has_zero = false;  // it is known whether its zero is that of the base units
    double offset = 0;
    std::string where;               // declared
    std::size_t equation = nothing;  // … or where it follows from
    std::vector<std::size_t> uses;
  };
  struct Equation {
    Product left, right;
    std::vector<Product::Power> powers;  // of left - right, none zero
    Unit known;
    std::string where;
    std::size_t unknown = 0;
    bool defines = false;
  };

  void settle(QuantityId quantity);
  void infer(const Equation& equation, std::size_t number);
  std::string side_text(const Product& side) const;
  void explain(const Product& side, std::vector<std::string>& lines, std::vector<bool>& told) const;
  bool check_zero(const Equation& equation, Conflict& conflict) const;

  std::vector<Quantity> quantities_;
  std::vector<Equation> equations_;
  std::vector<std::size_t> definitions_, uses_;  // equations with one unknown, to be looked at
};

}  // namespace orrery::units
