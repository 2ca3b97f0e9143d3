// SPDX-License-Identifier: Apache-2.0
// The functions through which OML scripts make and change models.
#pragma once

#include "oml/builtin.h"

namespace orrery::api {

oml::BuiltinFamily edit_builtins();

}  // namespace orrery::api
