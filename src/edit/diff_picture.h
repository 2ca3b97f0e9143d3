// SPDX-License-Identifier: Apache-2.0
// The difference of two models as pictures: marked in the second one, and side by side.
#pragma once

#include <string>
#include <vector>

#include "edit/compare.h"
#include "picture/facts.h"
#include "picture/scene.h"

namespace orrery::edit {

struct DiffInput {
  const model::Model* model = nullptr;
  picture::Facts facts;
  std::string title;
};

// The diagrams that differ, drawn below each other: what is added green, changed amber, removed as a dashed ghost.
std::string diff_svg(const DiffInput& a, const DiffInput& b, const std::vector<Difference>& differences);
// A page that stands alone: the list, and each diagram overlaid and side by side.
std::string diff_html(const DiffInput& a, const DiffInput& b, const std::vector<Difference>& differences);

}  // namespace orrery::edit
