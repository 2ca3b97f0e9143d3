// SPDX-License-Identifier: Apache-2.0
// Roots, products, quotients and partial fractions of polynomials.
#include "math/polynomials.h"

#include <algorithm>
#include <cmath>

#include "math/lapack.h"

namespace orrery::math {

Polynomial polynomial_roots(Polynomial p) {
  while (!p.empty() && p.front() == Complex()) p.erase(p.begin());
  std::vector<Complex> out;
  std::size_t zeros = 0;
  while (!p.empty() && p.back() == Complex()) p.pop_back(), ++zeros;
  if (p.size() > 1) {
    const auto n = static_cast<Index>(p.size()) - 1;
    ComplexMatrix companion_matrix(n, n);
    bool real = true;
    for (Index k = 0; k < n; ++k) {
      companion_matrix(0, k) = -p[static_cast<std::size_t>(k + 1)] / p[0];
      real = real && companion_matrix(0, k).imag() == 0;
      if (k > 0) companion_matrix(k, k - 1) = 1;
    }
    out.resize(static_cast<std::size_t>(n));
    if (real) {
      RealMatrix r = real_part(companion_matrix);
      lapack_eigen(checked_int(n), r.data.data(), out.data(), nullptr, nullptr);
    } else {
      lapack_eigen(checked_int(n), companion_matrix.data.data(), out.data(), nullptr, nullptr);
    }
  }
  out.insert(out.end(), zeros, Complex());
  return out;
}

Polynomial polynomial_from_roots(const std::vector<Complex>& roots) {
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

Polynomial polynomial_product(const Polynomial& a, const Polynomial& b) {
  if (a.empty() || b.empty()) return {};
  std::vector<Complex> out(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) out[i + j] += a[i] * b[j];
  return out;
}

Polynomial polynomial_sum(Polynomial a, Polynomial b, double sign) {
  while (a.size() < b.size()) a.insert(a.begin(), 0);
  while (b.size() < a.size()) b.insert(b.begin(), 0);
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += sign * b[k];
  return a;
}

Complex polynomial_value(const Polynomial& p, Complex x) {
  Complex y = 0;
  for (const Complex& c : p) y = y * x + c;
  return y;
}

double polynomial_value(std::span<const double> p, double x) {
  double y = 0;
  for (double c : p) y = y * x + c;
  return y;
}

Polynomial polynomial_derivative(const Polynomial& p) {
  std::vector<Complex> d;
  for (std::size_t k = 0; k + 1 < p.size(); ++k) d.push_back(p[k] * static_cast<double>(p.size() - 1 - k));
  while (d.size() > 1 && d[0] == Complex()) d.erase(d.begin());
  if (d.empty()) d.push_back(0);
  return d;
}

Polynomial polynomial_integral(Polynomial p, Complex constant) {
  const auto n = static_cast<double>(p.size());
  for (std::size_t k = 0; k < p.size(); ++k) p[k] /= n - static_cast<double>(k);
  p.push_back(constant);
  return p;
}

Division polynomial_division(Polynomial y, const Polynomial& a) {
  std::vector<Complex> q;
  const std::size_t n = y.size();
  for (std::size_t k = 0; k + a.size() <= n; ++k) {
    q.push_back(y[k] / a[0]);
    for (std::size_t j = 0; j < a.size(); ++j) y[k + j] -= q.back() * a[j];
  }
  for (std::size_t k = 0; k < q.size(); ++k) y[k] = 0;
  return {std::move(q), std::move(y)};
}

RealMatrix companion(std::span<const double> p) {
  if (p.size() < 2) return {};
  const auto n = static_cast<Index>(p.size()) - 1;
  RealMatrix a(n, n);
  for (Index k = 0; k < n; ++k) {
    a(0, k) = -p[static_cast<std::size_t>(k + 1)] / p[0];
    if (k > 0) a(k, k - 1) = 1;
  }
  return a;
}

RealMatrix vandermonde(std::span<const double> x, Index degree, double mean, double scale) {
  RealMatrix a(static_cast<Index>(x.size()), degree + 1);
  for (Index r = 0; r < a.rows; ++r) {
    double power = 1;
    for (Index k = degree; k >= 0; --k, power *= (x[static_cast<std::size_t>(r)] - mean) / scale) a(r, k) = power;
  }
  return a;
}

// Equal poles are found by distance; the residues are solved as one linear system.
PartialFractions partial_fractions(Polynomial b, Polynomial a) {
  PartialFractions f;
  const Complex lead = a[0];
  for (Complex& x : a) x /= lead;
  for (Complex& x : b) x /= lead;
  while (b.size() >= a.size()) {
    const Complex q = b[0];
    f.direct.push_back(q);
    for (std::size_t j = 0; j < a.size(); ++j) b[j] -= q * a[j];
    b.erase(b.begin());
  }
  f.poles = polynomial_roots(a);
  std::vector<Complex>& poles = f.poles;
  const std::size_t n = poles.size();
  f.orders.assign(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(poles[i] - poles[j]) < 1e-3 * std::max(1.0, std::abs(poles[j])))
        poles[i] = poles[j], f.orders[i] = std::max(f.orders[i], f.orders[j] + 1);
    }
  }
  ComplexMatrix m(static_cast<Index>(n), static_cast<Index>(n)), rhs(static_cast<Index>(n), 1);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<Complex> others;
    int skipped = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (poles[i] == poles[j] && skipped < f.orders[j])
        ++skipped;
      else
        others.push_back(poles[i]);
    }
    const Polynomial rest = polynomial_from_roots(others);
    for (std::size_t k = 0; k < rest.size(); ++k)
      m(static_cast<Index>(n - rest.size() + k), static_cast<Index>(j)) = rest[k];
  }
  for (std::size_t k = 0; k < b.size() && k < n; ++k) rhs.data[n - 1 - k] = b[b.size() - 1 - k];
  f.residues = solve(m, rhs, f.singular).data;
  return f;
}

}  // namespace orrery::math
