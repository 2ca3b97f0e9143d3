// SPDX-License-Identifier: Apache-2.0
// Where a model rests: states and inputs such that rates, and outputs less what is wanted of them, are zero, or as
// small as they can be.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "analyse/linearise.h"

namespace orrery::analyse {

struct RestRequest {
  LinearRequest model;
  // By element of the states and inputs: whether it may change, and how far. Those that may not keep their values.
  std::vector<bool> free;
  std::vector<double> low, high;
  std::vector<double> start;  // where the search begins; NaN: where the run is
  // Zero, or as small as possible, is mix · (rates and outputs) − wanted.
  math::RealMatrix mix;
  std::vector<double> wanted;
  // Variables of the model that may change as well: the memory of a run that has begun with these values of them.
  // Nothing: no run begins with them.
  std::vector<double> variables, variables_low, variables_high;
  std::function<std::optional<std::vector<std::byte>>(const std::vector<double>& variables)> begin = {};
  double tolerance = 1e-9;  // relative to the largest of states, inputs and 1
  std::function<void(const std::vector<double>& x, const std::vector<double>& residual)> tried = {};
  const std::atomic<bool>* interrupt = nullptr;
};

struct RestPoint {
  std::vector<double> columns, rows;  // states and inputs, rates and outputs at the point
  std::vector<double> variables;
  std::vector<double> left;       // mix · rows − wanted
  std::vector<std::byte> memory;  // of a run, moved to the point
  double residual = 0;            // the largest that is left, in loops too
  bool reached = false;           // all are zero
  int iterations = 0;
};

// From the point the run is at; conditions follow the point. Nothing, and a diagnostic, where loops have no solution or
// the code could not be made.
std::optional<RestPoint> find_rest(const sim::CompiledProgram& compiled, sim::Simulation& run,
                                   const RestRequest& request, Diagnostics& diagnostics);

}  // namespace orrery::analyse
