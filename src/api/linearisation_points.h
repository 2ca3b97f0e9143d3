// SPDX-License-Identifier: Apache-2.0
// LinearisationPoint blocks on the ports of a super block, so that it can be linearised inside its model.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "model/model.h"

namespace orrery::api {

// Paths of the blocks, by the number of the port; empty where the super block has no such port.
struct PortPoints {
  std::vector<std::string> inputs, outputs;
};

// `path`: "/Plant/Motor" or without the slash. False, and a diagnostic, when there is no such super block.
[[nodiscard]] bool add_port_points(model::Model& model, const std::string& path, PortPoints& points,
                                   Diagnostics& diagnostics);

}  // namespace orrery::api
