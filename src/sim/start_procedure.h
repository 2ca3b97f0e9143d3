// SPDX-License-Identifier: Apache-2.0
// The values of parameters in a run's memory.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "program/procedure.h"
#include "program/program.h"

namespace orrery::sim {

// A value for a parameter of the Program: its elements, column by column, or one number for all of them.
struct ParameterSetting {
  std::string name;
  std::vector<double> values;
};

// Whether the Program has these parameters and can be run with other values of them.
[[nodiscard]] bool check_parameters(const program::Program& program, const std::vector<ParameterSetting>& settings,
                                    Diagnostics& diagnostics);
// Writes them; they have been checked.
void set_parameters(const program::Program& program, const std::vector<ParameterSetting>& settings,
                    const program::Layout& layout, std::byte* memory);

}  // namespace orrery::sim
