// SPDX-License-Identifier: Apache-2.0
// plot, subplot, title, print and their kin as functions of OML.
#pragma once

#include "oml/builtin.h"

namespace orrery::api {

oml::BuiltinFamily plot_builtins();

}  // namespace orrery::api
