// SPDX-License-Identifier: Apache-2.0
// What an exported model cannot have, block by block, with the reason.
#pragma once

#include "base/diagnostic.h"
#include "export/c_model.h"
#include "passes/make_procedures.h"

namespace orrery::code_export {

// The most unknowns of one system of equations that the run-time solves.
constexpr std::size_t most_unknowns = 32;

// Says everything that stands in the way, once for each block. True: nothing does.
bool check_exportable(const program::Program& program, const passes::Procedures& cut, const ExportSettings& settings,
                      Diagnostics& diagnostics);

// The number of the method in orrery_rt.h; a solver that is not there has a stand-in, and that is said.
int solver_number(const program::Program& program, const ExportSettings& settings, Diagnostics& diagnostics);

}  // namespace orrery::code_export
