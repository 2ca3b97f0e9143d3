// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms and convolution.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "math/matrix.h"

namespace orrery::math {

// Of all lines of an array along one of its dimensions, cut or padded with zeros to n points: the elements of a line
// are `stride` apart, there are `have` of them, and `outer` is the product of the sizes behind that dimension.
struct Lines {
  Index stride = 1, have = 0, outer = 1;
};
void fourier(const Complex* in, const Lines& lines, Index n, bool inverse, Complex* out);
// Of one signal, cut or padded with zeros to n points.
std::vector<Complex> fourier(const std::vector<Complex>& x, Index n, bool inverse = false);
// The inverse transform of a conjugate-symmetric spectrum is real up to rounding: then imaginary parts become zero.
void drop_rounding(std::span<Complex> x);

// The whole convolution, (m + p - 1) by (n + q - 1). `turn` is called now and then, so that what it throws ends the
// work.
ComplexMatrix convolve(const ComplexMatrix& a, const ComplexMatrix& b, const std::function<void()>& turn);

}  // namespace orrery::math
