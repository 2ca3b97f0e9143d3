// SPDX-License-Identifier: Apache-2.0
// Triangular, orthogonal and Schur factors of real and complex matrices, and what is read from them.
#pragma once

#include <span>
#include <vector>

#include "math/matrix.h"

namespace orrery::math {

// All functions are there for T = double and T = Complex.

// Rows of a in the order `order` are lower * upper; `packed` has both in one, as LAPACK does.
template <class T>
struct Lu {
  Matrix<T> packed, lower, upper;
  std::vector<Index> order;
};
template <class T>
Lu<T> lu(Matrix<T> a);

// Columns of a in the order `order` (from 0; as they are, unless pivoted) are q * r. economy: q has min(m, n) columns.
template <class T>
struct Qr {
  Matrix<T> q, r;
  std::vector<Index> order;
};
template <class T>
Qr<T> qr(Matrix<T> a, bool economy, bool pivoted, bool with_q = true);  // without: q is of no use

// a = u diag(s) v', the largest first. economy: min(m, n) columns of u and v. An Error where it does not converge.
template <class T>
struct Svd {
  Matrix<T> u;
  std::vector<double> s;
  Matrix<T> v;
};
template <class T>
Svd<T> svd(Matrix<T> a, bool economy);

// a = q t q'.
template <class T>
struct Schur {
  Matrix<T> q, t;
};
template <class T>
Schur<T> schur(Matrix<T> a);
Schur<double> hessenberg(RealMatrix a);

// The upper factor r with r' r = a takes the place of a. 0, or the number of the row at which a is not positive
// definite.
template <class T>
int cholesky(Matrix<T>& a);

// a = p u d u' p' of a symmetric or Hermitian matrix (its upper triangle is read): u is unit upper triangular, d has
// blocks of order 1 and 2, and column k of the permutation p is column order[k] of the identity.
template <class T>
struct Ldl {
  Matrix<T> u, d;
  std::vector<Index> order;
};
template <class T>
Ldl<T> ldl(Matrix<T> a);

struct Eigen {
  ComplexMatrix values, vectors;  // values: a column
};
// a x = w b x.
template <class T>
Eigen generalised_eigen(Matrix<T> a, Matrix<T> b);
// Left eigenvectors of length one from right ones; `singular` as in solve().
ComplexMatrix left_vectors(const ComplexMatrix& right, bool& singular);

template <class T>
Complex determinant(Matrix<T> a);
// An estimate in the 1-norm; infinite for an empty matrix.
template <class T>
double reciprocal_condition(Matrix<T> a);
// Of a regular matrix.
template <class T>
Matrix<T> inverse(Matrix<T> a);
// Singular values up to the tolerance count as zero.
template <class T>
ComplexMatrix pseudo_inverse(const Matrix<T>& a, double tolerance);
// Orthonormal columns that span what a maps to zero, or what it maps to.
template <class T>
Matrix<T> null_space(const Matrix<T>& a, double tolerance);
template <class T>
Matrix<T> range_space(const Matrix<T>& a, double tolerance);

// (sum |x|^p)^(1/p); p = 0 counts what is not zero, p = +-infinity is the largest or smallest size.
double vector_norm(std::span<const Complex> x, double p);
// The largest sum of sizes in a column (the 1-norm) or in a row (that of infinity).
double largest_column_sum(const ComplexMatrix& a);
double largest_row_sum(const ComplexMatrix& a);

}  // namespace orrery::math
