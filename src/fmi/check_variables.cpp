// SPDX-License-Identifier: Apache-2.0
// Checks the variables of a model description: names, what excludes what, start values, types, units, aliases, clocks.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "fmi/description_checker.h"
#include "fmi/number_list.h"

namespace orrery::fmi {
namespace {

bool is_parameter(const Variable& v) {
  return v.causality == Causality::parameter || v.causality == Causality::calculated_parameter ||
         v.causality == Causality::structural_parameter;
}

bool varies(const Variable& v) {
  return v.variability == Variability::discrete || v.variability == Variability::continuous;
}

// "Real" (2.0), "RealType" (1.0) and "Float64Type" (3.0) are all types of a float64.
bool is_type_of(const std::string& kind, const Variable& v, Version version) {
  if (version == Version::fmi3) return kind == std::string(name_of(v.type)) + "Type";
  const char* name = v.type == Type::float64 ? "Real" : v.type == Type::int32 ? "Integer" : name_of(v.type);
  return kind == name || kind == std::string(name) + "Type";
}

// Letters, digits, '_', '.', indices in brackets; anything may stand between single quotes; der(...) around it all.
bool is_structured(std::string inner) {
  while (inner.starts_with("der(") && inner.ends_with(')')) {
    inner = inner.substr(4, inner.size() - 5);
    const std::size_t order = inner.rfind(',');
    if (order != std::string::npos && inner.find_first_not_of(" 0123456789", order + 1) == std::string::npos) {
      inner.resize(order);
    }
  }
  bool quoted = false, index = false;
  for (const char c : inner) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'') quoted = !quoted;
    if (c == '[') index = true;
    if (c == ']') index = false;
    if (quoted || std::isalnum(byte) || byte > 127 || c == '_' || c == '.' || c == '\'' || c == '[' || c == ']')
      continue;
    if (index && (c == ',' || c == ' ')) continue;
    return false;
  }
  return !quoted && !index;
}

}  // namespace

Initial initial_of(const Variable& v) {
  if (v.initial != Initial::unspecified) return v.initial;
  switch (v.causality) {
    case Causality::parameter:
    case Causality::structural_parameter: return Initial::exact;
    case Causality::calculated_parameter: return Initial::calculated;
    case Causality::input:
    case Causality::independent: return Initial::unspecified;
    case Causality::output:
    case Causality::local:
    case Causality::dependent: break;
  }
  return v.variability == Variability::constant ? Initial::exact : Initial::calculated;
}

void DescriptionChecker::check_variables() {
  std::unordered_set<std::string> names;
  for (const Variable& v : d_.variables) {
    if (!names.insert(v.name).second) violation("names", v, "the name is used twice", section_.variables);
    check_name(v);
    if (d_.version != Version::fmi1) {
      check_combination(v);
      check_start(v);
    }
    check_type_and_unit(v);
    if (v.min && v.max && *v.min > *v.max) violation("limits", v, "min is greater than max", section_.variables);
    if (v.nominal && !(*v.nominal > 0)) violation("limits", v, "nominal is not greater than 0", section_.variables);
    for (const std::string& text : v.start) check_start_value(v, text);
  }
}

void DescriptionChecker::check_name(const Variable& v) {
  if (v.name.empty()) violation("names", v, "the name is empty", section_.variables);
  const auto control = [](unsigned char c) { return c < 32; };
  if (std::any_of(v.name.begin(), v.name.end(), control)) {
    violation("names", v, "the name holds a control character", section_.variables);
  }
  if (d_.naming_convention == "structured" && !is_structured(v.name)) {
    violation("names", v, "the name does not follow the structured naming convention", section_.variables);
  }
}

// Which causality, variability and initial go together (FMI 2.0: 2.2.7; 3.0: 2.4.7.4 and 2.4.7.5).
void DescriptionChecker::check_combination(const Variable& v) {
  if (v.declared_continuous) {
    violation("variability", v, fmt::format("a variable of type {} cannot be continuous", name_of(v.type)),
              section_.variables);
  }
  const bool fixed = v.variability == Variability::fixed || v.variability == Variability::tunable;
  const bool wrong = (is_parameter(v) && !fixed) || (v.causality == Causality::input && !varies(v)) ||
                     (v.causality == Causality::output && fixed) ||
                     (v.causality == Causality::independent && v.variability != Variability::continuous);
  if (wrong) {
    violation(
        "variability", v,
        fmt::format("causality {} and variability {} exclude each other", name_of(v.causality), name_of(v.variability)),
        section_.variables);
  }
  const auto exclude_initial = [&](const char* what) {
    violation("start", v, fmt::format("initial=\"{}\" is not allowed for {}", name_of(v.initial), what),
              section_.variables);
  };
  if (v.initial != Initial::unspecified) {
    const bool exact_only = v.causality == Causality::parameter || v.causality == Causality::structural_parameter ||
                            v.variability == Variability::constant;
    if (v.causality == Causality::independent) exclude_initial("the independent variable");
    if (v.causality == Causality::input && (d_.version == Version::fmi2 || v.initial != Initial::exact)) {
      exclude_initial("inputs");
    }
    if (exact_only && v.initial != Initial::exact) exclude_initial("parameters and constants");
    const bool never_exact =
        v.causality == Causality::calculated_parameter || (v.causality == Causality::local && fixed);
    if (never_exact && v.initial == Initial::exact) exclude_initial("what is calculated from parameters");
  }
  if (v.causality == Causality::independent && v.type != Type::float64 && v.type != Type::float32) {
    violation("variability", v, "the independent variable is not a floating-point number", section_.variables);
  }
  if (v.state_of != no_index && v.variability != Variability::continuous) {
    violation("variability", v, "a derivative is not continuous", section_.variables);
  }
  if (v.reinit && !is_state(static_cast<std::size_t>(&v - d_.variables.data()))) {
    violation("limits", v, "reinit is for states only", section_.variables);
  }
}

void DescriptionChecker::check_start(const Variable& v) {
  if (v.alias != Alias::none || v.type == Type::clock) return;
  const Initial initial = initial_of(v);
  const bool required = initial == Initial::exact || initial == Initial::approx || v.causality == Causality::input;
  if (required && v.start.empty()) violation("start", v, "a start value is required", section_.variables);
  const bool forbidden = initial == Initial::calculated || v.causality == Causality::independent;
  if (forbidden && !v.start.empty()) violation("start", v, "a start value is not allowed", section_.variables);
  const std::uint64_t count = element_count(d_, v);
  if (!v.start.empty() && v.start.size() != 1 && v.start.size() != count) {
    violation("start", v, fmt::format("{} start values for {} elements", v.start.size(), count), section_.variables);
  }
}

void DescriptionChecker::check_start_value(const Variable& v, const std::string& text) {
  if (v.is_text() || v.type == Type::clock || v.type == Type::boolean) return;
  const auto value = parse_real(text);
  if (!value) {
    violation("start", v, fmt::format("\"{}\" is not a number", text), section_.variables);
  } else if ((v.min && *value < *v.min) || (v.max && *value > *v.max)) {
    violation("limits", v, fmt::format("the start value {} lies outside min and max", text), section_.variables);
  }
  const auto type = types_.find(v.declared_type);
  if (v.type != Type::enumeration || type == types_.end() || !value) return;
  const auto& items = type->second->items;
  if (std::none_of(items.begin(), items.end(),
                   [&](const auto& i) { return static_cast<double>(i.second) == *value; })) {
    violation("start", v, fmt::format("the start value {} is no item of {}", text, v.declared_type),
              section_.variables);
  }
}

void DescriptionChecker::check_type_and_unit(const Variable& v) {
  if (!v.unit.empty() && v.type != Type::string && !units_.contains(v.unit)) {
    violation("units", v, fmt::format("unit \"{}\" is not defined", v.unit), section_.units);
  }
  if (!v.display_unit.empty() && d_.version != Version::fmi1) {
    const auto unit = units_.find(v.unit);
    const bool defined = unit != units_.end() && std::count(unit->second->display_units.begin(),
                                                            unit->second->display_units.end(), v.display_unit) > 0;
    // The unit itself needs no conversion.
    if (!defined && v.display_unit != v.unit) {
      violation("units", v, fmt::format("display unit \"{}\" is not defined for unit \"{}\"", v.display_unit, v.unit),
                section_.units);
    }
  }
  if (v.declared_type.empty()) return;
  const auto type = types_.find(v.declared_type);
  if (type == types_.end()) {
    violation("types", v, fmt::format("type \"{}\" is not defined", v.declared_type), section_.types);
  } else if (!is_type_of(type->second->kind, v, d_.version)) {
    violation(
        "types", v,
        fmt::format("type \"{}\" is a {}, the variable a {}", v.declared_type, type->second->kind, name_of(v.type)),
        section_.types);
  }
}

void DescriptionChecker::check_references() {
  std::unordered_set<ValueReference> seen;
  int independents = 0;
  for (const Variable& v : d_.variables) {
    independents += v.causality == Causality::independent && v.alias == Alias::none ? 1 : 0;
    if (d_.version != Version::fmi3) continue;
    if (v.alias == Alias::none && !seen.insert(v.reference).second) {
      violation("references", v, fmt::format("valueReference {} is used twice", v.reference), section_.variables);
    }
    check_dimensions(v);
    check_clock(v);
  }
  if (independents > 1) head("more than one variable is independent", section_.variables);
  if (independents == 0 && d_.version == Version::fmi3) head("no variable is independent", section_.variables);
}

void DescriptionChecker::check_dimensions(const Variable& v) {
  for (const Dimension& dimension : v.dimensions) {
    if (!dimension.variable) continue;
    const auto found = d_.by_reference.find(*dimension.variable);
    if (found == d_.by_reference.end()) {
      violation("references", v, "a dimension names no variable", section_.variables);
      continue;
    }
    const Variable& size = d_.variables[found->second];
    if (size.causality != Causality::structural_parameter || size.type != Type::uint64) {
      violation("references", v, "a dimension does not name a structural parameter of type UInt64", section_.variables);
    }
  }
}

void DescriptionChecker::check_clock(const Variable& v) {
  for (const ValueReference clock : v.clocks) {
    const auto found = d_.by_reference.find(clock);
    if (found == d_.by_reference.end() || d_.variables[found->second].type != Type::clock) {
      violation("references", v, fmt::format("valueReference {} is no clock", clock), section_.variables);
    }
  }
  if (!v.clocks.empty() && v.variability == Variability::continuous) {
    violation("clocks", v, "a clocked variable cannot be continuous", section_.variables);
  }
  if (!v.clock || v.alias != Alias::none) return;
  const std::string& kind = v.clock->interval_variability;
  if (kind == "constant" && !(v.clock->interval && *v.clock->interval > 0)) {
    violation("clocks", v, "a constant clock needs an interval greater than 0", section_.variables);
  }
  if (kind == "triggered" && (v.clock->interval || v.clock->shift)) {
    violation("clocks", v, "a triggered clock has neither interval nor shift", section_.variables);
  }
  if (v.causality == Causality::output && kind != "triggered") {
    violation("clocks", v, "an output clock is triggered", section_.variables);
  }
  if (v.clock->shift && *v.clock->shift < 0) violation("clocks", v, "the shift is negative", section_.variables);
}

// Variables of one type and reference are one value under several names (FMI 2.0: 2.2.7; 1.0: the attribute alias).
void DescriptionChecker::check_aliases() {
  if (d_.version == Version::fmi3) return;
  std::map<std::pair<Type, ValueReference>, std::vector<const Variable*>> sets;
  for (const Variable& v : d_.variables) {
    // Enumerations are got and set as integers.
    const Type type = v.type == Type::enumeration ? Type::int32 : v.type;
    sets[{type, v.reference}].push_back(&v);
  }
  for (const auto& entry : sets) {
    const std::vector<const Variable*>& set = entry.second;
    const auto count = [&](auto&& is) { return std::count_if(set.begin(), set.end(), is); };
    if (d_.version == Version::fmi1) {
      const bool base = count([](const Variable* v) { return v->alias == Alias::none; }) == 1;
      if (!base)
        violation("aliases", *set[0], "of variables with one valueReference just one has no alias", section_.variables);
      continue;
    }
    if (set.size() < 2) continue;
    const auto constants = count([](const Variable* v) { return v->variability == Variability::constant; });
    if (constants != 0 && constants != static_cast<std::ptrdiff_t>(set.size())) {
      violation("aliases", *set[0], "constants share their valueReference with variables", section_.variables);
    }
    const auto settable = count([](const Variable* v) {
      return v->variability != Variability::constant &&
             (v->causality == Causality::input || v->causality == Causality::parameter ||
              v->causality == Causality::independent || !v->start.empty());
    });
    if (settable > 1) {
      violation("aliases", *set[0], "several variables with this valueReference can be set", section_.variables);
    }
    if (count([&](const Variable* v) { return v->unit != set[0]->unit; }) != 0) {
      violation("aliases", *set[0], "variables with this valueReference have different units", section_.variables);
    }
  }
}

}  // namespace orrery::fmi
