// SPDX-License-Identifier: Apache-2.0
// Detecting and locating sign changes.
#include "sim/surface_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/locate_root.h"

namespace orrery::sim {
namespace {

std::int8_t sign_of(double g) { return g > 0 ? std::int8_t{1} : g < 0 ? std::int8_t{-1} : std::int8_t{0}; }

}  // namespace

SurfaceWatch::SurfaceWatch(const program::Program& program, double threshold)
    : program_(program), threshold_(threshold) {
  for (const program::Surface& surface : program.surfaces) {
    kinds_.push_back(surface.mode == program::no_slot ? Kind::event : Kind::mode);
  }
  signs_.assign(kinds_.size(), 0);
  g_.assign(kinds_.size(), 0);
  at_end_ = trial_ = g_;
}

void SurfaceWatch::begin(double t, const double* g, const std::uint8_t* modes) {
  t_ = t;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    g_[k] = g[k];
    signs_[k] = kinds_[k] == Kind::mode ? (modes[k] != 0 ? std::int8_t{1} : std::int8_t{-1})
                                        : (std::fabs(g[k]) > threshold_ ? sign_of(g[k]) : std::int8_t{0});
  }
}

// The value with zero put on a side: for modes, zero belongs to "true" unless the relation is strict.
double SurfaceWatch::sided(std::size_t k, double g) const {
  if (kinds_[k] == Kind::event || g != 0) return g;
  const double least = std::numeric_limits<double>::min();
  return program_.surfaces[k].strict ? -least : least;
}

bool SurfaceWatch::crossed(std::size_t k, double g) const {
  if (sign_of(g) == signs_[k]) return false;  // nearly always
  if (std::isnan(g) || signs_[k] == 0) return false;
  const double value = sided(k, g);
  if (kinds_[k] == Kind::mode) return sign_of(value) != signs_[k];
  if (sign_of(value) == signs_[k]) return false;
  const auto wanted = static_cast<unsigned>(program_.surfaces[k].crossing);
  const auto direction = static_cast<unsigned>(signs_[k] < 0 ? program::Crossing::rising : program::Crossing::falling);
  return (wanted & direction) != 0;
}

// Moves a surface that did not fire on to a new value: blind ones open their eyes, unwanted directions are taken over.
void SurfaceWatch::pass(std::size_t k, double g) {
  g_[k] = g;
  if (kinds_[k] == Kind::mode || std::isnan(g)) return;
  if (signs_[k] == 0) {
    if (std::fabs(g) > threshold_) signs_[k] = sign_of(g);
  } else {
    signs_[k] = sign_of(g);
  }
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
  double before = t_;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (!crossed(k, at_end_[k])) continue;
    // Without a value at the beginning the sign is the last one known.
    const double g_lo = std::isnan(g_[k]) ? signs_[k] * std::numeric_limits<double>::min() : sided(k, g_[k]);
    if (sign_of(g_lo) != signs_[k] || end <= t_) {  // it contradicts already at the beginning
      end = before = t_;
      evaluate(end, at_end_.data());
      break;
    }
    const auto bracket = solve::locate_root(
        [&](double at) {
          evaluate(at, trial_.data());
          // Where there is no value the sign has not changed, so that the end of the bracket always has one.
          return std::isnan(trial_[k]) ? g_lo : sided(k, trial_[k]);
        },
        solve::Bracket{t_, end, g_lo, sided(k, at_end_[k])}, tolerance);
    end = bracket.hi;
    before = bracket.lo;
    evaluate(end, at_end_.data());
  }
  evaluate(before, trial_.data());
  found.time = end;
  found.crossings.clear();
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (!crossed(k, at_end_[k])) continue;
    found.crossings.push_back({static_cast<std::uint32_t>(k), signs_[k] < 0 ? 1 : -1, trial_[k], at_end_[k]});
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
  g_ = std::move(last);
}

void SurfaceWatch::settle(const Found& found) {
  t_ = found.time;
  std::size_t next = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const bool fired = next < found.crossings.size() && found.crossings[next].surface == k;
    if (fired) ++next;
    if (fired && kinds_[k] == Kind::event) {
      g_[k] = at_end_[k];
      signs_[k] = std::fabs(g_[k]) > threshold_ ? sign_of(g_[k]) : std::int8_t{0};
    } else if (fired) {
      g_[k] = at_end_[k];
      signs_[k] = static_cast<std::int8_t>(-signs_[k]);
    } else {
      pass(k, at_end_[k]);
    }
  }
}

}  // namespace orrery::sim
