// SPDX-License-Identifier: Apache-2.0
// The probes of all sinks, made before tables are lowered so that every table finds them.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "compile/activate.h"

namespace orrery::compile {

struct ProbeIndex {
  std::unordered_map<program::SlotId, std::uint32_t> of_slot;  // Body::probes
  std::unordered_map<std::uint64_t, std::uint32_t> of_event;   // Body::event_probes, by Activations::key
};

// Probes of a block that rules record: they take values at the events of these rules only.
std::unordered_set<program::SlotId> recorded_by_rules(const blocks::Body& body);

ProbeIndex declare_probes(const Bodies& bodies, const Activations& activations, program::Program& program);

}  // namespace orrery::compile
