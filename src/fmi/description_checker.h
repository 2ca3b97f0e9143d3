// SPDX-License-Identifier: Apache-2.0
// What the checks of the parts of a model description share: violations with their sections, and not too many of one
// kind.
#pragma once

#include <map>
#include <string>
#include <unordered_set>

#include "base/diagnostic.h"
#include "fmi/description.h"

namespace orrery::fmi {

struct Sections {
  const char *head, *units, *types, *log, *experiment, *variables, *structure;
};

class DescriptionChecker {
 public:
  DescriptionChecker(const Description& description, const std::string& file, Diagnostics& diagnostics);

  void check();
  // Of elements and attributes that the schema does not allow.
  void schema_violation(int line, const std::string& message, std::string_view section);
  // How many violations were left out.
  void finish();

 private:
  void violation(const std::string& rule, const Place& place, const std::string& message, const std::string& section);
  void violation(const std::string& rule, const Variable& variable, const std::string& message, const char* section);
  void head(const std::string& message, const char* section);

  // check_description.cpp
  void check_head();
  void check_units();
  void check_types();
  // check_variables.cpp
  void check_variables();
  void check_name(const Variable& variable);
  void check_combination(const Variable& variable);
  void check_start(const Variable& variable);
  void check_start_value(const Variable& variable, const std::string& text);
  void check_type_and_unit(const Variable& variable);
  void check_references();
  void check_dimensions(const Variable& variable);
  void check_clock(const Variable& variable);
  void check_aliases();
  // check_structure.cpp
  void check_structure();
  void check_outputs();
  void check_derivatives();
  void check_initial_unknowns();
  void check_dependencies(const Unknown& unknown, bool initial);
  bool is_state(std::size_t variable) const { return states_.contains(variable); }

  const Description& d_;
  std::string file_;
  Diagnostics& diagnostics_;
  Sections section_;
  std::map<std::string, std::size_t> counts_;
  std::unordered_set<std::size_t> states_;
  std::map<std::string, const Unit*> units_;
  std::map<std::string, const TypeDefinition*> types_;
};

// The value of `initial`, or what the causality and variability imply (FMI 2.0: 2.2.7, 3.0: 2.4.7.4).
Initial initial_of(const Variable& variable);

}  // namespace orrery::fmi
