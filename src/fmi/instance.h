// SPDX-License-Identifier: Apache-2.0
// An instance of an FMU: every FMI call of every version goes through this one interface, so that a recorder or another
// process can stand in between. The order of the calls is that of FMI 2.0; what a version does not have does nothing.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fmi/description.h"
#include "fmi/guard.h"
#include "fmi/load_binary.h"
#include "fmi/log.h"

namespace orrery::fmi {

// 3.0 Co-Simulation: a point within a step at which the FMU lets the importer look in (FMI 3.0: 4.2.2).
struct IntermediatePoint {
  double time = 0;
  bool set_requested = false;     // continuous inputs may be set
  bool get_allowed = false;       // outputs may be read
  bool step_finished = false;     // an inner step ends here
  bool can_return_early = false;  // the answer counts
};

struct InstanceOptions {
  std::string name = "instance";
  Kind kind = Kind::co_simulation;
  std::string resources = {};  // folder the FMU is told to find its resources in; empty: that of its archive
  bool visible = false;
  bool logging = false;
  bool event_mode = false;    // 3.0 Co-Simulation: the importer handles events
  bool early_return = false;  // 3.0 Co-Simulation: doStep may end early
  // 3.0 Co-Simulation: called within do_step, with the variables it will set or get; true: the step shall end here.
  // In a process of its own, and while calls are recorded, an FMU is run without it.
  std::vector<ValueReference> intermediate_variables;
  std::function<bool(const IntermediatePoint&)> intermediate;
};

// For the initialisation.
struct RunInterval {
  double start = 0;
  std::optional<double> stop, tolerance;
};

struct EventInfo {
  bool again = false;  // another call of update_discrete_states is needed
  bool terminate = false;
  bool nominals_changed = false;
  bool states_changed = false;
  std::optional<double> next_time;
};

struct StepInfo {
  bool event_needed = false;
  bool terminate = false;
  bool early_return = false;
  double reached = 0;  // last successful time
};

struct CompletedInfo {
  bool enter_event_mode = false;
  bool terminate = false;
};

// 3.0: what is known of the time to the next tick of a clock.
struct ClockInterval {
  enum class Known { not_yet, unchanged, changed };
  Known known = Known::not_yet;
  double seconds = 0;
};

// Values are got and set by type and value reference, any number in one call. What an output depends on, which
// variables are states, and what the FMU is able to do stands in the Description.
class Instance {
 public:
  using References = std::span<const ValueReference>;

  Instance() = default;
  virtual ~Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // Name of the last FMI function called, for messages.
  virtual const char* last_call() const = 0;
  // Why every further call will fail, when that is more than a status: a crash, a hang. Null while it lives.
  virtual const Death* death() const = 0;
  virtual Status set_debug_logging(bool on, const std::vector<std::string>& categories) = 0;

  // Numbers of all types as doubles (booleans and clocks 0 or 1); arrays give all their elements in one row.
  virtual Status get_numbers(Type type, References references, std::span<double> values) = 0;
  virtual Status set_numbers(Type type, References references, std::span<const double> values) = 0;
  // Exact for all 64-bit integers; an unsigned one has the same bits.
  virtual Status get_integers(Type type, References references, std::span<std::int64_t> values) = 0;
  virtual Status set_integers(Type type, References references, std::span<const std::int64_t> values) = 0;
  // Strings, and binaries as their bytes.
  virtual Status get_texts(Type type, References references, std::span<std::string> values) = 0;
  virtual Status set_texts(Type type, References references, std::span<const std::string> values) = 0;

  // Runs body, in which calls that come by the million (those of a step of Model Exchange, do_step, getting
  // floating-point numbers) share one guard. A crash in one of them ends body where it stands, without destructors;
  // false is the answer, and all further calls are fatal.
  virtual bool under_one_guard(const std::function<void()>& body);

  // Initialisation. Between setup and enter, start values are set; between enter and exit, inputs.
  virtual Status setup(const RunInterval& interval) = 0;
  virtual Status enter_configuration() = 0;
  virtual Status exit_configuration() = 0;
  virtual Status enter_initialization() = 0;
  virtual Status exit_initialization(EventInfo& info) = 0;
  virtual Status terminate() = 0;
  virtual Status reset() = 0;

  // Events
  virtual Status enter_event_mode() = 0;
  virtual Status update_discrete_states(EventInfo& info) = 0;
  virtual Status enter_continuous_mode() = 0;
  virtual Status enter_step_mode() = 0;

  // Model Exchange
  virtual Status count_states(std::size_t& states, std::size_t& indicators) = 0;
  virtual Status set_time(double t) = 0;
  virtual Status set_states(std::span<const double> x) = 0;
  virtual Status get_states(std::span<double> x) = 0;
  virtual Status get_nominals(std::span<double> nominals) = 0;                    // what is not written stays as it was
  virtual Status get_state_references(std::span<ValueReference> references) = 0;  // 1.0 only; discard elsewhere
  virtual Status get_derivatives(std::span<double> dx) = 0;
  // set_time, set_states and, unless dx is empty, get_derivatives at the price of one call.
  virtual Status evaluate(double t, std::span<const double> x, std::span<double> dx);
  virtual Status get_indicators(std::span<double> z) = 0;
  // evaluate(t, x, {}) and get_indicators at the price of one call.
  virtual Status indicate(double t, std::span<const double> x, std::span<double> z);
  virtual Status completed_step(CompletedInfo& info) = 0;
  // evaluate(t, x, {}) and completed_step at the price of one call.
  virtual Status complete(double t, std::span<const double> x, CompletedInfo& info);
  virtual bool has_directional_derivatives() const = 0;
  virtual Status directional_derivative(References unknowns, References knowns, std::span<const double> seed,
                                        std::span<double> result) = 0;

  // Co-Simulation
  virtual Status do_step(double t, double h, StepInfo& info) = 0;
  virtual Status set_input_derivatives(References references, int order, std::span<const double> values) = 0;
  virtual Status get_output_derivatives(References references, int order, std::span<double> values) = 0;

  // Whole states, where the FMU can (canGetAndSetFMUstate).
  virtual Status get_state(void*& state) = 0;
  virtual Status set_state(void* state) = 0;
  virtual Status free_state(void*& state) = 0;
  virtual Status serialize_state(void* state, std::vector<char>& bytes) = 0;
  virtual Status deserialize_state(std::span<const char> bytes, void*& state) = 0;

  // 3.0: clocks, see also the type clock in get_numbers and set_numbers (FMI 3.0: 2.2.9, 2.2.10).
  virtual Status get_intervals(References clocks, std::span<ClockInterval> intervals) = 0;
  virtual Status set_intervals(References clocks, std::span<const double> seconds) = 0;
  virtual Status get_shifts(References clocks, std::span<double> seconds) = 0;
  // 3.0 Scheduled Execution: runs the model partition of an input clock. clocks_changed tells, once, whether the FMU
  // has said since that output clocks have ticked or intervals have changed.
  virtual Status activate_partition(ValueReference clock, double t) = 0;
  virtual bool clocks_changed() = 0;
};

// Makes an instance of the version of the description, from a library that is loaded. Description and log must outlive
// it; launch.h is the way from an archive to an instance.
std::unique_ptr<Instance> instantiate(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                      const InstanceOptions& options, Diagnostics& diagnostics);
// Names of the functions of each version, as its calls tell them.
void list_functions_1(std::vector<const char*>& names);
void list_functions_2(std::vector<const char*>& names);
void list_functions_3(std::vector<const char*>& names);

std::unique_ptr<Instance> instantiate_1(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                        const InstanceOptions& options, Diagnostics& diagnostics);
std::unique_ptr<Instance> instantiate_2(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                        const InstanceOptions& options, Diagnostics& diagnostics);
std::unique_ptr<Instance> instantiate_3(const Description& description, std::unique_ptr<Binary> binary, Log& log,
                                        const InstanceOptions& options, Diagnostics& diagnostics);

}  // namespace orrery::fmi
