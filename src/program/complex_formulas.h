// SPDX-License-Identifier: Apache-2.0
// Complex arithmetic written once over real numbers R: with R = double it evaluates, with R = Expr it is the C code.
//
// R needs + - * /, comparison with R and double, and M = RealMath<R> the functions sqrt exp log log10 sin cos tan sinh
// cosh tanh fabs hypot atan2, select(condition, R, R) and like(R, double), a number of the same kind. Branches are
// selects, so both sides are always evaluated and both users do the same operations in the same order.
#pragma once

#include "program/graph.h"

namespace orrery::program {

template <class R>
struct Complex {
  R re;
  R im;
};

template <class R>
struct RealMath;

template <class R>
struct ComplexMath {
  using M = RealMath<R>;
  using C = Complex<R>;

  static C add(const C& a, const C& b) { return {a.re + b.re, a.im + b.im}; }

  static C sub(const C& a, const C& b) { return {a.re - b.re, a.im - b.im}; }

  static C neg(const C& a) { return {-a.re, -a.im}; }

  static C mul(const C& a, const C& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

  // Smith's method (R. L. Smith, Algorithm 116, CACM 5, 1962): no overflow in |b|^2.
  static C div(const C& a, const C& b) {
    auto wide = M::fabs(b.im) <= M::fabs(b.re);
    R big = M::select(wide, b.re, b.im);
    R small = M::select(wide, b.im, b.re);
    R r = small / big;
    R d = big + small * r;
    R re = M::select(wide, a.re + a.im * r, a.re * r + a.im) / d;
    R im = M::select(wide, a.im - a.re * r, a.im * r - a.re) / d;
    return {re, im};
  }

  static R abs(const C& a) { return M::hypot(a.re, a.im); }

  static R arg(const C& a) { return M::atan2(a.im, a.re); }

  static C exp(const C& a) {
    R e = M::exp(a.re);
    return {e * M::cos(a.im), e * M::sin(a.im)};
  }

  static C log(const C& a) { return {M::log(abs(a)), arg(a)}; }

  static C log10(const C& a) { return {M::log10(abs(a)), arg(a) / 2.302585092994045684}; }

  // The root with a real part >= 0; r is the larger part, the other one is im / (2 r).
  static C sqrt(const C& a) {
    R r = M::sqrt((abs(a) + M::fabs(a.re)) / 2.0);
    R other = M::select(r == 0.0, a.im, a.im / (r * 2.0));
    auto right = a.re >= 0.0;
    return {M::select(right, r, M::fabs(other)), M::select(right, other, M::select(a.im < 0.0, -r, r))};
  }

  static C sin(const C& a) { return {M::sin(a.re) * M::cosh(a.im), M::cos(a.re) * M::sinh(a.im)}; }

  static C cos(const C& a) { return {M::cos(a.re) * M::cosh(a.im), -(M::sin(a.re) * M::sinh(a.im))}; }

  // From T = tan(re), H = tanh(im): re = T / cosh^2 / (1 + T^2 H^2), im = H (1 + T^2) / (1 + T^2 H^2).
  static C tan(const C& a) {
    R t = M::tan(a.re);
    R h = M::tanh(a.im);
    R c = M::cosh(a.im);
    R tt = t * t;
    R d = tt * (h * h) + 1.0;
    return {t / (c * c) / d, h * (tt + 1.0) / d};
  }

  static C times_i(const C& a) { return {-a.im, a.re}; }

  static C over_i(const C& a) { return {a.im, -a.re}; }

  static C sinh(const C& a) { return over_i(sin(times_i(a))); }

  static C cosh(const C& a) { return cos(times_i(a)); }

  static C tanh(const C& a) { return over_i(tan(times_i(a))); }

  // asinh z = log(z + sqrt(z^2 + 1))
  static C asinh(const C& a) {
    C square = mul(a, a);
    C root = sqrt(C{square.re + 1.0, square.im});
    return log(add(a, root));
  }

  // acosh z = log(z + sqrt(z + 1) sqrt(z - 1))
  static C acosh(const C& a) {
    C up = sqrt(C{a.re + 1.0, a.im});
    C down = sqrt(C{a.re - 1.0, a.im});
    return log(add(a, mul(up, down)));
  }

  // atanh z = (log(1 + z) - log(1 - z)) / 2
  static C atanh(const C& a) {
    C plus = log(C{a.re + 1.0, a.im});
    C minus = log(C{1.0 - a.re, -a.im});
    return {(plus.re - minus.re) / 2.0, (plus.im - minus.im) / 2.0};
  }

  static C asin(const C& a) { return over_i(asinh(times_i(a))); }

  static C acos(const C& a) {
    C s = asin(a);
    return {1.570796326794896619 - s.re, -s.im};
  }

  static C atan(const C& a) { return over_i(atanh(times_i(a))); }

  // exp(b log a), with a^2 as a product, 0^0 = 1 and 0^b = 0.
  static C pow(const C& a, const C& b) {
    C general = exp(mul(b, log(a)));
    C square = mul(a, a);
    auto twice = (b.re == 2.0) && (b.im == 0.0);
    auto base_zero = (a.re == 0.0) && (a.im == 0.0);
    auto power_zero = (b.re == 0.0) && (b.im == 0.0);
    R zero = M::like(a.re, 0.0);
    R one = M::like(a.re, 1.0);
    R re = M::select(power_zero, one, M::select(base_zero, zero, M::select(twice, square.re, general.re)));
    R im = M::select(power_zero, zero, M::select(base_zero, zero, M::select(twice, square.im, general.im)));
    return {re, im};
  }
};

// The element-wise function op. What works on both parts alike (floor, ceil, round, trunc) is by_parts(op, a).
template <class R, class ByParts>
Complex<R> complex_function(Op op, const Complex<R>& a, ByParts&& by_parts) {
  using Math = ComplexMath<R>;
  switch (op) {
    case Op::neg: return Math::neg(a);
    case Op::conj: return {a.re, -a.im};
    case Op::sqrt: return Math::sqrt(a);
    case Op::exp: return Math::exp(a);
    case Op::log: return Math::log(a);
    case Op::log10: return Math::log10(a);
    case Op::sin: return Math::sin(a);
    case Op::cos: return Math::cos(a);
    case Op::tan: return Math::tan(a);
    case Op::asin: return Math::asin(a);
    case Op::acos: return Math::acos(a);
    case Op::atan: return Math::atan(a);
    case Op::sinh: return Math::sinh(a);
    case Op::cosh: return Math::cosh(a);
    case Op::tanh: return Math::tanh(a);
    case Op::asinh: return Math::asinh(a);
    case Op::acosh: return Math::acosh(a);
    case Op::atanh: return Math::atanh(a);
    default: return by_parts(op, a);
  }
}

}  // namespace orrery::program
