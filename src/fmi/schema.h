// SPDX-License-Identifier: Apache-2.0
// The grammar of the XML files of an FMU: which elements and attributes there are, and what values they have.
#pragma once

#include <functional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "fmi/description.h"

namespace orrery::fmi {

// Tables in the notation that schema_tables.cpp explains.
std::string_view description_schema(Version version);
std::string_view terminals_schema();  // 3.0: terminalsAndIcons/terminalsAndIcons.xml
std::string_view build_schema();      // 3.0: sources/buildDescription.xml

// Calls `violation` for everything in the document that the table does not allow, with the section that describes the
// element ("2.2.7"; empty: the table names none).
using SchemaViolation = std::function<void(pugi::xml_node where, const std::string& message, std::string_view section)>;
void check_schema(const pugi::xml_document& document, std::string_view table, const SchemaViolation& violation);

}  // namespace orrery::fmi
