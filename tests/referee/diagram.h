// SPDX-License-Identifier: Apache-2.0
// A small hybrid diagram as plain numbers, which both the referee and the simulator can read.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "model/model.h"

namespace orrery::referee {

// What a, b and c mean is said behind each kind; a block has one regular output at most.
enum class Kind {
  constant,        // value a
  time,            //
  sine,            // amplitude a, frequency b, phase c
  step,            // from b to c at time a
  gain,            // a
  sum,             // a u1 + b u2, where a and b are 1 or -1
  product,         //
  bias,            // a
  abs,             //
  max,             //
  min,             //
  saturation,      // between a and b
  deadzone,        // between a and b
  sign,            //
  greater,         // u1 > u2, a boolean
  greater_equal,   // u1 >= u2
  floor,           //
  abs_loop,        // y = u - a |y|, an algebraic loop of three blocks
  sat_loop,        // y = u - a min(max(y, -1), 1)
  switch2,         // u1 where u2 >= a, or where a boolean u2 is true; u3 elsewhere
  integral,        // from a; between b and c where b < c
  reset_integral,  // from a; u2 is its value after an activation
  slider,          // from b; rate u1 - a sign(y - u2), with a motion along y = u2; c > 0: as a choice, not a sign
  automaton,       // from 0; mode 1: rate u1, until it is above b; mode 2: from a y on, rate u2 - y, until below c
  fixed_delay,     // by a; before the start b
  hysteresis,      // 1 from above a on, 0 from below b on
  backlash,        // gap a, from b
  rate_limiter,    // slopes from b to a
  sample_hold,     //
  discrete_delay,  // first output a
  counter,         //
  sample_clock,    // period a, offset b
  event_clock,     // period a, offset b
  event_delay,     // a
  event_generate,  // at a, and at b where that is later
  zero_cross,      // up for a > 0, down for a < 0, else both
  edge_trigger,    // rising for a > 0, falling for a < 0, else both
  if_then_else,    //
  event_union      // of its two activation inputs
};

struct Block {
  Kind kind = Kind::constant;
  double a = 0, b = 0, c = 0;
  std::vector<int> inputs;  // indices of the blocks that drive them
};

struct Activation {
  int from = 0;
  int port = 1;
  int to = 0;
  int to_port = 1;
};

// Blocks stand in the order of their dependencies: an input that an output of the same instant needs, and an activation
// that is passed on synchronously, come from a block further up.
struct Diagram {
  std::vector<Block> blocks;
  std::vector<Activation> activations;
  double stop = 1;
  int probe_clock = -1;     // the clock of the probes
  std::vector<int> probes;  // SampleHolds that show the other signals at its ticks

  int add(Kind kind, std::vector<int> inputs = {}, double a = 0, double b = 0, double c = 0);
  void activate(int from, int to, int port = 1, int to_port = 1) { activations.push_back({from, port, to, to_port}); }
};

bool has_output(Kind kind);
bool is_state(Kind kind);                                // has a value that moves by a rate
std::string name_of(const Diagram& diagram, int block);  // "ZeroCross7"

// Time as the model counts it: start + unit * (time of the diagram).
struct TimeFrame {
  double start = 0;
  double unit = 1;
};
// Also in another time frame, in which all must happen in the same way.
model::Model to_model(const Diagram& diagram, const TimeFrame& frame = {});

}  // namespace orrery::referee
