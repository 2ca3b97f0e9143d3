// SPDX-License-Identifier: Apache-2.0
// Regula falsi in its Illinois form (Dowell and Jarratt, BIT 11, 1971), made safe by bisection.
//
// Illinois: when the same end moves twice running, the value kept at the other end is halved, so that both ends
// close in on a simple root superlinearly. Two guards: a point is never nearer to an end than half the tolerance, so
// that the last point closes the bracket; and when three points have not halved the bracket, it is bisected, so that
// flat, steep or infinite functions cost at most about four times as many points as bisection.
#include "solve/locate_root.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace orrery::solve {

namespace {

bool same_sign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

double middle(const Bracket& b) { return 0.5 * b.lo + 0.5 * b.hi; }

bool neighbours(const Bracket& b) { return std::nextafter(b.lo, b.hi) >= b.hi; }

constexpr int points_per_check = 3;

}  // namespace

bool changes_sign(double g_lo, double g_hi) { return (g_lo > 0 && g_hi <= 0) || (g_lo < 0 && g_hi >= 0); }

RootSearch::RootSearch(const Bracket& bracket, double tolerance)
    : bracket_(bracket),
      tolerance_(std::max(tolerance, 0.0)),
      weight_lo_(bracket.g_lo),
      weight_hi_(bracket.g_hi),
      checked_width_(bracket.hi - bracket.lo) {
  ORRERY_CHECK(bracket.lo <= bracket.hi);
  ORRERY_CHECK(changes_sign(bracket.g_lo, bracket.g_hi));
  choose();
}

bool RootSearch::done() const { return bracket_.hi - bracket_.lo <= tolerance_ || neighbours(bracket_); }

void RootSearch::add(double g) {
  if (same_sign(g, bracket_.g_lo)) {
    bracket_.lo = next_;
    bracket_.g_lo = weight_lo_ = g;
    if (last_side_ < 0) weight_hi_ *= 0.5;
    last_side_ = -1;
  } else {
    bracket_.hi = next_;
    bracket_.g_hi = weight_hi_ = g;
    if (last_side_ > 0) weight_lo_ *= 0.5;
    last_side_ = 1;
  }
  ++points_;
  choose();
}

void RootSearch::choose() {
  const double width = bracket_.hi - bracket_.lo;
  const bool check = points_ > 0 && points_ % points_per_check == 0;
  const bool too_slow = check && !(width <= 0.5 * checked_width_);
  if (check) checked_width_ = width;
  const double secant = bracket_.lo + width * (weight_lo_ / (weight_lo_ - weight_hi_));
  next_ = too_slow || !std::isfinite(secant) || !std::isfinite(weight_lo_) || !std::isfinite(weight_hi_)
              ? middle(bracket_)
              : secant;
  const double margin = std::min(0.5 * tolerance_, 0.25 * width);
  next_ = std::clamp(next_, bracket_.lo + margin, bracket_.hi - margin);
  // Without tolerance the margin is nothing and the secant may round to an end.
  if (next_ <= bracket_.lo || next_ >= bracket_.hi) {
    next_ = middle(bracket_);
    if (next_ <= bracket_.lo) next_ = std::nextafter(bracket_.lo, bracket_.hi);
    if (next_ >= bracket_.hi) next_ = std::nextafter(bracket_.hi, bracket_.lo);
  }
}

}  // namespace orrery::solve
