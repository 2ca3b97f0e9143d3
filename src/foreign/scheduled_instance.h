// SPDX-License-Identifier: Apache-2.0
// An FMU of Scheduled Execution in a run: model partitions that run when their clocks tick, and nothing between.
#pragma once

#include <memory>
#include <vector>

#include "foreign/fmu_instance.h"

namespace orrery::foreign {

class ScheduledInstance final : public FmuInstance {
 public:
  ScheduledInstance(std::shared_ptr<const FmuInterface> interface, const FmuSettings& settings,
                    const program::ForeignRun& run);

  program::ForeignOutcome open(std::span<double> initial) override;
  void compute(int, const void* const*, void* const*) noexcept override {}  // it has no functions
  program::ForeignOutcome perform(int procedure, double t, std::span<const double> arguments,
                                  std::span<double> results) override;
  bool save(std::vector<std::byte>&) override { return false; }
  bool restore(std::span<const std::byte>) override { return false; }

 private:
  bool run_partitions(double t);
  bool ask_for_intervals(double t);
  bool read_outputs(double t, std::span<double> results);

  std::vector<std::uint32_t> all_;  // input ports
  double rounding_;
  double jumped_ = -1.0 / 0.0;  // alone: jumps of inputs up to here have been
  bool warned_ = false;
};

}  // namespace orrery::foreign
