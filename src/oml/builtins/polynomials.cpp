// SPDX-License-Identifier: Apache-2.0
// Polynomials as rows of coefficients, highest power first.
#include <algorithm>
#include <cmath>

#include "math/polynomials.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "oml/run_aside.h"

namespace orrery::oml {

std::vector<Complex> coefficients(const Value& v) {
  const Value z = to_complex(v);
  return {z.complex().data.begin(), z.complex().data.end()};
}

Value coefficient_row(const std::vector<Complex>& p) {
  Value out = Value::complex_zeros(Dims(1, static_cast<Index>(p.size())));
  std::copy(p.begin(), p.end(), out.edit_complex().data.begin());
  return narrowed(out);
}

Value coefficient_column(const std::vector<Complex>& p) { return transpose(boxed(coefficient_row(p)), false); }

namespace {

void roots(Call& c) {
  const Value v = to_numeric(c[0]);
  for (Index i = 0; i < v.numel(); ++i) {
    if (!std::isfinite(v.kind() == Kind::complex ? std::abs(v.complex()[i]) : v.real()[i]))
      fail_argument(1, "must not contain Inf or NaN");
  }
  require_memory(v.numel() * v.numel(), 16);  // of the companion matrix
  const std::vector<Complex> r = math::polynomial_roots(coefficients(v));
  if (r.empty()) return c.ret(Value::empty());
  c.ret(coefficient_column(r));
}

void poly(Call& c) {
  const Value v = to_numeric(c[0]);
  const Dims d = v.dims();
  if (d.numel() == 0) return c.ret(Value(1.0));
  if (d.rows() == d.cols() && d.numel() > 1) {
    Value w, vectors;
    eigen_decomposition(v, w, vectors);
    return c.ret(coefficient_row(math::polynomial_from_roots(coefficients(w))));
  }
  if (!d.is_vector()) fail_argument(1, "must be a vector of roots or a square matrix");
  c.ret(coefficient_row(math::polynomial_from_roots(coefficients(v))));
}

void polyval(Call& c) {
  const std::vector<Complex> p = coefficients(c[0]);
  Complex centre = 0, width = 1;
  if (c.has(3)) {
    const std::vector<Complex> mu = coefficients(c[3]);
    if (mu.size() < 2) fail_argument(4, "must have two elements");
    centre = mu[0], width = mu[1];
  }
  const double mean = centre.real(), scale = width.real();
  InterruptPoll poll;
  const auto look = [&] { p.size() > 1000 ? poll_interrupt() : poll(); };
  Value x = to_numeric(c[1]);
  const bool real = x.kind() == Kind::real && !c[0].is_complex() && centre.imag() == 0 && width.imag() == 0;
  if (real) {
    std::vector<double> real_p;
    for (const Complex& k : p) real_p.push_back(k.real());
    for (double& t : x.edit_real().data) {
      look();
      t = math::polynomial_value(real_p, (t - mean) / scale);
    }
    return c.ret(unboxed(x));
  }
  x = to_complex(x);
  for (Complex& t : x.edit_complex().data) {
    look();
    t = math::polynomial_value(p, (t - centre) / width);
  }
  c.ret(narrowed(x));
}

void polyvalm(Call& c) {
  const std::vector<Complex> p = coefficients(c[0]);
  const Value a = to_numeric(c[1]);
  const Index n = a.dims().rows();
  if (n != a.dims().cols()) fail_argument(2, "must be a square matrix");
  Value one = Value::zeros(Dims(n, n));
  for (Index i = 0; i < n; ++i) one.edit_real().at(i, i) = 1;
  Value y = Value::zeros(Dims(n, n));
  for (const Complex& k : p) {
    y = apply_binary(BinaryOp::add, apply_binary(BinaryOp::matrix_times, y, a),
                     apply_binary(BinaryOp::times, Value(k), one));
  }
  c.ret(y);
}

void polyfit(Call& c) {
  const std::vector<double> x = to_vector(c[0]);
  const Index n = c.whole(2), m = static_cast<Index>(x.size());
  if (m != c[1].numel()) fail("x and y must have the same length");
  const Value every = Value::colon();
  const Value y = to_numeric(index_value(boxed(full(c[1])), std::span<const Value>(&every, 1)));
  if (n < 0) fail_argument(3, "must not be negative");
  double mean = 0, scale = 1;
  if (c.nargout > 2) {
    for (double t : x) mean += t / static_cast<double>(m);
    double s = 0;
    for (double t : x) s += (t - mean) * (t - mean);
    scale = std::sqrt(s / static_cast<double>(m - 1));
  }
  require_memory(m * (n + 1), 8);
  const Value a = matrix_value(math::vandermonde(x, n, mean, scale));
  const Value p = solve_left(a, y);
  c.ret(transpose(p, false));
  if (c.nargout < 2) return;
  Value s = Value::structure();
  const Values qr = c.oml.call_named("qr", {a, Value(0)}, 2);
  const Value residual = to_complex(apply_binary(BinaryOp::subtract, y, apply_binary(BinaryOp::matrix_times, a, p)));
  double norm = 0;
  for (const Complex& r : residual.complex().data) norm += std::norm(r);
  s.edit_structure().set("R", qr[1]);
  s.edit_structure().set("df", Value(std::max<Index>(0, m - n - 1)));
  s.edit_structure().set("normr", Value(std::sqrt(norm)));
  s.edit_structure().set("yf", apply_binary(BinaryOp::matrix_times, a, p));
  c.ret(s);
  c.ret(Value::column({mean, scale}));
}

void conv(Call& c) {
  const std::vector<Complex> a = coefficients(c[0]), b = coefficients(c[1]);
  if (a.empty() || b.empty()) fail("arguments must not be empty");
  const double size = 4.0 * static_cast<double>(a.size()) * static_cast<double>(b.size());
  std::vector<Complex> full_product = run_aside(size, [a, b] { return math::polynomial_product(a, b); });
  if (c.has(2) && c.text(2) == "same") {
    const std::size_t begin = b.size() / 2;
    full_product = std::vector<Complex>(full_product.begin() + static_cast<std::ptrdiff_t>(begin),
                                        full_product.begin() + static_cast<std::ptrdiff_t>(begin + a.size()));
  } else if (c.has(2) && c.text(2) == "valid") {
    if (a.size() < b.size()) return c.ret(Value::zeros(Dims(1, 0)));
    full_product = std::vector<Complex>(full_product.begin() + static_cast<std::ptrdiff_t>(b.size() - 1),
                                        full_product.begin() + static_cast<std::ptrdiff_t>(a.size()));
  }
  const Value row = boxed(coefficient_row(full_product));
  // The result lies as the second argument does; a number has no direction.
  const Value& like = c[1].numel() == 1 ? c[0] : c[1];
  const bool column = like.dims().cols() == 1 && like.dims().rows() > 1;
  c.ret(unboxed(column ? transpose(row, false) : row));
}

void deconv(Call& c) {
  std::vector<Complex> y = coefficients(c[0]);
  const std::vector<Complex> a = coefficients(c[1]);
  if (a.empty() || a[0] == Complex()) fail_argument(2, "must not start with zero");
  if (y.size() < a.size()) {
    c.ret(Value(0.0));
    return c.ret(c[0]);
  }
  const double size = 4.0 * static_cast<double>(y.size() - a.size() + 1) * static_cast<double>(a.size());
  const math::Division d =
      run_aside(size, [y = std::move(y), a]() mutable { return math::polynomial_division(std::move(y), a); });
  const bool column = c[0].dims().cols() == 1 && c[0].dims().rows() > 1;
  const auto shape = [&](const std::vector<Complex>& p) { return column ? coefficient_column(p) : coefficient_row(p); };
  c.ret(shape(d.quotient));
  c.ret(shape(d.remainder));
}

void polyder(Call& c) {
  std::vector<Complex> p = coefficients(c[0]);
  if (!c.has(1)) return c.ret(coefficient_row(math::polynomial_derivative(p)));
  const std::vector<Complex> q = coefficients(c[1]);
  const std::vector<Complex> dpq = math::polynomial_product(math::polynomial_derivative(p), q),
                             pdq = math::polynomial_product(p, math::polynomial_derivative(q));
  if (c.nargout < 2) return c.ret(coefficient_row(math::polynomial_sum(dpq, pdq, 1)));
  // The quotient with a denominator that starts with 1.
  std::vector<Complex> numerator = math::polynomial_sum(dpq, pdq, -1), denominator = math::polynomial_product(q, q);
  const Complex lead = denominator.empty() || denominator[0] == Complex() ? Complex(1) : denominator[0];
  for (Complex& x : numerator) x /= lead;
  for (Complex& x : denominator) x /= lead;
  c.ret(coefficient_row(numerator));
  c.ret(coefficient_row(denominator));
}

void polyint(Call& c) {
  const Complex constant = c.has(1) ? to_complex_scalar(c[1]) : Complex();
  c.ret(coefficient_row(math::polynomial_integral(coefficients(c[0]), constant)));
}

void compan(Call& c) {
  require_memory(c[0].numel() * c[0].numel(), 8);
  c.ret(result(math::companion(to_vector(c[0]))));
}

void residue(Call& c) {
  std::vector<Complex> b = coefficients(c[0]), a = coefficients(c[1]);
  while (a.size() > 1 && a[0] == Complex()) a.erase(a.begin());
  if (a.empty() || a[0] == Complex()) fail_argument(2, "must not be empty or zero");
  require_memory(static_cast<Index>(a.size() * a.size()), 2 * 16);
  const math::PartialFractions f = math::partial_fractions(std::move(b), std::move(a));
  warn_if_singular(f.singular);
  math::ComplexMatrix residues(static_cast<Index>(f.residues.size()), 1);
  residues.data = f.residues;
  c.ret(result(residues));
  c.ret(coefficient_column(f.poles));
  c.ret(f.direct.empty() ? Value::empty() : coefficient_row(f.direct));
  c.ret(Value::column(std::vector<double>(f.orders.begin(), f.orders.end())));
}

constexpr Builtin polynomial_table[] = {
    {"roots", 1, 1, roots, "roots(p): roots of a polynomial.", "number vector filled"},
    {"poly", 1, 1, poly, "poly(r): polynomial with roots r, or the characteristic polynomial of a matrix.", "number"},
    {"polyval", 2, 4, polyval, "polyval(p, x, [], mu): value of a polynomial.", "number vector, number, [], number"},
    {"polyvalm", 2, 2, polyvalm, "polyvalm(p, A): polynomial of a matrix.", "number vector, number square"},
    {"polyfit", 3, 3, polyfit, "[p, s, mu] = polyfit(x, y, n): least-squares polynomial of degree n.",
     "number, number, real"},
    {"conv", 2, 3, conv, "conv(a, b, 'full'|'same'|'valid'): product of polynomials, convolution.",
     "number vector [], number vector [], word:full/same/valid"},
    {"deconv", 2, 2, deconv, "[q, r] = deconv(y, a): quotient and remainder of polynomials.",
     "number vector [], number vector []"},
    {"polyder", 1, 2, polyder,
     "polyder(p, q): derivative of a polynomial or product; [n, d] = polyder(p, q) of a quotient.", "number, number"},
    {"polyint", 1, 2, polyint, "polyint(p, k): integral of a polynomial with constant k.", "number, number"},
    {"compan", 1, 1, compan, "compan(p): companion matrix.", "number"},
    {"residue", 2, 2, residue, "[r, p, k, e] = residue(b, a): partial fractions of b/a.", "number, number"},
};

}  // namespace

BuiltinFamily polynomial_builtins() { return polynomial_table; }

}  // namespace orrery::oml
