// SPDX-License-Identifier: Apache-2.0
// Scenes, and how one differs from another, as the JSON of docs/protocol.md.
#pragma once

#include <string>

#include "picture/update_scene.h"

namespace orrery::server {

struct SceneHead {
  int document = 0;
  std::size_t revision = 0;
  std::string diagram;  // "/" for the root
};

std::string scene_json(const picture::Scene& scene, const SceneHead& head);
std::string change_json(const picture::Scene& before, const picture::Scene& after, const SceneHead& head);
std::string change_json(const picture::SceneBefore& before, const picture::Scene& after, const SceneHead& head);
// A text in quotes.
std::string quoted_text(std::string_view text);
// Of marks alone, for icons of the library.
std::string marks_json(const std::vector<picture::Mark>& marks);
std::string ports_json(const std::vector<picture::ScenePort>& ports);
const char* shape_name(picture::Shape shape);
const char* family_name(picture::Family family);

}  // namespace orrery::server
