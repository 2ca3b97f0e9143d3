// SPDX-License-Identifier: Apache-2.0
// The zero of the parabola through both ends and the point before; regula falsi in its Illinois form (Dowell and
// Jarratt, BIT 11, 1971) where there is none; the worst case of bisection.
//
// Dense output is a polynomial, so a parabola soon gives all digits. Illinois: when the same end moves twice running,
// the value kept at the other end is halved, so that both ends close in on a simple root superlinearly. The point is
// then projected: it stays as near to the middle as it takes to need at most a few points more than bisection, however
// flat, steep or infinite the function is (the projection of the ITP method, Oliveira and Takahashi, ACM Trans. Math.
// Softw. 47, 2020). Besides, a point is never nearer to an end than half the tolerance, so that the last point closes
// the bracket.
#include "solve/locate_root.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace orrery::solve {

namespace {

bool same_sign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

double middle(const Bracket& b) { return 0.5 * b.lo + 0.5 * b.hi; }

bool neighbours(const Bracket& b) {
  if (b.hi - b.lo > 1e-15 * std::max(std::abs(b.lo), std::abs(b.hi))) return false;
  return std::nextafter(b.lo, b.hi) >= b.hi;
}

constexpr int spare_points = 12;  // what an unlucky secant may cost over bisection

}  // namespace

bool changes_sign(double g_lo, double g_hi) { return (g_lo > 0 && g_hi <= 0) || (g_lo < 0 && g_hi >= 0); }

RootSearch::RootSearch(const Bracket& bracket, double tolerance)
    : bracket_(bracket), tolerance_(std::max(tolerance, 0.0)), weight_lo_(bracket.g_lo), weight_hi_(bracket.g_hi) {
  ORRERY_CHECK(bracket.lo <= bracket.hi);
  ORRERY_CHECK(changes_sign(bracket.g_lo, bracket.g_hi));
  reach_ = 0.5 * (bracket.hi - bracket.lo) * (1 << spare_points);
}

bool RootSearch::done() const { return bracket_.hi - bracket_.lo <= tolerance_ || neighbours(bracket_); }

void RootSearch::add(double g) {
  if (same_sign(g, bracket_.g_lo)) {
    third_ = bracket_.lo;
    g_third_ = bracket_.g_lo;
    bracket_.lo = next_;
    bracket_.g_lo = weight_lo_ = g;
    if (last_side_ < 0) weight_hi_ *= 0.5;
    last_side_ = -1;
  } else {
    third_ = bracket_.hi;
    g_third_ = bracket_.g_hi;
    bracket_.hi = next_;
    bracket_.g_hi = weight_hi_ = g;
    if (last_side_ > 0) weight_lo_ *= 0.5;
    last_side_ = 1;
  }
  reach_ *= 0.5;
}

// The distance from lo to the zero between the ends of g_lo + u b + u^2 c, which goes through all three points; not a
// number when one of them is useless.
double RootSearch::parabola() const {
  const auto& [lo, hi, g_lo, g_hi] = bracket_;
  const double width = hi - lo;
  const double slope = (g_hi - g_lo) / width;
  const double c = ((g_third_ - g_hi) / (third_ - hi) - slope) / (third_ - lo);
  const double b = slope - width * c;
  const double q = -0.5 * (b + std::copysign(std::sqrt(b * b - 4 * c * g_lo), b));
  const double u = g_lo / q;
  return u > 0 && u < width ? u : q / c;
}

double RootSearch::next_point() {
  const double width = bracket_.hi - bracket_.lo;
  const double half = middle(bracket_);
  double u = last_side_ != 0 ? parabola() : NAN;
  if (!(u > 0 && u < width)) u = width * (weight_lo_ / (weight_lo_ - weight_hi_));
  const bool usable = std::isfinite(u) && std::isfinite(weight_lo_) && std::isfinite(weight_hi_);
  const double radius = std::max(reach_ - 0.5 * width, 0.0);
  next_ = usable ? std::clamp(bracket_.lo + u, half - radius, half + radius) : half;
  const double margin = std::min(0.5 * tolerance_, 0.25 * width);
  next_ = std::clamp(next_, bracket_.lo + margin, bracket_.hi - margin);
  // Without tolerance the margin is nothing and the point may round to an end.
  if (next_ <= bracket_.lo || next_ >= bracket_.hi) {
    next_ = half;
    if (next_ <= bracket_.lo) next_ = std::nextafter(bracket_.lo, bracket_.hi);
    if (next_ >= bracket_.hi) next_ = std::nextafter(bracket_.hi, bracket_.lo);
  }
  return next_;
}

}  // namespace orrery::solve
