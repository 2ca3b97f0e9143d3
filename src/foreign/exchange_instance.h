// SPDX-License-Identifier: Apache-2.0
// An FMU of Model Exchange in a run: a function of time, states and inputs between events, a procedure at them.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "foreign/fmu_instance.h"
#include "foreign/fmu_partials.h"

namespace orrery::foreign {

class ExchangeInstance final : public FmuInstance {
 public:
  ExchangeInstance(std::shared_ptr<const FmuInterface> interface, const FmuSettings& settings,
                   const program::ForeignRun& run);

  program::ForeignOutcome open(std::span<double> initial) override;
  program::ForeignEntry entry(int function) override;
  void compute(int function, const void* const* arguments, void* const* results) noexcept override;
  program::ForeignOutcome perform(int procedure, double t, std::span<const double> arguments,
                                  std::span<double> results) override;
  bool needs_step_call(double t, const double* x) noexcept override;
  double next_bend(double t) noexcept override;
  bool save(std::vector<std::byte>& bytes) override;
  bool restore(std::span<const std::byte> bytes) override;

  std::size_t states() const { return n_; }
  std::size_t indicators() const { return nz_; }

 private:
  bool initialised() override;
  enum class Mode : std::uint8_t { initialising, continuous };

  // Sets time, states and those inputs that may change now.
  Status place(double t, const double* x, const std::vector<std::uint32_t>& ports, const double* const* inputs);
  Status place_and_derive(const void* const* arguments, std::span<double> dx);
  void choose_inputs(const std::vector<std::uint32_t>& ports, const double* const* inputs);
  Status move(double t, const double* x, std::span<double> dx);
  Status set_and_derive(double t, const double* x, std::span<double> dx);
  void compute_derivatives(const void* const* arguments, void* const* results) noexcept;
  void compute_indicators(const void* const* arguments, void* const* results) noexcept;
  Status complete(double t, const double* x, fmi::CompletedInfo& completed);
  Status place_for(const std::vector<std::uint32_t>& ports, const void* const* arguments);
  const std::vector<std::uint32_t>& ports_of(int function) const;
  static std::size_t output_of(int function) {
    return static_cast<std::size_t>((function - blocks::fmu_calls::first_output) / 2);
  }
  Status evaluate(int function, double* values);

  struct Slopes {
    FmuPartials structure;
    bool directional = false;
    std::vector<fmi::ValueReference> unknowns;
    std::vector<double> base, moved;
    bool compared = false;  // with differences
  };
  Slopes& slopes_of(int function);
  bool prepare_directional(int function, Slopes& slopes) const;
  Status partials(int function, double* values);
  Status directional_partials(Slopes& slopes, double* values);
  bool agrees_with_differences(int function, Slopes& slopes, const double* values);
  Status difference_partials(int function, Slopes& slopes, double* values);

  // Whether nothing but time and states is to be set between events.
  bool has_inputs() const { return !all_.empty() || (alone_ && !alone_->inputs.empty()); }
  bool is_plain() const { return mode_ == Mode::continuous && n_ > 0 && !has_inputs(); }
  bool is_at(double t, const double* x) const {
    if (t != t_ || !x_known_) return false;
    for (std::size_t k = 0; k < n_; ++k) {  // mostly the first one differs
      if (std::bit_cast<std::uint64_t>(x[k]) != std::bit_cast<std::uint64_t>(x_[k])) return false;
    }
    return true;
  }
  Status set_table(double t);
  Status indicate(double t, const double* x, double* z);
  program::ForeignOutcome start_alone(double t, std::span<double> results);
  program::ForeignOutcome time_event(double t, const double* x, const double* inputs, std::span<double> results);
  program::ForeignOutcome start(double t, const double* inputs, std::span<double> results);
  program::ForeignOutcome handle_event(double t, const double* x, const double* inputs, FmuResults::Why why,
                                       std::span<double> results);
  program::ForeignOutcome completed_step(double t, const double* x, const double* inputs, std::span<double> results);
  bool too_many_events(double t);
  void drop_stale_time_event(double t, fmi::EventInfo& events);
  program::ForeignOutcome finish_event(double t, fmi::EventInfo& events, std::span<double> results);
  void read_nominals();

  std::size_t n_, nz_;
  std::vector<std::uint32_t> all_, continuous_;  // input ports
  std::vector<std::uint32_t> changing_;          // of those in question, the ones that may be set now
  std::vector<const double*> changing_values_;
  Mode mode_ = Mode::initialising;
  bool plain_ = false;  // is_plain(), as it was at the last event
  std::int32_t epoch_ = 0;
  double t_;
  double wake_;            // when the FMU wants its next time event
  double event_t_;         // of the last event: for the FMU, time never lies before it
  std::vector<double> x_;  // as the FMU has them
  std::vector<double> nominals_;
  bool x_known_ = false;
  double crowd_begin_;  // events that follow each other without progress in time
  long crowd_ = 0;
  int repetitions_ = 0;  // of an event time that has passed
  bool warned_of_stale_events_ = false;
  double fmu_wake_, jump_;        // why: an event of the FMU, or of the table of inputs of an FMU that runs alone
  double table_t_;                // alone: for when the inputs of the table are set
  bool step_completed_ = false;   // the FMU has been told of the step that the run is about to tell of
  fmi::CompletedInfo completed_;  // … and has said so
  bool step_open_ = false;        // states were set since the last completed step
  bool derived_ = false;          // derivatives have been asked for
  bool tested_ = false;           // directional derivatives, against a difference
  std::map<int, Slopes> slopes_;
  std::vector<std::vector<double>> last_outputs_;  // of an FMU that was ended
};

}  // namespace orrery::foreign
