// SPDX-License-Identifier: Apache-2.0
// Model Exchange: what is set only when it changed, events as the standard orders them (FMI 2.0 and 3.0: 3.2).
#include "foreign/exchange_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/limits.h"
#include "fmi/caller.h"

namespace orrery::foreign {

using blocks::fmu_calls::first_output;
using program::ForeignOutcome;
namespace calls = blocks::fmu_calls;

namespace {

constexpr long most_crowded_events = 5000;
constexpr int most_repetitions = 10;

// For a handful of numbers a call of memcpy or memset takes longer than what it does; the empty statement keeps the
// compiler from making the loop such a call.
void copy_few(const double* from, std::size_t count, double* to) {
  if (count > 16) {
    std::copy_n(from, count, to);
    return;
  }
  for (std::size_t k = 0; k < count; ++k) {
    to[k] = from[k];
    asm volatile("");
  }
}

void clear_few(double* to, std::size_t count) {
  if (count > 16) {
    std::fill_n(to, count, 0.0);
    return;
  }
  for (std::size_t k = 0; k < count; ++k) {
    to[k] = 0;
    asm volatile("");
  }
}

bool is_output(int function) { return function >= first_output && (function - first_output) % 2 == 0; }

}  // namespace

ExchangeInstance::ExchangeInstance(std::shared_ptr<const FmuInterface> interface, const FmuSettings& settings,
                                   const program::ForeignRun& run)
    : FmuInstance(std::move(interface), settings, run),
      n_(interface_.model.states),
      nz_(interface_.model.indicators),
      all_(interface_.inputs.size()),
      t_(nan),
      wake_(infinity),
      event_t_(run.start),
      x_(n_),
      nominals_(interface_.model.nominals),
      crowd_begin_(run.start),
      fmu_wake_(infinity),
      jump_(infinity),
      table_t_(nan) {
  nominals_.resize(n_, 1);
  std::iota(all_.begin(), all_.end(), 0u);
  for (std::uint32_t k : all_) {
    if (!interface_.inputs[k].discrete) continuous_.push_back(k);
  }
  for (const FmuPort& port : interface_.outputs) last_outputs_.emplace_back(static_cast<std::size_t>(port.type.size()));
}

// An FMU of FMI 1.0 gives no values before it is initialised, so it is at once; its inputs follow with the first event.
ForeignOutcome ExchangeInstance::open(std::span<double> initial) {
  ForeignOutcome outcome;
  std::fill(initial.begin(), initial.end(), 0.0);
  if (alone_) return outcome;  // initialised already
  outcome.ok = enter_initialisation();
  if (!outcome.ok || interface_.description.version != fmi::Version::fmi1) return outcome;
  fmi::EventInfo events;
  outcome.ok = leave_initialisation(events) && iterate_events(run_.start, events, false) &&
               check(fmu_->enter_continuous_mode()) && (n_ == 0 || check(fmu_->get_states(initial)));
  mode_ = Mode::continuous;
  return outcome;
}

// Alone, the FMU itself is asked how many there are: nobody has counted on another number yet.
bool ExchangeInstance::initialised() {
  constexpr std::size_t most_states = 1'000'000, most_indicators = 100'000;
  if (!check(fmu_->count_states(n_, nz_))) return false;
  if (n_ > most_states || nz_ > most_indicators) {
    complain("fmi-too-large", fmt::format("the FMU has {} states and {} event indicators", n_, nz_));
    return false;
  }
  x_.assign(n_, 0);
  nominals_.assign(n_, 1);
  return true;
}

// Of the given inputs, those that may change between events.
void ExchangeInstance::choose_inputs(const std::vector<std::uint32_t>& ports, const double* const* inputs) {
  changing_.clear();
  changing_values_.clear();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (interface_.inputs[ports[i]].discrete) continue;
    changing_.push_back(ports[i]);
    changing_values_.push_back(inputs[i]);
  }
}

// Time and states where they are other ones, and derivatives unless dx is empty: one call where possible.
fmi::Status ExchangeInstance::move(double t, const double* x, std::span<double> dx) {
  // Integrators hardly ever ask twice for one time.
  const bool new_time = t != t_;
  const bool new_states =
      n_ > 0 && (!x_known_ || (new_time && !dx.empty()) || std::memcmp(x, x_.data(), n_ * sizeof(double)) != 0);
  if (new_states || (new_time && !dx.empty())) return set_and_derive(t, x, dx);
  Status status = Status::ok;
  if (new_time) {
    status = fmu_->set_time(t);
  } else if (!dx.empty()) {
    status = fmu_->get_derivatives(dx);
  }
  const bool known = fmi::succeeded(status);
  t_ = known ? t : nan;
  x_known_ = known;
  return status;
}

fmi::Status ExchangeInstance::set_and_derive(double t, const double* x, std::span<double> dx) {
  copy_few(x, n_, x_.data());
  const Status status = fmu_->evaluate(t, {x, n_}, dx);
  x_known_ = fmi::succeeded(status);
  t_ = x_known_ ? t : nan;
  step_open_ = true;
  return status;
}

fmi::Status ExchangeInstance::place(double t, const double* x, const std::vector<std::uint32_t>& ports,
                                    const double* const* inputs) {
  if (mode_ == Mode::initialising) return set_inputs(ports, inputs);
  Status status = move(std::max(t, event_t_), x, {});
  if (fmi::succeeded(status) && alone_ && !alone_->inputs.empty()) status = set_table(t_);
  if (!fmi::succeeded(status) || ports.empty()) return status;
  choose_inputs(ports, inputs);
  return changing_.empty() ? status : set_inputs(changing_, changing_values_.data());
}

// At the beginning of an interval inputs have their values after the jump, at its end those before it.
fmi::Status ExchangeInstance::set_table(double t) {
  if (t == table_t_) return Status::ok;
  const Status status = alone_->inputs.set_continuous(*fmu_, t, t > event_t_ ? fmi::Side::left : fmi::Side::right);
  table_t_ = fmi::succeeded(status) ? t : nan;
  return status;
}

// Inputs that stay as they are let everything be done in one call.
fmi::Status ExchangeInstance::place_and_derive(const void* const* arguments, std::span<double> dx) {
  const auto* numbers = reinterpret_cast<const double* const*>(arguments);
  const double* x = n_ > 0 ? numbers[1] : nullptr;
  const double* const* inputs = numbers + (n_ > 0 ? 2 : 1);
  if (mode_ == Mode::continuous && !has_inputs()) return move(std::max(*numbers[0], event_t_), x, dx);
  if (mode_ == Mode::continuous && !alone_) {
    choose_inputs(all_, inputs);
    if (has(changing_, changing_values_.data())) return move(std::max(*numbers[0], event_t_), x, dx);
  }
  const Status status = place(*numbers[0], x, all_, inputs);
  return fmi::succeeded(status) ? fmu_->get_derivatives(dx) : status;
}

// The inputs follow the time and, where there are any, the states.
fmi::Status ExchangeInstance::place_for(const std::vector<std::uint32_t>& ports, const void* const* arguments) {
  const auto* numbers = reinterpret_cast<const double* const*>(arguments);
  return place(*numbers[0], n_ > 0 ? numbers[1] : nullptr, ports, numbers + (n_ > 0 ? 2 : 1));
}

const std::vector<std::uint32_t>& ExchangeInstance::ports_of(int function) const {
  return function < first_output ? all_ : interface_.model.output_dependencies[output_of(function)].inputs;
}

// Time, states and indicators in one call, where there is nothing else to set.
fmi::Status ExchangeInstance::indicate(double t, const double* x, double* z) {
  t = std::max(t, event_t_);
  clear_few(z, nz_);  // some FMUs write fewer than they declare
  if (is_at(t, x)) return fmu_->get_indicators({z, nz_});
  copy_few(x, n_, x_.data());
  const Status status = fmu_->indicate(t, {x, n_}, {z, nz_});
  x_known_ = fmi::succeeded(status);
  t_ = x_known_ ? t : nan;
  step_open_ = true;
  return status;
}

fmi::Status ExchangeInstance::evaluate(int function, double* values) {
  if (function == calls::derivatives) return fmu_->get_derivatives({values, n_});
  if (function == calls::indicators) {
    std::fill_n(values, nz_, 0.0);
    return fmu_->get_indicators({values, nz_});
  }
  if (alone_) return read_row(t_, values);
  return get_output(output_of(function), values);
}

program::ForeignEntry ExchangeInstance::entry(int function) {
  if (function == calls::derivatives) {
    return {[](void* self, int, const void* const* arguments, void* const* results) {
              static_cast<ExchangeInstance*>(self)->compute_derivatives(arguments, results);
            },
            this, function};
  }
  if (function == calls::indicators) {
    return {[](void* self, int, const void* const* arguments, void* const* results) {
              static_cast<ExchangeInstance*>(self)->compute_indicators(arguments, results);
            },
            this, function};
  }
  return FmuInstance::entry(function);
}

// What comes by the million, where nothing but time and states is to be set.
void ExchangeInstance::compute_derivatives(const void* const* arguments, void* const* results) noexcept {
  if (!plain_ || !derived_ || ended_) return compute(calls::derivatives, arguments, results);
  const auto* numbers = reinterpret_cast<const double* const*>(arguments);
  const std::span<double> dx{static_cast<double*>(results[0]), n_};
  const double t = std::max(*numbers[0], event_t_);
  const Status status = t != t_ ? set_and_derive(t, numbers[1], dx) : move(t, numbers[1], dx);
  if (fmi::succeeded(status)) return;
  note(status);
  std::fill(dx.begin(), dx.end(), nan);
}

void ExchangeInstance::compute_indicators(const void* const* arguments, void* const* results) noexcept {
  if (!plain_ || ended_) return compute(calls::indicators, arguments, results);
  const auto* numbers = reinterpret_cast<const double* const*>(arguments);
  auto* z = static_cast<double*>(results[0]);
  const Status status = indicate(*numbers[0], numbers[1], z);
  if (fmi::succeeded(status)) return;
  note(status);
  std::fill_n(z, nz_, nan);
}

void ExchangeInstance::compute(int function, const void* const* arguments, void* const* results) noexcept {
  auto* values = static_cast<double*>(results[0]);
  // An FMU that writes no derivatives is found out at the first ones.
  if (function == calls::derivatives && !derived_) {
    std::fill_n(values, n_, nan);
    derived_ = true;
  }
  const bool slopes = function == calls::derivative_partials || (function >= first_output && !is_output(function));
  const int of = !slopes ? function : function == calls::derivative_partials ? calls::derivatives : function - 1;
  std::size_t count = function == calls::indicators ? nz_ : n_;
  if (is_output(function)) count = alone_ ? alone_->row->size() : last_outputs_[output_of(function)].size();
  if (slopes) count = slopes_of(of).structure.size();
  if (ended_) {
    const bool held = is_output(function);
    for (std::size_t k = 0; k < count; ++k) {
      values[k] = held ? last_outputs_[output_of(function)][k] : function == calls::indicators ? 1 : 0;
    }
    return;
  }
  Status status = Status::ok;
  if (function == calls::derivatives) {
    status = place_and_derive(arguments, {values, n_});
  } else {
    status = place_for(ports_of(of), arguments);
    if (fmi::succeeded(status)) status = slopes ? partials(of, values) : evaluate(function, values);
  }
  if (alone_ && is_output(function) && !fmi::succeeded(status)) {
    if (alone_->trouble.empty() && !check(status)) alone_->trouble = fmu_->last_call();
    std::fill_n(values, count, 0.0);  // a row that does not count
  } else if (!note(status)) {
    std::fill_n(values, count, nan);
  } else if (is_output(function) && mode_ == Mode::continuous) {
    note(store(FmuResults::Why::output, t_) ? Status::ok : Status::error);
  }
}

ForeignOutcome ExchangeInstance::perform(int procedure, double t, std::span<const double> arguments,
                                         std::span<double> results) {
  const double* x = arguments.data() + 1;  // behind the time
  const double* inputs = x + n_;
  if (ended_) return {};
  switch (procedure) {
    case calls::start: return start(t, inputs, results);
    case calls::completed_step: return completed_step(t, x, inputs, results);
    case calls::external_event:
      note_ticks(t, arguments.data() + arguments.size() - interface_.input_clocks.size());
      return handle_event(t, x, inputs, FmuResults::Why::external_event, results);
    case calls::state_event:
      if (alone_) ++alone_->counts.state_events;
      return handle_event(t, x, inputs, FmuResults::Why::state_event, results);
    case calls::time_event: return time_event(t, x, inputs, results);
    default: break;
  }
  ForeignOutcome outcome;
  for (std::size_t k = 0; k < last_outputs_.size() && outcome.ok; ++k) {
    outcome.ok = check(get_output(k, last_outputs_[k].data()));
  }
  outcome.ok = outcome.ok && check(fmu_->terminate());
  ended_ = true;
  std::copy_n(x, n_, results.begin());
  results[n_] = ++epoch_;
  outcome.changed = true;
  return outcome;
}

ForeignOutcome ExchangeInstance::time_event(double t, const double* x, const double* inputs,
                                            std::span<double> results) {
  // Events run within rounding of their time; the FMU must see no less than the time it asked for.
  t = std::max(t, wake_);
  if (alone_) {
    alone_->counts.time_events += fmu_wake_ <= t + alone_->rounding ? 1 : 0;
    alone_->counts.input_events += jump_ <= t + alone_->rounding ? 1 : 0;
  }
  return handle_event(t, x, inputs, FmuResults::Why::time_event, results);
}

double ExchangeInstance::next_bend(double t) noexcept { return alone_ ? alone_->inputs.next_kink(t) : infinity; }

ForeignOutcome ExchangeInstance::start_alone(double t, std::span<double> results) {
  ForeignOutcome failed;
  failed.ok = false;
  fmi::EventInfo& events = alone_->events;
  if (!iterate_events(t, events, false)) return failed;
  // Clocks that tick at the start do so before the first row.
  if (!events.terminate && clocks_.next() <= t + alone_->rounding &&
      !(tick_clocks(t) && set_event_inputs(t) && iterate_events(t, events, true))) {
    return failed;
  }
  if (!events.terminate) mode_ = Mode::continuous;
  events.nominals_changed = true;  // they may depend on parameters
  return finish_event(t, events, results);
}

ForeignOutcome ExchangeInstance::start(double t, const double* inputs, std::span<double> results) {
  if (alone_) return start_alone(t, results);
  ForeignOutcome failed;
  failed.ok = false;
  std::size_t states = 0, indicators = 0;
  fmi::EventInfo events;
  if (mode_ == Mode::continuous) {  // FMI 1.0
    std::vector<double> x(n_);
    if (n_ > 0 && !check(fmu_->get_states(x))) return failed;
    ForeignOutcome outcome = handle_event(t, x.data(), inputs, FmuResults::Why::external_event, results);
    read_nominals();
    if (outcome.ok) outcome.nominals = nominals_;
    return outcome;
  }
  if (!check(set_inputs(all_, split_inputs(inputs).data()))) return failed;
  if (!leave_initialisation(events) || !iterate_events(t, events, false)) return failed;
  if (!check(fmu_->count_states(states, indicators))) return failed;
  if (states != n_ || indicators != nz_) {
    complain("fmi-too-large",
             fmt::format("the FMU has {} states and {} event indicators, but {} and {} by its description", states,
                         indicators, n_, nz_));
    return failed;
  }
  mode_ = Mode::continuous;
  events.nominals_changed = true;  // they may depend on parameters
  return finish_event(t, events, results);
}

// Some FMUs return ok and write nothing, or nonsense.
void ExchangeInstance::read_nominals() {
  std::vector<double> sizes = nominals_;
  if (!fmi::succeeded(fmu_->get_nominals(sizes))) return;
  for (std::size_t k = 0; k < n_; ++k) {
    if (std::isnormal(sizes[k])) nominals_[k] = std::fabs(sizes[k]);
  }
}

ForeignOutcome ExchangeInstance::finish_event(double t, fmi::EventInfo& events, std::span<double> results) {
  ForeignOutcome outcome;
  outcome.stop = events.terminate;
  outcome.ok = events.terminate || check(fmu_->enter_continuous_mode());
  outcome.ok = outcome.ok && (n_ == 0 || check(fmu_->get_states(x_)));
  outcome.changed = true;
  outcome.fired = take_fired();
  if (events.nominals_changed && outcome.ok && n_ > 0) {
    read_nominals();
    outcome.nominals = nominals_;
  }
  drop_stale_time_event(t, events);
  fmu_wake_ = events.next_time.value_or(infinity);
  t_ = event_t_ = std::max(t, event_t_);
  table_t_ = nan;
  if (alone_) jump_ = alone_->inputs.next_jump(t_ + alone_->rounding);
  outcome.wake = wake_ = std::min(fmu_wake_, jump_);
  x_known_ = true;
  step_open_ = false;
  plain_ = is_plain();
  std::copy(x_.begin(), x_.end(), results.begin());
  results[n_] = ++epoch_;
  return outcome;
}

bool ExchangeInstance::too_many_events(double t) {
  if (t - crowd_begin_ > 1e-9 * (run_.stop - run_.start)) {
    crowd_begin_ = t;
    crowd_ = 0;
  }
  if (++crowd_ < most_crowded_events) return false;
  complain("fmi-event-chatter", "the FMU has " + std::to_string(crowd_) + " events without progress in time");
  return true;
}

// Some FMUs never clear the time of an event that has been; a few repetitions are left to those that mean it.
void ExchangeInstance::drop_stale_time_event(double t, fmi::EventInfo& events) {
  const double rounding = 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), std::fabs(run_.stop));
  const bool stale = events.next_time && *events.next_time <= t + rounding;
  repetitions_ = stale ? repetitions_ + 1 : 0;
  if (repetitions_ <= most_repetitions) return;
  repetitions_ = 0;
  events.next_time.reset();
  if (warned_of_stale_events_) return;
  warned_of_stale_events_ = true;
  warn("fmi-stale-event", "the FMU asks for a time event that has been; it is ignored");
}

ForeignOutcome ExchangeInstance::handle_event(double t, const double* x, const double* inputs, FmuResults::Why why,
                                              std::span<double> results) {
  if (mode_ == Mode::initialising) return {};  // start() comes yet
  ForeignOutcome failed;
  failed.ok = false;
  if (too_many_events(t)) return failed;
  fmi::EventInfo events;
  fmi::CompletedInfo completed;
  if (!check(place(t, x, {}, nullptr))) return failed;
  if (step_open_ && interface_.model.wants_steps && !check(fmu_->completed_step(completed))) return failed;
  if (!store(why, t)) return failed;
  if (!check(fmu_->enter_event_mode())) return failed;
  if (!tick_clocks(t)) return failed;
  if (alone_ && !set_event_inputs(t)) return failed;
  const std::vector<const double*> values = split_inputs(inputs);
  const std::vector<std::uint32_t> ports = settable(all_);
  std::vector<const double*> settable_values;
  for (std::uint32_t k : ports) settable_values.push_back(values[k]);
  if (!check(set_inputs(ports, settable_values.data()))) return failed;
  if (!iterate_events(t, events, true)) return failed;
  events.terminate = events.terminate || completed.terminate;
  ForeignOutcome outcome = finish_event(t, events, results);
  if (outcome.ok && !store(why, t)) return failed;
  return outcome;
}

fmi::Status ExchangeInstance::complete(double t, const double* x, fmi::CompletedInfo& completed) {
  if (is_at(t, x)) return fmu_->completed_step(completed);
  std::copy_n(x, n_, x_.begin());
  const Status status = fmu_->complete(t, {x, n_}, completed);
  x_known_ = fmi::succeeded(status);
  t_ = x_known_ ? t : nan;
  return status;
}

bool ExchangeInstance::needs_step_call(double t, const double* x) noexcept {
  if (ended_ || mode_ != Mode::continuous || stores(FmuResults::Why::step) || !all_.empty()) return true;
  if (!interface_.model.wants_steps) return false;
  completed_ = {};
  Status status = Status::ok;
  if (!has_inputs()) {
    status = complete(std::max(t, event_t_), x, completed_);
  } else {
    status = place(t, x, {}, nullptr);
    if (fmi::succeeded(status)) status = fmu_->completed_step(completed_);
  }
  step_open_ = false;
  step_completed_ = check(status);
  return !step_completed_ || completed_.enter_event_mode || completed_.terminate;
}

ForeignOutcome ExchangeInstance::completed_step(double t, const double* x, const double* inputs,
                                                std::span<double> results) {
  ForeignOutcome outcome;
  const std::vector<const double*>& all = split_inputs(inputs);
  fmi::CompletedInfo completed;
  choose_inputs(all_, all.data());
  if (std::exchange(step_completed_, false)) {
    completed = completed_;
  } else if (mode_ == Mode::continuous && interface_.model.wants_steps && !stores(FmuResults::Why::step) && !alone_ &&
             has(changing_, changing_values_.data())) {
    outcome.ok = check(complete(std::max(t, event_t_), x, completed));
  } else {
    outcome.ok = check(place(t, x, all_, all.data()));
    outcome.ok = outcome.ok && store(FmuResults::Why::step, t);
    if (interface_.model.wants_steps) outcome.ok = outcome.ok && check(fmu_->completed_step(completed));
  }
  step_open_ = false;
  outcome.stop = completed.terminate;
  if (!outcome.ok || !completed.enter_event_mode || completed.terminate) return outcome;
  if (alone_) ++alone_->counts.step_events;
  return handle_event(t, x, inputs, FmuResults::Why::step_event, results);
}

bool ExchangeInstance::save(std::vector<std::byte>& bytes) {
  const double head[] = {static_cast<double>(epoch_), mode_ == Mode::continuous ? 1.0 : 0.0, ended_ ? 1.0 : 0.0, wake_,
                         event_t_};
  bytes.resize(sizeof head);
  std::memcpy(bytes.data(), head, sizeof head);
  return save_state(bytes);
}

bool ExchangeInstance::restore(std::span<const std::byte> bytes) {
  double head[5] = {};
  if (bytes.size() < sizeof head) return false;
  std::memcpy(head, bytes.data(), sizeof head);
  epoch_ = static_cast<std::int32_t>(head[0]);
  mode_ = head[1] != 0 ? Mode::continuous : Mode::initialising;
  ended_ = head[2] != 0;
  plain_ = is_plain();
  wake_ = head[3];
  event_t_ = head[4];
  t_ = nan;
  x_known_ = false;
  return restore_state(bytes.subspan(sizeof head));
}

}  // namespace orrery::foreign
