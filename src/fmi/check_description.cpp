// SPDX-License-Identifier: Apache-2.0
// Checks a model description against the rules of its version.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_set>

#include "fmi/check.h"
#include "fmi/number_list.h"

namespace orrery::fmi {
namespace {

constexpr std::size_t most_of_one_rule = 20;

struct Sections {
  const char *head, *units, *types, *experiment, *variables, *structure;
};

// The two documents of FMI 1.0 number their sections differently; both call the chapter so.
Sections sections_of(Version version) {
  static constexpr const char* schema_1 = "FMI 1.0, description schema";
  switch (version) {
    case Version::fmi1: return {schema_1, schema_1, schema_1, schema_1, schema_1, schema_1};
    case Version::fmi2:
      return {"FMI 2.0, 2.2.1", "FMI 2.0, 2.2.2", "FMI 2.0, 2.2.3",
              "FMI 2.0, 2.2.5", "FMI 2.0, 2.2.7", "FMI 2.0, 2.2.8"};
    case Version::fmi3:
      return {"FMI 3.0, 2.4.1", "FMI 3.0, 2.4.3", "FMI 3.0, 2.4.4",
              "FMI 3.0, 2.4.6", "FMI 3.0, 2.4.7", "FMI 3.0, 2.4.8"};
  }
  return {};
}

bool is_identifier(const std::string& text) {
  const auto part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), part);
}

class Checker {
 public:
  Checker(const Description& description, const std::string& file, Diagnostics& diagnostics)
      : d_(description),
        file_(file + "/modelDescription.xml"),
        diagnostics_(diagnostics),
        section_(sections_of(description.version)) {}

  void check() {
    check_head();
    check_types();
    std::unordered_set<std::string> names;
    for (const Variable& variable : d_.variables) {
      if (!names.insert(variable.name).second)
        violation("names", variable, "the name is used twice", section_.variables);
      check_variable(variable);
    }
    check_references();
    if (d_.version != Version::fmi1) check_structure();
    for (const auto& [rule, count] : counts_) {
      if (count <= most_of_one_rule) continue;
      diagnostics_.error("fmi-check-" + rule, {file_, 0, 0, {}, {}},
                         fmt::format("{} more violations of this kind", count - most_of_one_rule));
    }
  }

 private:
  void violation(const std::string& rule, const Place& place, const std::string& message, const char* section) {
    auto counted = std::find_if(counts_.begin(), counts_.end(), [&](const auto& c) { return c.first == rule; });
    if (counted == counts_.end()) counted = counts_.insert(counts_.end(), {rule, 0});
    if (++counted->second > most_of_one_rule) return;
    diagnostics_.error("fmi-check-" + rule, place, fmt::format("{} ({})", message, section));
  }
  void violation(const std::string& rule, const Variable& variable, const std::string& message, const char* section) {
    violation(rule, Place{file_, variable.line, 0, {}, variable.name}, message, section);
  }
  void head(const std::string& message, const char* section) {
    violation("head", Place{file_, 0, 0, {}, {}}, message, section);
  }

  void check_head() {
    if (d_.model_name.empty()) head("modelName is missing", section_.head);
    if (d_.token.empty()) {
      head(d_.version == Version::fmi3 ? "instantiationToken is missing" : "guid is missing", section_.head);
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
  }

  void check_types() {
    std::set<std::string> units, types;
    for (const Unit& unit : d_.units) {
      if (!units.insert(unit.name).second) head(fmt::format("unit \"{}\" is defined twice", unit.name), section_.units);
    }
    for (const TypeDefinition& type : d_.types) {
      if (!types.insert(type.name).second) head(fmt::format("type \"{}\" is defined twice", type.name), section_.types);
      if (type.kind == "Enumeration" && type.items.empty()) {
        head(fmt::format("enumeration \"{}\" has no items", type.name), section_.types);
      }
      if (type.min && type.max && *type.min > *type.max) {
        head(fmt::format("min is greater than max in type \"{}\"", type.name), section_.types);
      }
    }
    for (const Variable& variable : d_.variables) {
      if (!variable.unit.empty() && !units.contains(variable.unit) && variable.type != Type::string) {
        violation("units", variable, fmt::format("unit \"{}\" is not defined", variable.unit), section_.units);
      }
      if (!variable.declared_type.empty() && !types.contains(variable.declared_type)) {
        violation("types", variable, fmt::format("type \"{}\" is not defined", variable.declared_type), section_.types);
      }
      if (variable.type == Type::enumeration && variable.declared_type.empty() && d_.version != Version::fmi1) {
        violation("types", variable, "an enumeration needs a declaredType", section_.types);
      }
    }
  }

  void check_name(const Variable& v) {
    if (v.name.empty()) violation("names", v, "the name is empty", section_.variables);
    const auto control = [](unsigned char c) { return c < 32; };
    if (std::any_of(v.name.begin(), v.name.end(), control)) {
      violation("names", v, "the name holds a control character", section_.variables);
    }
    if (d_.naming_convention != "structured") return;
    std::string inner = v.name;
    while (inner.starts_with("der(") && inner.ends_with(')')) {
      inner = inner.substr(4, inner.size() - 5);
      const std::size_t order = inner.rfind(',');
      if (order != std::string::npos && inner.find_first_not_of(" 0123456789", order + 1) == std::string::npos) {
        inner.resize(order);
      }
    }
    // Letters, digits, '_', '.', indices in brackets; anything may stand between single quotes.
    bool quoted = false, index = false;
    for (const char c : inner) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\'') quoted = !quoted;
      if (c == '[') index = true;
      if (c == ']') index = false;
      if (quoted || std::isalnum(byte) || byte > 127 || c == '_' || c == '.' || c == '\'' || c == '[' || c == ']')
        continue;
      if (index && (c == ',' || c == ' ')) continue;
      violation("names", v, "the name does not follow the structured naming convention", section_.variables);
      return;
    }
  }

  void check_variable(const Variable& v) {
    check_name(v);
    const bool parameter = v.causality == Causality::parameter || v.causality == Causality::calculated_parameter ||
                           v.causality == Causality::structural_parameter;
    if (v.declared_continuous && d_.version != Version::fmi1) {
      violation("variability", v, fmt::format("a variable of type {} cannot be continuous", name_of(v.type)),
                section_.variables);
    }
    if (d_.version != Version::fmi1) {
      const bool fixed = v.variability == Variability::fixed || v.variability == Variability::tunable;
      const bool varies = v.variability == Variability::discrete || v.variability == Variability::continuous;
      const bool wrong = (parameter && !fixed) || (v.causality == Causality::input && !varies) ||
                         (v.causality == Causality::output && fixed) ||
                         (v.causality == Causality::independent && v.variability != Variability::continuous);
      if (wrong) {
        violation("variability", v,
                  fmt::format("causality {} and variability {} exclude each other", name_of(v.causality),
                              name_of(v.variability)),
                  section_.variables);
      }
      check_start(v);
    }
    if (v.min && v.max && *v.min > *v.max) violation("limits", v, "min is greater than max", section_.variables);
    if (v.nominal && !(*v.nominal > 0)) violation("limits", v, "nominal is not greater than 0", section_.variables);
    if (v.state_of != no_index && v.variability != Variability::continuous) {
      violation("variability", v, "a derivative is not continuous", section_.variables);
    }
    if (v.reinit && !is_state(v)) violation("limits", v, "reinit is for states only", section_.variables);
    for (const std::string& text : v.start) check_start_value(v, text);
  }

  bool is_state(const Variable& v) const {
    return std::any_of(d_.state_variables.begin(), d_.state_variables.end(),
                       [&](std::size_t k) { return &d_.variables[k] == &v; });
  }

  void check_start(const Variable& v) {
    if (v.alias != Alias::none || v.type == Type::clock) return;
    const bool required = v.initial == Initial::exact || v.initial == Initial::approx ||
                          v.causality == Causality::parameter || v.causality == Causality::structural_parameter ||
                          v.causality == Causality::input || v.variability == Variability::constant;
    if (required && v.start.empty()) violation("start", v, "a start value is required", section_.variables);
    const bool forbidden = v.initial == Initial::calculated || v.causality == Causality::independent;
    if (forbidden && !v.start.empty()) violation("start", v, "a start value is not allowed", section_.variables);
    if (v.causality == Causality::input && v.initial != Initial::unspecified && d_.version == Version::fmi2) {
      violation("start", v, "initial is not allowed for inputs", section_.variables);
    }
    const std::uint64_t count = element_count(d_, v);
    if (!v.start.empty() && v.start.size() != 1 && v.start.size() != count) {
      violation("start", v, fmt::format("{} start values for {} elements", v.start.size(), count), section_.variables);
    }
  }

  void check_start_value(const Variable& v, const std::string& text) {
    if (v.is_text() || v.type == Type::clock) return;
    if (v.type == Type::boolean) {
      if (!parse_boolean(text)) violation("start", v, fmt::format("\"{}\" is not a Boolean", text), section_.variables);
      return;
    }
    const auto value = parse_real(text);
    if (!value) {
      violation("start", v, fmt::format("\"{}\" is not a number", text), section_.variables);
    } else if ((v.min && *value < *v.min) || (v.max && *value > *v.max)) {
      violation("limits", v, fmt::format("the start value {} lies outside min and max", text), section_.variables);
    }
  }

  void check_references() {
    std::unordered_set<ValueReference> seen;
    int independents = 0;
    for (const Variable& v : d_.variables) {
      independents += v.causality == Causality::independent ? 1 : 0;
      if (d_.version != Version::fmi3) continue;
      if (v.alias == Alias::none && !seen.insert(v.reference).second) {
        violation("references", v, fmt::format("valueReference {} is used twice", v.reference), section_.variables);
      }
      for (const Dimension& dimension : v.dimensions) {
        if (!dimension.variable) continue;
        const auto found = d_.by_reference.find(*dimension.variable);
        if (found == d_.by_reference.end() ||
            d_.variables[found->second].causality != Causality::structural_parameter) {
          violation("references", v, "a dimension does not name a structural parameter", section_.variables);
        }
      }
      for (const ValueReference clock : v.clocks) {
        const auto found = d_.by_reference.find(clock);
        if (found == d_.by_reference.end() || d_.variables[found->second].type != Type::clock) {
          violation("references", v, fmt::format("valueReference {} is no clock", clock), section_.variables);
        }
      }
    }
    if (independents > 1) head("more than one variable is independent", section_.variables);
    if (independents == 0 && d_.version == Version::fmi3) head("no variable is independent", section_.variables);
  }

  void check_structure() {
    if (!d_.has_structure) return head("ModelStructure is missing", section_.structure);
    std::unordered_set<std::size_t> listed;
    for (const Unknown& unknown : d_.outputs) {
      const Variable& v = d_.variables[unknown.variable];
      listed.insert(unknown.variable);
      if (v.causality != Causality::output)
        violation("structure", v, "listed as an output, but it is none", section_.structure);
    }
    for (std::size_t k = 0; k < d_.variables.size(); ++k) {
      const Variable& v = d_.variables[k];
      if (v.causality == Causality::output && v.type != Type::clock && !listed.contains(k)) {
        violation("structure", v, "this output is missing from the model structure", section_.structure);
      }
    }
    for (const auto* list : {&d_.outputs, &d_.derivatives, &d_.initial_unknowns}) {
      for (const Unknown& unknown : *list) {
        if (unknown.dependency_kinds.empty()) continue;
        if (!unknown.dependencies || unknown.dependencies->size() != unknown.dependency_kinds.size()) {
          violation("structure", d_.variables[unknown.variable],
                    "dependenciesKind and dependencies have different lengths", section_.structure);
        }
      }
    }
  }

  const Description& d_;
  std::string file_;
  Diagnostics& diagnostics_;
  Sections section_;
  std::vector<std::pair<std::string, std::size_t>> counts_;
};

}  // namespace

void check_description(const Description& description, const std::string& file, Diagnostics& diagnostics) {
  Checker(description, file, diagnostics).check();
}

}  // namespace orrery::fmi
