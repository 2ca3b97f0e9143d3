// SPDX-License-Identifier: Apache-2.0
// Rational arithmetic in 128 bits with overflow checks.
#include "base/rational.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace orrery {
namespace {

__extension__ typedef __int128 Wide;

Wide gcd_wide(Wide a, Wide b) {
  while (b != 0) {
    const Wide r = a % b;
    a = b;
    b = r;
  }
  return a < 0 ? -a : a;
}

std::optional<Rational> reduce(Wide numerator, Wide denominator) {
  if (denominator == 0) return std::nullopt;
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Wide g = numerator == 0 ? denominator : gcd_wide(numerator, denominator);
  numerator /= g;
  denominator /= g;
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  if (numerator > most || numerator < -most || denominator > most) return std::nullopt;
  return Rational{static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

}  // namespace

std::optional<Rational> make_rational(std::int64_t numerator, std::int64_t denominator) {
  return reduce(numerator, denominator);
}

std::optional<Rational> parse_decimal(std::string_view text) {
  std::size_t i = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++i;
  Wide mantissa = 0;
  int exponent = 0;
  bool digits = false;
  bool point = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      if (mantissa > static_cast<Wide>(1) << 100) return std::nullopt;
      mantissa = mantissa * 10 + (c - '0');
      digits = true;
      if (point) --exponent;
    } else {
      break;
    }
  }
  if (!digits) return std::nullopt;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    ++i;
    int sign = 1;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) sign = text[i++] == '-' ? -1 : 1;
    if (i == text.size()) return std::nullopt;
    int power = 0;
    for (; i < text.size(); ++i) {
      if (text[i] < '0' || text[i] > '9' || power > 1000) return std::nullopt;
      power = power * 10 + (text[i] - '0');
    }
    exponent += sign * power;
  }
  Wide scale = 1;
  for (int k = 0; k < std::abs(exponent); ++k) {
    if (scale > static_cast<Wide>(1) << 100) return std::nullopt;
    scale *= 10;
  }
  if (negative) mantissa = -mantissa;
  if (exponent < 0) return reduce(mantissa, scale);
  if (mantissa != 0 && scale > (static_cast<Wide>(1) << 62)) return std::nullopt;
  if ((mantissa < 0 ? -mantissa : mantissa) > (static_cast<Wide>(1) << 63)) return std::nullopt;
  return reduce(mantissa * scale, 1);
}

std::optional<Rational> approximate(double x, double relative_error) {
  if (!std::isfinite(x)) return std::nullopt;
  const double target = std::fabs(x);
  if (target == 0) return Rational{};
  // Convergents h/k of the continued fraction of |x|, best approximations in the sense of Lagrange.
  Wide h0 = 0, h1 = 1, k0 = 1, k1 = 0;
  double rest = target;
  for (int step = 0; step < 64; ++step) {
    const double whole = std::floor(rest);
    if (whole > 9.0e18) return std::nullopt;
    const Wide a = static_cast<Wide>(whole);
    const Wide h2 = a * h1 + h0, k2 = a * k1 + k0;
    constexpr Wide most = std::numeric_limits<std::int64_t>::max();
    if (h2 > most || k2 > most) return std::nullopt;
    h0 = h1, h1 = h2, k0 = k1, k1 = k2;
    if (k1 != 0) {
      const double value = static_cast<double>(h1) / static_cast<double>(k1);
      if (std::fabs(value - target) <= relative_error * target) return reduce(x < 0 ? -h1 : h1, k1);
    }
    const double fraction = rest - whole;
    if (fraction == 0) return reduce(x < 0 ? -h1 : h1, k1);
    rest = 1 / fraction;
  }
  return std::nullopt;
}

std::optional<Rational> common_divisor(const Rational& a, const Rational& b) {
  // gcd(p/q, r/s) = gcd(p s, r q) / (q s)
  const Wide ps = static_cast<Wide>(a.numerator) * b.denominator;
  const Wide rq = static_cast<Wide>(b.numerator) * a.denominator;
  return reduce(gcd_wide(ps, rq), static_cast<Wide>(a.denominator) * b.denominator);
}

std::optional<Rational> subtract(const Rational& a, const Rational& b) {
  const Wide left = static_cast<Wide>(a.numerator) * b.denominator;
  const Wide right = static_cast<Wide>(b.numerator) * a.denominator;
  return reduce(left - right, static_cast<Wide>(a.denominator) * b.denominator);
}

std::optional<std::int64_t> whole_quotient(const Rational& a, const Rational& b) {
  if (b.numerator == 0) return std::nullopt;
  const auto q = reduce(static_cast<Wide>(a.numerator) * b.denominator, static_cast<Wide>(a.denominator) * b.numerator);
  if (!q || q->denominator != 1) return std::nullopt;
  return q->numerator;
}

}  // namespace orrery
