// SPDX-License-Identifier: Apache-2.0
// What to do about a name in a text of a model that has no value.
#pragma once

#include <string>

#include "oml/interpreter.h"

namespace orrery::api {

// A near name among the variables that the scope sees, else among the functions; otherwise where values come from.
std::string name_help(oml::Interpreter& interpreter, const oml::Environment& scope, const std::string& name);

}  // namespace orrery::api
