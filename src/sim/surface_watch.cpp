// SPDX-License-Identifier: Apache-2.0
// Detecting and locating sign changes.
#include "sim/surface_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/locate_root.h"
#include "solve/pair.h"

namespace orrery::sim {
namespace {

using solve::load_from;
using solve::magnitude;
using solve::Pair;
using solve::PairBits;

// Whether test(k, Value) holds for all surfaces, two at a time as long as there are two.
template <class Test>
bool for_all_surfaces(std::size_t count, const Test& test) {
  std::size_t k = 0;
  for (; k + 1 < count; k += 2) {
    const PairBits both = test(k, Pair{});
    if ((both[0] & both[1]) == 0) return false;
  }
  return k == count || test(k, 0.0) != 0;
}

std::int8_t sign_of(double g) { return g > 0 ? std::int8_t{1} : g < 0 ? std::int8_t{-1} : std::int8_t{0}; }

}  // namespace

SurfaceWatch::SurfaceWatch(const program::Program& program, double threshold)
    : program_(program), threshold_(threshold) {
  for (const program::Surface& surface : program.surfaces) {
    kinds_.push_back(surface.mode == program::no_slot ? Kind::event : Kind::mode);
    has_modes_ |= surface.mode != program::no_slot;
  }
  signs_.assign(kinds_.size(), 1);
  side_.assign(kinds_.size(), 1);
  g_.assign(kinds_.size(), 0);
  at_end_ = before_ = trial_ = g_;
}

void SurfaceWatch::begin(double t, const double* g, const std::uint8_t* modes) {
  t_ = t;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    g_[k] = g[k];
    const bool stays_blind = signs_[k] == 0 && !(std::fabs(g[k]) > threshold_);
    set_sign(k, kinds_[k] == Kind::mode ? (modes[k] != 0 ? std::int8_t{1} : std::int8_t{-1})
                                        : (stays_blind ? std::int8_t{0} : sign_of(g[k])));
  }
}

// The value with zero put on a side: for modes, zero belongs to "true" unless the relation is strict.
double SurfaceWatch::sided(std::size_t k, double g) const {
  if (kinds_[k] == Kind::event || g != 0) return g;
  const double least = std::numeric_limits<double>::min();
  return program_.surfaces[k].strict ? -least : least;
}

bool SurfaceWatch::contradicts(std::size_t k, double g) const {
  if (std::isnan(g) || signs_[k] == 0) return false;
  const double value = sided(k, g);
  if (kinds_[k] == Kind::mode) return sign_of(value) != signs_[k];
  if (sign_of(value) == signs_[k]) return false;
  const auto wanted = static_cast<unsigned>(program_.surfaces[k].crossing);
  const auto direction = static_cast<unsigned>(signs_[k] < 0 ? program::Crossing::rising : program::Crossing::falling);
  return (wanted & direction) != 0;
}

// Moves a surface that did not fire on to a new value: blind ones open their eyes, unwanted directions are taken over.
void SurfaceWatch::change_side(std::size_t k, double g) {
  if (kinds_[k] == Kind::mode || std::isnan(g)) return;
  if (signs_[k] == 0) {
    if (std::fabs(g) > threshold_) set_sign(k, sign_of(g));
  } else {
    set_sign(k, sign_of(g));
  }
}

// Blind surfaces and values that are not numbers are not above zero on any side.
bool SurfaceWatch::pass_quietly(double t, const double* values) {
  const std::size_t count = kinds_.size();
  const auto keeps = [&]<class Value>(std::size_t k, Value) {
    return load_from<Value>(side_.data() + k) * load_from<Value>(values + k) > 0.0;
  };
  if (!for_all_surfaces(count, keeps)) return false;
  std::copy_n(values, count, g_.begin());
  t_ = t;
  return true;
}

// A parabola through a0, a1, a2 > 0 with its vertex between them falls to zero only if 4 a1 < a0 + a2.
bool SurfaceWatch::pass_quietly(double t, const double* third, const double* two_thirds, const double* end) {
  const auto quiet = [&]<class Value>(std::size_t k, Value) {
    const auto at = [k](const double* v) { return load_from<Value>(v + k); };
    const Value side = at(side_.data());
    const Value a0 = side * at(g_.data()), a1 = side * at(third), a2 = side * at(two_thirds), a3 = side * at(end);
    return (a1 > 0.0) & (a2 > 0.0) & (a3 > 0.0) & (4.0 * a1 >= a0 + a2) & (4.0 * a2 >= a1 + a3);
  };
  const std::size_t count = kinds_.size();
  if (!for_all_surfaces(count, quiet)) return false;
  std::copy_n(end, count, g_.begin());
  t_ = t;
  return true;
}

bool SurfaceWatch::bends(const double* third, const double* two_thirds, const double* end) const {
  const auto straight = [&]<class Value>(std::size_t k, Value) {
    const auto at = [k](const double* v) { return load_from<Value>(v + k); };
    const Value g1 = at(third), g2 = at(two_thirds);
    const Value around_g1 = magnitude(at(g_.data()) + g2), around_g2 = magnitude(g1 + at(end));
    const Value size_g1 = magnitude(g1), size_g2 = magnitude(g2);
    return (4.0 * size_g1 >= around_g1) & (4.0 * size_g2 >= around_g2);
  };
  return !for_all_surfaces(kinds_.size(), straight);
}

bool SurfaceWatch::look(double t, const Evaluate& evaluate, double tolerance, Found& found, const double* values) {
  if (values != nullptr) {
    std::copy_n(values, at_end_.size(), at_end_.begin());
  } else {
    evaluate(t, at_end_.data());
  }
  bool any = false;
  for (std::size_t k = 0; k < kinds_.size() && !any; ++k) any = crossed(k, at_end_[k]);
  if (!any) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) pass(k, at_end_[k]);
    t_ = t;
    return false;
  }
  // The earliest crossing: every surface that has crossed at the end pulls the end towards its own crossing.
  double end = t;
  before_ = g_;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (!crossed(k, at_end_[k])) continue;
    // Without a value at the beginning the sign is the last one known.
    const double g_lo = std::isnan(g_[k]) ? signs_[k] * std::numeric_limits<double>::min() : sided(k, g_[k]);
    if (sign_of(g_lo) != signs_[k] || end <= t_) {  // it contradicts already at the beginning
      end = t_;
      evaluate(end, at_end_.data());
      before_ = at_end_;
      break;
    }
    before_ = g_;
    solve::RootSearch search({t_, end, g_lo, sided(k, at_end_[k])}, tolerance);
    while (!search.done()) {
      const double at = search.next_point();
      evaluate(at, trial_.data());
      // Where there is no value the sign has not changed, so that the end of the bracket always has one.
      search.add(std::isnan(trial_[k]) ? g_lo : sided(k, trial_[k]));
      std::swap(trial_, search.bracket().hi == at ? at_end_ : before_);
    }
    end = search.bracket().hi;
  }
  found.time = end;
  found.crossings.clear();
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (!crossed(k, at_end_[k])) continue;
    found.crossings.push_back({static_cast<std::uint32_t>(k), signs_[k] < 0 ? 1 : -1, before_[k], at_end_[k]});
  }
  return true;
}

bool SurfaceWatch::touches_zero(const double* g) const {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (g[k] == 0 && kinds_[k] == Kind::event) return true;
  }
  return false;
}

bool SurfaceWatch::jump(double t, const double* g, Found& found) {
  found.time = t;
  found.crossings.clear();
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    at_end_[k] = g[k];
    if (kinds_[k] != Kind::event || !program_.surfaces[k].jumps || !crossed(k, g[k])) continue;
    found.crossings.push_back({static_cast<std::uint32_t>(k), signs_[k] < 0 ? 1 : -1, g_[k], g[k]});
  }
  return !found.crossings.empty();
}

void SurfaceWatch::restore(double t, std::vector<std::int8_t> signs, std::vector<double> last) {
  t_ = t;
  signs_ = std::move(signs);
  side_.assign(signs_.begin(), signs_.end());
  g_ = std::move(last);
}

void SurfaceWatch::settle(const Found& found) {
  t_ = found.time;
  g_ = at_end_;
  std::size_t next = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (keeps_side(k, g_[k])) continue;  // those that fired do not
    if (next == found.crossings.size() || found.crossings[next].surface != k) {
      change_side(k, g_[k]);
      continue;
    }
    ++next;
    if (kinds_[k] == Kind::event) {
      set_sign(k, std::fabs(g_[k]) > threshold_ ? sign_of(g_[k]) : std::int8_t{0});
    } else {
      set_sign(k, static_cast<std::int8_t>(-signs_[k]));
    }
  }
}

}  // namespace orrery::sim
