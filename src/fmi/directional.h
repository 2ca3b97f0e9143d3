// SPDX-License-Identifier: Apache-2.0
// Whether the directional derivatives that an FMU offers can be believed.
#pragma once

#include <span>

#include "fmi/instance.h"

namespace orrery::fmi {

// A step along all states at once against a difference, for an FMU of Model Exchange whose states are x now, and are so
// again afterwards. False: they fail, or are wrong by orders of magnitude. True also where the description does not
// name all states and derivatives, or where the point beside cannot be evaluated.
bool directional_derivatives_agree(const Description& description, Instance& instance, std::span<const double> x);

}  // namespace orrery::fmi
