// SPDX-License-Identifier: Apache-2.0
// Which method of the run-time integrates an exported model, and the derivatives that an implicit one needs.
#pragma once

#include "base/diagnostic.h"
#include "export/c_model.h"

namespace orrery::code_export {

// The number of the method in orrery_rt.h; a solver that is not there has a stand-in, and that is said.
int solver_number(const program::Program& program, const passes::Procedures& cut, const ExportSettings& settings,
                  Diagnostics& diagnostics);

// Adds nodes to the program's graph.
SolverJacobian make_solver_jacobian(program::Program& program, const passes::Procedures& cut, int solver);

}  // namespace orrery::code_export
