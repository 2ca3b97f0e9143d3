// SPDX-License-Identifier: Apache-2.0
// What can be placed on a sheet and written in a text: blocks, settings, solvers, functions, commands.
#pragma once

#include <string>

namespace orrery::server {

// The body of GET /library; made once.
const std::string& library_json();

}  // namespace orrery::server
