// SPDX-License-Identifier: Apache-2.0
// One run: the parts that it is made of, and the loop that moves them through time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/crossings.h"
#include "sim/event_pace.h"
#include "sim/keep_past.h"
#include "sim/simulation.h"

namespace orrery::sim {

// Where the caller wants a run to pause.
struct Pause {
  double until = 0;              // there, with its events
  double step_limit = INFINITY;  // beyond which no step may go
  bool single = false;           // after every step …
  double from = 0;               // … when time has gone on from here
  long events = 0;               // … or more events than these have been

  bool is_reached(const RunContext& run) const {
    return run.t >= until || (single && (run.t > from || run.report.events != events));
  }
};

class HybridRun final : public Simulation {
 public:
  // No solver: it is chosen when the run begins.
  HybridRun(std::shared_ptr<const CompiledProgram> compiled, const solve::SolverInfo* solver, RunOptions options,
            Diagnostics& diagnostics);

  End run(double until) override { return advance(until, INFINITY, false); }
  End run_exactly(double until) override { return advance(until, until, false); }
  End step() override { return advance(INFINITY, INFINITY, true); }
  const Recording& recording() const override { return results_.recording(); }
  Recording release_recording() override { return results_.release(); }
  const Ledger& ledger() const override { return results_.ledger(); }
  Report report() const override;
  double value(program::SlotId slot, std::size_t element, int part) const override;
  double time() const override { return run_.t; }
  bool has_begun() const override { return initialised_; }
  void set_parameter(const ParameterSetting& setting) override;
  void evaluate_probes() override;
  bool evaluate_signal(std::uint32_t signal) override;
  bool at_point(const std::vector<std::uint32_t>& loops,
                const std::function<void(double t, std::byte* memory)>& evaluate) override;
  void set_input(std::size_t input, std::span<const double> value, std::span<const double> slope) override {
    inputs_.set(input, value, slope, initialised_);
  }
  void fire_input(std::size_t input) override { inputs_.fire(input); }
  std::vector<std::byte> save() const override;
  bool restore(std::span<const std::byte> bytes) override;
  bool copy(const Simulation& other) override;

 private:
  // hybrid_run.cpp
  End advance(double until, double limit, bool single);
  std::optional<End> some_rounds();
  void run_ticks(double limit);
  End finish(End end);
  bool interrupted() const {
    return run_.options.interrupt != nullptr && run_.options.interrupt->load(std::memory_order_relaxed);
  }
  bool housekeeping();
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }

  // start.cpp
  Flow initialise();
  bool solve_start();
  bool make_start_consistent();  // consistent_start.cpp
  SolverSurroundings surroundings() const;

  // continuous.cpp
  Flow continuous_phase();
  Flow fixed_step_phase();
  Flow take_steps();
  Flow consume_step();
  Flow before_crossing();
  bool start_integrator(bool looked);
  bool assertions_hold() {
    if (model_.assertions().empty()) return true;
    seat_.freshen();
    return model_.assertions_hold();
  }
  // Where a step ends. Values that are not numbers are looked for now and then, and as soon as a row shows one: what
  // nobody sees in between, and no derivative or surface depends on, is not worth an evaluation of the model each time.
  bool assertions_hold_after_step() {
    constexpr unsigned now_and_then = 8;
    const bool patient = !model_.assertions().judge_trials() && !results_.saw_not_finite();
    return (patient && ++steps_since_look_ % now_and_then != 0) || assertions_hold();
  }

  // driven_run.cpp
  bool look(const std::vector<std::uint32_t>& loops, const std::function<void()>& evaluate);

  // save_run.cpp
  std::string names_of_parts() const;
  void save_state(std::vector<std::byte>& out) const;
  bool restore_state(std::span<const std::byte> bytes);
  bool refuse_save(std::string message, std::string note = {});

  // In the order in which each needs those before it.
  RunContext run_;
  Histories histories_;
  SurfaceWatch watch_;
  ModelFunctions model_;
  std::unique_ptr<EventSensitivity> sensitivity_;  // where the program has sensitivities
  SurfaceFunctions surfaces_;
  TrialPoints trial_;
  Modes modes_;
  SolverSeat seat_;
  KeptPast past_;
  EventQueue queue_;
  ModelInputs inputs_;
  RunResults results_;
  Events events_;
  NoisyCorners noise_;
  StepLook look_;
  Crossings crossings_;

  bool initialised_ = false;
  unsigned steps_since_look_ = 0;
  bool ended_ = false;           // what happens at the end of the run has happened
  bool has_continuous_ = false;  // something moves between events
  bool unwatched_ = false;       // nothing looks into steps
  // … but rows of a grid, and one object that is asked at the end of each step, about its surfaces and whether it has
  // something to tell.
  bool asks_only_ = false;
  double bend_ = -INFINITY;  // where foreign objects want a step to end

  Pause pause_;
  EventPace pace_;

  // Now and then.
  std::chrono::steady_clock::time_point started_;
  double seconds_ = 0;
  long housekeeping_count_ = 0;
  bool second_tier_asked_ = false;
};

}  // namespace orrery::sim
