// SPDX-License-Identifier: Apache-2.0
// The referee in continuous time: series of all signals, sides of surfaces, modes, the next crossing.
#include "referee_run.h"

#include <algorithm>
#include <cmath>

namespace orrery::referee {

double Referee::product_term(const Series& a, const Series& b, int k) const {
  double sum = 0;
  for (int i = 0; i <= k; ++i) sum += a[index(i)] * b[index(k - i)];
  return sum;
}

// Term k of the series of a signal, where the terms of blocks further up, and the lower ones of all, are known.
double Referee::term(int b, int k) const {
  const Block& block = this->block(b);
  const auto u = [&](int i) { return series_[index(block.inputs[index(i)])][index(k)]; };
  const double only_first = k == 0 ? 1 : 0;
  const int mode = mode_[index(b)];
  if (!always_[index(b)]) return only_first * output_[index(b)];
  switch (block.kind) {
    case Kind::constant: return only_first * block.a;
    case Kind::time: return k == 0 ? t_ : k == 1 ? 1 : 0;
    case Kind::sine: {
      const double angle = block.b * t_ + block.c;
      const double wave[4] = {std::sin(angle), std::cos(angle), -std::sin(angle), -std::cos(angle)};
      return block.a * std::pow(block.b, k) * wave[k % 4] / std::tgamma(k + 1);
    }
    case Kind::step: return only_first * (has_stepped_[index(b)] ? block.c : block.b);
    case Kind::gain: return block.a * u(0);
    case Kind::sum: return block.a * u(0) + block.b * u(1);
    case Kind::product: return product_term(series_[index(block.inputs[0])], series_[index(block.inputs[1])], k);
    case Kind::bias: return u(0) + only_first * block.a;
    case Kind::abs: return mode * u(0);
    case Kind::max:
    case Kind::min: return u(mode);
    case Kind::saturation: return mode == 0 ? u(0) : only_first * (mode < 0 ? block.a : block.b);
    case Kind::deadzone: return mode == 0 ? 0 : u(0) - only_first * (mode < 0 ? block.a : block.b);
    case Kind::abs_loop: return u(0) / (1 + mode * block.a);
    case Kind::sat_loop: return mode == 0 ? u(0) / (1 + block.a) : u(0) - only_first * mode * block.a;
    case Kind::floor:
    case Kind::sign:
    case Kind::greater:
    case Kind::greater_equal: return only_first * mode;
    case Kind::switch2: {
      const int criterion = block.inputs[1];
      return (is_boolean(criterion) ? series_[index(criterion)][0] > 0.5 : mode == 1) ? u(0) : u(2);
    }
    case Kind::integral:
    case Kind::reset_integral:
      if (k == 0) return state_[index(b)];
      return mode != 0 ? 0 : series_[index(block.inputs[0])][index(k - 1)] / k;
    case Kind::slider:
      if (k == 0) return state_[index(b)];
      if (mode == slides) return u(1);
      return (series_[index(block.inputs[0])][index(k - 1)] - (k == 1 ? mode * block.a : 0)) / k;
    case Kind::automaton:
      if (k == 0) return state_[index(b)];
      if (mode == 0) return series_[index(block.inputs[0])][index(k - 1)] / k;
      return (series_[index(block.inputs[1])][index(k - 1)] - series_[index(b)][index(k - 1)]) / k;
    case Kind::fixed_delay: return series_[index(b)][index(k)];  // expand() has found it
    case Kind::hysteresis: return only_first * memory_[index(b)];
    case Kind::backlash: return mode == 0 ? only_first * memory_[index(b)] : u(0) - only_first * mode * block.a / 2;
    case Kind::rate_limiter: return mode == 0 ? u(0) : line_of(b, mode > 0 ? block.a : block.b)[index(k)];
    default: return only_first * output_[index(b)];
  }
}

Series Referee::line_of(int b, double slope) const {
  Series line{};
  line[0] = memory_[index(b)] + slope * (t_ - since_[index(b)]);
  line[1] = slope;
  return line;
}

// 7.8: what is remembered when an instant begins.
void Referee::remember_left() {
  expand();
  for (int b = 0; b < count_; ++b) {
    if (block(b).kind != Kind::backlash && block(b).kind != Kind::rate_limiter) continue;
    memory_[index(b)] = series_[index(b)][0];
    since_[index(b)] = t_;
  }
}

// A jump may push a backlash, while the motion from there leads back at once.
bool Referee::stand_where_driven_back() {
  bool any = false;
  for (int b = 0; b < count_; ++b) {
    const int mode = mode_[index(b)];
    if (block(b).kind != Kind::backlash || mode == 0) continue;
    const int way = side(derivative(series_[index(in(b, 0))]), true);
    if (way * mode >= 0 || memory_[index(b)] == series_[index(b)][0]) continue;
    memory_[index(b)] = series_[index(b)][0];
    any = true;
  }
  return any;
}

// 14.1, 14.2: the right side of a jump where the time that is looked at comes to one.
Series Referee::past_of(int b) const {
  const double then = t_ - block(b).a;
  Series series{};
  series[0] = block(b).b;
  for (const Stretch& stretch : past_[index(b)]) {
    if (stretch.begin > then + same_instant) break;
    series = about(stretch.series, then - stretch.begin);
  }
  return series;
}

double Referee::next_stretch(bool breaks) const {
  double next = infinity;
  for (int b = 0; b < count_; ++b) {
    if (block(b).kind != Kind::fixed_delay) continue;
    for (const Stretch& stretch : past_[index(b)]) {
      const double arrives = stretch.begin + block(b).a;
      if (arrives > t_ + same_instant && (stretch.breaks || !breaks)) next = std::min(next, arrives);
    }
  }
  return next;
}

void Referee::expand() {
  for (int b = 0; b < count_; ++b) {
    if (block(b).kind == Kind::fixed_delay) series_[index(b)] = past_of(b);
  }
  for (int k = 0; k <= order; ++k) {
    for (int b = 0; b < count_; ++b) {
      if (has_output(block(b).kind)) series_[index(b)][index(k)] = term(b, k);
    }
  }
  for (const Series& s : series_) {
    if (!(std::abs(s[0]) < 1e6)) doubt("runs away");
  }
}

Series Referee::surface(const Surface& s) const {
  const Block& block = this->block(s.block);
  const auto u = [&](int i) -> const Series& { return series_[index(block.inputs[index(i)])]; };
  switch (block.kind) {
    case Kind::max:
    case Kind::min:
    case Kind::greater:
    case Kind::greater_equal: return difference(u(0), u(1));
    case Kind::saturation:
    case Kind::deadzone: return shifted(u(0), s.number == 0 ? -block.a : -block.b);
    case Kind::sat_loop: return shifted(u(0), s.number == 0 ? 1 + block.a : -1 - block.a);
    case Kind::floor: return shifted(u(0), -(mode_[index(s.block)] + s.number));
    case Kind::switch2: return shifted(u(1), -block.a);
    case Kind::slider: {  // the gap; how the other sides of it would widen or close it
      if (s.number == 0) return difference(series_[index(s.block)], u(1));
      return shifted(difference(u(0), derivative(u(1))), s.number == 1 ? -block.a : block.a);
    }
    case Kind::automaton: {  // 8.12: of the modes that it is not in, negative
      if (s.number != mode_[index(s.block)]) return shifted({}, -1);
      if (s.number == 0) return shifted(series_[index(s.block)], -block.b);
      return shifted(difference({}, series_[index(s.block)]), block.c);
    }
    case Kind::hysteresis:  // 7.7: where it is on, only the lower limit counts, and else the upper one
      if ((memory_[index(s.block)] > 0.5) != (s.number == 1)) return shifted({}, -1);
      return s.number == 1 ? shifted(difference({}, u(0)), block.b) : shifted(u(0), -block.a);
    case Kind::backlash: {  // both limits, and the rate
      if (s.number == 2) return derivative(u(0));
      return shifted(u(0), (s.number == 0 ? -block.a / 2 : block.a / 2) - memory_[index(s.block)]);
    }
    case Kind::rate_limiter:
      if (s.number < 2) return difference(u(0), line_of(s.block, s.number == 0 ? block.a : block.b));
      return shifted(derivative(u(0)), s.number == 2 ? -block.a : -block.b);
    case Kind::integral:  // the distances from both limits, and the rate
      if (s.number == 2) return u(0);
      return shifted(series_[index(s.block)], s.number == 0 ? -block.b : -block.c);
    default: return u(0);
  }
}

// 8.1. What is neither clearly zero nor clearly not so is doubtful.
int Referee::side(const Series& s, bool certain) {
  static constexpr double zero[3] = {1e-11, 1e-9, 1e-8}, clear[3] = {1e-8, 1e-6, 1e-5};
  for (int k = 0; k < 3; ++k) {
    const double size = std::abs(s[index(k)]);
    if (size > zero[k]) {
      if (certain && size < clear[k]) doubt("a side decided by a small number");
      return s[index(k)] > 0 ? 1 : -1;
    }
  }
  for (int k = 3; k <= order; ++k) {
    if (certain && std::abs(s[index(k)]) > 1e-7) doubt("a contact of third order");
  }
  return 0;
}

// 8.11: the gap is zero, to within roundings, and both sides lead back to it; or one leads away.
int Referee::mode_of_slider(int b, int at_upper, int at_lower) const {
  const double gap = state_[index(b)] - series_[index(in(b, 1))][0];
  if (std::abs(gap) > 1e-11) return gap > 0 ? 1 : -1;
  return at_upper > 0 ? 1 : at_lower < 0 ? -1 : slides;
}

// Whether its zeros count in the modes of now.
bool Referee::is_on(const Surface& s) const {
  const int mode = mode_[index(s.block)];
  if (block(s.block).kind == Kind::integral) return (s.number == 2) == (mode != 0);
  if (block(s.block).kind == Kind::slider) return (s.number == 0) == (mode != slides);
  if (block(s.block).kind == Kind::backlash) return (s.number == 2) == (mode != 0);
  if (block(s.block).kind == Kind::rate_limiter) return s.number < 2 ? mode == (s.number == 0 ? 1 : -1) : mode == 0;
  return true;
}

// 7.2: the mode that follows from the sides of a block's surfaces.
int Referee::mode_from_sides(int b) const {
  int sides[4] = {0, 0, 0, 0};
  for (const Surface& s : surfaces_) {
    if (s.block == b) sides[s.number] = s.side;
  }
  switch (block(b).kind) {
    case Kind::abs:
    case Kind::abs_loop: return sides[0] >= 0 ? 1 : -1;
    case Kind::floor: return mode_[index(b)] + (sides[0] < 0 ? -1 : sides[1] >= 0 ? 1 : 0);
    case Kind::max: return sides[0] >= 0 ? 0 : 1;
    case Kind::min: return sides[0] <= 0 ? 0 : 1;
    case Kind::sign: return sides[0];
    case Kind::greater: return sides[0] > 0;
    case Kind::greater_equal:
    case Kind::switch2: return sides[0] >= 0;
    case Kind::saturation:
    case Kind::sat_loop:
    case Kind::deadzone: return sides[0] < 0 ? -1 : sides[1] > 0 ? 1 : 0;
    case Kind::backlash:
    case Kind::rate_limiter: return sides[0] > 0 ? 1 : sides[1] < 0 ? -1 : 0;
    case Kind::slider: return mode_of_slider(b, sides[1], sides[2]);
    case Kind::automaton: return mode_[index(b)];
    case Kind::integral: {
      // The state stays at a limit while the rate does not lead away from it.
      const double x = state_[index(b)];
      if (!limited(b)) return 0;
      if (x >= block(b).c - 1e-11) return sides[2] > 0 ? 1 : 0;
      if (x <= block(b).b + 1e-11) return sides[2] < 0 ? -1 : 0;
      return 0;
    }
    default: return 0;
  }
}

// 7.5: until nothing changes. False where that never happens.
bool Referee::relax_from_here() {
  for (int round = 0; round < 40; ++round) {
    expand();
    bool changed = false;
    for (Surface& s : surfaces_) {
      if (!s.event) s.side = side(surface(s), false);
    }
    for (int b = 0; b < count_; ++b) {
      const int mode = mode_from_sides(b);
      changed = changed || mode != mode_[index(b)];
      mode_[index(b)] = mode;
    }
    if (!changed) return true;
  }
  return false;
}

void Referee::relax() {
  if (!relax_from_here()) doubt("no consistent modes");
  const std::vector<int> found = mode_;
  bool open = false;
  for (const Surface& s : surfaces_) {
    if (s.event || ((block(s.block).kind == Kind::slider || remembers(s.block)) && !is_on(s))) continue;
    const Series value = surface(s);
    side(value, true);
    const auto& inputs = block(s.block).inputs;
    const bool dirty = std::any_of(inputs.begin(), inputs.end(), [&](int i) { return dirty_[index(i)]; });
    if (dirty && is_rounded(value)) doubt("roundings say at which side it is");
    open = open || std::abs(value[0]) <= 1e-11;
  }
  // Where conditions are at their corner, other modes to begin with must not lead elsewhere.
  for (int other = -1; open && other <= 1; ++other) {
    for (const Surface& s : surfaces_) {
      const Kind kind = block(s.block).kind;
      if (s.event || kind == Kind::integral || kind == Kind::slider || std::abs(surface(s)[0]) > 1e-11) continue;
      const bool choice = kind == Kind::max || kind == Kind::min || kind == Kind::greater ||
                          kind == Kind::greater_equal || kind == Kind::switch2;
      const bool two = kind == Kind::abs || kind == Kind::abs_loop;
      mode_[index(s.block)] = choice                ? std::max(other, 0)
                              : two && other == 0   ? 1
                              : kind == Kind::floor ? found[index(s.block)] + other
                                                    : other;
    }
    if (!relax_from_here() || mode_ != found) doubt("several consistent modes");
    mode_ = found;
    relax_from_here();
  }
}

// The first instant within the window at which a side changes. Two signals that have nothing in common but cross
// together, as sine and cosine of a double angle, do so up to errors of integration only.
std::optional<double> Referee::first_crossing(double h) {
  std::optional<double> first;
  int first_block = -1;
  for (const Surface& s : surfaces_) {
    if (s.side == 0 || !is_on(s)) continue;
    const Crossing crossing = referee::first_crossing(surface(s), s.side, h);
    const auto& inputs = block(s.block).inputs;
    const bool dirty = std::any_of(inputs.begin(), inputs.end(), [&](int i) { return dirty_[index(i)]; });
    if (crossing.touches && dirty) doubt("nearly touches zero");
    if (crossing.grazes && (!crossing.at || *crossing.at > 0)) doubt("nearly touches zero");
    if (!crossing.at) continue;
    if (first && std::abs(*first - *crossing.at) < other_instant) {
      const auto &a = roots_[index(first_block)], &b = roots_[index(s.block)];
      bool common = false, any = false;
      for (std::size_t k = 0; k < a.size(); ++k) {
        common = common || (a[k] && b[k]);
        any = any || ((a[k] || b[k]) && block(static_cast<int>(k)).kind == Kind::sine);
      }
      if (!common && (any || std::abs(*first - *crossing.at) > same_instant)) doubt("two instants close together");
    }
    if (first && *first <= *crossing.at) continue;
    first = crossing.at;
    first_block = s.block;
  }
  return first;
}

void Referee::advance(double h) {
  std::vector<double> next = state_;
  for (int b = 0; b < count_; ++b) {
    if (block(b).kind == Kind::fixed_delay) past_[index(b)].push_back({t_, new_stretch_, series_[index(in(b, 0))]});
    if (!is_state(block(b).kind)) continue;
    next[index(b)] = at(series_[index(b)], h);
    if (!limited(b)) continue;
    if (std::abs(next[index(b)] - block(b).b) < 1e-11) next[index(b)] = block(b).b;
    if (std::abs(next[index(b)] - block(b).c) < 1e-11) next[index(b)] = block(b).c;
  }
  state_ = next;
  new_stretch_ = false;
  t_ += h;
}

}  // namespace orrery::referee
