// SPDX-License-Identifier: Apache-2.0
// Matrices as arguments of builtins that call LAPACK.
#pragma once

#include "oml/builtin.h"

namespace orrery::oml {

inline Value matrix_argument(const Call& c, int k) {
  const Value v = to_numeric(full(c[k]));
  if (v.dims().count() > 2) fail_argument(k + 1, "must be a matrix");
  return v;
}

inline Value square_argument(const Call& c, int k) {
  const Value v = matrix_argument(c, k);
  if (v.dims().rows() != v.dims().cols()) fail_argument(k + 1, "must be a square matrix");
  return v;
}

inline int to_int(Index n) {
  if (n > 46340) fail("the matrix is too large");
  return static_cast<int>(n);
}

inline Value identity(Index n) {
  Value v = Value::zeros(Dims(n, n));
  for (Index i = 0; i < n; ++i) v.edit_real().at(i, i) = 1;
  return v;
}

}  // namespace orrery::oml
