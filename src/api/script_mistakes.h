// SPDX-License-Identifier: Apache-2.0
// What is wrong with an OML script, as all languages say it: the place, the line, a caret, what to do.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "oml/interpreter.h"

namespace orrery::api {

// The diagnostics of a run of this text, with its lines; of mistakes of syntax all there are.
Diagnostics script_mistakes(const oml::RunResult& result, const std::string& text, const std::string& file);

}  // namespace orrery::api
