// SPDX-License-Identifier: Apache-2.0
// Three-way merging of models by what they mean: blocks, parameters and links rather than lines.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace orrery::edit {

// Something that both sides changed in different ways. The result has ours.
struct Conflict {
  std::string path;  // block or diagram
  std::string what;  // "parameter k", "context", "link A:1 -> B:1"
  std::string base, ours, theirs;
};

struct Merged {
  model::Model model;  // opens always; each conflict is also a note on its sheet
  std::vector<Conflict> conflicts;
};

Merged merge(const model::Model& base, const model::Model& ours, const model::Model& theirs);
// "/Gain: parameter k: ours 2, theirs 3, before 1"
std::string conflict_text(const Conflict& conflict);

}  // namespace orrery::edit
