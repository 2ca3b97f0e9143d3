// SPDX-License-Identifier: Apache-2.0
// How one block looks, wherever it stands: shape, size, ports and what is drawn inside.
#pragma once

#include "picture/facts.h"
#include "picture/scene.h"

namespace orrery::picture {

inline constexpr double grid = 10;  // blocks stand on it
inline constexpr double port_distance = 20;
inline constexpr double text_size = 12;
inline constexpr double label_size = 11;
inline constexpr double label_room = 18;  // below a block, for its name

struct Look {
  Shape shape = Shape::box;
  Family family = Family::mathematics;
  double width = 70;
  double height = 40;
  PortCounts ports;
  std::vector<std::string> inputs, outputs;  // beside the ports; empty: nothing
  bool foreign = false;
  bool unknown = false;
};

// Which ports links use: a port that no fact knows of is drawn all the same.
struct UsedPorts {
  PortCounts highest;
};

Look look_of(const model::BlockInstance& block, const BlockFacts& facts, const UsedPorts& used);

// The ports of a block that stands in this box.
std::vector<ScenePort> place_ports(const Look& look, const Box& box, model::Flow flow);

// What is drawn inside the box. A super block without an icon of its own shows a miniature of its inside.
std::vector<Mark> draw_icon(const model::BlockInstance& block, const BlockFacts& facts, const Look& look,
                            const Box& box);

// Whether a tool made the name: "Gain", "Gain3". Such names say nothing that the icon does not.
bool is_made_name(const model::BlockInstance& block);

}  // namespace orrery::picture
