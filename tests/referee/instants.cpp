// SPDX-License-Identifier: Apache-2.0
// The instants of the referee: which events run and in which order, which surfaces fire.
#include "referee_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::referee {

// 8.2
bool Referee::fires(const Surface& s, int after) const {
  const double direction = block(s.block).a;
  if (block(s.block).kind == Kind::zero_cross)
    return (direction >= 0 && s.side < 0 && after >= 0) || (direction <= 0 && s.side > 0 && after <= 0);
  return (direction >= 0 && s.side <= 0 && after > 0) || (direction <= 0 && s.side > 0 && after <= 0);
}

// 8.12
void Referee::jump(int b) {
  if (++jumps_ > 20) doubt("jumps without end");
  int& mode = mode_[index(b)];
  mode = 1 - mode;
  if (mode == 1) state_[index(b)] *= block(b).a;
}

// 8.7 to 8.9: what the owners emit goes behind the events already due. A surface that has crossed in this instant and
// was at zero then is masked (8.2): where the events of the instant lead it from there is no crossing.
bool Referee::judge_surfaces() {
  relax();
  for (int round = 0; stand_where_driven_back(); ++round) {
    if (round > 20) doubt("jumps without end");
    relax();
  }
  bool any = false;
  std::vector<int> jumping, switching;
  for (Surface& s : surfaces_) {
    if (!s.event) continue;
    const Series value = surface(s);
    const int after = side(value, true);
    const bool at_zero = std::abs(value[0]) <= 1e-11;
    if (is_rounded(value) && dirty_[index(in(s.block, 0))]) doubt("roundings say at which side it is");
    if (block(s.block).kind == Kind::automaton) {
      if (at_zero && jumps_ > 0) doubt("an automaton that enters a mode at its threshold");
      if (after > 0) {
        outcome_.events.push_back({t_, What::crossing, s.block});
        pending_[index(s.block)] = {t_, turns_++};
        jumping.push_back(s.block);
        any = true;
      }
      s.side = after;
      continue;
    }
    if (block(s.block).kind == Kind::hysteresis) {
      if (after > 0) switching.push_back(s.block);
      s.side = after;
      continue;
    }
    if (s.jumped && after != s.side) doubt("a jump there and back in one instant");
    if (!s.masked && fires(s, after)) {
      outcome_.events.push_back({t_, What::crossing, s.block});
      pending_[index(s.block)] = {t_, turns_++};
      any = true;
    }
    const bool back = s.masked && after * s.side < 0;
    s.masked = at_zero && !back && (s.masked || after != s.side);
    s.jumped = after != s.side && first_judgement_ && !at_zero;
    s.side = after;
  }
  for (const int b : jumping) jump(b);
  for (const int b : switching) {
    if (++jumps_ > 20) doubt("jumps without end");
    memory_[index(b)] = 1 - memory_[index(b)];
    any = true;
  }
  first_judgement_ = false;
  return any;
}

// 8.2: what is turned back by an event may cross again by another one of the instant.
void Referee::look_between_events() {
  if (std::none_of(surfaces_.begin(), surfaces_.end(), [](const Surface& s) { return s.masked; })) return;
  const std::vector<Surface> before = surfaces_;
  const std::vector<int> modes = mode_;
  relax();
  std::vector<int> sides;
  for (const Surface& s : surfaces_) sides.push_back(s.event ? side(surface(s), true) : 0);
  surfaces_ = before;
  mode_ = modes;
  expand();
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    Surface& s = surfaces_[k];
    if (!s.event || !s.masked || sides[k] == 0) continue;
    s.masked = sides[k] == s.side;
    s.side = sides[k];
  }
}

double Referee::next_tick() const {
  double next = infinity;
  for (int b = 0; b < count_; ++b) {
    if (block(b).kind == Kind::sample_clock) next = std::min(next, tick_of(b, ticks_[index(b)]));
  }
  return next;
}

double Referee::next_time() {
  double next = next_tick();
  for (const Pending& p : pending_) next = std::min(next, p.time);
  for (const Pending& p : pending_) {
    if (p.time > next + same_instant && p.time < next + other_instant) doubt("two instants close together");
  }
  const double past = next_stretch(true);
  for (const double other : {next_tick(), past}) {
    if (other > next + same_instant && other < next + other_instant) doubt("two instants close together");
  }
  if (past < next - same_instant && past > next - other_instant) doubt("two instants close together");
  return past < next - same_instant ? past : next;
}

// 3.1: the clocks that tick in one instant make one event.
void Referee::run_tick() {
  std::vector<int> fired;
  outcome_.events.push_back({t_, What::tick, -1});
  for (int b = 0; b < count_; ++b) {
    if (block(b).kind != Kind::sample_clock || tick_of(b, ticks_[index(b)]) > t_ + same_instant) continue;
    fired.push_back(b);
    ++ticks_[index(b)];
  }
  run_table(fired);
  if (std::find(fired.begin(), fired.end(), diagram_.probe_clock) == fired.end()) return;
  Sample sample{t_, {}};
  for (const int b : diagram_.probes) sample.values.push_back(output_[index(b)]);
  outcome_.samples.push_back(std::move(sample));
}

void Referee::run_programmed(int b) {
  pending_[index(b)] = {};
  outcome_.events.push_back({t_, What::programmed, b});
  run_table({b});
}

// 5.1, 5.2, 5.4: in the order of programming; the tick has taken its turn when the instant began.
void Referee::run_due() {
  bool some = false;
  while (outcome_.doubt.empty()) {
    int first = -1;
    for (int b = 0; b < count_; ++b) {
      if (pending_[index(b)].time > t_ + same_instant) continue;
      if (first < 0 || pending_[index(b)].turn < pending_[index(first)].turn) first = b;
    }
    if (some && (tick_turn_ || first >= 0)) look_between_events();
    some = true;
    if (tick_turn_ && (first < 0 || *tick_turn_ < pending_[index(first)].turn)) {
      tick_turn_.reset();
      run_tick();
    } else if (first >= 0) {
      run_programmed(first);
    } else {
      return;
    }
  }
}

void Referee::instant(double time) {
  t_ = time;
  remember_left();
  new_stretch_ = true;
  jumps_ = 0;
  for (Surface& s : surfaces_) s.masked = s.jumped = false;
  first_judgement_ = true;
  if (next_tick() <= t_ + same_instant) tick_turn_ = turns_++;
  judge_surfaces();
  do run_due();
  while (judge_surfaces() && outcome_.doubt.empty());
}

// 10.1 and 5.2: the ticks of the start come before what the initial table programs. There is no way to the start, so no
// surface has a side before it.
void Referee::start() {
  if (next_tick() <= 0) tick_turn_ = turns_++;
  for (int b = 0; b < count_; ++b) {
    const Block& block = this->block(b);
    state_[index(b)] = limited(b)                      ? std::clamp(block.a, block.b, block.c)
                       : block.kind == Kind::slider    ? block.b
                       : block.kind == Kind::automaton ? 0
                                                       : block.a;
    if (block.kind == Kind::discrete_delay) memory_[index(b)] = block.a;
    if (block.kind == Kind::backlash) memory_[index(b)] = block.b;
    if (block.kind == Kind::rate_limiter) memory_[index(b)] = output_[index(block.inputs[0])];
    if (always_[index(b)] && has_output(block.kind)) output_[index(b)] = as_it_stands(b);
    if (remembers(b)) memory_[index(b)] = output_[index(b)];
    if (block.kind == Kind::event_clock) pending_[index(b)] = {block.b, turns_++};
    if (block.kind == Kind::step || block.kind == Kind::event_generate) pending_[index(b)] = {block.a, turns_++};
  }
  has_begun_ = true;
  run_due();
  relax();
  while (outcome_.doubt.empty() && stand_where_driven_back()) relax();
  for (Surface& s : surfaces_) s.side = side(surface(s), true);
  // Automata and memories that may not stay where they begin.
  const auto is_due = [this](const Surface& s) {
    const Kind kind = block(s.block).kind;
    return (kind == Kind::automaton || kind == Kind::hysteresis) && s.side > 0;
  };
  while (outcome_.doubt.empty() && std::any_of(surfaces_.begin(), surfaces_.end(), is_due)) {
    judge_surfaces();
    run_due();
    relax();
    for (Surface& s : surfaces_) s.side = side(surface(s), true);
  }
}

Outcome Referee::run() {
  start();
  long instants = 0;
  double last_instant = 0;
  while (outcome_.doubt.empty() && t_ < diagram_.stop) {
    const double next = std::min(next_time(), diagram_.stop);
    expand();
    double h = std::min({next - t_, next_stretch(false) - t_, longest_window});
    const auto untrusted = [&](const Series& s) { return tail(s, h) > 1e-17; };
    while (h > 1e-4 && std::any_of(series_.begin(), series_.end(), untrusted)) h /= 2;
    const bool ends_at_event = h == next - t_;
    const auto crossing = first_crossing(ends_at_event ? h + other_instant : h);
    if (!crossing || *crossing > h + same_instant) {
      if (crossing && next < diagram_.stop) doubt("two instants close together");
      advance(h);
      if (ends_at_event) t_ = next;
      if (ends_at_event && next < diagram_.stop) instant(next);
    } else if (ends_at_event && *crossing > h - same_instant) {
      advance(h);
      if (next < diagram_.stop) instant(next);
    } else {
      if (ends_at_event && *crossing > h - other_instant) doubt("two instants close together");
      advance(*crossing);
      if (t_ - last_instant < 1e-4 && ++instants > 100) doubt("instants accumulate");
      if (t_ - last_instant >= 1e-4) instants = 0;
      last_instant = t_;
      instant(t_);
    }
  }
  if (diagram_.stop < 1e-3) doubt("too short");
  return std::move(outcome_);
}

Outcome judge(const Diagram& diagram) { return Referee(diagram).run(); }

}  // namespace orrery::referee
