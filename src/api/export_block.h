// SPDX-License-Identifier: Apache-2.0
// One super block as a model of its own, for export: its ports are those of the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/export_model.h"
#include "model/model.h"

namespace orrery::api {

// The block of request.block with port blocks around it, in the contexts it had. `vary` gets the variables that stay
// parameters: those in the values of its mask (codegen: what is masked is exposed). Sizes and types of its inputs are
// those that drive it in the whole model. `sampled` gets the numbers of inputs that only events change there.
std::optional<model::Model> block_as_model(model::Model whole, const ExportRequest& request,
                                           std::vector<std::string>& vary, Diagnostics& diagnostics,
                                           std::vector<int>* sampled = nullptr);

// Variables around a block without a mask that its inside names; a mask says by itself what it takes.
std::vector<std::string> variables_used(const model::Model& part, const model::BlockInstance& block);

// The super block at a path of a model; nothing, and a diagnostic, where there is none.
model::BlockInstance* find_super_block(model::Model& model, const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::api
