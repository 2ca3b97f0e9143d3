// SPDX-License-Identifier: Apache-2.0
// Instances of FMI 2.0.
#include <cstring>

#include "fmi/api/fmi2.h"
#include "fmi/loaded_instance.h"

namespace orrery::fmi {
namespace {

#define ORRERY_ENTRY(required, result, name, arguments) Entry<result arguments> name{"fmi2" #name, required};
ORRERY_FUNCTION_TABLE(Functions2, FMI2_FUNCTIONS, ORRERY_ENTRY)
#undef ORRERY_ENTRY

void log_message_2(fmi2ComponentEnvironment environment, fmi2String, fmi2Status status, fmi2String category,
                   fmi2String message, ...) {
  std::va_list arguments;
  va_start(arguments, message);
  // FMUs that forget the environment still find the log of the running call.
  Log::format(environment != nullptr ? environment : speaking_log, static_cast<int>(status), category, message,
              arguments);
  va_end(arguments);
}

class Instance2 final : public ModalInstance<Functions2, fmi2Boolean> {
 public:
  Instance2(const Functions2& functions, std::unique_ptr<Binary> binary, Log& log, const Description& description,
            Kind kind)
      : ModalInstance(functions, std::move(binary), log, description, kind),
        callbacks_{log_message_2, allocate_memory, free_memory, nullptr, &log} {}

  ~Instance2() override { free_instance(); }

  bool open(const InstanceOptions& options) {
    const std::string resources =
        file_uri(options.resources.empty() ? binary_->folder() + "/resources" : options.resources);
    const fmi2Type type = options.kind == Kind::model_exchange ? fmi2ModelExchange : fmi2CoSimulation;
    c_ = call_.plain(f_.Instantiate, options.name.c_str(), type, description_.token.c_str(), resources.c_str(),
                     &callbacks_, options.visible, options.logging);
    return c_ != nullptr;
  }

  Status get_numbers(Type type, References r, std::span<double> values) override {
    if (type == Type::float64) return call_.shared(f_.GetReal, c_, r.data(), r.size(), values.data());
    return get_as<fmi2Integer>(values, [&](fmi2Integer* raw) {
      if (type == Type::boolean) return call_(f_.GetBoolean, c_, r.data(), r.size(), raw);
      return call_(f_.GetInteger, c_, r.data(), r.size(), raw);
    });
  }

  Status set_numbers(Type type, References r, std::span<const double> values) override {
    if (type == Type::float64) return call_(f_.SetReal, c_, r.data(), r.size(), values.data());
    return set_small(type, r, values);
  }

  Status get_integers(Type type, References r, std::span<std::int64_t> values) override {
    return integers_of_numbers(*this, type, r, values);
  }
  Status set_integers(Type type, References r, std::span<const std::int64_t> values) override {
    if (type == Type::float64) {
      return set_as<double>(values, [&](const double* raw) { return call_(f_.SetReal, c_, r.data(), r.size(), raw); });
    }
    return set_small(type, r, values);
  }

  Status get_texts(Type, References r, std::span<std::string> values) override {
    return get_strings(call_, f_.GetString, c_, r, values);
  }

  Status set_texts(Type, References r, std::span<const std::string> values) override {
    return set_strings(call_, f_.SetString, c_, r, values);
  }

  Status setup(const RunInterval& run) override {
    return call_(f_.SetupExperiment, c_, run.tolerance.has_value(), run.tolerance.value_or(0), run.start,
                 run.stop.has_value(), run.stop.value_or(0));
  }
  Status enter_initialization() override { return call_(f_.EnterInitializationMode, c_); }
  Status exit_initialization(EventInfo& info) override {
    info = {};
    info.again = true;
    return call_(f_.ExitInitializationMode, c_);
  }
  Status update_discrete_states(EventInfo& info) override {
    constexpr fmi2Boolean none = unwritten_flag<fmi2Boolean>;
    fmi2EventInfo raw = {none, none, none, none, none, unwritten_number};
    const Status status = call_(f_.NewDiscreteStates, c_, &raw);
    info.again = flag_or(raw.newDiscreteStatesNeeded, false);
    info.terminate = flag_or(raw.terminateSimulation, false);
    info.nominals_changed = flag_or(raw.nominalsOfContinuousStatesChanged, false);
    info.states_changed = flag_or(raw.valuesOfContinuousStatesChanged, false);
    info.next_time = time_or_none(flag_or(raw.nextEventTimeDefined, false), raw.nextEventTime);
    return status;
  }
  Status get_derivatives(std::span<double> dx) override { return call_(f_.GetDerivatives, c_, dx.data(), dx.size()); }
  Status evaluate(double t, std::span<const double> x, std::span<double> dx) override {
    return evaluate_at(call_, f_, f_.GetDerivatives, c_, t, x, dx);
  }
  Status directional_derivative(References unknowns, References knowns, std::span<const double> seed,
                                std::span<double> result) override {
    return call_(f_.GetDirectionalDerivative, c_, unknowns.data(), unknowns.size(), knowns.data(), knowns.size(),
                 seed.data(), result.data());
  }

  Status do_step(double t, double h, StepInfo& info) override {
    info = {};
    info.reached = t;
    const Status status = finish_step<fmi2Status>(call_, f_, c_, call_.shared(f_.DoStep, c_, t, h, fmi2True),
                                                  fmi2DoStepStatus, fmi2LastSuccessfulTime, info);
    if (status != Status::discard) {
      info.reached = t + h;
      return status;
    }
    AnswerFlag<fmi2Boolean> terminated;
    if (f_.GetBooleanStatus && succeeded(call_(f_.GetBooleanStatus, c_, fmi2Terminated, terminated.place()))) {
      info.terminate = terminated.value_or(false);
    }
    call_.rename(f_.DoStep);
    return status;
  }
  Status set_input_derivatives(References r, int order, std::span<const double> values) override {
    const std::vector<fmi2Integer> orders(r.size(), order);
    return call_(f_.SetRealInputDerivatives, c_, r.data(), r.size(), orders.data(), values.data());
  }
  Status get_output_derivatives(References r, int order, std::span<double> values) override {
    const std::vector<fmi2Integer> orders(r.size(), order);
    return call_(f_.GetRealOutputDerivatives, c_, r.data(), r.size(), orders.data(), values.data());
  }

  Status get_state(void*& state) override { return call_(f_.GetFMUstate, c_, &state); }
  Status set_state(void* state) override { return call_(f_.SetFMUstate, c_, state); }
  Status free_state(void*& state) override { return call_(f_.FreeFMUstate, c_, &state); }
  Status serialize_state(void* state, std::vector<char>& bytes) override {
    std::size_t size = 0;
    const Status status = call_(f_.SerializedFMUstateSize, c_, state, &size);
    if (!succeeded(status)) return status;
    bytes.resize(size);
    return call_(f_.SerializeFMUstate, c_, state, bytes.data(), size);
  }
  Status deserialize_state(std::span<const char> bytes, void*& state) override {
    return call_(f_.DeSerializeFMUstate, c_, bytes.data(), bytes.size(), &state);
  }

 private:
  template <class Number>
  Status set_small(Type type, References r, std::span<const Number> values) {
    return set_as<fmi2Integer>(values, [&](const fmi2Integer* raw) {
      if (type == Type::boolean) return call_(f_.SetBoolean, c_, r.data(), r.size(), raw);
      return call_(f_.SetInteger, c_, r.data(), r.size(), raw);
    });
  }

  fmi2CallbackFunctions callbacks_;  // FMUs keep a pointer to it
};

}  // namespace

std::unique_ptr<Instance> instantiate_2(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                        const InstanceOptions& options, Diagnostics& diagnostics) {
  return make_instance<Instance2, Functions2>(description, std::move(binary), log, options, false, diagnostics);
}

void list_functions_2(std::vector<const char*>& names) {
  Functions2 all;
  all.each([&](const auto& entry) { names.push_back(entry.name); });
}

}  // namespace orrery::fmi
