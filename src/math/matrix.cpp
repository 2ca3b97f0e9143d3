// SPDX-License-Identifier: Apache-2.0
// Arithmetic of matrices on BLAS and LAPACK.
#include "math/matrix.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "math/lapack.h"

namespace orrery::math {

int checked_int(Index n) {
  if (n > 46340) throw Error("the matrix is too large");
  return static_cast<int>(n);
}

void multiply(int m, int n, int k, const double* a, const double* b, double* out) {
  if (m == 0 || n == 0) return;
  if (k == 0)
    std::fill_n(out, static_cast<std::size_t>(m) * static_cast<std::size_t>(n), 0.0);
  else if (m == 1 && n == 1)
    out[0] = cblas_ddot(k, a, 1, b, 1);
  else if (n == 1)
    cblas_dgemv(CblasColMajor, CblasNoTrans, m, k, 1, a, m, b, 1, 0, out, 1);
  else
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, m, b, k, 0, out, m);
}

void multiply(int m, int n, int k, const Complex* a, const Complex* b, Complex* out) {
  if (m == 0 || n == 0) return;
  const Complex one = 1, zero = 0;
  if (k == 0)
    std::fill_n(out, static_cast<std::size_t>(m) * static_cast<std::size_t>(n), zero);
  else
    cblas_zgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, &one, a, m, b, k, &zero, out, m);
}

namespace {

template <class T>
void solve_least_squares(int m, int n, int nrhs, const T* a, const T* b, T* x) {
  const auto count = [](int r, int c) { return static_cast<std::size_t>(r) * static_cast<std::size_t>(c); };
  std::vector<T> matrix(a, a + count(m, n));
  const int ldb = std::max({m, n, 1});
  std::vector<T> rhs(count(ldb, std::max(nrhs, 1)));
  for (int c = 0; c < nrhs; ++c) std::copy_n(b + count(c, m), m, rhs.data() + count(c, ldb));
  lapack_least_squares(m, n, nrhs, matrix.data(), rhs.data(), ldb);
  for (int c = 0; c < nrhs; ++c) std::copy_n(rhs.data() + count(c, ldb), n, x + count(c, n));
}

template <class T>
bool is_regular_upper(int n, const T* a) {
  for (int c = 0; c < n; ++c) {
    const T* column = a + static_cast<std::size_t>(c) * static_cast<std::size_t>(n);
    for (int r = c + 1; r < n; ++r)
      if (column[r] != T(0)) return false;
    if (column[c] == T(0)) return false;
  }
  return true;
}

template <class T>
bool solve_system(int m, int n, int nrhs, const T* a, const T* b, T* x) {
  if (m != n) {
    solve_least_squares(m, n, nrhs, a, b, x);
    return false;
  }
  if (n == 0 || nrhs == 0) return false;
  const auto right_side = static_cast<std::size_t>(n) * static_cast<std::size_t>(nrhs);
  if (is_regular_upper(n, a)) {
    std::copy_n(b, right_side, x);
    lapack_solve_upper(n, nrhs, a, x);
    return false;
  }
  std::vector<T> lu(a, a + static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  std::vector<int> pivots(static_cast<std::size_t>(n));
  const double norm = lapack_norm1(n, a);
  const int info = lapack_lu(n, n, lu.data(), pivots.data());
  const double rcond = info > 0 ? 0.0 : lapack_rcond(n, lu.data(), norm);
  if (rcond < 2.2e-16) {
    solve_least_squares(m, n, nrhs, a, b, x);
    return true;
  }
  std::copy_n(b, right_side, x);
  lapack_lu_solve(n, nrhs, lu.data(), pivots.data(), x);
  return false;
}

}  // namespace

bool solve(int m, int n, int nrhs, const double* a, const double* b, double* x) {
  return solve_system(m, n, nrhs, a, b, x);
}
bool solve(int m, int n, int nrhs, const Complex* a, const Complex* b, Complex* x) {
  return solve_system(m, n, nrhs, a, b, x);
}

template <class T>
Matrix<T> operator*(const Matrix<T>& a, const Matrix<T>& b) {
  const auto scaled = [](Matrix<T> m, T s) {
    for (T& x : m.data) x = s * x;
    return m;
  };
  if (a.data.size() == 1) return scaled(b, a.data[0]);
  if (b.data.size() == 1) return scaled(a, b.data[0]);
  Matrix<T> out(a.rows, b.cols);
  multiply(checked_int(a.rows), checked_int(b.cols), checked_int(a.cols), a.data.data(), b.data.data(),
           out.data.data());
  return out;
}

template <class T>
Matrix<T> operator*(double s, Matrix<T> a) {
  for (T& x : a.data) x = s * x;
  return a;
}

template <class T>
Matrix<T> operator+(Matrix<T> a, const Matrix<T>& b) {
  for (std::size_t k = 0; k < a.data.size(); ++k) a.data[k] += b.data[k];
  return a;
}

template <class T>
Matrix<T> operator-(Matrix<T> a, const Matrix<T>& b) {
  for (std::size_t k = 0; k < a.data.size(); ++k) a.data[k] -= b.data[k];
  return a;
}

template <class T>
Matrix<T> transpose(const Matrix<T>& a) {
  Matrix<T> out(a.cols, a.rows);
  for (Index c = 0; c < a.cols; ++c)
    for (Index r = 0; r < a.rows; ++r) out(c, r) = a(r, c);
  return out;
}

ComplexMatrix adjoint(const ComplexMatrix& a) {
  ComplexMatrix out = transpose(a);
  for (Complex& z : out.data) z = std::conj(z);
  return out;
}

ComplexMatrix to_complex(const RealMatrix& a) {
  ComplexMatrix out(a.rows, a.cols);
  std::copy(a.data.begin(), a.data.end(), out.data.begin());
  return out;
}

RealMatrix real_part(const ComplexMatrix& a) {
  RealMatrix out(a.rows, a.cols);
  for (std::size_t k = 0; k < out.data.size(); ++k) out.data[k] = a.data[k].real();
  return out;
}

template <class T>
Matrix<T> solve(const Matrix<T>& a, const Matrix<T>& b, bool& singular) {
  Matrix<T> x(a.cols, b.cols);
  if (solve(checked_int(a.rows), checked_int(a.cols), checked_int(b.cols), a.data.data(), b.data.data(), x.data.data()))
    singular = true;
  return x;
}

template <class T>
Matrix<T> divide(const Matrix<T>& a, const Matrix<T>& b, bool& singular) {
  if (b.data.size() == 1) {
    Matrix<T> out = a;
    for (T& x : out.data) x /= b.data[0];
    return out;
  }
  return transpose(solve(transpose(b), transpose(a), singular));
}

#define ORRERY_INSTANTIATE(T)                                          \
  template Matrix<T> operator*(const Matrix<T>&, const Matrix<T>&);    \
  template Matrix<T> operator*(double, Matrix<T>);                     \
  template Matrix<T> operator+(Matrix<T>, const Matrix<T>&);           \
  template Matrix<T> operator-(Matrix<T>, const Matrix<T>&);           \
  template Matrix<T> transpose(const Matrix<T>&);                      \
  template Matrix<T> solve(const Matrix<T>&, const Matrix<T>&, bool&); \
  template Matrix<T> divide(const Matrix<T>&, const Matrix<T>&, bool&)
ORRERY_INSTANTIATE(double);
ORRERY_INSTANTIATE(Complex);
#undef ORRERY_INSTANTIATE

RealMatrix beside(const RealMatrix& a, const RealMatrix& b) {
  RealMatrix out(std::max(a.rows, b.rows), a.cols + b.cols);
  std::copy(a.data.begin(), a.data.end(), out.data.begin());
  std::copy(b.data.begin(), b.data.end(), out.data.begin() + static_cast<std::ptrdiff_t>(a.data.size()));
  return out;
}

RealMatrix above(const RealMatrix& a, const RealMatrix& b) {
  RealMatrix out(a.rows + b.rows, std::max(a.cols, b.cols));
  for (Index c = 0; c < out.cols; ++c) {
    for (Index r = 0; r < a.rows; ++r) out(r, c) = a(r, c);
    for (Index r = 0; r < b.rows; ++r) out(a.rows + r, c) = b(r, c);
  }
  return out;
}

RealMatrix block(const RealMatrix& a, Index row, Index rows, Index column, Index columns) {
  RealMatrix out(rows, columns);
  for (Index c = 0; c < columns; ++c)
    for (Index r = 0; r < rows; ++r) out(r, c) = a(row + r, column + c);
  return out;
}

RealMatrix kron(const RealMatrix& a, const RealMatrix& b) {
  RealMatrix out(a.rows * b.rows, a.cols * b.cols);
  for (Index j = 0; j < a.cols; ++j)
    for (Index l = 0; l < b.cols; ++l)
      for (Index i = 0; i < a.rows; ++i)
        for (Index r = 0; r < b.rows; ++r) out(i * b.rows + r, j * b.cols + l) = a(i, j) * b(r, l);
  return out;
}

}  // namespace orrery::math
