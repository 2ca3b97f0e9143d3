// SPDX-License-Identifier: Apache-2.0
// The model structure: which unknowns there are and what they depend on (FMI 2.0: 2.2.8; 3.0: 2.4.8).
#include <fmt/format.h>

#include "fmi/description_reader.h"
#include "fmi/number_list.h"

namespace orrery::fmi {

// 2.0 counts variables from 1 in the attribute index, 3.0 names them by valueReference.
std::size_t DescriptionReader::resolve(std::string_view word) const {
  const auto number = parse_natural(word);
  if (!number) return no_index;
  if (result_.version == Version::fmi2) {
    return *number >= 1 && *number <= by_index_.size() ? by_index_[*number - 1] : no_index;
  }
  if (*number > 0xffffffffu) return no_index;
  const auto found = result_.by_reference.find(static_cast<ValueReference>(*number));
  return found == result_.by_reference.end() ? no_index : found->second;
}

std::optional<Unknown> DescriptionReader::read_unknown(pugi::xml_node node) {
  const char* attribute = result_.version == Version::fmi2 ? "index" : "valueReference";
  Unknown unknown;
  unknown.variable = resolve(node.attribute(attribute).value());
  if (unknown.variable == no_index) {
    warn("fmi-bad-structure", node, fmt::format("{}=\"{}\" is no variable; ignored", attribute, text(node, attribute)));
    return std::nullopt;
  }
  if (const pugi::xml_attribute dependencies = node.attribute("dependencies")) {
    unknown.dependencies.emplace();
    for (const std::string& word : split_list(dependencies.value())) {
      const std::size_t index = resolve(word);
      if (index == no_index) {
        warn("fmi-bad-structure", node, fmt::format("dependency {} is no variable; the list is ignored", word));
        unknown.dependencies.reset();
        break;
      }
      unknown.dependencies->push_back(index);
    }
  }
  unknown.dependency_kinds = split_list(text(node, "dependenciesKind"));
  return unknown;
}

void DescriptionReader::read_structure_2(pugi::xml_node node) {
  const auto read = [&](const char* list, std::vector<Unknown>& target) {
    for (const pugi::xml_node child : node.child(list).children("Unknown")) {
      if (auto unknown = read_unknown(child)) target.push_back(std::move(*unknown));
    }
  };
  read("Outputs", result_.outputs);
  read("Derivatives", result_.derivatives);
  read("InitialUnknowns", result_.initial_unknowns);
}

void DescriptionReader::read_structure_3(pugi::xml_node node) {
  const std::pair<const char*, std::vector<Unknown>*> lists[] = {{"Output", &result_.outputs},
                                                                 {"ContinuousStateDerivative", &result_.derivatives},
                                                                 {"InitialUnknown", &result_.initial_unknowns},
                                                                 {"EventIndicator", &result_.event_indicators}};
  for (const auto& [name, target] : lists) {
    for (const pugi::xml_node child : node.children(name)) {
      if (auto unknown = read_unknown(child)) target->push_back(std::move(*unknown));
    }
  }
}

// FMI 1.0: an output can list the inputs it depends on directly; states count always.
void DescriptionReader::read_direct_dependencies(pugi::xml_node variables) {
  std::size_t number = 0;
  for (const pugi::xml_node node : variables.children()) {
    if (node.type() != pugi::node_element) continue;
    const std::size_t index = by_index_[number++];
    const pugi::xml_node list = node.child("DirectDependency");
    if (index == no_index || result_.variables[index].causality != Causality::output) continue;
    Unknown unknown;
    unknown.variable = index;
    if (list) unknown.dependencies.emplace();
    for (const pugi::xml_node name : list.children("Name")) {
      const auto found = result_.by_name.find(name.text().as_string());
      if (found == result_.by_name.end()) {
        warn("fmi-bad-structure", name,
             fmt::format("dependency {} is no variable; the list is ignored", name.text().as_string()));
        unknown.dependencies.reset();
        break;
      }
      unknown.dependencies->push_back(found->second);
    }
    result_.outputs.push_back(std::move(unknown));
  }
}

void DescriptionReader::read_structure(pugi::xml_node root) {
  if (result_.version == Version::fmi1) return read_direct_dependencies(root.child("ModelVariables"));
  const pugi::xml_node node = root.child("ModelStructure");
  result_.has_structure = static_cast<bool>(node);
  if (result_.version == Version::fmi2) read_structure_2(node);
  if (result_.version == Version::fmi3) read_structure_3(node);
  finish_structure(root);
}

// The states in the order of the derivatives. Some FMUs forget the structure: the derivatives in the order of the
// variables are then the best guess for names; numbers of states are asked of the instance where possible.
void DescriptionReader::finish_structure(pugi::xml_node root) {
  if (result_.derivatives.empty()) {
    for (std::size_t k = 0; k < result_.variables.size(); ++k) {
      if (result_.variables[k].state_of != no_index) result_.derivatives.push_back({k, std::nullopt, {}});
    }
    if (!result_.derivatives.empty()) {
      warn("fmi-bad-structure", root,
           "the model structure lists no derivatives although variables are declared as such; their order is used");
    }
  }
  result_.states = 0;
  bool complete = true;
  for (const Unknown& unknown : result_.derivatives) {
    const Variable& derivative = result_.variables[unknown.variable];
    const std::uint64_t count = element_count(result_, derivative);
    result_.states += count;
    complete = complete && derivative.state_of != no_index;
    result_.state_variables.push_back(derivative.state_of);
  }
  if (!complete) {
    warn("fmi-bad-structure", root, "a derivative in the model structure does not name its state");
    result_.state_variables.clear();
  }
  if (result_.version == Version::fmi3) {
    result_.indicators = 0;
    for (const Unknown& unknown : result_.event_indicators) {
      result_.indicators += element_count(result_, result_.variables[unknown.variable]);
    }
  }
}

}  // namespace orrery::fmi
