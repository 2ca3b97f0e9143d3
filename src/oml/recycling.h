// SPDX-License-Identifier: Apache-2.0
// How a process that mostly runs OML treats the memory of large arrays.
#pragma once

namespace orrery::oml {

// Keeps the memory of freed arrays for the next ones instead of returning it to the system each time, which would make
// it zero every page again: a fifth of the time of work on arrays of a million elements. For the whole process, so a
// program decides it, not the interpreter.
void recycle_large_arrays();

}  // namespace orrery::oml
