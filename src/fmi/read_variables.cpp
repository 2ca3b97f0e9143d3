// SPDX-License-Identifier: Apache-2.0
// Variables of a model description (FMI 2.0: 2.2.7; 3.0: 2.4.7), with the defaults of each version.
#include <fmt/format.h>

#include "fmi/description_reader.h"
#include "fmi/number_list.h"

namespace orrery::fmi {
namespace {

constexpr std::pair<const char*, Causality> causalities[] = {{"parameter", Causality::parameter},
                                                             {"calculatedParameter", Causality::calculated_parameter},
                                                             {"structuralParameter", Causality::structural_parameter},
                                                             {"input", Causality::input},
                                                             {"output", Causality::output},
                                                             {"local", Causality::local},
                                                             {"internal", Causality::local},
                                                             {"none", Causality::local},
                                                             {"independent", Causality::independent},
                                                             {"dependent", Causality::dependent}};
constexpr std::pair<const char*, Variability> variabilities[] = {
    {"constant", Variability::constant}, {"fixed", Variability::fixed},       {"parameter", Variability::fixed},
    {"tunable", Variability::tunable},   {"discrete", Variability::discrete}, {"continuous", Variability::continuous}};
constexpr std::pair<const char*, Initial> initials[] = {
    {"exact", Initial::exact}, {"approx", Initial::approx}, {"calculated", Initial::calculated}};
constexpr std::pair<const char*, Alias> aliases[] = {
    {"noAlias", Alias::none}, {"alias", Alias::alias}, {"negatedAlias", Alias::negated}};
constexpr std::pair<const char*, Type> types_1_2[] = {{"Real", Type::float64},
                                                      {"Integer", Type::int32},
                                                      {"Boolean", Type::boolean},
                                                      {"String", Type::string},
                                                      {"Enumeration", Type::enumeration}};

bool may_be_continuous(Type type) { return type == Type::float32 || type == Type::float64; }

}  // namespace

void DescriptionReader::read_variables(pugi::xml_node node) {
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    Variable variable;
    by_index_.push_back(no_index);  // numbering counts unreadable ones too
    derivative_2_.push_back(0);
    const bool known = result_.version == Version::fmi3 ? read_type_3(child, variable) : read_type_1_2(child, variable);
    if (!known) {
      warn("fmi-unknown-type", child,
           fmt::format("variable \"{}\" has no type FMI knows; it is left out", text(child, "name")));
      continue;
    }
    const auto reference = natural(child, "valueReference");
    if (!reference || *reference > 0xffffffffu) {
      warn("fmi-no-reference", child,
           fmt::format("variable \"{}\" has no valueReference; it is left out", text(child, "name")));
      continue;
    }
    variable.reference = static_cast<ValueReference>(*reference);
    read_common(child, variable);
    add_variable(child, std::move(variable));
  }
  resolve_derivatives();
}

bool DescriptionReader::read_type_1_2(pugi::xml_node node, Variable& variable) {
  for (const auto& [name, type] : types_1_2) {
    const pugi::xml_node inner = node.child(name);
    if (!inner) continue;
    variable.type = type;
    read_limits(inner, variable);
    if (const pugi::xml_attribute start = inner.attribute("start")) variable.start.emplace_back(start.value());
    derivative_2_.back() = natural(inner, "derivative").value_or(0);
    return true;
  }
  return false;
}

bool DescriptionReader::read_type_3(pugi::xml_node node, Variable& variable) {
  const std::string_view name = node.name();
  for (int k = 0; k <= static_cast<int>(Type::clock); ++k) {
    const Type type = static_cast<Type>(k);
    if (name != name_of(type)) continue;
    variable.type = type;
    read_limits(node, variable);
    for (const pugi::xml_node child : node.children("Dimension")) {
      Dimension dimension;
      if (const auto reference = natural(child, "valueReference")) {
        dimension.variable = static_cast<ValueReference>(*reference);
      } else {
        dimension.size = natural(child, "start").value_or(1);
      }
      variable.dimensions.push_back(dimension);
    }
    read_start(node, variable);
    if (const auto of = natural(node, "derivative")) variable.derivative_of = static_cast<ValueReference>(*of);
    if (type == Type::clock) read_clock(node, variable);
    return true;
  }
  return false;
}

void DescriptionReader::read_start(pugi::xml_node node, Variable& variable) {
  if (const pugi::xml_attribute start = node.attribute("start")) {
    if (variable.is_text()) {
      variable.start.emplace_back(start.value());
    } else {
      variable.start = split_list(start.value());
    }
  }
  for (const pugi::xml_node start : node.children("Start")) variable.start.push_back(text(start, "value"));
}

void DescriptionReader::read_clock(pugi::xml_node node, Variable& variable) {
  ClockInfo clock;
  clock.interval_variability = text(node, "intervalVariability");
  clock.interval = number(node, "intervalDecimal");
  clock.shift = number(node, "shiftDecimal");
  clock.supports_fraction = flag(node, "supportsFraction");
  clock.priority = static_cast<int>(natural(node, "priority").value_or(0) & 0xffff);
  const auto resolution = natural(node, "resolution");
  if (resolution && *resolution > 0) {
    const double unit = 1.0 / static_cast<double>(*resolution);
    if (const auto n = natural(node, "intervalCounter")) clock.interval = static_cast<double>(*n) * unit;
    if (const auto n = natural(node, "shiftCounter")) clock.shift = static_cast<double>(*n) * unit;
  }
  variable.clock = clock;
}

void DescriptionReader::read_limits(pugi::xml_node node, Variable& variable) {
  variable.unit = text(node, "unit");
  variable.display_unit = text(node, "displayUnit");
  variable.declared_type = text(node, "declaredType");
  if (variable.type != Type::string && variable.type != Type::binary && variable.type != Type::boolean) {
    variable.min = number(node, "min");
    variable.max = number(node, "max");
    variable.nominal = number(node, "nominal");
  }
  variable.reinit = flag(node, "reinit");
  if (variable.declared_type.empty()) return;
  for (const TypeDefinition& type : result_.types) {
    if (type.name != variable.declared_type) continue;
    if (variable.unit.empty()) variable.unit = type.unit;
    if (variable.display_unit.empty()) variable.display_unit = type.display_unit;
    if (!variable.min) variable.min = type.min;
    if (!variable.max) variable.max = type.max;
    if (!variable.nominal) variable.nominal = type.nominal;
    break;
  }
}

void DescriptionReader::read_common(pugi::xml_node node, Variable& variable) {
  variable.name = text(node, "name");
  variable.description = text(node, "description");
  variable.line = line_at(node.offset_debug());
  variable.can_handle_multiple_set = flag(node, "canHandleMultipleSetPerTimeInstant");
  variable.causality = choice(node, "causality", causalities).value_or(Causality::local);
  variable.initial = choice(node, "initial", initials).value_or(Initial::unspecified);
  variable.alias = choice(node, "alias", aliases).value_or(Alias::none);
  const bool parameter = variable.causality == Causality::parameter ||
                         variable.causality == Causality::structural_parameter ||
                         variable.causality == Causality::calculated_parameter;
  const Variability otherwise = result_.version == Version::fmi3 && parameter ? Variability::fixed
                                : may_be_continuous(variable.type)            ? Variability::continuous
                                                                              : Variability::discrete;
  variable.variability = choice(node, "variability", variabilities).value_or(otherwise);
  // Only floating-point variables can be continuous; several tools say so of others, also by default.
  if (variable.variability == Variability::continuous && !may_be_continuous(variable.type)) {
    variable.variability = Variability::discrete;
    variable.declared_continuous = true;
  }
  if (result_.version == Version::fmi1 && variable.causality == Causality::local &&
      std::string_view(node.attribute("variability").value()) == "parameter") {
    variable.causality = Causality::parameter;
  }
  for (const std::string& reference : split_list(text(node, "clocks"))) {
    if (const auto value = parse_natural(reference)) variable.clocks.push_back(static_cast<ValueReference>(*value));
  }
}

void DescriptionReader::add_variable(pugi::xml_node node, Variable variable) {
  const std::size_t index = result_.variables.size();
  by_index_.back() = index;
  if (!result_.by_name.try_emplace(variable.name, index).second) {
    warn("fmi-duplicate-name", node,
         fmt::format("two variables are called \"{}\"; the first one is meant by this name", variable.name));
  }
  if (result_.version == Version::fmi3) result_.by_reference.try_emplace(variable.reference, index);
  result_.variables.push_back(variable);
  if (result_.version != Version::fmi3) return;
  for (const pugi::xml_node child : node.children("Alias")) {
    Variable copy = variable;
    copy.name = text(child, "name");
    copy.alias = Alias::alias;
    copy.causality = Causality::local;
    if (!text(child, "displayUnit").empty()) copy.display_unit = text(child, "displayUnit");
    result_.by_name.try_emplace(copy.name, result_.variables.size());
    result_.variables.push_back(std::move(copy));
  }
}

void DescriptionReader::resolve_derivatives() {
  if (result_.version == Version::fmi3) {
    for (Variable& variable : result_.variables) {
      if (!variable.derivative_of || variable.alias != Alias::none) continue;
      const auto found = result_.by_reference.find(*variable.derivative_of);
      if (found != result_.by_reference.end()) variable.state_of = found->second;
    }
    return;
  }
  for (std::size_t k = 0; k < by_index_.size(); ++k) {
    if (by_index_[k] == no_index || derivative_2_[k] == 0) continue;
    const std::uint64_t number = derivative_2_[k];
    if (number <= by_index_.size() && by_index_[number - 1] != no_index) {
      result_.variables[by_index_[k]].state_of = by_index_[number - 1];
    }
  }
}

}  // namespace orrery::fmi
