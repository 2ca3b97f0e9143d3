// SPDX-License-Identifier: Apache-2.0
// Where in an interval the first surface crosses.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/bernstein.h"
#include "sim/surface_watch.h"
#include "solve/locate_root.h"

namespace orrery::sim {
namespace {

constexpr double least_value = std::numeric_limits<double>::min();

// So many surfaces cost more at a point than a search for the zero of a polynomial.
constexpr std::size_t worth_a_polynomial = 6;

}  // namespace

bool SurfaceWatch::look(double t, const Evaluate& evaluate, double tolerance, Found& found) {
  all_are_loud();
  evaluate(t, at_end_.data());
  if (!any_crossed(at_end_.data())) {
    move_on(t);
    return false;
  }
  before_ = g_;
  locate(t_, t, evaluate, tolerance, nullptr, found);
  return true;
}

void SurfaceWatch::all_are_loud() {
  loud_.resize(kinds_.size());
  std::iota(loud_.begin(), loud_.end(), std::uint32_t{0});
}

bool SurfaceWatch::look(const Interval& interval, const Evaluate& evaluate, double tolerance, Found& found) {
  const std::size_t count = kinds_.size();
  if (!any_crossed(interval.values[4])) {
    std::copy_n(interval.values[4], count, at_end_.begin());
    move_on(interval.end);
    return false;
  }
  // A surface that crosses once shows it at the next quarter, so the first of them lies before the first quarter that
  // shows any.
  double begin = t_, end = interval.end;
  const double* left = g_.data();
  std::size_t j = 1;
  for (; j < 4; ++j) {
    end = interval.begin + static_cast<double>(j) * ((interval.end - interval.begin) / 4);
    if (end <= t_) continue;
    if (any_crossed(interval.values[j])) break;
    begin = end;
    left = interval.values[j];
  }
  if (j == 4) end = interval.end;
  for (std::size_t k = 0; k < count; ++k) {
    before_[k] = left[k];
    at_end_[k] = interval.values[j][k];
  }
  locate(begin, end, evaluate, tolerance, &interval, found);
  return true;
}

// Between two times of the interval; not a number where roundings hide it.
double SurfaceWatch::zero_of_polynomial(std::size_t k, const Interval& interval, double begin, double end,
                                        double tolerance) const {
  const Quarters& v = interval.values;
  const Quartic<double> b = bernstein<double>({v[0][k], v[1][k], v[2][k], v[3][k], v[4][k]});
  const double width = interval.end - interval.begin;
  const auto value = [&](double s) {
    const double r = 1 - s;
    return r * r * (r * r * b.c[0] + 4 * r * s * b.c[1] + 6 * s * s * b.c[2]) +
           s * s * s * (4 * r * b.c[3] + s * b.c[4]);
  };
  const double lo = (begin - interval.begin) / width, hi = (end - interval.begin) / width;
  const double g_lo = value(lo), g_hi = value(hi);
  if (!(g_lo * g_hi < 0)) return not_fired_;
  const solve::Bracket root = solve::locate_root(value, {lo, hi, g_lo, g_hi}, 0.1 * tolerance / width);
  return interval.begin + root.hi * width;
}

bool SurfaceWatch::any_crossed(const double* g) const {
  return std::any_of(loud_.begin(), loud_.end(), [&](std::uint32_t k) { return crossed(k, g[k]); });
}

// The earliest crossing: every surface that has crossed at the end pulls the end towards its own crossing. `before_`
// and `at_end_` hold all surfaces at begin and end.
void SurfaceWatch::locate(double begin, double end, const Evaluate& evaluate, double tolerance,
                          const Interval* interval, Found& found) {
  passing_.clear();
  near_.clear();
  bool several = false;
  for (const std::uint32_t k : loud_) {
    if (end <= begin) break;
    if (!crossed(k, at_end_[k])) continue;
    // Without a value of its own at the beginning it has the side that is known.
    (several ? before_ : first_) = several ? first_ : before_;
    several = true;
    const double g_lo = keeps_side(k, first_[k]) ? first_[k] : signs_[k] * least_value;
    solve::RootSearch search({begin, end, g_lo, sided(k, at_end_[k])}, tolerance);
    // Where the polynomial is the surface, its zero is: two more points confirm it.
    const bool exact = interval != nullptr && doubt_[k] == 0 && kinds_.size() >= worth_a_polynomial;
    const double guess = exact ? zero_of_polynomial(k, *interval, begin, end, tolerance) : not_fired_;
    for (int points = 0; !search.done(); ++points) {
      const double beside = guess + (points == 0 ? 0.45 : -0.45) * tolerance;
      const bool usable = points < 2 && search.accepts(beside);
      const double at = usable ? beside : search.next_point();
      evaluate(at, trial_.data());
      // Where there is no value the sign has not changed, so that the end of the bracket always has one.
      search.add(std::isnan(trial_[k]) ? g_lo : sided(k, trial_[k]));
      std::swap(trial_, search.bracket().hi == at ? at_end_ : before_);
    }
    end = search.bracket().hi;
  }
  found.time = end;
  found.crossings.clear();
  for (const std::uint32_t k : loud_) {
    if (!crossed(k, at_end_[k])) continue;
    found.crossings.push_back({k, signs_[k] < 0 ? 1 : -1, before_[k], at_end_[k]});
  }
}

}  // namespace orrery::sim
