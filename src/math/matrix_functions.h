// SPDX-License-Identifier: Apache-2.0
// Functions of square matrices, and forms of matrices by elementary operations.
#pragma once

#include <utility>

#include "math/matrix.h"

namespace orrery::math {

RealMatrix exponential(const RealMatrix& a);
ComplexMatrix exponential(const ComplexMatrix& a);
ComplexMatrix square_root(const ComplexMatrix& a);
ComplexMatrix logarithm(const ComplexMatrix& a);
// Imaginary parts that are rounding errors become zero.
void drop_imaginary_noise(ComplexMatrix& a);

// Reduced row echelon form in place.
void reduce_rows(RealMatrix& a);

struct Balance {
  std::vector<double> scale;
  std::vector<std::pair<Index, Index>> swaps;  // of rows and columns, in the order they were made
};
// Similar matrix with rows and columns of like size, in place.
template <class T>
Balance balance(Matrix<T>& a, bool permute, bool scale);

}  // namespace orrery::math
