// SPDX-License-Identifier: Apache-2.0
// Steps that are refused are tried with half their length (FMI 2.0: 4.2.1, fmi2Discard).
#include "foreign/co_simulation_steps.h"

#include <cmath>

namespace orrery::foreign {

fmi::Status CoSimulationSteps::make(fmi::Instance& fmu, double t, double h, double rounding, int& halvings,
                                    fmi::StepInfo& info) {
  constexpr int most_halvings = 20;
  for (;; ++halvings) {
    info = {};
    const fmi::Status status = fmu.do_step(t, std::ldexp(h, -halvings), info);
    ++calls;
    const bool progress = info.terminate || info.reached > t + rounding;
    if (status == fmi::Status::discard && progress) return fmi::Status::ok;
    if (status != fmi::Status::discard || !capabilities.variable_step || halvings >= most_halvings) return status;
  }
}

}  // namespace orrery::foreign
