// SPDX-License-Identifier: Apache-2.0
// A parameter value after evaluation: a matrix of numbers, a text, or a list (cell array).
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "program/graph.h"
#include "program/type.h"

namespace orrery::program {

struct Value {
  enum class Kind { number, text, list };

  Kind kind = Kind::number;
  // number
  Scalar type = Scalar::f64;
  int rows = 0;
  int cols = 0;
  std::vector<double> real;  // column-major, rows * cols; holds integers and booleans exactly too
  std::vector<double> imag;  // the same size when type is c128, else empty
  // text
  std::string text;
  // list; rows and cols give its shape, column-major
  std::vector<Value> items;
  // a struct is a list whose items have names
  std::vector<std::string> names;
  // The source text when the whole expression was one unsigned decimal literal: clocks want exact decimals.
  std::optional<std::string> literal;
  // A number that follows from parameters: its formula in the graph of the model's ParameterSpace.
  ExprId formula = no_expr;

  static Value number(double x, Scalar type = Scalar::f64);
  static Value complex(std::complex<double> z);
  static Value boolean(bool b);
  static Value matrix(int rows, int cols, double fill = 0, Scalar type = Scalar::f64);
  static Value string(std::string text);
  static Value list(std::vector<Value> items);  // one row

  bool is_number() const { return kind == Kind::number; }
  bool is_text() const { return kind == Kind::text; }
  bool is_list() const { return kind == Kind::list; }
  bool is_complex() const { return kind == Kind::number && type == Scalar::c128; }
  bool is_scalar() const { return kind == Kind::number && rows == 1 && cols == 1; }
  bool is_empty() const;
  bool has_formula() const { return formula != no_expr; }
  std::size_t size() const;  // elements of a number or list, bytes of a text

  // The real part of a 1x1 number; stops the program on anything else, so ask is_scalar() first.
  double scalar() const;
  // The text; stops the program on anything else, so ask is_text() first.
  const std::string& as_text() const;
  std::complex<double> at(std::size_t index) const { return {real[index], imag.empty() ? 0.0 : imag[index]}; }
};

// "a 2x3 matrix", "a text", "a list of 4": for messages.
std::string describe(const Value& value);

}  // namespace orrery::program
