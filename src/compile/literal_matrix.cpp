// SPDX-License-Identifier: Apache-2.0
// Brackets and indices: putting matrices together and taking them apart.
#include <algorithm>
#include <cmath>

#include "compile/literal_arithmetic.h"

namespace orrery::compile {

using program::Scalar;

namespace {

// The element type of a joined matrix: an integer type wins, then complex, then double; only booleans stay boolean.
Scalar common_type(const std::vector<std::vector<Value>>& rows) {
  Scalar type = Scalar::boolean;
  bool any = false;
  for (const auto& row : rows) {
    for (const Value& item : row) {
      if (!item.is_number()) {
        throw LiteralFault{"parameter-type", "a matrix of numbers cannot hold " + describe(item),
                           "use a list: {1, 'text'}"};
      }
      any = true;
      if (program::is_integer(type)) continue;
      if (program::is_integer(item.type) || item.is_complex())
        type = item.type;
      else if (item.type == Scalar::f64 && type == Scalar::boolean)
        type = Scalar::f64;
    }
  }
  return any ? type : Scalar::f64;
}

void paste(Value& target, const Value& piece, int top, int left) {
  for (int j = 0; j < piece.cols; ++j) {
    for (int i = 0; i < piece.rows; ++i) {
      const auto from =
          static_cast<std::size_t>(j) * static_cast<std::size_t>(piece.rows) + static_cast<std::size_t>(i);
      const auto to = static_cast<std::size_t>(left + j) * static_cast<std::size_t>(target.rows) +
                      static_cast<std::size_t>(top + i);
      target.real[to] = piece.real[from];
      if (!target.imag.empty()) target.imag[to] = piece.at(from).imag();
    }
  }
}

bool all_text(const std::vector<std::vector<Value>>& rows) {
  return rows.size() == 1 && !rows[0].empty() &&
         std::all_of(rows[0].begin(), rows[0].end(), [](const Value& item) { return item.is_text(); });
}

// Index values of one dimension as offsets from 0.
std::vector<std::size_t> offsets(const Value& argument, std::size_t extent) {
  std::vector<std::size_t> result;
  if (argument.is_text() && argument.text == ":") {
    for (std::size_t k = 0; k < extent; ++k) result.push_back(k);
    return result;
  }
  if (!argument.is_number() || argument.is_complex()) {
    throw LiteralFault{"parameter-type", "an index must be a number, not " + describe(argument)};
  }
  if (argument.type == Scalar::boolean && argument.size() > 1) {
    for (std::size_t k = 0; k < argument.size(); ++k) {
      if (argument.real[k] != 0 && k < extent) result.push_back(k);
    }
    return result;
  }
  for (const double k : argument.real) {
    if (!(k >= 1 && k <= static_cast<double>(extent)) || k != std::floor(k)) {
      throw LiteralFault{"parameter-size", "an index is not a whole number from 1 to " + std::to_string(extent)};
    }
    result.push_back(static_cast<std::size_t>(k) - 1);
  }
  return result;
}

Value pick(const Value& a, const std::vector<std::size_t>& elements, int rows, int cols) {
  Value result;
  result.kind = a.kind;
  result.type = a.type;
  result.rows = rows;
  result.cols = cols;
  for (const std::size_t k : elements) {
    if (a.is_list()) result.items.push_back(a.items[k]);
    if (a.is_number()) result.real.push_back(a.real[k]);
    if (!a.imag.empty()) result.imag.push_back(a.imag[k]);
  }
  return a.is_number() ? drop_zero_imaginary(std::move(result)) : result;
}

}  // namespace

Value join(const std::vector<std::vector<Value>>& rows) {
  if (rows.size() == 1 && rows[0].size() == 1) return rows[0][0];
  if (all_text(rows)) {
    std::string text;
    for (const Value& item : rows[0]) text += item.text;
    if (static_cast<double>(text.size()) > most_elements) throw LiteralFault{"parameter-size", "the text is too long"};
    return Value::string(std::move(text));
  }
  const Scalar type = common_type(rows);
  double total_rows = 0, total_cols = -1;
  for (const auto& row : rows) {
    double height = -1, width = 0;
    for (const Value& item : row) {
      if (item.is_empty()) continue;
      if (height >= 0 && item.rows != height) {
        throw LiteralFault{"parameter-size", "the parts of a row have different heights: one is " + describe(item)};
      }
      height = item.rows;
      width += item.cols;
    }
    if (height < 0) continue;
    if (total_cols >= 0 && width != total_cols) {
      throw LiteralFault{"parameter-size", "the rows of the matrix have different lengths"};
    }
    total_cols = width;
    total_rows += height;
  }
  Value result = checked_matrix(total_rows, total_cols, type);
  int top = 0;
  for (const auto& row : rows) {
    int left = 0, height = 0;
    for (const Value& item : row) {
      if (item.is_empty()) continue;
      paste(result, program::is_integer(type) ? cast(item, type) : item, top, left);
      left += item.cols;
      height = item.rows;
    }
    top += height;
  }
  return result;
}

Value make_list(std::vector<std::vector<Value>> rows) {
  if (rows.empty()) return Value::list({});
  const std::size_t cols = rows[0].size();
  std::vector<Value> items;
  for (std::size_t j = 0; j < cols; ++j) {
    for (auto& row : rows) {
      if (row.size() != cols) throw LiteralFault{"parameter-size", "the rows of the list have different lengths"};
      items.push_back(std::move(row[j]));
    }
  }
  Value result = Value::list(std::move(items));
  result.rows = static_cast<int>(rows.size());
  result.cols = static_cast<int>(cols);
  return result;
}

Value index(const Value& a, std::span<const Value> arguments) {
  if (a.is_text()) throw LiteralFault{"parameter-type", "a text has no elements here"};
  if (arguments.size() == 1) {
    const std::vector<std::size_t> elements = offsets(arguments[0], a.size());
    const bool colon = arguments[0].is_text();
    const int count = static_cast<int>(elements.size());
    // A vector keeps its direction; a matrix takes the shape of the index; m(:) is a column.
    if (colon || (a.cols == 1 && a.rows != 1)) return pick(a, elements, count, 1);
    const bool by_shape = a.rows != 1 && arguments[0].type != Scalar::boolean;
    return by_shape ? pick(a, elements, arguments[0].rows, arguments[0].cols) : pick(a, elements, 1, count);
  }
  if (arguments.size() != 2) throw LiteralFault{"parameter-size", "give one or two indices"};
  const auto rows = offsets(arguments[0], static_cast<std::size_t>(a.rows));
  const auto cols = offsets(arguments[1], static_cast<std::size_t>(a.cols));
  checked_matrix(static_cast<double>(rows.size()), static_cast<double>(cols.size()));
  std::vector<std::size_t> elements;
  for (const std::size_t j : cols) {
    for (const std::size_t i : rows) elements.push_back(j * static_cast<std::size_t>(a.rows) + i);
  }
  return pick(a, elements, static_cast<int>(rows.size()), static_cast<int>(cols.size()));
}

}  // namespace orrery::compile
