// SPDX-License-Identifier: Apache-2.0
// A model linearised at a point of a run: x' = a x + b u, y = c x + d u for small deviations, with modes as they are.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.h"
#include "math/matrix.h"
#include "sim/simulation.h"

namespace orrery::analyse {

struct LinearRequest {
  std::vector<program::SlotId> states;  // of Program::states; the others count as constants
  std::vector<program::SlotId> inputs;  // slots of doubles; they count as constants between events
  std::vector<std::uint32_t> outputs;   // indices into Program::variables, of doubles
  // Places at which loops are opened: what comes in counts no longer (`closed` becomes 0), and `moved`, which is one of
  // the inputs, stands for it with the value it has. The last outputs are the signals there, one for each; they are
  // left out of the results.
  struct Cut {
    program::SlotId moved = program::no_slot, closed = program::no_slot;
  };
  std::vector<Cut> cuts = {};
};

// Elements of states, inputs and outputs follow each other in the order of the request.
struct LinearPoint {
  math::RealMatrix a, b, c, d;
  std::vector<double> state_values, rates, input_values, output_values;
  // False: something on the way has no derivative of its own (a foreign function), so these are extrapolated
  // differences.
  bool exact = true;
};

// Nothing, and a diagnostic, where the loops of the model have no solution or do not determine their unknowns. With a
// memory (of a RestPoint), at that point instead of where the run is.
std::optional<LinearPoint> linearise(const sim::CompiledProgram& compiled, sim::Simulation& run,
                                     const LinearRequest& request, Diagnostics& diagnostics,
                                     const std::vector<std::byte>* memory = nullptr);

}  // namespace orrery::analyse
