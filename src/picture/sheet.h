// SPDX-License-Identifier: Apache-2.0
// The blocks of a diagram with their looks and boxes: what layout, routes and drawing share.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "picture/look.h"
#include "picture/make_scene.h"

namespace orrery::picture {

struct Sheet {
  const model::Diagram* diagram = nullptr;
  std::unordered_map<std::string_view, int> index;  // of blocks by name
  std::vector<BlockFacts> facts;
  std::vector<Look> looks;
  std::vector<Box> boxes;
  std::vector<model::Flow> flows;
  std::vector<char> placed;  // the layout of the file says where it is
  std::vector<std::vector<ScenePort>> ports;

  int find(std::string_view block) const {
    const auto found = index.find(block);
    return found == index.end() ? -1 : found->second;
  }
  // Null when the block has no such port.
  const ScenePort* port(int block, bool activation, bool output, int number) const;
};

// Whether a layout names a place where a block can stand.
bool sensible(const model::LayoutItem& item);
// What is drawn in the box of a layout, and what links keep away from: the circle or the bar in its middle.
Box drawn_box(const Box& box, Shape shape, model::Flow flow);

// Blocks that have no place in the file get one.
Sheet lay_out(const model::Diagram& diagram, const std::string& path, const Facts& facts, Arrange which);

}  // namespace orrery::picture
