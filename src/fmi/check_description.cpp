// SPDX-License-Identifier: Apache-2.0
// Checks the head, units and types of a model description against the rules of its version.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "fmi/check.h"
#include "fmi/description_checker.h"

namespace orrery::fmi {
namespace {

constexpr std::size_t most_of_one_rule = 20;

// The two documents of FMI 1.0 number their sections differently; both call the chapter so.
constexpr const char* schema_1 = "FMI 1.0, description schema";

Sections sections_of(Version version) {
  switch (version) {
    case Version::fmi1: return {schema_1, schema_1, schema_1, schema_1, schema_1, schema_1, schema_1};
    case Version::fmi2:
      return {"FMI 2.0, 2.2.1", "FMI 2.0, 2.2.2", "FMI 2.0, 2.2.3", "FMI 2.0, 2.2.4",
              "FMI 2.0, 2.2.5", "FMI 2.0, 2.2.7", "FMI 2.0, 2.2.8"};
    case Version::fmi3:
      return {"FMI 3.0, 2.4.1", "FMI 3.0, 2.4.3", "FMI 3.0, 2.4.4", "FMI 3.0, 2.4.5",
              "FMI 3.0, 2.4.6", "FMI 3.0, 2.4.7", "FMI 3.0, 2.4.8"};
  }
  return {};
}

bool is_identifier(const std::string& text) {
  const auto part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), part);
}

}  // namespace

DescriptionChecker::DescriptionChecker(const Description& description, const std::string& file,
                                       Diagnostics& diagnostics)
    : d_(description),
      file_(file + "/modelDescription.xml"),
      diagnostics_(diagnostics),
      section_(sections_of(description.version)),
      states_(description.state_variables.begin(), description.state_variables.end()) {
  states_.erase(no_index);
  for (const Unit& unit : d_.units) units_.emplace(unit.name, &unit);
  for (const TypeDefinition& type : d_.types) types_.emplace(type.name, &type);
}

void DescriptionChecker::check() {
  check_head();
  check_units();
  check_types();
  check_variables();
  check_references();
  check_aliases();
  if (d_.version != Version::fmi1) check_structure();
}

void DescriptionChecker::finish() {
  for (const auto& [rule, count] : counts_) {
    if (count <= most_of_one_rule) continue;
    diagnostics_.error("fmi-check-" + rule, {file_, 0, 0, {}, {}},
                       fmt::format("{} more violations of this kind", count - most_of_one_rule));
  }
}

void DescriptionChecker::violation(const std::string& rule, const Place& place, const std::string& message,
                                   const std::string& section) {
  if (++counts_[rule] > most_of_one_rule) return;
  diagnostics_.error("fmi-check-" + rule, place, fmt::format("{} ({})", message, section));
}

void DescriptionChecker::violation(const std::string& rule, const Variable& variable, const std::string& message,
                                   const char* section) {
  violation(rule, Place{file_, variable.line, 0, {}, variable.name}, message, section);
}

void DescriptionChecker::head(const std::string& message, const char* section) {
  violation("head", Place{file_, 0, 0, {}, {}}, message, section);
}

void DescriptionChecker::schema_violation(int line, const std::string& message, std::string_view section) {
  violation("schema", Place{file_, line, 0, {}, {}}, message,
            section.empty() ? schema_1 : fmt::format("{}, {}", name_of(d_.version), section));
}

void DescriptionChecker::check_head() {
  if (d_.model_name.empty()) head("modelName is empty", section_.head);
  if (d_.token.empty()) {
    head(d_.version == Version::fmi3 ? "instantiationToken is empty" : "guid is empty", section_.head);
  }
  const std::string& v = d_.version_text;
  const bool exact =
      d_.version == Version::fmi3 ? v.starts_with("3.0") : v == (d_.version == Version::fmi1 ? "1.0" : "2.0");
  if (!exact) head(fmt::format("fmiVersion=\"{}\" is not a version of the standard", v), section_.head);
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation, Kind::scheduled_execution}) {
    const Interface* interface = d_.interface(kind);
    if (interface == nullptr) continue;
    if (!is_identifier(interface->model_identifier)) {
      head(fmt::format("modelIdentifier=\"{}\" is not a C identifier", interface->model_identifier), section_.head);
    }
    if (interface->serialize_state && !interface->get_set_state) {
      head("a state can be serialised only by an FMU that can get and set it", section_.head);
    }
  }
  const Experiment& e = d_.experiment;
  if (e.start && e.stop && *e.stop < *e.start) head("stopTime is before startTime", section_.experiment);
  if (e.start && e.stop && e.step && *e.step > *e.stop - *e.start) {
    head("stepSize is larger than the default experiment", section_.experiment);
  }
  std::set<std::string> categories;
  for (const std::string& category : d_.log_categories) {
    if (!categories.insert(category).second) {
      head(fmt::format("log category \"{}\" is defined twice", category), section_.log);
    }
  }
}

void DescriptionChecker::check_units() {
  std::set<std::string> units;
  for (const Unit& unit : d_.units) {
    if (!units.insert(unit.name).second) head(fmt::format("unit \"{}\" is defined twice", unit.name), section_.units);
    std::set<std::string> display;
    for (const std::string& name : unit.display_units) {
      if (!display.insert(name).second) {
        head(fmt::format("display unit \"{}\" of unit \"{}\" is defined twice", name, unit.name), section_.units);
      }
    }
    if (unit.factor == 0) head(fmt::format("the factor of unit \"{}\" is 0", unit.name), section_.units);
  }
}

void DescriptionChecker::check_types() {
  std::set<std::string> types;
  for (const TypeDefinition& type : d_.types) {
    const auto wrong = [&](const char* what) { head(fmt::format("type \"{}\" {}", type.name, what), section_.types); };
    if (!types.insert(type.name).second) wrong("is defined twice");
    if (type.kind.starts_with("Enumeration") && type.items.empty()) wrong("has no items");
    if (type.min && type.max && *type.min > *type.max) wrong("has a min that is greater than max");
    if (type.nominal && !(*type.nominal > 0)) wrong("has a nominal value that is not greater than 0");
    if (!type.unit.empty() && !units_.contains(type.unit)) wrong("has a unit that is not defined");
    if (d_.version == Version::fmi2 && d_.by_name.contains(type.name)) wrong("has the name of a variable");
    std::set<std::string> names;
    std::set<std::int64_t> values;
    for (const auto& [name, value] : type.items) {
      if (!names.insert(name).second) wrong("has two items of one name");
      if (!values.insert(value).second) wrong("has two items of one value");
    }
  }
}

void check_description(const Description& description, const std::string& file, Diagnostics& diagnostics) {
  DescriptionChecker checker(description, file, diagnostics);
  checker.check();
  checker.finish();
}

}  // namespace orrery::fmi
