// SPDX-License-Identifier: Apache-2.0
// Values cross between the interpreter and the compiler here, and nowhere else.
#pragma once

#include <memory>
#include <optional>

#include "oml/value.h"
#include "program/value.h"

namespace orrery::trace {

struct ParameterHome;

// Nothing for what a parameter cannot be: functions, arrays of structs, arrays of more than two dimensions.
std::optional<program::Value> from_oml(const oml::Value& value);
// With a home, values that follow from its parameters keep their formulas.
oml::Value to_oml(const program::Value& value, const std::shared_ptr<ParameterHome>& home = nullptr);

}  // namespace orrery::trace
