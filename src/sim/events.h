// SPDX-License-Identifier: Apache-2.0
// The discrete phase: due events one after the other, each with outputs, updates and programming (Activate, 1.4).
#pragma once

#include <functional>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sim/event_queue.h"
#include "sim/model_inputs.h"
#include "sim/run_results.h"

namespace orrery::sim {

// What happens in one instant, whatever brought it about. Time does not move in here.
class Events {
 public:
  // `sensitivity` where the program has sensitivities: it is told about every event.
  Events(RunContext& run, ModelFunctions& model, TrialPoints& trial, Modes& modes, SolverSeat& seat, EventQueue& queue,
         ModelInputs& inputs, RunResults& results, EventSensitivity* sensitivity);

  // Runs everything due up to `limit`, in order of time and programming. An event programmed with delay 0 is due now
  // and comes behind those that were programmed before it.
  Flow run_due(double limit);
  // Called after events that disturb something continuous, where others of the instant are still to come.
  void look_between(std::function<void()> look) { between_ = std::move(look); }
  // Those that come before all others of the instant, wherever they stand in the queue.
  Flow run_first(double limit) { return first_sources_.empty() ? Flow::on : run_first_sources(limit); }
  // One event, of a crossing with the values left and right of it.
  Flow fire(std::uint32_t source, Cause cause, double left = 0, double right = 0);
  // All events of an instant have been, and time is about to go on.
  Flow end_instant() { return run_.in_instant ? run_instant_sources() : Flow::on; }
  bool ends_instants() const { return !instant_sources_.empty(); }  // something follows the last event of each
  Flow run_final_sources();
  // After every accepted step. Only what disturbs continuous time is told to the ledger and shown on both sides.
  Flow fire_steps();
  // Something is about to disturb continuous time: what is remembered of the left side, once in an instant.
  Flow run_left() { return left_sources_.empty() || left_at_ == run_.t ? Flow::on : run_left_sources(); }
  bool remembers_left() const { return !left_sources_.empty(); }
  bool follows_steps() const { return !step_sources_.empty(); }
  // Where the one thing that follows steps is an object that can be asked whether a step matters to it.
  bool asks_after_steps() const { return steps_.size() == 1 && steps_[0].object != UINT32_MAX; }
  bool does_step_matter(double t, const double* x);

  // Whether the model has asked for a pause since the last question (program/pause.h).
  bool take_pause() { return std::exchange(pause_asked_, false); }

  // Counts an event of this instant; true, with a diagnostic: there are so many that they do not end.
  bool is_endless(std::uint32_t source);

 private:
  // What is asked about a source at every event.
  struct Facts {
    bool critical, reads_states;
    bool plain;        // its function is all there is to an event: nobody records it and nothing follows from it
    bool moves_shown;  // it changes what modes that are only shown depend on
    bool moves_modes;  // … or any modes
    std::size_t procedure;
  };
  // A step source whose table is one call of the time and a state: its object can be asked whether the call matters.
  struct StepQuestion {
    std::uint32_t object = UINT32_MAX;  // none: the table is run after every step
    std::size_t state = 0;              // in the solver's vector
  };
  void describe_sources();
  StepQuestion question_of(const program::Table& table) const;

  Flow run_first_sources(double limit);
  Flow fire_due(std::uint32_t source);
  void note_crowd(std::uint32_t source, double due);
  Flow run_instant_sources();
  Flow run_left_sources();
  Flow fire_plain(std::uint32_t source);
  Flow fire_in_full(std::uint32_t source, Cause cause, double left, double right);
  void set_event_time(std::uint32_t source, Cause cause);
  Flow run_table(std::uint32_t source);
  Flow run_table_now(std::uint32_t source);
  bool program_events(std::uint32_t source);
  Flow run_actions(std::uint32_t source, bool& repeat);
  Flow run_calls(std::uint32_t source);
  bool is_well() { return model_.foreign().empty() || model_.foreign().health() == program::ForeignHealth::well; }
  bool states_are_finite(std::uint32_t cause) {
    double zero = 0;
    for (std::size_t k = 0, count = run_.machine.state_count(); k < count; ++k) zero += 0 * run_.states()[k];
    if (zero != 0) report_not_finite(cause);
    return zero == 0;
  }

  void tell(const program::Action& action, std::span<const double> values);
  void warn_reprogrammed(std::uint32_t source, bool cancelled);
  void report_cycle();
  void report_not_finite(std::uint32_t cause);

  RunContext& run_;
  ModelFunctions& model_;
  TrialPoints& trial_;
  Modes& modes_;
  SolverSeat& seat_;
  EventQueue& queue_;
  ModelInputs& inputs_;
  RunResults& results_;
  EventSensitivity* sensitivity_;
  std::function<void()> between_;
  std::vector<Facts> facts_;                    // by source
  std::vector<std::uint32_t> first_sources_;    // events that come before all others of their instant
  std::vector<std::uint32_t> instant_sources_;  // what follows the last event of an instant
  std::vector<std::uint32_t> final_sources_;    // what happens at the end of the run
  std::vector<std::uint32_t> step_sources_;     // what follows steps
  std::vector<StepQuestion> steps_;             // by step source
  std::vector<std::uint32_t> left_sources_;     // what comes before instants that disturb continuous time
  // Fixed steps, by source: the end of a step at which it fired last, when that event was due, whether it was told.
  struct Crowd {
    double at = std::numeric_limits<double>::quiet_NaN(), due = 0;
    bool told = false;
  };
  std::vector<Crowd> crowds_;
  double left_at_ = -std::numeric_limits<double>::infinity();
  bool pause_asked_ = false;   // by a note of the model
  bool step_matters_ = false;  // the object was asked already, and it does
  double instant_ = 0;
  long events_in_instant_ = 0;
  std::vector<std::uint32_t> recent_sources_;  // of an instant that does not end
  std::set<std::uint32_t> warned_;             // sources whose events were lost
};

}  // namespace orrery::sim
