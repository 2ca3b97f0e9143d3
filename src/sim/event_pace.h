// SPDX-License-Identifier: Apache-2.0
// Whether events come so fast that the run will never end.
#pragma once

#include "sim/run_context.h"

namespace orrery::sim {

// The pace is looked at every few millions of events. One burst is no reason to stop, three looks in a row are.
class EventPace {
 public:
  // False, with a diagnostic: the run would need a lifetime.
  [[nodiscard]] bool allows(const RunContext& run) { return run.report.events < next_ || is_bearable(run); }

 private:
  bool is_bearable(const RunContext& run);

  long next_ = 0;     // when it is looked at next, in events
  double since_ = 0;  // … and was looked at last
  int hurried_ = 0;   // how often in a row it was too high
};

}  // namespace orrery::sim
