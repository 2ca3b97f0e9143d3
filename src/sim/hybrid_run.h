// SPDX-License-Identifier: Apache-2.0
// One run: memory, calendars, integrator, surfaces and recorder, and the loop that moves them through time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "sim/assertions.h"
#include "sim/calendar.h"
#include "sim/choose_solver.h"
#include "sim/compiled_program.h"
#include "sim/condensed_jacobian.h"
#include "sim/event_sensitivity.h"
#include "sim/foreign_set.h"
#include "sim/ledger_stream.h"
#include "sim/loop_solver.h"
#include "sim/recorder.h"
#include "sim/rhythm.h"
#include "sim/row_refiner.h"
#include "sim/simulation.h"
#include "sim/sliding.h"
#include "sim/step_search.h"
#include "sim/surface_watch.h"

namespace orrery::sim {

class HybridRun final : public Simulation {
 public:
  HybridRun(std::shared_ptr<const CompiledProgram> machine, const solve::SolverInfo* solver, RunOptions options,
            Diagnostics& diagnostics);

  End run(double until) override { return advance(until, INFINITY, false); }
  End run_exactly(double until) override { return advance(until, until, false); }
  End step() override { return advance(INFINITY, INFINITY, true); }
  const Recording& recording() const override { return recorder_.recording(); }
  Recording release_recording() override { return recorder_.release(); }
  const Ledger& ledger() const override { return ledger_; }
  Report report() const override;
  double value(program::SlotId slot, std::size_t element, int part) const override;
  double time() const override { return t_; }
  bool has_begun() const override { return initialised_; }
  void set_parameter(const ParameterSetting& setting) override;
  void evaluate_probes() override;
  bool evaluate_signal(std::uint32_t signal) override;
  void set_input(std::size_t input, std::span<const double> value, std::span<const double> slope) override;
  void fire_input(std::size_t input) override;
  std::vector<std::byte> save() const override;
  bool restore(std::span<const std::byte> bytes) override;
  bool copy(const Simulation& other) override;

 private:
  // Outcome of a stretch of work: go on, or why not.
  enum class Flow : std::uint8_t { on, stop, restart_run, failed };
  static End end_of(Flow flow) {
    return flow == Flow::stop ? End::stopped : flow == Flow::restart_run ? End::restart : End::failed;
  }

  End advance(double until, double limit, bool single);

  // save_run.cpp
  std::string names_of_parts() const;
  void save_state(std::vector<std::byte>& out) const;
  bool restore_state(std::span<const std::byte> bytes);
  bool refuse_save(std::string message, std::string note = {});

  // inputs.cpp
  void write_elements(program::SlotId slot, std::span<const double> values);
  void begin_series();
  void stage_input(std::uint32_t source);
  bool look(const std::vector<std::uint32_t>& loops, const std::function<void()>& evaluate);
  void program_series(std::size_t series);
  std::vector<double> slope_after(const InputSeries& series, std::size_t point, std::size_t width) const;

  // start.cpp
  void describe_sources();
  Flow initialise();
  bool solve_start();
  bool make_start_consistent();  // consistent_start.cpp
  solve::Problem problem();
  bool make_integrator();
  void prefer_high_order(const solve::Problem& problem);
  void set_tolerances(solve::Problem& problem) const;
  void take_nominals(const program::Call& call, const std::vector<double>& sizes);
  std::unique_ptr<solve::Integrator> integrator_for(solve::Problem problem);
  std::unique_ptr<solve::Integrator> integrator_of(const solve::SolverInfo& solver, solve::Problem problem);
  bool start_integrator();
  bool begin_watching();
  bool open_foreign();
  int foreign_status();
  static int derivative(double t, const double* x, double* dx, void* user);
  static int bare_derivative(double t, const double* x, double* dx, void* user);
  static int jacobian(double t, const double* x, double* values, void* user);

  // trial_points.cpp
  static int careful_derivative(double t, const double* x, double* dx, void* user);
  static int careful_jacobian(double t, const double* x, double* values, void* user);
  bool take_modes_of(double t, const double* x, bool shown = false);
  void evaluate_always(double t, const double* x);
  void run_always(double t, const double* x);
  void bound_slopes(double t, const double* x, double* values);
  double look_ahead(std::vector<double>& x);
  void sample_conditions(std::uint32_t source);
  bool is_noise(std::uint32_t surface);
  bool meets_itself(std::uint32_t surface);
  void let_go(std::uint32_t surface);
  void hold_again();
  void take_released_modes(double t, const double* x);

  // modes.cpp
  bool relax_modes();
  enum class Complain : std::uint8_t { no, yes };
  bool find_modes(Complain complain);
  bool repeat_modes(Complain complain);
  bool is_frozen(std::size_t surface) const { return !frozen_.empty() && frozen_[surface]; }
  bool settle_held();
  void preview_modes();
  void refresh_muted(double t, const double* x);
  void keep_modes(bool back) { keep_modes(kept_modes_, back); }
  void keep_modes(std::vector<double>& kept, bool back);
  bool slides(std::size_t surface) const { return sliding_ && sliding_->active() && sliding_->has_mode(surface); }
  bool is_pinned(std::size_t surface) const { return sliding_ && sliding_->active() && sliding_->is_pinned(surface); }
  void report_contradiction(const std::vector<const program::Surface*>& switched, const std::vector<double>& values);
  void take_modes();

  // settle_systems.cpp
  bool search_modes(std::uint32_t loop);
  bool search_modes(const std::vector<const program::Surface*>& switched);
  bool search_system(const passes::ModeSystem& system);
  bool settle_before(std::uint32_t loop);
  void rest_conditions();
  double size_of(const passes::ModeSystem& system) const;
  bool has_mode_loops() const;
  bool holds_ahead();

  // change_solver.cpp
  void choose_solver(const solve::Problem& problem);
  RestartShape restart_shape() const;
  bool change_solver();
  bool is_automatic() const { return options_.solver.empty() || options_.solver == "auto"; }
  double newton_condition();
  std::string limiting_states(const std::vector<long>& counts) const;
  std::string busiest_surfaces() const;

  // loops.cpp
  // Solves the loops that something needs, for the states x; failing to is noted, and ends the run soon.
  bool settle(const std::vector<std::uint32_t>& loops, double t, const double* x) {
    if (loops.empty() || loop_solver_->solve(loops, t, x, running_tick_)) return true;
    loops_failed_ = true;
    return false;
  }
  std::vector<program::SlotId> solver_vector() const;  // what lies in it: states, then unknowns if it solves for them
  bool takes_loops_over() const;                       // whether the solver solves the loops of continuous time itself
  void keep_invariants(solve::Problem& problem);
  static int invariants(double t, const double* x, double* c, void* user);
  static int projections(double t, const double* x, double* move, void* user);
  const solve::Sparsity& condensed_pattern();
  static int condensed_jacobian(double t, const double* x, double* values, void* user);
  Flow report_loop_failure();
  // Asked where a loop has no solution and a smaller step might help: whether that has led nowhere for long.
  bool is_stuck(double t);

  // events.cpp
  // A step source whose table is one call of the time and a state: its object can be asked whether the call matters.
  struct StepQuestion {
    std::uint32_t object = UINT32_MAX;  // none: the table is run after every step
    std::size_t state = 0;              // in the solver's vector
  };
  Flow discrete_phase(double limit);
  Flow first_phase(double limit);
  Flow end_instant();
  Flow run_ticks(double limit);
  Flow fire(std::uint32_t source, Cause cause, double left, double right);
  Flow fire_plain(std::uint32_t source);
  Flow fire_in_full(std::uint32_t source, Cause cause, double left, double right);
  void set_event_time(std::uint32_t source, Cause cause);
  Flow run_table(std::uint32_t source);
  Flow run_table_now(std::uint32_t source);
  bool program_events(std::uint32_t source);
  Flow run_actions(std::uint32_t source, bool& repeat);
  void tell(const program::Action& action, std::span<const double> values);
  Flow run_calls(std::uint32_t source);
  Flow report_foreign_failure();
  Flow fire_steps();
  StepQuestion question_of(const program::Table& table) const;
  void program_tick(std::uint32_t source, std::int64_t after);
  void advance_clock(Calendar& calendar, std::uint32_t source);
  std::int64_t tick_after(std::uint32_t domain, std::int64_t tick) const;
  program::OriginId ticking_clock(std::uint32_t domain) const;
  Calendar& calendar_of(std::uint32_t source) { return facts_[source].critical ? hard_ : soft_; }
  Pending due(double time) { return {time, (time <= t_ + time_tolerance_ ? order_within_instant : 0) + programmed_++}; }
  double next_event_time() const { return std::min(hard_.next().time, soft_.next().time); }
  bool endless_cycle(std::uint32_t source);
  void report_cycle();
  void warn_reprogrammed(std::uint32_t source, bool cancelled);

  // continuous.cpp, crossings.cpp
  Flow continuous_phase();
  Flow fixed_step_phase();
  Flow consume_step();
  Flow before_crossing();
  enum class ModeChanges : std::uint8_t { none, shown, disturbing, failed };
  // Within a step of the integrator, in a step of fixed size, or by an event of this instant.
  enum class Crossed : std::uint8_t { located, stepped, jumped };
  Flow handle_crossing(Crossed how);
  ModeChanges change_modes(Crossed how);
  Flow call_owners(Crossed how);
  bool decide_sliding(std::span<const std::uint32_t> arriving);
  bool settle_modes();
  void report_sliding();
  bool relax_shown();
  void watch_shown();
  bool find_crossing();
  bool find_jumps();
  void trust_polynomials();
  double instant_at(double t) const;
  SurfaceValues surface_values(double t, const double* x);
  bool is_stuck_at_zero(const SurfaceValues& values);
  double time_to_crossing(const SurfaceValues& values) const;
  std::vector<int> states_of_surfaces() const;
  void surfaces_inside(double t, double* g);
  // Inside the integrator's last step memory holds the state of time t_, taken from the dense output.
  void go_to(double t) {
    t_ = t;
    stale_ = false;
    if (t == step_end_) {
      std::copy_n(integrator_->state(), machine_->state_count(), states());
    } else {
      integrator_->interpolate(t, states());
    }
  }
  // The states of t are taken from the dense output when something asks for them.
  void move_to(double t) {
    t_ = t;
    stale_ = true;
  }
  void freshen() {
    if (stale_) go_to(t_);
  }
  void evaluate_surfaces(double t, const double* x, double* g);
  bool keeps_rhythm(std::uint32_t surface);
  void stop_locating(std::uint32_t surface);
  struct Accumulation {
    std::uint32_t surface;
    double limit;
    std::string why;
  };
  void report_accumulation(const Accumulation& what);
  bool slides_past(const Accumulation& what);
  Flow report_integrator_failure();
  bool states_are_finite(std::uint32_t cause) {
    double zero = 0;
    for (std::size_t k = 0, count = machine_->state_count(); k < count; ++k) zero += 0 * states()[k];
    if (zero != 0) report_not_finite(cause);
    return zero == 0;
  }
  void report_not_finite(std::uint32_t cause);
  // Whether what the model says must hold does so now, with the modes as they are.
  bool assertions_hold();

  // record.cpp
  bool will_show(const TableCode& table);
  void take_row(Phase phase);
  void show(Phase phase);
  void evaluate_shown(double t);
  void record_between(double from, double to);
  double next_row_time() const { return options_.start + static_cast<double>(next_row_) * options_.interval; }
  void refine(double from, double to);
  void warn_about_rows();

  std::optional<End> some_rounds(double until);
  End finish(End end);
  bool run_final_sources();
  bool interrupted() const {
    return options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed);
  }
  bool housekeeping();
  bool events_come_to_an_end();
  bool results_overflow() const;
  Flow report_full_results();
  double* states() { return reinterpret_cast<double*>(memory_.data()); }
  const double* states() const { return reinterpret_cast<const double*>(memory_.data()); }
  Place place_of(program::OriginId origin) const;
  std::string state_name(int index) const;

  std::shared_ptr<const CompiledProgram> machine_;
  const program::Program& program_;
  const solve::SolverInfo* solver_;
  std::string solver_reason_;
  RunOptions options_;
  Diagnostics& diagnostics_;
  Recorder recorder_;
  RowRefiner refiner_;
  bool warned_of_curves_ = false;
  Ledger ledger_;
  LedgerStream ledger_stream_;
  SurfaceWatch watch_;
  Calendar hard_;  // critical sources: the integrator stops there
  Calendar soft_;  // the others: evaluated on the dense output
  // What the loop asks about a source at every event.
  struct SourceFacts {
    bool clock, critical, reads_states;
    bool plain;        // its function is all there is to an event: nobody records it and nothing follows from it
    bool moves_shown;  // it changes what modes that are only shown depend on
    bool moves_modes;  // … or any modes
    std::uint32_t domain;
    std::size_t procedure;
  };
  std::vector<SourceFacts> facts_;
  bool unwatched_ = false;     // nothing looks into steps
  bool asks_only_ = false;     // … but rows of a grid, and one object that is asked whether it has something to tell
  bool step_matters_ = false;  // it was asked already, and has
  bool shown_moved_ = false;   // modes that are only shown are to be relaxed
  bool modes_moved_ = false;   // what modes depend on has changed in this instant
  std::unique_ptr<solve::Integrator> integrator_;
  std::optional<StiffnessWatch> stiffness_;  // over an explicit method that `auto` chose
  bool turned_stiff_ = false;
  solve::Statistics earlier_;                // of the methods before the present one
  std::unique_ptr<LoopSolver> loop_solver_;  // where there is something to solve
  bool loops_failed_ = false;
  long refusals_ = 0;  // derivatives that loops without a solution did not allow
  double refused_at_ = -1.0 / 0.0;
  std::unique_ptr<EventSensitivity> sensitivity_;  // where the program has sensitivities
  std::unique_ptr<CondensedJacobian> condensed_;   // where the solver sees no unknowns
  std::vector<double> model_values_;               // of the model's matrix, before the unknowns are eliminated

  native::Function derivatives_ = nullptr;  // of the code now in use: the solver calls it without detours
  std::vector<std::byte> memory_;
  std::vector<double> nominals_;  // usual sizes of the states; foreign objects may change their mind about theirs
  bool rescaled_ = false;         // … and have: the integrator has others
  std::vector<double> y_;         // results of tables
  std::vector<double> g_, x_;     // surfaces; a state on the dense output
  std::vector<double> rates_;     // of surfaces: first, second
  std::vector<double> speed_;     // of surfaces: the largest rate in the instant speed_at_
  double speed_at_ = NAN;
  std::vector<double> settled_;  // what held numbers settle at
  std::vector<double> kept_modes_;
  std::vector<bool> frozen_;                         // by surface, while others settle: its mode was found by a search
  std::vector<double> mode_sizes_;                   // by surface: the largest value so far, of conditions of systems
  std::vector<std::string> conflicts_;               // of a search that found nothing
  std::vector<double> ahead_, slope_, slope_ahead_;  // states just after an instant, and how they move there
  // Corners that are crossed again and again within the tolerance are not held for a while.
  struct Corner {
    double last = -INFINITY;  // crossing
    int in_noise = 0;         // so many crossings in a row
  };
  std::vector<Corner> corners_;          // by surface
  std::vector<std::uint32_t> released_;  // surfaces
  double released_until_ = INFINITY;
  std::vector<double> held_modes_, trial_surfaces_;  // while a trial point is evaluated with modes of its own
  double step_end_ = 0;                              // of the integrator's last step
  double first_limit_ = INFINITY;                    // of the first step after a start
  int trusted_degree_ = -1;                          // of the dense output: what the watch knows of it
  StepSearch search_;
  std::unique_ptr<Sliding> sliding_;  // where the user allows it
  Found found_;                       // the crossing to be handled next
  std::vector<CrossingSurface> owners_, located_;
  std::vector<std::uint32_t> arriving_;       // surfaces of modes, in the crossing handled now
  std::optional<Accumulation> accumulation_;  // of a mode, in the crossing handled now: sliding may go on
  std::vector<long> crossings_of_;            // by surface
  std::vector<Rhythm> rhythms_;               // by surface
  std::vector<std::uint8_t> modes_;           // by surface, as the watch wants them
  ForeignSet foreign_;
  Assertions assertions_;
  std::vector<std::uint32_t> step_sources_;
  std::vector<StepQuestion> step_questions_;    // by step source
  double bend_ = -1.0 / 0.0;                    // where foreign objects want a step to end
  std::vector<std::uint32_t> first_sources_;    // events that come before all others of their instant
  std::vector<std::uint32_t> instant_sources_;  // what follows the last event of an instant
  std::vector<std::uint32_t> final_sources_;    // what happens at the end of the run
  bool ended_ = false;                          // … and has happened
  bool in_instant_ = false;                     // there were events, and time has not gone on
  // Tick k of a domain happens at start + (first + k * step) / denominator. From whole numbers, never by adding up, so
  // that clocks do not drift (Activate, 1.4.2).
  struct TickScale {
    double start, first, step, denominator;
    std::int64_t stride;  // from one tick to the next where one clock ticks whenever any does, else 0
    double time(std::int64_t tick) const { return start + (first + static_cast<double>(tick) * step) / denominator; }
  };
  std::vector<TickScale> tick_scale_;
  std::vector<std::int64_t> tick_;  // by domain: the tick that is pending
  double t_ = 0;
  double until_ = 0;                    // where run() is to pause
  double step_limit_ = INFINITY;        // beyond which no step may go
  bool single_ = false;                 // pause after every step
  double single_from_ = 0;              // … when time has gone on from here
  long single_events_ = 0;              // … or more events than these have been
  std::vector<std::size_t> series_at_;  // by table of inputs: the point that comes next
  bool stale_ = false;  // memory holds the states of an earlier time: nothing has asked for those of t_ yet
  double time_tolerance_ = 0;
  double coincidence_ = 0;  // crossings nearer to an event than this happen in its instant
  std::int64_t running_tick_ = 0;
  std::uint64_t programmed_ = 0;
  std::int64_t next_row_ = 0;  // of the recording grid
  bool initialised_ = false;
  bool restart_needed_ = true;
  bool integrator_started_ = false;  // a later start keeps the step size
  bool has_continuous_ = false;
  double instant_ = 0;
  long events_in_instant_ = 0;
  std::vector<std::uint32_t> recent_sources_;
  std::set<std::uint32_t> warned_;
  long housekeeping_count_ = 0;
  long pace_events_ = 0;  // when the pace of events is looked at next
  double pace_time_ = 0;  // … and was looked at last
  int hurried_ = 0;       // how often in a row it was too high
  bool second_tier_asked_ = false;
  std::chrono::steady_clock::time_point started_;
  double seconds_ = 0;
  Report report_;
};

}  // namespace orrery::sim
