// SPDX-License-Identifier: Apache-2.0
// What an FMU says about itself: one form for FMI 1.0, 2.0 and 3.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"

namespace orrery::fmi {

using ValueReference = std::uint32_t;

enum class Version { fmi1 = 1, fmi2 = 2, fmi3 = 3 };
enum class Kind { model_exchange, co_simulation, scheduled_execution };

// FMI 1.0 and 2.0 know float64 (Real), int32 (Integer), boolean, string and enumeration only.
enum class Type {
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  boolean,
  string,
  binary,
  enumeration,
  clock,
};
enum class Causality {
  parameter,
  calculated_parameter,
  structural_parameter,
  input,
  output,
  local,
  independent,
  dependent,
};
enum class Variability { constant, fixed, tunable, discrete, continuous };
enum class Initial { unspecified, exact, approx, calculated };
enum class Alias { none, alias, negated };  // FMI 1.0: the value, or its negative, is that of another variable

constexpr std::size_t no_index = static_cast<std::size_t>(-1);

// Either a number or the value of a structural parameter.
struct Dimension {
  std::uint64_t size = 1;
  std::optional<ValueReference> variable;
};

struct ClockInfo {
  std::string interval_variability;  // "constant", "fixed", "tunable", "changing", "countdown", "triggered"
  std::optional<double> interval, shift;
  bool supports_fraction = false;
  int priority = 0;
};

struct Variable {
  std::string name, description;
  Type type = Type::float64;
  ValueReference reference = 0;
  Causality causality = Causality::local;
  Variability variability = Variability::continuous;
  Initial initial = Initial::unspecified;
  Alias alias = Alias::none;
  std::vector<std::string> start;  // as written; one text per element, or one for all
  std::string unit, display_unit, declared_type;
  std::optional<double> min, max, nominal;
  bool reinit = false;
  bool declared_continuous = false;  // said to be continuous although its type cannot be; it is taken as discrete
  bool can_handle_multiple_set = false;
  std::optional<ValueReference> derivative_of;  // 3.0: a reference; 1.0 and 2.0 leave it empty, see state_of
  std::size_t state_of = no_index;              // index of the variable this is the derivative of
  std::vector<Dimension> dimensions;
  std::vector<ValueReference> clocks;
  std::optional<ClockInfo> clock;
  int line = 0;

  bool is_text() const { return type == Type::string || type == Type::binary; }
};

// One line of the model structure. Without `dependencies` the unknown may depend on everything.
struct Unknown {
  std::size_t variable = no_index;
  std::optional<std::vector<std::size_t>> dependencies;  // indices of variables
  std::vector<std::string> dependency_kinds;
};

struct Unit {
  std::string name;
  double factor = 1, offset = 0;
  std::vector<std::pair<std::string, int>> exponents;  // "kg", 1
  std::vector<std::string> display_units;
};

struct TypeDefinition {
  std::string name, kind, unit, display_unit;
  std::optional<double> min, max, nominal;
  std::vector<std::pair<std::string, std::int64_t>> items;  // of an enumeration
};

struct Experiment {
  std::optional<double> start, stop, tolerance, step;
};

// Of one kind of interface. Names follow FMI 2.0 and 3.0.
struct Interface {
  std::string model_identifier;
  bool needs_execution_tool = false;
  bool only_once_per_process = false;
  bool no_memory_management = false;
  bool get_set_state = false;
  bool serialize_state = false;
  bool directional_derivatives = false;
  bool adjoint_derivatives = false;
  // Model Exchange
  bool step_completion_not_needed = false;
  // Co-Simulation
  bool variable_step = false;
  bool interpolates_inputs = false;
  int output_derivative_order = 0;
  bool runs_asynchronously = false;
  bool event_mode = false;
  bool early_return = false;
  bool intermediate_update = false;
  std::optional<double> fixed_internal_step, recommended_intermediate_step;
  bool tool_coupling = false;  // 1.0: CoSimulation_Tool
  std::vector<std::string> source_files;
};

struct Description {
  Version version = Version::fmi2;
  std::string version_text, model_name, token, description, author, model_version, copyright, license;
  std::string generation_tool, generation_time, naming_convention;
  Experiment experiment;
  std::optional<Interface> model_exchange, co_simulation, scheduled_execution;
  std::vector<Unit> units;
  std::vector<TypeDefinition> types;
  std::vector<std::string> log_categories;
  std::vector<Variable> variables;
  std::vector<Unknown> outputs, derivatives, initial_unknowns, event_indicators;
  bool has_structure = false;  // 2.0 and 3.0: a ModelStructure was there
  std::size_t states = 0;      // continuous states, scalars; 3.0: for sizes at start, ask the instance for the rest
  std::size_t indicators = 0;
  std::vector<std::size_t> state_variables;  // in order of the derivatives; empty when not known (1.0)

  std::unordered_map<std::string, std::size_t> by_name;
  std::unordered_map<ValueReference, std::size_t> by_reference;  // 3.0 only: references are unique there

  const Interface* interface(Kind kind) const;
  Kind preferred_kind() const;  // of those that are offered: Model Exchange, then Co-Simulation
  const Variable* find(std::string_view name) const;
};

// Reads modelDescription.xml. Departures from the standard that can be worked around are warnings; nothing is returned
// only when no FMU could be run with the rest. `file` names the archive in messages.
std::optional<Description> read_description(std::string_view xml, const std::string& file, Diagnostics& diagnostics);

// Elements of an array with the sizes given by start values of structural parameters; 1 for scalars.
std::uint64_t element_count(const Description& description, const Variable& variable);

const char* name_of(Type type);
const char* name_of(Causality causality);
const char* name_of(Variability variability);
const char* name_of(Initial initial);
const char* name_of(Version version);
const char* name_of(Kind kind);
// "me", "cs", "se", as people write them.
std::optional<Kind> kind_named(std::string_view word);

}  // namespace orrery::fmi
