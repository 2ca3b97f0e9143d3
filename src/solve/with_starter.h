// SPDX-License-Identifier: Apache-2.0
// A multistep method with a one-step method for the stretches in which something is expected soon after a start.
#pragma once

#include <memory>

#include "solve/integrator.h"

namespace orrery::solve {

// Multistep methods begin with order one and many small steps. Where the next event is near, they would never get
// beyond that, and cannot follow motions smaller than their tolerance (a ball that hardly bounces); starting them by a
// Runge-Kutta method is Gear's remedy ("Runge-Kutta starters for multistep methods", ACM Trans. Math. Softw. 6, 1980).
std::unique_ptr<Integrator> with_starter(std::unique_ptr<Integrator> method, std::unique_ptr<Integrator> starter,
                                         int states);

}  // namespace orrery::solve
