// SPDX-License-Identifier: Apache-2.0
// A program as a model: a diagram of one CsslBlock, whose constants are variables of the context.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "cssl/program.h"
#include "model/model.h"

namespace orrery::cssl {

// So everything that works on the variables of a diagram (--set, sweeps, sensitivities) works on constants.
model::Model to_model(const Program& program, Diagnostics& diagnostics);

// A number, or a column of several, as OML.
std::string oml_numbers(const std::vector<double>& values);

}  // namespace orrery::cssl
