// SPDX-License-Identifier: Apache-2.0
// Dense matrices with their columns one after the other, as LAPACK reads them, and the arithmetic on them.
#pragma once

#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace orrery::math {

using Index = std::int64_t;
using Complex = std::complex<double>;

// What the data do not allow, in words for the one who gave them.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
struct Matrix {
  Index rows = 0, cols = 0;
  std::vector<T> data;

  Matrix() = default;
  Matrix(Index r, Index c) : rows(r), cols(c), data(static_cast<std::size_t>(r * c)) {}

  T& operator()(Index r, Index c) { return data[static_cast<std::size_t>(r + c * rows)]; }
  const T& operator()(Index r, Index c) const { return data[static_cast<std::size_t>(r + c * rows)]; }
  bool is_empty() const { return data.empty(); }
  bool is_square() const { return rows == cols; }
  bool has_size(Index r, Index c) const { return rows == r && cols == c; }

  static Matrix identity(Index n) {
    Matrix m(n, n);
    for (Index i = 0; i < n; ++i) m(i, i) = 1;
    return m;
  }
};

using RealMatrix = Matrix<double>;
using ComplexMatrix = Matrix<Complex>;

// LAPACK counts in int; an Error when n does not fit a square matrix of them.
int checked_int(Index n);

// out (m by n) = a (m by k) b (k by n).
void multiply(int m, int n, int k, const double* a, const double* b, double* out);
void multiply(int m, int n, int k, const Complex* a, const Complex* b, Complex* out);
// x (n by nrhs) of a x = b with a of m by n. Systems that are not square or are singular to working precision, for
// which it returns true, are solved in the sense of least squares and smallest norm.
bool solve(int m, int n, int nrhs, const double* a, const double* b, double* x);
bool solve(int m, int n, int nrhs, const Complex* a, const Complex* b, Complex* x);

template <class T>
Matrix<T> operator*(const Matrix<T>& a, const Matrix<T>& b);  // a 1x1 factor scales the other
template <class T>
Matrix<T> operator*(double s, Matrix<T> a);
template <class T>
Matrix<T> operator+(Matrix<T> a, const Matrix<T>& b);
template <class T>
Matrix<T> operator-(Matrix<T> a, const Matrix<T>& b);
template <class T>
Matrix<T> transpose(const Matrix<T>& a);
ComplexMatrix adjoint(const ComplexMatrix& a);  // conjugated transpose
ComplexMatrix to_complex(const RealMatrix& a);
RealMatrix real_part(const ComplexMatrix& a);

// `singular` becomes true when a is singular to working precision, and stays otherwise.
template <class T>
Matrix<T> solve(const Matrix<T>& a, const Matrix<T>& b, bool& singular);  // a \ b
template <class T>
Matrix<T> divide(const Matrix<T>& a, const Matrix<T>& b, bool& singular);  // a / b

RealMatrix beside(const RealMatrix& a, const RealMatrix& b);
RealMatrix above(const RealMatrix& a, const RealMatrix& b);
RealMatrix block(const RealMatrix& a, Index row, Index rows, Index column, Index columns);
RealMatrix kron(const RealMatrix& a, const RealMatrix& b);

}  // namespace orrery::math
