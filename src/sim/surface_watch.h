// SPDX-License-Identifier: Apache-2.0
// Which surfaces of a program cross, and when: their sides, what an interval of a step shows, and what an instant does.
//
// The law is docs/semantics.md, 7 and 8. A mode surface crosses when its value contradicts the mode. An event surface
// has a side, the sign of its value or, at zero, of the first rate that is not zero; what counts are its sides before
// and after an instant.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "program/program.h"
#include "solve/pair.h"

namespace orrery::sim {

struct CrossingSurface {
  std::uint32_t surface;
  int direction;  // +1 rising, -1 falling
  double left;
  double right;
};

struct Found {
  double time = 0;                         // just after the crossing
  std::vector<CrossingSurface> crossings;  // in file order
};

// All surfaces at an instant. `rates` has three numbers for each: first and second rate along the solution, not a
// number where they are not known, and the size of its terms; nullptr: none are known. `speed` is the largest rate of
// each in this instant so far, also with the modes of before: what is within rounding of zero is seen from there.
// Values may be those of a point just after the instant: then `at_zero` says of each whether it is at zero in it.
struct SurfaceValues {
  const double* g = nullptr;
  const double* rates = nullptr;
  const double* speed = nullptr;
  const std::uint8_t* at_zero = nullptr;
};

// All surfaces at the ends and quarters of an interval of time.
using Quarters = std::array<const double*, 5>;

class SurfaceWatch {
 public:
  // evaluate(t, g) gives all surfaces at a time within the last step.
  using Evaluate = std::function<void(double t, double* g)>;

  // Values that their rate carries through zero within `coincidence` count as zero.
  SurfaceWatch(const program::Program& program, double threshold, double coincidence);

  bool empty() const { return kinds_.empty(); }
  bool has_modes() const { return has_modes_; }
  std::size_t size() const { return kinds_.size(); }
  // Whether a surface is a polynomial of degree four or less on the dense output.
  void set_exact(std::size_t surface, bool exact) { doubt_[surface] = exact ? 0.0 : 0.25; }
  bool all_exact() const;

  // At an instant.
  // Within rounding of zero, or not further away than its speed carries it in an instant.
  bool is_hardly_away(std::size_t k, const SurfaceValues& values) const;
  bool is_at_zero(std::size_t k, const SurfaceValues& values) const {
    return values.at_zero != nullptr ? values.at_zero[k] != 0 : is_hardly_away(k, values);
  }
  // The side just after it: -1, 0 (rests), 1; `before` where there is no value.
  int side_after(std::size_t k, const SurfaceValues& values, int before = 0) const;
  // Whether the side just after it is another one than is known.
  bool changes_side(std::size_t k, const SurfaceValues& values) const {
    const int side = side_after(k, values, signs_[k]);
    return (kinds_[k] == Kind::edge && side == 0 ? -1 : side) != signs_[k];
  }
  // Begins an interval: after a start, and after each instant at which the integrator starts again. Nothing fires. At
  // the start of a run (`first`) there is no side before: what rests then has the side that the first step leads it to.
  void begin(double t, const SurfaceValues& values, const std::uint8_t* modes, bool first = false);
  // A step begins at t.
  void begin_step(double t) {
    if (undecided_ && t > begun_at_) decide();
  }
  // Which event surfaces have changed sides? Their new sides are taken over. Those that do not heed jumps fire only
  // when they are among `located`, or when a whole step lies between (`stepped`).
  bool judge(double t, const SurfaceValues& values, std::span<const CrossingSurface> located, Found& found,
             bool stepped = false);
  // Between the events of an instant: what was at zero in it, and has been turned back to where it came from, may cross
  // again (balls in a row that hit each other in one instant).
  bool any_at_zero(double t) const {
    return std::any_of(at_zero_.begin(), at_zero_.end(), [&](double at) { return is_same_instant(at, t); });
  }
  void let_turn_back(double t, const SurfaceValues& values);
  // Those that fire whenever they are positive, at the start.
  bool find_levels(double t, const SurfaceValues& values, Found& found) const;
  // After a located crossing was handled that disturbs nothing: signs as they are just after it.
  void settle(const Found& found);
  // Values and modes changed where time has come to, without a restart.
  void rebase(double t, const double* g, const std::uint8_t* modes);
  // Whether surfaces have changed sides on the way here without firing; an event that comes before wants to know their
  // sides then: goes back to t, where the surfaces are g.
  bool has_turned() const { return !turned_.empty(); }
  void go_back(double t, const double* g);
  void forget_turns() { turned_.clear(); }
  // The value where a crossing that fired at this very instant was located, zero if it was found by comparing the ends
  // of steps; not a number: it did not.
  double fired_value(std::size_t k, double t) const {
    return is_same_instant(fired_at_[k], t) ? fired_value_[k] : not_fired_;
  }
  int fired_direction(std::size_t k) const { return fired_direction_[k]; }
  // Whether its crossing was located since t, and disturbed nothing.
  bool fired_since(std::size_t k, double t) const { return fired_at_[k] >= t && fired_at_[k] > begun_at_; }
  bool is_wanted(std::size_t k, int direction) const;

  // A surface that begins at zero is on its side until it has left the band of rounding around zero, and one that rests
  // there stays at rest: values within steps, as they are watched.
  void correct(double t, double* g) {
    for (const std::uint32_t k : muted_) g[k] = sense_[k];
    for (const std::uint32_t k : still_) keep_still(k, g[k]);
    for (const std::uint32_t k : resting_) {
      if (std::fabs(g[k]) <= rest_[k]) g[k] = sense_[k] * std::numeric_limits<double>::min();
    }
    if (!(t < leaving_until_)) return;
    for (std::size_t k = 0; k < band_.size(); ++k) {
      if (t < left_at_[k] && std::fabs(g[k]) <= band_[k]) g[k] = sense_[k] * std::numeric_limits<double>::min();
    }
  }

  // The condition of a mode that is zero but for rounding, of the equations it is solved with: as long as it stays
  // within the band, it says nothing against the mode. A band of 0 ends that.
  void rest(std::uint32_t k, double band);
  bool rests(std::size_t k, double g) const { return !rest_.empty() && std::fabs(g) <= rest_[k]; }

  // What is at zero without motion is zero but for errors of the solver as long as no rate moves it, and they are less
  // than a hundred times the tolerance.
  void set_tolerance(double absolute, double relative) {
    absolute_ = absolute;
    relative_ = relative;
  }
  bool any_still() const { return !still_.empty(); }
  bool is_still(std::size_t k) const { return stillness_[k].limit >= 0; }
  bool is_disturbed(const double* g) const {
    return std::any_of(still_.begin(), still_.end(), [g](std::uint32_t k) { return g[k] != 0; });
  }
  // At the end of a step of this width: those that move are not at rest any more.
  void let_move(const SurfaceValues& values, double width);

  // From now on the changes of this mode are not located.
  void mute(std::uint32_t k) { muted_.push_back(k); }
  void unmute(std::uint32_t k) { std::erase(muted_, k); }
  const std::vector<std::uint32_t>& muted() const { return muted_; }

  bool leaves_zero() const { return some_leave_; }  // some surface began there
  // Dense output is rounded by the size of the whole step: so is what leaves zero in it. What its rates do not carry
  // away has left the band where the step ends outside it.
  void widen_bands(const Quarters& values, double end);
  // It may also begin with a slope that is a little wrong (collocation methods): g, a small time after the beginning,
  // shows what rates that lead away from zero cannot do.
  void widen_bands(double after, const double* g);
  bool begins_here() const { return t_ == begun_at_ && some_leave_; }

  // Within a step. Values are those of the interval from the last point passed to t.
  // True, moving on to t: no surface can have crossed. False, changing nothing: look closer.
  bool pass_quietly(double t, const Quarters& values);
  // The same for surfaces that are known not to cross on the way: whether all are on their sides at t.
  bool pass_by(double t, const double* g) {
    const std::size_t count = kinds_.size();
    solve::PairBits sides = {-1, -1};
    std::size_t k = 0;
    for (; k + 1 < count; k += 2) {
      sides &= solve::load_from<solve::Pair>(&sense_[k]) * solve::load_from<solve::Pair>(g + k) > solve::Pair{};
    }
    if ((sides[0] & sides[1]) == 0 || (k < count && !keeps_side(k, g[k]))) return false;
    for (k = 0; k + 1 < count; k += 2) solve::store_at(&g_[k], solve::load_from<solve::Pair>(g + k));
    if (k < count) g_[k] = g[k];
    t_ = t;
    return true;
  }
  // Whether every surface crosses at most once, and shows it at the end. With `doubt`, polynomials are not trusted
  // where they are not exact.
  bool is_resolved(const Quarters& values, bool doubt);
  // A surface that swings to and fro around zero between these values, which its polynomial does not follow; size():
  // there is none.
  std::size_t swinging(const Quarters& values);
  // True when something crossed between the last point passed and the end of the interval, located to the tolerance;
  // every surface crosses at most once. Otherwise the watch moves on to the end.
  struct Interval {
    double begin, end;
    Quarters values;
  };
  bool look(const Interval& interval, const Evaluate& evaluate, double tolerance, Found& found);
  bool look(double t, const Evaluate& evaluate, double tolerance, Found& found);
  // The surfaces that go on through zero within the coincidence after t, where something happens anyway: they cross
  // there. `values` are those of the last interval, of the given width; is_near_zero says whether it is worth asking.
  bool is_near_zero(const Found& found, const Quarters& values, double width);
  bool arrives(double t, const Quarters& values, double width, const SurfaceValues& exact, Found& found);

  // The same for those that go through zero together with what was found: of the surfaces that may cross in the
  // interval looked at, or of all.
  void all_are_loud();
  void join(const SurfaceValues& exact, Found& found);

  const std::vector<double>& last() const { return g_; }
  const std::vector<double>& at_end() const { return at_end_; }  // where the crossing was found
  double time() const { return t_; }
  const std::vector<std::int8_t>& signs() const { return signs_; }
  // save_watch.cpp: everything it knows. False: these are not the numbers of such a watch.
  std::vector<double> save() const;
  [[nodiscard]] bool restore(std::span<const double> saved);

 private:
  enum class Kind : std::uint8_t { mode, event, edge };
  // On its side nothing has happened, which is nearly always so.
  bool keeps_side(std::size_t k, double g) const { return sense_[k] * g > 0; }
  bool crossed(std::size_t k, double g) const { return !keeps_side(k, g) && contradicts(k, g); }
  bool contradicts(std::size_t k, double g) const;
  bool is_same_instant(double before, double t) const { return before >= t - coincidence_; }
  bool is_zero(std::size_t k, const SurfaceValues& values) const;
  double rounding(std::size_t k, const SurfaceValues& values) const;
  void set_band(std::size_t k, double band);
  bool is_without_motion(std::size_t k, const SurfaceValues& values) const;
  void set_still(std::uint32_t k, bool still, double size);
  void keep_still(std::size_t k, double& g) {
    if (!(std::fabs(g) <= stillness_[k].limit)) return;
    stillness_[k].noise = std::max(stillness_[k].noise, std::fabs(g));
    g = sense_[k] * std::numeric_limits<double>::min();
  }
  double sided(std::size_t k, double g) const;
  bool is_resolved(std::size_t k, const Quarters& values, bool doubt);
  // Events: -1, 0 while blind, 1. Edges: 1 where positive, else -1; 0 while masked. Modes: 1 for true, -1 for false.
  void set_sense(std::size_t k, std::int8_t sense) {
    signs_[k] = sense;
    sense_[k] = sense;
  }
  void take_side(std::size_t k, int side);
  void turn_back(std::size_t k, int side);
  void join(std::size_t k, double g, double slope, double rounding);
  void note_near(double t);
  void note_fired(std::size_t k, double t, int direction, double value);
  void change_side(std::size_t k, double g);
  void decide();
  bool any_crossed(const double* g) const;
  void move_on(double t);
  void locate(double begin, double end, const Evaluate& evaluate, double tolerance, const Interval* interval,
              Found& found);
  double zero_of_polynomial(std::size_t k, const Interval& interval, double begin, double end, double tolerance) const;

  const program::Program& program_;
  double threshold_, coincidence_;
  double t_ = 0;
  bool has_modes_ = false;
  std::vector<Kind> kinds_;
  std::vector<std::int8_t> signs_;
  std::vector<double> sense_;    // the signs as numbers to multiply with
  std::vector<double> doubt_;    // how much of the fourth difference a polynomial must stay away from zero
  double leaving_until_ = 0;     // the latest of left_at_
  std::vector<double> band_;     // around zero, of surfaces that begin there
  std::vector<double> left_at_;  // when their rates have carried them out of it
  // The sizes of the rates of surfaces that began at zero at begun_at_; a negative rate: it did not.
  struct Leaving {
    double rate = -1, second = 0;
  };
  std::vector<Leaving> leaving_;
  std::vector<std::uint8_t> leads_away_;  // both rates do
  double begun_at_ = 0;
  bool some_leave_ = false;
  bool never_begun_ = true;
  bool undecided_ = true;  // some edge may have no side yet
  std::vector<double> g_, at_end_, before_, first_, trial_;
  std::vector<std::uint32_t> loud_;  // the surfaces that may cross in the interval now looked at, ascending
  std::vector<std::uint32_t> muted_;
  std::vector<std::uint32_t> resting_;
  std::vector<double> rest_;  // by surface: its band, negative where it does not rest; empty: none does
  // Of surfaces that are at zero without motion: the largest error seen, and how large it may be; a negative limit: it
  // moves.
  struct Stillness {
    double noise = 0, limit = -1;
  };
  std::vector<Stillness> stillness_;
  std::vector<std::uint32_t> still_;  // those that do not move
  double absolute_ = 0, relative_ = 0;
  std::vector<std::uint32_t> turned_;  // on the way through the step, without firing
  std::vector<CrossingSurface> judged_;
  // Surfaces at zero together with those found; those of them that go through it the unwanted way.
  std::vector<std::size_t> near_, passing_;
  // When each was found at zero last: an event that turns it around in the same instant does not cross it. And when and
  // how its crossing was located last.
  std::vector<double> at_zero_, fired_at_, fired_value_;
  std::vector<std::int8_t> fired_direction_;
  static constexpr double not_fired_ = __builtin_nan("");
};

}  // namespace orrery::sim
