// SPDX-License-Identifier: Apache-2.0
// From bytes to calls.
#include "fmi/caller.h"
#include "fmi/message.h"
#include "fmi/unwritten.h"

namespace orrery::fmi {
namespace {

std::size_t length(PacketReader& request) {
  const auto count = request.take<std::uint64_t>();
  if (count > most_values) throw PacketError();
  return count;
}

}  // namespace

const char* name_of(Call call) {
  static constexpr const char* names[call_count] = {"has_directional_derivatives",
                                                    "set_debug_logging",
                                                    "get_numbers",
                                                    "set_numbers",
                                                    "get_integers",
                                                    "set_integers",
                                                    "get_texts",
                                                    "set_texts",
                                                    "setup",
                                                    "enter_configuration",
                                                    "exit_configuration",
                                                    "enter_initialization",
                                                    "exit_initialization",
                                                    "terminate",
                                                    "reset",
                                                    "enter_event_mode",
                                                    "update_discrete_states",
                                                    "enter_continuous_mode",
                                                    "enter_step_mode",
                                                    "count_states",
                                                    "set_time",
                                                    "set_states",
                                                    "get_states",
                                                    "get_nominals",
                                                    "get_state_references",
                                                    "get_derivatives",
                                                    "get_indicators",
                                                    "completed_step",
                                                    "directional_derivative",
                                                    "do_step",
                                                    "set_input_derivatives",
                                                    "get_output_derivatives",
                                                    "get_state",
                                                    "set_state",
                                                    "free_state",
                                                    "serialize_state",
                                                    "deserialize_state",
                                                    "get_intervals",
                                                    "set_intervals",
                                                    "get_shifts",
                                                    "activate_partition",
                                                    "clocks_changed",
                                                    "free_instance"};
  const auto number = static_cast<std::uint32_t>(call);
  return number < call_count ? names[number] : "unknown";
}

void Dispatcher::execute(Call call, PacketReader request, PacketWriter& answer) {
  out_.clear();
  answer.clear();
  Status status = Status::ok;
  if (call <= Call::set_texts) {
    status = values(call, request);
  } else if (call <= Call::enter_step_mode) {
    status = modes(call, request);
  } else if (call <= Call::directional_derivative) {
    status = model_exchange(call, request);
  } else if (call <= Call::get_output_derivatives) {
    status = co_simulation(call, request);
  } else if (call <= Call::deserialize_state) {
    status = whole_states(call, request);
  } else if (call < Call::free_instance) {
    status = clocks(call, request);
  }
  answer.put(status);
  const std::span<const char> rest = out_.bytes();
  answer.put(rest);
  if (succeeded(status)) return;
  answer.put(std::string(fmu_.last_call()));
  const Death* death = fmu_.death();
  answer.put(death != nullptr ? death->code : std::string());
  answer.put(death != nullptr ? death->message : std::string());
}

Status Dispatcher::values(Call call, PacketReader& request) {
  Status status = Status::ok;
  if (call == Call::has_directional_derivatives) {
    out_.put(fmu_.has_directional_derivatives());
    return status;
  }
  if (call == Call::set_debug_logging) {
    const bool on = request.take<bool>();
    request.take(texts_);
    return fmu_.set_debug_logging(on, texts_);
  }
  const Type type = request.take<Type>();
  request.take(references_);
  switch (call) {
    case Call::get_numbers:
      numbers_.assign(length(request), unwritten_number);
      status = fmu_.get_numbers(type, references_, numbers_);
      out_.put(std::span<const double>(numbers_));
      return status;
    case Call::set_numbers: request.take(numbers_); return fmu_.set_numbers(type, references_, numbers_);
    case Call::get_integers:
      integers_.assign(length(request), 0);
      status = fmu_.get_integers(type, references_, integers_);
      out_.put(std::span<const std::int64_t>(integers_));
      return status;
    case Call::set_integers: request.take(integers_); return fmu_.set_integers(type, references_, integers_);
    case Call::get_texts:
      texts_.assign(length(request), {});
      status = fmu_.get_texts(type, references_, texts_);
      out_.put(std::span<const std::string>(texts_));
      return status;
    default: request.take(texts_); return fmu_.set_texts(type, references_, texts_);
  }
}

Status Dispatcher::modes(Call call, PacketReader& request) {
  switch (call) {
    case Call::setup: {
      RunInterval run;
      run.start = request.take<double>();
      const auto optional = [&]() -> std::optional<double> {
        const bool known = request.take<bool>();
        const double value = request.take<double>();
        return known ? std::optional(value) : std::nullopt;
      };
      run.stop = optional();
      run.tolerance = optional();
      return fmu_.setup(run);
    }
    case Call::enter_configuration: return fmu_.enter_configuration();
    case Call::exit_configuration: return fmu_.exit_configuration();
    case Call::enter_initialization: return fmu_.enter_initialization();
    case Call::terminate: return fmu_.terminate();
    case Call::reset: return fmu_.reset();
    case Call::enter_event_mode: return fmu_.enter_event_mode();
    case Call::enter_continuous_mode: return fmu_.enter_continuous_mode();
    case Call::enter_step_mode: return fmu_.enter_step_mode();
    default: break;
  }
  EventInfo info;
  const Status status =
      call == Call::exit_initialization ? fmu_.exit_initialization(info) : fmu_.update_discrete_states(info);
  for (const bool flag : {info.again, info.terminate, info.nominals_changed, info.states_changed}) out_.put(flag);
  out_.put(info.next_time.has_value());
  out_.put(info.next_time.value_or(0));
  return status;
}

Status Dispatcher::model_exchange(Call call, PacketReader& request) {
  const auto array = [&](auto&& get) {
    numbers_.assign(length(request), unwritten_number);
    const Status status = get(std::span<double>(numbers_));
    out_.put(std::span<const double>(numbers_));
    return status;
  };
  Status status = Status::ok;
  switch (call) {
    case Call::count_states: {
      std::size_t states = 0, indicators = 0;
      status = fmu_.count_states(states, indicators);
      out_.put(static_cast<std::uint64_t>(states));
      out_.put(static_cast<std::uint64_t>(indicators));
      return status;
    }
    case Call::set_time: return fmu_.set_time(request.take<double>());
    case Call::set_states: request.take(numbers_); return fmu_.set_states(numbers_);
    case Call::get_states: return array([&](std::span<double> x) { return fmu_.get_states(x); });
    case Call::get_nominals:  // what the FMU does not write stays
      request.take(numbers_);
      status = fmu_.get_nominals(numbers_);
      out_.put(std::span<const double>(numbers_));
      return status;
    case Call::get_state_references:
      references_.assign(length(request), 0xffffffffu);
      status = fmu_.get_state_references(references_);
      out_.put(std::span<const ValueReference>(references_));
      return status;
    case Call::get_derivatives: return array([&](std::span<double> dx) { return fmu_.get_derivatives(dx); });
    case Call::get_indicators: return array([&](std::span<double> z) { return fmu_.get_indicators(z); });
    case Call::completed_step: {
      CompletedInfo info;
      status = fmu_.completed_step(info);
      out_.put(info.enter_event_mode);
      out_.put(info.terminate);
      return status;
    }
    default:
      request.take(references_);
      request.take(more_references_);
      request.take(more_numbers_);
      return array([&](std::span<double> result) {
        return fmu_.directional_derivative(references_, more_references_, more_numbers_, result);
      });
  }
}

Status Dispatcher::co_simulation(Call call, PacketReader& request) {
  if (call == Call::do_step) {
    const double t = request.take<double>(), h = request.take<double>();
    StepInfo info;
    const Status status = fmu_.do_step(t, h, info);
    for (const bool flag : {info.event_needed, info.terminate, info.early_return}) out_.put(flag);
    out_.put(info.reached);
    return status;
  }
  request.take(references_);
  const int order = request.take<int>();
  if (call == Call::set_input_derivatives) {
    request.take(numbers_);
    return fmu_.set_input_derivatives(references_, order, numbers_);
  }
  numbers_.assign(length(request), unwritten_number);
  const Status status = fmu_.get_output_derivatives(references_, order, numbers_);
  out_.put(std::span<const double>(numbers_));
  return status;
}

// The pointers mean something to this side only; the other one hands them back.
Status Dispatcher::whole_states(Call call, PacketReader& request) {
  const auto known = [&] { return reinterpret_cast<void*>(request.take<std::uintptr_t>()); };
  void* state = nullptr;
  Status status = Status::ok;
  switch (call) {
    case Call::get_state:
      state = known();
      status = fmu_.get_state(state);
      break;
    case Call::set_state: return fmu_.set_state(known());
    case Call::free_state:
      state = known();
      status = fmu_.free_state(state);
      break;
    case Call::serialize_state:
      bytes_.clear();
      status = fmu_.serialize_state(known(), bytes_);
      out_.put(std::span<const char>(bytes_));
      return status;
    default:
      state = known();
      request.take(bytes_);
      status = fmu_.deserialize_state(bytes_, state);
      break;
  }
  out_.put(reinterpret_cast<std::uintptr_t>(state));
  return status;
}

Status Dispatcher::clocks(Call call, PacketReader& request) {
  Status status = Status::ok;
  if (call == Call::clocks_changed) {
    out_.put(fmu_.clocks_changed());
    return status;
  }
  if (call == Call::activate_partition) {
    const auto clock = request.take<ValueReference>();
    return fmu_.activate_partition(clock, request.take<double>());
  }
  request.take(references_);
  if (call == Call::set_intervals) {
    request.take(numbers_);
    return fmu_.set_intervals(references_, numbers_);
  }
  if (call == Call::get_shifts) {
    numbers_.assign(references_.size(), unwritten_number);
    status = fmu_.get_shifts(references_, numbers_);
    out_.put(std::span<const double>(numbers_));
    return status;
  }
  intervals_.assign(references_.size(), {});
  status = fmu_.get_intervals(references_, intervals_);
  for (const ClockInterval& interval : intervals_) {
    out_.put(interval.known);
    out_.put(interval.seconds);
  }
  return status;
}

}  // namespace orrery::fmi
