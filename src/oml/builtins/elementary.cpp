// SPDX-License-Identifier: Apache-2.0
// Exponentials, rounding and parts of complex numbers.
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/zip_pair.h"
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

// round(x, n, type): n decimals, binary places, significant digits or bits.
void round_places(Call& c) {
  if (c.count() == 1) return round_with(c, std::round);
  const double n = c.number(1);
  const std::string type = c.has(2) ? c.text(2) : "decimal";
  const double base = type == "binary" || type == "sigbits" ? 2 : 10;
  const bool significant = type == "significant" || type == "sigbits";
  if (significant && n < 1) fail_argument(2, "must be a positive integer");
  const auto rounded = [=](double x) {
    if (x == 0 || !std::isfinite(x)) return x;
    const double places =
        significant ? n - 1 - std::floor(base == 2 ? std::log2(std::abs(x)) : std::log10(std::abs(x))) : n;
    const double scale = std::pow(base, std::abs(places));
    const double r = places >= 0 ? std::round(x * scale) / scale : std::round(x / scale) * scale;
    return std::isfinite(r) ? r : x;
  };
  c.ret(map_both(c[0], rounded, [=](Complex z) { return Complex(rounded(z.real()), rounded(z.imag())); }));
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
  if (c.count() == 1) return c.ret(stored(c[0]));
  const Value re = to_real(c[0]), im = to_real(c[1]);
  const Value& shape = re.numel() == 1 ? im : re;
  if (re.numel() != 1 && im.numel() != 1 && !(re.dims() == im.dims())) fail("sizes of the arguments do not match");
  Value out = Value::complex_zeros(shape.dims());
  for (Index i = 0; i < out.numel(); ++i) {
    out.edit_complex()[i] = Complex(re.real()[re.numel() == 1 ? 0 : i], im.real()[im.numel() == 1 ? 0 : i]);
  }
  c.ret(out);
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

void log2_parts(Call& c) {
  if (c.nargout < 2) {
    return c.ret(map_both(
        c[0], [](double x) { return std::log2(x); }, [](Complex z) { return std::log(z) / std::log(2.0); }, positive));
  }
  if (c[0].is_complex()) {  // the exponent is that of the modulus
    Value z = to_complex(c[0]), exponents = Value::zeros(z.dims());
    for (Index i = 0; i < z.numel(); ++i) {
      int exponent = 0;
      static_cast<void>(std::frexp(std::abs(z.complex()[i]), &exponent));
      z.edit_complex()[i] *= std::ldexp(1.0, -exponent);
      exponents.edit_real()[i] = exponent;
    }
    c.ret(narrowed(z));
    return c.ret(unboxed(exponents));
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
  if (c.count() == 2 && (c[0].is_complex() || c[1].is_complex())) {
    const Value power = c.oml.call_named("power", {Value(2.0), c[1]}, 1)[0];
    return c.ret(apply_binary(BinaryOp::times, c[0], power));
  }
  if (c.count() == 2)
    return c.ret(zip2(c[0], c[1], [](double f, double e) { return f * std::pow(2.0, std::trunc(e)); }));
  c.ret(map_both(
      c[0], [](double x) { return std::exp2(x); }, [](Complex z) { return std::pow(Complex(2, 0), z); }));
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
  const Value size = c[0].is_complex() ? c.oml.call_named("abs", {c[0]}, 1)[0] : c[0];
  c.ret(map_real(size, [](double x) {
    x = std::abs(x);
    if (x == 0) return 0.0;
    if (!std::isfinite(x)) return x;
    int e = 0;
    const double f = std::frexp(x, &e);
    return static_cast<double>(f == 0.5 ? e - 1 : e);
  }));
}

void real_only(Call& c, double (*f)(double), Complex (*g)(const Complex&)) {
  c.ret(map_both(
      c[0], f, [g](Complex z) { return g(z); }, positive));
}

void cube_root(Call& c) {
  c.ret(map_real(c[0], [](double x) { return std::cbrt(x); }));
}

void idivide(Call& c) {
  const std::string way = c.has(2) ? c.text(2) : "fix";
  double (*rounded)(double) = way == "round"   ? static_cast<double (*)(double)>(std::round)
                              : way == "floor" ? static_cast<double (*)(double)>(std::floor)
                              : way == "ceil"  ? static_cast<double (*)(double)>(std::ceil)
                                               : static_cast<double (*)(double)>(std::trunc);
  c.ret(zip2(c[0], c[1], [rounded](double x, double y) { return rounded(x / y); }));
}

constexpr Builtin elementary_table[] = {
    {"exp", 1, 1,
     [](Call& c) {
       c.ret(map_both(
           c[0], [](double x) { return std::exp(x); }, [](Complex z) { return std::exp(z); }));
     },
     "exp(x): e to the power x.", "number"},
    {"expm1", 1, 1, [](Call& c) { c.ret(map_real(c[0], [](double x) { return std::expm1(x); })); },
     "expm1(x): exp(x) - 1 without cancellation.", "real"},
    {"log", 1, 1, [](Call& c) { real_only(c, std::log, std::log<double>); },
     "log(x): natural logarithm, complex for negative x.", "number"},
    {"log10", 1, 1,
     [](Call& c) {
       c.ret(map_both(
           c[0], [](double x) { return std::log10(x); }, [](Complex z) { return std::log10(z); }, positive));
     },
     "log10(x): logarithm of base 10.", "number"},
    {"log2", 1, 1, log2_parts, "log2(x): logarithm of base 2; [f, e] = log2(x) splits x = f * 2^e.", "number"},
    {"log1p", 1, 1,
     [](Call& c) {
       c.ret(map_both(
           c[0], [](double x) { return std::log1p(x); }, [](Complex z) { return std::log(1.0 + z); },
           [](double x) { return x >= -1; }));
     },
     "log1p(x): log(1 + x) without cancellation.", "number"},
    {"sqrt", 1, 1,
     [](Call& c) {
       c.ret(map_both(
           c[0], [](double x) { return std::sqrt(x); }, [](Complex z) { return std::sqrt(z); }, positive));
     },
     "sqrt(x): square root, complex for negative x.", "number"},
    {"cbrt", 1, 1, cube_root, "cbrt(x): real cube root.", "number"},
    {"nthroot", 2, 2,
     [](Call& c) {
       c.ret(zip2(c[0], c[1], [](double x, double n) {
         return x < 0 && std::fmod(n, 2) != 0 ? -std::pow(-x, 1 / n) : std::pow(x, 1 / n);
       }));
     },
     "nthroot(x, n): real n-th root.", "real, real"},
    {"abs", 1, 1, absolute, "abs(x): absolute value or magnitude.", "data"},
    {"floor", 1, 1, [](Call& c) { round_with(c, std::floor); }, "floor(x): largest integer not above x.", "data"},
    {"ceil", 1, 1, [](Call& c) { round_with(c, std::ceil); }, "ceil(x): smallest integer not below x.", "data"},
    {"round", 1, 3, round_places,
     "round(x, n, type): nearest integer, halves away from zero; to n 'decimal' or 'binary' places, or to n "
     "'significant' "
     "digits or 'sigbits'.",
     "data, real scalar whole, word:decimal/binary/significant/sigbits"},
    {"fix", 1, 1, [](Call& c) { round_with(c, std::trunc); }, "fix(x): integer part, towards zero.", "data"},
    {"real", 1, 1, [](Call& c) { part(c, [](Complex z) { return z.real(); }); }, "real(z): real part.", "data"},
    {"imag", 1, 1, [](Call& c) { part(c, [](Complex z) { return z.imag(); }); }, "imag(z): imaginary part.", "data"},
    {"angle", 1, 1, [](Call& c) { part(c, [](Complex z) { return std::arg(z); }); }, "angle(z): argument in radians.",
     "number"},
    {"arg", 1, 1, [](Call& c) { part(c, [](Complex z) { return std::arg(z); }); }, "arg(z): argument in radians.",
     "number"},
    {"conj", 1, 1, conj, "conj(z): complex conjugate.", "number"},
    {"complex", 1, 2, make_complex, "complex(re, im): complex number, complex even when im is zero; complex(x) is x.",
     "number, real"},
    {"sign", 1, 1, sign, "sign(x): -1, 0 or 1; z/abs(z) for complex z.", "number"},
    {"signum", 1, 1, sign, "signum(x): the same as sign(x).", "number"},
    {"mod", 2, 2, [](Call& c) { c.ret(zip2(c[0], c[1], modulo)); }, "mod(x, y): x - y*floor(x/y), with the sign of y.",
     "real, real"},
    {"rem", 2, 2, [](Call& c) { c.ret(zip2(c[0], c[1], remainder_of)); },
     "rem(x, y): x - y*fix(x/y), with the sign of x.", "real, real"},
    {"idivide", 2, 3, idivide,
     "idivide(x, y, 'fix'|'round'|'floor'|'ceil'): rounded quotient, towards zero by default.",
     "real, real, word:fix/round/floor/ceil"},
    {"pow2", 1, 2, pow2, "pow2(x): 2 to the power x; pow2(f, e) is f * 2^e.", "number, number"},
    {"hypot", 2, 2, hypot, "hypot(x, y): sqrt(x^2 + y^2) without overflow.", "number, number"},
    {"nextpow2", 1, 1, nextpow2, "nextpow2(x): smallest n with 2^n >= abs(x).", "number"},
};

}  // namespace

BuiltinFamily elementary_builtins() { return elementary_table; }

}  // namespace orrery::oml
