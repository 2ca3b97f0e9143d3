// SPDX-License-Identifier: Apache-2.0
// When the input clocks of an FMI 3.0 FMU tick (FMI 3.0: 2.2.8 to 2.2.10): periodic ones by their interval and shift,
// changing ones and countdowns as the FMU says, triggered ones at times that the importer is given.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "fmi/description.h"
#include "fmi/instance.h"

namespace orrery::fmi {

class ClockCalendar {
 public:
  ClockCalendar() = default;
  // What the description tells. Start times count from `start`.
  ClockCalendar(const Description& description, double start);

  bool empty() const { return clocks_.empty(); }
  // Times at which a triggered clock ticks, ascending.
  void set_ticks(ValueReference clock, std::vector<double> times);
  // A triggered clock ticks at t.
  void trigger(ValueReference clock, double t);
  // Asks the instance for what the description leaves open, and after ticks for what may have changed.
  Status ask(Instance& instance, double t);
  // The first tick that has not been; infinity: none is known.
  double next() const;
  // The clocks that tick at t or have ticked before, most important first; their next ticks are planned.
  std::vector<ValueReference> take_due(double t, double rounding);
  // Output clocks, and whether any was active when asked.
  const std::vector<ValueReference>& outputs() const { return outputs_; }

 private:
  enum class Plan { periodic, changing, countdown, triggered };
  struct Clock {
    ValueReference reference;
    Plan plan;
    int priority;
    double next = std::numeric_limits<double>::infinity();
    double origin = 0, interval = 0;  // periodic: tick k is at origin + k interval
    long ticks = 0;
    bool asked = false;         // the description tells nothing
    bool just_ticked = true;    // changing: the next interval is to be asked for
    std::vector<double> times;  // triggered
  };
  std::vector<Clock> clocks_;  // by priority
  std::vector<ValueReference> outputs_;
};

}  // namespace orrery::fmi
