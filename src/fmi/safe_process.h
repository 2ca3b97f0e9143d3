// SPDX-License-Identifier: Apache-2.0
// An FMU in a process of its own: what it does to its memory, its time or itself does not touch the simulator.
#pragma once

#include <cstdint>
#include <memory>

#include "base/confine.h"
#include "fmi/instance.h"

namespace orrery::fmi {

struct SafeLimits {
  double call_seconds = 60;                       // a call that takes longer is a hang
  std::uint64_t memory_bytes = half_of_memory();  // beyond what the process starts with; 0: unlimited
};

// Forks before anything of the FMU is loaded; the child loads the library and makes the instance. Calls go through
// shared memory: the two sides hand a turn over, spin for a moment and sleep on a futex after that.
std::unique_ptr<Instance> instantiate_safe(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                           const InstanceOptions& options, const SafeLimits& limits,
                                           Diagnostics& diagnostics);

}  // namespace orrery::fmi
