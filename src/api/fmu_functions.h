// SPDX-License-Identifier: Apache-2.0
// FMUs in scripts: run one, look at one.
#pragma once

#include "oml/builtin.h"

namespace orrery::api {

oml::BuiltinFamily fmu_builtins();

}  // namespace orrery::api
