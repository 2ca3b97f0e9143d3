// SPDX-License-Identifier: Apache-2.0
// From variables of a description to those of a result file.
#include "fmi/described_column.h"

namespace orrery::fmi {
namespace {

using Described = io::MtsfVariable;

Described::Type type_of(Type type) {
  switch (type) {
    case Type::float32:
    case Type::float64:
    case Type::int64:
    case Type::uint64:
    case Type::uint32: return Described::Type::real;  // none of these fits 32 bits with a sign
    case Type::boolean:
    case Type::clock: return Described::Type::boolean;
    case Type::string:
    case Type::binary: return Described::Type::text;
    case Type::enumeration: return Described::Type::enumeration;
    default: return Described::Type::integer;
  }
}

Described::Causality causality_of(Causality causality) {
  switch (causality) {
    case Causality::input: return Described::Causality::input;
    case Causality::output: return Described::Causality::output;
    case Causality::parameter:
    case Causality::calculated_parameter:
    case Causality::structural_parameter: return Described::Causality::parameter;
    default: return Described::Causality::local;
  }
}

Described::Variability variability_of(Variability variability) {
  switch (variability) {
    case Variability::constant: return Described::Variability::constant;
    case Variability::fixed: return Described::Variability::fixed;
    case Variability::tunable: return Described::Variability::tunable;
    case Variability::discrete: return Described::Variability::discrete;
    default: return Described::Variability::continuous;
  }
}

}  // namespace

io::MtsfVariable described_column(const Description& description, const std::string& column, std::size_t place) {
  Described result;
  result.name = column;
  result.place = place;
  auto found = description.by_name.find(column);
  if (found == description.by_name.end()) found = description.by_name.find(column.substr(0, column.rfind('[')));
  if (found == description.by_name.end()) return result;
  const Variable& variable = description.variables[found->second];
  result.description = variable.description;
  result.unit = variable.unit;
  result.type = type_of(variable.type);
  result.causality = causality_of(variable.causality);
  result.variability = variability_of(variable.variability);
  for (const TypeDefinition& type : description.types) {
    if (variable.type != Type::enumeration || type.name != variable.declared_type) continue;
    result.enumeration = type.name;
    result.items = type.items;
  }
  return result;
}

}  // namespace orrery::fmi
