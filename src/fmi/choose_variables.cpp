// SPDX-License-Identifier: Apache-2.0
// Names as people and tables write them, and what is worth seeing where nobody named anything.
#include "fmi/choose_variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmi/caller.h"
#include "fmi/values.h"

namespace orrery::fmi {
namespace {

constexpr std::uint64_t most_elements = 1'000'000;  // of a recorded array
constexpr std::size_t most_columns = 1000;          // that nobody asked for

std::vector<const Variable*> state_variables(const Description& description, Kind kind, Instance& instance) {
  std::vector<const Variable*> states;
  for (const std::size_t index : description.state_variables) states.push_back(&description.variables[index]);
  if (description.version != Version::fmi1 || description.states == 0 || kind != Kind::model_exchange) {
    return states;
  }
  // 1.0 does not say in the description which variables are states; the instance knows.
  std::vector<ValueReference> references(description.states, 0xffffffffu);
  if (!succeeded(instance.get_state_references(references))) return states;
  for (const ValueReference reference : references) {
    for (const Variable& variable : description.variables) {
      if (variable.type != Type::float64 || variable.reference != reference || variable.alias != Alias::none) continue;
      states.push_back(&variable);
      break;
    }
  }
  return states;
}

// Names that were taken from tables may have blanks around them.
const Variable* find_trimmed(const Description& description, const std::string& name) {
  const std::size_t begin = name.find_first_not_of(" \t"), end = name.find_last_not_of(" \t");
  return begin == std::string::npos ? nullptr : description.find(name.substr(begin, end - begin + 1));
}

// "y[2]" of an array y: arrays are recorded as a whole.
const Variable* find_array(const Description& description, const std::string& name) {
  const Variable* variable = description.find(name.substr(0, name.rfind('[')));
  return variable != nullptr && !variable->dimensions.empty() ? variable : nullptr;
}

const Variable* find_variable(const Description& description, const std::string& name) {
  const Variable* variable = description.find(name);
  if (variable == nullptr) variable = find_trimmed(description, name);
  if (variable == nullptr) variable = find_array(description, name);
  const bool quoted = name.size() > 2 && name.starts_with('"') && name.ends_with('"');
  return variable != nullptr || !quoted ? variable : find_variable(description, name.substr(1, name.size() - 2));
}

// The variable of the name at k; where there is none, of the names from k on with commas between them: lists are cut at
// commas, and names may hold some. k is left at the last name that was used.
const Variable* find_in_list(const Description& description, const std::vector<std::string>& names, std::size_t& k) {
  constexpr std::size_t most_commas = 16;
  std::string name = names[k];
  const Variable* variable = find_variable(description, name);
  for (std::size_t last = k + 1; variable == nullptr && last < names.size() && last <= k + most_commas; ++last) {
    name += "," + names[last];
    variable = find_variable(description, name);
    if (variable != nullptr) k = last;
  }
  return variable;
}

// Of an FMU without outputs: the states first, then every other number that may change.
std::vector<const Variable*> changing_variables(const Description& description, std::vector<const Variable*> states) {
  std::vector<const Variable*> chosen = std::move(states);
  for (const Variable& variable : description.variables) {
    if (chosen.size() >= most_columns) break;
    const bool changes =
        variable.variability == Variability::continuous || variable.variability == Variability::discrete;
    const bool result = variable.causality == Causality::local || variable.causality == Causality::dependent;
    if (!changes || !result || variable.is_text() || variable.type == Type::clock) continue;
    if (!variable.dimensions.empty() || std::find(chosen.begin(), chosen.end(), &variable) != chosen.end()) continue;
    chosen.push_back(&variable);
  }
  return chosen;
}

bool find_named(const Description& description, const std::vector<std::string>& names, const Place& place,
                Diagnostics& diagnostics, std::vector<const Variable*>& chosen) {
  bool all = true;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& name = names[k];
    const Variable* variable = find_in_list(description, names, k);
    if (variable != nullptr) {
      if (std::find(chosen.begin(), chosen.end(), variable) == chosen.end()) chosen.push_back(variable);
      continue;
    }
    all = false;
    diagnostics.error("fmi-unknown-variable", {place.file, 0, 0, {}, name}, "the FMU has no variable of this name",
                      "orrery fmu info lists the variables");
  }
  return all;
}

}  // namespace

std::optional<std::vector<const Variable*>> choose_variables(const Description& description, Kind kind,
                                                             const RunOptions& options, Instance& instance,
                                                             const Place& place, Diagnostics& diagnostics) {
  std::vector<const Variable*> chosen;
  if (!options.variables.empty()) {
    if (!find_named(description, options.variables, place, diagnostics, chosen)) return std::nullopt;
  } else {
    for (const Variable& variable : description.variables) {
      if (variable.causality == Causality::output && variable.type != Type::clock) chosen.push_back(&variable);
    }
    if (chosen.empty()) chosen = changing_variables(description, state_variables(description, kind, instance));
    for (const std::string& name : options.also) {
      const Variable* variable = find_variable(description, name);
      const bool is_new = variable != nullptr && std::find(chosen.begin(), chosen.end(), variable) == chosen.end();
      if (is_new && variable->type != Type::clock) chosen.push_back(variable);
    }
    if (chosen.empty()) {
      diagnostics.warning("fmi-no-outputs", place, "the FMU has neither outputs nor named states; nothing is recorded",
                          "name variables with --vars; orrery fmu info lists them");
    }
  }
  for (const Variable* variable : chosen) {
    if (element_count(description, *variable) <= most_elements) continue;
    diagnostics.error("fmi-too-large", {place.file, 0, 0, {}, variable->name},
                      fmt::format("an array of more than {} elements cannot be recorded", most_elements));
    return std::nullopt;
  }
  return chosen;
}

}  // namespace orrery::fmi
