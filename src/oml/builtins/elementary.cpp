// SPDX-License-Identifier: Apache-2.0
// Exponentials, rounding, parts of complex numbers, integers and bits.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

bool positive(double x) { return x >= 0; }

void round_with(Call& c, double (*f)(double)) {
  if (c[0].is_integer_class()) return c.ret(c[0]);
  c.ret(map_both(c[0], f, [f](Complex z) { return Complex(f(z.real()), f(z.imag())); }));
}

void absolute(Call& c) {
  if (c[0].is_complex()) {
    const Value z = to_complex(c[0]);
    Value out = Value::zeros(z.dims());
    for (Index i = 0; i < out.numel(); ++i) out.edit_real()[i] = std::abs(z.complex()[i]);
    return c.ret(c[0].kind() == Kind::sparse ? to_sparse(out) : unboxed(out));
  }
  c.ret(map_real(c[0], [](double x) { return std::abs(x); }));
}

template <class F>
void part(Call& c, F f) {
  if (!c[0].is_complex()) return c.ret(map_real(c[0], [&](double x) { return f(Complex(x, 0)); }));
  const Value z = to_complex(c[0]);
  Value out = Value::zeros(z.dims());
  for (Index i = 0; i < out.numel(); ++i) out.edit_real()[i] = f(z.complex()[i]);
  c.ret(unboxed(out));
}

void conj(Call& c) {
  c.ret(map_both(
      c[0], [](double x) { return x; }, [](Complex z) { return std::conj(z); }));
}

void sign(Call& c) {
  c.ret(map_both(
      c[0], [](double x) { return x > 0   ? 1.0
                                  : x < 0 ? -1.0
                                          : x; },
      [](Complex z) { return z == Complex() ? z : z / std::abs(z); }));
}

void make_complex(Call& c) {
  if (c.count() == 1) return c.ret(to_complex(c[0]));
  const Value re = to_real(c[0]), im = to_real(c[1]);
  const Value& shape = re.numel() == 1 ? im : re;
  if (re.numel() != 1 && im.numel() != 1 && !(re.dims() == im.dims())) fail("sizes of the arguments do not match");
  Value out = Value::complex_zeros(shape.dims());
  for (Index i = 0; i < out.numel(); ++i) {
    out.edit_complex()[i] = Complex(re.real()[re.numel() == 1 ? 0 : i], im.real()[im.numel() == 1 ? 0 : i]);
  }
  c.ret(out);
}

// Broadcasts two real arguments through addition of zeros when their sizes differ.
template <class F>
Value zip2(const Value& a, const Value& b, F f) {
  NumClass cls = a.is_integer_class() ? a.num_class() : b.num_class();
  Value x = to_real(a), y = to_real(b);
  if (!(x.dims() == y.dims()) && x.numel() != 1 && y.numel() != 1) {
    const Value zx = Value::zeros(x.dims()), zy = Value::zeros(y.dims());
    const Value wide = to_real(apply_binary(BinaryOp::add, x, zy));
    y = to_real(apply_binary(BinaryOp::add, zx, y));
    x = wide;
  }
  Value out = zip_real({x, y}, [&](const double* v) { return saturate(f(v[0], v[1]), cls); });
  if (cls != NumClass::f64) {
    out = to_real(out);
    out.edit_real().cls = cls;
  }
  return out;
}

double modulo(double x, double y) {
  if (y == 0) return x;
  if (std::isinf(y) && std::isfinite(x)) return (x < 0) != (y < 0) && x != 0 ? y : x;
  const double q = x / y;
  // Quotients that are whole but for rounding give zero, as users expect of mod(0.3, 0.1).
  if (y != std::floor(y) && std::abs(q - std::round(q)) < 2.3e-16 * std::abs(q)) return 0;
  const double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r == 0 ? 0 : r;
}

double remainder_of(double x, double y) {
  if (y == 0) return NAN;
  const double q = x / y;
  if (y != std::floor(y) && std::abs(q - std::round(q)) < 2.3e-16 * std::abs(q)) return 0;
  return std::fmod(x, y);
}

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

void gcd(Call& c) {
  Value v = c[0];
  for (int k = 1; k < c.count(); ++k) {
    v = zip2(v, c[k], [](double a, double b) {
      if (a != std::floor(a) || b != std::floor(b)) fail("all values must be integers");
      return gcd2(a, b);
    });
  }
  c.ret(v);
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

void log2_parts(Call& c) {
  if (c.nargout < 2) {
    return c.ret(map_both(
        c[0], [](double x) { return std::log2(x); }, [](Complex z) { return std::log(z) / std::log(2.0); }, positive));
  }
  Value f = to_real(c[0]), e = f;
  for (Index i = 0; i < f.numel(); ++i) {
    int exponent = 0;
    f.edit_real()[i] = std::frexp(f.real()[i], &exponent);
    e.edit_real()[i] = exponent;
  }
  c.ret(unboxed(f));
  c.ret(unboxed(e));
}

void pow2(Call& c) {
  if (c.count() == 2)
    return c.ret(zip2(c[0], c[1], [](double f, double e) { return f * std::pow(2.0, std::trunc(e)); }));
  c.ret(map_both(
      c[0], [](double x) { return std::exp2(x); }, [](Complex z) { return std::pow(Complex(2, 0), z); }));
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
  if (x < 1 || x != std::floor(x) || x > 9.007e15) fail_argument(1, "must be a positive integer");
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

void hypot(Call& c) {
  const auto magnitude = [](const Value& v) {
    if (!v.is_complex()) return v;
    const Value z = to_complex(v);
    Value out = Value::zeros(z.dims());
    for (Index i = 0; i < out.numel(); ++i) out.edit_real()[i] = std::abs(z.complex()[i]);
    return out;
  };
  c.ret(zip2(magnitude(c[0]), magnitude(c[1]), [](double a, double b) { return std::hypot(a, b); }));
}

void nextpow2(Call& c) {
  c.ret(map_real(c[0], [](double x) {
    x = std::abs(x);
    if (x == 0) return 0.0;
    if (!std::isfinite(x)) return x;
    int e = 0;
    const double f = std::frexp(x, &e);
    return static_cast<double>(f == 0.5 ? e - 1 : e);
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

void real_only(Call& c, double (*f)(double), Complex (*g)(const Complex&)) {
  c.ret(map_both(
      c[0], f, [g](Complex z) { return g(z); }, positive));
}

void cube_root(Call& c) {
  c.ret(map_real(c[0], [](double x) { return std::cbrt(x); }));
}

constexpr Builtin elementary_table[] = {
    {"exp", 1, 1,
     [](Call& c) {
       c.ret(map_both(
           c[0], [](double x) { return std::exp(x); }, [](Complex z) { return std::exp(z); }));
     },
     "exp(x): e to the power x."},
    {"expm1", 1, 1, [](Call& c) { c.ret(map_real(c[0], [](double x) { return std::expm1(x); })); },
     "expm1(x): exp(x) - 1 without cancellation."},
    {"log", 1, 1, [](Call& c) { real_only(c, std::log, std::log<double>); },
     "log(x): natural logarithm, complex for negative x."},
    {"log10", 1, 1,
     [](Call& c) {
       c.ret(map_both(
           c[0], [](double x) { return std::log10(x); }, [](Complex z) { return std::log10(z); }, positive));
     },
     "log10(x): logarithm of base 10."},
    {"log2", 1, 1, log2_parts, "log2(x): logarithm of base 2; [f, e] = log2(x) splits x = f * 2^e."},
    {"log1p", 1, 1,
     [](Call& c) {
       c.ret(map_both(
           c[0], [](double x) { return std::log1p(x); }, [](Complex z) { return std::log(1.0 + z); },
           [](double x) { return x >= -1; }));
     },
     "log1p(x): log(1 + x) without cancellation."},
    {"sqrt", 1, 1,
     [](Call& c) {
       c.ret(map_both(
           c[0], [](double x) { return std::sqrt(x); }, [](Complex z) { return std::sqrt(z); }, positive));
     },
     "sqrt(x): square root, complex for negative x."},
    {"cbrt", 1, 1, cube_root, "cbrt(x): real cube root."},
    {"nthroot", 2, 2,
     [](Call& c) {
       c.ret(zip2(c[0], c[1], [](double x, double n) {
         return x < 0 && std::fmod(n, 2) != 0 ? -std::pow(-x, 1 / n) : std::pow(x, 1 / n);
       }));
     },
     "nthroot(x, n): real n-th root."},
    {"abs", 1, 1, absolute, "abs(x): absolute value or magnitude."},
    {"floor", 1, 1, [](Call& c) { round_with(c, std::floor); }, "floor(x): largest integer not above x."},
    {"ceil", 1, 1, [](Call& c) { round_with(c, std::ceil); }, "ceil(x): smallest integer not below x."},
    {"round", 1, 1, [](Call& c) { round_with(c, std::round); }, "round(x): nearest integer, halves away from zero."},
    {"fix", 1, 1, [](Call& c) { round_with(c, std::trunc); }, "fix(x): integer part, towards zero."},
    {"real", 1, 1, [](Call& c) { part(c, [](Complex z) { return z.real(); }); }, "real(z): real part."},
    {"imag", 1, 1, [](Call& c) { part(c, [](Complex z) { return z.imag(); }); }, "imag(z): imaginary part."},
    {"angle", 1, 1, [](Call& c) { part(c, [](Complex z) { return std::arg(z); }); }, "angle(z): argument in radians."},
    {"arg", 1, 1, [](Call& c) { part(c, [](Complex z) { return std::arg(z); }); }, "arg(z): argument in radians."},
    {"conj", 1, 1, conj, "conj(z): complex conjugate."},
    {"complex", 1, 2, make_complex, "complex(re, im): complex number, complex even when im is zero."},
    {"sign", 1, 1, sign, "sign(x): -1, 0 or 1; z/abs(z) for complex z."},
    {"signum", 1, 1, sign, "signum(x): the same as sign(x)."},
    {"mod", 2, 2, [](Call& c) { c.ret(zip2(c[0], c[1], modulo)); }, "mod(x, y): x - y*floor(x/y), with the sign of y."},
    {"rem", 2, 2, [](Call& c) { c.ret(zip2(c[0], c[1], remainder_of)); },
     "rem(x, y): x - y*fix(x/y), with the sign of x."},
    {"idivide", 2, 3, [](Call& c) { c.ret(zip2(c[0], c[1], [](double x, double y) { return std::trunc(x / y); })); },
     "idivide(x, y): quotient rounded towards zero."},
    {"gcd", 2, -1, gcd, "gcd(a, b, ...): greatest common divisor."},
    {"lcm", 2, -1, lcm, "lcm(a, b, ...): least common multiple."},
    {"pow2", 1, 2, pow2, "pow2(x): 2 to the power x; pow2(f, e) is f * 2^e."},
    {"isprime", 1, 1, isprime, "isprime(x): true for primes."},
    {"primes", 1, 1, primes, "primes(n): primes up to n."},
    {"factor", 1, 1, factor, "factor(n): prime factors; [p, k] = factor(n) gives distinct primes and powers."},
    {"factorial", 1, 1, factorial, "factorial(n): product of the integers from 1 to n."},
    {"nchoosek", 2, 2, nchoosek, "nchoosek(n, k): binomial coefficient; of a vector, all choices of k elements."},
    {"bitand", 2, 2, [](Call& c) { bits(c, [](std::uint64_t a, std::uint64_t b) { return a & b; }); },
     "bitand(a, b): bitwise and."},
    {"bitor", 2, 2, [](Call& c) { bits(c, [](std::uint64_t a, std::uint64_t b) { return a | b; }); },
     "bitor(a, b): bitwise or."},
    {"bitxor", 2, 2, [](Call& c) { bits(c, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }); },
     "bitxor(a, b): bitwise exclusive or."},
    {"bitcmp", 1, 1,
     [](Call& c) {
       double all = 0x1p53 - 1;
       if (c[0].is_integer_class()) all = to_double(c.oml.call_named("intmax", {Value::text(c[0].class_name())}, 1)[0]);
       c.ret(map_real(c[0], [all](double x) { return all - x; }));
     },
     "bitcmp(a): all bits turned over."},
    {"bitshift", 2, 2, bitshift, "bitshift(a, n): a * 2^n without fraction."},
    {"hypot", 2, 2, hypot, "hypot(x, y): sqrt(x^2 + y^2) without overflow."},
    {"nextpow2", 1, 1, nextpow2, "nextpow2(x): smallest n with 2^n >= abs(x)."},
    {"rat", 1, 2, rat, "[p, q] = rat(x, tol): x as a fraction p/q; one output gives its text."},
};

}  // namespace

BuiltinFamily elementary_builtins() { return elementary_table; }

}  // namespace orrery::oml
