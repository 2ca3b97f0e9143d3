// SPDX-License-Identifier: Apache-2.0
// The interactive console of `orrery oml`.
#pragma once

#include <atomic>

#include "oml/interpreter.h"

namespace orrery::cli {

// Reads lines with editing, history and completion until `exit` or the end of the input; returns the exit code.
// `interrupted` is raised by Ctrl-C.
int run_console(oml::Interpreter& interpreter, std::atomic<bool>& interrupted);

}  // namespace orrery::cli
