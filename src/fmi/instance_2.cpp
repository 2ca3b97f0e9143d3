// SPDX-License-Identifier: Apache-2.0
// Instances of FMI 2.0.
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "fmi/api/fmi2.h"
#include "fmi/caller.h"
#include "fmi/instance.h"

namespace orrery::fmi {
namespace {

struct Functions {
#define ORRERY_POINTER(kind, result, name, arguments) result(*name) arguments = nullptr;
  FMI2_FUNCTIONS(ORRERY_POINTER)
#undef ORRERY_POINTER
};

// The required ones that are not there. Some FMUs keep the prefix that only static libraries need (FMI 2.0: 2.1.1).
std::vector<std::string> load(const Binary& binary, const std::string& identifier, Kind kind, Functions& f) {
  const int wanted = kind == Kind::model_exchange ? 2 : 3;
  std::vector<std::string> missing;
#define ORRERY_LOAD(required, result, name, arguments)                                                           \
  f.name = reinterpret_cast<decltype(f.name)>(binary.symbol("fmi2" #name));                                      \
  if (f.name == nullptr) f.name = reinterpret_cast<decltype(f.name)>(binary.symbol(identifier + "_fmi2" #name)); \
  if (f.name == nullptr && (required == 1 || required == wanted)) missing.emplace_back("fmi2" #name);
  FMI2_FUNCTIONS(ORRERY_LOAD)
#undef ORRERY_LOAD
  return missing;
}

void log_message(fmi2ComponentEnvironment environment, fmi2String, fmi2Status status, fmi2String category,
                 fmi2String message, ...) {
  std::va_list arguments;
  va_start(arguments, message);
  // FMUs that forget the environment still find the log of the running call.
  Log::format(environment != nullptr ? environment : speaking_log, static_cast<int>(status), category, message,
              arguments);
  va_end(arguments);
}

class Instance2 final : public Instance {
 public:
  Instance2(const Functions& functions, std::unique_ptr<Binary> binary, Log& log, const Description& description,
            Kind kind)
      : binary_(std::move(binary)),
        f_(functions),
        call_(log),
        description_(description),
        step_completion_needed_(kind == Kind::model_exchange &&
                                !description.model_exchange->step_completion_not_needed),
        directional_(description.interface(kind)->directional_derivatives),
        callbacks_{log_message, allocate_memory, free_memory, nullptr, &log} {}
  ~Instance2() override {
    if (call_.death() != nullptr) binary_->abandon();
    if (c_ == nullptr || call_.fatal()) return;
    call_.plain("fmi2FreeInstance", f_.FreeInstance, c_);
  }

  bool open(const InstanceOptions& options) {
    const std::string resources = file_uri(binary_->folder() + "/resources");
    const fmi2Type type = options.kind == Kind::model_exchange ? fmi2ModelExchange : fmi2CoSimulation;
    c_ = call_.plain("fmi2Instantiate", f_.Instantiate, options.name.c_str(), type, description_.token.c_str(),
                     resources.c_str(), &callbacks_, options.visible, options.logging);
    return c_ != nullptr;
  }

  const char* last_call() const override { return call_.last(); }
  const Death* death() const override { return call_.death(); }

  Status set_debug_logging(bool on, const std::vector<std::string>& categories) override {
    if (f_.SetDebugLogging == nullptr) return Status::ok;
    std::vector<fmi2String> names;
    for (const std::string& name : categories) names.push_back(name.c_str());
    return call_("fmi2SetDebugLogging", f_.SetDebugLogging, c_, on, names.size(), names.data());
  }

  Status get_numbers(Type type, References r, std::span<double> values) override {
    if (type == Type::float64) return call_("fmi2GetReal", f_.GetReal, c_, r.data(), r.size(), values.data());
    return get_as<fmi2Integer>(values, [&](fmi2Integer* raw) {
      if (type == Type::boolean) return call_("fmi2GetBoolean", f_.GetBoolean, c_, r.data(), r.size(), raw);
      return call_("fmi2GetInteger", f_.GetInteger, c_, r.data(), r.size(), raw);
    });
  }

  Status set_numbers(Type type, References r, std::span<const double> values) override {
    if (type == Type::float64) return call_("fmi2SetReal", f_.SetReal, c_, r.data(), r.size(), values.data());
    return set_small(type, r, values);
  }

  Status get_integers(Type type, References r, std::span<std::int64_t> values) override {
    std::vector<double> numbers(values.size());
    const Status status = get_numbers(type, r, numbers);
    for (std::size_t k = 0; k < numbers.size(); ++k) values[k] = std::llrint(numbers[k]);
    return status;
  }
  Status set_integers(Type type, References r, std::span<const std::int64_t> values) override {
    if (type == Type::float64) {
      return set_as<double>(
          values, [&](const double* raw) { return call_("fmi2SetReal", f_.SetReal, c_, r.data(), r.size(), raw); });
    }
    return set_small(type, r, values);
  }

  Status get_texts(Type, References r, std::span<std::string> values) override {
    std::vector<fmi2String> raw(values.size(), nullptr);
    const Status status = call_("fmi2GetString", f_.GetString, c_, r.data(), r.size(), raw.data());
    return call_.read(status, [&] {
      for (std::size_t k = 0; k < raw.size(); ++k) values[k] = text_or_empty(raw[k]);
    });
  }

  Status set_texts(Type, References r, std::span<const std::string> values) override {
    std::vector<fmi2String> raw;
    for (const std::string& value : values) raw.push_back(value.c_str());
    return call_("fmi2SetString", f_.SetString, c_, r.data(), r.size(), raw.data());
  }

  Status setup(const RunInterval& run) override {
    return call_("fmi2SetupExperiment", f_.SetupExperiment, c_, run.tolerance.has_value(), run.tolerance.value_or(0),
                 run.start, run.stop.has_value(), run.stop.value_or(0));
  }
  Status enter_configuration() override { return Status::ok; }
  Status exit_configuration() override { return Status::ok; }
  Status enter_initialization() override {
    return call_("fmi2EnterInitializationMode", f_.EnterInitializationMode, c_);
  }
  Status exit_initialization(EventInfo& info) override {
    info = {};
    info.again = true;
    return call_("fmi2ExitInitializationMode", f_.ExitInitializationMode, c_);
  }
  Status terminate() override {
    return f_.Terminate == nullptr ? Status::ok : call_("fmi2Terminate", f_.Terminate, c_);
  }
  Status reset() override { return call_("fmi2Reset", f_.Reset, c_); }

  Status enter_event_mode() override { return call_("fmi2EnterEventMode", f_.EnterEventMode, c_); }
  Status update_discrete_states(EventInfo& info) override {
    fmi2EventInfo raw = {};
    const Status status = call_("fmi2NewDiscreteStates", f_.NewDiscreteStates, c_, &raw);
    info.again = raw.newDiscreteStatesNeeded != 0;
    info.terminate = raw.terminateSimulation != 0;
    info.nominals_changed = raw.nominalsOfContinuousStatesChanged != 0;
    info.states_changed = raw.valuesOfContinuousStatesChanged != 0;
    info.next_time = raw.nextEventTimeDefined != 0 ? std::optional(raw.nextEventTime) : std::nullopt;
    return status;
  }
  Status enter_continuous_mode() override {
    return call_("fmi2EnterContinuousTimeMode", f_.EnterContinuousTimeMode, c_);
  }
  Status enter_step_mode() override { return Status::ok; }

  Status count_states(std::size_t& states, std::size_t& indicators) override {
    states = description_.states;
    indicators = description_.indicators;
    return Status::ok;
  }
  Status set_time(double t) override { return call_("fmi2SetTime", f_.SetTime, c_, t); }
  Status set_states(std::span<const double> x) override {
    return call_("fmi2SetContinuousStates", f_.SetContinuousStates, c_, x.data(), x.size());
  }
  Status get_states(std::span<double> x) override {
    return call_("fmi2GetContinuousStates", f_.GetContinuousStates, c_, x.data(), x.size());
  }
  Status get_nominals(std::span<double> nominals) override {
    if (f_.GetNominalsOfContinuousStates == nullptr) return Status::ok;
    return call_("fmi2GetNominalsOfContinuousStates", f_.GetNominalsOfContinuousStates, c_, nominals.data(),
                 nominals.size());
  }
  Status get_state_references(std::span<ValueReference>) override { return Status::discard; }
  Status get_derivatives(std::span<double> dx) override {
    return call_("fmi2GetDerivatives", f_.GetDerivatives, c_, dx.data(), dx.size());
  }
  Status get_indicators(std::span<double> z) override {
    return call_("fmi2GetEventIndicators", f_.GetEventIndicators, c_, z.data(), z.size());
  }
  Status completed_step(CompletedInfo& info) override {
    info = {};
    if (!step_completion_needed_ || f_.CompletedIntegratorStep == nullptr) return Status::ok;
    fmi2Boolean event = 0, terminate = 0;
    const Status status =
        call_("fmi2CompletedIntegratorStep", f_.CompletedIntegratorStep, c_, fmi2True, &event, &terminate);
    info = {event != 0, terminate != 0};
    return status;
  }
  bool has_directional_derivatives() const override { return directional_ && f_.GetDirectionalDerivative != nullptr; }
  Status directional_derivative(References unknowns, References knowns, std::span<const double> seed,
                                std::span<double> result) override {
    return call_("fmi2GetDirectionalDerivative", f_.GetDirectionalDerivative, c_, unknowns.data(), unknowns.size(),
                 knowns.data(), knowns.size(), seed.data(), result.data());
  }

  Status do_step(double t, double h, StepInfo& info) override {
    info = {};
    info.reached = t + h;
    Status status = call_("fmi2DoStep", f_.DoStep, c_, t, h, fmi2True);
    while (status == Status::pending) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      fmi2Status raw = fmi2Pending;
      const Status asked = call_("fmi2GetStatus", f_.GetStatus, c_, fmi2DoStepStatus, &raw);
      if (!succeeded(asked)) return asked;
      status = static_cast<Status>(raw);
    }
    if (status != Status::discard) return status;
    info.early_return = true;
    info.reached = t;
    double reached = t;
    if (f_.GetRealStatus != nullptr &&
        succeeded(call_("fmi2GetRealStatus", f_.GetRealStatus, c_, fmi2LastSuccessfulTime, &reached))) {
      info.reached = reached;
    }
    fmi2Boolean terminated = 0;
    if (f_.GetBooleanStatus != nullptr &&
        succeeded(call_("fmi2GetBooleanStatus", f_.GetBooleanStatus, c_, fmi2Terminated, &terminated))) {
      info.terminate = terminated != 0;
    }
    call_.rename("fmi2DoStep");
    return status;
  }
  Status set_input_derivatives(References r, int order, std::span<const double> values) override {
    const std::vector<fmi2Integer> orders(r.size(), order);
    return call_("fmi2SetRealInputDerivatives", f_.SetRealInputDerivatives, c_, r.data(), r.size(), orders.data(),
                 values.data());
  }
  Status get_output_derivatives(References r, int order, std::span<double> values) override {
    const std::vector<fmi2Integer> orders(r.size(), order);
    return call_("fmi2GetRealOutputDerivatives", f_.GetRealOutputDerivatives, c_, r.data(), r.size(), orders.data(),
                 values.data());
  }

  Status get_state(void*& state) override { return call_("fmi2GetFMUstate", f_.GetFMUstate, c_, &state); }
  Status set_state(void* state) override { return call_("fmi2SetFMUstate", f_.SetFMUstate, c_, state); }
  Status free_state(void*& state) override { return call_("fmi2FreeFMUstate", f_.FreeFMUstate, c_, &state); }
  Status serialize_state(void* state, std::vector<char>& bytes) override {
    std::size_t size = 0;
    const Status status = call_("fmi2SerializedFMUstateSize", f_.SerializedFMUstateSize, c_, state, &size);
    if (!succeeded(status)) return status;
    bytes.resize(size);
    return call_("fmi2SerializeFMUstate", f_.SerializeFMUstate, c_, state, bytes.data(), size);
  }
  Status deserialize_state(std::span<const char> bytes, void*& state) override {
    return call_("fmi2DeSerializeFMUstate", f_.DeSerializeFMUstate, c_, bytes.data(), bytes.size(), &state);
  }

  Status get_intervals(References, std::span<ClockInterval>) override { return Status::error; }
  Status set_intervals(References, std::span<const double>) override { return Status::error; }
  Status get_shifts(References, std::span<double>) override { return Status::error; }
  Status activate_partition(ValueReference, double) override { return Status::error; }
  bool clocks_changed() override { return false; }

 private:
  template <class Number>
  Status set_small(Type type, References r, std::span<const Number> values) {
    return set_as<fmi2Integer>(values, [&](const fmi2Integer* raw) {
      if (type == Type::boolean) return call_("fmi2SetBoolean", f_.SetBoolean, c_, r.data(), r.size(), raw);
      return call_("fmi2SetInteger", f_.SetInteger, c_, r.data(), r.size(), raw);
    });
  }

  std::unique_ptr<Binary> binary_;
  Functions f_;
  Caller call_;
  const Description& description_;
  bool step_completion_needed_, directional_;
  fmi2CallbackFunctions callbacks_;  // FMUs keep a pointer to it
  fmi2Component c_ = nullptr;
};

}  // namespace

std::unique_ptr<Instance> instantiate_2(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                        const InstanceOptions& options, Diagnostics& diagnostics) {
  Functions functions;
  const std::vector<std::string> missing =
      load(*binary, description.interface(options.kind)->model_identifier, options.kind, functions);
  if (!missing.empty()) {
    report_missing(binary->fmu(), missing, diagnostics);
    return nullptr;
  }
  auto instance = std::make_unique<Instance2>(functions, std::move(binary), log, description, options.kind);
  if (instance->open(options)) return instance;
  report_no_instance(*instance, log, diagnostics);
  return nullptr;
}

}  // namespace orrery::fmi
