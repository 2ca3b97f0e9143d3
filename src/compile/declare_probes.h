// SPDX-License-Identifier: Apache-2.0
// The probes of all sinks, made before tables are lowered so that every table finds them.
#pragma once

#include <unordered_map>

#include "compile/activate.h"

namespace orrery::compile {

struct ProbeIndex {
  std::unordered_map<program::SlotId, std::uint32_t> of_slot;  // Body::probes
  std::unordered_map<std::uint64_t, std::uint32_t> of_event;   // Body::event_probes, by Activations::key
};

ProbeIndex declare_probes(const Bodies& bodies, const Activations& activations, program::Program& program);

}  // namespace orrery::compile
