// SPDX-License-Identifier: Apache-2.0
// Control theory: models, pole placement, Riccati and Lyapunov equations, discretisation.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/lapack.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

Value times(const Value& a, const Value& b) { return boxed(apply_binary(BinaryOp::matrix_times, a, b)); }
Value plus(const Value& a, const Value& b) { return boxed(apply_binary(BinaryOp::add, a, b)); }
Value minus(const Value& a, const Value& b) { return boxed(apply_binary(BinaryOp::subtract, a, b)); }

Value identity(Index n) {
  Value v = Value::zeros(Dims(n, n));
  for (Index i = 0; i < n; ++i) v.edit_real().at(i, i) = 1;
  return v;
}

Value block(const Value& v, Index r0, Index rows, Index c0, Index cols) {
  return boxed(index_value(v, Values{Value(new Range(static_cast<double>(r0 + 1), 1, rows)),
                                     Value(new Range(static_cast<double>(c0 + 1), 1, cols))}));
}

Value square_argument(const Call& c, int k) {
  const Value a = to_real(c[k]);
  if (a.dims().rows() != a.dims().cols()) fail_argument(k + 1, "must be a square matrix");
  return a;
}

Value controllability(const Value& a, const Value& b) {
  Values parts = {b};
  for (Index k = 1; k < a.dims().rows(); ++k) parts.push_back(times(a, parts.back()));
  return boxed(concatenate(parts, 1));
}

void ctrb(Call& c) {
  const Value a = square_argument(c, 0), b = to_real(c[1]);
  if (b.dims().rows() != a.dims().rows()) fail("A and B must have the same number of rows");
  c.ret(unboxed(controllability(a, b)));
}

void obsv(Call& c) {
  const Value a = square_argument(c, 0), m = to_real(c[1]);
  if (m.dims().cols() != a.dims().rows()) fail("A and C must have the same number of columns");
  c.ret(unboxed(transpose(controllability(to_real(transpose(a, false)), to_real(transpose(m, false))), false)));
}

std::vector<Complex> wanted_poles(const Value& v, Index n) {
  std::vector<Complex> p = coefficients(v);
  if (static_cast<Index>(p.size()) != n) fail("as many poles as states are needed");
  const std::vector<Complex> poly = polynomial_from_roots(p);
  for (const Complex& x : poly)
    if (std::abs(x.imag()) > 1e-9 * (1 + std::abs(x.real()))) fail("complex poles must come in conjugate pairs");
  return p;
}

// Ackermann's formula for one input.
Value ackermann(const Value& a, const Value& b, const std::vector<Complex>& poles) {
  const Index n = a.dims().rows();
  std::vector<Complex> p = polynomial_from_roots(poles);
  Value phi = Value::zeros(Dims(n, n));
  const Value one = identity(n);
  for (const Complex& k : p) phi = plus(times(phi, a), times(Value(k.real()), one));
  const Value m = controllability(a, b);
  Value last = Value::zeros(Dims(1, n));
  last.edit_real()[n - 1] = 1;
  // k = e_n' * M^-1 * phi(A)
  const Value row = transpose(boxed(solve_left(to_real(transpose(m, false)), to_real(transpose(last, false)))), false);
  return times(row, phi);
}

// Several inputs: a random feedback and input direction reduce the pair to one input (Heymann's lemma); repeated poles
// are allowed.
Value place_poles(Call& c, const Value& a, const Value& b, const std::vector<Complex>& poles) {
  const Index n = a.dims().rows(), m = b.dims().cols();
  const Value rank = c.oml.call_named("rank", {controllability(a, b)}, 1)[0];
  if (to_double(rank) < static_cast<double>(n)) fail("the pair (A, B) is not controllable");
  if (m == 1) return ackermann(a, b, poles);
  std::mt19937 random(1);
  Value best;
  double best_size = INFINITY;
  const double scale = std::max(1e-3, lapack_norm1(static_cast<int>(n), a.real().data.data())) / 10;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto draw = [&] { return 2.0 * static_cast<double>(random()) / 4294967296.0 - 1; };
    Value g = Value::zeros(Dims(m, 1)), f = Value::zeros(Dims(m, n));
    for (double& x : g.edit_real().data) x = draw();
    for (double& x : f.edit_real().data) x = attempt == 0 ? 0 : scale * draw();
    const Value closed = to_real(minus(a, times(b, f))), input = to_real(times(b, g));
    if (to_double(c.oml.call_named("rank", {controllability(closed, input)}, 1)[0]) < static_cast<double>(n)) continue;
    const Value k = to_real(plus(f, times(g, ackermann(closed, input, poles))));
    double size = 0;
    for (double x : k.real().data) size += x * x;
    if (size < best_size) best_size = size, best = k;
  }
  if (best.is_none()) fail("no feedback was found; the pair (A, B) is close to uncontrollable");
  return best;
}

void place(Call& c) {
  const Value a = square_argument(c, 0), b = to_real(c[1]);
  if (b.dims().rows() != a.dims().rows()) fail("A and B must have the same number of rows");
  if (b.dims().count() > 2) fail_argument(2, "must be a matrix");
  if (a.is_empty() || b.is_empty()) return c.ret(Value::zeros(Dims(b.dims().cols(), a.dims().rows())));
  c.ret(unboxed(place_poles(c, a, b, wanted_poles(c[2], a.dims().rows()))));
}

// Stable invariant subspace of a 2n matrix: X = U2 / U1.
Value stable_solution(Value h, int region) {
  const Index n2 = h.dims().rows(), n = n2 / 2;
  Value u = Value::zeros(Dims(n2, n2));
  std::vector<Complex> w(static_cast<std::size_t>(n2));
  if (lapack_schur(static_cast<int>(n2), h.edit_real().data.data(), w.data(), u.edit_real().data.data(), region) != 0)
    fail("the Riccati equation has no stabilising solution");
  const Value u1 = block(u, 0, n, 0, n), u2 = block(u, n, n, 0, n);
  const Value x = boxed(apply_binary(BinaryOp::matrix_divide, u2, u1));
  return times(Value(0.5), plus(x, transpose(x, false)));
}

Value solve_care(const Value& a, const Value& b, const Value& q, const Value& r) {
  const Value g = times(b, solve_left(r, to_real(transpose(b, false))));
  const Value top = boxed(concatenate(Values{a, times(Value(-1), g)}, 1));
  const Value bottom = boxed(concatenate(Values{times(Value(-1), q), times(Value(-1), transpose(a, false))}, 1));
  return stable_solution(to_real(concatenate(Values{top, bottom}, 0)), -1);
}

Value solve_dare(const Value& a, const Value& b, const Value& q, const Value& r) {
  const Value g = times(b, solve_left(r, to_real(transpose(b, false))));
  const Value inverse_t = solve_left(to_real(transpose(a, false)), identity(a.dims().rows()));
  const Value top =
      boxed(concatenate(Values{plus(a, times(g, times(inverse_t, q))), times(Value(-1), times(g, inverse_t))}, 1));
  const Value bottom = boxed(concatenate(Values{times(Value(-1), times(inverse_t, q)), inverse_t}, 1));
  return stable_solution(to_real(concatenate(Values{top, bottom}, 0)), 1);
}

Value eigenvalues(const Value& a) {
  Value d, v;
  eigen_decomposition(a, d, v);
  return narrowed(d);
}

void check_riccati(const Value& a, const Value& b, const Value& q, const Value& r) {
  const Index n = a.dims().rows(), m = b.dims().cols();
  if (n == 0) fail("A must not be empty");
  if (b.dims() != Dims(n, m)) fail("B must have as many rows as A");
  if (q.dims() != Dims(n, n)) fail("Q must have the size of A");
  if (r.dims() != Dims(m, m)) fail("R must have a row and a column for each input");
}

void lqr_like(Call& c, bool discrete) {
  const Value a = square_argument(c, 0), b = to_real(c[1]), q = to_real(c[2]), r = to_real(c[3]);
  check_riccati(a, b, q, r);
  const Value x = discrete ? solve_dare(a, b, q, r) : solve_care(a, b, q, r);
  const Value bt = to_real(transpose(b, false));
  const Value k = discrete ? boxed(solve_left(plus(r, times(bt, times(x, b))), times(bt, times(x, a))))
                           : boxed(solve_left(r, times(bt, x)));
  c.ret(unboxed(k));
  c.ret(unboxed(x));
  c.ret(eigenvalues(minus(a, times(b, k))));
}

void riccati(Call& c, bool discrete) {
  const Value a = square_argument(c, 0), b = to_real(c[1]), q = to_real(c[2]);
  const Value r = c.has(3) && !c[3].is_empty() ? to_real(c[3]) : identity(b.dims().cols());
  check_riccati(a, b, q, r);
  const Value x = discrete ? solve_dare(a, b, q, r) : solve_care(a, b, q, r);
  const Value bt = to_real(transpose(b, false));
  const Value k = discrete ? boxed(solve_left(plus(r, times(bt, times(x, b))), times(bt, times(x, a))))
                           : boxed(solve_left(r, times(bt, x)));
  c.ret(unboxed(x));
  c.ret(eigenvalues(minus(a, times(b, k))));
  c.ret(unboxed(k));
}

// A X + X B + C = 0 through complex Schur forms.
Value sylvester(const Value& a, const Value& b, const Value& q) {
  const Index m = a.dims().rows(), n = b.dims().rows();
  if (m == 0 || n == 0 || a.dims() != Dims(m, m) || b.dims() != Dims(n, n) || q.dims() != Dims(m, n))
    fail("the sizes of the matrices do not match");
  Value ta = to_complex(a), tb = to_complex(b), ua = Value::complex_zeros(Dims(m, m)),
        ub = Value::complex_zeros(Dims(n, n));
  std::vector<Complex> w(static_cast<std::size_t>(std::max(m, n)));
  lapack_schur(static_cast<int>(m), ta.edit_complex().data.data(), w.data(), ua.edit_complex().data.data(), 0);
  lapack_schur(static_cast<int>(n), tb.edit_complex().data.data(), w.data(), ub.edit_complex().data.data(), 0);
  Value y = to_complex(times(times(transpose(ua, true), times(Value(-1), q)), ub));
  const double scale = lapack_sylvester(static_cast<int>(m), static_cast<int>(n), ta.complex().data.data(),
                                        tb.complex().data.data(), y.edit_complex().data.data());
  Value x = to_complex(times(times(ua, y), transpose(ub, true)));
  for (Complex& z : x.edit_complex().data) z /= scale;
  if (!a.is_complex() && !b.is_complex() && !q.is_complex())
    for (Complex& z : x.edit_complex().data) z = z.real();
  return narrowed(x);
}

void lyap(Call& c) {
  if (c.count() == 3) return c.ret(sylvester(to_numeric(c[0]), to_numeric(c[1]), to_numeric(c[2])));
  const Value a = to_numeric(c[0]);
  c.ret(sylvester(a, boxed(transpose(a, true)), to_numeric(c[1])));
}

// A X A' - X + Q = 0 as one linear system.
void dlyap(Call& c) {
  const Value a = square_argument(c, 0), q = to_real(c[1]);
  const Index n = a.dims().rows();
  if (q.dims() != Dims(n, n)) fail("the matrices must have the same size");
  const Value k = c.oml.call_named("kron", {a, a}, 1)[0];
  const Value colon = Value::colon();
  Value x = to_real(solve_left(minus(identity(n * n), k), index_value(q, std::span<const Value>(&colon, 1))));
  x.edit_real().dims = Dims(n, n);
  c.ret(unboxed(x));
}

void tf2ss(Call& c) {
  std::vector<Complex> num = coefficients(c[0]), den = coefficients(c[1]);
  if (num.empty()) fail_argument(1, "must not be empty");
  if (den.empty()) fail_argument(2, "must not be empty");
  while (den.size() > 1 && den[0] == Complex()) den.erase(den.begin());
  while (num.size() > 1 && num[0] == Complex()) num.erase(num.begin());
  if (num.size() > den.size()) fail("the transfer function is not proper");
  for (Complex& x : num) x /= den[0];
  const Complex lead = den[0];
  for (Complex& x : den) x /= lead;
  while (num.size() < den.size()) num.insert(num.begin(), 0);
  const auto n = static_cast<Index>(den.size()) - 1;
  Value a = Value::zeros(Dims(n, n)), b = Value::zeros(Dims(n, 1)), m = Value::zeros(Dims(1, n));
  const double d = num[0].real();
  for (Index k = 0; k < n; ++k) {
    a.edit_real().at(0, k) = -den[static_cast<std::size_t>(k + 1)].real();
    if (k > 0) a.edit_real().at(k, k - 1) = 1;
    m.edit_real()[k] = num[static_cast<std::size_t>(k + 1)].real() - d * den[static_cast<std::size_t>(k + 1)].real();
  }
  if (n > 0) b.edit_real()[0] = 1;
  c.ret(unboxed(a));
  c.ret(unboxed(b));
  c.ret(unboxed(m));
  c.ret(Value(d));
}

void ss2tf(Call& c) {
  const Value a = square_argument(c, 0), b = to_real(c[1]), m = to_real(c[2]), d = to_real(c[3]);
  const Index input = c.has(4) ? c.whole(4) - 1 : 0;
  const Index n = a.dims().rows();
  if (b.dims().rows() != n || b.dims().count() > 2) fail_argument(2, "must have as many rows as A");
  if (m.dims().cols() != n || m.dims().count() > 2) fail_argument(3, "must have as many columns as A");
  if (!(d.dims() == Dims(m.dims().rows(), b.dims().cols()))) {
    fail_argument(4, "must have a row for each output and a column for each input");
  }
  if (input < 0 || input >= b.dims().cols()) fail_argument(5, "must be the number of an input");
  const auto characteristic = [&](const Value& x) {
    Value w, v;
    eigen_decomposition(x, w, v);
    return polynomial_from_roots(coefficients(w));
  };
  const std::vector<Complex> den = characteristic(a);
  const Value column = block(b, 0, b.dims().rows(), input, 1);
  Values rows;
  for (Index o = 0; o < m.dims().rows(); ++o) {
    // num = poly(A - b c) + (d - 1) poly(A)
    std::vector<Complex> p = characteristic(minus(a, times(column, block(m, o, 1, 0, m.dims().cols()))));
    for (std::size_t k = 0; k < p.size(); ++k) p[k] = (p[k] + (d.real().at(o, input) - 1) * den[k]).real();
    rows.push_back(coefficient_row(p));
  }
  std::vector<Complex> real_den = den;
  for (Complex& x : real_den) x = x.real();
  c.ret(concatenate(rows, 0));
  c.ret(coefficient_row(real_den));
}

constexpr Builtin table[] = {
    {"ctrb", 2, 2, ctrb, "ctrb(A, B): controllability matrix [B AB A^2B ...]."},
    {"obsv", 2, 2, obsv, "obsv(A, C): observability matrix [C; CA; CA^2; ...]."},
    {"place", 3, 3, place, "place(A, B, p): feedback K such that A - B*K has the poles p; poles may repeat."},
    {"acker", 3, 3, place, "acker(A, b, p): feedback K such that A - b*K has the poles p."},
    {"lqr", 4, 4, [](Call& c) { lqr_like(c, false); },
     "[K, X, e] = lqr(A, B, Q, R): optimal feedback of a continuous system."},
    {"dlqr", 4, 4, [](Call& c) { lqr_like(c, true); },
     "[K, X, e] = dlqr(A, B, Q, R): optimal feedback of a discrete system."},
    {"care", 3, 4, [](Call& c) { riccati(c, false); },
     "[X, e, K] = care(A, B, Q, R): continuous algebraic Riccati equation."},
    {"dare", 3, 4, [](Call& c) { riccati(c, true); },
     "[X, e, K] = dare(A, B, Q, R): discrete algebraic Riccati equation."},
    {"lyap", 2, 3, lyap, "lyap(A, Q): X with A*X + X*A' + Q = 0; lyap(A, B, C): A*X + X*B + C = 0."},
    {"dlyap", 2, 2, dlyap, "dlyap(A, Q): X with A*X*A' - X + Q = 0."},
    {"tf2ss", 2, 2, tf2ss, "[A, B, C, D] = tf2ss(num, den): controllable canonical form of a transfer function."},
    {"ss2tf", 4, 5, ss2tf, "[num, den] = ss2tf(A, B, C, D, input): transfer function of a state-space model."},
};

}  // namespace

BuiltinFamily control_builtins() { return table; }

}  // namespace orrery::oml
