// SPDX-License-Identifier: Apache-2.0
// Pictures of diagrams: a model in, SVG out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "picture/facts.h"
#include "picture/svg.h"

namespace orrery::api {

struct PictureRequest {
  std::string file;
  std::string diagram = "/";  // path of a super block
  picture::Theme theme = picture::Theme::light;
  bool values = false;  // parameters below their blocks
};

struct DiagramPicture {
  std::string path;  // "/", "/Plant"
  std::string svg;
};

// What evaluating the model's scripts tells of its blocks; a model with errors tells less, and no error is reported.
picture::Facts picture_facts(const model::Model& model);

// One diagram of the model; nothing, and a diagnostic, when there is none.
std::optional<std::string> picture_of(const PictureRequest& request, Diagnostics& diagnostics);
// All of them, the root first.
std::vector<DiagramPicture> pictures_of(const PictureRequest& request, Diagnostics& diagnostics);

}  // namespace orrery::api
