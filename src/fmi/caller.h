// SPDX-License-Identifier: Apache-2.0
// How the versions call into a library: names for messages, statuses checked, nothing called after a fatal one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "fmi/guard.h"
#include "fmi/log.h"

namespace orrery::fmi {

// FMI 1.0 gives its logger no environment, so the log of the instance that is being called stands here.
inline constinit thread_local Log* speaking_log = nullptr;

class Caller {
 public:
  explicit Caller(Log& log) : log_(log) {}

  // Calls a function of the library and translates its status. A function that is not there is an error, and said so.
  template <class Function, class... Arguments>
  Status operator()(const char* name, Function* function, Arguments... arguments) {
    name_ = name;
    if (fatal_) return Status::fatal;
    if (function == nullptr) {
      log_.message(Status::error, "import", (std::string(name) + " is not in the library").c_str());
      return Status::error;
    }
    speaking_log = &log_;
    int status = 4;
    const auto body = [&] { status = static_cast<int>(function(arguments...)); };
    const bool completed = guarded(log_.fmu().c_str(), name, body, death_);
    // Looking costs as much as a short call. FMUs change the environment when they start, if at all.
    if (++calls_ < 200 || calls_ % 16 == 0 || !completed) float_control.restore();
    if (!completed) return die();
    if (status == 4) fatal_ = true;
    return status < 0 || status > 5 ? Status::error : static_cast<Status>(status);
  }

  // For functions without a status; what a crashed one returns is the empty value.
  template <class Function, class... Arguments>
  auto plain(const char* name, Function* function, Arguments... arguments) {
    using Result = decltype(function(arguments...));
    name_ = name;
    speaking_log = &log_;
    if constexpr (std::is_void_v<Result>) {
      const auto body = [&] { function(arguments...); };
      const bool completed = guarded(log_.fmu().c_str(), name, body, death_);
      float_control.restore();
      if (!completed) static_cast<void>(die());
    } else {
      Result result{};
      const auto body = [&] { result = function(arguments...); };
      const bool completed = guarded(log_.fmu().c_str(), name, body, death_);
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
    return guarded(log_.fmu().c_str(), name_, body, death_) ? status : die();
  }
  void rename(const char* name) { name_ = name; }
  const char* last() const { return name_; }
  bool fatal() const { return fatal_; }
  const Death* death() const { return death_.code.empty() ? nullptr : &death_; }

 private:
  Status die() {
    fatal_ = true;
    return Status::fatal;
  }

  Log& log_;
  const char* name_ = "dlopen";
  bool fatal_ = false;
  unsigned calls_ = 0;
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

// "file:///tmp/x" with the characters a URI cannot hold escaped.
std::string file_uri(const std::string& path);
// One error for an FMU whose library lacks what its interface needs.
void report_missing(const std::string& fmu, const std::vector<std::string>& functions, Diagnostics& diagnostics);
// One error for an instance that was not made.
class Instance;
void report_no_instance(const Instance& instance, const Log& log, Diagnostics& diagnostics);

}  // namespace orrery::fmi
