// SPDX-License-Identifier: Apache-2.0
// Locating a sign change of a scalar function of time inside a bracket.
#pragma once

namespace orrery::solve {

// g_lo is not zero; g_hi is zero or of the other sign.
struct Bracket {
  double lo = 0, hi = 0;
  double g_lo = 0, g_hi = 0;
};

// True when g changed: g_lo is not zero and g_hi is zero or of the other sign. NaN never is a change.
bool changes_sign(double g_lo, double g_hi);

// Chooses where to evaluate next: safeguarded parabolas and regula falsi, see locate_root.cpp.
class RootSearch {
 public:
  RootSearch(const Bracket& bracket, double tolerance);
  // hi - lo <= tolerance, or no double lies between them.
  bool done() const;
  double next_point();
  // A point of the caller's own instead: false, changing nothing, where it does not lie between the ends.
  bool accepts(double point) {
    if (!(point > bracket_.lo && point < bracket_.hi)) return false;
    next_ = point;
    return true;
  }
  void add(double g);  // the value at the last next_point(); NaN counts as "changed", so hi moves towards lo
  const Bracket& bracket() const { return bracket_; }

 private:
  double parabola() const;

  Bracket bracket_;
  double third_ = 0, g_third_ = 0;  // the end that moved last, before it moved
  double tolerance_;
  double weight_lo_, weight_hi_;  // g at the ends, as the secant is to see them
  int last_side_ = 0;             // -1: lo moved last, 1: hi did
  double reach_ = 0;              // half the width that bisection would be allowed after as many points
  double next_ = 0;
};

// The shrunk bracket: hi - lo <= tolerance (or neighbouring doubles), g_lo keeps its sign, g_hi is zero or changed.
// The event happens at hi. ORRERY_CHECKs that the bracket is one.
template <class Function>
Bracket locate_root(Function&& g, const Bracket& bracket, double tolerance) {
  RootSearch search(bracket, tolerance);
  while (!search.done()) search.add(g(search.next_point()));
  return search.bracket();
}

}  // namespace orrery::solve
