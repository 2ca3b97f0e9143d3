// SPDX-License-Identifier: Apache-2.0
// Co-Simulation: communication points on a grid that is computed, not added up; steps are split at events and input
// jumps where the FMU allows it (FMI 2.0 and 3.0: 4.2).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/limits.h"
#include "fmi/caller.h"
#include "fmi/run.h"

namespace orrery::fmi {
namespace {

constexpr int most_halvings = 20;
class CoSimulationRun {
 public:
  explicit CoSimulationRun(Run& run)
      : run_(run), fmu_(*run.instance), result_(run.result), interface_(*run.result.description.co_simulation) {
    event_mode_ = run.result.description.version == Version::fmi3 && interface_.event_mode;
    rounding_ = time_rounding(std::max(std::fabs(result_.start), std::fabs(result_.stop)), 0);
    row_interval_ = run.options.interval.value_or(0);
  }

  End run() {
    result_.time = result_.start;
    if (!prepare()) return run_.result.diagnostics.has_errors() ? End::failed : End::terminated;
    std::optional<End> end;
    while (!end) {
      if (fmu_.under_one_guard([&] { end = some_steps(); })) continue;
      static_cast<void>(run_.fail_in_guard(result_.time));
      end = End::failed;
    }
    return *end;
  }

 private:
  enum class Next { go_on, stop, failed };

  // As many as are made before somebody wants to know how far the run is.
  std::optional<End> some_steps() {
    for (int k = 0; k < 64; ++k) {
      if (!(result_.time < result_.stop - rounding_ && point_ < last_point_)) return End::reached_stop;
      const Next next = step();
      if (next == Next::failed) return End::failed;
      if (next == Next::stop) return End::terminated;
      if (run_.interrupted()) return End::interrupted;
    }
    run_.show_progress(result_.time);
    return std::nullopt;
  }

  bool prepare() {
    const double horizon = result_.stop - result_.start;
    // A constant step is not shortened at the end: the last point may then lie beyond the stop time.
    last_point_ = static_cast<long>(std::ceil(horizon / result_.step - 1e-9));
    if (event_mode_) {
      if (!run_.check(run_.clocks.ask(fmu_, result_.start), result_.start)) return false;
      if (!run_.handle_event(result_.start, rounding_)) return false;
      if (run_.events.terminate) return run_.record(result_.start) && false;
      if (!run_.check(fmu_.enter_step_mode(), result_.start)) return false;
    }
    return run_.record(result_.start);
  }

  // Communication point n. The last one is the stop time where the FMU can take a shorter step.
  double point(long n) const {
    const double t = result_.start + static_cast<double>(n) * result_.step;
    const bool near_stop = std::fabs(t - result_.stop) <= 1e-9 * result_.step;
    if (near_stop || (interface_.variable_step && t > result_.stop)) return result_.stop;
    return t;
  }

  // The end of the next step, and whether it is a communication point of the grid.
  double next_point(double t) {
    double target = point(point_ + 1);
    if (!interface_.variable_step) return target;
    const double jump = run_.inputs.next_jump(t + rounding_);
    const double time_event = event_mode_ ? next_time_event() : infinity;
    const double sooner = std::min(jump, time_event);
    if (sooner > t + rounding_ && sooner < target - rounding_) target = sooner;
    return target;
  }

  double next_time_event() const { return std::min(run_.events.next_time.value_or(infinity), run_.next_tick()); }

  // For the step from t to `until`.
  bool set_inputs(double t, double until) {
    if (run_.inputs.empty()) return true;
    if (!run_.check(run_.inputs.set_continuous(fmu_, t, Side::right), t)) return false;
    // With event mode discrete inputs belong there.
    if (!event_mode_ && !run_.check(run_.inputs.set_discrete(fmu_, t, Side::right), t)) return false;
    if (!interface_.interpolates_inputs || !slopes_work_) return true;
    const Status status = run_.inputs.set_slopes(fmu_, t, until);
    if (succeeded(status)) return true;
    slopes_work_ = false;
    if (run_.result.description.version == Version::fmi3) return true;  // there are none
    result_.diagnostics.warning(
        "fmi-no-input-derivatives", {run_.file, 0, 0, {}, {}},
        fmt::format("{} does not work although the FMU offers it; inputs are held within steps", fmu_.last_call()));
    return status != Status::fatal;
  }

  // One doStep, tried with smaller steps when the FMU refuses and may be asked so.
  bool do_step(double t, double target, StepInfo& info) {
    double h = target - t;
    for (int halving = 0;; ++halving) {
      const Status status = fmu_.do_step(t, h, info);
      ++result_.communication_steps;
      if (succeeded(status)) return true;
      const bool progress = info.reached > t + rounding_;
      if (status == Status::discard && (info.terminate || progress)) return true;
      if (status != Status::discard || !interface_.variable_step || halving == most_halvings) {
        return run_.check(status, t);
      }
      h /= 2;
    }
  }

  Next step() {
    const double t = result_.time;
    const double target = next_point(t);
    if (!set_inputs(t, target)) return Next::failed;
    StepInfo info;
    if (!do_step(t, target, info)) return Next::failed;
    double reached = std::fabs(info.reached - target) <= rounding_ ? target : info.reached;
    if (!(reached >= t) || reached > target) reached = target;
    result_.time = reached;
    while (point_ < last_point_ && point(point_ + 1) <= reached + rounding_) ++point_;
    const bool input_event = run_.inputs.next_jump(t + rounding_) <= reached + rounding_;
    const bool time_event = event_mode_ && next_time_event() <= reached + rounding_;
    const bool event = event_mode_ && (info.event_needed || input_event || time_event);
    const bool wanted = row_interval_ <= 0 || reached >= next_row_ - rounding_ || point_ >= last_point_;
    if ((event || info.terminate || wanted) && !run_.record(reached)) return Next::failed;
    while (row_interval_ > 0 && next_row_ <= reached + rounding_) {
      next_row_ = result_.start + row_interval_ * static_cast<double>(++row_);
    }
    if (info.terminate) return Next::stop;
    if (!event_mode_ && reached <= t) {
      result_.diagnostics
          .error("fmi-no-progress", {run_.file, 0, 0, {}, {}}, "the FMU returned early without any progress in time")
          .time = t;
      return Next::failed;
    }
    if (!event && point_ < last_point_ && run_.inputs.has_sides(reached)) return record_other_side(reached);
    if (!event) return Next::go_on;
    result_.time_events += time_event ? 1 : 0;
    result_.input_events += input_event ? 1 : 0;
    result_.state_events += !time_event && !input_event ? 1 : 0;
    return handle_event(reached, reached <= t);
  }

  // A jump of inputs shows in outputs that follow them at once.
  Next record_other_side(double t) {
    ++result_.input_events;
    return set_inputs(t, next_point(t)) && run_.record(t) ? Next::go_on : Next::failed;
  }

  Next handle_event(double t, bool no_progress) {
    stuck_ = no_progress ? stuck_ + 1 : 0;
    if (stuck_ > 1000) {
      result_.diagnostics
          .error("fmi-no-progress", {run_.file, 0, 0, {}, {}}, "the FMU asks for events again and again at one time")
          .time = t;
      return Next::failed;
    }
    if (!run_.check(fmu_.enter_event_mode(), t)) return Next::failed;
    if (!run_.handle_event(t, rounding_)) return Next::failed;
    const bool terminate = run_.events.terminate;
    if (!terminate && !run_.check(fmu_.enter_step_mode(), t)) return Next::failed;
    if (!run_.record(t)) return Next::failed;
    return terminate ? Next::stop : Next::go_on;
  }

  Run& run_;
  Instance& fmu_;
  RunResult& result_;
  const Interface& interface_;
  bool event_mode_ = false, slopes_work_ = true;
  double rounding_ = 0;
  double row_interval_ = 0, next_row_ = 0;
  long row_ = 0;
  long point_ = 0, last_point_ = 0;  // grid points reached and to be reached
  int stuck_ = 0;
};

}  // namespace

void run_co_simulation(Run& run) { run.result.end = CoSimulationRun(run).run(); }

}  // namespace orrery::fmi
