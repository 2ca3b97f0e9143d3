// SPDX-License-Identifier: Apache-2.0
// The sample clocks of a model as clocks of FMI 3.0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"

namespace orrery::code_export {

// One for each synchronous domain: it ticks where any clock of the domain does, maybe oftener. In seconds: interval and
// shift over resolution.
struct FmuClock {
  std::string name, about;
  std::uint32_t source = 0;
  std::int64_t first = 0, stride = 1;  // base ticks
  std::int64_t interval = 1, shift = 0, resolution = 1;
};

std::vector<FmuClock> list_fmu_clocks(const program::Program& program);

// Whether the model programs events for itself, which an importer must be told of.
bool programs_events(const program::Program& program);

}  // namespace orrery::code_export
