// SPDX-License-Identifier: Apache-2.0
// Factorizations on LAPACK.
#include "math/factorizations.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "math/decompositions.h"
#include "math/lapack.h"

namespace orrery::math {
namespace {

template <class T>
Matrix<T> conjugate_transpose(const Matrix<T>& a) {
  if constexpr (std::is_same_v<T, double>)
    return transpose(a);
  else
    return adjoint(a);
}

template <class T>
Matrix<T> columns(const Matrix<T>& a, Index first, Index count) {
  Matrix<T> out(a.rows, count);
  std::copy_n(a.data.begin() + first * a.rows, count * a.rows, out.data.begin());
  return out;
}

}  // namespace

template <class T>
Lu<T> lu(Matrix<T> a) {
  const Index m = a.rows, n = a.cols, k = std::min(m, n);
  std::vector<int> pivots(static_cast<std::size_t>(std::max<Index>(k, 1)));
  if (k > 0) lapack_lu(checked_int(m), checked_int(n), a.data.data(), pivots.data());
  Lu<T> f{{}, Matrix<T>(m, k), Matrix<T>(k, n), std::vector<Index>(static_cast<std::size_t>(m))};
  std::iota(f.order.begin(), f.order.end(), Index{0});
  for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
    std::swap(f.order[i], f.order[static_cast<std::size_t>(pivots[i] - 1)]);
  for (Index r = 0; r < m; ++r)
    for (Index j = 0; j < k; ++j) f.lower(r, j) = r > j ? a(r, j) : T(r == j ? 1 : 0);
  for (Index r = 0; r < k; ++r)
    for (Index j = r; j < n; ++j) f.upper(r, j) = a(r, j);
  f.packed = std::move(a);
  return f;
}

template <class T>
Qr<T> qr(Matrix<T> a, bool economy, bool pivoted, bool with_q) {
  const Index m = a.rows, n = a.cols, k = std::min(m, n);
  std::vector<T> tau;
  std::vector<int> order;
  if (k > 0) lapack_qr(checked_int(m), checked_int(n), a.data.data(), tau, pivoted ? &order : nullptr);
  const Index rows = economy ? k : m;
  Qr<T> f{Matrix<T>(m, rows), Matrix<T>(rows, n), {}};
  for (Index i = 0; i < rows; ++i)
    for (Index j = i; j < n; ++j) f.r(i, j) = a(i, j);
  for (Index j = 0; j < std::min(n, rows); ++j)
    for (Index i = 0; i < m; ++i) f.q(i, j) = a(i, j);
  if (k > 0 && with_q) lapack_form_q(checked_int(m), checked_int(rows), checked_int(k), f.q.data.data(), tau);
  for (const int column : order) f.order.push_back(column - 1);
  return f;
}

template <class T>
Svd<T> svd(Matrix<T> a, bool economy) {
  const Index m = a.rows, n = a.cols, k = std::min(m, n), left = economy ? k : m, right = economy ? k : n;
  Svd<T> f{Matrix<T>(m, left), std::vector<double>(static_cast<std::size_t>(k)), {}};
  Matrix<T> vt(right, n);
  if (k > 0 && lapack_svd(economy ? 'S' : 'A', checked_int(m), checked_int(n), a.data.data(), f.s.data(),
                          f.u.data.data(), checked_int(m), vt.data.data(), checked_int(right)) != 0) {
    throw Error("svd did not converge");
  }
  f.v = conjugate_transpose(vt);
  return f;
}

template <class T>
Schur<T> schur(Matrix<T> a) {
  const Index n = a.rows;
  Schur<T> f{Matrix<T>(n, n), std::move(a)};
  std::vector<Complex> w(static_cast<std::size_t>(std::max<Index>(n, 1)));
  if (n > 0) lapack_schur(checked_int(n), f.t.data.data(), w.data(), f.q.data.data(), 0);
  return f;
}

Schur<double> hessenberg(RealMatrix a) {
  const Index n = a.rows;
  Schur<double> f{RealMatrix(n, n), std::move(a)};
  if (n > 0) lapack_hessenberg(checked_int(n), f.t.data.data(), f.q.data.data());
  return f;
}

template <class T>
int cholesky(Matrix<T>& a) {
  const int info = a.rows > 0 ? lapack_cholesky(checked_int(a.rows), a.data.data()) : 0;
  for (Index k = 0; k < a.rows; ++k)
    for (Index r = k + 1; r < a.rows; ++r) a(r, k) = 0;
  return info;
}

// Bunch and Kaufman: LAPACK gives a = (P_n U_n) (P_n-1 U_n-1) ... d (...)'. All exchanges are moved to the left, past
// the columns that were made before them (as xSYCONV does).
template <class T>
Ldl<T> ldl(Matrix<T> a) {
  const Index n = a.rows;
  Ldl<T> f{Matrix<T>::identity(n), Matrix<T>(n, n), {}};
  for (Index k = 0; k < n; ++k) f.order.push_back(k);
  if (n == 0) return f;
  std::vector<int> pivots(static_cast<std::size_t>(n));
  lapack_bunch_kaufman(checked_int(n), a.data.data(), pivots.data());
  const auto conjugated = [](T x) {
    if constexpr (std::is_same_v<T, Complex>)
      return std::conj(x);
    else
      return x;
  };
  for (Index k = n - 1; k >= 0;) {
    const int pivot = pivots[static_cast<std::size_t>(k)];
    const Index width = pivot > 0 ? 1 : 2, row = k - width + 1, with = std::abs(pivot) - 1;
    for (Index j = k + 1; j < n; ++j) std::swap(f.u(row, j), f.u(with, j));
    std::swap(f.order[static_cast<std::size_t>(row)], f.order[static_cast<std::size_t>(with)]);
    for (Index j = row; j <= k; ++j) {
      f.d(j, j) = a(j, j);
      for (Index i = 0; i < row; ++i) f.u(i, j) = a(i, j);
    }
    if (width == 2) {
      f.d(row, k) = a(row, k);
      f.d(k, row) = conjugated(a(row, k));
    }
    k -= width;
  }
  return f;
}
template Ldl<double> ldl(RealMatrix a);
template Ldl<Complex> ldl(ComplexMatrix a);

template <class T>
Eigen generalised_eigen(Matrix<T> a, Matrix<T> b) {
  Eigen e{ComplexMatrix(a.rows, 1), ComplexMatrix(a.rows, a.rows)};
  lapack_generalised_eigen(checked_int(a.rows), a.data.data(), b.data.data(), e.values.data.data(),
                           e.vectors.data.data());
  return e;
}

// Rows of the inverse.
ComplexMatrix left_vectors(const ComplexMatrix& right, bool& singular) {
  const Index n = right.rows;
  ComplexMatrix left = adjoint(solve(right, ComplexMatrix::identity(n), singular));
  for (Index k = 0; k < n; ++k) {
    double length = 0;
    for (Index i = 0; i < n; ++i) length = std::hypot(length, std::abs(left(i, k)));
    for (Index i = 0; i < n; ++i) left(i, k) /= length;
  }
  return left;
}

template <class T>
Complex determinant(Matrix<T> a) {
  const Index n = a.rows;
  if (n == 0) return 1;
  std::vector<int> pivots(static_cast<std::size_t>(n));
  lapack_lu(checked_int(n), checked_int(n), a.data.data(), pivots.data());
  Complex d = 1;
  for (Index i = 0; i < n; ++i) {
    d *= Complex(a(i, i));
    if (pivots[static_cast<std::size_t>(i)] != i + 1) d = -d;
  }
  return d;
}

template <class T>
double reciprocal_condition(Matrix<T> a) {
  const Index n = a.rows;
  if (n == 0) return INFINITY;
  std::vector<int> pivots(static_cast<std::size_t>(n));
  const double norm = lapack_norm1(checked_int(n), a.data.data());
  if (lapack_lu(checked_int(n), checked_int(n), a.data.data(), pivots.data()) > 0) return 0;
  return lapack_rcond(checked_int(n), a.data.data(), norm);
}

template <class T>
Matrix<T> inverse(Matrix<T> a) {
  const int n = checked_int(a.rows);
  Matrix<T> x = Matrix<T>::identity(n);
  if (n == 0) return x;
  std::vector<int> pivots(static_cast<std::size_t>(n));
  lapack_lu(n, n, a.data.data(), pivots.data());
  lapack_lu_solve(n, n, a.data.data(), pivots.data(), x.data.data());
  return x;
}

template <class T>
ComplexMatrix pseudo_inverse(const Matrix<T>& a, double tolerance) {
  const Svd<T> f = svd(a, true);
  const std::vector<double> s = singular_values(a);
  ComplexMatrix v, u;
  if constexpr (std::is_same_v<T, double>)
    v = to_complex(f.v), u = to_complex(f.u);
  else
    v = f.v, u = f.u;
  for (Index k = 0; k < v.cols; ++k) {
    const double size = s[static_cast<std::size_t>(k)];
    for (Index r = 0; r < v.rows; ++r) v(r, k) *= size > tolerance ? 1 / size : 0;
  }
  return v * adjoint(u);
}

namespace {

template <class T>
Index rank_of(const Matrix<T>& a, double tolerance) {
  const std::vector<double> s = singular_values(a);
  return std::count_if(s.begin(), s.end(), [&](double x) { return x > tolerance; });
}

}  // namespace

template <class T>
Matrix<T> null_space(const Matrix<T>& a, double tolerance) {
  const Index rank = rank_of(a, tolerance);
  if (a.rows == 0) {  // no equation: every direction
    Matrix<T> all(a.cols, a.cols);
    for (Index k = 0; k < a.cols; ++k) all(k, k) = 1;
    return all;
  }
  const Svd<T> f = svd(a, false);
  Matrix<T> basis = columns(f.v, rank, f.v.cols - rank);
  if constexpr (std::is_same_v<T, double>) {
    for (double& x : basis.data)
      if (std::abs(x) < 0x1p-52) x = 0;
  }
  return basis;
}

template <class T>
Matrix<T> range_space(const Matrix<T>& a, double tolerance) {
  const Index rank = rank_of(a, tolerance);
  return columns(svd(a, false).u, 0, rank);
}

double vector_norm(std::span<const Complex> z, double p) {
  double s = 0;
  if (p == 2) {
    double scale = 0;
    for (const Complex& x : z) scale = std::max(scale, std::abs(x));
    if (scale == 0 || !std::isfinite(scale)) return scale;
    for (const Complex& x : z) s += std::norm(x / scale);
    return scale * std::sqrt(s);
  }
  if (p == 0) {
    for (const Complex& x : z) s += x != Complex();
    return s;
  }
  if (std::isinf(p)) {
    s = p > 0 ? 0 : INFINITY;
    for (const Complex& x : z) s = p > 0 ? std::max(s, std::abs(x)) : std::min(s, std::abs(x));
    return s;
  }
  for (const Complex& x : z) s += std::pow(std::abs(x), p);
  return std::pow(s, 1 / p);
}

double largest_column_sum(const ComplexMatrix& a) {
  double best = 0;
  for (Index j = 0; j < a.cols; ++j) {
    double s = 0;
    for (Index i = 0; i < a.rows; ++i) s += std::abs(a(i, j));
    best = std::max(best, s);
  }
  return best;
}

double largest_row_sum(const ComplexMatrix& a) { return largest_column_sum(transpose(a)); }

#define ORRERY_INSTANTIATE(T)                                      \
  template Lu<T> lu(Matrix<T>);                                    \
  template Qr<T> qr(Matrix<T>, bool, bool, bool);                  \
  template Svd<T> svd(Matrix<T>, bool);                            \
  template Schur<T> schur(Matrix<T>);                              \
  template int cholesky(Matrix<T>&);                               \
  template Eigen generalised_eigen(Matrix<T>, Matrix<T>);          \
  template Complex determinant(Matrix<T>);                         \
  template double reciprocal_condition(Matrix<T>);                 \
  template Matrix<T> inverse(Matrix<T>);                           \
  template ComplexMatrix pseudo_inverse(const Matrix<T>&, double); \
  template Matrix<T> null_space(const Matrix<T>&, double);         \
  template Matrix<T> range_space(const Matrix<T>&, double);
ORRERY_INSTANTIATE(double)
ORRERY_INSTANTIATE(Complex)
#undef ORRERY_INSTANTIATE

}  // namespace orrery::math
