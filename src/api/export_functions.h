// SPDX-License-Identifier: Apache-2.0
// The functions through which OML scripts write code: those of Activate's code generation (vss…).
#pragma once

#include "oml/builtin.h"

namespace orrery::api {

oml::BuiltinFamily export_builtins();

}  // namespace orrery::api
