// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values on LAPACK.
#include "math/decompositions.h"

#include <algorithm>
#include <cmath>

#include "math/lapack.h"

namespace orrery::math {
namespace {

double conjugate(double x) { return x; }
Complex conjugate(const Complex& z) { return std::conj(z); }

template <class T>
void eigen_of(int n, T* a, Complex* w, Complex* v) {
  const auto at = [n](int r, int c) {
    return static_cast<std::size_t>(r) + static_cast<std::size_t>(c) * static_cast<std::size_t>(n);
  };
  bool hermitian = true;
  for (int r = 0; r < n && hermitian; ++r)
    for (int c = 0; c <= r; ++c) hermitian = hermitian && a[at(r, c)] == conjugate(a[at(c, r)]);
  if (!hermitian) {
    lapack_eigen(n, a, w, nullptr, v);
    return;
  }
  std::vector<double> values(static_cast<std::size_t>(n));
  lapack_symmetric_eigen(true, n, a, values.data());
  std::copy(values.begin(), values.end(), w);
  std::copy_n(a, at(0, n), v);
}

template <class T>
std::vector<double> singular_values_of(Matrix<T> a) {
  for (const T& x : a.data)
    if (!std::isfinite(std::abs(x))) throw Error("the matrix contains Inf or NaN");
  std::vector<double> s(static_cast<std::size_t>(std::min(a.rows, a.cols)));
  if (s.empty()) return s;
  T none = 0;
  if (lapack_svd('N', checked_int(a.rows), checked_int(a.cols), a.data.data(), s.data(), &none, 1, &none, 1) != 0)
    throw Error("svd did not converge");
  return s;
}

}  // namespace

void eigen(int n, double* a, Complex* w, Complex* v) { eigen_of(n, a, w, v); }
void eigen(int n, Complex* a, Complex* w, Complex* v) { eigen_of(n, a, w, v); }

std::vector<Complex> eigenvalues(RealMatrix a) {
  std::vector<Complex> w(static_cast<std::size_t>(a.rows)), v(a.data.size());
  if (!a.is_empty()) eigen(checked_int(a.rows), a.data.data(), w.data(), v.data());
  return w;
}

std::vector<double> singular_values(RealMatrix a) { return singular_values_of(std::move(a)); }
std::vector<double> singular_values(ComplexMatrix a) { return singular_values_of(std::move(a)); }

double rank_tolerance(Index rows, Index cols, const std::vector<double>& s) {
  return s.empty() ? 0 : static_cast<double>(std::max(rows, cols)) * s[0] * 0x1p-52;
}

Index rank(const RealMatrix& a) {
  const std::vector<double> s = singular_values(a);
  const double tolerance = rank_tolerance(a.rows, a.cols, s);
  return std::count_if(s.begin(), s.end(), [&](double x) { return x > tolerance; });
}

}  // namespace orrery::math
