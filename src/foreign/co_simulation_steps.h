// SPDX-License-Identifier: Apache-2.0
// The call doStep of FMUs of Co-Simulation, which may refuse a step, or end it early.
#pragma once

#include "fmi/instance.h"
#include "foreign/fmu_interface.h"

namespace orrery::foreign {

class CoSimulationSteps {
 public:
  explicit CoSimulationSteps(const FmuInterface& interface)
      : capabilities(*interface.description.co_simulation),
        event_mode(interface.description.version == fmi::Version::fmi3 && capabilities.event_mode) {}

  // One step from t of length h, halved so many times, and further while the FMU refuses it and may be asked so. It is
  // good when time went on or the FMU wants to end.
  [[nodiscard]] fmi::Status make(fmi::Instance& fmu, double t, double h, double rounding, int& halvings,
                                 fmi::StepInfo& info);

  const fmi::Interface& capabilities;
  const bool event_mode;  // FMI 3.0: events are handled between steps
  long calls = 0;         // of doStep
};

}  // namespace orrery::foreign
