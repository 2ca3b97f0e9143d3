// SPDX-License-Identifier: Apache-2.0
// Makes a Program carry sensitivities with respect to variables of the model's context.
#pragma once

#include "api/session.h"

namespace orrery::trace {
struct ParameterHome;
}

namespace orrery::api {

// The scripts have run with the variables of request.sensitivities as parameters, and `program` was compiled from what
// they left. False, and diagnostics, when a variable does not exist, when the structure of the model was made with its
// number, or when something it has an effect on cannot be differentiated.
[[nodiscard]] bool add_sensitivities(const model::Model& model, const RunRequest& request,
                                     const trace::ParameterHome& parameters, program::Program& program,
                                     Diagnostics& diagnostics);

}  // namespace orrery::api
