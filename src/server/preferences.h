// SPDX-License-Identifier: Apache-2.0
// What pages remember of their user: one JSON object in the configuration folder.
#pragma once

#include <string>

#include "base/diagnostic.h"

namespace orrery::server {

// Merges the fields of an object (null removes one) into what is kept; all of it.
std::string change_preferences(const std::string& fields, Diagnostics& diagnostics);

}  // namespace orrery::server
