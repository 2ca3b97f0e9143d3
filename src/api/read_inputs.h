// SPDX-License-Identifier: Apache-2.0
// The inputs of a model over time, from a table in a file.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "program/program.h"
#include "sim/options.h"

namespace orrery::api {

// A CSV file: the time first, then columns named after the inputs ("u"; elements "u[2]", "u[1,2]"; "u.re" and "u.im" of
// complex ones). Inputs without a column stay 0. Two rows of one time are a jump. False, and diagnostics, when a column
// is of no input, when some elements of an input are missing, or a number does not fit its type.
bool read_inputs(const std::string& file, const program::Program& program, std::vector<sim::InputSeries>& inputs,
                 Diagnostics& diagnostics);

}  // namespace orrery::api
