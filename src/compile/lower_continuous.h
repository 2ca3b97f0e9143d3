// SPDX-License-Identifier: Apache-2.0
// The continuous part of a Program: states, derivatives, surfaces with their modes, continuous probes.
#pragma once

#include "compile/compose_table.h"
#include "compile/fill_rates.h"

namespace orrery::compile {

struct ContinuousTime {
  std::vector<program::Assign> left;  // what is remembered before an instant that disturbs it
  std::vector<SignalRate> rates;      // those that surfaces read
};

// `always` has evaluated its outputs. `watched` are signals that are shown besides those of probes. Fills values.always
// for the tables that follow.
ContinuousTime lower_continuous(const Bodies& bodies, const Activations& activations, TableComposer& always,
                                const std::vector<program::SlotId>& watched, program::Program& program,
                                SignalValues& values);

}  // namespace orrery::compile
