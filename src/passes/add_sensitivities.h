// SPDX-License-Identifier: Apache-2.0
// Forward sensitivities: a Program that also computes how its states, memories and outputs change with parameters.
//
// Along a smooth stretch s = dx/dp follows s' = f_x s + f_p. At an event the instant itself may depend on p: with tau =
// dt/dp the total derivative of what the event reads is S = s + f tau, its assignments v give S = v_x S + v_t tau +
// v_p, and what follows is s = S - f tau with the new f (Rozenvasser 1967). The tables here map S to S; whoever runs
// them adds and subtracts f tau, and sets tau. Unknowns z of a loop 0 = r(z, ...) follow it: dz = -r_z \ (r_x s + r_p),
// an expression that is evaluated where z is read.
#pragma once

#include <string>
#include <vector>

#include "program/program.h"

namespace orrery::passes {

// With respect to these parameters of the Program, each one real number. What the start of a run computes gets its
// derivatives there. False when an expression that depends on a parameter has no derivative; the Program must not be
// used then.
bool add_sensitivities(program::Program& program, const std::vector<std::string>& parameters);

}  // namespace orrery::passes
