// SPDX-License-Identifier: Apache-2.0
// An FMU of Co-Simulation in a run: a step is a function of how many there were before, of times and inputs.
#pragma once

#include <memory>
#include <vector>

#include "foreign/co_simulation_steps.h"
#include "foreign/fmu_instance.h"

namespace orrery::foreign {

class SteppingInstance final : public FmuInstance {
 public:
  SteppingInstance(std::shared_ptr<const FmuInterface> interface, const FmuSettings& settings,
                   const program::ForeignRun& run);
  ~SteppingInstance() override;

  program::ForeignOutcome open(std::span<double> initial) override;
  void compute(int function, const void* const* arguments, void* const* results) noexcept override;
  program::ForeignOutcome perform(int procedure, double t, std::span<const double> arguments,
                                  std::span<double> results) override;
  bool save(std::vector<std::byte>& bytes) override;
  bool restore(std::span<const std::byte> bytes) override;

 private:
  Status step(double from, double to, const double* const* held, const double* const* at_end);
  Status go_back_or_keep(double from, double to);
  Status set_means(double t, const double* const* held, const double* const* at_end);
  [[nodiscard]] bool prepare(fmi::LaunchOptions& options, const Place& place, Diagnostics& diagnostics) override;
  void set_points_of_lines(double t);
  Status set_slopes(double h, const double* const* held, const double* const* at_end);
  Status advance(double from, double to);
  Status handle_event(double t, const double* const* inputs = nullptr);
  Status put_inputs(double t, const double* const* values);
  Status read_outputs();
  program::ForeignOutcome give_outputs(program::ForeignOutcome outcome, std::span<double> results);
  program::ForeignOutcome tick(double t, std::span<const double> arguments, std::span<double> results);
  // Newton's method: a step that may be tried again and again.
  void compute_trial(int function, const double* const* arguments, double* result) noexcept;
  Status try_step(double from, double to, const double* const* held, const double* const* at_end);
  Status differentiate(double from, double to, const double* const* held, const double* const* at_end);
  Status settle(const double* const* at_end);

  CoSimulationSteps steps_;
  int order_ = 0;                // of the derivatives of outputs
  bool interpolates_ = false;    // the inputs at the end of a step are given, for their slope
  bool iterates_ = false;        // … and for a step that may be made again
  void* begin_state_ = nullptr;  // of the step made last, to go back to
  double begin_, end_;           // of the step made last
  fmi::ClockCalendar begin_clocks_;
  std::vector<std::uint32_t> all_;          // input ports
  std::vector<std::uint32_t> in_steps_;     // those that may be set between events
  std::int32_t epoch_ = 0;                  // steps made
  std::vector<std::vector<double>> means_;  // of inputs
  std::vector<std::vector<double>> now_;    // outputs, then their derivatives order by order
  struct Trial {                            // the step that was tried last
    double from, to;
    std::vector<std::vector<double>> held, at_end;
    bool stands = false;          // the outputs are those of this trial
    bool differentiated = false;  // … and so are the partial derivatives
  } trial_;
  bool moved_away_ = false;                    // the FMU is where another trial ended
  std::vector<std::vector<double>> partials_;  // by result: for each of its elements one for each element of an input
  // FMI 3.0 with slopes: the step in hand, within which the FMU asks for its inputs.
  struct Lines {
    double from = 0, h = 0;
    const double *const *held = nullptr, *const *at_end = nullptr;
  } lines_;
  bool initialising_ = true;
  bool stepped_ = false;
  bool terminate_ = false;  // the FMU asks for the end
};

}  // namespace orrery::foreign
