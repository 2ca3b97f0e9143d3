// SPDX-License-Identifier: Apache-2.0
// Control theory: pole placement, Riccati and Lyapunov equations, transfer functions and state spaces.
#include "math/decompositions.h"
#include "math/linear_model.h"
#include "math/pole_placement.h"
#include "math/riccati.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

using math::RealMatrix;

RealMatrix square_matrix_argument(const Call& c, int k) {
  const Value a = to_real(c[k]);
  if (a.dims().rows() != a.dims().cols()) fail_argument(k + 1, "must be a square matrix");
  return real_matrix(a);
}

RealMatrix real_matrix_argument(const Call& c, int k) { return real_matrix(to_real(c[k])); }

void ctrb(Call& c) {
  const RealMatrix a = square_matrix_argument(c, 0), b = real_matrix_argument(c, 1);
  if (b.rows != a.rows) fail("A and B must have the same number of rows");
  require_memory(b.rows * b.cols * std::max<Index>(a.rows, 1), 16);
  c.ret(result(math::controllability(a, b)));
}

void obsv(Call& c) {
  const RealMatrix a = square_matrix_argument(c, 0), m = real_matrix_argument(c, 1);
  if (m.cols != a.rows) fail("A and C must have the same number of columns");
  require_memory(m.rows * m.cols * std::max<Index>(a.rows, 1), 16);
  c.ret(result(math::transpose(math::controllability(math::transpose(a), math::transpose(m)))));
}

void place(Call& c) {
  const RealMatrix a = square_matrix_argument(c, 0), b = real_matrix_argument(c, 1);
  if (b.rows != a.rows) fail("A and B must have the same number of rows");
  if (c[1].dims().count() > 2) fail_argument(2, "must be a matrix");
  if (a.is_empty() || b.is_empty()) return c.ret(Value::zeros(Dims(b.cols, a.rows)));
  const math::Placement p = math::place_poles(a, b, coefficients(c[2]));
  warn_if_singular(p.singular);
  c.ret(result(p.k));
}

struct Design {
  math::RiccatiSolution solution;
  Value poles;  // of the closed loop
};

Design design(Call& c, bool discrete) {
  const RealMatrix a = square_matrix_argument(c, 0), b = real_matrix_argument(c, 1), q = real_matrix_argument(c, 2);
  const RealMatrix r = c.has(3) && !c[3].is_empty() ? real_matrix_argument(c, 3) : RealMatrix::identity(b.cols);
  if (a.rows == 0) fail("A must not be empty");
  if (b.rows != a.rows) fail("B must have as many rows as A");
  if (!q.has_size(a.rows, a.rows)) fail("Q must have the size of A");
  if (!r.has_size(b.cols, b.cols)) fail("R must have a row and a column for each input");
  Design d{discrete ? math::solve_dare(a, b, q, r) : math::solve_care(a, b, q, r), {}};
  warn_if_singular(d.solution.singular);
  d.poles = coefficient_column(math::eigenvalues(a - b * d.solution.k));
  return d;
}

void lqr_like(Call& c, bool discrete) {
  const Design d = design(c, discrete);
  c.ret(result(d.solution.k));
  c.ret(result(d.solution.x));
  c.ret(d.poles);
}

void riccati(Call& c, bool discrete) {
  const Design d = design(c, discrete);
  c.ret(result(d.solution.x));
  c.ret(d.poles);
  c.ret(result(d.solution.k));
}

// A X + X B + C = 0
Value sylvester(const Value& a, const Value& b, const Value& q) {
  const Index m = a.dims().rows(), n = b.dims().rows();
  if (m == 0 || n == 0 || a.dims() != Dims(m, m) || b.dims() != Dims(n, n) || q.dims() != Dims(m, n))
    fail("the sizes of the matrices do not match");
  math::ComplexMatrix x = math::solve_sylvester(complex_matrix(a), complex_matrix(b), complex_matrix(q));
  if (!a.is_complex() && !b.is_complex() && !q.is_complex())
    for (Complex& z : x.data) z = z.real();
  return result(x);
}

void lyap(Call& c) {
  if (c.count() == 3) return c.ret(sylvester(to_numeric(c[0]), to_numeric(c[1]), to_numeric(c[2])));
  const Value a = to_numeric(c[0]);
  c.ret(sylvester(a, boxed(transpose(a, true)), to_numeric(c[1])));
}

void dlyap(Call& c) {
  const RealMatrix a = square_matrix_argument(c, 0), q = real_matrix_argument(c, 1);
  if (!q.has_size(a.rows, a.rows)) fail("the matrices must have the same size");
  require_memory(a.rows * a.rows * a.rows * a.rows, 4 * 8);
  bool singular = false;
  const RealMatrix x = math::solve_discrete_lyapunov(a, q, singular);
  warn_if_singular(singular);
  c.ret(result(x));
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
  const RealMatrix a = square_matrix_argument(c, 0), b = real_matrix_argument(c, 1), m = real_matrix_argument(c, 2),
                   d = real_matrix_argument(c, 3);
  const Index input = c.has(4) ? c.whole(4) - 1 : 0;
  if (b.rows != a.rows || c[1].dims().count() > 2) fail_argument(2, "must have as many rows as A");
  if (m.cols != a.rows || c[2].dims().count() > 2) fail_argument(3, "must have as many columns as A");
  if (!d.has_size(m.rows, b.cols)) fail_argument(4, "must have a row for each output and a column for each input");
  if (input < 0 || input >= b.cols) fail_argument(5, "must be the number of an input");
  const math::TransferMatrix t = math::transfer_matrix(a, b, m, d, input);
  c.ret(result(t.num));
  c.ret(unboxed(Value::row(t.den)));
}

constexpr Builtin control_table[] = {
    {"ctrb", 2, 2, ctrb, "ctrb(A, B): controllability matrix [B AB A^2B ...].", "number square, number matrix"},
    {"obsv", 2, 2, obsv, "obsv(A, C): observability matrix [C; CA; CA^2; ...].", "number square, number matrix"},
    {"place", 3, 3, place,
     "place(A, B, p): feedback K such that A - B*K has the poles p, with well-conditioned eigenvectors when there are "
     "several inputs; poles may repeat.",
     "real square, real matrix, number"},
    {"acker", 3, 3, place, "acker(A, b, p): feedback K such that A - b*K has the poles p.",
     "real square, real matrix, number"},
    {"lqr", 4, 4, [](Call& c) { lqr_like(c, false); },
     "[K, X, e] = lqr(A, B, Q, R): optimal feedback of a continuous system.",
     "real square, real matrix, real matrix, real matrix"},
    {"dlqr", 4, 4, [](Call& c) { lqr_like(c, true); },
     "[K, X, e] = dlqr(A, B, Q, R): optimal feedback of a discrete system.",
     "real square, real matrix, real matrix, real matrix"},
    {"care", 3, 4, [](Call& c) { riccati(c, false); },
     "[X, e, K] = care(A, B, Q, R): continuous algebraic Riccati equation.", "number, number, number, number"},
    {"dare", 3, 4, [](Call& c) { riccati(c, true); },
     "[X, e, K] = dare(A, B, Q, R): discrete algebraic Riccati equation; A may be singular.",
     "number, number, number, number"},
    {"lyap", 2, 3, lyap, "lyap(A, Q): X with A*X + X*A' + Q = 0; lyap(A, B, C): A*X + X*B + C = 0.",
     "real square, real matrix, real matrix"},
    {"dlyap", 2, 2, dlyap, "dlyap(A, Q): X with A*X*A' - X + Q = 0.", "real square, real matrix"},
    {"tf2ss", 2, 2, tf2ss, "[A, B, C, D] = tf2ss(num, den): controllable canonical form of a transfer function.",
     "real, real vector"},
    {"ss2tf", 4, 5, ss2tf, "[num, den] = ss2tf(A, B, C, D, input): transfer function of a state-space model.",
     "real matrix, real matrix, real matrix, real matrix, dim"},
};

}  // namespace

BuiltinFamily control_builtins() { return control_table; }

}  // namespace orrery::oml
