// SPDX-License-Identifier: Apache-2.0
// Co-Simulation alone: communication points on a grid that is computed, not added up; steps are split at events and
// input jumps where the FMU allows it (FMI 2.0 and 3.0: 4.2).
#include "foreign/paced_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fmi/caller.h"

namespace orrery::foreign {

using program::ForeignOutcome;
namespace calls = blocks::fmu_calls;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

long count_points(const fmi::RunPlan& plan) {
  return static_cast<long>(std::ceil((plan.stop - plan.start) / plan.step - 1e-9));
}

double point_of(const fmi::RunPlan& plan, const fmi::Interface& interface, long n) {
  const double t = plan.start + static_cast<double>(n) * plan.step;
  const bool near_stop = std::fabs(t - plan.stop) <= 1e-9 * plan.step;
  return near_stop || (interface.variable_step && t > plan.stop) ? plan.stop : t;
}

}  // namespace

PacedInstance::PacedInstance(std::shared_ptr<const FmuInterface> interface, const FmuSettings& settings,
                             const program::ForeignRun& run)
    : FmuInstance(std::move(interface), settings, run), steps_(interface_) {}

double PacedInstance::last_point(const fmi::RunPlan& plan, const fmi::Interface& interface) {
  return std::max(plan.stop, point_of(plan, interface, count_points(plan)));
}

double PacedInstance::point(long n) const { return point_of(alone_->plan, steps_.capabilities, n); }

void PacedInstance::answer(fmi::InstanceOptions& options) {
  if (!steps_.capabilities.intermediate_update || alone_->options.input.empty()) return;
  for (const fmi::Variable& variable : interface_.description.variables) {
    const bool continuous = variable.variability == fmi::Variability::continuous && variable.alias == fmi::Alias::none;
    if (variable.causality == fmi::Causality::input && continuous) {
      options.intermediate_variables.push_back(variable.reference);
    }
  }
  // Inputs follow their table within a step too.
  options.intermediate = [this](const fmi::IntermediatePoint& at) {
    if (!at.set_requested || fmu_ == nullptr) return false;
    const fmi::Side side = at.time > t_ ? fmi::Side::left : fmi::Side::right;
    static_cast<void>(alone_->inputs.set_continuous(*fmu_, at.time, side));
    return false;
  };
}

ForeignOutcome PacedInstance::open(std::span<double>) {
  t_ = ahead_ = alone_->plan.start;
  last_point_ = count_points(alone_->plan);
  values_.assign(alone_->row ? alone_->row->size() : 0, 0);
  events_ = alone_->events;
  return {};
}

// Rows that the FMU has communication points for, and nobody asked for, are left out.
bool PacedInstance::is_wanted() {
  const double interval = alone_->options.interval.value_or(0), rounding = alone_->rounding;
  const std::vector<double>& times = alone_->plan.row_times;
  if (!times.empty()) {
    const double slack = 1e-6 * alone_->plan.step;
    const auto time = std::lower_bound(times.begin(), times.end(), ahead_ - slack);
    return (time != times.end() && *time <= ahead_ + slack) || ahead_ >= point(last_point_) - rounding;
  }
  const auto next = [&] { return alone_->plan.start + interval * static_cast<double>(row_); };
  const bool on_grid = interval <= 0 || ahead_ >= next() - rounding || ahead_ >= point(last_point_) - rounding;
  while (interval > 0 && next() <= ahead_ + rounding) ++row_;
  return on_grid;
}

// The row as the FMU is.
bool PacedInstance::read(double t) {
  looked_ = true;
  if (!alone_->row) return true;
  const bool ok = fmi::succeeded(read_row(t, values_.data()));
  if (!wanted_) values_[0] = 0;
  return ok;
}

// Of the time in question: what was read last, or the FMU itself where the run has caught up with it. Between the
// points of communication there is nothing to be seen.
void PacedInstance::compute(int, const void* const* arguments, void* const* results) noexcept {
  const double t = *static_cast<const double*>(arguments[0]);
  auto* row = static_cast<double*>(results[0]);
  const bool caught_up = t >= ahead_ - alone_->rounding;
  if (!looked_ && caught_up && fmu_->death() == nullptr) read(t);
  std::copy(values_.begin(), values_.end(), row);
  if (!caught_up && t > t_ + alone_->rounding) row[0] = 0;
}

ForeignOutcome PacedInstance::perform(int procedure, double t, std::span<const double>, std::span<double> results) {
  ForeignOutcome outcome;
  if (procedure == calls::start) {
    outcome.ok = begin(t);
    outcome.wake = t;
  } else {
    under_way_ = false;
    outcome.ok = arrive(std::max(t, ahead_));
    outcome.wake = under_way_ ? ahead_ : infinity;
  }
  outcome.stop = stopped_;
  outcome.changed = true;
  results[0] = ++epoch_;
  return outcome;
}

bool PacedInstance::begin(double t) {
  if (steps_.event_mode) {
    if (!iterate_events(t, events_, false) || !handle_event(t)) return false;
    stopped_ = events_.terminate;
    if (!stopped_ && !check(fmu_->enter_step_mode())) return false;
  }
  return read(t);
}

double PacedInstance::next_time_event() const {
  return steps_.event_mode ? events_.next_time.value_or(infinity) : infinity;
}

// The end of the next step.
double PacedInstance::next_point(double t) const {
  const double rounding = alone_->rounding;
  const double target = point(point_ + 1);
  if (!steps_.capabilities.variable_step) return target;
  const double sooner = std::min(alone_->inputs.next_jump(t + rounding), next_time_event());
  return sooner > t + rounding && sooner < target - rounding ? sooner : target;
}

// The run is where the last step has ended.
bool PacedInstance::arrive(double t) {
  const double rounding = alone_->rounding, from = t_;
  if (stopped_) return true;
  if (!begun_) {
    begun_ = true;
    return t >= alone_->plan.stop - rounding || step_ahead(t);
  }
  if (!looked_ && !read(t)) return false;
  fmi::InputSeries& inputs = alone_->inputs;
  while (point_ < last_point_ && point(point_ + 1) <= t + rounding) ++point_;
  const bool input_event = inputs.next_jump(from + rounding) <= t + rounding;
  const bool time_event = next_time_event() <= t + rounding;
  const bool event = steps_.event_mode && (info_.event_needed || input_event || time_event);
  t_ = t;
  wanted_ = true;  // the other side of an event is
  stopped_ = info_.terminate;
  const bool at_end = point_ >= last_point_ || t >= alone_->plan.stop - rounding;
  FmuCounts& counts = alone_->counts;
  if (!stopped_ && event) {
    counts.time_events += time_event ? 1 : 0;
    counts.input_events += input_event ? 1 : 0;
    counts.state_events += !time_event && !input_event ? 1 : 0;
    stuck_ = t <= from ? stuck_ + 1 : 0;
    if (stuck_ > 1000) {
      complain("fmi-no-progress", "the FMU asks for events again and again at one time");
      return false;
    }
    if (!check(fmu_->enter_event_mode()) || !handle_event(t)) return false;
    stopped_ = events_.terminate;
    if (!stopped_ && !check(fmu_->enter_step_mode())) return false;
    if (!read(t)) return false;
  } else if (!stopped_ && !at_end && inputs.has_sides(t) && alone_->options.input_point == fmi::InputPoint::begin) {
    // A jump of inputs shows in outputs that follow them at once.
    ++counts.input_events;
    if (!set_step_inputs(t, next_point(t)) || !read(t)) return false;
  }
  return stopped_ || at_end || step_ahead(t);
}

// Event mode has been entered.
bool PacedInstance::handle_event(double t) {
  return tick_clocks(t) && set_event_inputs(t) && iterate_events(t, events_, true);
}

// For the step from t to `until`.
bool PacedInstance::set_step_inputs(double t, double until) {
  fmi::InputSeries& inputs = alone_->inputs;
  if (inputs.empty()) return true;
  const fmi::InputPoint point = alone_->options.input_point;
  const double at = point == fmi::InputPoint::begin ? t : point == fmi::InputPoint::end ? until : t + (until - t) / 2;
  if (!check(inputs.set_continuous(*fmu_, at, fmi::Side::right))) return false;
  // With event mode discrete inputs belong there.
  if (!steps_.event_mode && !check(inputs.set_discrete(*fmu_, at, fmi::Side::right))) return false;
  if (!steps_.capabilities.interpolates_inputs || !slopes_work_ || point != fmi::InputPoint::begin) return true;
  const Status status = inputs.set_slopes(*fmu_, t, until);
  if (fmi::succeeded(status)) return true;
  slopes_work_ = false;
  if (interface_.description.version == fmi::Version::fmi3) return true;  // there are none
  warn("fmi-no-input-derivatives",
       fmt::format("{} does not work although the FMU offers it; inputs are held within steps", fmu_->last_call()));
  return status != Status::fatal || check(status);
}

bool PacedInstance::step_ahead(double t) {
  const double target = next_point(t);
  t_ = t;
  if (!set_step_inputs(t, target)) return false;
  int halvings = 0;
  const Status status = steps_.make(*fmu_, t, target - t, alone_->rounding, halvings, info_);
  alone_->counts.communication_steps = steps_.calls;
  if (!check(status)) return false;
  const double reached = std::fabs(info_.reached - target) <= alone_->rounding ? target : info_.reached;
  ahead_ = reached >= t && reached <= target ? reached : target;
  looked_ = false;
  under_way_ = true;
  const double due = ahead_ + alone_->rounding;
  const bool event = steps_.event_mode && (info_.event_needed || next_time_event() <= due ||
                                           alone_->inputs.next_jump(t + alone_->rounding) <= due);
  wanted_ = is_wanted() || event || info_.terminate;
  if (steps_.event_mode || info_.terminate || ahead_ > t) return true;
  complain("fmi-no-progress", "the FMU returned early without any progress in time");
  return false;
}

}  // namespace orrery::foreign
