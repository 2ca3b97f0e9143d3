// SPDX-License-Identifier: Apache-2.0
// One run of the referee: what it knows and does. Numbers in comments are sections of docs/semantics.md.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "referee.h"
#include "series.h"

namespace orrery::referee {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double same_instant = 1e-12;  // times nearer than this are one instant
inline constexpr double other_instant = 1e-8;  // times farther apart than this are two
inline constexpr double longest_window = 0.0625;
inline constexpr int slides = 2;            // a mode of sliders
inline constexpr int events_at_most = 300;  // beyond, errors have grown too much to compare times

struct Surface {
  int block = 0;
  int number = 0;       // of the block's surfaces
  bool event = false;   // fires its block; else it belongs to a mode
  int side = 0;         // after the last instant
  bool masked = false;  // has crossed in this instant and was at zero when last looked at
  bool jumped = false;  // has changed its side in this instant with the modes, not through zero
};

// What a signal was, from one instant or window to the next.
struct Stretch {
  double begin = 0;
  bool breaks = false;  // begins with an instant: it need not continue the one before
  Series series{};
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
  bool remembers(int b) const {
    const Kind kind = block(b).kind;
    return kind == Kind::hysteresis || kind == Kind::backlash || kind == Kind::rate_limiter;
  }
  bool is_boolean(int b) const { return block(b).kind == Kind::greater || block(b).kind == Kind::greater_equal; }

  // continuous time
  void expand();
  double term(int b, int k) const;
  double product_term(const Series& a, const Series& b, int k) const;
  Series surface(const Surface& s) const;
  bool is_on(const Surface& s) const;
  // The past of the input of a delay: as it was at t_ - a, seen from just after that instant.
  Series past_of(int b) const;
  Series line_of(int b, double slope) const;  // how far a rate limiter can have come
  void remember_left();
  bool stand_where_driven_back();
  double next_stretch(bool breaks) const;  // when such a past begins a new one
  int side(const Series& s, bool certain);
  // Hardly moving, and hardly away from zero.
  static bool is_rounded(const Series& s) { return s[0] != 0 && std::abs(s[0]) <= 1e-11 && std::abs(s[1]) <= 1e-9; }
  int mode_from_sides(int b) const;
  int mode_of_slider(int b, int at_upper, int at_lower) const;
  bool relax_from_here();
  void relax();
  std::optional<double> first_crossing(double h);
  void advance(double h);

  // events
  double as_it_stands(int b);
  bool is_true(int b, double u, int from);
  bool is_settled(int b, double u, int from);
  void run_table(const std::vector<int>& fired);
  void update_and_program(const std::vector<int>& fired);
  bool judge_surfaces();
  void look_between_events();
  bool fires(const Surface& s, int after) const;
  void jump(int b);
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
  bool first_judgement_ = false;          // of an instant: before its events
  bool in_table_ = false;                 // of an event
  bool has_begun_ = false;                // the initial table has run
  bool inputs_moved_ = false;             // by this event, since modes were found
  std::vector<bool> always_, dirty_;      // active in continuous time; not exact to the last bit
  std::vector<std::vector<bool>> roots_;  // which states and sines each block depends on
  std::vector<double> state_, memory_;    // of integrals; of delays, counters and triggers
  std::vector<double> output_;            // as last computed by an event
  std::vector<bool> uncertain_;           // such an output hangs on a condition that is nearly contradicted
  std::vector<bool> active_, has_stepped_, has_seen_;
  std::vector<std::array<bool, 3>> emits_;
  std::vector<int> mode_;
  std::vector<long> ticks_;  // so far
  std::vector<Pending> pending_;
  std::vector<Series> series_;
  std::vector<Surface> surfaces_;
  std::vector<std::vector<Stretch>> past_;  // of the inputs of delays
  bool new_stretch_ = true;                 // the next window begins with an instant
  int jumps_ = 0;                           // of automata in this instant
  std::vector<double> since_;               // when rate limiters were at their memory
};

}  // namespace orrery::referee
