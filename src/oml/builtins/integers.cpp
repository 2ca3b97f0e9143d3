// SPDX-License-Identifier: Apache-2.0
// Divisors, primes, combinations, bits and fractions.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/zip_pair.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

double gcd2(double a, double b) {
  a = std::abs(a);
  b = std::abs(b);
  if (!std::isfinite(a) || !std::isfinite(b)) fail("all values must be finite");
  while (b != 0) {
    const double r = std::fmod(a, b);
    a = b;
    b = r;
  }
  return a;
}

// g = gcd(a, b) = u*a + v*b of integers of Gauss, by the nearest quotient; g is not turned into a quadrant.
struct Bezout {
  Complex g, u, v;
};

Bezout extended_gcd(Complex a, Complex b) {
  Bezout now{a, 1, 0}, next{b, 0, 1};
  const bool real = a.imag() == 0 && b.imag() == 0;
  while (next.g != Complex()) {
    const Complex ratio = now.g / next.g;
    const Complex q =
        real ? Complex(std::trunc(ratio.real())) : Complex(std::round(ratio.real()), std::round(ratio.imag()));
    const Bezout rest{now.g - q * next.g, now.u - q * next.u, now.v - q * next.v};
    now = next;
    next = rest;
  }
  if (real && now.g.real() < 0) now = {-now.g, -now.u, -now.v};
  return now;
}

void require_integers(const ComplexArray& a, int number) {
  for (const Complex& z : a.data) {
    const bool whole = z.real() == std::floor(z.real()) && z.imag() == std::floor(z.imag());
    if (!whole || !std::isfinite(z.real()) || !std::isfinite(z.imag()) || std::abs(z) > 9.007e15)
      fail_argument(number, "must be integers");
  }
}

// Folded from the left: each further argument multiplies the factors so far.
void gcd(Call& c) {
  std::vector<Value> args;
  Dims dims(1, 1);
  for (int k = 0; k < c.count(); ++k) {
    args.push_back(to_complex(full(c[k])));
    require_integers(args.back().complex(), k + 1);
    if (args.back().numel() == 1) continue;
    if (dims.numel() != 1 && !(dims == args.back().dims())) fail("sizes of the arguments do not match");
    dims = args.back().dims();
  }
  Value g = Value::complex_zeros(dims);
  std::vector<Value> factors(args.size(), g);
  for (Index i = 0; i < dims.numel(); ++i) {
    const auto at = [&](std::size_t k) { return args[k].complex()[args[k].numel() == 1 ? 0 : i]; };
    std::vector<Complex> u = {1};
    Complex sum = at(0);
    for (std::size_t k = 1; k < args.size(); ++k) {
      const Bezout b = extended_gcd(sum, at(k));
      for (Complex& f : u) f *= b.u;
      u.push_back(b.v);
      sum = b.g;
    }
    g.edit_complex()[i] = sum;
    for (std::size_t k = 0; k < u.size(); ++k) factors[k].edit_complex()[i] = u[k];
  }
  c.ret(narrowed(g));
  if (c.nargout == 2 && dims.numel() == 1) {
    Value row = Value::complex_zeros(Dims(1, static_cast<Index>(factors.size())));
    for (std::size_t k = 0; k < factors.size(); ++k)
      row.edit_complex()[static_cast<Index>(k)] = factors[k].complex()[0];
    return c.ret(narrowed(row));
  }
  for (Value& f : factors) c.ret(narrowed(f));
}

void lcm(Call& c) {
  Value v = c[0];
  for (int k = 1; k < c.count(); ++k) {
    v = zip2(v, c[k], [](double a, double b) {
      if (a != std::floor(a) || b != std::floor(b)) fail("all values must be integers");
      const double g = gcd2(a, b);
      return g == 0 ? 0 : std::abs(a / g * b);
    });
  }
  c.ret(v);
}

bool is_prime(double x) {
  if (x < 2 || x != std::floor(x)) return false;
  if (x < 4) return true;
  if (std::fmod(x, 2) == 0) return false;
  const auto n = static_cast<std::uint64_t>(x);
  for (std::uint64_t d = 3; d * d <= n; d += 2)
    if (n % d == 0) return false;
  return true;
}

void isprime(Call& c) { c.ret(map_logical(c[0], is_prime)); }

void primes(Call& c) {
  const double limit = std::floor(c.number(0));
  std::vector<double> out;
  if (limit >= 2) {
    if (limit > 5e8) fail_argument(1, "is too large");
    std::vector<bool> composite(static_cast<std::size_t>(limit) + 1, false);
    for (std::size_t p = 2; p < composite.size(); ++p) {
      if (composite[p]) continue;
      out.push_back(static_cast<double>(p));
      for (std::size_t q = p * p; q < composite.size(); q += p) composite[q] = true;
    }
  }
  c.ret(unboxed(Value::row(out)));
}

void factor(Call& c) {
  const double x = c.number(0);
  if (std::abs(x) > 9.007e15) fail_argument(1, "must be an integer below 2^53");
  if (x < 1) {
    c.ret(Value(x));
    return c.ret(Value(1.0));
  }
  auto n = static_cast<std::uint64_t>(x);
  std::vector<double> out;
  for (std::uint64_t d = 2; d * d <= n; d += d == 2 ? 1 : 2) {
    while (n % d == 0) {
      out.push_back(static_cast<double>(d));
      n /= d;
    }
  }
  if (n > 1 || out.empty()) out.push_back(static_cast<double>(n));
  if (c.nargout < 2) return c.ret(unboxed(Value::row(out)));
  std::vector<double> bases, powers;
  for (double p : out) {
    if (bases.empty() || bases.back() != p) {
      bases.push_back(p);
      powers.push_back(0);
    }
    powers.back() += 1;
  }
  c.ret(unboxed(Value::row(bases)));
  c.ret(unboxed(Value::row(powers)));
}

void factorial(Call& c) {
  c.ret(map_real(c[0], [](double x) {
    if (x < 0 || x != std::floor(x)) fail("all values must be non-negative integers");
    return std::round(std::tgamma(x + 1));
  }));
}

void nchoosek(Call& c) {
  const Index k = c.whole(1);
  if (c[0].numel() == 1) {
    const double n = c.number(0);
    double r = 1;
    if (!std::isfinite(n)) fail_argument(1, "must be finite");
    if (static_cast<double>(k) > n && n >= 0 && n == std::floor(n)) return c.ret(Value(0.0));
    for (Index i = 1; i <= k && r != 0 && std::isfinite(r); ++i)
      r = std::round(r * (n - static_cast<double>(k) + static_cast<double>(i)) / static_cast<double>(i));
    return c.ret(Value(r));
  }
  const std::vector<double> set = to_vector(c[0]);
  const auto n = static_cast<Index>(set.size());
  double rows_expected = 1;
  for (Index i = 1; i <= std::min(k, n); ++i) rows_expected *= static_cast<double>(n - k + i) / static_cast<double>(i);
  require_memory(rows_expected < 1e12 ? static_cast<Index>(rows_expected) : -1, 16 * std::max<Index>(k, 1) + 32);
  if (k > n || k < 1) return c.ret(Value::zeros(Dims(k < 1 ? 1 : 0, std::max<Index>(k, 0))));
  std::vector<Index> at(static_cast<std::size_t>(std::max<Index>(k, 0)));
  std::iota(at.begin(), at.end(), Index{0});
  std::vector<std::vector<double>> rows;
  for (;;) {
    std::vector<double> row;
    for (Index i : at) row.push_back(set[static_cast<std::size_t>(i)]);
    rows.push_back(row);
    c.oml.tick();
    Index i = k - 1;
    while (i >= 0 && at[static_cast<std::size_t>(i)] == n - k + i) --i;
    if (i < 0) break;
    ++at[static_cast<std::size_t>(i)];
    for (Index m = i + 1; m < k; ++m) at[static_cast<std::size_t>(m)] = at[static_cast<std::size_t>(m - 1)] + 1;
  }
  Value out = Value::zeros(Dims(static_cast<Index>(rows.size()), k));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (Index m = 0; m < k; ++m) out.edit_real().at(static_cast<Index>(r), m) = rows[r][static_cast<std::size_t>(m)];
  }
  c.ret(unboxed(out));
}

template <class F>
void bits(Call& c, F f) {
  if (c[0].numel() != 1 && c[1].numel() != 1 && !(c[0].dims() == c[1].dims()))
    fail("sizes of the arguments do not match");
  c.ret(zip2(c[0], c[1], [&](double a, double b) {
    if (a < 0 || b < 0 || a != std::floor(a) || b != std::floor(b)) fail("all values must be non-negative integers");
    return static_cast<double>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  }));
}

void bitshift(Call& c) {
  c.ret(zip2(c[0], c[1], [](double a, double n) {
    return n >= 0 ? std::ldexp(a, static_cast<int>(n)) : std::floor(std::ldexp(a, static_cast<int>(n)));
  }));
}

// Terms of the continued fraction of x, rounded to the nearest integer each, and the fraction they make.
struct Rational {
  std::vector<double> terms;
  double numerator = 0, denominator = 1;

  std::string text() const {
    std::string out;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const std::string term = fmt::format("{:.0f}", terms[k]);
      if (k == 0)
        out = term;
      else if (k + 1 < terms.size())
        out += " + 1/(" + term;
      else
        out += " + 1/" + (terms[k] < 0 ? "(" + term + ")" : term);
    }
    return terms.size() < 2 ? out : out + std::string(terms.size() - 2, ')');
  }
};

Rational rational_of(double x, double tolerance) {
  Rational r;
  if (!std::isfinite(x)) {
    r.numerator = std::isnan(x) ? 0 : std::copysign(1.0, x);
    r.denominator = 0;
    return r;
  }
  double p0 = 1, q0 = 0, p1 = std::round(x), q1 = 1, frac = x - p1;
  r.terms.push_back(p1);
  while (r.terms.size() < 40 && std::abs(x - p1 / q1) >= tolerance && frac != 0) {
    const double flip = 1 / frac, step = std::round(flip);
    frac = flip - step;
    r.terms.push_back(step);
    const double p = p1 * step + p0, q = q1 * step + q0;
    p0 = p1, q0 = q1, p1 = p, q1 = q;
  }
  r.numerator = q1 < 0 ? -p1 : p1;
  r.denominator = std::abs(q1);
  return r;
}

void rat(Call& c) {
  const Value v = to_real(c[0]);
  const double tolerance = c.has(1) ? c.number(1) : 1e-6;
  Value n = Value::zeros(v.dims()), d = n;
  std::vector<std::string> texts;
  for (Index i = 0; i < v.numel(); ++i) {
    const double x = v.real()[i];
    const Rational r = rational_of(x, tolerance * std::abs(x));
    n.edit_real()[i] = r.numerator;
    d.edit_real()[i] = r.denominator;
    texts.push_back(r.terms.empty() ? (std::isnan(x) ? "NaN" : x > 0 ? "Inf" : "-Inf") : r.text());
  }
  if (c.nargout < 2) return c.ret(texts.size() == 1 ? Value::text(texts[0]) : text_matrix(texts));
  c.ret(unboxed(n));
  c.ret(unboxed(d));
}

constexpr Builtin integer_table[] = {
    {"gcd", 2, -1, gcd,
     "[g, u, v, ...] = gcd(a, b, ...): greatest common divisor g = u*a + v*b + ...; of complex integers too.",
     "number, ..."},
    {"lcm", 2, -1, lcm, "lcm(a, b, ...): least common multiple.", "real, ..."},
    {"isprime", 1, 1, isprime, "isprime(x): true for primes.", "real counting"},
    {"primes", 1, 1, primes, "primes(n): primes up to n.", "real scalar"},
    {"factor", 1, 1, factor, "factor(n): prime factors; [p, k] = factor(n) gives distinct primes and powers.",
     "real scalar whole"},
    {"factorial", 1, 1, factorial, "factorial(n): product of the integers from 1 to n.", "real counting whole"},
    {"nchoosek", 2, 2, nchoosek, "nchoosek(n, k): binomial coefficient; of a vector, all choices of k elements.",
     "real vector filled, count"},
    {"bitand", 2, 2, [](Call& c) { bits(c, [](std::uint64_t a, std::uint64_t b) { return a & b; }); },
     "bitand(a, b): bitwise and.", "real, real"},
    {"bitor", 2, 2, [](Call& c) { bits(c, [](std::uint64_t a, std::uint64_t b) { return a | b; }); },
     "bitor(a, b): bitwise or.", "real, real"},
    {"bitxor", 2, 2, [](Call& c) { bits(c, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }); },
     "bitxor(a, b): bitwise exclusive or.", "real, real"},
    {"bitcmp", 1, 1,
     [](Call& c) {
       double all = 0x1p53 - 1;
       if (c[0].is_integer_class()) all = to_double(c.oml.call_named("intmax", {Value::text(c[0].class_name())}, 1)[0]);
       c.ret(map_real(c[0], [all](double x) { return all - x; }));
     },
     "bitcmp(a): all bits turned over.", "real"},
    {"bitshift", 2, 2, bitshift, "bitshift(a, n): a * 2^n without fraction.", "real, real"},
    {"rat", 1, 2, rat, "[p, q] = rat(x, tol): x as a fraction p/q; one output gives its text.", "real, real scalar"},
};

}  // namespace

BuiltinFamily integer_builtins() { return integer_table; }

}  // namespace orrery::oml
