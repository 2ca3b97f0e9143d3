// SPDX-License-Identifier: Apache-2.0
// Values cross between the interpreter and the compiler here, and nowhere else.
#pragma once

#include <optional>

#include "oml/value.h"
#include "program/value.h"

namespace orrery::api {

// Nothing for what a parameter cannot be: functions, arrays of structs, arrays of more than two dimensions.
std::optional<program::Value> from_oml(const oml::Value& value);
oml::Value to_oml(const program::Value& value);

}  // namespace orrery::api
