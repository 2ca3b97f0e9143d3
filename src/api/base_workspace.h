// SPDX-License-Identifier: Apache-2.0
// What a run hands to scripts: variables of the base workspace, and signals.
#pragma once

#include <string>
#include <vector>

#include "oml/interpreter.h"
#include "sim/simulation.h"

namespace orrery::api {

// Whether a probe is there for write_to_base and signals_of, not for people to look at.
bool is_bookkeeping(const program::Probe& probe, const program::Program& program);

// Sets the variables that the ToBase blocks name.
void write_to_base(const program::Program& program, const sim::Simulation& simulation, oml::Interpreter& interpreter);

struct NamedValue {
  std::string name;
  oml::Value value;
};

// The signals of the SignalOut blocks as structs with the fields time and ch (Activate, 19.1). The recording must have
// been made with its bookkeeping.
std::vector<NamedValue> signals_of(const program::Program& program, const sim::Recording& recording);
// Every recorded column for people: name, and the values over the time of the recording.
oml::Value columns_of(const program::Program& program, const sim::Recording& recording);

}  // namespace orrery::api
