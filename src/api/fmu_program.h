// SPDX-License-Identifier: Apache-2.0
// The Program of a model that is one FMU and nothing else.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "blocks/foreign_model.h"
#include "program/program.h"

namespace orrery::api {

// All that is recorded is the block's only output, of the size of model.outputs[0]; without outputs, nothing is.
// Messages have the FMU's file as their place.
std::optional<program::Program> fmu_program(const std::string& file, const blocks::ForeignModel& model,
                                            Diagnostics& diagnostics);

}  // namespace orrery::api
