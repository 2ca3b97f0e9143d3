// SPDX-License-Identifier: Apache-2.0
// Polynomials as rows of coefficients, highest power first.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/lapack.h"
#include "oml/operators.h"

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

std::vector<Complex> polynomial_roots(std::vector<Complex> p) {
  while (!p.empty() && p.front() == Complex()) p.erase(p.begin());
  std::vector<Complex> out;
  std::size_t zeros = 0;
  while (!p.empty() && p.back() == Complex()) p.pop_back(), ++zeros;
  if (p.size() > 1) {
    const auto n = static_cast<Index>(p.size()) - 1;
    Value companion = Value::complex_zeros(Dims(n, n));
    bool real = true;
    for (Index k = 0; k < n; ++k) {
      companion.edit_complex().at(0, k) = -p[static_cast<std::size_t>(k + 1)] / p[0];
      real = real && companion.complex().at(0, k).imag() == 0;
      if (k > 0) companion.edit_complex().at(k, k - 1) = 1;
    }
    out.resize(static_cast<std::size_t>(n));
    if (real) {
      Value r = to_real(narrowed(companion));
      lapack_eigen(static_cast<int>(n), r.edit_real().data.data(), out.data(), nullptr, nullptr);
    } else {
      lapack_eigen(static_cast<int>(n), companion.edit_complex().data.data(), out.data(), nullptr, nullptr);
    }
  }
  out.insert(out.end(), zeros, Complex());
  return out;
}

std::vector<Complex> polynomial_from_roots(const std::vector<Complex>& roots) {
  std::vector<Complex> p = {1};
  for (const Complex& r : roots) {
    p.push_back(0);
    for (std::size_t k = p.size() - 1; k > 0; --k) p[k] -= r * p[k - 1];
  }
  // Roots in conjugate pairs give real coefficients.
  std::vector<Complex> left = roots;
  bool paired = true;
  while (!left.empty() && paired) {
    const Complex r = left.back();
    left.pop_back();
    if (r.imag() == 0) continue;
    const auto it = std::find(left.begin(), left.end(), std::conj(r));
    paired = it != left.end();
    if (paired) left.erase(it);
  }
  if (paired)
    for (Complex& x : p) x = x.real();
  return p;
}

std::vector<Complex> polynomial_product(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  if (a.empty() || b.empty()) return {};
  std::vector<Complex> out(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) out[i + j] += a[i] * b[j];
  return out;
}

Complex polynomial_value(const std::vector<Complex>& p, Complex x) {
  Complex y = 0;
  for (const Complex& c : p) y = y * x + c;
  return y;
}

namespace {

void roots(Call& c) {
  const Value v = to_numeric(c[0]);
  for (Index i = 0; i < v.numel(); ++i) {
    if (!std::isfinite(v.kind() == Kind::complex ? std::abs(v.complex()[i]) : v.real()[i]))
      fail_argument(1, "must not contain Inf or NaN");
  }
  const std::vector<Complex> r = polynomial_roots(coefficients(v));
  if (r.empty()) return c.ret(Value::empty());
  c.ret(transpose(boxed(coefficient_row(r)), false));
}

void poly(Call& c) {
  const Value v = to_numeric(c[0]);
  const Dims d = v.dims();
  if (d.numel() == 0) return c.ret(Value(1.0));
  if (d.rows() == d.cols() && d.numel() > 1) {
    Value w, vectors;
    eigen_decomposition(v, w, vectors);
    return c.ret(coefficient_row(polynomial_from_roots(coefficients(w))));
  }
  c.ret(coefficient_row(polynomial_from_roots(coefficients(v))));
}

void polyval(Call& c) {
  const std::vector<Complex> p = coefficients(c[0]);
  double mean = 0, scale = 1;
  if (c.has(3)) {
    const std::vector<double> mu = to_vector(c[3]);
    mean = mu.at(0), scale = mu.at(1);
  }
  Value x = to_numeric(c[1]);
  const bool real = x.kind() == Kind::real && !c[0].is_complex();
  if (real) {
    RealArray& a = x.edit_real();
    for (double& t : a.data) {
      const double u = (t - mean) / scale;
      double y = 0;
      for (const Complex& k : p) y = y * u + k.real();
      t = y;
    }
    return c.ret(unboxed(x));
  }
  x = to_complex(x);
  for (Complex& t : x.edit_complex().data) t = polynomial_value(p, (t - mean) / scale);
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
  Value a = Value::zeros(Dims(m, n + 1));
  for (Index r = 0; r < m; ++r) {
    double power = 1;
    for (Index k = n; k >= 0; --k, power *= (x[static_cast<std::size_t>(r)] - mean) / scale)
      a.edit_real().at(r, k) = power;
  }
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
  std::vector<Complex> full_product = polynomial_product(a, b);
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
  const bool column = c[0].dims().cols() == 1 && (c[0].dims().rows() > 1 || c[1].dims().cols() == 1);
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
  std::vector<Complex> q;
  const std::size_t n = y.size();
  for (std::size_t k = 0; k + a.size() <= n; ++k) {
    q.push_back(y[k] / a[0]);
    for (std::size_t j = 0; j < a.size(); ++j) y[k + j] -= q.back() * a[j];
  }
  for (std::size_t k = 0; k < q.size(); ++k) y[k] = 0;
  const bool column = c[0].dims().cols() == 1 && c[0].dims().rows() > 1;
  const auto shape = [&](const std::vector<Complex>& p) {
    return column ? transpose(boxed(coefficient_row(p)), false) : coefficient_row(p);
  };
  c.ret(shape(q));
  c.ret(shape(y));
}

void polyder(Call& c) {
  std::vector<Complex> p = coefficients(c[0]);
  const auto derivative = [](const std::vector<Complex>& q) {
    std::vector<Complex> d;
    for (std::size_t k = 0; k + 1 < q.size(); ++k) d.push_back(q[k] * static_cast<double>(q.size() - 1 - k));
    while (d.size() > 1 && d[0] == Complex()) d.erase(d.begin());
    if (d.empty()) d.push_back(0);
    return d;
  };
  const auto add = [](std::vector<Complex> a, std::vector<Complex> b, double sign) {
    while (a.size() < b.size()) a.insert(a.begin(), 0);
    while (b.size() < a.size()) b.insert(b.begin(), 0);
    for (std::size_t k = 0; k < a.size(); ++k) a[k] += sign * b[k];
    return a;
  };
  if (!c.has(1)) return c.ret(coefficient_row(derivative(p)));
  const std::vector<Complex> q = coefficients(c[1]);
  const std::vector<Complex> dpq = polynomial_product(derivative(p), q), pdq = polynomial_product(p, derivative(q));
  if (c.nargout < 2) return c.ret(coefficient_row(add(dpq, pdq, 1)));
  // The quotient with a denominator that starts with 1.
  std::vector<Complex> numerator = add(dpq, pdq, -1), denominator = polynomial_product(q, q);
  const Complex lead = denominator.empty() || denominator[0] == Complex() ? Complex(1) : denominator[0];
  for (Complex& x : numerator) x /= lead;
  for (Complex& x : denominator) x /= lead;
  c.ret(coefficient_row(numerator));
  c.ret(coefficient_row(denominator));
}

void polyint(Call& c) {
  std::vector<Complex> p = coefficients(c[0]);
  const auto n = static_cast<double>(p.size());
  for (std::size_t k = 0; k < p.size(); ++k) p[k] /= n - static_cast<double>(k);
  p.push_back(c.has(1) ? to_complex_scalar(c[1]) : Complex());
  c.ret(coefficient_row(p));
}

void compan(Call& c) {
  const std::vector<double> p = to_vector(c[0]);
  if (p.size() < 2) return c.ret(Value::empty());
  const auto n = static_cast<Index>(p.size()) - 1;
  Value a = Value::zeros(Dims(n, n));
  for (Index k = 0; k < n; ++k) {
    a.edit_real().at(0, k) = -p[static_cast<std::size_t>(k + 1)] / p[0];
    if (k > 0) a.edit_real().at(k, k - 1) = 1;
  }
  c.ret(unboxed(a));
}

// Partial fractions; equal poles are found by distance and solved as one linear system.
void residue(Call& c) {
  std::vector<Complex> b = coefficients(c[0]), a = coefficients(c[1]);
  while (a.size() > 1 && a[0] == Complex()) a.erase(a.begin());
  if (a.empty() || a[0] == Complex()) fail_argument(2, "must not be empty or zero");
  const Complex lead = a[0];
  for (Complex& x : a) x /= lead;
  for (Complex& x : b) x /= lead;
  std::vector<Complex> direct;
  while (b.size() >= a.size()) {
    const Complex q = b[0];
    direct.push_back(q);
    for (std::size_t j = 0; j < a.size(); ++j) b[j] -= q * a[j];
    b.erase(b.begin());
  }
  std::vector<Complex> poles = polynomial_roots(a);
  const std::size_t n = poles.size();
  std::vector<int> order(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(poles[i] - poles[j]) < 1e-3 * std::max(1.0, std::abs(poles[j])))
        poles[i] = poles[j], order[i] = std::max(order[i], order[j] + 1);
    }
  }
  Value m = Value::complex_zeros(Dims(static_cast<Index>(n), static_cast<Index>(n))),
        rhs = Value::complex_zeros(Dims(static_cast<Index>(n), 1));
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<Complex> rest = {1};
    std::vector<Complex> others;
    int skipped = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (poles[i] == poles[j] && skipped < order[j])
        ++skipped;
      else
        others.push_back(poles[i]);
    }
    rest = polynomial_from_roots(others);
    for (std::size_t k = 0; k < rest.size(); ++k)
      m.edit_complex().at(static_cast<Index>(n - rest.size() + k), static_cast<Index>(j)) = rest[k];
  }
  for (std::size_t k = 0; k < b.size() && k < n; ++k)
    rhs.edit_complex()[static_cast<Index>(n - 1 - k)] = b[b.size() - 1 - k];
  std::vector<double> orders(order.begin(), order.end());
  c.ret(narrowed(to_complex(solve_left(m, rhs))));
  c.ret(transpose(boxed(coefficient_row(poles)), false));
  c.ret(direct.empty() ? Value::empty() : coefficient_row(direct));
  c.ret(Value::column(orders));
}

constexpr Builtin table[] = {
    {"roots", 1, 1, roots, "roots(p): roots of a polynomial."},
    {"poly", 1, 1, poly, "poly(r): polynomial with roots r, or the characteristic polynomial of a matrix."},
    {"polyval", 2, 4, polyval, "polyval(p, x, [], mu): value of a polynomial."},
    {"polyvalm", 2, 2, polyvalm, "polyvalm(p, A): polynomial of a matrix."},
    {"polyfit", 3, 3, polyfit, "[p, s, mu] = polyfit(x, y, n): least-squares polynomial of degree n."},
    {"conv", 2, 3, conv, "conv(a, b, 'full'|'same'|'valid'): product of polynomials, convolution."},
    {"deconv", 2, 2, deconv, "[q, r] = deconv(y, a): quotient and remainder of polynomials."},
    {"polyder", 1, 2, polyder,
     "polyder(p, q): derivative of a polynomial or product; [n, d] = polyder(p, q) of a quotient."},
    {"polyint", 1, 2, polyint, "polyint(p, k): integral of a polynomial with constant k."},
    {"compan", 1, 1, compan, "compan(p): companion matrix."},
    {"residue", 2, 2, residue, "[r, p, k, e] = residue(b, a): partial fractions of b/a."},
};

}  // namespace

BuiltinFamily polynomial_builtins() { return table; }

}  // namespace orrery::oml
