// SPDX-License-Identifier: Apache-2.0
// What the icon of a block shows, before it has a place: a text, a fraction, a curve or signs.
#pragma once

#include <string>
#include <vector>

#include "picture/facts.h"
#include "picture/scene.h"

namespace orrery::picture {

struct IconForm {
  Shape shape = Shape::box;
  std::vector<std::string> lines;  // texts, one below the other; a fraction has two
  bool fraction = false;
  struct Curve {
    std::vector<Point> points;  // in the unit square, y upwards
    bool faint = false;
  };
  std::vector<Curve> curves;
  std::vector<std::string> inputs, outputs;  // beside the ports
};

// What the block type declares; of types that declare nothing, their name. Values stand where they are known.
IconForm icon_form(const model::BlockInstance& block, const BlockFacts& facts, const PortCounts& ports);
Family family_of(const blocks::BlockType* type);

}  // namespace orrery::picture
