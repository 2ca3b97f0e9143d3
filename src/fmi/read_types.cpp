// SPDX-License-Identifier: Apache-2.0
// Units and type definitions of a model description (FMI 2.0: 2.2.2 and 2.2.3; 3.0: 2.4.3 and 2.4.4).
#include "fmi/description_reader.h"
#include "fmi/number_list.h"

namespace orrery::fmi {

void DescriptionReader::read_units(pugi::xml_node node) {
  static constexpr const char* base_units[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  for (const pugi::xml_node child : node.children()) {
    Unit unit;
    unit.name = text(child, result_.version == Version::fmi1 ? "unit" : "name");
    if (const pugi::xml_node base = child.child("BaseUnit")) {
      unit.factor = number(base, "factor").value_or(1);
      unit.offset = number(base, "offset").value_or(0);
      for (const char* name : base_units) {
        const auto exponent = number(base, name);
        if (exponent && *exponent != 0 && *exponent > -100 && *exponent < 100) {
          unit.exponents.emplace_back(name, static_cast<int>(*exponent));
        }
      }
    }
    for (const char* element : {"DisplayUnit", "DisplayUnitDefinition"}) {
      for (const pugi::xml_node display : child.children(element)) {
        unit.display_units.push_back(text(display, result_.version == Version::fmi1 ? "displayUnit" : "name"));
      }
    }
    result_.units.push_back(std::move(unit));
  }
}

void DescriptionReader::read_types(pugi::xml_node node) {
  for (const pugi::xml_node child : node.children()) {
    TypeDefinition type;
    type.name = text(child, "name");
    // 1.0 and 2.0 wrap the attributes in an element for the base type; 3.0 names the element after it.
    pugi::xml_node inner = child;
    if (result_.version != Version::fmi3) {
      for (const pugi::xml_node candidate : child.children()) {
        if (candidate.type() == pugi::node_element && std::string_view(candidate.name()) != "Annotations") {
          inner = candidate;
          break;
        }
      }
    }
    type.kind = inner.name();
    type.unit = text(inner, "unit");
    type.display_unit = text(inner, "displayUnit");
    type.min = number(inner, "min");
    type.max = number(inner, "max");
    type.nominal = number(inner, "nominal");
    std::int64_t position = 0;  // 1.0 numbers items by their position
    for (const pugi::xml_node item : inner.children("Item")) {
      ++position;
      type.items.emplace_back(text(item, "name"), parse_integer(text(item, "value")).value_or(position));
    }
    result_.types.push_back(std::move(type));
  }
}

}  // namespace orrery::fmi
