// SPDX-License-Identifier: Apache-2.0
// Reading, converting and evaluating linear models.
#include "math/linear_model.h"

#include <algorithm>
#include <cmath>

#include "math/decompositions.h"
#include "math/lapack.h"
#include "math/matrix_functions.h"

namespace orrery::math {
namespace {

// Leading zeros removed; at least one coefficient stays.
std::vector<double> trimmed(std::vector<double> p) {
  while (p.size() > 1 && p[0] == 0) p.erase(p.begin());
  return p;
}

std::vector<double> real_coefficients(const Polynomial& p) {
  std::vector<double> out;
  for (const Complex& z : p) {
    if (z.imag() != 0) throw Error("the roots must come in conjugate pairs");
    out.push_back(z.real());
  }
  return out;
}

RealMatrix scalar(double x) {
  RealMatrix m(1, 1);
  m.data[0] = x;
  return m;
}

}  // namespace

LinearModel state_space(RealMatrix a, RealMatrix b, RealMatrix c, RealMatrix d, double ts) {
  LinearModel m;
  m.a = std::move(a);
  m.b = std::move(b);
  m.c = std::move(c);
  m.d = std::move(d);
  m.ts = ts;
  const Index n = m.a.rows;
  if (n != m.a.cols) throw Error("A must be a square matrix");
  if (n > 0 && m.b.rows != n) throw Error("B must have as many rows as A");
  if (n > 0 && m.c.cols != n) throw Error("C must have as many columns as A");
  if (n > 0 && (m.d.is_empty() || (m.d.data.size() == 1 && m.d.data[0] == 0))) m.d = RealMatrix(m.c.rows, m.b.cols);
  if (n > 0 && !m.d.has_size(m.c.rows, m.b.cols)) throw Error("D must have as many rows as C and as many columns as B");
  if (n == 0 && m.d.is_empty()) throw Error("a model without states needs a gain D");
  if (n == 0) {
    m.a = RealMatrix(0, 0);
    m.b = RealMatrix(0, m.d.cols);
    m.c = RealMatrix(m.d.rows, 0);
  }
  return m;
}

LinearModel gain_model(RealMatrix d) { return state_space({}, {}, {}, std::move(d), 0); }

LinearModel transfer_function(std::vector<double> num, std::vector<double> den, double ts) {
  num = trimmed(std::move(num));
  den = trimmed(std::move(den));
  if (num.empty() || den.empty() || den[0] == 0) throw Error("numerator and denominator must not be empty or zero");
  if (num.size() > den.size()) throw Error("the transfer function is not proper: its numerator has the higher degree");
  const auto n = static_cast<Index>(den.size()) - 1;
  std::vector<double> padded(den.size() - num.size(), 0.0);
  padded.insert(padded.end(), num.begin(), num.end());
  RealMatrix a(n, n), b(n, n > 0 ? 1 : 0), c(n > 0 ? 1 : 0, n);
  const double d = padded[0] / den[0];
  for (Index k = 0; k < n; ++k) {
    const double p = den[static_cast<std::size_t>(k + 1)] / den[0];
    a(0, k) = -p;
    if (k > 0) a(k, k - 1) = 1;
    c(0, k) = padded[static_cast<std::size_t>(k + 1)] / den[0] - d * p;
  }
  if (n > 0) b(0, 0) = 1;
  LinearModel m = state_space(std::move(a), std::move(b), std::move(c), scalar(d), ts);
  m.transfer = true;
  m.num = std::move(num);
  m.den = std::move(den);
  return m;
}

LinearModel transfer_function(const Polynomial& num, const Polynomial& den, double ts) {
  return transfer_function(real_coefficients(num), real_coefficients(den), ts);
}

TransferMatrix transfer_matrix(const RealMatrix& a, const RealMatrix& b, const RealMatrix& c, const RealMatrix& d,
                               Index input) {
  const auto characteristic = [](const RealMatrix& x) { return polynomial_from_roots(eigenvalues(x)); };
  const Polynomial den = characteristic(a);
  const RealMatrix column = block(b, 0, b.rows, input, 1);
  TransferMatrix out{RealMatrix(c.rows, static_cast<Index>(den.size())), {}};
  for (Index o = 0; o < c.rows; ++o) {
    // num = poly(A - b c) + (d - 1) poly(A)
    const Polynomial p = characteristic(a - column * block(c, o, 1, 0, c.cols));
    for (std::size_t k = 0; k < p.size(); ++k)
      out.num(o, static_cast<Index>(k)) = (p[k] + (d(o, input) - 1) * den[k]).real();
  }
  for (const Complex& x : den) out.den.push_back(x.real());
  return out;
}

Fraction transfer_of(const LinearModel& m, Index output, Index input) {
  if (m.transfer) return {m.num, m.den};
  if (m.states() == 0) return {{m.d(output, input)}, {1.0}};
  TransferMatrix t = transfer_matrix(m.a, block(m.b, 0, m.b.rows, input, 1), block(m.c, output, 1, 0, m.c.cols),
                                     scalar(m.d(output, input)), 0);
  return {std::move(t.num.data), std::move(t.den)};
}

std::vector<Complex> poles_of(const LinearModel& m) { return eigenvalues(m.a); }

std::vector<Complex> zeros_of(const LinearModel& m) {
  if (m.transfer) return polynomial_roots(Polynomial(m.num.begin(), m.num.end()));
  if (m.inputs() != m.outputs()) throw Error("zeros need as many inputs as outputs");
  const Index n = m.states() + m.inputs();
  RealMatrix p = above(beside(m.a, m.b), beside(m.c, m.d)), q(n, n);
  for (Index i = 0; i < m.states(); ++i) q(i, i) = 1;
  std::vector<Complex> w(static_cast<std::size_t>(n)), finite;
  lapack_generalised_eigen(checked_int(n), p.data.data(), q.data.data(), w.data(), nullptr);
  for (const Complex& z : w)
    if (std::isfinite(z.real()) && std::isfinite(z.imag()) && std::abs(z) < 1e8) finite.push_back(z);
  return finite;
}

ComplexMatrix response_at(const LinearModel& m, Complex s, bool& singular) {
  if (m.states() == 0) return to_complex(m.d);
  ComplexMatrix pencil = to_complex(m.a);
  for (Complex& z : pencil.data) z = -z;
  for (Index i = 0; i < m.states(); ++i) pencil(i, i) += s;
  const ComplexMatrix x = solve(pencil, to_complex(m.b), singular);
  if (std::all_of(x.data.begin(), x.data.end(), [](const Complex& z) { return z.imag() == 0; }))
    return to_complex(m.c * real_part(x) + m.d);
  return to_complex(m.c) * x + to_complex(m.d);
}

namespace {

double common_ts(const LinearModel& g, const LinearModel& h) {
  if (g.states() == 0) return h.ts;
  if (h.states() != 0 && g.ts != h.ts) throw Error("the models must have the same sample time");
  return g.ts;
}

struct Fractions {
  Polynomial n1, d1, n2, d2;
  Fractions(const LinearModel& g, const LinearModel& h)
      : n1(g.num.begin(), g.num.end()),
        d1(g.den.begin(), g.den.end()),
        n2(h.num.begin(), h.num.end()),
        d2(h.den.begin(), h.den.end()) {}
};

// A gain beside a transfer function is one too.
bool as_fractions(LinearModel& g, LinearModel& h) {
  for (LinearModel* m : {&g, &h}) {
    const LinearModel& other = m == &g ? h : g;
    if (!m->transfer && m->states() == 0 && m->d.data.size() == 1 && other.transfer)
      *m = transfer_function(m->d.data, {1.0}, other.ts);
  }
  return g.transfer && h.transfer;
}

}  // namespace

LinearModel join_series(LinearModel g, LinearModel h) {
  const double ts = common_ts(g, h);
  if (as_fractions(g, h)) {
    const Fractions f(g, h);
    return transfer_function(polynomial_product(f.n1, f.n2), polynomial_product(f.d1, f.d2), ts);
  }
  if (g.outputs() != h.inputs()) throw Error("the first model must have as many outputs as the second has inputs");
  RealMatrix a = above(beside(g.a, RealMatrix(g.states(), h.states())), beside(h.b * g.c, h.a));
  return state_space(std::move(a), above(g.b, h.b * g.d), beside(h.d * g.c, h.c), h.d * g.d, ts);
}

LinearModel join_parallel(LinearModel g, LinearModel h) {
  const double ts = common_ts(g, h);
  if (as_fractions(g, h)) {
    const Fractions f(g, h);
    return transfer_function(polynomial_sum(polynomial_product(f.n1, f.d2), polynomial_product(f.n2, f.d1), 1),
                             polynomial_product(f.d1, f.d2), ts);
  }
  if (g.inputs() != h.inputs() || g.outputs() != h.outputs())
    throw Error("the models must have the same inputs and outputs");
  RealMatrix a =
      above(beside(g.a, RealMatrix(g.states(), h.states())), beside(RealMatrix(h.states(), g.states()), h.a));
  return state_space(std::move(a), above(g.b, h.b), beside(g.c, h.c), g.d + h.d, ts);
}

LinearModel join_feedback(LinearModel g, LinearModel h, double sign) {
  const double ts = common_ts(g, h);
  if (as_fractions(g, h)) {
    const Fractions f(g, h);
    return transfer_function(polynomial_product(f.n1, f.d2),
                             polynomial_sum(polynomial_product(f.d1, f.d2), polynomial_product(f.n1, f.n2), -sign), ts);
  }
  if (g.outputs() != h.inputs() || h.outputs() != g.inputs()) throw Error("the models do not fit into a loop");
  const RealMatrix one = RealMatrix::identity(g.inputs()), e = one - sign * (h.d * g.d);
  // u = e^-1 (r + sign (h.c xh + h.d g.c xg))
  bool singular = false;
  const RealMatrix ec = solve(e, sign * h.c, singular), eg = solve(e, sign * (h.d * g.c), singular),
                   er = solve(e, one, singular);
  const RealMatrix a11 = g.a + g.b * eg, a12 = g.b * ec;
  const RealMatrix yg = g.c + g.d * eg, yh = g.d * ec;
  RealMatrix a = above(beside(a11, a12), beside(h.b * yg, h.a + h.b * yh));
  LinearModel m = state_space(std::move(a), above(g.b * er, h.b * (g.d * er)), beside(yg, yh), g.d * er, ts);
  m.singular = singular;
  return m;
}

// The exponential of [a b 0; 0 0 1; 0 0 0] dt holds all three matrices (Van Loan 1978).
Sampled sampled(const LinearModel& m, double dt) {
  const Index n = m.states(), p = m.inputs();
  RealMatrix all(n + 2 * p, n + 2 * p);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) all(i, k) = m.a(i, k) * dt;
    for (Index k = 0; k < p; ++k) all(i, n + k) = m.b(i, k) * dt;
  }
  for (Index k = 0; k < p; ++k) all(n + k, n + p + k) = 1;
  const RealMatrix e = exponential(all);
  return {block(e, 0, n, 0, n), block(e, 0, n, n, p), block(e, 0, n, n + p, p)};
}

LinearModel tustin(const LinearModel& m, double ts) {
  const RealMatrix one = RealMatrix::identity(m.states()), half = (ts / 2) * m.a, left = one - half;
  bool singular = false;
  RealMatrix a = solve(left, one + half, singular), b = solve(left, ts * m.b, singular);
  RealMatrix c = divide(m.c, left, singular);
  RealMatrix d = m.d + (ts / 2) * (c * m.b);
  LinearModel out = state_space(std::move(a), std::move(b), std::move(c), std::move(d), ts);
  out.singular = singular;
  return out;
}

LinearModel continuous_of(const LinearModel& m) {
  const Index n = m.states(), p = m.inputs();
  const ComplexMatrix e =
      logarithm(to_complex(above(beside(m.a, m.b), beside(RealMatrix(p, n), RealMatrix::identity(p)))));
  RealMatrix a(n, n), b(n, p);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) a(i, k) = e(i, k).real() / m.ts;
    for (Index k = 0; k < p; ++k) b(i, k) = e(i, n + k).real() / m.ts;
  }
  return state_space(std::move(a), std::move(b), m.c, m.d, 0);
}

}  // namespace orrery::math
