// SPDX-License-Identifier: Apache-2.0
// Types of signals, states and expressions: an element type and a fixed matrix size.
#pragma once

#include <cstdint>
#include <string>

namespace orrery::program {

enum class Scalar : std::uint8_t { f64, c128, i8, i16, i32, u8, u16, u32, boolean };

struct Type {
  Scalar scalar = Scalar::f64;
  std::int32_t rows = 1;
  std::int32_t cols = 1;

  std::int64_t size() const { return static_cast<std::int64_t>(rows) * cols; }
  bool is_scalar() const { return rows == 1 && cols == 1; }
  Type with(Scalar other) const { return {other, rows, cols}; }
  Type element() const { return {scalar, 1, 1}; }
  friend bool operator==(const Type&, const Type&) = default;
};

inline bool is_integer(Scalar s) { return s >= Scalar::i8 && s <= Scalar::u32; }
inline bool is_floating(Scalar s) { return s == Scalar::f64 || s == Scalar::c128; }
int byte_size(Scalar scalar);
const char* name_of(Scalar scalar);     // "double", "complex", "int8", …, "boolean"
const char* c_name_of(Scalar scalar);   // "double", "signed char", …; complex is stored as two doubles
std::string to_text(const Type& type);  // "double", "int8 3x1"
// Smallest and largest value of an integer type (0 and 1 for boolean).
double lowest_value(Scalar scalar);
double highest_value(Scalar scalar);

}  // namespace orrery::program
