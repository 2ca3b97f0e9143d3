// SPDX-License-Identifier: Apache-2.0
// From a model description to ports, dependencies and start values.
#include "foreign/fmu_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "blocks/parameters.h"
#include "fmi/number_list.h"
#include "fmi/unpack.h"
#include "fmi/values.h"
#include "model/closest_name.h"

namespace orrery::foreign {
namespace {

using blocks::ForeignDependencies;
using blocks::ParameterError;
using fmi::Causality;
using fmi::Variable;
using program::Scalar;

constexpr std::uint64_t most_elements = 100'000;  // of a port

[[noreturn]] void fail(const Diagnostics& diagnostics, const char* parameter) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.severity == Severity::error) throw ParameterError{parameter, diagnostic.message, diagnostic.help};
  }
  throw ParameterError{parameter, "the FMU cannot be read", {}};
}

Scalar port_scalar(fmi::Type type) {
  switch (type) {
    case fmi::Type::int8: return Scalar::i8;
    case fmi::Type::uint8: return Scalar::u8;
    case fmi::Type::int16: return Scalar::i16;
    case fmi::Type::uint16: return Scalar::u16;
    case fmi::Type::int32:
    case fmi::Type::enumeration: return Scalar::i32;
    case fmi::Type::uint32: return Scalar::u32;
    case fmi::Type::boolean: return Scalar::boolean;
    default: return Scalar::f64;
  }
}

bool can_be_port(const Variable& variable) { return !variable.is_text() && variable.type != fmi::Type::clock; }

class Reading {
 public:
  Reading(const FmuSettings& settings, FmuInterface& result)
      : settings_(settings), result_(result), d_(result.description) {}

  void run() {
    read();
    choose_kind();
    take_start_values();
    ports(settings_.inputs, "inputs", Causality::input, result_.inputs);
    ports(settings_.outputs, "outputs", Causality::output, result_.outputs);
    find_clocks();
    count_states();
    find_dependencies();
    describe();
  }

 private:
  void read() {
    Diagnostics diagnostics;
    result_.file = settings_.file;
    const auto archive = fmi::Archive::open(settings_.file, diagnostics);
    const auto xml = archive ? archive->read("modelDescription.xml", diagnostics) : std::nullopt;
    auto description = xml ? fmi::read_description(*xml, settings_.file, diagnostics) : std::nullopt;
    if (!description || diagnostics.has_errors()) fail(diagnostics, "fmu");
    d_ = std::move(*description);
  }

  void choose_kind() {
    result_.kind = fmi::kind_named(settings_.kind).value_or(d_.preferred_kind());
    if (d_.interface(result_.kind) != nullptr) return;
    throw ParameterError{"kind", fmt::format("the FMU does not offer {}", fmi::name_of(result_.kind)),
                         "choose another kind, or 'auto'"};
  }

  std::size_t find(const std::string& name, const char* parameter) const {
    const auto at = d_.by_name.find(name);
    if (at != d_.by_name.end()) return at->second;
    std::vector<std::string_view> names;
    for (const Variable& variable : d_.variables) names.push_back(variable.name);
    const std::string hint = model::did_you_mean(name, names);
    throw ParameterError{parameter, fmt::format("the FMU has no variable called '{}'", name),
                         hint.empty() ? "`orrery fmu info` lists the variables" : hint};
  }

  void take_start_values() {
    for (const auto& [name, text] : settings_.start) {
      const std::size_t index = find(name, "start");
      Variable& variable = d_.variables[index];
      if (!fmi::may_be_set(variable)) {
        throw ParameterError{"start",
                             fmt::format("'{}' cannot be set: its causality is {}, its variability {}", name,
                                         fmi::name_of(variable.causality), fmi::name_of(variable.variability)),
                             {}};
      }
      Diagnostics diagnostics;
      if (!fmi::check_value(d_, variable, text, diagnostics)) {
        throw ParameterError{"start", fmt::format("'{}': {}", name, diagnostics.all().at(0).message),
                             diagnostics.all().at(0).help};
      }
      if (variable.causality == Causality::structural_parameter) variable.start = {text};  // sizes follow from it
      result_.start.emplace_back(index, text);
    }
  }

  void ports(const std::vector<std::string>& names, const char* parameter, Causality causality,
             std::vector<FmuPort>& list) {
    if (names.empty()) {
      for (std::size_t k = 0; k < d_.variables.size(); ++k) {
        const Variable& variable = d_.variables[k];
        if (variable.causality == causality && can_be_port(variable)) list.push_back(port(k, parameter));
      }
      return;
    }
    for (const std::string& name : names) {
      const std::size_t index = find(name, parameter);
      const Variable& variable = d_.variables[index];
      if (!can_be_port(variable)) {
        throw ParameterError{parameter, fmt::format("'{}' is a {} and no signal", name, fmi::name_of(variable.type)),
                             variable.type == fmi::Type::clock ? "clocks are activation ports of the block"
                             : causality == Causality::input   ? "set it before the run, with the parameter start"
                                                               : "the parameter results stores it in a file"};
      }
      const bool tunable =
          variable.causality == Causality::parameter && variable.variability == fmi::Variability::tunable;
      if (causality == Causality::input && variable.causality != Causality::input && !tunable) {
        throw ParameterError{parameter,
                             fmt::format("'{}' is neither an input nor a tunable parameter of the FMU", name),
                             "set other variables with the parameter start"};
      }
      list.push_back(port(index, parameter));
    }
  }

  // Clocks of an FMU without event mode never tick.
  void find_clocks() {
    if (result_.kind == fmi::Kind::co_simulation && !d_.co_simulation->event_mode) return;
    for (std::size_t k = 0; k < d_.variables.size(); ++k) {
      const Variable& variable = d_.variables[k];
      if (variable.type != fmi::Type::clock || variable.alias != fmi::Alias::none || !variable.clock) continue;
      const bool triggered = variable.clock->interval_variability == "triggered";
      if (variable.causality == Causality::input && triggered) result_.input_clocks.push_back(k);
      if (variable.causality == Causality::output) result_.output_clocks.push_back(k);
    }
  }

  // Matrices of an FMU are rows one after the other, those of signals columns.
  FmuPort port(std::size_t index, const char* parameter) const {
    const Variable& variable = d_.variables[index];
    FmuPort port;
    port.variable = index;
    const std::uint64_t count = fmi::element_count(d_, variable);
    if (count == 0 || count > most_elements) {
      throw ParameterError{
          parameter, fmt::format("'{}' has {} elements, which no signal can have", variable.name, count), {}};
    }
    port.type = {port_scalar(variable.type), static_cast<std::int32_t>(count), 1};
    if (variable.dimensions.size() == 2) {
      const auto rows = static_cast<std::int32_t>(size_of(variable.dimensions[0]));
      const auto cols = static_cast<std::int32_t>(size_of(variable.dimensions[1]));
      port.type = {port.type.scalar, rows, cols};
      for (std::int32_t c = 0; c < cols; ++c) {
        for (std::int32_t r = 0; r < rows; ++r) port.order.push_back(static_cast<std::uint32_t>(r * cols + c));
      }
    }
    const bool real = variable.type == fmi::Type::float64 || variable.type == fmi::Type::float32;
    port.discrete = !real || variable.variability != fmi::Variability::continuous;
    return port;
  }

  std::uint64_t size_of(const fmi::Dimension& dimension) const {
    if (!dimension.variable) return dimension.size;
    const auto at = d_.by_reference.find(*dimension.variable);
    if (at == d_.by_reference.end() || d_.variables[at->second].start.empty()) return 1;
    return fmi::parse_natural(d_.variables[at->second].start[0]).value_or(0);
  }

  // Arrays count with all their elements; the instance is asked again before the run.
  void count_states() {
    blocks::ForeignModel& m = result_.model;
    m.states = static_cast<std::uint32_t>(d_.states);
    m.indicators = static_cast<std::uint32_t>(d_.indicators);
    if (d_.version != fmi::Version::fmi3) return;
    std::uint64_t states = 0, indicators = 0;
    for (std::size_t k : d_.state_variables) states += fmi::element_count(d_, d_.variables[k]);
    for (const fmi::Unknown& z : d_.event_indicators) indicators += fmi::element_count(d_, d_.variables[z.variable]);
    m.states = static_cast<std::uint32_t>(states);
    m.indicators = static_cast<std::uint32_t>(indicators);
  }

  // Unknown without a list depends on everything; an output that is a state, on that state.
  ForeignDependencies dependencies(const fmi::Unknown* unknown, std::size_t variable) const {
    ForeignDependencies result;
    const std::optional<std::vector<std::size_t>> none;
    const auto& listed = unknown != nullptr ? unknown->dependencies : none;
    const bool is_state =
        std::find(d_.state_variables.begin(), d_.state_variables.end(), variable) != d_.state_variables.end();
    const auto depends = [&](std::size_t on) {
      if (listed) return std::find(listed->begin(), listed->end(), on) != listed->end();
      return !is_state || on == variable;
    };
    std::uint32_t first = 0;
    for (std::size_t k : d_.state_variables) {
      const auto count = static_cast<std::uint32_t>(fmi::element_count(d_, d_.variables[k]));
      for (std::uint32_t e = 0; depends(k) && e < count; ++e) result.states.push_back(first + e);
      first += count;
    }
    if (d_.state_variables.empty()) {  // 1.0: nobody says which variables are states
      result.states.resize(result_.model.states);
      std::iota(result.states.begin(), result.states.end(), 0u);
    }
    for (std::uint32_t k = 0; k < result_.inputs.size(); ++k) {
      // Lists are about inputs and states only, so tunable parameters always count.
      const bool input = d_.variables[result_.inputs[k].variable].causality == Causality::input;
      if (!input || depends(result_.inputs[k].variable)) result.inputs.push_back(k);
    }
    return result;
  }

 public:
  // By model.states.
  void find_derivative_dependencies() {
    blocks::ForeignModel& m = result_.model;
    m.derivative_dependencies.clear();
    for (const fmi::Unknown& derivative : d_.derivatives) {
      const std::uint64_t count = fmi::element_count(d_, d_.variables[derivative.variable]);
      const ForeignDependencies row = dependencies(&derivative, fmi::no_index);
      for (std::uint64_t e = 0; e < count; ++e) m.derivative_dependencies.push_back(row);
    }
    if (m.derivative_dependencies.size() != m.states) {
      m.derivative_dependencies.assign(m.states, dependencies(nullptr, fmi::no_index));
    }
    // A pattern pays for larger models only, and small ones are spared the lies of their dependencies.
    constexpr std::uint32_t large = 8;
    for (ForeignDependencies& row : m.derivative_dependencies) {
      const bool wrong = !row.states.empty() && row.states.back() >= m.states;
      if (m.states >= large && !wrong) continue;
      row.states.resize(m.states);
      std::iota(row.states.begin(), row.states.end(), 0u);
    }
  }

 private:
  void find_dependencies() {
    find_derivative_dependencies();
    blocks::ForeignModel& m = result_.model;
    for (const FmuPort& port : result_.outputs) {
      const auto unknown = std::find_if(d_.outputs.begin(), d_.outputs.end(),
                                        [&](const fmi::Unknown& u) { return u.variable == port.variable; });
      const bool known = unknown != d_.outputs.end();
      m.output_dependencies.push_back(dependencies(known ? &*unknown : nullptr, port.variable));
      m.needs_all_inputs.push_back(known && unknown->dependencies && !result_.inputs.empty() &&
                                   m.output_dependencies.back().inputs.size() == result_.inputs.size());
    }
  }

  // The start value of a port in its own order; empty when there is none.
  std::vector<double> start(const FmuPort& port) const {
    const Variable& variable = result_.variable(port);
    std::string text;
    for (const std::string& element : variable.start) text += element + " ";
    for (const auto& [index, given] : result_.start) {
      if (index == port.variable) text = given;
    }
    Diagnostics unheard;  // what cannot be read is left to the FMU
    const auto numbers = text.empty() ? std::nullopt : fmi::parse_numbers(d_, variable, text, unheard);
    if (!numbers || numbers->size() != static_cast<std::size_t>(port.type.size())) return {};
    std::vector<double> values(numbers->size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = (*numbers)[port.order.empty() ? k : port.order[k]];
    return values;
  }

  void describe() {
    blocks::ForeignModel& m = result_.model;
    const fmi::Interface& interface = *d_.interface(result_.kind);
    using Kind = blocks::ForeignModel::Kind;
    m.kind = result_.kind == fmi::Kind::model_exchange  ? Kind::model_exchange
             : result_.kind == fmi::Kind::co_simulation ? Kind::co_simulation
                                                        : Kind::scheduled_execution;
    for (std::size_t k : result_.input_clocks) m.input_clocks.push_back(d_.variables[k].name);
    for (std::size_t k : result_.output_clocks) m.output_clocks.push_back(d_.variables[k].name);
    const auto list = [&](const std::vector<FmuPort>& from, std::vector<blocks::ForeignVariable>& to) {
      for (const FmuPort& port : from) {
        to.push_back({result_.variable(port).name, port.type, port.discrete, result_.variable(port).unit, start(port)});
      }
    };
    list(result_.inputs, m.inputs);
    list(result_.outputs, m.outputs);
    for (std::size_t k : d_.state_variables) {
      const double nominal = std::fabs(d_.variables[k].nominal.value_or(1));
      m.nominals.insert(m.nominals.end(), fmi::element_count(d_, d_.variables[k]),
                        std::isnormal(nominal) ? nominal : 1);
    }
    if (m.nominals.size() != m.states) m.nominals.clear();
    m.wants_steps = !interface.step_completion_not_needed;
    m.interpolates_inputs =
        d_.version == fmi::Version::fmi3 ? interface.intermediate_update : interface.interpolates_inputs;
    m.has_event_mode = d_.version == fmi::Version::fmi3 && interface.event_mode;
    m.output_derivatives = interface.output_derivative_order;
    m.goes_back = interface.get_set_state;
    m.has_constant_step = !interface.variable_step;
    m.default_step = d_.experiment.step.value_or(interface.fixed_internal_step.value_or(0));
    m.settings = to_list(settings_);
  }

  const FmuSettings& settings_;
  FmuInterface& result_;
  fmi::Description& d_;
};

}  // namespace

void find_derivative_dependencies(FmuInterface& interface) {
  const FmuSettings none;
  Reading(none, interface).find_derivative_dependencies();
}

std::vector<std::pair<std::string, std::string>> to_list(const FmuSettings& settings) {
  std::vector<std::pair<std::string, std::string>> list{{"file", settings.file}, {"kind", settings.kind}};
  for (const std::string& name : settings.inputs) list.emplace_back("input", name);
  for (const std::string& name : settings.outputs) list.emplace_back("output", name);
  for (const auto& [name, value] : settings.start) {
    list.emplace_back("set", name);
    list.emplace_back("to", value);
  }
  list.insert(list.end(), settings.others.begin(), settings.others.end());
  return list;
}

FmuSettings from_list(const std::vector<std::pair<std::string, std::string>>& list) {
  FmuSettings settings;
  for (const auto& [key, value] : list) {
    if (key == "file") {
      settings.file = value;
    } else if (key == "kind") {
      settings.kind = value;
    } else if (key == "input") {
      settings.inputs.push_back(value);
    } else if (key == "output") {
      settings.outputs.push_back(value);
    } else if (key == "set") {
      settings.start.emplace_back(value, "");
    } else if (key == "to") {
      settings.start.back().second = value;
    } else {
      settings.others.emplace_back(key, value);
    }
  }
  return settings;
}

std::string other(const FmuSettings& settings, const std::string& name) {
  for (const auto& [key, value] : settings.others) {
    if (key == name) return value;
  }
  return {};
}

std::shared_ptr<const FmuInterface> read_interface(const FmuSettings& settings) {
  auto result = std::make_shared<FmuInterface>();
  Reading(settings, *result).run();
  return result;
}

}  // namespace orrery::foreign
