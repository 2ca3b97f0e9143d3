// SPDX-License-Identifier: Apache-2.0
// An FMU of Co-Simulation that is the whole model: it makes each step ahead of the run, which comes after it and looks
// at it where the step has ended. So the run knows when that is, also where a step ends early.
#pragma once

#include <memory>
#include <vector>

#include "foreign/co_simulation_steps.h"
#include "foreign/fmu_instance.h"

namespace orrery::foreign {

class PacedInstance final : public FmuInstance {
 public:
  PacedInstance(std::shared_ptr<const FmuInterface> interface, const FmuSettings& settings,
                const program::ForeignRun& run);

  program::ForeignOutcome open(std::span<double> initial) override;
  void compute(int function, const void* const* arguments, void* const* results) noexcept override;
  program::ForeignOutcome perform(int procedure, double t, std::span<const double> arguments,
                                  std::span<double> results) override;
  bool save(std::vector<std::byte>&) override { return false; }
  bool restore(std::span<const std::byte>) override { return false; }

  // Where the last step ends: behind the stop time where all steps have one length.
  static double last_point(const fmi::RunPlan& plan, const fmi::Interface& interface);
  // Lets the FMU ask for its inputs within a step.
  void answer(fmi::InstanceOptions& options);

 private:
  // Communication point n. The last one is the stop time where the FMU can take a shorter step.
  double point(long n) const;
  double next_point(double t) const;
  double next_time_event() const;
  bool begin(double t);
  bool arrive(double t);
  bool step_ahead(double t);
  bool set_step_inputs(double t, double until);
  bool handle_event(double t);
  bool is_wanted();
  bool read(double t);

  CoSimulationSteps steps_;
  bool slopes_work_ = true;
  long point_ = 0, last_point_ = 0;  // grid points reached and to be reached
  long row_ = 0;                     // of the grid of rows, where there is one
  double t_ = 0;                     // where the run is
  double ahead_ = 0;                 // where the FMU is
  bool begun_ = false, stopped_ = false;
  bool under_way_ = false;  // a step has been made that the run has not followed yet
  bool looked_ = true;      // the row is that of where the FMU is
  bool wanted_ = true;      // … and somebody wants to see it
  fmi::StepInfo info_;      // of the step to there
  fmi::EventInfo events_;
  std::vector<double> values_;  // of the row
  int stuck_ = 0;
  std::int32_t epoch_ = 0;
};

}  // namespace orrery::foreign
