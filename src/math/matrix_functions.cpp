// SPDX-License-Identifier: Apache-2.0
// Exponential, logarithm, square root and balancing of matrices.
#include "math/matrix_functions.h"

#include <algorithm>
#include <cmath>

#include "math/lapack.h"

namespace orrery::math {
namespace {

// Scaling and squaring with a Pade approximant of degree 13 (Higham, "Functions of Matrices", 2008, section 10.3).
template <class T>
Matrix<T> exponential_of(const Matrix<T>& given) {
  static constexpr double b[] = {64764752532480000.0,
                                 32382376266240000.0,
                                 7771770303897600.0,
                                 1187353796428800.0,
                                 129060195264000.0,
                                 10559470521600.0,
                                 670442572800.0,
                                 33522128640.0,
                                 1323241920.0,
                                 40840800.0,
                                 960960.0,
                                 16380.0,
                                 182.0,
                                 1.0};
  const Index n = given.rows;
  double size = lapack_norm1(checked_int(n), given.data.data());
  if (!std::isfinite(size)) throw Error("the matrix contains Inf or NaN");
  int squarings = 0;
  while (size > 5.37) size /= 2, ++squarings;
  Matrix<T> a = given;
  for (T& x : a.data) x /= std::ldexp(1.0, squarings);
  const Matrix<T> i = Matrix<T>::identity(n), a2 = a * a, a4 = a2 * a2, a6 = a2 * a4;
  const auto combine = [&](double c6, double c4, double c2, double c0) {
    return (c6 * a6 + c4 * a4) + (c2 * a2 + c0 * i);
  };
  const Matrix<T> u = a * (a6 * combine(b[13], b[11], b[9], 0) + combine(b[7], b[5], b[3], b[1]));
  const Matrix<T> v = a6 * combine(b[12], b[10], b[8], 0) + combine(b[6], b[4], b[2], b[0]);
  bool singular = false;  // never: the approximant's denominator is far from it
  Matrix<T> r = solve(v - u, v + u, singular);
  for (int k = 0; k < squarings; ++k) r = r * r;
  return r;
}

}  // namespace

RealMatrix exponential(const RealMatrix& a) { return a.is_empty() ? a : exponential_of(a); }
ComplexMatrix exponential(const ComplexMatrix& a) { return a.is_empty() ? a : exponential_of(a); }

void drop_imaginary_noise(ComplexMatrix& z) {
  double largest = 0, imaginary = 0;
  for (const Complex& x : z.data)
    largest = std::max(largest, std::abs(x)), imaginary = std::max(imaginary, std::abs(x.imag()));
  if (imaginary <= 1e-14 * largest * static_cast<double>(z.rows))
    for (Complex& x : z.data) x = x.real();
}

// Square root through the Schur form: upper triangular recurrence (Bjorck and Hammarling 1983).
ComplexMatrix square_root(const ComplexMatrix& a) {
  const Index n = a.rows;
  ComplexMatrix t = a, u(n, n), x(n, n);
  std::vector<Complex> w(static_cast<std::size_t>(n));
  lapack_schur(checked_int(n), t.data.data(), w.data(), u.data.data(), 0);
  for (Index j = 0; j < n; ++j) {
    x(j, j) = std::sqrt(t(j, j));
    for (Index i = j - 1; i >= 0; --i) {
      Complex s = t(i, j);
      for (Index k = i + 1; k < j; ++k) s -= x(i, k) * x(k, j);
      const Complex d = x(i, i) + x(j, j);
      x(i, j) = s == Complex() ? Complex() : s / d;
    }
  }
  return (u * x) * adjoint(u);
}

// Inverse scaling and squaring: roots until close to I, then a Pade-like series by Gauss-Legendre quadrature.
ComplexMatrix logarithm(const ComplexMatrix& a) {
  const Index n = a.rows;
  const ComplexMatrix one = ComplexMatrix::identity(n);
  ComplexMatrix x = a;
  int roots = 0;
  for (; roots < 60; ++roots) {
    if (lapack_norm1(checked_int(n), (x - one).data.data()) < 0.2) break;
    x = square_root(x);
  }
  const ComplexMatrix e = x - one;
  // log(I+E) = integral of E (I + tE)^-1 over [0, 1], eight Gauss points.
  static constexpr double node[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  static constexpr double weight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  ComplexMatrix sum(n, n);
  bool singular = false;  // |E| < 0.2
  for (int k = 0; k < 8; ++k) {
    const double t = 0.5 + (k < 4 ? 0.5 : -0.5) * node[k % 4];
    sum = sum + (0.5 * weight[k % 4]) * solve(one + t * e, e, singular);
  }
  sum = std::ldexp(1.0, roots) * sum;
  drop_imaginary_noise(sum);
  return sum;
}

void reduce_rows(RealMatrix& a) {
  const Index m = a.rows, n = a.cols;
  double norm = 0;
  for (double x : a.data) norm = std::max(norm, std::abs(x));
  const double tol = 0x1p-52 * static_cast<double>(std::max(m, n)) * norm;
  Index r = 0;
  for (Index k = 0; k < n && r < m; ++k) {
    Index p = r;
    for (Index i = r; i < m; ++i)
      if (std::abs(a(i, k)) > std::abs(a(p, k))) p = i;
    if (std::abs(a(p, k)) <= tol) {
      for (Index i = r; i < m; ++i) a(i, k) = 0;
      continue;
    }
    for (Index j = k; j < n; ++j) std::swap(a(p, j), a(r, j));
    const double pivot = a(r, k);
    for (Index j = k; j < n; ++j) a(r, j) /= pivot;
    for (Index i = 0; i < m; ++i) {
      if (i == r) continue;
      const double f = a(i, k);
      for (Index j = k; j < n; ++j) a(i, j) -= f * a(r, j);
    }
    ++r;
  }
}

namespace {

template <class T>
struct Balancing {
  Matrix<T>& a;
  Balance result;
  Index low = 0, high;  // rows and columns that are left to be scaled

  void exchange(Index j, Index m) {
    result.swaps.emplace_back(j, m);
    if (j == m) return;
    for (Index i = 0; i < a.rows; ++i) std::swap(a(i, j), a(i, m));
    for (Index i = 0; i < a.rows; ++i) std::swap(a(j, i), a(m, i));
  }
};

// Rows that isolate an eigenvalue go to the end, then columns that do go to the front.
template <class T>
bool isolate_one(Balancing<T>& b, bool rows) {
  for (Index k = b.low; k <= b.high; ++k) {
    const Index j = rows ? b.high - (k - b.low) : k;
    bool alone = true;
    for (Index i = b.low; i <= b.high && alone; ++i) alone = i == j || (rows ? b.a(j, i) : b.a(i, j)) == T(0);
    if (!alone) continue;
    b.exchange(j, rows ? b.high-- : b.low++);
    return true;
  }
  return false;
}

// Powers of two that bring the 1-norms of a row and its column together (Parlett and Reinsch, Numer. Math. 13, 1969).
template <class T>
void scale_rows(Balancing<T>& b) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Index i = b.low; i <= b.high; ++i) {
      double column = 0, row = 0, f = 1;
      for (Index j = b.low; j <= b.high; ++j) {
        if (j == i) continue;
        column += std::abs(b.a(j, i));
        row += std::abs(b.a(i, j));
      }
      if (!(column > 0 && row > 0) || !std::isfinite(column + row)) continue;
      const double before = column + row;
      for (; column < row / 2 && f < 1e150; f *= 2) column *= 2, row /= 2;
      for (; column / 2 >= row && f > 1e-150; f /= 2) column /= 2, row *= 2;
      if (column + row >= 0.95 * before) continue;
      changed = true;
      b.result.scale[static_cast<std::size_t>(i)] *= f;
      for (Index j = 0; j < b.a.rows; ++j) {
        b.a(i, j) /= f;
        b.a(j, i) *= f;
      }
    }
  }
}

}  // namespace

template <class T>
Balance balance(Matrix<T>& a, bool permute, bool scale) {
  Balancing<T> b{a, {std::vector<double>(static_cast<std::size_t>(a.rows), 1.0), {}}, 0, a.rows - 1};
  if (permute) {
    while (b.high > b.low && isolate_one(b, true)) continue;
    while (b.high > b.low && isolate_one(b, false)) continue;
  }
  if (scale) scale_rows(b);
  return std::move(b.result);
}
template Balance balance(RealMatrix& a, bool permute, bool scale);
template Balance balance(ComplexMatrix& a, bool permute, bool scale);

}  // namespace orrery::math
