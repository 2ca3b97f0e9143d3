// SPDX-License-Identifier: Apache-2.0
// What the readers of the parts of a model description share: attributes with warnings that name the line.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmi/description.h"

namespace orrery::fmi {

class DescriptionReader {
 public:
  DescriptionReader(std::string_view xml, const std::string& file, Diagnostics& diagnostics);

  std::optional<Description> read();

 private:
  // description.cpp
  Place place(pugi::xml_node node) const;
  int line_at(std::ptrdiff_t offset) const;
  void warn(const char* code, pugi::xml_node node, std::string message);
  std::string text(pugi::xml_node node, const char* name) const;
  bool flag(pugi::xml_node node, const char* name, bool otherwise = false);
  std::optional<double> number(pugi::xml_node node, const char* name);
  std::optional<std::uint64_t> natural(pugi::xml_node node, const char* name);
  template <class Value, std::size_t count>
  std::optional<Value> choice(pugi::xml_node node, const char* name,
                              const std::pair<const char*, Value> (&values)[count]);
  void read_head(pugi::xml_node root);
  void read_interfaces(pugi::xml_node root);
  void read_interface_1(pugi::xml_node root);
  Interface read_capabilities(pugi::xml_node node);
  void read_identifier(pugi::xml_node node, Interface& interface);
  void read_experiment(pugi::xml_node node);
  // read_types.cpp
  void read_units(pugi::xml_node node);
  void read_types(pugi::xml_node node);
  // read_variables.cpp
  void read_variables(pugi::xml_node node);
  bool read_type_1_2(pugi::xml_node node, Variable& variable);
  bool read_type_3(pugi::xml_node node, Variable& variable);
  void read_common(pugi::xml_node node, Variable& variable);
  void read_start(pugi::xml_node node, Variable& variable);
  void read_clock(pugi::xml_node node, Variable& variable);
  void read_limits(pugi::xml_node node, Variable& variable);
  void add_variable(pugi::xml_node node, Variable variable);
  void resolve_derivatives();
  // read_structure.cpp
  void read_structure(pugi::xml_node root);
  void read_direct_dependencies(pugi::xml_node variables);
  void read_structure_2(pugi::xml_node node);
  void read_structure_3(pugi::xml_node node);
  std::size_t resolve(std::string_view word) const;
  std::optional<Unknown> read_unknown(pugi::xml_node node);
  void finish_structure(pugi::xml_node root);

  std::string_view xml_;
  std::vector<std::size_t> line_ends_;
  std::string file_;
  Diagnostics& diagnostics_;
  pugi::xml_document document_;
  Description result_;
  std::vector<std::size_t> by_index_;        // 2.0: ScalarVariable number (from 1) -> index
  std::vector<std::uint64_t> derivative_2_;  // 2.0: derivative="number"; 0: none
  int warnings_ = 0;
};

template <class Value, std::size_t count>
std::optional<Value> DescriptionReader::choice(pugi::xml_node node, const char* name,
                                               const std::pair<const char*, Value> (&values)[count]) {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) return std::nullopt;
  for (const auto& [word, value] : values) {
    if (std::string_view(attribute.value()) == word) return value;
  }
  warn("fmi-unknown-value", node,
       std::string(name) + "=\"" + attribute.value() + "\" is not a value FMI knows; ignored");
  return std::nullopt;
}

}  // namespace orrery::fmi
