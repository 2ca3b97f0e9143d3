// SPDX-License-Identifier: Apache-2.0
// A diagram to a scene: blocks where the layout says, the others where they fit, links around them, names beside them.
#pragma once

#include <string>
#include <vector>

#include "picture/facts.h"
#include "picture/scene.h"

namespace orrery::picture {

struct SceneOptions {
  bool values = false;  // below each block the parameters that are not at their defaults
  std::string title;
};

// `path` is that of the super block that holds the diagram, empty for the root: facts are found by it.
Scene make_scene(const model::Diagram& diagram, const std::string& path, const Facts& facts,
                 const SceneOptions& options = {});

// The same after a change, when a scene of the diagram was there before: links whose ends stand where they stood keep
// their ways. `quick`: no way is searched for, for blocks that are being dragged.
Scene remake_scene(const Scene& before, const model::Diagram& diagram, const std::string& path, const Facts& facts,
                   bool quick, const SceneOptions& options = {});

// Places for blocks, as a layout stores them: all of them anew, or only those that have none.
enum class Arrange { all, missing };
std::vector<model::LayoutItem> arranged_layout(const model::Diagram& diagram, const std::string& path,
                                               const Facts& facts, Arrange which);

// The diagram of a super block by its path ("/Plant/Motor"); the root for "/" or nothing; null when there is none.
const model::Diagram* find_diagram(const model::Model& model, const std::string& path);

}  // namespace orrery::picture
