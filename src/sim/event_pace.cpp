// SPDX-License-Identifier: Apache-2.0
// A look at the pace of events.
#include "sim/event_pace.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::sim {

bool EventPace::is_bearable(const RunContext& run) {
  constexpr long often = 2'000'000;
  const double events = static_cast<double>(run.report.events - (next_ - often));
  const double needed = events / std::max(run.t - since_, 1e-300) * (run.options.stop - run.t);
  hurried_ = next_ > 0 && needed > most_events ? hurried_ + 1 : 0;
  next_ = run.report.events + often;
  since_ = run.t;
  if (hurried_ < 3) return true;
  run.diagnostics
      .error("too-many-events", run.place_of(0),
             fmt::format("{} events have brought the run to t = {:.6g}; at this pace it needs about {:.1e} more",
                         run.report.events, run.t, needed),
             "look for a period or delay that is far too short (--events FILE lists who fires), or a smaller stop time")
      .time = run.t;
  return false;
}

}  // namespace orrery::sim
