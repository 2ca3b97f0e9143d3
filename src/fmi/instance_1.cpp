// SPDX-License-Identifier: Apache-2.0
// Instances of FMI 1.0: Model Exchange and Co-Simulation are two interfaces, told apart by the kind.

#include "fmi/api/fmi1.h"
#include "fmi/loaded_instance.h"

namespace orrery::fmi {
namespace {

#define ORRERY_ENTRY(required, result, name, arguments) Entry<result arguments> name{"fmi" #name, required};
ORRERY_FUNCTION_TABLE(Functions1, FMI1_FUNCTIONS, ORRERY_ENTRY)
#undef ORRERY_ENTRY

void log_message_1(fmiComponent, fmiString, fmiStatus status, fmiString category, fmiString message, ...) {
  std::va_list arguments;
  va_start(arguments, message);
  Log::format(speaking_log, static_cast<int>(status), category, message, arguments);
  va_end(arguments);
}

class Instance1 final : public LoadedInstance<Functions1> {
 public:
  Instance1(const Functions1& functions, std::unique_ptr<Binary> binary, Log& log, const Description& description,
            Kind kind)
      : LoadedInstance(functions, std::move(binary), log, description), exchange_(kind == Kind::model_exchange) {}
  ~Instance1() override {
    if (!to_be_freed()) return;
    if (exchange_) {
      call_.plain(f_.FreeModelInstance, c_);
    } else {
      call_.plain(f_.FreeSlaveInstance, c_);
    }
  }

  bool open(const InstanceOptions& options) {
    const fmiModelCallbacks model{log_message_1, allocate_memory, free_memory};
    const fmiSlaveCallbacks slave{log_message_1, allocate_memory, free_memory, nullptr};
    const std::string location = file_uri(binary_->folder());
    if (exchange_) {
      c_ = call_.plain(f_.InstantiateModel, options.name.c_str(), description_.token.c_str(), model, options.logging);
    } else {
      c_ = call_.plain(f_.InstantiateSlave, options.name.c_str(), description_.token.c_str(), location.c_str(),
                       "application/x-fmu-sharedlibrary", 0, options.visible, static_cast<fmiBoolean>(fmiFalse), slave,
                       options.logging);
    }
    return c_ != nullptr;
  }

  Status set_debug_logging(bool on, const std::vector<std::string>&) override {
    if (!f_.SetDebugLogging) return Status::ok;
    return call_(f_.SetDebugLogging, c_, static_cast<fmiBoolean>(on));
  }

  Status get_numbers(Type type, References r, std::span<double> values) override {
    if (type == Type::float64) return call_.shared(f_.GetReal, c_, r.data(), r.size(), values.data());
    if (type == Type::boolean) {
      return get_as<fmiBoolean>(values,
                                [&](fmiBoolean* raw) { return call_(f_.GetBoolean, c_, r.data(), r.size(), raw); });
    }
    return get_as<fmiInteger>(values,
                              [&](fmiInteger* raw) { return call_(f_.GetInteger, c_, r.data(), r.size(), raw); });
  }
  Status set_numbers(Type type, References r, std::span<const double> values) override {
    if (type == Type::float64) return call_(f_.SetReal, c_, r.data(), r.size(), values.data());
    return set_small(type, r, values);
  }
  Status get_integers(Type type, References r, std::span<std::int64_t> values) override {
    return integers_of_numbers(*this, type, r, values);
  }
  Status set_integers(Type type, References r, std::span<const std::int64_t> values) override {
    if (type != Type::float64) return set_small(type, r, values);
    return set_as<double>(values, [&](const double* raw) { return call_(f_.SetReal, c_, r.data(), r.size(), raw); });
  }
  Status get_texts(Type, References r, std::span<std::string> values) override {
    return get_strings(call_, f_.GetString, c_, r, values);
  }
  Status set_texts(Type, References r, std::span<const std::string> values) override {
    return set_strings(call_, f_.SetString, c_, r, values);
  }

  // The time must be known before fmiInitialize; some FMUs insist on it.
  Status setup(const RunInterval& run) override {
    run_ = run;
    return exchange_ ? set_time(run.start) : Status::ok;
  }
  Status enter_initialization() override { return Status::ok; }
  Status exit_initialization(EventInfo& info) override {
    info = {};
    if (!exchange_) {
      return call_(f_.InitializeSlave, c_, run_.start, static_cast<fmiBoolean>(run_.stop.has_value()),
                   run_.stop.value_or(0));
    }
    fmiEventInfo raw = unwritten_events;
    const Status status =
        call_(f_.Initialize, c_, static_cast<fmiBoolean>(run_.tolerance.has_value()), run_.tolerance.value_or(0), &raw);
    // An FMU that has not said whether it is done, or when its first event comes, says so when it is asked again.
    take(raw, !is_written(raw.iterationConverged) || !is_written(raw.upcomingTimeEvent), info);
    return status;
  }
  Status terminate() override {
    const auto& entry = exchange_ ? f_.Terminate : f_.TerminateSlave;
    return entry ? call_(entry, c_) : Status::ok;
  }
  Status reset() override { return call_(f_.ResetSlave, c_); }

  Status enter_event_mode() override { return Status::ok; }
  Status update_discrete_states(EventInfo& info) override {
    fmiEventInfo raw = unwritten_events;
    const Status status = call_(f_.EventUpdate, c_, static_cast<fmiBoolean>(fmiFalse), &raw);
    take(raw, false, info);
    return status;
  }
  Status enter_continuous_mode() override { return Status::ok; }
  Status get_nominals(std::span<double> nominals) override {
    if (!f_.GetNominalContinuousStates) return Status::ok;
    return call_(f_.GetNominalContinuousStates, c_, nominals.data(), nominals.size());
  }
  Status get_state_references(std::span<ValueReference> references) override {
    if (!f_.GetStateValueReferences) return Status::discard;
    return call_(f_.GetStateValueReferences, c_, references.data(), references.size());
  }
  Status get_derivatives(std::span<double> dx) override { return call_(f_.GetDerivatives, c_, dx.data(), dx.size()); }
  Status evaluate(double t, std::span<const double> x, std::span<double> dx) override {
    return evaluate_at(call_, f_, f_.GetDerivatives, c_, t, x, dx);
  }
  Status completed_step(CompletedInfo& info) override {
    AnswerFlag<fmiBoolean> event;
    const Status status = call_.shared(f_.CompletedIntegratorStep, c_, event.place());
    info = {event.value_or(false), false};
    return status;
  }
  Status complete(double t, std::span<const double> x, CompletedInfo& info) override {
    if (!f_.CompletedIntegratorStep) return Instance::complete(t, x, info);
    AnswerFlag<fmiBoolean> event;
    const Status status = complete_at(call_, f_, c_, t, x, event.place());
    info = {event.value_or(false), false};
    return status;
  }
  bool has_directional_derivatives() const override { return false; }
  Status directional_derivative(References, References, std::span<const double>, std::span<double>) override {
    return Status::error;
  }

  Status do_step(double t, double h, StepInfo& info) override {
    info = {};
    info.reached = t;
    const Status status =
        finish_step<fmiStatus>(call_, f_, c_, call_.shared(f_.DoStep, c_, t, h, static_cast<fmiBoolean>(fmiTrue)),
                               fmiDoStepStatus, fmiLastSuccessfulTime, info);
    if (status != Status::discard) {
      info.reached = t + h;
      return status;
    }
    call_.rename(f_.DoStep);
    return status;
  }
  Status set_input_derivatives(References r, int order, std::span<const double> values) override {
    const std::vector<fmiInteger> orders(r.size(), order);
    return call_(f_.SetRealInputDerivatives, c_, r.data(), r.size(), orders.data(), values.data());
  }
  Status get_output_derivatives(References r, int order, std::span<double> values) override {
    const std::vector<fmiInteger> orders(r.size(), order);
    return call_(f_.GetRealOutputDerivatives, c_, r.data(), r.size(), orders.data(), values.data());
  }

  Status get_state(void*&) override { return Status::error; }
  Status set_state(void*) override { return Status::error; }
  Status free_state(void*&) override { return Status::ok; }
  Status serialize_state(void*, std::vector<char>&) override { return Status::error; }
  Status deserialize_state(std::span<const char>, void*&) override { return Status::error; }

 private:
  static constexpr fmiEventInfo unwritten_events = {unwritten_flag<fmiBoolean>, unwritten_flag<fmiBoolean>,
                                                    unwritten_flag<fmiBoolean>, unwritten_flag<fmiBoolean>,
                                                    unwritten_flag<fmiBoolean>, unwritten_number};
  // again: asked once more even if the FMU has converged, or has not said that it has not.
  static void take(const fmiEventInfo& raw, bool again, EventInfo& info) {
    info.again = again || !flag_or(raw.iterationConverged, !again);
    info.terminate = flag_or(raw.terminateSimulation, false);
    info.nominals_changed = flag_or(raw.stateValueReferencesChanged, false);
    info.states_changed = flag_or(raw.stateValuesChanged, false);
    info.next_time = time_or_none(flag_or(raw.upcomingTimeEvent, false), raw.nextEventTime);
  }
  template <class Number>
  Status set_small(Type type, References r, std::span<const Number> values) {
    if (type == Type::boolean) {
      return set_as<fmiBoolean>(
          values, [&](const fmiBoolean* raw) { return call_(f_.SetBoolean, c_, r.data(), r.size(), raw); });
    }
    return set_as<fmiInteger>(values,
                              [&](const fmiInteger* raw) { return call_(f_.SetInteger, c_, r.data(), r.size(), raw); });
  }

  bool exchange_;
  RunInterval run_;
};

}  // namespace

std::unique_ptr<Instance> instantiate_1(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                        const InstanceOptions& options, Diagnostics& diagnostics) {
  return make_instance<Instance1, Functions1>(description, std::move(binary), log, options, true, diagnostics);
}

void list_functions_1(std::vector<const char*>& names) {
  Functions1 all;
  all.each([&](const auto& entry) { names.push_back(entry.name); });
}

}  // namespace orrery::fmi
