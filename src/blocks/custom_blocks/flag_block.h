// SPDX-License-Identifier: Apache-2.0
// Blocks that are called with flags (Activate, 9.1): what they look like from outside, whatever they are written in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "blocks/block.h"

namespace orrery::blocks {

// A port, a typed discrete state or a typed parameter. Complex numbers have two parts.
struct FlagMatrix {
  Type type;
  std::vector<double> real, imag;  // values, column by column; ports have none
  std::string text;                // of a parameter that is a text
  bool is_text = false;
  bool feedthrough = true;  // inputs
};

struct FlagShape {
  std::vector<FlagMatrix> inputs, outputs, oz, opar;
  std::vector<double> rpar, ipar;
  std::vector<double> x0, xd0, z0;
  std::vector<int> xproperties;  // +1 differential, -1 algebraic
  int activations = 0, events = 0, surfaces = 0, modes = 0, constraints = 0;
  bool implicit = false, jacobian = false, projects = false;

  std::size_t states() const { return x0.size(); }
};

// As settings of a foreign object, and back.
using FlagSettings = std::vector<std::pair<std::string, std::string>>;
FlagSettings to_settings(const FlagShape& shape);
FlagShape from_settings(const FlagSettings& settings);

// Foreign functions and procedures of such a block, as numbered in program::ForeignFunction::entry and
// program::Call::procedure. Arguments of all: time, states, derivatives (implicit blocks), z, all oz, modes, inputs (of
// outputs: those with feedthrough), the event code, the epoch. Complex values are two arguments. Procedures take
// doubles, the directions of the surfaces in the place of the epoch, and give states, z, all oz, modes, delays, epoch.
namespace flag_calls {
enum Function : int { outputs, derivatives, derivative_partials, surfaces, projection };
enum Procedure : int { start, event, crossing, step, terminate };
}  // namespace flag_calls

// The parameters that all of them have, the ports and the behaviour they make.
std::vector<ParameterSpec> flag_parameters();
void declare_flag_ports(Ports& p);
void build_flag_block(Block& b, const std::string& kind, FlagSettings settings);

}  // namespace orrery::blocks
