// SPDX-License-Identifier: Apache-2.0
// An independent reading of docs/semantics.md: runs a small diagram simply and slowly, to be compared with the
// simulator.
#pragma once

#include <string>
#include <vector>

#include "diagram.h"

namespace orrery::referee {

enum class What { tick, programmed, crossing };

struct Event {
  double time = 0;
  What what = What::tick;
  int block = -1;  // -1 for ticks: all clocks of a diagram make one event
};

struct Sample {
  double time = 0;
  std::vector<double> values;  // of the probes, after a tick of theirs
};

// The doubt says why the answer cannot be compared: something is decided by less than roundings and tolerances.
struct Outcome {
  std::vector<Event> events;
  std::vector<Sample> samples;
  std::string doubt;
};

Outcome judge(const Diagram& diagram);

}  // namespace orrery::referee
