// SPDX-License-Identifier: Apache-2.0
// The tables of builtins, one per family and file.
#pragma once

#include "oml/builtin.h"

namespace orrery::oml {

BuiltinFamily array_builtins();
BuiltinFamily array_shape_builtins();
BuiltinFamily reduction_builtins();
BuiltinFamily sorting_builtins();
BuiltinFamily elementary_builtins();
BuiltinFamily trigonometry_builtins();
BuiltinFamily operator_builtins();
BuiltinFamily type_builtins();
BuiltinFamily language_builtins();
BuiltinFamily environment_builtins();
BuiltinFamily output_builtins();

}  // namespace orrery::oml
