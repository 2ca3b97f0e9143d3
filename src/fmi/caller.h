// SPDX-License-Identifier: Apache-2.0
// How the versions call into a library: names for messages, statuses checked, nothing called after a fatal one.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "fmi/function_table.h"
#include "fmi/guard.h"
#include "fmi/instance.h"
#include "fmi/log.h"

namespace orrery::fmi {

// FMI 1.0 gives its logger no environment, so the log of the instance that is being called stands here.
inline constinit thread_local Log* speaking_log = nullptr;

class Caller {
 public:
  explicit Caller(Log& log) : log_(log) {}

  // Calls a function of the library and translates its status. A function that is not there is an error, and said so.
  template <class Signature, class... Arguments>
  Status operator()(const Entry<Signature>& entry, Arguments... arguments) {
    name_ = entry.name;
    if (fatal_) return Status::fatal;
    if (!entry) {
      log_.message(Status::error, "import", (std::string(entry.name) + " is not in the library").c_str());
      return Status::error;
    }
    int status = fatal_status;
    const bool completed = guard([&] { status = static_cast<int>(entry.function(arguments...)); });
    return finish(completed, status);
  }

  // Several calls behind one guard, for what an integrator does millions of times. body(call) makes them with
  // call(entry, arguments...), which says whether to go on; all the functions must be there.
  template <class Body>
  [[gnu::always_inline]] inline Status together(const Body& body) {
    if (fatal_) return Status::fatal;
    // From within a call, as intermediate updates are, the guard is not to be had.
    return guarded_ == nullptr || current_call == guarded_ ? apart(Body(body)) : join_guard(body);
  }

  // A single call, within a guard that is open already where there is one.
  template <class Signature, class... Arguments>
  Status shared(const Entry<Signature>& entry, Arguments... arguments) {
    if (guarded_ == nullptr || !entry) return (*this)(entry, arguments...);
    return together([ =, &entry ](auto&& call) __attribute__((always_inline)) { call(entry, arguments...); });
  }

  // One guard for everything that body does with together() and shared(). A crash in there ends body where it stands,
  // without the destructors of its frames, and false is the answer.
  template <class Body>
  bool under_one_guard(const Body& body) {
    ForeignCall call{};
    call.fmu = log_.fmu().c_str();
    call.returns = true;
    const GuardedCalls open(*this, call);
    if (with_way_back(call, body)) return true;
    leave(call);
    name_ = call.function;
    float_control.restore();
    death_ = death_by_signal(call.function, call.signal);
    static_cast<void>(die());
    return false;
  }

  // For functions without a status; what a crashed one returns is the empty value.
  template <class Signature, class... Arguments>
  auto plain(const Entry<Signature>& entry, Arguments... arguments) {
    using Result = decltype(entry.function(arguments...));
    name_ = entry.name;
    if constexpr (std::is_void_v<Result>) {
      const bool completed = guard([&] { entry.function(arguments...); });
      float_control.restore();
      if (!completed) static_cast<void>(die());
    } else {
      Result result{};
      const bool completed = guard([&] { result = entry.function(arguments...); });
      float_control.restore();
      if (completed) return result;
      static_cast<void>(die());
      return Result{};
    }
  }
  // Looks at memory the FMU has named; it may be none.
  template <class Body>
  Status read(Status status, const Body& body) {
    if (status > Status::warning) return status;
    return guard(body) ? status : die();
  }
  template <class Signature>
  void rename(const Entry<Signature>& entry) {
    name_ = entry.name;
  }
  const char* last() const { return name_; }
  bool fatal() const { return fatal_; }
  const Death* death() const { return death_.code.empty() ? nullptr : &death_; }

 private:
  static constexpr int fatal_status = 4;

  struct GuardedCalls {
    GuardedCalls(Caller& of, ForeignCall& call) : caller(of), before(of.guarded_) { caller.guarded_ = &call; }
    ~GuardedCalls() { caller.guarded_ = before; }
    GuardedCalls(const GuardedCalls&) = delete;
    GuardedCalls& operator=(const GuardedCalls&) = delete;
    Caller& caller;
    ForeignCall* before;
  };
  static void leave(const ForeignCall& call) {
    current_call = call.outer;
    entered_function->store(call.outer != nullptr ? call.outer->function : nullptr, std::memory_order_relaxed);
  }
  template <class Body>
  [[gnu::noinline]] Status apart(const Body& body) {
    int status = fatal_status;
    const auto call = [&]<class Signature, class... Arguments>(const Entry<Signature>& entry, Arguments... arguments) {
      name_ = entry.name;
      enter(entry.name);
      status = fatal_status;
      status = static_cast<int>(entry.function(arguments...));
      return status == 0 || status == 1;
    };
    const bool completed = guard([&] { body(call); });
    return finish(completed, status);
  }
  // Between the calls under one guard there is no foreign code, and no crash is the FMU's.
  template <class Body>
  [[gnu::always_inline]] inline Status join_guard(const Body& body) {
    ForeignCall& way_back = *guarded_;
    way_back.outer = current_call;
    current_call = &way_back;
    speaking_log = &log_;
    std::atomic<const char*>& slot = *entered_function;
    int status = fatal_status;
    bool completed = false;
    const auto call = [&]<class Signature, class... Arguments>(const Entry<Signature>& entry, Arguments... arguments)
        __attribute__((always_inline)) {
      way_back.function = entry.name;
      slot.store(entry.name, std::memory_order_relaxed);
      status = static_cast<int>(entry.function(arguments...));
      return status == 0 || status == 1;
    };
    try {
      body(call);
      completed = true;
    } catch (const std::exception& exception) {
      death_ = death_by_exception(way_back.function, &exception);
    } catch (...) {
      death_ = death_by_exception(way_back.function, nullptr);
    }
    name_ = way_back.function;
    leave(way_back);
    return finish(completed, status);
  }

  template <class Body>
  bool guard(const Body& body) {
    speaking_log = &log_;
    return guarded(log_.fmu().c_str(), name_, body, death_);
  }
  Status finish(bool completed, int status) {
    // Looking costs as much as a short call. FMUs change the environment when they start, if at all.
    if (++calls_ < 200 || calls_ % 16 == 0 || !completed) float_control.restore();
    if (!completed) return die();
    if (status == fatal_status) fatal_ = true;
    return status < 0 || status > 5 ? Status::error : static_cast<Status>(status);
  }
  Status die() {
    fatal_ = true;
    return Status::fatal;
  }

  Log& log_;
  const char* name_ = "dlopen";
  bool fatal_ = false;
  unsigned calls_ = 0;
  ForeignCall* guarded_ = nullptr;  // the guard that is open for calls made together
  Death death_;
};

// The worse of two, as far as going on is concerned.
inline bool succeeded(Status status) { return status == Status::ok || status == Status::warning; }

// Gets numbers of another C type into doubles. call(values) fills an array of C.
template <class C, class Call>
Status get_as(std::span<double> values, Call&& call) {
  std::vector<C> raw(values.size());
  const Status status = call(raw.data());
  for (std::size_t k = 0; k < raw.size(); ++k) values[k] = static_cast<double>(raw[k]);
  return status;
}

// 64-bit integers where the versions have none of their own.
inline Status integers_of_numbers(Instance& fmu, Type type, Instance::References r, std::span<std::int64_t> values) {
  std::vector<double> numbers(values.size());
  const Status status = fmu.get_numbers(type, r, numbers);
  for (std::size_t k = 0; k < numbers.size(); ++k) values[k] = std::llrint(numbers[k]);
  return status;
}

// A number as another C type. Integers that are too wide lose their upper bits, as in C: unsigned values of hardware
// come so in signed variables.
template <class C, class Number>
C converted(Number value) {
  if constexpr (std::is_same_v<C, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<C> && std::is_floating_point_v<Number>) {
    constexpr auto limit = static_cast<Number>(std::numeric_limits<std::int64_t>::max());
    if (std::is_unsigned_v<C> && value >= limit && value < 2 * limit)
      return static_cast<C>(static_cast<std::uint64_t>(value));
    if (!(value > -limit && value < limit)) {
      return value >= limit ? std::numeric_limits<C>::max() : value <= -limit ? std::numeric_limits<C>::min() : C{0};
    }
    return static_cast<C>(static_cast<std::int64_t>(value));
  } else {
    return static_cast<C>(value);
  }
}

// Sets numbers of another C type. vector<bool> has no array, hence the plain allocation.
template <class C, class Number, class Call>
Status set_as(std::span<const Number> values, Call&& call) {
  const std::unique_ptr<C[]> raw(new C[values.size() + 1]);
  for (std::size_t k = 0; k < values.size(); ++k) raw[k] = converted<C>(values[k]);
  return call(static_cast<const C*>(raw.get()));
}

inline void* allocate_memory(std::size_t count, std::size_t size) {
  void* memory = std::calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
  if (memory == nullptr) note_exhausted_memory();
  return memory;
}
inline void free_memory(void* memory) { std::free(memory); }

inline std::string text_or_empty(const char* text) { return text == nullptr ? std::string() : std::string(text); }

// What an integrator does millions of times: time, states, derivatives, of which the last two may be absent.
template <class Functions, class Signature>
[[gnu::always_inline]] inline Status evaluate_at(Caller& caller, const Functions& f,
                                                 const Entry<Signature>& derivatives, void* c, double t,
                                                 std::span<const double> x, std::span<double> dx) {
  return caller.together([ =, &f, &derivatives ](auto&& call) __attribute__((always_inline)) {
    if (!call(f.SetTime, c, t) || x.empty() || !call(f.SetContinuousStates, c, x.data(), x.size())) return;
    if (!dx.empty()) call(derivatives, c, dx.data(), dx.size());
  });
}

// Time, states and event indicators.
template <class Functions>
[[gnu::always_inline]] inline Status indicate_at(Caller& caller, const Functions& f, void* c, double t,
                                                 std::span<const double> x, std::span<double> z) {
  return caller.together([ =, &f ](auto&& call) __attribute__((always_inline)) {
    if (!call(f.SetTime, c, t)) return;
    if (x.empty() || call(f.SetContinuousStates, c, x.data(), x.size()))
      call(f.GetEventIndicators, c, z.data(), z.size());
  });
}

// At the end of a step: time, states, and the step is completed; `more` are further arguments of the version.
template <class Functions, class... More>
[[gnu::always_inline]] inline Status complete_at(Caller& caller, const Functions& f, void* c, double t,
                                                 std::span<const double> x, More... more) {
  return caller.together([ =, &f ](auto&& call) __attribute__((always_inline)) {
    if (!call(f.SetTime, c, t)) return;
    if (x.empty() || call(f.SetContinuousStates, c, x.data(), x.size())) call(f.CompletedIntegratorStep, c, more...);
  });
}

// Strings; `more` are further arguments of the version.
template <class Signature, class... More>
Status get_strings(Caller& call, const Entry<Signature>& entry, void* c, Instance::References r,
                   std::span<std::string> values, More... more) {
  std::vector<const char*> raw(values.size(), nullptr);
  const Status status = call(entry, c, r.data(), r.size(), raw.data(), more...);
  return call.read(status, [&] {
    for (std::size_t k = 0; k < raw.size(); ++k) values[k] = text_or_empty(raw[k]);
  });
}
template <class Signature, class... More>
Status set_strings(Caller& call, const Entry<Signature>& entry, void* c, Instance::References r,
                   std::span<const std::string> values, More... more) {
  std::vector<const char*> raw;
  for (const std::string& value : values) raw.push_back(value.c_str());
  return call(entry, c, r.data(), r.size(), raw.data(), more...);
}

// 1.0 and 2.0: waits for a step that goes on by itself, and asks how far one came that was refused.
template <class VersionStatus, class Functions, class Question>
Status finish_step(Caller& call, const Functions& f, void* c, Status status, Question step_status, Question last_time,
                   StepInfo& info) {
  while (status == Status::pending) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    constexpr auto unwritten = static_cast<VersionStatus>(7);  // no status
    auto raw = unwritten;
    const Status asked = call(f.GetStatus, c, step_status, &raw);
    if (!succeeded(asked)) return asked;
    if (raw == unwritten) return Status::error;  // else one would wait for ever
    status = static_cast<Status>(raw);
  }
  if (status != Status::discard) return status;
  info.early_return = true;
  double reached = info.reached;
  if (f.GetRealStatus && succeeded(call(f.GetRealStatus, c, last_time, &reached))) info.reached = reached;
  return status;
}

// "file:///tmp/x" with the characters a URI cannot hold escaped.
std::string file_uri(const std::string& path);
// One error for an FMU whose library lacks what its interface needs.
void report_missing(const std::string& fmu, const std::vector<std::string>& functions, Diagnostics& diagnostics);
// One error for an instance that was not made.
void report_no_instance(const Instance& instance, const Log& log, Diagnostics& diagnostics);

// The instance of one version, or diagnostics.
template <class Version, class Functions>
std::unique_ptr<Instance> make_instance(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                        const InstanceOptions& options, bool prefixed, Diagnostics& diagnostics) {
  Functions functions;
  const std::string& identifier = description.interface(options.kind)->model_identifier;
  const std::vector<std::string> missing = load_functions(*binary, identifier, options.kind, prefixed, functions);
  if (!missing.empty()) {
    report_missing(binary->fmu(), missing, diagnostics);
    return nullptr;
  }
  auto instance = std::make_unique<Version>(functions, std::move(binary), log, description, options.kind);
  if (instance->open(options)) return instance;
  report_no_instance(*instance, log, diagnostics);
  return nullptr;
}

}  // namespace orrery::fmi
