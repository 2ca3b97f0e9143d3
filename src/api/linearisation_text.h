// SPDX-License-Identifier: Apache-2.0
// A linear model as a text for people, and as JSON.
#pragma once

#include <string>

#include "api/linearise.h"

namespace orrery::api {

// Names, matrices with their rows and columns named, poles.
std::string linearised_text(const LinearisedModel& model);
std::string linearised_json(const LinearisedModel& model);

}  // namespace orrery::api
