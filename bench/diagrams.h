// SPDX-License-Identifier: Apache-2.0
// The benchmark models as diagrams, built in memory.
#pragma once

#include "model/model.h"

namespace orrery::bench {

model::Model diagram_a1(bool idle_clock = true);
model::Model diagram_a2();
model::Model diagram_a3(bool idle_clock = true);
model::Model diagram_b1();
model::Model diagram_b2();
model::Model diagram_b3();
model::Model diagram_c1();
model::Model diagram_c2();
// A double integrator under a controller sampled at 1 kHz.
model::Model diagram_sampled(double stop);
// A chain of loops of four blocks each, with one state for every four blocks.
model::Model diagram_chain(int blocks);

}  // namespace orrery::bench
