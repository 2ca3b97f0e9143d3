// SPDX-License-Identifier: Apache-2.0
// Figures and their objects as JSON.
#pragma once

#include <vector>

#include "api/animation.h"
#include "server/json.h"

namespace orrery::server {

Json figures_json(const std::vector<api::FigureInfo>& figures);
std::vector<api::FigureInfo> figures_of_json(const Json& json);
// Each ["circle", "#3a6bc4" or null, x, y, r] (docs/protocol.md).
Json objects_json(const std::vector<api::FigureObject>& objects);

}  // namespace orrery::server
