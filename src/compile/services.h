// SPDX-License-Identifier: Apache-2.0
// What the compiler may ask of the world outside a model and its scripts.
#pragma once

#include <memory>

#include "blocks/foreign_model.h"

namespace orrery::compile {

struct Services {
  // What is in the files of foreign models; nullptr: they cannot be read here.
  std::shared_ptr<const blocks::ForeignModels> foreign_models;
};

}  // namespace orrery::compile
