// SPDX-License-Identifier: Apache-2.0
// Conversions between kinds of values, with the errors a user understands.
#pragma once

#include <string>
#include <vector>

#include "oml/value.h"

namespace orrery::oml {

// An array of kind real (class double unless it had another one): numbers, logicals, characters, ranges, sparse.
// A complex operand is an error.
Value to_real(const Value& v);
// The same, but kind complex.
Value to_complex(const Value& v);
// Kind real or complex; the usual first step of a numeric builtin.
Value to_numeric(const Value& v);
// A stored array: ranges are expanded, everything else stays.
Value stored(const Value& v);
// Inline scalars become 1x1 arrays of kind real or logical; ranges are expanded.
Value boxed(const Value& v);
// 1x1 real double and logical arrays become inline scalars.
Value unboxed(Value v);
// Kind logical: nonzero elements.
Value to_logical(const Value& v);
// complex -> real when every imaginary part is zero, and unboxed.
Value narrowed(Value v);
Value full(const Value& v);

double to_double(const Value& v);  // first element; error when empty or not numeric
Complex to_complex_scalar(const Value& v);
Index to_integer(const Value& v);       // error when not whole
std::string to_string(const Value& v);  // char rows joined; error when not text
// Where one text is wanted: the first row of a matrix, the characters of codes, the first element of a cell.
std::string one_text(const Value& v);
std::vector<std::string> text_rows(const Value& v);  // rows of a char matrix
std::vector<std::string> text_list(const Value& v);  // a cell of strings or rows of a char matrix
std::vector<double> to_vector(const Value& v);
char character_of(double code);                           // its low byte
bool is_true(const Value& v);                             // all elements nonzero and not empty
Value text_matrix(const std::vector<std::string>& rows);  // padded with blanks
bool is_text_cell(const Value& v);
bool values_equal(const Value& a, const Value& b);  // isequal
Value struct_element(const StructArray& s, Index i);

}  // namespace orrery::oml
