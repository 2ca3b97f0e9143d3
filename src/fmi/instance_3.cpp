// SPDX-License-Identifier: Apache-2.0
// Instances of FMI 3.0: Model Exchange, Co-Simulation and Scheduled Execution.
#include <atomic>
#include <cmath>
#include <mutex>

#include "fmi/api/fmi3.h"
#include "fmi/loaded_instance.h"

namespace orrery::fmi {
namespace {

#define ORRERY_ENTRY(required, result, name, arguments) Entry<result arguments> name{"fmi3" #name, required};
ORRERY_FUNCTION_TABLE(Functions3, FMI3_FUNCTIONS, ORRERY_ENTRY)
#undef ORRERY_ENTRY

// What the callbacks of one instance need. It is never freed, as FMUs speak after their end.
struct Environment {
  Log* log = nullptr;
  std::function<bool(const IntermediatePoint&)> intermediate;
  std::atomic<bool> clocks_changed{false};
};

Environment& new_environment() {
  static std::mutex mutex;
  static auto* const all = new std::vector<std::unique_ptr<Environment>>;
  const std::lock_guard lock(mutex);
  return *all->emplace_back(std::make_unique<Environment>());
}

void log_message_3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
  Log* log = environment != nullptr ? static_cast<Environment*>(environment)->log : speaking_log;
  Log::message(log, static_cast<int>(status), category, message);
}

void intermediate_update(fmi3InstanceEnvironment environment, fmi3Float64 t, fmi3Boolean set_requested,
                         fmi3Boolean get_allowed, fmi3Boolean step_finished, fmi3Boolean can_return,
                         fmi3Boolean* early_return, fmi3Float64* early_time) {
  const auto* own = static_cast<const Environment*>(environment);
  const bool end = own != nullptr && own->intermediate &&
                   own->intermediate({t, set_requested, get_allowed, step_finished, can_return});
  if (early_return != nullptr) *early_return = end && can_return;
  if (early_time != nullptr) *early_time = t;
}

void clock_update(fmi3InstanceEnvironment environment) {
  if (environment != nullptr) static_cast<Environment*>(environment)->clocks_changed = true;
}
void no_preemption() {}  // partitions run one after the other

class Instance3 final : public ModalInstance<Functions3, fmi3Boolean> {
 public:
  Instance3(const Functions3& functions, std::unique_ptr<Binary> binary, Log& log, const Description& description,
            Kind kind)
      : ModalInstance(functions, std::move(binary), log, description, kind), environment_(new_environment()) {
    environment_.log = &log;
  }
  ~Instance3() override {
    environment_.intermediate = {};
    free_instance();
  }

  bool open(const InstanceOptions& options) {
    const std::string resources =
        options.resources.empty() ? binary_->folder() + "/resources/" : options.resources + "/";
    const char* name = options.name.c_str();
    const char* token = description_.token.c_str();
    const char* path = resources.c_str();
    if (options.kind == Kind::model_exchange) {
      c_ = call_.plain(f_.InstantiateModelExchange, name, token, path, options.visible, options.logging, &environment_,
                       log_message_3);
    } else if (options.kind == Kind::co_simulation) {
      environment_.intermediate = options.intermediate;
      const ValueReference* variables = options.intermediate ? options.intermediate_variables.data() : nullptr;
      const std::size_t count = options.intermediate ? options.intermediate_variables.size() : 0;
      c_ = call_.plain(f_.InstantiateCoSimulation, name, token, path, options.visible, options.logging,
                       options.event_mode, options.early_return, variables, count, &environment_, log_message_3,
                       intermediate_update);
    } else if (f_.InstantiateScheduledExecution) {
      c_ = call_.plain(f_.InstantiateScheduledExecution, name, token, path, options.visible, options.logging,
                       &environment_, log_message_3, clock_update, no_preemption, no_preemption);
    }
    return c_ != nullptr;
  }

  Status get_numbers(Type type, References r, std::span<double> values) override {
    switch (type) {
      case Type::float64: return call_.shared(f_.GetFloat64, c_, r.data(), r.size(), values.data(), values.size());
      case Type::float32: return get<fmi3Float32>(f_.GetFloat32, r, values);
      case Type::int8: return get<fmi3Int8>(f_.GetInt8, r, values);
      case Type::uint8: return get<fmi3UInt8>(f_.GetUInt8, r, values);
      case Type::int16: return get<fmi3Int16>(f_.GetInt16, r, values);
      case Type::uint16: return get<fmi3UInt16>(f_.GetUInt16, r, values);
      case Type::int32: return get<fmi3Int32>(f_.GetInt32, r, values);
      case Type::uint32: return get<fmi3UInt32>(f_.GetUInt32, r, values);
      case Type::int64:
      case Type::enumeration: return get<fmi3Int64>(f_.GetInt64, r, values);
      case Type::uint64: return get<fmi3UInt64>(f_.GetUInt64, r, values);
      case Type::boolean: return get_bool(r, values);
      case Type::clock: return get_clock(r, values);
      case Type::string:
      case Type::binary: break;
    }
    return Status::error;
  }
  Status set_numbers(Type type, References r, std::span<const double> values) override {
    if (type == Type::float64) {
      return call_(f_.SetFloat64, c_, r.data(), r.size(), values.data(), values.size());
    }
    return set_any(type, r, values);
  }
  Status get_integers(Type type, References r, std::span<std::int64_t> values) override {
    if (type == Type::int64 || type == Type::enumeration) {
      return call_(f_.GetInt64, c_, r.data(), r.size(), values.data(), values.size());
    }
    if (type == Type::uint64) {
      auto* raw = reinterpret_cast<std::uint64_t*>(values.data());
      return call_(f_.GetUInt64, c_, r.data(), r.size(), raw, values.size());
    }
    return integers_of_numbers(*this, type, r, values);
  }
  Status set_integers(Type type, References r, std::span<const std::int64_t> values) override {
    return set_any(type, r, values);
  }

  Status get_texts(Type type, References r, std::span<std::string> values) override {
    if (type == Type::binary) {
      std::vector<std::size_t> sizes(values.size(), 0);
      std::vector<fmi3Binary> raw(values.size(), nullptr);
      const Status status = call_(f_.GetBinary, c_, r.data(), r.size(), sizes.data(), raw.data(), raw.size());
      return call_.read(status, [&] {
        for (std::size_t k = 0; k < raw.size(); ++k) {
          values[k].clear();
          if (raw[k] != nullptr) values[k].assign(reinterpret_cast<const char*>(raw[k]), sizes[k]);
        }
      });
    }
    return get_strings(call_, f_.GetString, c_, r, values, values.size());
  }
  Status set_texts(Type type, References r, std::span<const std::string> values) override {
    if (type == Type::binary) {
      std::vector<std::size_t> sizes;
      std::vector<fmi3Binary> raw;
      for (const std::string& value : values) {
        sizes.push_back(value.size());
        raw.push_back(reinterpret_cast<fmi3Binary>(value.data()));
      }
      return call_(f_.SetBinary, c_, r.data(), r.size(), sizes.data(), raw.data(), raw.size());
    }
    return set_strings(call_, f_.SetString, c_, r, values, values.size());
  }

  Status setup(const RunInterval& run) override {
    run_ = run;
    return Status::ok;
  }
  Status enter_configuration() override { return call_(f_.EnterConfigurationMode, c_); }
  Status exit_configuration() override { return call_(f_.ExitConfigurationMode, c_); }
  Status enter_initialization() override {
    return call_(f_.EnterInitializationMode, c_, run_.tolerance.has_value(), run_.tolerance.value_or(0), run_.start,
                 run_.stop.has_value(), run_.stop.value_or(0));
  }
  Status exit_initialization(EventInfo& info) override {
    info = {};
    info.again = true;
    return call_(f_.ExitInitializationMode, c_);
  }
  Status update_discrete_states(EventInfo& info) override {
    AnswerFlag<fmi3Boolean> again, terminate, nominals, states, next_defined;
    fmi3Float64 next = unwritten_number;
    const Status status = call_(f_.UpdateDiscreteStates, c_, again.place(), terminate.place(), nominals.place(),
                                states.place(), next_defined.place(), &next);
    info = {again.value_or(false), terminate.value_or(false), nominals.value_or(false), states.value_or(false),
            time_or_none(next_defined.value_or(false), next)};
    return status;
  }
  Status enter_step_mode() override { return call_(f_.EnterStepMode, c_); }

  Status count_states(std::size_t& states, std::size_t& indicators) override {
    static_cast<void>(ModalInstance::count_states(states, indicators));
    if (f_.GetNumberOfContinuousStates) {
      const Status status = call_(f_.GetNumberOfContinuousStates, c_, &states);
      if (!succeeded(status)) return status;
    }
    if (!f_.GetNumberOfEventIndicators) return Status::ok;
    return call_(f_.GetNumberOfEventIndicators, c_, &indicators);
  }
  Status get_derivatives(std::span<double> dx) override {
    return call_(f_.GetContinuousStateDerivatives, c_, dx.data(), dx.size());
  }
  Status evaluate(double t, std::span<const double> x, std::span<double> dx) override {
    return evaluate_at(call_, f_, f_.GetContinuousStateDerivatives, c_, t, x, dx);
  }
  Status directional_derivative(References unknowns, References knowns, std::span<const double> seed,
                                std::span<double> result) override {
    return call_(f_.GetDirectionalDerivative, c_, unknowns.data(), unknowns.size(), knowns.data(), knowns.size(),
                 seed.data(), seed.size(), result.data(), result.size());
  }

  Status do_step(double t, double h, StepInfo& info) override {
    AnswerFlag<fmi3Boolean> event, terminate, early;
    fmi3Float64 reached = unwritten_number;
    const Status status =
        call_.shared(f_.DoStep, c_, t, h, true, event.place(), terminate.place(), early.place(), &reached);
    if (!is_written(reached)) reached = t + h;
    info = {event.value_or(false), terminate.value_or(false), early.value_or(false), t + h};
    if (info.early_return) info.reached = reached;
    if (status == Status::discard) {
      info.early_return = true;
      info.reached = reached < t + h ? reached : t;
    }
    return status;
  }
  // 3.0 has intermediate update instead.
  Status set_input_derivatives(References, int, std::span<const double>) override { return Status::discard; }
  Status get_output_derivatives(References r, int order, std::span<double> values) override {
    const std::vector<fmi3Int32> orders(r.size(), order);
    return call_(f_.GetOutputDerivatives, c_, r.data(), r.size(), orders.data(), values.data(), values.size());
  }

  Status get_state(void*& state) override { return call_(f_.GetFMUState, c_, &state); }
  Status set_state(void* state) override { return call_(f_.SetFMUState, c_, state); }
  Status free_state(void*& state) override { return call_(f_.FreeFMUState, c_, &state); }
  Status serialize_state(void* state, std::vector<char>& bytes) override {
    std::size_t size = 0;
    const Status status = call_(f_.SerializedFMUStateSize, c_, state, &size);
    if (!succeeded(status)) return status;
    bytes.resize(size);
    return call_(f_.SerializeFMUState, c_, state, reinterpret_cast<fmi3Byte*>(bytes.data()), size);
  }
  Status deserialize_state(std::span<const char> bytes, void*& state) override {
    return call_(f_.DeserializeFMUState, c_, reinterpret_cast<const fmi3Byte*>(bytes.data()), bytes.size(), &state);
  }

  Status get_intervals(References clocks, std::span<ClockInterval> intervals) override {
    std::vector<double> raw(clocks.size(), 0);
    std::vector<fmi3IntervalQualifier> known(clocks.size(), fmi3IntervalNotYetKnown);
    const Status status = call_(f_.GetIntervalDecimal, c_, clocks.data(), clocks.size(), raw.data(), known.data());
    for (std::size_t k = 0; k < raw.size(); ++k) {
      intervals[k] = {known[k] == fmi3IntervalChanged     ? ClockInterval::Known::changed
                      : known[k] == fmi3IntervalUnchanged ? ClockInterval::Known::unchanged
                                                          : ClockInterval::Known::not_yet,
                      raw[k]};
    }
    return status;
  }
  Status set_intervals(References clocks, std::span<const double> seconds) override {
    return call_(f_.SetIntervalDecimal, c_, clocks.data(), clocks.size(), seconds.data());
  }
  Status get_shifts(References clocks, std::span<double> seconds) override {
    return call_(f_.GetShiftDecimal, c_, clocks.data(), clocks.size(), seconds.data());
  }
  Status activate_partition(ValueReference clock, double t) override {
    return call_(f_.ActivateModelPartition, c_, clock, t);
  }
  bool clocks_changed() override { return environment_.clocks_changed.exchange(false); }

 private:
  template <class C, class Signature>
  Status get(const Entry<Signature>& entry, References r, std::span<double> values) {
    return get_as<C>(values, [&](C* raw) { return call_(entry, c_, r.data(), r.size(), raw, values.size()); });
  }
  Status get_bool(References r, std::span<double> values) {
    const std::unique_ptr<bool[]> raw(new bool[values.size() + 1]());
    const Status status = call_(f_.GetBoolean, c_, r.data(), r.size(), raw.get(), values.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = raw[k] ? 1 : 0;
    return status;
  }
  Status get_clock(References r, std::span<double> values) {
    const std::unique_ptr<bool[]> raw(new bool[values.size() + 1]());
    const Status status = call_(f_.GetClock, c_, r.data(), r.size(), raw.get());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = raw[k] ? 1 : 0;
    return status;
  }
  template <class C, class Number, class Signature>
  Status set(const Entry<Signature>& entry, References r, std::span<const Number> values) {
    return set_as<C>(values, [&](const C* raw) { return call_(entry, c_, r.data(), r.size(), raw, values.size()); });
  }
  template <class Number>
  Status set_any(Type type, References r, std::span<const Number> values) {
    switch (type) {
      case Type::float64: return set<fmi3Float64>(f_.SetFloat64, r, values);
      case Type::float32: return set<fmi3Float32>(f_.SetFloat32, r, values);
      case Type::int8: return set<fmi3Int8>(f_.SetInt8, r, values);
      case Type::uint8: return set<fmi3UInt8>(f_.SetUInt8, r, values);
      case Type::int16: return set<fmi3Int16>(f_.SetInt16, r, values);
      case Type::uint16: return set<fmi3UInt16>(f_.SetUInt16, r, values);
      case Type::int32: return set<fmi3Int32>(f_.SetInt32, r, values);
      case Type::uint32: return set<fmi3UInt32>(f_.SetUInt32, r, values);
      case Type::int64:
      case Type::enumeration: return set<fmi3Int64>(f_.SetInt64, r, values);
      case Type::uint64: return set<fmi3UInt64>(f_.SetUInt64, r, values);
      case Type::boolean: return set<bool>(f_.SetBoolean, r, values);
      case Type::clock:
        return set_as<bool>(values, [&](const bool* raw) { return call_(f_.SetClock, c_, r.data(), r.size(), raw); });
      case Type::string:
      case Type::binary: break;
    }
    return Status::error;
  }

  Environment& environment_;
  RunInterval run_;
};

}  // namespace

std::unique_ptr<Instance> instantiate_3(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                        const InstanceOptions& options, Diagnostics& diagnostics) {
  return make_instance<Instance3, Functions3>(description, std::move(binary), log, options, false, diagnostics);
}

void list_functions_3(std::vector<const char*>& names) {
  Functions3 all;
  all.each([&](const auto& entry) { names.push_back(entry.name); });
}

}  // namespace orrery::fmi
