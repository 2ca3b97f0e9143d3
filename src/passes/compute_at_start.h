// SPDX-License-Identifier: Apache-2.0
// Moves what follows from parameters alone out of the loop, into the start of a run.
#pragma once

#include "program/program.h"

namespace orrery::passes {

// Every largest expression that reads parameters and nothing else becomes a slot that Program::start computes. Matrices
// that are put together of elements stay so: their constant elements, zeros above all, remain known. Computations whose
// results nobody reads are dropped.
void compute_at_start(program::Program& program);

}  // namespace orrery::passes
