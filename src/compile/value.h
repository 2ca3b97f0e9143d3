// SPDX-License-Identifier: Apache-2.0
// The compiler's name for parameter values; the type is defined in program/value.h, its members in program/value.cpp.
#pragma once

#include "program/value.h"

namespace orrery::compile {

using program::describe;
using program::Value;

}  // namespace orrery::compile
