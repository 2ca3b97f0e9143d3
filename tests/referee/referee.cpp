// SPDX-License-Identifier: Apache-2.0
// The referee. Numbers in comments are sections of docs/semantics.md. Signals are power series between instants.
#include "referee.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "series.h"

namespace orrery::referee {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double same_instant = 1e-12;   // times nearer than this are one instant
constexpr double other_instant = 1e-8;   // times farther apart than this are two
constexpr double longest_window = 0.0625;
constexpr int events_at_most = 300;  // beyond, errors have grown too much to compare times

struct Surface {
  int block = 0;
  int number = 0;      // of the block's surfaces
  bool event = false;  // fires its block; else it belongs to a mode
  int side = 0;        // after the last instant
  bool masked = false;  // has crossed in this instant and was at zero when last looked at
  bool jumped = false;  // has changed its side in this instant with the modes, not through zero
};

struct Pending {
  double time = infinity;
  long turn = 0;
};

class Referee {
 public:
  explicit Referee(const Diagram& diagram);
  Outcome run();

 private:
  const Block& block(int b) const { return diagram_.blocks[index(b)]; }
  static std::size_t index(int b) { return static_cast<std::size_t>(b); }
  int in(int b, int i) const { return block(b).inputs[index(i)]; }
  void doubt(const std::string& why) {
    if (outcome_.doubt.empty()) outcome_.doubt = why;
  }
  void classify();
  void find_roots();
  void find_surfaces();
  bool limited(int b) const { return block(b).kind == Kind::integral && block(b).b < block(b).c; }
  bool is_boolean(int b) const { return block(b).kind == Kind::greater || block(b).kind == Kind::greater_equal; }

  // continuous time
  void expand();
  double term(int b, int k) const;
  double product_term(const Series& a, const Series& b, int k) const;
  Series surface(const Surface& s) const;
  int side(const Series& s, bool certain);
  int mode_from_sides(int b) const;
  bool relax_from_here();
  void relax();
  std::optional<double> first_crossing(double h);
  void advance(double h);

  // events
  double as_it_stands(int b);
  bool is_true(int b, double u, int from);
  double discrete_output(int b);
  void run_table(const std::vector<int>& fired);
  void update_and_program(const std::vector<int>& fired);
  bool judge_surfaces();
  bool fires(const Surface& s, int after) const;
  double next_tick() const;
  double tick_of(int b, long k) const { return block(b).b + static_cast<double>(k) * block(b).a; }
  double next_time();
  void run_due();
  void run_tick();
  void run_programmed(int b);
  void instant(double time);
  void start();

  const Diagram& diagram_;
  int count_;
  Outcome outcome_;
  double t_ = 0;
  long turns_ = 0;
  std::optional<long> tick_turn_;
  bool first_judgement_ = false;  // of an instant: before its events
  std::vector<bool> always_, dirty_;    // active in continuous time; not exact to the last bit
  std::vector<std::vector<bool>> roots_;  // which states and sines each block depends on
  std::vector<double> state_, memory_;  // of integrals; of delays, counters and triggers
  std::vector<double> output_;          // as last computed by an event
  std::vector<bool> uncertain_;         // such an output hangs on a condition that is nearly contradicted
  std::vector<bool> active_, has_stepped_, has_seen_;
  std::vector<std::array<bool, 3>> emits_;
  std::vector<int> mode_;
  std::vector<long> ticks_;  // so far
  std::vector<Pending> pending_;
  std::vector<Series> series_;
  std::vector<Surface> surfaces_;
};

Referee::Referee(const Diagram& diagram) : diagram_(diagram), count_(static_cast<int>(diagram.blocks.size())) {
  const auto n = diagram.blocks.size();
  always_.assign(n, false);
  dirty_.assign(n, false);
  state_.assign(n, 0);
  memory_.assign(n, 0);
  output_.assign(n, 0);
  uncertain_.assign(n, false);
  active_.assign(n, false);
  has_stepped_.assign(n, false);
  has_seen_.assign(n, false);
  emits_.assign(n, {});
  mode_.assign(n, 0);
  ticks_.assign(n, 0);
  pending_.assign(n, {});
  series_.assign(n, {});
  classify();
  find_roots();
  find_surfaces();
}

void Referee::find_roots() {
  roots_.assign(index(count_), std::vector<bool>(index(count_), false));
  for (int round = 0; round < count_; ++round) {
    for (int b = 0; b < count_; ++b) {
      const Kind kind = block(b).kind;
      if (kind == Kind::sine || kind == Kind::integral || kind == Kind::reset_integral) roots_[index(b)][index(b)] = true;
      for (const int i : block(b).inputs) {
        for (std::size_t k = 0; k < roots_.size(); ++k) roots_[index(b)][k] = roots_[index(b)][k] || roots_[index(i)][k];
      }
    }
  }
}

// 2.1 to 2.3: what is always active. Dirty is what hangs on integration, on sines, or on located instants.
void Referee::classify() {
  for (int round = 0; round < count_; ++round) {
    for (int b = 0; b < count_; ++b) {
      const Kind kind = block(b).kind;
      bool activated = false, driven = false, all_constant = !block(b).inputs.empty();
      bool dirty = kind == Kind::sine || kind == Kind::integral || kind == Kind::reset_integral || kind == Kind::zero_cross;
      for (const Activation& link : diagram_.activations) {
        if (link.to != b) continue;
        activated = true;
        dirty = dirty || dirty_[index(link.from)];
      }
      for (const int i : block(b).inputs) {
        driven = driven || always_[index(i)];
        all_constant = all_constant && block(i).kind == Kind::constant;
        dirty = dirty || dirty_[index(i)];
      }
      const bool source = kind == Kind::constant || kind == Kind::time || kind == Kind::sine || kind == Kind::step;
      const bool integrates = kind == Kind::integral || kind == Kind::reset_integral;
      always_[index(b)] = source || integrates || kind == Kind::zero_cross || (!activated && driven) || all_constant;
      if (kind == Kind::edge_trigger && always_[index(b)]) dirty = true;
      dirty_[index(b)] = dirty;
    }
  }
}

void Referee::find_surfaces() {
  for (int b = 0; b < count_; ++b) {
    if (!always_[index(b)]) continue;
    int number = 0;
    bool event = false;
    switch (block(b).kind) {
      case Kind::abs:
      case Kind::max:
      case Kind::min:
      case Kind::sign:
      case Kind::greater:
      case Kind::greater_equal: number = 1; break;
      case Kind::saturation:
      case Kind::deadzone: number = 2; break;
      case Kind::switch2: number = is_boolean(in(b, 1)) ? 0 : 1; break;
      case Kind::integral: number = limited(b) ? 3 : 0; break;
      case Kind::zero_cross:
      case Kind::edge_trigger:
        number = 1;
        event = true;
        break;
      default: break;
    }
    for (int i = 0; i < number; ++i) surfaces_.push_back({b, i, event});
  }
}

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
    default: return only_first * output_[index(b)];
  }
}

void Referee::expand() {
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
    case Kind::switch2: return shifted(u(1), -block.a);
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

// 7.2: the mode that follows from the sides of a block's surfaces.
int Referee::mode_from_sides(int b) const {
  int sides[3] = {0, 0, 0};
  for (const Surface& s : surfaces_) {
    if (s.block == b) sides[s.number] = s.side;
  }
  switch (block(b).kind) {
    case Kind::abs: return sides[0] >= 0 ? 1 : -1;
    case Kind::max: return sides[0] >= 0 ? 0 : 1;
    case Kind::min: return sides[0] <= 0 ? 0 : 1;
    case Kind::sign: return sides[0];
    case Kind::greater: return sides[0] > 0;
    case Kind::greater_equal:
    case Kind::switch2: return sides[0] >= 0;
    case Kind::saturation:
    case Kind::deadzone: return sides[0] < 0 ? -1 : sides[1] > 0 ? 1 : 0;
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
    if (s.event) continue;
    const Series value = surface(s);
    side(value, true);
    open = open || std::abs(value[0]) <= 1e-11;
  }
  // Where conditions are at their corner, other modes to begin with must not lead elsewhere.
  for (int other = -1; open && other <= 1; ++other) {
    for (const Surface& s : surfaces_) {
      const Kind kind = block(s.block).kind;
      if (s.event || kind == Kind::integral || std::abs(surface(s)[0]) > 1e-11) continue;
      const bool choice = kind == Kind::max || kind == Kind::min || kind == Kind::greater || kind == Kind::greater_equal ||
                          kind == Kind::switch2;
      mode_[index(s.block)] = choice ? std::max(other, 0) : kind == Kind::abs && other == 0 ? 1 : other;
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
    if (s.side == 0) continue;
    if (block(s.block).kind == Kind::integral && (s.number == 2) == (mode_[index(s.block)] == 0)) continue;
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
    if (!limited(b) && block(b).kind != Kind::integral && block(b).kind != Kind::reset_integral) continue;
    next[index(b)] = at(series_[index(b)], h);
    if (!limited(b)) continue;
    if (std::abs(next[index(b)] - block(b).b) < 1e-11) next[index(b)] = block(b).b;
    if (std::abs(next[index(b)] - block(b).c) < 1e-11) next[index(b)] = block(b).c;
  }
  state_ = next;
  t_ += h;
}

bool Referee::is_true(int b, double u, int from) {
  if (std::abs(u) < 1e-9 && (u != 0 || dirty_[index(from)])) uncertain_[index(b)] = true;
  return u > 0;
}

// 4.6: an output in an event, where conditions are evaluated as they stand.
double Referee::as_it_stands(int b) {
  const Block& block = this->block(b);
  uncertain_[index(b)] = false;
  for (const int i : block.inputs) {
    const bool feeds = block.kind != Kind::integral && block.kind != Kind::reset_integral &&
                       block.kind != Kind::discrete_delay;
    if (feeds && uncertain_[index(i)]) uncertain_[index(b)] = true;
  }
  const auto u = [&](int i) { return output_[index(block.inputs[index(i)])]; };
  switch (block.kind) {
    case Kind::abs: return std::abs(u(0));
    case Kind::max: return std::max(u(0), u(1));
    case Kind::min: return std::min(u(0), u(1));
    case Kind::saturation: return std::clamp(u(0), block.a, block.b);
    case Kind::deadzone: return u(0) < block.a ? u(0) - block.a : u(0) > block.b ? u(0) - block.b : 0;
    case Kind::sign: return is_true(b, u(0), in(b, 0)) ? 1 : u(0) < 0 ? -1 : 0;
    case Kind::greater: {
      const int dirty = dirty_[index(in(b, 0))] ? in(b, 0) : in(b, 1);
      return is_true(b, u(0) - u(1), dirty) ? 1 : 0;
    }
    case Kind::greater_equal: {
      const int dirty = dirty_[index(in(b, 0))] ? in(b, 0) : in(b, 1);
      return is_true(b, u(1) - u(0), dirty) ? 0 : 1;
    }
    case Kind::switch2:
      if (is_boolean(in(b, 1))) return u(1) > 0.5 ? u(0) : u(2);
      return is_true(b, block.a - u(1), in(b, 1)) ? u(2) : u(0);
    case Kind::product: return u(0) * u(1);
    case Kind::gain: return block.a * u(0);
    case Kind::bias: return u(0) + block.a;
    case Kind::sum: return block.a * u(0) + block.b * u(1);
    case Kind::time: return t_;
    case Kind::sine: return block.a * std::sin(block.b * t_ + block.c);
    case Kind::constant: return block.a;
    case Kind::step: return has_stepped_[index(b)] ? block.c : block.b;
    case Kind::integral:
    case Kind::reset_integral: return state_[index(b)];
    case Kind::sample_hold: return u(0);
    case Kind::discrete_delay:
    case Kind::counter: return memory_[index(b)];
    default: return 0;
  }
}

// 4.1, 4.2: the outputs of one event, guards included. Blocks that are always active are read fresh (4.5).
void Referee::run_table(const std::vector<int>& fired) {
  for (int b = 0; b < count_; ++b) {
    active_[index(b)] = false;
    emits_[index(b)] = {};
  }
  for (const int b : fired) emits_[index(b)][1] = true;
  for (int b = 0; b < count_; ++b) {
    const Kind kind = block(b).kind;
    bool linked = false, on = false;
    for (const Activation& link : diagram_.activations) {
      if (link.to != b) continue;
      linked = true;
      on = on || emits_[index(link.from)][index(link.port)];
    }
    if (!linked && !always_[index(b)]) {
      for (const int i : block(b).inputs) on = on || active_[index(i)];
    }
    active_[index(b)] = on;
    if (always_[index(b)] || on) {
      if (has_output(kind)) output_[index(b)] = as_it_stands(b);
    }
    if (!on) continue;
    if (!always_[index(b)] && has_output(kind) && uncertain_[index(b)]) doubt("a condition as it stands, nearly contradicted");
    if (kind == Kind::event_union) emits_[index(b)][1] = true;
    if (kind == Kind::if_then_else || (kind == Kind::edge_trigger && !always_[index(b)])) {
      const int from = in(b, 0);
      uncertain_[index(b)] = uncertain_[index(from)];
      const bool now = is_true(b, output_[index(from)], from);
      if (uncertain_[index(b)]) doubt("a condition as it stands, nearly contradicted");
      if (kind == Kind::if_then_else) {
        emits_[index(b)][now ? 1 : 2] = true;
      } else {
        const bool before = memory_[index(b)] > 0;
        const bool edge = has_seen_[index(b)] && now != before;
        emits_[index(b)][1] = edge && (block(b).a == 0 || (block(b).a > 0) == now);
        has_seen_[index(b)] = true;
        memory_[index(b)] = now ? 1 : 0;
      }
    }
  }
  update_and_program(fired);
  if (outcome_.events.size() > events_at_most) doubt("too many events");
}

// 4.3: updates all read the values before the phase. 4.4, 5.5: each output has one pending event.
void Referee::update_and_program(const std::vector<int>& fired) {
  for (int b = 0; b < count_; ++b) {
    if (!active_[index(b)]) continue;
    if (block(b).kind == Kind::discrete_delay) memory_[index(b)] = output_[index(in(b, 0))];
    if (block(b).kind == Kind::counter) memory_[index(b)] += 1;
    if (block(b).kind == Kind::reset_integral) {
      if (uncertain_[index(in(b, 1))]) doubt("a condition as it stands, nearly contradicted");
      state_[index(b)] = output_[index(in(b, 1))];
    }
    if (block(b).kind == Kind::discrete_delay && uncertain_[index(in(b, 0))])
      doubt("a condition as it stands, nearly contradicted");
    if (block(b).kind == Kind::event_delay) pending_[index(b)] = {t_ + block(b).a, turns_++};
  }
  for (const int b : fired) {
    if (block(b).kind == Kind::step) has_stepped_[index(b)] = true;
    if (block(b).kind == Kind::event_clock) pending_[index(b)] = {tick_of(b, ++ticks_[index(b)]), turns_++};
    if (block(b).kind == Kind::event_generate && block(b).b > block(b).a && ticks_[index(b)]++ == 0)
      pending_[index(b)] = {block(b).b, turns_++};
  }
}

// 8.2
bool Referee::fires(const Surface& s, int after) const {
  const double direction = block(s.block).a;
  if (block(s.block).kind == Kind::zero_cross)
    return (direction >= 0 && s.side < 0 && after >= 0) || (direction <= 0 && s.side > 0 && after <= 0);
  return (direction >= 0 && s.side <= 0 && after > 0) || (direction <= 0 && s.side > 0 && after <= 0);
}

// 8.7 to 8.9: what the owners emit goes behind the events already due. A surface that has crossed in this instant and
// was at zero then is masked (8.2): where the events of the instant lead it from there is no crossing for ZeroCross.
bool Referee::judge_surfaces() {
  relax();
  bool any = false;
  for (Surface& s : surfaces_) {
    if (!s.event) continue;
    const Series value = surface(s);
    const int after = side(value, true);
    if (s.jumped && after != s.side) doubt("a jump there and back in one instant");
    if (!s.masked && fires(s, after)) {
      outcome_.events.push_back({t_, What::crossing, s.block});
      pending_[index(s.block)] = {t_, turns_++};
      any = true;
    }
    s.masked = block(s.block).kind == Kind::zero_cross && after != s.side && std::abs(value[0]) <= 1e-11;
    s.jumped = after != s.side && first_judgement_ && std::abs(value[0]) > 1e-11;
    s.side = after;
  }
  first_judgement_ = false;
  return any;
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
  if (next_tick() > next + same_instant && next_tick() < next + other_instant) doubt("two instants close together");
  return next;
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
  while (outcome_.doubt.empty()) {
    int first = -1;
    for (int b = 0; b < count_; ++b) {
      if (pending_[index(b)].time > t_ + same_instant) continue;
      if (first < 0 || pending_[index(b)].turn < pending_[index(first)].turn) first = b;
    }
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
    state_[index(b)] = limited(b) ? std::clamp(block.a, block.b, block.c) : block.a;
    if (block.kind == Kind::discrete_delay) memory_[index(b)] = block.a;
    if (always_[index(b)] && has_output(block.kind)) output_[index(b)] = as_it_stands(b);
    if (block.kind == Kind::event_clock) pending_[index(b)] = {block.b, turns_++};
    if (block.kind == Kind::step || block.kind == Kind::event_generate) pending_[index(b)] = {block.a, turns_++};
  }
  run_due();
  relax();
  for (Surface& s : surfaces_) s.side = side(surface(s), true);
}

Outcome Referee::run() {
  start();
  long instants = 0;
  double last_instant = 0;
  while (outcome_.doubt.empty() && t_ < diagram_.stop) {
    const double next = std::min(next_time(), diagram_.stop);
    expand();
    double h = std::min(next - t_, longest_window);
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

}  // namespace

Outcome judge(const Diagram& diagram) { return Referee(diagram).run(); }

}  // namespace orrery::referee
