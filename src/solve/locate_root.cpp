// SPDX-License-Identifier: Apache-2.0
// Regula falsi in its Illinois form (Dowell and Jarratt, BIT 11, 1971), with the worst case of bisection.
//
// Illinois: when the same end moves twice running, the value kept at the other end is halved, so that both ends close
// in on a simple root superlinearly. The point is then projected: it stays as near to the middle as it takes to need
// at most a few points more than bisection, however flat, steep or infinite the function is (the projection of the ITP
// method, Oliveira and Takahashi, ACM Trans. Math. Softw. 47, 2020). Besides, a point is never nearer to an end than
// half the tolerance, so that the last point closes the bracket.
#include "solve/locate_root.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace orrery::solve {

namespace {

bool same_sign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

double middle(const Bracket& b) { return 0.5 * b.lo + 0.5 * b.hi; }

bool neighbours(const Bracket& b) { return std::nextafter(b.lo, b.hi) >= b.hi; }

// Distance of neighbouring doubles at the larger end.
double resolution(const Bracket& b) {
  const double size = std::max(std::abs(b.lo), std::abs(b.hi));
  return std::nextafter(size, 2 * size + 1) - size;
}

constexpr int spare_points = 12;  // what an unlucky secant may cost over bisection

}  // namespace

bool changes_sign(double g_lo, double g_hi) { return (g_lo > 0 && g_hi <= 0) || (g_lo < 0 && g_hi >= 0); }

RootSearch::RootSearch(const Bracket& bracket, double tolerance)
    : bracket_(bracket), tolerance_(std::max(tolerance, 0.0)), weight_lo_(bracket.g_lo), weight_hi_(bracket.g_hi) {
  ORRERY_CHECK(bracket.lo <= bracket.hi);
  ORRERY_CHECK(changes_sign(bracket.g_lo, bracket.g_hi));
  // Half the tolerance, doubled once for each bisection that leads to it.
  reach_ = 0.5 * std::max(tolerance_, resolution(bracket));
  while (reach_ < 0.5 * (bracket.hi - bracket.lo)) reach_ *= 2;
  for (int i = 0; i < spare_points; ++i) reach_ *= 2;
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
  reach_ *= 0.5;
  choose();
}

void RootSearch::choose() {
  const double width = bracket_.hi - bracket_.lo;
  const double half = middle(bracket_);
  const double secant = bracket_.lo + width * (weight_lo_ / (weight_lo_ - weight_hi_));
  const bool usable = std::isfinite(secant) && std::isfinite(weight_lo_) && std::isfinite(weight_hi_);
  const double radius = std::max(reach_ - 0.5 * width, 0.0);
  next_ = usable ? std::clamp(secant, half - radius, half + radius) : half;
  const double margin = std::min(0.5 * tolerance_, 0.25 * width);
  next_ = std::clamp(next_, bracket_.lo + margin, bracket_.hi - margin);
  // Without tolerance the margin is nothing and the point may round to an end.
  if (next_ <= bracket_.lo || next_ >= bracket_.hi) {
    next_ = half;
    if (next_ <= bracket_.lo) next_ = std::nextafter(bracket_.lo, bracket_.hi);
    if (next_ >= bracket_.hi) next_ = std::nextafter(bracket_.hi, bracket_.lo);
  }
}

}  // namespace orrery::solve
