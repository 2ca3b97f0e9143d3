// SPDX-License-Identifier: Apache-2.0
// Fourier transforms on Eigen's FFT.
#include "math/fourier.h"

#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/FFT>

namespace orrery::math {

void fourier(const Complex* in, const Lines& lines, Index n, bool inverse, Complex* out) {
  if (n == 0) return;
  ::Eigen::FFT<double> fft;
  std::vector<Complex> line(static_cast<std::size_t>(n)), result;
  for (Index o = 0; o < lines.outer; ++o) {
    for (Index i = 0; i < lines.stride; ++i) {
      for (Index k = 0; k < n; ++k)
        line[static_cast<std::size_t>(k)] = k < lines.have ? in[(o * lines.have + k) * lines.stride + i] : Complex();
      if (n == 1)
        result = line;
      else if (inverse)
        fft.inv(result, line);
      else
        fft.fwd(result, line);
      for (Index k = 0; k < n; ++k) out[(o * n + k) * lines.stride + i] = result[static_cast<std::size_t>(k)];
    }
  }
}

std::vector<Complex> fourier(const std::vector<Complex>& x, Index n, bool inverse) {
  std::vector<Complex> out(static_cast<std::size_t>(n));
  fourier(x.data(), {1, static_cast<Index>(x.size()), 1}, n, inverse, out.data());
  return out;
}

void drop_rounding(std::span<Complex> x) {
  double size = 0, imaginary = 0;
  for (const Complex& z : x) size = std::max(size, std::abs(z)), imaginary = std::max(imaginary, std::abs(z.imag()));
  if (imaginary > 4e-16 * size * std::log2(2.0 + static_cast<double>(x.size()))) return;
  for (Complex& z : x) z = z.real();
}

ComplexMatrix convolve(const ComplexMatrix& a, const ComplexMatrix& b, const std::function<void()>& turn) {
  ComplexMatrix out(a.rows + b.rows - 1, a.cols + b.cols - 1);
  for (Index j = 0; j < a.cols; ++j) {
    if (turn) turn();
    for (Index l = 0; l < b.cols; ++l) {
      for (Index i = 0; i < a.rows; ++i) {
        const Complex x = a(i, j);
        if (x == Complex()) continue;
        for (Index k = 0; k < b.rows; ++k) out(i + k, j + l) += x * b(k, l);
      }
    }
  }
  return out;
}

}  // namespace orrery::math
