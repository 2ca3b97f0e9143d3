// SPDX-License-Identifier: Apache-2.0
// Sides of surfaces, and detecting where they change.
#include "sim/surface_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/bernstein.h"
#include "solve/pair.h"

namespace orrery::sim {
namespace {

constexpr double least = std::numeric_limits<double>::min();

int sign_of(double g) { return g > 0 ? 1 : g < 0 ? -1 : 0; }

}  // namespace

SurfaceWatch::SurfaceWatch(const program::Program& program, double threshold, double coincidence)
    : program_(program), threshold_(threshold), coincidence_(coincidence) {
  for (const program::Surface& surface : program.surfaces) {
    kinds_.push_back(surface.mode != program::no_slot ? Kind::mode : surface.edge ? Kind::edge : Kind::event);
    has_modes_ |= surface.mode != program::no_slot;
  }
  const std::size_t count = kinds_.size();
  signs_.assign(count, 1);
  sense_.assign(count, 1);
  doubt_.assign(count, 0.25);
  g_.assign(count, 0);
  at_end_ = before_ = trial_ = g_;
  fired_at_.assign(count, not_fired_);
  fired_value_ = at_zero_ = fired_at_;
  fired_direction_.assign(count, 0);
  band_ = left_at_ = g_;
  leaving_.resize(count);
  leads_away_.resize(count);
  stillness_.resize(count);
}

bool SurfaceWatch::all_exact() const {
  return std::all_of(doubt_.begin(), doubt_.end(), [](double doubt) { return doubt == 0; });
}

bool SurfaceWatch::is_zero(std::size_t k, const SurfaceValues& values) const {
  return is_hardly_away(k, values) && (values.g[k] == 0 || values.rates[3 * k] * values.g[k] <= 0);
}

bool SurfaceWatch::is_hardly_away(std::size_t k, const SurfaceValues& values) const {
  const double g = values.g[k];
  if (g == 0) return true;
  if (values.rates == nullptr) return false;
  const double speed = values.speed == nullptr ? std::fabs(values.rates[3 * k]) : values.speed[k];
  const double noise = stillness_[k].limit < 0 ? 0 : 2 * stillness_[k].noise;
  // Where its crossing was located in this instant it is at zero, however slow an event has made it since.
  const double located = is_same_instant(fired_at_[k], t_) ? std::fabs(fired_value_[k]) : 0;
  return std::fabs(g) <= std::max({speed * coincidence_, rounding(k, values), noise, located});
}

// How far from zero a surface may be that is zero: by the terms it is made of, after a few operations.
double SurfaceWatch::rounding(std::size_t k, const SurfaceValues& values) const {
  return values.rates == nullptr ? 0 : 16 * std::numeric_limits<double>::epsilon() * values.rates[3 * k + 2];
}

// Until the rates have carried a surface as far as twice the band, its values within it are roundings.
void SurfaceWatch::set_band(std::size_t k, double band) {
  const auto [rate, second] = leaving_[k];
  const double by_rate = 2 * band / rate, by_second = 2 * std::sqrt(band / second);
  const double time = std::isnan(by_rate) ? by_second : std::isnan(by_second) ? by_rate : std::min(by_rate, by_second);
  band_[k] = band;
  left_at_[k] = begun_at_ + (std::isnan(time) ? 0 : time);
  leaving_until_ = std::max(leaving_until_, left_at_[k]);
}

void SurfaceWatch::widen_bands(const Quarters& values, double end) {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (leaving_[k].rate < 0) continue;
    double largest = 0;
    for (const double* v : values) largest = std::max(largest, std::fabs(v[k]));
    const double band = 16 * std::numeric_limits<double>::epsilon() * largest;
    if (band > band_[k]) set_band(k, band);
    if (std::isinf(left_at_[k]) && std::fabs(values[4][k]) > band_[k]) left_at_[k] = end;
  }
  leaving_until_ = *std::max_element(left_at_.begin(), left_at_.end());
}

// With the slope -e instead of one that is not negative, g = -e t + second / 2 t^2 comes back at 2 e / second.
void SurfaceWatch::widen_bands(double after, const double* g) {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const auto [rate, second] = leaving_[k];
    if (rate < 0 || !leads_away_[k]) continue;
    const double e = 0.5 * second * after - sense_[k] * g[k] / after;
    if (e > 0 && 1.5 * e * e > band_[k] * second) set_band(k, 1.5 * e * e / second);
  }
}

bool SurfaceWatch::is_without_motion(std::size_t k, const SurfaceValues& values) const {
  return values.rates != nullptr && is_hardly_away(k, values) && values.rates[3 * k] == 0 &&
         values.rates[3 * k + 1] == 0;
}

void SurfaceWatch::set_still(std::uint32_t k, bool still, double size) {
  Stillness& of = stillness_[k];
  const bool known = of.limit >= 0;
  if (!still) {
    if (known) std::erase(still_, k);
    of = {};
    return;
  }
  if (!known) still_.push_back(k);
  of.limit = 100 * (absolute_ + relative_ * size);
}

void SurfaceWatch::let_move(const SurfaceValues& values, double width) {
  if (values.rates == nullptr) return;
  for (std::size_t place = still_.size(); place-- > 0;) {
    const std::uint32_t k = still_[place];
    const double* rates = values.rates + 3 * k;
    const double way = (std::fabs(rates[0]) + std::fabs(rates[1]) * width) * width;
    const bool still =
        way <= std::max(rounding(k, values), stillness_[k].noise) && std::fabs(values.g[k]) <= stillness_[k].limit;
    set_still(k, still, rates[2]);
  }
}

void SurfaceWatch::rest(std::uint32_t k, double band) {
  std::erase(resting_, k);
  if (rest_.empty()) {
    if (band <= 0) return;
    rest_.assign(kinds_.size(), -1.0);
  }
  rest_[k] = band > 0 ? band : -1.0;
  if (band > 0) resting_.push_back(k);
}

int SurfaceWatch::side_after(std::size_t k, const SurfaceValues& values, int before) const {
  const double g = values.g[k];
  if (std::isnan(g)) return before;
  const double rate = values.rates == nullptr ? not_fired_ : values.rates[3 * k];
  if (!is_zero(k, values)) return sign_of(g);
  if (std::isnan(rate)) return 0;
  const double second = values.rates[3 * k + 1];
  const bool moves = rate * second > 0 || !(std::fabs(rate) <= std::fabs(second) * coincidence_);
  return sign_of(moves && rate != 0 ? rate : second);
}

void SurfaceWatch::take_side(std::size_t k, int side) {
  set_sense(k, static_cast<std::int8_t>(kinds_[k] == Kind::edge && side == 0 ? -1 : side));
}

void SurfaceWatch::decide() {
  undecided_ = false;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (std::isnan(g_[k])) {
      undecided_ = true;
    } else if (kinds_[k] == Kind::edge && signs_[k] == 0 && threshold_ == 0) {
      set_sense(k, -1);
    }
  }
}

void SurfaceWatch::begin(double t, const SurfaceValues& values, const std::uint8_t* modes, bool first) {
  t_ = t;
  leaving_until_ = begun_at_ = t;
  turned_.clear();
  some_leave_ = false;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    g_[k] = values.g[k];
    left_at_[k] = t;
    leaving_[k].rate = -1;
    if (values.rates != nullptr && !std::isnan(values.rates[3 * k]) && is_zero(k, values)) {
      const double second = values.rates[3 * k + 1];
      leaving_[k] = {std::fabs(values.rates[3 * k]), std::isnan(second) ? 0 : std::fabs(second)};
      some_leave_ = true;
      set_band(k, std::max(1.01 * std::fabs(g_[k]), rounding(k, values)));
    }
    if (kinds_[k] == Kind::mode) {
      set_sense(k, modes[k] != 0 ? std::int8_t{1} : std::int8_t{-1});
    } else if (std::isnan(g_[k])) {
      if (never_begun_) set_sense(k, 0);
      set_still(static_cast<std::uint32_t>(k), false, 0);
      continue;
    } else if (signs_[k] != 0 || threshold_ == 0 || std::fabs(g_[k]) > threshold_) {
      const int side = side_after(k, values, signs_[k]);
      take_side(k, side);
      if (first && side == 0 && kinds_[k] == Kind::edge && !program_.surfaces[k].level) set_sense(k, 0);
    }
    leads_away_[k] = leaving_[k].rate >= 0 && sense_[k] * values.rates[3 * k] >= -coincidence_ * leaving_[k].second &&
                     sense_[k] * values.rates[3 * k + 1] > 0;
    if (sense_[k] * g_[k] < 0 || (sense_[k] == 0 && threshold_ == 0)) g_[k] = 0;  // what the side was judged to be
    const bool still = is_without_motion(k, values);
    set_still(static_cast<std::uint32_t>(k), still, still ? values.rates[3 * k + 2] : 0);
    if (still) keep_still(k, g_[k]);
  }
  never_begun_ = false;
  for (const std::uint32_t k : muted_) g_[k] = sense_[k];
  for (const std::uint32_t k : resting_) {
    if (rests(k, g_[k])) g_[k] = sense_[k] * least;
  }
}

void SurfaceWatch::rebase(double t, const double* g, const std::uint8_t* modes) {
  t_ = t;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    g_[k] = g[k];
    if (kinds_[k] == Kind::mode) set_sense(k, modes[k] != 0 ? std::int8_t{1} : std::int8_t{-1});
  }
  correct(t, g_.data());
}

bool SurfaceWatch::is_wanted(std::size_t k, int direction) const {
  const auto wanted = static_cast<unsigned>(program_.surfaces[k].crossing);
  const auto this_way = static_cast<unsigned>(direction > 0 ? program::Crossing::rising : program::Crossing::falling);
  return (wanted & this_way) != 0;
}

// The value with zero put on a side: of modes, zero belongs to "true" unless the relation is strict; events have not
// crossed yet.
double SurfaceWatch::sided(std::size_t k, double g) const {
  if (g != 0) return g;
  if (kinds_[k] != Kind::mode) return sense_[k] * least;
  return program_.surfaces[k].strict ? -least : least;
}

bool SurfaceWatch::contradicts(std::size_t k, double g) const {
  if (std::isnan(g) || signs_[k] == 0) return false;
  if (sign_of(sided(k, g)) == signs_[k]) return false;
  return kinds_[k] == Kind::mode || is_wanted(k, -signs_[k]);
}

// Moves a surface that did not fire on to a new value: blind ones open their eyes, unwanted directions are taken over.
void SurfaceWatch::change_side(std::size_t k, double g) {
  if (kinds_[k] == Kind::mode || std::isnan(g)) return;
  if (signs_[k] == 0 && !(std::fabs(g) > threshold_)) return;
  if (g == 0) return;
  take_side(k, sign_of(g));
}

bool SurfaceWatch::pass_quietly(double t, const Quarters& values) {
  const auto quiet = [&]<class Value>(std::size_t k, Value) {
    const auto at = [k](const double* v) { return solve::load_from<Value>(v + k); };
    const Quartic<Value> b =
        bernstein<Value>({at(values[0]), at(values[1]), at(values[2]), at(values[3]), at(values[4])});
    const Value side = at(sense_.data());
    const Value margin = at(doubt_.data()) * solve::magnitude(b.fourth_difference);
    return (side * b.c[0] > margin) & (side * b.c[1] > margin) & (side * b.c[2] > margin) & (side * b.c[3] > margin) &
           (side * b.c[4] > margin);
  };
  const std::size_t count = kinds_.size();
  loud_.clear();
  std::size_t k = 0;
  for (; k + 1 < count; k += 2) {
    const solve::PairBits both = quiet(k, solve::Pair{});
    if ((both[0] & both[1]) != 0) continue;
    if (both[0] == 0) loud_.push_back(static_cast<std::uint32_t>(k));
    if (both[1] == 0) loud_.push_back(static_cast<std::uint32_t>(k + 1));
  }
  if (k < count && !quiet(k, 0.0)) loud_.push_back(static_cast<std::uint32_t>(k));
  if (!loud_.empty()) return false;
  std::copy_n(values[4], count, g_.begin());
  t_ = t;
  return true;
}

bool SurfaceWatch::is_resolved(const Quarters& values, bool doubt) {
  bool all = true;
  for (const std::uint32_t k : loud_) all = is_resolved(k, values, doubt) && all;
  return all;
}

std::size_t SurfaceWatch::swinging(const Quarters& values) {
  for (const std::uint32_t k : loud_) {
    int turns = 0;
    for (std::size_t j = 1; j < 4; ++j) {
      turns += (values[j][k] - values[j - 1][k]) * (values[j + 1][k] - values[j][k]) < 0;
    }
    const auto [low, high] = std::minmax({values[0][k], values[1][k], values[2][k], values[3][k], values[4][k]});
    if (turns >= 2 && low < 0 && high > 0 && !is_resolved(k, values, true)) return k;
  }
  return size();
}

// Descartes' rule for Bernstein's form: the changes of sign of the coefficients bound the zeros; none and one are
// exact.
bool SurfaceWatch::is_resolved(std::size_t k, const Quarters& values, bool doubt) {
  const Quartic<double> b = bernstein<double>({values[0][k], values[1][k], values[2][k], values[3][k], values[4][k]});
  if (std::isnan(b.fourth_difference))
    return std::all_of(values.begin(), values.end(), [k](const double* v) { return std::isnan(v[k]); });
  // Coefficients of what leaves zero slowly are roundings at first, those of the dense output too.
  const auto [low, high] = std::minmax({values[1][k], values[2][k], values[3][k], values[4][k]});
  const bool leaves = std::fabs(values[0][k]) <= least;
  const double idle = leaves ? 1e-11 * std::max(-low, high) : 0;
  if (signs_[k] ==
      0) {  // it rested: the first coefficient that is not zero says where it goes, or else the first value
    if (threshold_ > 0) return true;
    const auto first = std::find_if(b.c.begin(), b.c.end(), [idle](double c) { return std::fabs(c) > idle; });
    if (first == b.c.end()) return true;
    const auto seen = std::find_if(values.begin(), values.end(), [k](const double* v) { return v[k] != 0; });
    // A coefficient that no value confirms may be an error of the polynomial.
    const bool agrees = seen == values.end() || *first * (*seen)[k] > 0;
    const double margin = (agrees ? 1 : 16) * doubt_[k] * std::fabs(b.fourth_difference);
    const bool sure = std::fabs(*first) > margin;
    if (!sure && doubt) return false;
    take_side(k, sign_of(sure || seen == values.end() ? *first : (*seen)[k]));
  }
  int changes = 0, sign = 1;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < b.c.size(); ++j) {
    const double c = sense_[k] * b.c[j];
    if (c * sign < 0 && std::fabs(c) > idle) {
      sign = -sign;
      ++changes;
    }
    if (j > 0) nearest = std::min(nearest, std::fabs(c));
  }
  if (changes > 1 || (changes == 1 && b.c[4] == 0)) return false;
  // It leaves zero and is back before the first quarter: there is no point yet between which the crossing lies.
  if (changes == 1 && !keeps_side(k, values[0][k]) && sense_[k] * b.c[1] > 0 && !keeps_side(k, values[1][k]))
    return false;
  if (!doubt || doubt_[k] == 0) return true;
  const double margin = doubt_[k] * std::fabs(b.fourth_difference);
  return changes == 0 ? nearest > margin || b.fourth_difference == 0 : std::fabs(b.c[4]) > margin;
}

void SurfaceWatch::move_on(double t) {
  g_ = at_end_;
  for (const std::uint32_t k : loud_) {
    if (keeps_side(k, g_[k])) continue;
    const std::int8_t before = signs_[k];
    change_side(k, g_[k]);
    if (signs_[k] != before) turned_.push_back(k);
  }
  t_ = t;
}

void SurfaceWatch::go_back(double t, const double* g) {
  for (const std::uint32_t k : turned_) take_side(k, g[k] == 0 ? -signs_[k] : sign_of(g[k]));
  turned_.clear();
  std::copy_n(g, g_.size(), g_.begin());
  t_ = t;
}

// Together with others only those cross that are not quiet.
bool SurfaceWatch::is_near_zero(const Found& found, const Quarters& values, double width) {
  if (found.crossings.empty()) all_are_loud();
  const double near = 64 * coincidence_ / width;
  std::size_t next = 0;
  for (const std::uint32_t k : loud_) {
    if (next < found.crossings.size() && found.crossings[next].surface == k) {
      ++next;
      continue;
    }
    const double g = found.crossings.empty() ? values[4][k] : at_end_[k];
    double most = 0;  // twice this is more than the range: nearly always the end of it
    for (const double* v : values) most += std::fabs(v[k]);
    if (std::fabs(g) > 2 * near * most) continue;
    const auto [low, high] = std::minmax({values[0][k], values[1][k], values[2][k], values[3][k], values[4][k]});
    if (std::fabs(g) <= near * (high - low)) return true;
  }
  return false;
}

void SurfaceWatch::join(const SurfaceValues& exact, Found& found) {
  judged_.clear();
  passing_.clear();
  near_.clear();
  std::size_t next = 0;
  for (const std::uint32_t k : loud_) {
    if (next < found.crossings.size() && found.crossings[next].surface == k) {
      judged_.push_back(found.crossings[next++]);
    } else {
      join(k, at_end_[k], exact.rates == nullptr ? not_fired_ : exact.rates[3 * k], rounding(k, exact));
    }
  }
  std::swap(found.crossings, judged_);
}

// Adds a surface to those that cross at t if it goes through zero there.
void SurfaceWatch::join(std::size_t k, double g, double slope, double rounding) {
  if (signs_[k] == 0 || stillness_[k].limit >= 0) return;
  const bool moves = slope != 0 && std::fabs(g) <= std::fabs(slope) * coincidence_;
  if (moves && kinds_[k] != Kind::mode) near_.push_back(k);
  if (!(sense_[k] * slope < 0) || !(moves || std::fabs(g) <= rounding)) return;
  if (kinds_[k] == Kind::mode || is_wanted(k, -signs_[k])) {
    judged_.push_back({static_cast<std::uint32_t>(k), signs_[k] < 0 ? 1 : -1, g, g});
  } else {
    passing_.push_back(k);
  }
}

bool SurfaceWatch::arrives(double t, const Quarters& values, double width, const SurfaceValues& exact, Found& found) {
  judged_.clear();
  passing_.clear();
  near_.clear();
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const Quartic<double> b = bernstein<double>({values[0][k], values[1][k], values[2][k], values[3][k], values[4][k]});
    const bool known = exact.rates != nullptr && !std::isnan(exact.rates[3 * k]);
    join(k, values[4][k], known ? exact.rates[3 * k] : 4 * (b.c[4] - b.c[3]) / width, rounding(k, exact));
  }
  std::swap(found.crossings, judged_);
  if (found.crossings.empty()) note_near(t);
  if (found.crossings.empty()) return false;
  found.time = t;
  std::copy_n(values[4], at_end_.size(), at_end_.begin());
  return true;
}

void SurfaceWatch::settle(const Found& found) {
  turned_.clear();
  t_ = found.time;
  g_ = at_end_;
  for (const std::size_t k : passing_) {  // within roundings: the value may be on the other side still
    take_side(k, -signs_[k]);
    if (sense_[k] * g_[k] < 0) g_[k] = sense_[k] * least;
  }
  note_near(t_);
  std::size_t next = 0;
  for (const std::uint32_t k : loud_) {
    const bool fired = next < found.crossings.size() && found.crossings[next].surface == k;
    if (!fired) {
      if (keeps_side(k, g_[k]) || kinds_[k] == Kind::mode) continue;
      if (sense_[k] * g_[k] < 0 && keeps_side(k, before_[k])) at_zero_[k] = t_;  // else it went through it earlier
      change_side(k, g_[k]);
      continue;
    }
    const int direction = found.crossings[next++].direction;
    if (kinds_[k] == Kind::mode) continue;  // whoever changed it says what it is now
    note_fired(k, t_, direction, g_[k]);
    if (g_[k] * direction < 0) g_[k] = 0;
    const bool masked = threshold_ > 0 && !(std::fabs(g_[k]) > threshold_);
    set_sense(k, masked ? std::int8_t{0} : static_cast<std::int8_t>(direction));
  }
}

}  // namespace orrery::sim
