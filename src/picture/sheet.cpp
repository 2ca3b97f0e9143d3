// SPDX-License-Identifier: Apache-2.0
// Looks of all blocks, places from the file or from the automatic layout.
#include "picture/sheet.h"

#include <algorithm>
#include <cmath>

#include "picture/arrange.h"

namespace orrery::picture {
namespace {

constexpr double widest_bar = 10;
constexpr double farthest = 1e6;  // a coordinate beyond is no place on a sheet

void take_layout(Sheet& sheet) {
  for (const model::LayoutItem& item : sheet.diagram->layout) {
    const int k = sheet.find(item.block);
    if (k < 0) continue;
    const auto i = static_cast<std::size_t>(k);
    sheet.flows[i] = item.flow;
    if (!sensible(item)) continue;
    sheet.boxes[i] = {item.x, item.y, item.width, item.height};
    sheet.placed[i] = 1;
  }
}

std::vector<UsedPorts> used_ports(const Sheet& sheet) {
  std::vector<UsedPorts> used(sheet.diagram->blocks.size());
  const auto note = [&](const model::PortRef& ref, int PortCounts::*count) {
    const int k = sheet.find(ref.block);
    if (k < 0) return;
    int& highest = used[static_cast<std::size_t>(k)].highest.*count;
    highest = std::max(highest, ref.port);
  };
  for (const model::Link& link : sheet.diagram->links) {
    note(link.from, link.activation ? &PortCounts::activation_outputs : &PortCounts::outputs);
    for (const model::PortRef& to : link.to)
      note(to, link.activation ? &PortCounts::activation_inputs : &PortCounts::inputs);
  }
  return used;
}

// Arranges the blocks that are not placed yet; below what is there.
void place_rest(Sheet& sheet) {
  std::vector<int> node_of(sheet.boxes.size(), -1), members;
  std::vector<ArrangeNode> nodes;
  double bottom = -1e300, left = 1e300;
  for (std::size_t k = 0; k < sheet.boxes.size(); ++k) {
    if (sheet.placed[k]) {
      bottom = std::max(bottom, sheet.boxes[k].bottom());
      left = std::min(left, sheet.boxes[k].x);
      continue;
    }
    node_of[k] = static_cast<int>(nodes.size());
    members.push_back(static_cast<int>(k));
    const Look& look = sheet.looks[k];
    nodes.push_back({look.width, look.height, look.ports.activation_inputs > 0 ? 10.0 : 0.0,
                     look.ports.activation_outputs > 0 ? 10.0 : 0.0});
  }
  if (nodes.empty()) return;
  // Ports relative to the block decide what is straight.
  for (const int k : members) {
    const auto i = static_cast<std::size_t>(k);
    sheet.boxes[i] = {0, 0, sheet.looks[i].width, sheet.looks[i].height};
    sheet.ports[i] = place_ports(sheet.looks[i], sheet.boxes[i], sheet.flows[i]);
  }
  std::vector<ArrangeEdge> edges;
  for (const model::Link& link : sheet.diagram->links) {
    const int from = sheet.find(link.from.block);
    if (from < 0 || node_of[static_cast<std::size_t>(from)] < 0) continue;
    for (const model::PortRef& target : link.to) {
      const int to = sheet.find(target.block);
      if (to < 0 || node_of[static_cast<std::size_t>(to)] < 0) continue;
      ArrangeEdge edge;
      edge.from = node_of[static_cast<std::size_t>(from)];
      edge.to = node_of[static_cast<std::size_t>(to)];
      edge.to_port = target.port;
      edge.activation = link.activation;
      const ScenePort* out = sheet.port(from, link.activation, true, link.from.port);
      const ScenePort* in = sheet.port(to, link.activation, false, target.port);
      if (out != nullptr) edge.from_offset = out->at.y;
      if (in != nullptr) {
        edge.to_offset = in->at.y;
        edge.aligned = in->side == Side::left || in->side == Side::right;
      }
      edges.push_back(edge);
    }
  }
  const std::vector<Point> positions = arrange(nodes, edges);
  const bool alone = bottom < -1e299;
  for (std::size_t n = 0; n < members.size(); ++n) {
    const auto i = static_cast<std::size_t>(members[n]);
    sheet.boxes[i].x = positions[n].x + (alone ? 0 : left);
    sheet.boxes[i].y = positions[n].y + (alone ? 0 : bottom + 70);
  }
}

}  // namespace

bool sensible(const model::LayoutItem& item) {
  return std::abs(item.x) <= farthest && std::abs(item.y) <= farthest && item.width >= 4 && item.height >= 4 &&
         item.width <= farthest && item.height <= farthest;
}

Box drawn_box(const Box& box, Shape shape, model::Flow flow) {
  if (shape == Shape::circle) {
    const double size = std::min(box.width, box.height);
    return {box.x + (box.width - size) / 2, box.y + (box.height - size) / 2, size, size};
  }
  if (shape != Shape::bar) return box;
  const bool upright = flow == model::Flow::right || flow == model::Flow::left;
  const double width = upright ? std::min(box.width, widest_bar) : box.width;
  const double height = upright ? box.height : std::min(box.height, widest_bar);
  return {box.x + (box.width - width) / 2, box.y + (box.height - height) / 2, width, height};
}

const ScenePort* Sheet::port(int block, bool activation, bool output, int number) const {
  for (const ScenePort& port : ports[static_cast<std::size_t>(block)]) {
    if (port.activation == activation && port.output == output && port.number == number) return &port;
  }
  return nullptr;
}

Sheet lay_out(const model::Diagram& diagram, const std::string& path, const Facts& facts, Arrange which) {
  Sheet sheet;
  sheet.diagram = &diagram;
  const std::size_t n = diagram.blocks.size();
  for (std::size_t k = 0; k < n; ++k) sheet.index.emplace(diagram.blocks[k].name, static_cast<int>(k));
  sheet.boxes.resize(n);
  sheet.flows.assign(n, model::Flow::right);
  sheet.placed.assign(n, 0);
  sheet.ports.resize(n);
  if (which == Arrange::missing) take_layout(sheet);
  const std::vector<UsedPorts> used = used_ports(sheet);
  for (std::size_t k = 0; k < n; ++k) {
    const model::BlockInstance& block = diagram.blocks[k];
    const auto known = facts.empty() ? facts.end() : facts.find(path + '/' + block.name);
    sheet.facts.push_back(facts_of(block, known == facts.end() ? nullptr : &known->second));
    sheet.looks.push_back(look_of(block, sheet.facts.back(), used[k]));
    if (!sheet.placed[k]) continue;
    sheet.boxes[k] = drawn_box(sheet.boxes[k], sheet.looks.back().shape, sheet.flows[k]);
  }
  place_rest(sheet);
  for (std::size_t k = 0; k < n; ++k) sheet.ports[k] = place_ports(sheet.looks[k], sheet.boxes[k], sheet.flows[k]);
  return sheet;
}

std::vector<model::LayoutItem> arranged_layout(const model::Diagram& diagram, const std::string& path,
                                               const Facts& facts, Arrange which) {
  const Sheet sheet = lay_out(diagram, path, facts, which);
  std::vector<model::LayoutItem> layout;
  for (std::size_t k = 0; k < diagram.blocks.size(); ++k) {
    const Box& box = sheet.boxes[k];
    layout.push_back({diagram.blocks[k].name, box.x, box.y, box.width, box.height, sheet.flows[k], 0});
  }
  // What the file has stays as it is there.
  for (const model::LayoutItem& item : diagram.layout) {
    const int k = sheet.find(item.block);
    if (k >= 0 && sheet.placed[static_cast<std::size_t>(k)]) layout[static_cast<std::size_t>(k)] = item;
  }
  return layout;
}

const model::Diagram* find_diagram(const model::Model& model, const std::string& path) {
  const model::Diagram* diagram = &model.root;
  std::size_t from = 0;
  while (from < path.size()) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    if (to > from) {
      const std::string name = path.substr(from, to - from);
      const auto block =
          std::find_if(diagram->blocks.begin(), diagram->blocks.end(), [&](const auto& b) { return b.name == name; });
      if (block == diagram->blocks.end() || !block->diagram) return nullptr;
      diagram = block->diagram.get();
    }
    from = to + 1;
  }
  return diagram;
}

}  // namespace orrery::picture
