// SPDX-License-Identifier: Apache-2.0
// Functions of matrices: exponential, logarithm, roots, products and solutions of systems.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/matrix_arguments.h"
#include "oml/interpreter.h"
#include "oml/lapack.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

void kron(Call& c) {
  Value out = to_numeric(full(c[0]));
  for (int k = 1; k < c.count(); ++k) {
    const Value a = to_complex(out), b = to_complex(full(c[k]));
    const Index m = a.dims().rows(), n = a.dims().cols(), p = b.dims().rows(), q = b.dims().cols();
    Value z = Value::complex_zeros(Dims(m * p, n * q));
    ComplexArray& d = z.edit_complex();
    for (Index j = 0; j < n; ++j)
      for (Index l = 0; l < q; ++l)
        for (Index i = 0; i < m; ++i)
          for (Index r = 0; r < p; ++r) {
            d.at(i * p + r, j * q + l) = a.complex().at(i, j) * b.complex().at(r, l);
          }
    out = narrowed(z);
  }
  c.ret(out);
}

// Scaling and squaring with a Pade approximant of degree 13 (Higham, "Functions of Matrices", 2008, section 10.3).
Value exponential(const Value& given) {
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
  const Index n = given.dims().rows();
  const auto mul = [](const Value& x, const Value& y) { return boxed(apply_binary(BinaryOp::matrix_times, x, y)); };
  const auto add = [](const Value& x, const Value& y) { return boxed(apply_binary(BinaryOp::add, x, y)); };
  double size = given.kind() == Kind::complex ? lapack_norm1(to_int(n), given.complex().data.data())
                                              : lapack_norm1(to_int(n), given.real().data.data());
  if (!std::isfinite(size)) fail("the matrix contains Inf or NaN");
  int squarings = 0;
  while (size > 5.37) size /= 2, ++squarings;
  const Value a = boxed(apply_binary(BinaryOp::divide, given, Value(std::ldexp(1.0, squarings))));
  const Value i = identity(n), a2 = mul(a, a), a4 = mul(a2, a2), a6 = mul(a2, a4);
  const auto combine = [&](double c6, double c4, double c2, double c0) {
    return add(add(mul(Value(c6), a6), mul(Value(c4), a4)), add(mul(Value(c2), a2), mul(Value(c0), i)));
  };
  const Value u = mul(a, add(mul(a6, combine(b[13], b[11], b[9], 0)), combine(b[7], b[5], b[3], b[1])));
  const Value v = add(mul(a6, combine(b[12], b[10], b[8], 0)), combine(b[6], b[4], b[2], b[0]));
  Value r = solve_left(boxed(apply_binary(BinaryOp::subtract, v, u)), add(v, u));
  for (int k = 0; k < squarings; ++k) r = mul(r, r);
  return r;
}

void expm(Call& c) {
  const Value a = square_argument(c, 0);
  if (a.dims().rows() == 0) return c.ret(a);
  c.ret(narrowed(boxed(exponential(a))));
}

// f(A) = V f(D) / V, refined by nothing: for matrices with a full set of eigenvectors.
template <class F>
Value through_eigenvalues(const Value& a, F f) {
  Value d, v;
  eigen_decomposition(a, d, v);
  Value scaled = to_complex(v);
  const Index n = a.dims().rows();
  for (Index k = 0; k < n; ++k) {
    const Complex x = f(d.complex()[k]);
    for (Index r = 0; r < n; ++r) scaled.edit_complex().at(r, k) *= x;
  }
  return to_complex(apply_binary(BinaryOp::matrix_divide, scaled, v));
}

Value cleaned(Value z) {
  double largest = 0, imaginary = 0;
  for (const Complex& x : z.complex().data)
    largest = std::max(largest, std::abs(x)), imaginary = std::max(imaginary, std::abs(x.imag()));
  if (imaginary <= 1e-14 * largest * static_cast<double>(z.dims().rows()))
    for (Complex& x : z.edit_complex().data) x = x.real();
  return narrowed(z);
}

// Square root through the Schur form: upper triangular recurrence (Bjorck and Hammarling 1983).
Value square_root(const Value& a) {
  const Index n = a.dims().rows();
  Value t = to_complex(a), u = Value::complex_zeros(Dims(n, n));
  std::vector<Complex> w(static_cast<std::size_t>(n));
  lapack_schur(to_int(n), t.edit_complex().data.data(), w.data(), u.edit_complex().data.data(), 0);
  Value r = Value::complex_zeros(Dims(n, n));
  ComplexArray& x = r.edit_complex();
  for (Index j = 0; j < n; ++j) {
    x.at(j, j) = std::sqrt(t.complex().at(j, j));
    for (Index i = j - 1; i >= 0; --i) {
      Complex s = t.complex().at(i, j);
      for (Index k = i + 1; k < j; ++k) s -= x.at(i, k) * x.at(k, j);
      const Complex d = x.at(i, i) + x.at(j, j);
      x.at(i, j) = s == Complex() ? Complex() : s / d;
    }
  }
  return to_complex(matrix_product(to_complex(matrix_product(u, r)), transpose(u, true)));
}

void sqrtm(Call& c) {
  const Value a = square_argument(c, 0);
  if (a.dims().rows() == 0) return c.ret(a);
  c.ret(cleaned(square_root(a)));
}

// Inverse scaling and squaring: roots until close to I, then a Pade-like series by Gauss-Legendre quadrature.
void logm(Call& c) {
  const Value a = square_argument(c, 0);
  const Index n = a.dims().rows();
  if (n == 0) return c.ret(a);
  Value x = to_complex(a);
  int roots = 0;
  const Value one = identity(n);
  for (; roots < 60; ++roots) {
    const Value e = to_complex(apply_binary(BinaryOp::subtract, x, one));
    if (lapack_norm1(to_int(n), e.complex().data.data()) < 0.2) break;
    x = square_root(x);
  }
  const Value e = to_complex(apply_binary(BinaryOp::subtract, x, one));
  // log(I+E) = integral of E (I + tE)^-1 over [0, 1], eight Gauss points.
  static constexpr double node[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  static constexpr double weight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  Value sum = Value::complex_zeros(Dims(n, n));
  for (int k = 0; k < 8; ++k) {
    const double t = 0.5 + (k < 4 ? 0.5 : -0.5) * node[k % 4];
    const Value m = boxed(apply_binary(BinaryOp::add, one, apply_binary(BinaryOp::times, Value(t), e)));
    const Value term = apply_binary(BinaryOp::times, Value(0.5 * weight[k % 4]), solve_left(m, e));
    sum = to_complex(apply_binary(BinaryOp::add, sum, term));
  }
  c.ret(cleaned(to_complex(apply_binary(BinaryOp::times, Value(std::ldexp(1.0, roots)), sum))));
}

void funm(Call& c) {
  const Value a = square_argument(c, 0);
  const Value f = c.oml.to_handle(c[1]);
  c.ret(cleaned(through_eigenvalues(a, [&](Complex z) { return to_complex_scalar(c.oml.call1(f, {Value(z)})); })));
}

void linsolve(Call& c) {
  Value a = matrix_argument(c, 0);
  if (c.has(2) && c[2].is_struct()) {
    const Value* t = c[2].structure_ref().get("TRANSA");
    if (t != nullptr && is_true(*t)) a = transpose(a, true);
  }
  c.ret(solve_left(a, matrix_argument(c, 1)));
  if (c.nargout > 1) c.ret(c.oml.call_named("rcond", {a}, 1)[0]);
}

void lsqminnorm(Call& c) {
  const Values p = c.oml.call_named("pinv", {c[0]}, 1);
  c.ret(apply_binary(BinaryOp::matrix_times, p[0], c[1]));
}

void rref(Call& c) {
  Value v = to_real(c[0]);
  RealArray& a = v.edit_real();
  const Index m = a.dims.rows(), n = a.dims.cols();
  double norm = 0;
  for (double x : a.data) norm = std::max(norm, std::abs(x));
  const double tol = 0x1p-52 * static_cast<double>(std::max(m, n)) * norm;
  Index r = 0;
  for (Index k = 0; k < n && r < m; ++k) {
    Index p = r;
    for (Index i = r; i < m; ++i)
      if (std::abs(a.at(i, k)) > std::abs(a.at(p, k))) p = i;
    if (std::abs(a.at(p, k)) <= tol) {
      for (Index i = r; i < m; ++i) a.at(i, k) = 0;
      continue;
    }
    for (Index j = k; j < n; ++j) std::swap(a.at(p, j), a.at(r, j));
    const double pivot = a.at(r, k);
    for (Index j = k; j < n; ++j) a.at(r, j) /= pivot;
    for (Index i = 0; i < m; ++i) {
      if (i == r) continue;
      const double f = a.at(i, k);
      for (Index j = k; j < n; ++j) a.at(i, j) -= f * a.at(r, j);
    }
    ++r;
  }
  c.ret(unboxed(v));
}

struct Balanced {
  RealArray& a;
  std::vector<double> scale;
  std::vector<std::pair<Index, Index>> swaps;  // in the order they were made
  Index low = 0, high;                         // rows and columns that are left to be scaled

  void exchange(Index j, Index m) {
    swaps.emplace_back(j, m);
    if (j == m) return;
    const Index n = a.dims.rows();
    for (Index i = 0; i < n; ++i) std::swap(a.at(i, j), a.at(i, m));
    for (Index i = 0; i < n; ++i) std::swap(a.at(j, i), a.at(m, i));
  }
};

// Rows that isolate an eigenvalue go to the end, then columns that do go to the front.
bool isolate_one(Balanced& b, bool rows) {
  for (Index k = b.low; k <= b.high; ++k) {
    const Index j = rows ? b.high - (k - b.low) : k;
    bool alone = true;
    for (Index i = b.low; i <= b.high && alone; ++i) alone = i == j || (rows ? b.a.at(j, i) : b.a.at(i, j)) == 0;
    if (!alone) continue;
    b.exchange(j, rows ? b.high-- : b.low++);
    return true;
  }
  return false;
}

// Powers of two that bring the 1-norms of a row and its column together (Parlett and Reinsch, Numer. Math. 13, 1969).
void scale_rows(Balanced& b) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Index i = b.low; i <= b.high; ++i) {
      double column = 0, row = 0, f = 1;
      for (Index j = b.low; j <= b.high; ++j) {
        if (j == i) continue;
        column += std::abs(b.a.at(j, i));
        row += std::abs(b.a.at(i, j));
      }
      if (!(column > 0 && row > 0) || !std::isfinite(column + row)) continue;
      const double before = column + row;
      for (; column < row / 2 && f < 1e150; f *= 2) column *= 2, row /= 2;
      for (; column / 2 >= row && f > 1e-150; f /= 2) column /= 2, row *= 2;
      if (column + row >= 0.95 * before) continue;
      changed = true;
      b.scale[static_cast<std::size_t>(i)] *= f;
      for (Index j = 0; j < b.a.dims.rows(); ++j) {
        b.a.at(i, j) /= f;
        b.a.at(j, i) *= f;
      }
    }
  }
}

void balance(Call& c) {
  Value v = square_argument(c, 0);
  if (v.kind() == Kind::complex) fail_argument(1, "must be real");
  const Index n = v.dims().rows();
  const std::string option = c.has(1) ? c.text(1) : "";
  Balanced b{v.edit_real(), std::vector<double>(static_cast<std::size_t>(n), 1.0), {}, 0, n - 1};
  if (option != "noperm" && option != "s" && option != "S") {
    while (b.high > b.low && isolate_one(b, true)) continue;
    while (b.high > b.low && isolate_one(b, false)) continue;
  }
  if (option != "noscal" && option != "p" && option != "P") scale_rows(b);
  if (c.nargout <= 1) return c.ret(unboxed(v));
  std::vector<double> order;
  for (Index i = 0; i < n; ++i) order.push_back(static_cast<double>(i + 1));
  for (const auto& [j, m] : b.swaps) std::swap(order[static_cast<std::size_t>(j)], order[static_cast<std::size_t>(m)]);
  if (c.nargout == 2) {
    Value t = Value::zeros(Dims(n, n));
    for (Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      t.edit_real().at(static_cast<Index>(order[k]) - 1, i) = b.scale[k];
    }
    c.ret(unboxed(t));
  } else {
    c.ret(unboxed(Value::column(b.scale)));
    c.ret(unboxed(Value::column(order)));
  }
  c.ret(unboxed(v));
}

constexpr Builtin table[] = {
    {"balance", 1, 2, balance,
     "[T, B] = balance(A, 'noperm'|'noscal'): similar matrix B = T \\ A * T with rows and columns of like size; [s, p, "
     "B] gives the scale and the permutation as vectors."},
    {"kron", 2, -1, kron, "kron(A, B, ...): Kronecker product."},
    {"expm", 1, 1, expm, "expm(A): matrix exponential."},
    {"logm", 1, 1, logm, "logm(A): matrix logarithm."},
    {"sqrtm", 1, 1, sqrtm, "sqrtm(A): matrix square root."},
    {"funm", 2, 2, funm, "funm(A, f): function of a matrix through its eigenvalues."},
    {"linsolve", 2, 3, linsolve, "[x, r] = linsolve(A, b, opts): A \\ b, or A' \\ b with opts.TRANSA."},
    {"lsqminnorm", 2, 2, lsqminnorm, "lsqminnorm(A, b): least-squares solution of smallest norm."},
    {"rref", 1, 1, rref, "rref(A): reduced row echelon form."},
};

}  // namespace

BuiltinFamily matrix_function_builtins() { return table; }

}  // namespace orrery::oml
