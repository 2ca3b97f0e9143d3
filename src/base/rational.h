// SPDX-License-Identifier: Apache-2.0
// Exact rationals for clock periods and offsets, so that synchronous clocks never drift apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery {

// numerator/denominator in lowest terms, denominator > 0. Operations that overflow 64 bits return nothing.
struct Rational {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  friend bool operator==(const Rational&, const Rational&) = default;
};

std::optional<Rational> make_rational(std::int64_t numerator, std::int64_t denominator);
// A decimal literal ("0.1", "2.5e-3") exactly.
std::optional<Rational> parse_decimal(std::string_view text);
// The simplest rational whose distance from x is at most relative_error * |x| (continued fractions).
std::optional<Rational> approximate(double x, double relative_error);
// The largest rational of which both a and b are whole multiples (a, b >= 0, not both 0).
std::optional<Rational> common_divisor(const Rational& a, const Rational& b);
std::optional<Rational> subtract(const Rational& a, const Rational& b);
// a / b when it is a whole number.
std::optional<std::int64_t> whole_quotient(const Rational& a, const Rational& b);

}  // namespace orrery
