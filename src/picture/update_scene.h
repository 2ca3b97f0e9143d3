// SPDX-License-Identifier: Apache-2.0
// A scene after a small change: only what the change concerns is drawn anew.
#pragma once

#include <optional>

#include "picture/facts.h"
#include "picture/scene.h"

namespace orrery::picture {

// What a scene was before, where it differs.
struct SceneBefore {
  std::vector<std::pair<std::size_t, SceneBlock>> blocks;  // with their places in the list
  std::vector<std::pair<std::size_t, SceneLink>> links;
  std::vector<Crossing> crossings;
  std::vector<SceneNote> notes;
  Box bounds;
};

// Brings a scene up to date where the blocks and links of the diagram are those it shows, but for the blocks named by
// `changed` (their places in the list), whose parameters or insides are others, and for places in the layout. The scene
// is then what remake_scene would give. Nothing, and an untouched scene: some block has no place in the layout.
std::optional<SceneBefore> update_scene(Scene& scene, const model::Diagram& diagram, const std::string& path,
                                        const Facts& facts, const std::vector<std::size_t>& changed, bool quick);
// As it was before.
void restore(Scene& scene, SceneBefore before);

}  // namespace orrery::picture
