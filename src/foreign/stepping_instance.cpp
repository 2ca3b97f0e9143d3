// SPDX-License-Identifier: Apache-2.0
// Co-Simulation: from one communication point to the next (FMI 2.0 and 3.0: 4.2; Activate, 12.7).
#include "foreign/stepping_instance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/limits.h"
#include "fmi/caller.h"

namespace orrery::foreign {

using program::ForeignOutcome;
namespace calls = blocks::fmu_calls;

namespace {

constexpr int most_parts = 100'000;  // of a step that ends early again and again

}  // namespace

SteppingInstance::SteppingInstance(std::shared_ptr<const FmuInterface> interface, const FmuSettings& settings,
                                   const program::ForeignRun& run)
    : FmuInstance(std::move(interface), settings, run),
      steps_(interface_),
      begin_(nan),
      end_(nan),
      all_(interface_.inputs.size()) {
  std::iota(all_.begin(), all_.end(), 0u);
  for (std::uint32_t k : all_) {
    if (!steps_.event_mode || !interface_.inputs[k].discrete) in_steps_.push_back(k);
  }
  const std::string order = other(settings, "derivatives");
  order_ = order.empty() ? 0 : std::stoi(order);
  interpolates_ = !other(settings, "interpolate").empty();
  iterates_ = !other(settings, "iterate").empty();
  for (const FmuPort& port : interface_.inputs) means_.emplace_back(static_cast<std::size_t>(port.type.size()));
  trial_.held = trial_.at_end = means_;
  for (int k = 0; k <= order_; ++k) {
    for (const FmuPort& port : interface_.outputs) now_.emplace_back(static_cast<std::size_t>(port.type.size()));
  }
  for (const auto& values : now_) {
    std::size_t columns = 0;
    for (const auto& input : means_) columns += input.size();
    partials_.emplace_back(values.size() * columns);
  }
}

SteppingInstance::~SteppingInstance() {
  if (fmu_ && begin_state_ != nullptr && fmu_->death() == nullptr) static_cast<void>(fmu_->free_state(begin_state_));
}

ForeignOutcome SteppingInstance::open(std::span<double> initial) {
  ForeignOutcome outcome;
  outcome.ok = enter_initialisation();
  if (outcome.ok && interface_.description.version == fmi::Version::fmi1) {
    fmi::EventInfo events;
    outcome.ok = leave_initialisation(events);
    initialising_ = false;
  }
  outcome.ok = outcome.ok && check(read_outputs());
  auto next = initial.begin();
  for (const auto& values : now_) next = std::copy(values.begin(), values.end(), next);
  return outcome;
}

// Derivatives are there only after a step.
fmi::Status SteppingInstance::read_outputs() {
  Status status = Status::ok;
  const std::size_t count = interface_.outputs.size();
  for (std::size_t k = 0; k < count && fmi::succeeded(status); ++k) status = get_output(k, now_[k].data());
  for (int order = 1; order <= order_ && fmi::succeeded(status); ++order) {
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<double>& values = now_[static_cast<std::size_t>(order) * count + k];
      std::fill(values.begin(), values.end(), 0.0);
      const fmi::Variable& variable = interface_.variable(interface_.outputs[k]);
      if (!stepped_ || variable.type != fmi::Type::float64 || values.size() != 1) continue;
      if (!fmi::succeeded(fmu_->get_output_derivatives({&variable.reference, 1}, order, values))) values[0] = 0;
    }
  }
  return status;
}

void SteppingInstance::compute(int function, const void* const* arguments, void* const* results) noexcept {
  if (function >= calls::first_output) {
    return compute_trial(function, reinterpret_cast<const double* const*>(arguments), static_cast<double*>(results[0]));
  }
  const std::int32_t epoch = *static_cast<const std::int32_t*>(arguments[0]);
  const auto* numbers = reinterpret_cast<const double* const*>(arguments);
  const bool active = *numbers[1] != 0;
  // The step of an epoch is made once; whoever asks again gets its outputs.
  if (active && !ended_ && !initialising_ && epoch == epoch_) {
    const double* const* held = numbers + 4;
    const bool both = interpolates_ || iterates_;
    const bool ok = note(step(*numbers[2], *numbers[3], held, both ? held + all_.size() : nullptr));
    ++epoch_;
    if (!ok) {
      for (auto& values : now_) std::fill(values.begin(), values.end(), nan);
    }
  }
  for (std::size_t k = 0; k < now_.size(); ++k) {
    std::copy(now_[k].begin(), now_[k].end(), static_cast<double*>(results[k]));
  }
}

fmi::Status SteppingInstance::step(double from, double to, const double* const* held, const double* const* at_end) {
  Status status = iterates_ ? go_back_or_keep(from, to) : Status::ok;
  if (fmi::succeeded(status))
    status = iterates_ && !interpolates_ ? set_means(from, held, at_end) : put_inputs(from, held);
  const bool asks = interface_.description.version == fmi::Version::fmi3;
  if (fmi::succeeded(status) && interpolates_ && !asks && to > from) status = set_slopes(to - from, held, at_end);
  if (interpolates_ && asks) lines_ = {from, to - from, held, at_end};
  if (iterates_) terminate_ = false;
  if (fmi::succeeded(status) && to > from) {
    status = advance(from, to);
    stepped_ = true;
  }
  lines_ = {};
  if (fmi::succeeded(status) && iterates_) status = put_inputs(to, at_end);
  return fmi::succeeded(status) ? read_outputs() : status;
}

void SteppingInstance::compute_trial(int function, const double* const* arguments, double* result) noexcept {
  const auto k = static_cast<std::size_t>(function - calls::first_output) / 2;
  const bool partials = (function - calls::first_output) % 2 != 0;
  const bool active = *arguments[0] != 0 && !ended_ && !initialising_;
  bool ok = true;
  if (active) {
    const double* const* held = arguments + 3;
    const double* const* at_end = held + all_.size();
    ok = note(partials ? differentiate(*arguments[1], *arguments[2], held, at_end)
                       : try_step(*arguments[1], *arguments[2], held, at_end));
  }
  const std::vector<double>& values = partials ? partials_[k] : now_[k];
  for (std::size_t e = 0; e < values.size(); ++e) result[e] = ok ? values[e] : nan;
}

namespace {

void copy_ports(const double* const* values, std::vector<std::vector<double>>& copy) {
  for (std::size_t k = 0; k < copy.size(); ++k) std::copy_n(values[k], copy[k].size(), copy[k].begin());
}

bool equal_ports(const double* const* values, const std::vector<std::vector<double>>& copy) {
  for (std::size_t k = 0; k < copy.size(); ++k) {
    if (!std::equal(copy[k].begin(), copy[k].end(), values[k])) return false;
  }
  return true;
}

std::vector<const double*> pointers(const std::vector<std::vector<double>>& ports) {
  std::vector<const double*> list;
  for (const auto& values : ports) list.push_back(values.data());
  return list;
}

}  // namespace

fmi::Status SteppingInstance::try_step(double from, double to, const double* const* held, const double* const* at_end) {
  const bool same = trial_.stands && trial_.from == from && trial_.to == to && equal_ports(held, trial_.held) &&
                    equal_ports(at_end, trial_.at_end);
  if (same) return Status::ok;
  trial_.from = from;
  trial_.to = to;
  copy_ports(held, trial_.held);
  copy_ports(at_end, trial_.at_end);
  trial_.differentiated = false;
  moved_away_ = false;
  const Status status = step(from, to, held, at_end);
  trial_.stands = fmi::succeeded(status);
  return status;
}

// Differences. FMUs with solvers inside are not smooth to the last digits, hence the wide step.
fmi::Status SteppingInstance::differentiate(double from, double to, const double* const* held,
                                            const double* const* at_end) {
  Status status = try_step(from, to, held, at_end);
  if (!fmi::succeeded(status) || trial_.differentiated) return status;
  const std::vector<std::vector<double>> base = now_;
  const std::vector<const double*> begin = pointers(trial_.held);
  std::size_t columns = 0, column = 0;
  for (const auto& values : trial_.at_end) columns += values.size();
  for (std::size_t k = 0; k < base.size(); ++k) partials_[k].assign(base[k].size() * columns, 0);
  for (auto& values : trial_.at_end) {
    for (double& value : values) {
      const double there = value, delta = 1e-4 * std::max(1.0, std::fabs(value));
      value = there + delta;
      status = step(from, to, begin.data(), pointers(trial_.at_end).data());
      value = there;
      if (!fmi::succeeded(status)) break;
      for (std::size_t k = 0; k < base.size(); ++k) {
        for (std::size_t e = 0; e < base[k].size(); ++e) {
          partials_[k][e * columns + column] = (now_[k][e] - base[k][e]) / delta;
        }
      }
      ++column;
    }
    if (!fmi::succeeded(status)) break;
  }
  now_ = base;
  trial_.differentiated = fmi::succeeded(status);
  moved_away_ = columns > 0;
  return status;
}

// The inputs at the end are known: the FMU makes the step with them, if that was not the last one it made.
fmi::Status SteppingInstance::settle(const double* const* at_end) {
  if (!trial_.stands || (!moved_away_ && equal_ports(at_end, trial_.at_end))) return Status::ok;
  moved_away_ = false;
  copy_ports(at_end, trial_.at_end);
  return step(trial_.from, trial_.to, pointers(trial_.held).data(), at_end);
}

fmi::Status SteppingInstance::go_back_or_keep(double from, double to) {
  if (from == begin_ && to == end_) {
    forget_inputs();
    clocks_ = begin_clocks_;
    return fmu_->set_state(begin_state_);
  }
  begin_ = from;
  end_ = to;
  begin_clocks_ = clocks_;
  return fmu_->get_state(begin_state_);
}

// Without slopes a step of second order has the mean of the inputs at both ends; discrete ones are held.
fmi::Status SteppingInstance::set_means(double t, const double* const* held, const double* const* at_end) {
  std::vector<const double*> means;
  for (std::uint32_t k : all_) {
    for (std::size_t e = 0; e < means_[k].size(); ++e) {
      means_[k][e] = interface_.inputs[k].discrete ? held[k][e] : (held[k][e] + at_end[k][e]) / 2;
    }
    means.push_back(means_[k].data());
  }
  return put_inputs(t, means.data());
}

// With event mode discrete inputs belong there (FMI 3.0: 4.2.1).
fmi::Status SteppingInstance::put_inputs(double t, const double* const* values) {
  std::vector<const double*> list;
  for (std::uint32_t k : in_steps_) list.push_back(values[k]);
  const Status status = set_inputs(in_steps_, list.data());
  if (!fmi::succeeded(status) || in_steps_.size() == all_.size()) return status;
  const bool changed = std::any_of(all_.begin(), all_.end(), [&](std::uint32_t k) {
    return interface_.inputs[k].discrete && interface_.variable(interface_.inputs[k]).clocks.empty() &&
           !has_been_sent(k, values[k]);
  });
  return changed ? handle_event(t, values) : status;
}

// FMI 3.0 has no slopes: the FMU asks for its inputs during the step (FMI 3.0: 4.2.2).
bool SteppingInstance::prepare(fmi::LaunchOptions& options, const Place& place, Diagnostics& diagnostics) {
  if (!interpolates_ || interface_.description.version != fmi::Version::fmi3) return true;
  if (options.safe) {
    Place where = place;
    where.port = "parameter interpolate";
    diagnostics.error("bad-parameter", where, "an FMU of FMI 3.0 in a process of its own cannot ask for its inputs",
                      "set interpolate or safe to 0");
    return false;
  }
  for (const FmuPort& port : interface_.inputs) {
    if (!port.discrete) options.instance.intermediate_variables.push_back(interface_.variable(port).reference);
  }
  options.instance.intermediate = [this](const fmi::IntermediatePoint& point) {
    if (point.set_requested) set_points_of_lines(point.time);
    return false;
  };
  return true;
}

void SteppingInstance::set_points_of_lines(double t) {
  if (!(lines_.h > 0)) return;
  std::vector<std::uint32_t> ports;
  std::vector<const double*> values;
  const double share = (t - lines_.from) / lines_.h;
  for (std::uint32_t k : all_) {
    if (interface_.inputs[k].discrete) continue;
    for (std::size_t e = 0; e < means_[k].size(); ++e) {
      means_[k][e] = lines_.held[k][e] + share * (lines_.at_end[k][e] - lines_.held[k][e]);
    }
    ports.push_back(k);
    values.push_back(means_[k].data());
  }
  note(set_inputs(ports, values.data()));
}

fmi::Status SteppingInstance::set_slopes(double h, const double* const* held, const double* const* at_end) {
  for (std::uint32_t k : all_) {
    const FmuPort& port = interface_.inputs[k];
    const fmi::Variable& variable = interface_.variable(port);
    if (port.discrete || port.type.size() != 1 || variable.type != fmi::Type::float64) continue;
    double slope = (at_end[k][0] - held[k][0]) / h;
    if (variable.alias == fmi::Alias::negated) slope = -slope;
    const Status status = fmu_->set_input_derivatives({&variable.reference, 1}, 1, {&slope, 1});
    if (!fmi::succeeded(status)) return status;
  }
  return Status::ok;
}

// One doStep; more where the FMU returns early or refuses a step that is too large for it.
fmi::Status SteppingInstance::advance(double from, double to) {
  const double rounding = 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(from), std::fabs(to));
  double t = from;
  int halvings = 0;
  for (int part = 0; t < to - rounding; ++part) {
    fmi::StepInfo info;
    const double tick = steps_.event_mode ? clocks_.next() : to;
    const double h = std::min(to, std::max(tick, t)) - t;
    if (steps_.event_mode && tick <= t + rounding) {
      const Status event = handle_event(t);
      if (!fmi::succeeded(event)) return event;
      if (terminate_) return Status::ok;
      continue;
    }
    const Status status = steps_.make(*fmu_, t, h, rounding, halvings, info);
    if (info.terminate) {
      terminate_ = true;
      return Status::ok;
    }
    if (!fmi::succeeded(status)) return status;
    const bool moved = info.reached > t + rounding;
    if (!moved && !info.event_needed) return Status::error;
    if (part > most_parts) return Status::error;
    t = std::min(std::max(info.reached, t), to);
    if (steps_.event_mode && (info.event_needed || clocks_.next() <= t + rounding)) {
      const Status event = handle_event(t);
      if (!fmi::succeeded(event)) return event;
      if (terminate_) return Status::ok;
    }
    halvings = std::max(0, halvings - 1);
  }
  return Status::ok;
}

// With new values of discrete inputs, where there are any.
fmi::Status SteppingInstance::handle_event(double t, const double* const* inputs) {
  fmi::EventInfo events;
  Status status = fmu_->enter_event_mode();
  if (!fmi::succeeded(status)) return status;
  if (!tick_clocks(t)) return Status::error;
  if (inputs != nullptr) {
    const std::vector<std::uint32_t> ports = settable(all_);
    std::vector<const double*> list;
    for (std::uint32_t k : ports) list.push_back(inputs[k]);
    status = set_inputs(ports, list.data());
    if (!fmi::succeeded(status)) return status;
  }
  if (!iterate_events(t, events, true)) return Status::error;
  terminate_ = events.terminate;
  return terminate_ ? Status::ok : fmu_->enter_step_mode();
}

ForeignOutcome SteppingInstance::perform(int procedure, double t, std::span<const double> arguments,
                                         std::span<double> results) {
  ForeignOutcome outcome;
  if (ended_) return outcome;
  if (procedure == calls::completed_step) {
    if (iterates_ && !arguments.empty()) outcome.ok = check(settle(split_inputs(arguments.data() + 1).data()));
    if (!results.empty()) outcome = tick(t, arguments, results);
    outcome.stop = terminate_;
    outcome.ok = outcome.ok && store(FmuResults::Why::step, t);
    return outcome;
  }
  if (procedure == calls::terminate) {
    outcome.ok = check(fmu_->terminate());
    ended_ = true;
    return outcome;
  }
  if (procedure == calls::external_event) {
    if (initialising_ || terminate_) return outcome;
    outcome.ok = check(handle_event(t, split_inputs(arguments.data() + 1).data())) && check(read_outputs()) &&
                 store(FmuResults::Why::external_event, t);
    return give_outputs(outcome, results);
  }
  outcome.ok = check(set_inputs(all_, split_inputs(arguments.data() + 1).data()));
  if (outcome.ok && initialising_) {
    fmi::EventInfo events;
    outcome.ok = leave_initialisation(events);
    if (outcome.ok && steps_.event_mode) {
      outcome.ok = iterate_events(t, events, true);
      // Clocks that tick at once do so before anybody looks.
      if (outcome.ok && !events.terminate && clocks_.next() <= t)
        outcome.ok = tick_clocks(t) && iterate_events(t, events, true);
      outcome.ok = outcome.ok && (events.terminate || check(fmu_->enter_step_mode()));
      terminate_ = events.terminate;
    }
    initialising_ = false;
  }
  outcome.ok = outcome.ok && check(read_outputs()) && store(FmuResults::Why::step, t);
  return give_outputs(outcome, results);
}

ForeignOutcome SteppingInstance::give_outputs(ForeignOutcome outcome, std::span<double> results) {
  outcome.stop = terminate_;
  outcome.changed = true;
  outcome.fired = take_fired();
  auto next = results.begin();
  for (const auto& values : now_) next = std::copy(values.begin(), values.end(), next);
  return outcome;
}

// At the end of a step: clocks that others tick, and those that ticked for others during it.
ForeignOutcome SteppingInstance::tick(double t, std::span<const double> arguments, std::span<double> results) {
  ForeignOutcome outcome;
  const double* flags = arguments.data() + arguments.size() - interface_.input_clocks.size();
  const bool ticks = std::any_of(flags, arguments.data() + arguments.size(), [](double flag) { return flag != 0; });
  if (ticks && !terminate_) {
    note_ticks(t, flags);
    outcome.ok = check(handle_event(t, split_inputs(arguments.data() + 1).data())) && check(read_outputs());
    return give_outputs(outcome, results);
  }
  outcome.fired = take_fired();
  return outcome;
}

bool SteppingInstance::save(std::vector<std::byte>& bytes) {
  const double head[] = {static_cast<double>(epoch_), initialising_ ? 1.0 : 0.0, ended_ ? 1.0 : 0.0,
                         stepped_ ? 1.0 : 0.0};
  bytes.resize(sizeof head);
  std::memcpy(bytes.data(), head, sizeof head);
  return save_state(bytes);
}

bool SteppingInstance::restore(std::span<const std::byte> bytes) {
  double head[4] = {};
  if (bytes.size() < sizeof head) return false;
  std::memcpy(head, bytes.data(), sizeof head);
  epoch_ = static_cast<std::int32_t>(head[0]);
  initialising_ = head[1] != 0;
  ended_ = head[2] != 0;
  stepped_ = head[3] != 0;
  begin_ = end_ = nan;
  trial_.stands = false;
  return restore_state(bytes.subspan(sizeof head)) && fmi::succeeded(read_outputs());
}

}  // namespace orrery::foreign
