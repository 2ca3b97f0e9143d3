// SPDX-License-Identifier: Apache-2.0
// A model in which one super block is a block in C.
#pragma once

#include "api/export_model.h"

namespace orrery::api {

// The model with the super block of request.block replaced by one of the same ports that holds a CCustomBlock with
// generated code. Variables that stay parameters are those of its mask. Nothing, and diagnostics, when it cannot be.
std::optional<model::Model> with_custom_block(model::Model whole, const ExportRequest& request,
                                              Diagnostics& diagnostics);
// Reads the model of the request and writes the new one to request.out; a line that says so.
std::optional<std::string> export_custom_block(const ExportRequest& request, Diagnostics& diagnostics);

}  // namespace orrery::api
