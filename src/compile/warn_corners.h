// SPDX-License-Identifier: Apache-2.0
// Functions with corners that nobody locates.
#pragma once

#include "base/diagnostic.h"
#include "program/program.h"

namespace orrery::compile {

// Warns of functions with statements in which comparisons or control flow depend on what moves while the integrator
// steps: error control sees their corners, crossings do not (docs/semantics.md, 7.1).
void warn_corners(const program::Program& program, Diagnostics& diagnostics);

}  // namespace orrery::compile
