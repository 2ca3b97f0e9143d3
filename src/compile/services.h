// SPDX-License-Identifier: Apache-2.0
// What the compiler may ask of the world outside a model and its scripts.
#pragma once

#include <memory>

#include "base/consent.h"
#include "blocks/foreign_model.h"
#include "blocks/user_block.h"

namespace orrery::compile {

class DiagramFiles;

struct Services {
  // What is in the files of foreign models; nullptr: they cannot be read here.
  std::shared_ptr<const blocks::ForeignModels> foreign_models;
  // Files with diagrams that have been read; nullptr: each is read once for each evaluation.
  std::shared_ptr<DiagramFiles> diagrams = nullptr;
  // Block types in libraries of users; nullptr: none can be loaded here.
  std::shared_ptr<const blocks::UserTypes> user_types = nullptr;
  // Atomic super blocks that are there many times are compiled once (decision 32).
  bool share_units = true;
  Consent consent = Consent::everything();  // which files a model may have read
};

}  // namespace orrery::compile
