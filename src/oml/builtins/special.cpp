// SPDX-License-Identifier: Apache-2.0
// Gamma, beta, error and Bessel functions.
#include "math/special_functions.h"

#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

double gamma_of(double x) {
  if (x == 0) return std::signbit(x) ? -INFINITY : INFINITY;
  if (x < 0 && x == std::floor(x)) return NAN;
  return std::tgamma(x);
}

// An error when some element of argument k is refused; NaN stays NaN.
template <class Refused>
void expect_all(const Call& c, int k, const char* demand, Refused refused) {
  const Value v = to_real(c[k]);
  if (std::any_of(v.real().data.begin(), v.real().data.end(), refused)) fail_argument(k + 1, demand);
}

void gammainc(Call& c) {
  const bool upper = c.is_text(2) && c.text(2) == "upper";
  expect_all(c, 0, "must not be negative", [](double x) { return x < 0; });
  expect_all(c, 1, "must not be negative", [](double x) { return x < 0; });
  c.ret(zip_real({c[0], c[1]},
                 [=](const double* v) { return upper ? math::gamma_q(v[1], v[0]) : math::gamma_p(v[1], v[0]); }));
}

void betainc(Call& c) {
  const bool upper = c.is_text(3) && c.text(3) == "upper";
  expect_all(c, 0, "must lie between 0 and 1", [](double x) { return x < 0 || x > 1; });
  for (int k : {1, 2}) expect_all(c, k, "must be positive", [](double x) { return x <= 0; });
  c.ret(zip_real({c[0], c[1], c[2]}, [=](const double* v) {
    return upper ? math::beta_q(v[0], v[1], v[2]) : math::beta_p(v[0], v[1], v[2]);
  }));
}

// The sign of the gamma function: below zero it changes at every integer.
double gamma_sign(double x) { return x < 0 && std::fmod(std::floor(x), 2) != 0 ? -1 : 1; }

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

template <class F>
void bessel(Call& c, F f) {
  c.ret(zip_real({c[0], c[1]}, [&](const double* v) {
    const double order = std::abs(v[0]), x = std::abs(v[1]);
    const bool whole = v[0] == std::floor(v[0]);
    if (v[0] < 0 && !whole) return static_cast<double>(NAN);
    const bool odd = whole && std::fmod(order, 2) != 0;
    return f(order, x, odd, v[0] < 0, v[1] < 0);
  }));
}

void bessel_j(Call& c) {
  bessel(c, [](double n, double x, bool odd, bool minus_n, bool minus_x) {
    const double y = std::cyl_bessel_j(n, x);
    return odd && (minus_n != minus_x) ? -y : y;
  });
}
void bessel_y(Call& c) {
  bessel(c, [](double n, double x, bool odd, bool minus_n, bool minus_x) {
    if (minus_x) return static_cast<double>(NAN);
    const double y = x == 0 ? -INFINITY : std::cyl_neumann(n, x);
    return odd && minus_n ? -y : y;
  });
}
void bessel_i(Call& c) {
  bessel(c, [](double n, double x, bool odd, bool, bool minus_x) {
    const double y = std::cyl_bessel_i(n, x);
    return odd && minus_x ? -y : y;
  });
}
void bessel_k(Call& c) {
  bessel(c, [](double n, double x, bool, bool, bool minus_x) {
    return minus_x ? static_cast<double>(NAN) : x == 0 ? static_cast<double>(INFINITY) : std::cyl_bessel_k(n, x);
  });
}

void legendre(Call& c) {
  const Index n = c.whole(0);
  if (n < 0 || n > 1000) fail_argument(1, "must be between 0 and 1000");
  const std::vector<double> x = to_vector(c[1]);
  Value out = Value::zeros(Dims(n + 1, static_cast<Index>(x.size())));
  for (Index m = 0; m <= n; ++m) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (std::abs(x[k]) > 1) fail_argument(2, "must be between -1 and 1");
      const double p = std::assoc_legendre(static_cast<unsigned>(n), static_cast<unsigned>(m), x[k]);
      out.edit_real().at(m, static_cast<Index>(k)) = m % 2 == 1 ? -p : p;
    }
  }
  c.ret(unboxed(out));
}

// Complete elliptic integrals by the arithmetic-geometric mean.
void ellipke(Call& c) {
  const Value m = to_real(c[0]);
  Value k = m, e = m;
  for (Index i = 0; i < m.numel(); ++i) {
    const double x = m.real()[i];
    if (x > 1) fail_argument(1, "must not exceed 1");
    if (x == 1) {
      k.edit_real()[i] = INFINITY;
      e.edit_real()[i] = 1;
      continue;
    }
    double a = 1, b = std::sqrt(1 - x), sum = x, power = 1;
    for (int n = 0; n < 40 && std::abs(a - b) > 1e-17 * a; ++n) {
      const double next = (a + b) / 2, cc = (a - b) / 2;
      b = std::sqrt(a * b);
      a = next;
      power *= 2;
      sum += power * cc * cc;
    }
    k.edit_real()[i] = 3.14159265358979323846 / (2 * a);
    e.edit_real()[i] = k.real()[i] * (1 - sum / 2);
  }
  c.ret(unboxed(k));
  c.ret(unboxed(e));
}

constexpr Builtin special_table[] = {
    {"gamma", 1, 1, [](Call& c) { c.ret(map_real(c[0], gamma_of)); }, "gamma(x): gamma function.", "real"},
    {"gammaln", 1, 1, [](Call& c) { c.ret(map_real(c[0], [](double x) { return std::lgamma(x); })); },
     "gammaln(x): logarithm of the gamma function.", "real"},
    {"lgamma", 1, 1, [](Call& c) { c.ret(map_real(c[0], [](double x) { return std::lgamma(x); })); },
     "lgamma(x): logarithm of the gamma function.", "real"},
    {"gammainc", 2, 3, gammainc, "gammainc(x, a, 'lower'|'upper'): regularised incomplete gamma function.",
     "real, real, word:lower/upper"},
    {"beta", 2, 2,
     [](Call& c) {
       c.ret(zip_real({c[0], c[1]}, [](const double* v) {
         const double sign = gamma_sign(v[0]) * gamma_sign(v[1]) * gamma_sign(v[0] + v[1]);
         return sign * std::exp(log_beta(v[0], v[1]));
       }));
     },
     "beta(a, b): beta function.", "real, real"},
    {"betaln", 2, 2,
     [](Call& c) {
       for (int k : {0, 1}) expect_all(c, k, "must not be negative", [](double x) { return x < 0; });
       c.ret(zip_real({c[0], c[1]}, [](const double* v) { return log_beta(v[0], v[1]); }));
     },
     "betaln(a, b): logarithm of the beta function.", "real, real"},
    {"betainc", 3, 4, betainc, "betainc(x, a, b, 'lower'|'upper'): regularised incomplete beta function.",
     "real, real, real, word:lower/upper"},
    {"erf", 1, 1, [](Call& c) { c.ret(map_real(c[0], [](double x) { return std::erf(x); })); },
     "erf(x): error function.", "real"},
    {"erfc", 1, 1, [](Call& c) { c.ret(map_real(c[0], [](double x) { return std::erfc(x); })); },
     "erfc(x): 1 - erf(x).", "real"},
    {"erfinv", 1, 1, [](Call& c) { c.ret(map_real(c[0], math::inverse_erf)); },
     "erfinv(y): inverse of the error function.", "real"},
    {"erfcinv", 1, 1, [](Call& c) { c.ret(map_real(c[0], math::inverse_erfc)); }, "erfcinv(y): inverse of erfc.",
     "real"},
    {"psi", 1, 1, [](Call& c) { c.ret(map_real(c[0], math::digamma)); }, "psi(x): digamma function.", "real"},
    {"besselj", 2, 3, bessel_j, "besselj(n, x): Bessel function of the first kind.", "real, number, real scalar"},
    {"bessely", 2, 3, bessel_y, "bessely(n, x): Bessel function of the second kind.", "real, number, real scalar"},
    {"besseli", 2, 3, bessel_i, "besseli(n, x): modified Bessel function of the first kind.",
     "real, number, real scalar"},
    {"besselk", 2, 3, bessel_k, "besselk(n, x): modified Bessel function of the second kind.",
     "real, number, real scalar"},
    {"legendre", 2, 2, legendre, "legendre(n, x): associated Legendre functions of orders 0 to n, one row each.",
     "count, real"},
    {"ellipke", 1, 1, ellipke, "[k, e] = ellipke(m): complete elliptic integrals of the first and second kind.",
     "real"},
};

}  // namespace

BuiltinFamily special_builtins() { return special_table; }

}  // namespace orrery::oml
