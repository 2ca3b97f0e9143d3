// SPDX-License-Identifier: Apache-2.0
// Factorizations, eigenvalues and norms: arguments in, results out of src/math.
#include <algorithm>
#include <cmath>

#include "math/decompositions.h"
#include "math/factorizations.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/matrix_arguments.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "oml/run_aside.h"
#include "oml/warnings.h"

namespace orrery::oml {
namespace {

// f of the argument as a real or a complex matrix.
template <class F>
auto of_matrix(const Value& v, F f) {
  return v.kind() == Kind::complex ? f(complex_matrix(v)) : f(real_matrix(v));
}

// How much work factors of a matrix are.
template <class T>
double cubed(const math::Matrix<T>& a) {
  return static_cast<double>(a.rows) * static_cast<double>(a.cols) * static_cast<double>(std::min(a.rows, a.cols));
}

// Rows (or columns) of the identity in another order.
Value permutation(const std::vector<Index>& order, bool columns) {
  const auto n = static_cast<Index>(order.size());
  Value p = Value::zeros(Dims(n, n));
  for (Index k = 0; k < n; ++k) {
    const Index other = order[static_cast<std::size_t>(k)];
    p.edit_real().at(columns ? other : k, columns ? k : other) = 1;
  }
  return p;
}

void lu(Call& c) {
  of_matrix(matrix_argument(c, 0), [&]<class T>(math::Matrix<T> a) {
    const double size = cubed(a);
    const math::Lu<T> f = run_aside(size, [a = std::move(a)]() mutable { return math::lu(std::move(a)); });
    if (c.nargout <= 1) return c.ret(result(f.packed));
    const Value rows = permutation(f.order, false);
    const Value lower = matrix_value(f.lower);
    c.ret(narrowed(c.nargout == 2 ? matrix_product(transpose(rows, false), lower) : lower));
    c.ret(result(f.upper));
    c.ret(unboxed(rows));
  });
}

void qr(Call& c) {
  const Value given = matrix_argument(c, 0);
  const bool economy = c.has(1), pivoted = c.nargout > 2;
  if (given.is_empty()) {
    // Nothing to factorise: q is an identity, r and the permutation have the sizes of the argument.
    const Index m = given.dims().rows(), n = given.dims().cols();
    if (c.nargout > 1) c.ret(identity(m));
    c.ret(Value::zeros(Dims(m, n)));
    if (pivoted) c.ret(identity(n));
    return;
  }
  of_matrix(given, [&]<class T>(math::Matrix<T> a) {
    const double size = cubed(a);
    const bool with_q = c.nargout > 1;
    const math::Qr<T> f =
        run_aside(size, [=, a = std::move(a)]() mutable { return math::qr(std::move(a), economy, pivoted, with_q); });
    if (c.nargout > 1) c.ret(result(f.q));
    c.ret(result(f.r));
    if (!pivoted) return;
    if (!economy) return c.ret(unboxed(permutation(f.order, true)));
    std::vector<double> numbers;
    for (const Index column : f.order) numbers.push_back(static_cast<double>(column + 1));
    c.ret(Value::row(numbers));
  });
}

std::vector<double> singular_values(const Value& a) {
  return of_matrix(to_numeric(full(a)), [](auto m) {
    const double size = 4 * cubed(m);
    return run_aside(size, [m = std::move(m)]() mutable { return math::singular_values(std::move(m)); });
  });
}

void svd(Call& c) {
  const Value given = matrix_argument(c, 0);
  if (c.nargout <= 1) return c.ret(unboxed(Value::column(singular_values(given))));
  of_matrix(given, [&]<class T>(math::Matrix<T> a) {
    const double size = 10 * cubed(a);
    const bool small = c.has(1);
    const math::Svd<T> f = run_aside(size, [=, a = std::move(a)]() mutable { return math::svd(std::move(a), small); });
    math::RealMatrix sigma(f.u.cols, f.v.cols);
    for (std::size_t i = 0; i < f.s.size(); ++i) sigma(static_cast<Index>(i), static_cast<Index>(i)) = f.s[i];
    c.ret(result(f.u));
    c.ret(result(sigma));
    c.ret(result(f.v));
  });
}

void eig(Call& c) {
  const Value a = square_argument(c, 0);
  const Index n = a.dims().rows();
  Value d, v;
  if (c.has(1) && !c[1].is_text()) {
    const Value b = square_argument(c, 1);
    if (b.dims().rows() != n) fail("sizes of the arguments do not match");
    const bool complex = a.kind() == Kind::complex || b.kind() == Kind::complex;
    const auto decomposed = [](auto x, auto y) {
      return run_aside(60 * cubed(x), [x = std::move(x), y = std::move(y)]() mutable {
        return math::generalised_eigen(std::move(x), std::move(y));
      });
    };
    const math::Eigen e =
        complex ? decomposed(complex_matrix(a), complex_matrix(b)) : decomposed(real_matrix(a), real_matrix(b));
    d = matrix_value(e.values);
    v = matrix_value(e.vectors);
  } else {
    for (Index i = 0; i < a.numel(); ++i) {
      if (!std::isfinite(a.kind() == Kind::complex ? std::abs(a.complex()[i]) : a.real()[i]))
        fail_argument(1, "must not contain Inf or NaN");
    }
    eigen_decomposition(a, d, v);
  }
  // One output is a column and beside the vectors they stand on a diagonal, unless a word says otherwise.
  bool as_matrix = c.nargout > 1;
  for (int k = 1; k < c.count(); ++k)
    if (c.is_text(k) && (c.text(k) == "vector" || c.text(k) == "matrix")) as_matrix = c.text(k) == "matrix";
  Value diagonal = Value::complex_zeros(Dims(n, n));
  for (Index i = 0; i < n; ++i) diagonal.edit_complex().at(i, i) = d.complex()[i];
  const Value values = narrowed(as_matrix ? diagonal : d);
  if (c.nargout <= 1) return c.ret(values);
  c.ret(narrowed(v));
  c.ret(values);
  if (c.nargout < 3) return;
  math::ComplexMatrix right = complex_matrix(v);
  const double size = 4 * cubed(right);
  const auto [left, none] = run_aside(size, [right = std::move(right)] {
    bool without = false;
    math::ComplexMatrix vectors = math::left_vectors(right, without);
    return std::pair(std::move(vectors), without);
  });
  warn_if_singular(none);
  c.ret(result(left));
}

void chol(Call& c) {
  const bool lower = c.has(1) && c.is_text(1) && c.text(1) == "lower";
  of_matrix(square_argument(c, 0), [&](auto given) {
    const double size = cubed(given);
    const auto [a, info] = run_aside(size, [given = std::move(given)]() mutable {
      const int row = math::cholesky(given);
      return std::pair(std::move(given), row);
    });
    if (info > 0 && c.nargout < 2) fail("the matrix is not positive definite");
    Value factor = matrix_value(a);
    if (info > 0) {
      const Values subs = {Value(new Range(1, 1, info - 1)), Value(new Range(1, 1, info - 1))};
      factor = boxed(index_value(factor, subs));
    }
    c.ret(narrowed(lower ? transpose(factor, true) : factor));
    c.ret(Value(info));
  });
}

Value number(Complex z) { return z.imag() == 0 ? Value(z.real()) : Value(z); }

double reciprocal_condition(const Value& v) {
  return of_matrix(v, [](auto a) {
    const double size = cubed(a);
    return run_aside(size, [a = std::move(a)]() mutable { return math::reciprocal_condition(std::move(a)); });
  });
}

void det(Call& c) {
  const Value a = square_argument(c, 0);
  c.ret(number(of_matrix(a, [](auto m) {
    const double size = cubed(m);
    return run_aside(size, [m = std::move(m)]() mutable { return math::determinant(std::move(m)); });
  })));
  if (c.nargout > 1) c.ret(Value(a.numel() == 1 ? 0.0 : reciprocal_condition(a)));
}

void rcond(Call& c) {
  if (c[0].numel() == 1) return c.ret(narrowed(to_numeric(full(c[0]))));
  c.ret(Value(reciprocal_condition(square_argument(c, 0))));
}

void inv(Call& c) {
  const Value given = square_argument(c, 0);
  const Index n = given.dims().rows();
  const double rcond = reciprocal_condition(given);
  if (n > 0 && rcond == 0) {
    emit_warning("matrix is singular to working precision");
    Value out = Value::zeros(Dims(n, n));
    for (double& x : out.edit_real().data) x = INFINITY;
    c.ret(unboxed(out));
  } else {
    if (rcond < 2.2e-16) emit_warning("matrix is close to singular");
    c.ret(of_matrix(given, [](auto a) {
      const double size = 2 * cubed(a);
      return result(run_aside(size, [a = std::move(a)]() mutable { return math::inverse(std::move(a)); }));
    }));
  }
  c.ret(Value(rcond));
}

// The order of a norm: a number, 'inf' or 'fro' (the Euclidean norm of all elements).
double norm_order(const Call& c, int k, bool& frobenius) {
  frobenius = false;
  if (!c[k].is_text()) return c.number(k);
  const std::string s = to_string(c[k]);
  frobenius = s == "fro";
  if (s == "inf" || s == "Inf") return INFINITY;
  if (!frobenius) fail_argument(k + 1, "must be a number, 'inf', 'fro', 'rows', 'cols' or 'columns'");
  return 2;
}

// norm(A, p, 'rows'): the norms of rows as a column, or of columns as a row.
bool norms_of_vectors(Call& c, const Value& v) {
  const int last = c.count() - 1;
  if (last < 1 || !c[last].is_text() || !c[last].is_text_row()) return false;
  const std::string word = to_string(c[last]);
  if (word != "rows" && word != "cols" && word != "columns") {
    if (last == 2) fail_argument(3, "must be 'rows', 'cols' or 'columns'");
    return false;
  }
  bool frobenius = false;
  const double p = last == 2 ? norm_order(c, 1, frobenius) : 2;
  const math::ComplexMatrix a = complex_matrix(v);
  const bool rows = word == "rows";
  std::vector<double> out;
  for (Index k = 0; k < (rows ? a.rows : a.cols); ++k) {
    std::vector<Complex> line;
    for (Index i = 0; i < (rows ? a.cols : a.rows); ++i) line.push_back(rows ? a(k, i) : a(i, k));
    out.push_back(math::vector_norm(line, p));
  }
  c.ret(unboxed(rows ? Value::column(out) : Value::row(out)));
  return true;
}

void norm_of(Call& c) {
  const Value v = matrix_argument(c, 0);
  if (norms_of_vectors(c, v)) return;
  if (c.count() > 2) fail_argument(3, "must be 'rows', 'cols' or 'columns'");
  double p = 2;
  bool frobenius = false;
  if (c.has(1)) p = norm_order(c, 1, frobenius);
  if (v.numel() == 0) return c.ret(Value(0.0));
  if (v.dims().is_vector() || frobenius) {
    return c.ret(Value(math::vector_norm(complex_matrix(v).data, frobenius ? 2 : p)));
  }
  if (p == 2) return c.ret(Value(singular_values(v)[0]));
  if (p != 1 && !std::isinf(p)) fail_argument(2, "must be 1, 2, Inf or 'fro' for a matrix");
  c.ret(Value(p == 1 ? math::largest_column_sum(complex_matrix(v)) : math::largest_row_sum(complex_matrix(v))));
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

// Orthonormal columns from the singular vectors: of the null space, or of the range.
void subspace(Call& c, bool null) {
  const Value given = matrix_argument(c, 0);
  const double tolerance = rank_tolerance(c, 1, given, singular_values(given));
  of_matrix(given, [&](auto a) {
    const double size = 10 * cubed(a);
    c.ret(result(run_aside(size, [=, a = std::move(a)] {
      return null ? math::null_space(a, tolerance) : math::range_space(a, tolerance);
    })));
  });
}

void pinv(Call& c) {
  const Value given = matrix_argument(c, 0);
  const double tolerance = rank_tolerance(c, 1, given, singular_values(given));
  c.ret(of_matrix(given, [&](auto a) {
    const double size = 10 * cubed(a);
    return result(run_aside(size, [=, a = std::move(a)] { return math::pseudo_inverse(a, tolerance); }));
  }));
}

void trace(Call& c) {
  const Value a = square_argument(c, 0);
  Complex s = 0;
  for (Index i = 0; i < a.dims().rows(); ++i) s += a.kind() == Kind::complex ? a.complex().at(i, i) : a.real().at(i, i);
  c.ret(number(s));
}

template <class T>
void give_similar(Call& c, const math::Schur<T>& f) {
  if (c.nargout > 1) c.ret(result(f.q));
  c.ret(result(f.t));
}

void schur(Call& c) {
  const Value a = square_argument(c, 0);
  const bool complex = a.kind() == Kind::complex || (c.is_text(1) && c.text(1) == "complex");
  const auto factors = [](auto m) {
    const double size = 10 * cubed(m);
    return run_aside(size, [m = std::move(m)]() mutable { return math::schur(std::move(m)); });
  };
  complex ? give_similar(c, factors(complex_matrix(a))) : give_similar(c, factors(real_matrix(a)));
}

void hess(Call& c) {
  const Value a = square_argument(c, 0);
  if (a.kind() == Kind::complex) fail_argument(1, "must be real");
  math::RealMatrix m = real_matrix(a);
  const double size = 4 * cubed(m);
  give_similar(c, run_aside(size, [m = std::move(m)]() mutable { return math::hessenberg(std::move(m)); }));
}

void ldl(Call& c) {
  of_matrix(square_argument(c, 0), [&]<class T>(math::Matrix<T> a) {
    const double size = cubed(a);
    const math::Ldl<T> f = run_aside(size, [a = std::move(a)]() mutable { return math::ldl(std::move(a)); });
    const Value order = permutation(f.order, true), upper = matrix_value(f.u);
    c.ret(narrowed(c.nargout > 2 ? upper : matrix_product(order, upper)));
    c.ret(result(f.d));
    c.ret(unboxed(order));
  });
}

constexpr Builtin linear_algebra_table[] = {
    {"lu", 1, 1, lu, "[L, U, P] = lu(A): triangular factors with P*A = L*U.", "number matrix"},
    {"qr", 1, 2, qr,
     "[Q, R, P] = qr(A, 0): orthogonal and triangular factors; a second argument asks for the small ones.",
     "number matrix, real scalar word:econ"},
    {"svd", 1, 2, svd,
     "[U, S, V] = svd(A, 0): singular value decomposition A = U*S*V'; one output gives the singular values.",
     "number matrix, real scalar word:econ"},
    {"eig", 1, 3, eig,
     "[V, D] = eig(A, B, 'vector'|'matrix'): eigenvectors and eigenvalues; one output gives the eigenvalues.",
     "number square, number word:vector/matrix/balance/nobalance/chol/qz, "
     "word:vector/matrix/balance/nobalance/chol/qz"},
    {"chol", 1, 2, chol, "[R, p] = chol(A, 'lower'): Cholesky factor with R'*R = A.",
     "number square, word:lower/upper"},
    {"ldl", 1, 1, ldl,
     "[U, D, P] = ldl(A): A = P*U*D*U'*P' of a symmetric matrix, U upper triangular, blocks of order 1 and 2 in D; two "
     "outputs give P*U and D.",
     "number square"},
    {"schur", 1, 2, schur, "[U, S] = schur(A, 'real'|'complex'): Schur form A = U*S*U'.",
     "number square, word:real/complex/u/a/d"},
    {"hess", 1, 1, hess, "[P, H] = hess(A): Hessenberg form A = P*H*P'.", "number square"},
    {"det", 1, 1, det, "[d, r] = det(A): determinant and reciprocal condition number.", "number square"},
    {"inv", 1, 1, inv, "[X, rcond] = inv(A): inverse; a warning when A is singular.", "number square"},
    {"pinv", 1, 2, pinv, "pinv(A, tol): pseudo-inverse.", "number matrix, real scalar"},
    {"norm", 1, 3, norm_of,
     "norm(A, p, 'rows'|'cols'): norm of a vector or matrix; p is 1, 2, Inf or 'fro'; with a word the norms of rows or "
     "columns.",
     "number matrix, number scalar text, text"},
    {"rank", 1, 2, rank, "rank(A, tol): number of singular values above tol.", "number matrix, real scalar"},
    {"cond", 1, 2, cond, "cond(A, p): condition number.", "number, number option:inf/fro"},
    {"rcond", 1, 1, rcond, "rcond(A): estimate of the reciprocal condition number in the 1-norm.", "number square"},
    {"null", 1, 2, [](Call& c) { subspace(c, true); }, "null(A, tol): orthonormal basis of the null space.",
     "number matrix, real scalar"},
    {"orth", 1, 2, [](Call& c) { subspace(c, false); }, "orth(A, tol): orthonormal basis of the range.",
     "number matrix, real scalar"},
    {"trace", 1, 1, trace, "trace(A): sum of the diagonal.", "number matrix"},
};

}  // namespace

BuiltinFamily linear_algebra_builtins() { return linear_algebra_table; }

}  // namespace orrery::oml
