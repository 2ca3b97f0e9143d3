// SPDX-License-Identifier: Apache-2.0
// Finds what has moved, routes what was linked to it or is in its way, and places the names around that again.
#include "picture/update_scene.h"

#include <algorithm>
#include <unordered_map>

#include "picture/scene_parts.h"
#include "picture/sheet.h"
#include "picture/text_widths.h"

namespace orrery::picture {
namespace {

bool overlap(const Box& a, const Box& b) {
  return a.right() > b.x && a.x < b.right() && a.bottom() > b.y && a.y < b.bottom();
}

class Updating {
 public:
  Updating(Scene& scene, const model::Diagram& diagram, const std::string& path, const Facts& facts)
      : scene_(scene), diagram_(diagram), path_(path), facts_(facts) {}

  bool find_moved(const std::vector<std::size_t>& changed) {
    const std::size_t n = diagram_.blocks.size();
    if (scene_.blocks.size() != n) return false;
    for (std::size_t k = 0; k < n; ++k) {
      if (scene_.blocks[k].name != diagram_.blocks[k].name) return false;
      index_.emplace(diagram_.blocks[k].name, k);
    }
    items_.assign(n, nullptr);
    std::size_t placed = 0;
    for (const model::LayoutItem& item : diagram_.layout) {
      const auto found = index_.find(item.block);
      if (found == index_.end() || !sensible(item)) continue;
      if (items_[found->second] == nullptr) ++placed;
      items_[found->second] = &item;
    }
    if (placed != n) return false;
    touched_.assign(n, 0);
    for (const std::size_t k : changed) {
      if (k >= n) return false;
      touched_[k] = 1;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const model::LayoutItem& item = *items_[k];
      const SceneBlock& block = scene_.blocks[k];
      if (block.flow != item.flow || !(drawn_box(box_of(item), block.shape, item.flow) == block.box)) touched_[k] = 1;
    }
    return true;
  }

  SceneBefore run(bool quick) {
    before_.crossings = std::move(scene_.crossings);
    before_.bounds = scene_.bounds;
    before_.notes = std::move(scene_.notes);
    for (std::size_t k = 0; k < touched_.size(); ++k) {
      if (touched_[k]) draw(k);
    }
    route(quick);
    scene_.crossings = find_crossings(scene_.links);
    scene_.notes = draw_notes(diagram_);
    place_names();
    scene_.bounds = bounds_of(scene_);
    return std::move(before_);
  }

 private:
  static Box box_of(const model::LayoutItem& item) { return {item.x, item.y, item.width, item.height}; }

  // The block anew; whether its ports are connected comes from the links.
  void draw(std::size_t k) {
    const model::BlockInstance& block = diagram_.blocks[k];
    UsedPorts used;
    std::vector<std::pair<const model::PortRef*, std::pair<bool, bool>>> ends;  // activation, output
    const auto note = [&](const model::PortRef& ref, bool activation, bool output) {
      if (ref.block != block.name) return;
      int& highest = output ? (activation ? used.highest.activation_outputs : used.highest.outputs)
                            : (activation ? used.highest.activation_inputs : used.highest.inputs);
      highest = std::max(highest, ref.port);
      ends.push_back({&ref, {activation, output}});
    };
    for (const model::Link& link : diagram_.links) {
      note(link.from, link.activation, true);
      for (const model::PortRef& to : link.to) note(to, link.activation, false);
    }
    const auto known = facts_.empty() ? facts_.end() : facts_.find(path_ + '/' + block.name);
    const BlockFacts facts = facts_of(block, known == facts_.end() ? nullptr : &known->second);
    const Look look = look_of(block, facts, used);
    const model::LayoutItem& item = *items_[k];
    const Box box = drawn_box(box_of(item), look.shape, item.flow);
    SceneBlock drawn = draw_block(block, facts, look, box, item.flow, place_ports(look, box, item.flow));
    for (const auto& [ref, kind] : ends) {
      for (ScenePort& port : drawn.ports) {
        if (port.activation == kind.first && port.output == kind.second && port.number == ref->port)
          port.connected = true;
      }
    }
    drawn.labels = scene_.blocks[k].labels;  // placed below
    if (!(scene_.blocks[k].box == drawn.box)) {
      moved_.push_back(drawn.box);
      areas_.push_back(scene_.blocks[k].box);
    }
    areas_.push_back(drawn.box);
    std::swap(scene_.blocks[k], drawn);
    before_.blocks.emplace_back(k, std::move(drawn));
  }

  RouteEnd end_of(const model::PortRef& ref, bool activation, bool output) const {
    const auto found = index_.find(ref.block);
    if (found == index_.end()) return {};
    for (const ScenePort& port : scene_.blocks[found->second].ports) {
      if (port.activation == activation && port.output == output && port.number == ref.port)
        return {port.at, port.side, static_cast<int>(found->second)};
    }
    return {};
  }

  std::vector<RouteNet> all_nets() const {
    std::unordered_map<std::string, const model::Bends*> bends;
    for (const model::Bends& bent : diagram_.bends) bends.emplace(model::branch_text(bent), &bent);
    std::vector<RouteNet> nets;
    nets.reserve(scene_.links.size());
    for (const SceneLink& link : scene_.links) {
      RouteNet& net = nets.emplace_back();
      net.from = end_of(link.from, link.activation, true);
      net.branches.reserve(link.branches.size());
      for (const SceneBranch& branch : link.branches) {
        RouteBranch& way = net.branches.emplace_back();
        way.to = end_of(branch.to, link.activation, false);
        if (bends.empty()) continue;
        const auto bent = bends.find(model::branch_text({link.activation, link.from, branch.to, {}, 0}));
        if (bent != bends.end()) way.bends = bent->second->points;
      }
    }
    return nets;
  }

  void route(bool quick) {
    const std::vector<RouteNet> nets = all_nets();
    std::vector<std::vector<Path>> kept(nets.size());
    std::vector<std::size_t> rest;
    for (std::size_t n = 0; n < nets.size(); ++n) {
      kept[n] = kept_way(scene_.links[n], nets[n], moved_);
      if (kept[n].empty()) rest.push_back(n);
    }
    if (rest.empty()) return;
    std::vector<Obstacle> obstacles;
    for (const SceneBlock& block : scene_.blocks) obstacles.push_back({block.box, block.made ? 0 : label_room});
    const auto paths = route_again(obstacles, nets, std::move(kept), !quick);
    for (const std::size_t n : rest) {
      SceneLink link = scene_.links[n];
      for (std::size_t b = 0; b < link.branches.size(); ++b) link.branches[b].points = paths[n][b];
      link.junctions.clear();
      find_junctions(link);
      link.label = {};
      name_link(link);
      add_areas(scene_.links[n]);
      add_areas(link);
      std::swap(scene_.links[n], link);
      before_.links.emplace_back(n, std::move(link));
    }
  }

  // Lines as boxes.
  template <class Act>
  static void each_line(const SceneLink& link, const Act& act) {
    for (const SceneBranch& branch : link.branches) {
      for (std::size_t i = branch.first + 1; i < branch.points.size(); ++i) {
        const Point &p = branch.points[i - 1], &q = branch.points[i];
        act(Box{std::min(p.x, q.x) - 1, std::min(p.y, q.y), std::abs(p.x - q.x) + 2, std::abs(p.y - q.y)});
      }
    }
  }
  void add_areas(const SceneLink& link) {
    each_line(link, [&](const Box& box) { areas_.push_back(box); });
  }

  // Where a name of the block may stand.
  static Box around(const SceneBlock& block) {
    const double width = block.labels.empty() ? 160 : text_width(block.labels[0].text, label_size);
    return {block.box.centre().x - width - 20, block.box.y - 30, 2 * width + 40, block.box.height + 60};
  }

  // Names near to what has changed.
  void place_names() {
    std::vector<std::size_t> asking;
    for (std::size_t k = 0; k < scene_.blocks.size(); ++k) {
      const SceneBlock& block = scene_.blocks[k];
      if (block.made && !touched_[k]) continue;
      const Box area = around(block);
      const bool near = touched_[k] || std::any_of(areas_.begin(), areas_.end(), [&](const Box& changed) {
                          return overlap({changed.x, changed.y - 0.5, changed.width, changed.height + 1}, area);
                        });
      if (near) asking.push_back(k);
    }
    if (asking.empty()) return;
    for (const std::size_t k : asking) place_name(k);
  }

  void place_name(std::size_t k) {
    SceneBlock& block = scene_.blocks[k];
    std::vector<std::string> lines;
    if (!block.made) lines.push_back(fit_text(block.name, label_size, std::max(160.0, block.box.width)));
    SceneBlock now = touched_[k] ? SceneBlock() : block;
    SceneBlock& placed = touched_[k] ? block : now;
    place_labels(placed, lines, block.made, [&](const Box& box) { return crowded(box, k); });
    if (touched_[k] || placed.labels == block.labels) return;
    std::swap(block, now);
    before_.blocks.emplace_back(k, std::move(now));
  }

  bool crowded(const Box& box, std::size_t own) const {
    for (std::size_t k = 0; k < scene_.blocks.size(); ++k) {
      if (k != own && overlap(box, scene_.blocks[k].box)) return true;
    }
    for (const SceneLink& link : scene_.links) {
      bool found = false;
      each_line(link, [&](const Box& line) { found = found || overlap(box, line); });
      if (found) return true;
    }
    return false;
  }

  Scene& scene_;
  const model::Diagram& diagram_;
  const std::string& path_;
  const Facts& facts_;
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<const model::LayoutItem*> items_;  // by block
  std::vector<char> touched_;
  std::vector<Box> moved_;
  std::vector<Box> areas_;  // where something was or is that a name could not stand on
  SceneBefore before_;
};

}  // namespace

std::optional<SceneBefore> update_scene(Scene& scene, const model::Diagram& diagram, const std::string& path,
                                        const Facts& facts, const std::vector<std::size_t>& changed, bool quick) {
  Updating updating(scene, diagram, path, facts);
  if (!updating.find_moved(changed)) return std::nullopt;
  return updating.run(quick);
}

void restore(Scene& scene, SceneBefore before) {
  for (auto& [k, block] : before.blocks) scene.blocks[k] = std::move(block);
  for (auto& [n, link] : before.links) scene.links[n] = std::move(link);
  scene.crossings = std::move(before.crossings);
  scene.notes = std::move(before.notes);
  scene.bounds = before.bounds;
}

}  // namespace orrery::picture
