// SPDX-License-Identifier: Apache-2.0
// Tables over one variable as formulas: which interval, what in it, and what outside (Activate, chapter 18).
#pragma once

#include <string>
#include <vector>

#include "blocks/block.h"

namespace orrery::blocks {

// The vocabulary of all blocks with tables.
ParameterSpec method_spec(std::string default_text = "'linear'");
ParameterSpec outside_spec(std::string name, std::string about, std::string default_text = "'zero'");

// Numbers of a table: known, or expressions (signals, or formulas of parameters).
struct Knots {
  std::vector<double> numbers;
  std::vector<Expr> formulas;  // either these or those
  std::size_t size() const { return formulas.empty() ? numbers.size() : formulas.size(); }
};

// The elements of a parameter.
Knots knots_of(Block& b, const std::string& name);
// Refuses numbers that do not ascend: strictly, unless the method allows jumps.
void check_ascending(const Parameters& p, const std::string& name, const std::vector<double>& numbers, bool strictly);
bool is_zero_order(const std::string& method);

// A column of all knots.
Expr column_of(Block& b, const Knots& knots);

// One table, ready to be looked into. Values outside [first, last] are those of the nearest piece.
class TableFormula {
 public:
  TableFormula(Block& b, const std::string& method, const Knots& x, const Knots& y);

  Expr index(Expr x);  // which piece x belongs to, from 0: located where it changes
  Expr inside(Expr x, Expr index);
  Expr inside(Expr x) { return inside(x, index(x)); }
  // With what is said for the two sides: zero, hold, extrapolate, repeat.
  Expr at(Expr x, const std::string& left, const std::string& right);
  Expr left_of(Expr x, const std::string& rule);
  Expr right_of(Expr x, const std::string& rule);
  Expr first() { return knot(x_, 0); }
  Expr last() { return knot(x_, x_.size() - 1); }

 private:
  Expr knot(const Knots& knots, std::size_t k);
  Expr looked_up(const Expr& column, Expr index);
  Expr within(Expr number, int last);  // clamped to 0 … last

  Block& b_;
  std::string method_;
  Knots x_, y_;
  Expr points_, a_, slope_, c_, d_;  // columns
};

}  // namespace orrery::blocks
