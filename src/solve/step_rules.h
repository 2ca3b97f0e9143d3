// SPDX-License-Identifier: Apache-2.0
// Rules about step sizes and settings that all our integrators share.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "solve/integrator.h"

namespace orrery::solve {

// Below this a step does not move t reliably.
inline double smallest_step(double t, const StepLimits& limits) {
  return std::max(
      {limits.minimum, 4 * std::numeric_limits<double>::epsilon() * std::abs(t), std::numeric_limits<double>::min()});
}

inline double largest_step(const StepLimits& limits) {
  return limits.maximum > 0 ? limits.maximum : std::numeric_limits<double>::infinity();
}

// Logarithm and exponential to four digits: a step-size controller needs no more, and steps of a few states are so
// short that the library's functions show. Plain arithmetic, so the same bits everywhere; the polynomials (through
// Chebyshev's points) are written so that their terms are computed side by side.
inline __attribute__((always_inline)) double rough_log(double x) {
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!(x >= std::numeric_limits<double>::min() && x <= std::numeric_limits<double>::max())) return std::log(x);
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const double exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1023);
  const double m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull) - 1;  // 0 <= m < 1
  const double m2 = m * m;
  const double low = 1.1447097560638227e-05 + 0.9991664010110767 * m;
  const double middle = -0.48969909032090564 + 0.2838231830655234 * m;
  const double high = -0.1299571976584902 + 0.029808765243546812 * m;
  return (0.6931471805599453 * exponent + low) + m2 * (middle + m2 * high);
}
inline __attribute__((always_inline)) double rough_exp(double x) {
  if (x == std::numeric_limits<double>::infinity()) return x;
  if (!(x > -700 && x < 700)) return std::exp(x);
  constexpr double to_integer = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds
  const double doublings = x * 1.4426950408889634;
  const double shifted = doublings + to_integer;
  const double f = doublings - (shifted - to_integer), f2 = f * f;  // |f| <= 0.5
  const double low = 1 + 0.693121045203427 * f;
  const double mantissa = low + f2 * (0.24022349038020302 + 0.05592197584225635 * f + 0.009666368515388303 * f2);
  const auto whole = std::bit_cast<std::uint64_t>(shifted) - std::bit_cast<std::uint64_t>(to_integer);
  return mantissa * std::bit_cast<double>((whole + 1023) << 52);
}

// What is wrong with the settings of a problem, if anything is.
std::optional<Failure> check_settings(const SolverInfo& info, const Problem& problem);

// The points t0 + k h, computed, not accumulated, so that long runs do not drift.
class StepGrid {
 public:
  explicit StepGrid(double h) : h_(h) {}
  void start(double t) {
    t0_ = t;
    k_ = 0;
  }
  // The end of the step from t: the next point, or t_stop when that comes first or within rounding of it.
  double advance(double t, double t_stop) {
    const double point = t0_ + static_cast<double>(k_ + 1) * h_;
    const double rounding = 1e-9 * h_ + 4 * std::numeric_limits<double>::epsilon() * std::abs(t);
    if (point > t_stop + rounding) return t_stop;
    ++k_;
    return point >= t_stop - rounding ? t_stop : point;
  }

 private:
  double h_, t0_ = 0;
  long long k_ = 0;
};

}  // namespace orrery::solve
