// SPDX-License-Identifier: Apache-2.0
// Random small hybrid diagrams: sources, states, clocks and formulas, then detectors, held signals and probes.
#include "random_hybrid.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::referee {
namespace {

struct Source {
  int block = 0;
  int port = 1;
  bool synchronous = false;  // passes on what reaches it; must stand above what it activates
};

struct Signal {
  int block = 0;
  bool always = true;  // else only events change it
  bool pure = true;    // no event changes it
  bool boolean = false;
};

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomChoices& choices) : choices_(choices), state_(seed * 2 + 1) {
    for (int k = 0; k < 8; ++k) below(2);
    coincident_ = choices.coincidences && !chance(35);
  }
  Diagram make();

 private:
  int below(int count) {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<int>((z ^ (z >> 31)) % static_cast<std::uint64_t>(count));
  }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(below(static_cast<int>(items.size())))];
  }
  double generic(double from, double to) { return from + (to - from) * (1 + below(9998)) / 1e4; }
  double number() {
    static const std::vector<double> small = {0, 0.5, 1, 2, -1, -0.5, 1.5};
    return coincident_ ? one_of(small) : std::round(generic(-2, 2) * 1e4) / 1e4;
  }
  double factor() {
    const double k = number();
    return k == 0 ? -1 : k;
  }
  double instant() {
    static const std::vector<double> small = {0.5, 1, 1, 1.5, 2, 2.5};
    return coincident_ ? one_of(small) : std::round(generic(0.1, 3.5) * 1e4) / 1e4;
  }
  double period() {
    static const std::vector<double> small = {0.25, 0.5, 0.5, 1, 1.5};
    return coincident_ ? one_of(small) : std::round(generic(0.2, 1.5) * 1e3) / 1e3;
  }

  Signal any(bool (*suits)(const Signal&));
  int continuous() {
    return any([](const Signal& s) { return s.always && !s.boolean; }).block;
  }
  Source asynchronous();
  bool jumps(int block) const {
    const Kind kind = diagram_.blocks[static_cast<std::size_t>(block)].kind;
    return kind == Kind::sign || kind == Kind::switch2 || kind == Kind::floor;
  }
  // Of delays and loops there is no formula for it, and what slides has that of the motion along its surface.
  bool has_rate(int block) const {
    const Block& what = diagram_.blocks[static_cast<std::size_t>(block)];
    const Kind kind = what.kind;
    if (kind == Kind::fixed_delay || kind == Kind::abs_loop || kind == Kind::sat_loop || kind == Kind::slider)
      return false;
    return is_state(kind) || std::ranges::all_of(what.inputs, [&](int i) { return has_rate(i); });
  }
  void keep(int block, const Signal& like) { signals_.push_back({block, like.always, like.pure, false}); }
  void add_sources();
  void add_states();
  void add_ball();
  void add_oscillator();
  void add_slider();
  void add_automaton();
  void add_memory();
  void add_memories();
  int add_delay(const Signal& u);
  void add_events();
  void add_formula();
  void add_detector();
  void add_held();
  void close_states();
  void count_events();
  void add_probes();

  RandomChoices choices_;
  std::uint64_t state_;
  bool coincident_ = true;
  Diagram diagram_;
  std::vector<Signal> signals_;
  std::vector<Source> sources_;
  std::vector<int> open_;  // states that wait for their inputs
  int constant_ = 0;
};

Signal Generator::any(bool (*suits)(const Signal&)) {
  for (;;) {
    const Signal s = one_of(signals_);
    if (suits(s)) return s;
  }
}

Source Generator::asynchronous() {
  for (;;) {
    const Source s = one_of(sources_);
    if (!s.synchronous) return s;
  }
}

void Generator::add_sources() {
  constant_ = diagram_.add(Kind::constant, {}, factor());
  signals_.push_back({diagram_.add(Kind::time)});
  if (chance(50))
    signals_.push_back({diagram_.add(Kind::sine, {}, factor(), chance(50) ? 2 : 3.3, chance(25) ? 0 : 0.7)});
  if (chance(50)) {
    const int step = diagram_.add(Kind::step, {}, instant(), number(), number());
    signals_.push_back({step, true, false});
    sources_.push_back({step});
  }
}

void Generator::add_states() {
  for (int k = 1 + below(3); k > 0; --k) {
    const bool resets = choices_.resets && chance(40);
    const bool limits = !resets && choices_.limits && chance(40);
    const int state = resets   ? diagram_.add(Kind::reset_integral, {}, number())
                      : limits ? diagram_.add(Kind::integral, {}, chance(50) ? 0 : 0.5, chance(50) ? 0 : -0.5, 1)
                               : diagram_.add(Kind::integral, {}, number());
    signals_.push_back({state, true, !resets});
    open_.push_back(state);
  }
}

// A ball that bounces at integer times, or nearly so: a height that is never reset and a speed that is turned around.
void Generator::add_ball() {
  static const std::vector<double> heights = {0.5, 2, 0.125, 1}, restitutions = {1, 1, 0.75, 0.9};
  const int gravity = diagram_.add(Kind::constant, {}, coincident_ ? -1 : -generic(0.5, 2));
  const int speed = diagram_.add(Kind::reset_integral, {}, chance(70) ? 0 : 1);
  const int height = diagram_.add(Kind::integral, {speed}, coincident_ ? one_of(heights) : generic(0.2, 2));
  const int ground = diagram_.add(Kind::zero_cross, {height}, chance(50) ? -1 : 0);
  const int turn = diagram_.add(Kind::gain, {speed}, -one_of(restitutions));
  diagram_.blocks[static_cast<std::size_t>(speed)].inputs = {gravity, turn};
  diagram_.activate(ground, speed);
  signals_.push_back({speed, true, false});
  signals_.push_back({height, true, true});
  sources_.push_back({ground});
}

void Generator::add_oscillator() {
  const int place = diagram_.add(Kind::integral, {}, factor());
  const int speed = diagram_.add(Kind::integral, {}, number());
  const int pull = diagram_.add(Kind::gain, {place}, coincident_ ? -1 : -generic(0.5, 4));
  diagram_.blocks[static_cast<std::size_t>(place)].inputs = {speed};
  diagram_.blocks[static_cast<std::size_t>(speed)].inputs = {pull};
  signals_.push_back({place});
  signals_.push_back({speed});
}

// A state that dry friction, or a relay, pulls towards another signal and may keep there.
void Generator::add_slider() {
  const Signal to = any([](const Signal& s) { return s.always && !s.boolean; });
  const int state = diagram_.add(Kind::slider, {0, to.block}, coincident_ ? 1 + below(3) : generic(0.5, 3), number(),
                                 chance(50) ? 1 : 0);
  signals_.push_back({state, true, to.pure});
  open_.push_back(state);
}

// Two modes with a hysteresis between them; where the entry into the second one turns the state around, it may have to
// leave it at once.
void Generator::add_automaton() {
  static const std::vector<double> entries = {1, 1, 0.5, -1, 0}, upper = {0.5, 1, 0.25}, lower = {0, -0.5, 0.125};
  const int state = diagram_.add(Kind::automaton, {}, one_of(entries), coincident_ ? one_of(upper) : generic(0.2, 1.5),
                                 coincident_ ? one_of(lower) : -generic(0.05, 1));
  signals_.push_back({state, true, false});
  sources_.push_back({state});
  open_.push_back(state);
}

int Generator::add_delay(const Signal& u) {
  const double delay = coincident_ ? period() : std::round(generic(0.2, 1.5) * 1e4) / 1e4;
  const int block = diagram_.add(Kind::fixed_delay, {u.block}, delay, chance(50) ? 0 : number());
  signals_.push_back({block, true, u.pure});
  return block;
}

// What remembers in continuous time: of signals that no event changes but by setting a state.
void Generator::add_memory() {
  static const std::vector<double> gaps = {0.5, 1, 0.25, 0}, slopes = {0.5, 1, 0.75, 2};
  const Signal u = any([](const Signal& s) { return s.always && !s.boolean; });
  const bool reset = diagram_.blocks[static_cast<std::size_t>(u.block)].kind == Kind::reset_integral;
  if ((!u.pure && !reset) || !has_rate(u.block)) return;
  const double up = coincident_ ? one_of(slopes) : generic(0.2, 2),
               down = coincident_ ? one_of(slopes) : generic(0.2, 2);
  switch (below(3)) {
    case 0: {
      const double off = number(), on = off + (coincident_ ? one_of(gaps) + 0.25 : generic(0.05, 1));
      return keep(diagram_.add(Kind::hysteresis, {u.block}, on, off), {0, true, false});
    }
    case 1:
      return keep(diagram_.add(Kind::backlash, {u.block}, coincident_ ? one_of(gaps) : generic(0, 1), number()), u);
    default: return keep(diagram_.add(Kind::rate_limiter, {u.block}, up, -down), u);
  }
}

// With numbers of their own, so that the rest of a diagram is the same without them.
void Generator::add_memories() {
  const std::uint64_t state = std::exchange(state_, state_ * 0x2545f4914f6cdd1du + 1);
  for (int k = below(3); k > 0; --k) {
    const std::size_t known = signals_.size();
    add_memory();
    if (signals_.size() == known || chance(30)) continue;
    const int detector = diagram_.add(Kind::zero_cross, {signals_.back().block}, below(3) - 1);
    const int counter = diagram_.add(Kind::counter);
    diagram_.activate(detector, counter);
    signals_.push_back({counter, false, false});
  }
  state_ = state;
}

void Generator::add_events() {
  sources_.push_back({diagram_.add(Kind::sample_clock, {}, period(), coincident_ && chance(50) ? 0.25 : 0)});
  if (chance(40)) sources_.push_back({diagram_.add(Kind::sample_clock, {}, period(), 0)});
  if (chance(40)) sources_.push_back({diagram_.add(Kind::event_clock, {}, period(), chance(50) ? 0 : instant())});
  if (chance(40)) {
    const double first = instant();
    sources_.push_back({diagram_.add(Kind::event_generate, {}, first, chance(50) ? first + period() : 0)});
  }
  if (chance(40)) {
    const int delay = diagram_.add(Kind::event_delay, {}, chance(30) ? 0 : period());
    const Source from = asynchronous();
    diagram_.activate(from.block, delay, from.port);
    sources_.push_back({delay});
  }
}

void Generator::add_formula() {
  static const std::vector<Kind> kinds = {Kind::gain,     Kind::bias,       Kind::sum,      Kind::sum,
                                          Kind::product,  Kind::abs,        Kind::max,      Kind::min,
                                          Kind::deadzone, Kind::sign,       Kind::greater,  Kind::greater_equal,
                                          Kind::abs,      Kind::saturation, Kind::switch2,  Kind::bias,
                                          Kind::floor,    Kind::abs_loop,   Kind::sat_loop, Kind::fixed_delay};
  const Kind kind = one_of(kinds);
  const Signal u = any([](const Signal& s) { return !s.boolean; });
  switch (kind) {
    case Kind::gain: return keep(diagram_.add(kind, {u.block}, factor()), u);
    case Kind::bias: return keep(diagram_.add(kind, {u.block}, factor()), u);
    case Kind::abs_loop:
    case Kind::sat_loop:
      if (!u.always) return;  // a loop that only events run would keep its value from the start
      return keep(diagram_.add(kind, {u.block}, chance(50) ? 0.5 : kind == Kind::abs_loop ? -0.25 : 2), u);
    case Kind::fixed_delay:
      if (u.always && choices_.delays) add_delay(u);
      return;
    case Kind::floor:
    case Kind::abs:
    case Kind::sign: return keep(diagram_.add(kind, {u.block}), u);
    case Kind::saturation: return keep(diagram_.add(kind, {u.block}, chance(50) ? 0 : -0.5, 1), u);
    case Kind::deadzone: return keep(diagram_.add(kind, {u.block}, -0.5, chance(50) ? 0 : 0.5), u);
    default: break;
  }
  // A constant beside a signal that only events change would leave open whether the block runs at the start.
  const bool with_constant = u.always && chance(30);
  const Signal v = any([](const Signal& s) { return !s.boolean; });
  const int other = with_constant ? constant_ : v.block;
  const Signal both{0, u.always || v.always, u.pure && (with_constant || v.pure)};
  if (kind == Kind::switch2) {
    const Signal criterion = any([](const Signal& s) { return s.always; });
    const int block = diagram_.add(kind, {u.block, criterion.block, other}, criterion.boolean ? 0 : number());
    signals_.push_back({block, true, both.pure && criterion.pure});
    return;
  }
  const bool boolean = kind == Kind::greater || kind == Kind::greater_equal;
  const int block = kind == Kind::sum ? diagram_.add(kind, {u.block, other}, 1, chance(50) ? 1 : -1)
                                      : diagram_.add(kind, {u.block, other});
  signals_.push_back({block, both.always, both.pure, boolean});
}

void Generator::add_detector() {
  const int kind = below(10);
  const double direction = below(3) - 1;
  if (kind < 5) {
    sources_.push_back({diagram_.add(Kind::zero_cross, {continuous()}, direction)});
  } else if (kind < 8) {
    const Signal u = any([](const Signal& s) { return s.always ? s.pure : true; });
    sources_.push_back({diagram_.add(Kind::edge_trigger, {u.block}, direction), 1, !u.always});
  } else if (kind < 9) {
    const Source from = one_of(sources_);
    const int split =
        diagram_.add(Kind::if_then_else, {any([](const Signal& s) { return !s.boolean || !s.always; }).block});
    diagram_.activate(from.block, split, from.port);
    sources_.push_back({split, 1, true});
    sources_.push_back({split, 2, true});
  } else {
    const Source first = one_of(sources_), second = one_of(sources_);
    const int both = diagram_.add(Kind::event_union);
    diagram_.activate(first.block, both, first.port, 1);
    diagram_.activate(second.block, both, second.port, 2);
    sources_.push_back({both, 1, true});
  }
}

void Generator::add_held() {
  const int kind = below(5);
  const Source from = one_of(sources_);
  int block = 0;
  if (kind < 3) {
    int held = any([](const Signal& s) { return !s.boolean; }).block;
    if (jumps(held)) held = any([](const Signal& s) { return !s.boolean; }).block;  // as it stands: often ill-posed
    block = diagram_.add(Kind::sample_hold, {held});
  } else if (kind < 4) {
    block = diagram_.add(Kind::discrete_delay, {any([](const Signal& s) { return !s.boolean; }).block}, 0);
  } else {
    block = diagram_.add(Kind::counter);
  }
  diagram_.activate(from.block, block, from.port);
  signals_.push_back({block, false, false});
}

// What drives a state is limited, so that few diagrams run away.
void Generator::close_states() {
  for (const int state : open_) {
    int rate = chance(25) ? constant_ : any([](const Signal& s) { return !s.boolean; }).block;
    if (rate != constant_ && chance(60)) rate = diagram_.add(Kind::saturation, {rate}, -2, 2);
    const Kind kind = diagram_.blocks[static_cast<std::size_t>(state)].kind;
    std::vector<int>& known = diagram_.blocks[static_cast<std::size_t>(state)].inputs;
    if (kind == Kind::fixed_delay || kind == Kind::slider) {
      known[0] = kind == Kind::slider ? rate : continuous();
      continue;
    }
    std::vector<int> inputs = {rate};
    if (kind == Kind::automaton) inputs.push_back(chance(40) ? constant_ : continuous());
    if (diagram_.blocks[static_cast<std::size_t>(state)].kind == Kind::reset_integral) {
      inputs.push_back(chance(40) ? constant_ : any([](const Signal& s) { return !s.boolean; }).block);
      const Source from = asynchronous();
      diagram_.activate(from.block, state, from.port);
    }
    diagram_.blocks[static_cast<std::size_t>(state)].inputs = inputs;
  }
}

// Each activation output moves something: one that nobody listens to fires no events.
void Generator::count_events() {
  for (const Source& source : sources_) {
    if (chance(60) &&
        std::any_of(diagram_.activations.begin(), diagram_.activations.end(),
                    [&](const Activation& link) { return link.from == source.block && link.port == source.port; }))
      continue;
    const int counter = diagram_.add(Kind::counter);
    diagram_.activate(source.block, counter, source.port);
    signals_.push_back({counter, false, false});
  }
}

void Generator::add_probes() {
  diagram_.probe_clock = diagram_.add(Kind::sample_clock, {}, 0.3717, 0.1313);
  for (const Signal& s : signals_) {
    if (s.boolean) continue;
    const int probe = diagram_.add(Kind::sample_hold, {s.block});
    diagram_.activate(diagram_.probe_clock, probe);
    diagram_.probes.push_back(probe);
  }
}

Diagram Generator::make() {
  diagram_.stop = 4.03071;
  add_sources();
  add_states();
  if (choices_.resets && chance(30)) add_ball();
  if (chance(20)) add_oscillator();
  if (choices_.sliding && chance(15)) add_slider();
  if (choices_.automata && chance(20)) add_automaton();
  if (choices_.delays && chance(15)) open_.push_back(add_delay(Signal{constant_}));  // of what comes below
  add_events();
  for (int k = 7 + below(8); k > 0; --k) {
    const int kind = below(10);
    kind < 5 ? add_formula() : kind < 8 ? add_detector() : add_held();
  }
  close_states();
  count_events();
  if (choices_.memories) add_memories();
  add_probes();
  return std::move(diagram_);
}

}  // namespace

Diagram random_hybrid(std::uint64_t seed, const RandomChoices& choices) { return Generator(seed, choices).make(); }

}  // namespace orrery::referee
