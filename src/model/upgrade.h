// SPDX-License-Identifier: Apache-2.0
// Models of older format versions: what block types and parameters have come to mean something else is written anew.
#pragma once

#include "model/model.h"

namespace orrery::model {

constexpr int first_version = 1;
constexpr int current_version = 2;

// Makes a model that was written for `version` mean the same in the current one.
void upgrade(Model& model, int version);

}  // namespace orrery::model
