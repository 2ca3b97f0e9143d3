// SPDX-License-Identifier: Apache-2.0
// Factorisations, eigenvalues, norms and matrix functions on LAPACK.
#include <algorithm>
#include <cmath>

#include "math/decompositions.h"
#include "math/lapack.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/matrix_arguments.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "oml/warnings.h"

namespace orrery::oml {
namespace {

template <class T>
Array<T>& edit(Value& v) {
  if constexpr (std::is_same_v<T, double>)
    return v.edit_real();
  else
    return v.edit_complex();
}
template <class T>
Value make(Index r, Index k) {
  if constexpr (std::is_same_v<T, double>)
    return Value::zeros(Dims(r, k));
  else
    return Value::complex_zeros(Dims(r, k));
}

template <class T>
void lu_of(Call& c, Value a) {
  const Index m = a.dims().rows(), n = a.dims().cols(), k = std::min(m, n);
  std::vector<int> pivots(static_cast<std::size_t>(std::max<Index>(k, 1)));
  Array<T>& f = edit<T>(a);
  if (k > 0) math::lapack_lu(to_int(m), to_int(n), f.data.data(), pivots.data());
  std::vector<Index> order(static_cast<std::size_t>(m));
  for (Index i = 0; i < m; ++i) order[static_cast<std::size_t>(i)] = i;
  for (Index i = 0; i < k; ++i)
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(pivots[static_cast<std::size_t>(i)] - 1)]);
  Value lower = make<T>(m, k), upper = make<T>(k, n), permutation = Value::zeros(Dims(m, m));
  for (Index r = 0; r < m; ++r) {
    for (Index j = 0; j < k; ++j) edit<T>(lower).at(r, j) = r > j ? f.at(r, j) : T(r == j ? 1 : 0);
  }
  for (Index r = 0; r < k; ++r) {
    for (Index j = r; j < n; ++j) edit<T>(upper).at(r, j) = f.at(r, j);
  }
  for (Index r = 0; r < m; ++r) permutation.edit_real().at(r, order[static_cast<std::size_t>(r)]) = 1;
  if (c.nargout <= 1) return c.ret(narrowed(a));
  if (c.nargout == 2) lower = matrix_product(transpose(permutation, false), lower);
  c.ret(narrowed(lower));
  c.ret(narrowed(upper));
  c.ret(unboxed(permutation));
}

void lu(Call& c) {
  const Value a = matrix_argument(c, 0);
  a.kind() == Kind::complex ? lu_of<Complex>(c, a) : lu_of<double>(c, a);
}

template <class T>
void qr_of(Call& c, Value a, bool economy) {
  const Index m = a.dims().rows(), n = a.dims().cols(), k = std::min(m, n);
  Array<T>& f = edit<T>(a);
  std::vector<T> tau;
  std::vector<int> order;
  const bool pivoted = c.nargout > 2;
  if (k > 0) math::lapack_qr(to_int(m), to_int(n), f.data.data(), tau, pivoted ? &order : nullptr);
  const Index rows = economy ? k : m;
  Value r = make<T>(rows, n), q = make<T>(m, economy ? k : m);
  for (Index i = 0; i < rows; ++i)
    for (Index j = i; j < n; ++j) edit<T>(r).at(i, j) = f.at(i, j);
  if (c.nargout <= 1) return c.ret(narrowed(r));
  for (Index j = 0; j < std::min(n, q.dims().cols()); ++j)
    for (Index i = 0; i < m; ++i) edit<T>(q).at(i, j) = f.at(i, j);
  if (k > 0) math::lapack_form_q(to_int(m), to_int(q.dims().cols()), to_int(k), edit<T>(q).data.data(), tau);
  c.ret(narrowed(q));
  c.ret(narrowed(r));
  if (!pivoted) return;
  if (economy) {
    std::vector<double> p(order.begin(), order.end());
    return c.ret(Value::row(p));
  }
  Value p = Value::zeros(Dims(n, n));
  for (Index j = 0; j < n; ++j) p.edit_real().at(order[static_cast<std::size_t>(j)] - 1, j) = 1;
  c.ret(unboxed(p));
}

void qr(Call& c) {
  const Value a = matrix_argument(c, 0);
  if (a.is_empty()) {
    // Nothing to factorise: q is an identity, r and the permutation have the sizes of the argument.
    const Index m = a.dims().rows(), n = a.dims().cols();
    if (c.nargout > 1) c.ret(identity(m));
    c.ret(Value::zeros(Dims(m, n)));
    if (c.nargout > 2) c.ret(identity(n));
    return;
  }
  a.kind() == Kind::complex ? qr_of<Complex>(c, a, c.has(1)) : qr_of<double>(c, a, c.has(1));
}

std::vector<double> singular_values(const Value& a) {
  const Value v = to_numeric(full(a));
  return v.kind() == Kind::complex ? math::singular_values(complex_matrix(v)) : math::singular_values(real_matrix(v));
}

template <class T>
void svd_of(Call& c, Value a, bool economy) {
  const Index m = a.dims().rows(), n = a.dims().cols(), k = std::min(m, n);
  std::vector<double> s(static_cast<std::size_t>(std::max<Index>(k, 1)));
  const Index uc = economy ? k : m, vr = economy ? k : n;
  Value u = make<T>(m, uc), vt = make<T>(vr, n);
  if (k > 0) {
    const int info = math::lapack_svd(economy ? 'S' : 'A', to_int(m), to_int(n), edit<T>(a).data.data(), s.data(),
                                      edit<T>(u).data.data(), to_int(m), edit<T>(vt).data.data(), to_int(vr));
    if (info != 0) fail("svd did not converge");
  }
  Value sigma = Value::zeros(Dims(uc, vr));
  for (Index i = 0; i < k; ++i) sigma.edit_real().at(i, i) = s[static_cast<std::size_t>(i)];
  c.ret(narrowed(u));
  c.ret(unboxed(sigma));
  c.ret(narrowed(transpose(vt, true)));
}

void svd(Call& c) {
  const Value a = matrix_argument(c, 0);
  if (c.nargout <= 1) return c.ret(unboxed(Value::column(singular_values(a))));
  a.kind() == Kind::complex ? svd_of<Complex>(c, a, c.has(1)) : svd_of<double>(c, a, c.has(1));
}

void eig(Call& c) {
  const Value a = square_argument(c, 0);
  const Index n = a.dims().rows();
  Value d, v;
  if (c.has(1) && !c[1].is_text()) {
    const Value b = square_argument(c, 1);
    if (b.dims().rows() != n) fail("sizes of the arguments do not match");
    d = Value::complex_zeros(Dims(n, 1));
    v = Value::complex_zeros(Dims(n, n));
    Value x = a, y = b;
    const bool complex = a.kind() == Kind::complex || b.kind() == Kind::complex;
    if (complex) {
      x = to_complex(a);
      y = to_complex(b);
      math::lapack_generalised_eigen(to_int(n), x.edit_complex().data.data(), y.edit_complex().data.data(),
                                     d.edit_complex().data.data(), v.edit_complex().data.data());
    } else {
      math::lapack_generalised_eigen(to_int(n), x.edit_real().data.data(), y.edit_real().data.data(),
                                     d.edit_complex().data.data(), v.edit_complex().data.data());
    }
  } else {
    for (Index i = 0; i < a.numel(); ++i) {
      if (!std::isfinite(a.kind() == Kind::complex ? std::abs(a.complex()[i]) : a.real()[i]))
        fail_argument(1, "must not contain Inf or NaN");
    }
    eigen_decomposition(a, d, v);
  }
  if (c.nargout <= 1) return c.ret(narrowed(d));
  Value diagonal = Value::complex_zeros(Dims(n, n));
  for (Index i = 0; i < n; ++i) diagonal.edit_complex().at(i, i) = d.complex()[i];
  c.ret(narrowed(v));
  c.ret(narrowed(diagonal));
  if (c.nargout < 3) return;
  // Left vectors: rows of the inverse, each scaled to length one.
  Value left = to_complex(transpose(solve_left(v, identity(n)), true));
  for (Index k = 0; k < n; ++k) {
    double length = 0;
    for (Index i = 0; i < n; ++i) length = std::hypot(length, std::abs(left.complex().at(i, k)));
    for (Index i = 0; i < n; ++i) left.edit_complex().at(i, k) /= length;
  }
  c.ret(narrowed(left));
}

void chol(Call& c) {
  Value a = square_argument(c, 0);
  const Index n = a.dims().rows();
  const bool lower = c.has(1) && c.is_text(1) && c.text(1) == "lower";
  int info = 0;
  if (n > 0) {
    info = a.kind() == Kind::complex ? math::lapack_cholesky(to_int(n), a.edit_complex().data.data())
                                     : math::lapack_cholesky(to_int(n), a.edit_real().data.data());
  }
  if (info > 0 && c.nargout < 2) fail("the matrix is not positive definite");
  for (Index k = 0; k < n; ++k) {
    for (Index r = k + 1; r < n; ++r) {
      if (a.kind() == Kind::complex)
        a.edit_complex().at(r, k) = 0;
      else
        a.edit_real().at(r, k) = 0;
    }
  }
  if (info > 0) {
    const Values subs = {Value(new Range(1, 1, info - 1)), Value(new Range(1, 1, info - 1))};
    a = boxed(index_value(a, subs));
  }
  c.ret(narrowed(lower ? transpose(a, true) : a));
  c.ret(Value(info));
}

void det(Call& c) {
  Value a = square_argument(c, 0);
  const Index n = a.dims().rows();
  if (n == 0) return c.ret(Value(1.0));
  std::vector<int> pivots(static_cast<std::size_t>(n));
  Complex d = 1;
  if (a.kind() == Kind::complex)
    math::lapack_lu(to_int(n), to_int(n), a.edit_complex().data.data(), pivots.data());
  else
    math::lapack_lu(to_int(n), to_int(n), a.edit_real().data.data(), pivots.data());
  for (Index i = 0; i < n; ++i) {
    d *= a.kind() == Kind::complex ? a.complex().at(i, i) : Complex(a.real().at(i, i), 0);
    if (pivots[static_cast<std::size_t>(i)] != i + 1) d = -d;
  }
  c.ret(d.imag() == 0 ? Value(d.real()) : Value(d));
}

double reciprocal_condition(Value a) {
  const Index n = a.dims().rows();
  if (n == 0) return INFINITY;
  std::vector<int> pivots(static_cast<std::size_t>(n));
  if (a.kind() == Kind::complex) {
    const double norm = math::lapack_norm1(to_int(n), a.complex().data.data());
    if (math::lapack_lu(to_int(n), to_int(n), a.edit_complex().data.data(), pivots.data()) > 0) return 0;
    return math::lapack_rcond(to_int(n), a.complex().data.data(), norm);
  }
  const double norm = math::lapack_norm1(to_int(n), a.real().data.data());
  if (math::lapack_lu(to_int(n), to_int(n), a.edit_real().data.data(), pivots.data()) > 0) return 0;
  return math::lapack_rcond(to_int(n), a.real().data.data(), norm);
}

template <class T>
Value inverse_of(Value a) {
  const int n = to_int(a.dims().rows());
  std::vector<int> pivots(static_cast<std::size_t>(std::max(n, 1)));
  Value x = make<T>(n, n);
  for (int i = 0; i < n; ++i) edit<T>(x).at(i, i) = 1;
  if (n == 0) return x;
  math::lapack_lu(n, n, edit<T>(a).data.data(), pivots.data());
  math::lapack_lu_solve(n, n, edit<T>(a).data.data(), pivots.data(), edit<T>(x).data.data());
  return x;
}

void inv(Call& c) {
  const Value a = square_argument(c, 0);
  const Index n = a.dims().rows();
  const double rcond = reciprocal_condition(a);
  if (n > 0 && rcond == 0) {
    emit_warning("matrix is singular to working precision");
    Value out = Value::zeros(Dims(n, n));
    for (double& x : out.edit_real().data) x = INFINITY;
    c.ret(unboxed(out));
  } else {
    if (rcond < 2.2e-16) emit_warning("matrix is close to singular");
    c.ret(narrowed(a.kind() == Kind::complex ? inverse_of<Complex>(a) : inverse_of<double>(a)));
  }
  c.ret(Value(rcond));
}

double vector_norm(const Value& v, double p) {
  const Value z = to_complex(v);
  double s = 0;
  if (p == 2) {
    double scale = 0;
    for (const Complex& x : z.complex().data) scale = std::max(scale, std::abs(x));
    if (scale == 0 || !std::isfinite(scale)) return scale;
    for (const Complex& x : z.complex().data) s += std::norm(x / scale);
    return scale * std::sqrt(s);
  }
  if (p == 0) {
    for (const Complex& x : z.complex().data) s += x != Complex();
    return s;
  }
  if (std::isinf(p)) {
    s = p > 0 ? 0 : INFINITY;
    for (const Complex& x : z.complex().data) s = p > 0 ? std::max(s, std::abs(x)) : std::min(s, std::abs(x));
    return s;
  }
  for (const Complex& x : z.complex().data) s += std::pow(std::abs(x), p);
  return std::pow(s, 1 / p);
}

void norm(Call& c) {
  const Value v = matrix_argument(c, 0);
  double p = 2;
  bool frobenius = false;
  if (c.is_text(1)) {
    const std::string s = c.text(1);
    frobenius = s == "fro";
    if (s == "inf" || s == "Inf")
      p = INFINITY;
    else if (!frobenius)
      fail_argument(2, "must be 1, 2, Inf or 'fro'");
  } else if (c.has(1)) {
    p = c.number(1);
  }
  if (v.numel() == 0) return c.ret(Value(0.0));
  if (v.dims().is_vector() || frobenius) return c.ret(Value(vector_norm(v, frobenius ? 2 : p)));
  if (p == 2) return c.ret(Value(singular_values(v)[0]));
  if (p != 1 && !std::isinf(p)) fail_argument(2, "must be 1, 2, Inf or 'fro' for a matrix");
  const Value z = to_complex(v);
  double best = 0;
  const Index m = v.dims().rows(), n = v.dims().cols();
  for (Index i = 0; i < (p == 1 ? n : m); ++i) {
    double s = 0;
    for (Index j = 0; j < (p == 1 ? m : n); ++j) s += std::abs(p == 1 ? z.complex().at(j, i) : z.complex().at(i, j));
    best = std::max(best, s);
  }
  c.ret(Value(best));
}

double rank_tolerance(const Call& c, int k, const Value& a, const std::vector<double>& s) {
  return c.has(k) ? c.number(k) : math::rank_tolerance(a.dims().rows(), a.dims().cols(), s);
}

void rank(Call& c) {
  const Value a = matrix_argument(c, 0);
  const std::vector<double> s = singular_values(a);
  const double tol = rank_tolerance(c, 1, a, s);
  c.ret(Value(std::count_if(s.begin(), s.end(), [&](double x) { return x > tol; })));
}

void cond(Call& c) {
  const Value a = matrix_argument(c, 0);
  if (c.has(1) && !(c[1].is_number() && c.number(1) == 2)) {
    const double x = to_double(c.oml.call_named("norm", {a, c[1]}, 1)[0]);
    const Value inverse = solve_left(a, identity(a.dims().rows()));
    return c.ret(Value(x * to_double(c.oml.call_named("norm", {inverse, c[1]}, 1)[0])));
  }
  const std::vector<double> s = singular_values(a);
  c.ret(Value(s.empty() ? 0 : s.back() == 0 ? INFINITY : s[0] / s.back()));
}

// Columns of U (left) or V (right) of the SVD that belong to large or small singular values.
Value singular_vectors(Call& c, bool right, bool small) {
  const Value a = matrix_argument(c, 0);
  Values usv;
  Values args = {a};
  Call inner{c.oml, "svd", args, 3, usv};
  svd(inner);
  const std::vector<double> s = singular_values(a);
  const double tol = rank_tolerance(c, 1, a, s);
  const Index rank = std::count_if(s.begin(), s.end(), [&](double x) { return x > tol; });
  const Value basis = boxed(usv[right ? 2 : 0]);
  const Index n = basis.dims().cols();
  const Values subs = {Value::colon(), small ? Value(new Range(static_cast<double>(rank + 1), 1, n - rank))
                                             : Value(new Range(1, 1, rank))};
  Value out = boxed(index_value(basis, subs));
  if (small && out.kind() == Kind::real)
    for (double& x : out.edit_real().data)
      if (std::abs(x) < 0x1p-52) x = 0;
  return out;
}

void pinv(Call& c) {
  const Value a = matrix_argument(c, 0);
  Values usv;
  Values args = {a, Value(0)};
  Call inner{c.oml, "svd", args, 3, usv};
  svd(inner);
  const std::vector<double> s = singular_values(a);
  const double tol = rank_tolerance(c, 1, a, s);
  Value v = to_complex(usv[2]);
  for (Index k = 0; k < v.dims().cols(); ++k) {
    for (Index r = 0; r < v.dims().rows(); ++r)
      v.edit_complex().at(r, k) *= s[static_cast<std::size_t>(k)] > tol ? 1 / s[static_cast<std::size_t>(k)] : 0;
  }
  c.ret(narrowed(apply_binary(BinaryOp::matrix_times, v, transpose(boxed(usv[0]), true))));
}

void trace(Call& c) {
  const Value a = square_argument(c, 0);
  Complex s = 0;
  for (Index i = 0; i < a.dims().rows(); ++i) s += a.kind() == Kind::complex ? a.complex().at(i, i) : a.real().at(i, i);
  c.ret(s.imag() == 0 ? Value(s.real()) : Value(s));
}

void schur(Call& c) {
  Value a = square_argument(c, 0);
  const Index n = a.dims().rows();
  const bool complex = a.kind() == Kind::complex || (c.is_text(1) && c.text(1) == "complex");
  std::vector<Complex> w(static_cast<std::size_t>(std::max<Index>(n, 1)));
  Value u;
  if (complex) {
    a = to_complex(a);
    u = Value::complex_zeros(Dims(n, n));
    if (n > 0) math::lapack_schur(to_int(n), a.edit_complex().data.data(), w.data(), u.edit_complex().data.data(), 0);
  } else {
    u = Value::zeros(Dims(n, n));
    if (n > 0) math::lapack_schur(to_int(n), a.edit_real().data.data(), w.data(), u.edit_real().data.data(), 0);
  }
  if (c.nargout <= 1) return c.ret(narrowed(a));
  c.ret(narrowed(u));
  c.ret(narrowed(a));
}

void hess(Call& c) {
  Value a = square_argument(c, 0);
  if (a.kind() == Kind::complex) fail_argument(1, "must be real");
  const Index n = a.dims().rows();
  Value q = Value::zeros(Dims(n, n));
  if (n > 0) math::lapack_hessenberg(to_int(n), a.edit_real().data.data(), q.edit_real().data.data());
  if (c.nargout <= 1) return c.ret(unboxed(a));
  c.ret(unboxed(q));
  c.ret(unboxed(a));
}

// L D L' without pivoting for symmetric matrices.
void ldl(Call& c) {
  const Value given = square_argument(c, 0);
  const Value a = to_complex(given);
  const Index n = a.dims().rows();
  Value l = to_complex(identity(n)), d = Value::complex_zeros(Dims(n, n));
  for (Index j = 0; j < n; ++j) {
    Complex s = a.complex().at(j, j);
    for (Index k = 0; k < j; ++k) s -= l.complex().at(j, k) * std::conj(l.complex().at(j, k)) * d.complex().at(k, k);
    d.edit_complex().at(j, j) = s;
    for (Index i = j + 1; i < n; ++i) {
      Complex t = a.complex().at(i, j);
      for (Index k = 0; k < j; ++k) t -= l.complex().at(i, k) * std::conj(l.complex().at(j, k)) * d.complex().at(k, k);
      l.edit_complex().at(i, j) = t / s;
    }
  }
  c.ret(narrowed(l));
  c.ret(narrowed(d));
  if (c.nargout > 2) c.ret(unboxed(identity(n)));
}

constexpr Builtin linear_algebra_table[] = {
    {"lu", 1, 1, lu, "[L, U, P] = lu(A): triangular factors with P*A = L*U."},
    {"qr", 1, 2, qr,
     "[Q, R, P] = qr(A, 0): orthogonal and triangular factors; a second argument asks for the small ones."},
    {"svd", 1, 2, svd,
     "[U, S, V] = svd(A, 0): singular value decomposition A = U*S*V'; one output gives the singular values."},
    {"eig", 1, 3, eig, "[V, D] = eig(A, B): eigenvectors and eigenvalues; one output gives the eigenvalues."},
    {"chol", 1, 2, chol, "[R, p] = chol(A, 'lower'): Cholesky factor with R'*R = A."},
    {"ldl", 1, 2, ldl, "[L, D] = ldl(A): A = L*D*L' of a symmetric matrix."},
    {"schur", 1, 2, schur, "[U, S] = schur(A, 'real'|'complex'): Schur form A = U*S*U'."},
    {"hess", 1, 1, hess, "[P, H] = hess(A): Hessenberg form A = P*H*P'."},
    {"det", 1, 1, det, "det(A): determinant."},
    {"inv", 1, 1, inv, "[X, rcond] = inv(A): inverse; a warning when A is singular."},
    {"pinv", 1, 2, pinv, "pinv(A, tol): pseudo-inverse."},
    {"norm", 1, 2, norm, "norm(A, p): norm of a vector or matrix; p is 1, 2, Inf or 'fro'."},
    {"rank", 1, 2, rank, "rank(A, tol): number of singular values above tol."},
    {"cond", 1, 2, cond, "cond(A, p): condition number."},
    {"rcond", 1, 1, [](Call& c) { c.ret(Value(reciprocal_condition(square_argument(c, 0)))); },
     "rcond(A): estimate of the reciprocal condition number in the 1-norm."},
    {"null", 1, 2, [](Call& c) { c.ret(narrowed(singular_vectors(c, true, true))); },
     "null(A, tol): orthonormal basis of the null space."},
    {"orth", 1, 2, [](Call& c) { c.ret(narrowed(singular_vectors(c, false, false))); },
     "orth(A, tol): orthonormal basis of the range."},
    {"trace", 1, 1, trace, "trace(A): sum of the diagonal."},
};

}  // namespace

BuiltinFamily linear_algebra_builtins() { return linear_algebra_table; }

}  // namespace orrery::oml
