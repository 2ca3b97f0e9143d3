// SPDX-License-Identifier: Apache-2.0
// Scheduled Execution: the importer is the scheduler and runs the model partition of every input clock when it ticks,
// the most important first, one after the other (FMI 3.0: 5).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fmi/caller.h"
#include "fmi/run.h"

namespace orrery::fmi {
namespace {

constexpr int most_at_one_time = 10'000;

class ScheduledRun {
 public:
  explicit ScheduledRun(Run& run) : run_(run), fmu_(*run.instance), result_(run.result) {
    rounding_ = time_rounding(std::max(std::fabs(result_.start), std::fabs(result_.stop)), 0);
  }

  End run() {
    result_.time = result_.start;
    if (!ask(result_.start) || !record(result_.start)) return End::failed;
    long looks = 0;
    for (;;) {
      const double tick = run_.clocks.next(), row = grid_time(), jump = run_.inputs.next_jump(result_.time);
      const double t = std::min({tick, row, jump, result_.stop});
      const bool ticks = tick <= t + rounding_;
      result_.time = std::max(t, result_.time);
      const bool new_time = t > recorded_ + rounding_;
      if (new_time && !record(result_.time)) return End::failed;
      if (jump <= t && !run_.check(set_inputs(t), t)) return End::failed;
      if (ticks && !activate(result_.time)) return End::failed;
      if (ticks && !record(result_.time)) return End::failed;
      while (grid_time() <= result_.time + rounding_) ++row_;
      if (!ticks && result_.time >= result_.stop) return End::reached_stop;
      if (run_.interrupted()) return End::interrupted;
      if ((++looks & 63) == 0) run_.show_progress(result_.time);
    }
  }

 private:
  double grid_time() const { return result_.start + static_cast<double>(row_) * result_.step; }

  bool record(double t) {
    recorded_ = t;
    return run_.record(t);
  }

  Status set_inputs(double t) {
    Status status = run_.inputs.set_continuous(fmu_, t, Side::right);
    if (succeeded(status)) status = run_.inputs.set_discrete(fmu_, t, Side::right);
    return status;
  }

  bool ask(double t) {
    const Status status = run_.clocks.ask(fmu_, t);
    if (succeeded(status) || status == Status::fatal) return run_.check(status, t);
    if (!warned_) {
      result_.diagnostics.warning(
          "fmi-no-intervals", {run_.file, 0, 0, {}, {}},
          fmt::format("{} failed; clocks whose interval is not known do not tick", fmu_.last_call()));
    }
    return warned_ = true;
  }

  // Partitions may make others due at the same time.
  bool activate(double t) {
    for (int count = 0; run_.clocks.next() <= t + rounding_; ++count) {
      if (count == most_at_one_time) {
        result_.diagnostics
            .error("fmi-no-progress", {run_.file, 0, 0, {}, {}}, "clocks tick again and again at one time")
            .time = t;
        return false;
      }
      for (const ValueReference clock : run_.clocks.take_due(t, rounding_)) {
        if (!run_.check(fmu_.activate_partition(clock, t), t)) return false;
        ++result_.time_events;
        static_cast<void>(fmu_.clocks_changed());  // asked for below in any case
        if (!read_output_clocks(t)) return false;
      }
      if (!ask(t)) return false;
    }
    return true;
  }

  // Reading an output clock is what resets it.
  bool read_output_clocks(double t) {
    const std::vector<ValueReference>& outputs = run_.clocks.outputs();
    if (outputs.empty()) return true;
    std::vector<double> active(outputs.size(), 0);
    const Status status = fmu_.get_numbers(Type::clock, outputs, active);
    for (const double value : active) result_.output_ticks += value != 0 ? 1 : 0;
    return status == Status::fatal ? run_.check(status, t) : true;
  }

  Run& run_;
  Instance& fmu_;
  RunResult& result_;
  double rounding_ = 0;
  double recorded_ = -std::numeric_limits<double>::infinity();
  long row_ = 0;
  bool warned_ = false;
};

}  // namespace

void run_scheduled_execution(Run& run) { run.result.end = ScheduledRun(run).run(); }

}  // namespace orrery::fmi
