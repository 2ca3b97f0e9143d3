// SPDX-License-Identifier: Apache-2.0
// Values as the matrices and vectors of src/math, and back.
#pragma once

#include <algorithm>

#include "math/matrix.h"
#include "oml/convert.h"
#include "oml/warnings.h"

namespace orrery::oml {

// Kind real: to_real goes first. Arrays of more dimensions have their columns side by side.
inline math::RealMatrix real_matrix(const Value& v) {
  const RealArray& a = v.real();
  math::RealMatrix m(a.dims.rows(), a.dims.rows() == 0 ? a.dims.cols() : a.size() / a.dims.rows());
  std::copy(a.data.begin(), a.data.end(), m.data.begin());
  return m;
}

// Of arrays of more dimensions the first page.
inline math::ComplexMatrix complex_matrix(const Value& v) {
  const Value z = to_complex(v);
  math::ComplexMatrix m(z.dims().rows(), z.dims().cols());
  std::copy_n(z.complex().data.begin(), m.data.size(), m.data.begin());
  return m;
}

// A matrix, even when it is 1x1.
inline Value matrix_value(const math::RealMatrix& m) {
  Value v = Value::real_uninitialised(Dims(m.rows, m.cols));
  std::copy(m.data.begin(), m.data.end(), v.edit_real().data.begin());
  return v;
}
inline Value matrix_value(const math::ComplexMatrix& m) {
  Value v = Value::complex_zeros(Dims(m.rows, m.cols));
  std::copy(m.data.begin(), m.data.end(), v.edit_complex().data.begin());
  return v;
}

// As a script sees it: 1x1 is a number, and what has no imaginary parts is real.
inline Value result(const math::RealMatrix& m) { return unboxed(matrix_value(m)); }
inline Value result(const math::ComplexMatrix& m) { return narrowed(matrix_value(m)); }

inline void warn_if_singular(bool singular) {
  if (singular) emit_warning("matrix is singular to working precision");
}

}  // namespace orrery::oml
