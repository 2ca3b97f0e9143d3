// SPDX-License-Identifier: Apache-2.0
// The benchmark models as diagrams: texts of model files.
#pragma once

#include <string>

namespace orrery::bench {

std::string diagram_a1(bool idle_clock = true);
std::string diagram_a2();
std::string diagram_a3(bool idle_clock = true);
std::string diagram_b1();
std::string diagram_b2();
std::string diagram_b3();
std::string diagram_c1();
std::string diagram_c2();
// A double integrator under a controller sampled at 1 kHz.
std::string diagram_sampled(double stop);
// A chain of loops of four blocks each, with one state for every four blocks.
std::string diagram_chain(int blocks);
std::string diagram_van_der_pol();
// u' = 1 + u^2 v - 4 u + d u'', v' = 3 u - u^2 v + d v'' on a line of cells; states u0 v0 u1 v1 …
std::string diagram_brusselator(int cells);

}  // namespace orrery::bench
