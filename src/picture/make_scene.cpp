// SPDX-License-Identifier: Apache-2.0
// Puts a scene together from a sheet and its routes.
#include "picture/make_scene.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "picture/find_path.h"
#include "picture/route.h"
#include "picture/scene_parts.h"
#include "picture/sheet.h"
#include "picture/text_widths.h"

namespace orrery::picture {
namespace {

class SceneMaking {
 public:
  SceneMaking(const model::Diagram& diagram, const std::string& path, const Facts& facts, const SceneOptions& options)
      : diagram_(diagram), options_(options), sheet_(lay_out(diagram, path, facts, Arrange::missing)) {}

  // Ways of links that are still good are those of this scene.
  void keep_ways(const Scene* before, bool searches) {
    before_ = before;
    searches_ = searches;
  }

  Scene run() {
    scene_.title = options_.title;
    add_blocks();
    add_links();
    scene_.notes = draw_notes(diagram_);
    note_all_taken();
    for (std::size_t k = 0; k < scene_.blocks.size(); ++k) {
      place_labels(scene_.blocks[k], label_lines(k), is_made_name(diagram_.blocks[k]),
                   [&](const Box& box) { return crowded(box, k); });
    }
    for (SceneLink& link : scene_.links) name_link(link);
    scene_.bounds = bounds_of(scene_);
    return std::move(scene_);
  }

 private:
  void add_blocks() {
    for (std::size_t k = 0; k < diagram_.blocks.size(); ++k) {
      scene_.blocks.push_back(draw_block(diagram_.blocks[k], sheet_.facts[k], sheet_.looks[k], sheet_.boxes[k],
                                         sheet_.flows[k], sheet_.ports[k]));
    }
  }

  double room_below(std::size_t k) const {
    return is_made_name(diagram_.blocks[k]) && !options_.values ? 0 : label_room;
  }

  void add_links() {
    std::vector<Obstacle> obstacles;
    for (std::size_t k = 0; k < sheet_.boxes.size(); ++k) obstacles.push_back({sheet_.boxes[k], room_below(k)});
    std::vector<RouteNet> nets;
    std::unordered_map<std::string, const model::Bends*> bends;
    for (const model::Bends& bent : diagram_.bends) bends.emplace(model::branch_text(bent), &bent);
    for (const model::Link& link : diagram_.links) add_net(link, bends, nets);
    paths_ = before_ == nullptr ? route(obstacles, nets) : route_again(obstacles, nets, kept_ways(nets), searches_);
    for (std::size_t n = 0; n < scene_.links.size(); ++n) {
      SceneLink& link = scene_.links[n];
      for (std::size_t b = 0; b < link.branches.size(); ++b) link.branches[b].points = paths_[n][b];
      find_junctions(link);
    }
    scene_.crossings = find_crossings(scene_.links);
  }

  // The ways of the scene before for all nets whose ends are where they were, and which meet no block that is new here.
  std::vector<std::vector<Path>> kept_ways(const std::vector<RouteNet>& nets) const {
    std::vector<std::vector<Path>> kept(nets.size());
    std::unordered_map<std::string, const SceneLink*> known;
    for (const SceneLink& link : before_->links) known.emplace(link_key(link), &link);
    std::unordered_map<std::string_view, const Box*> boxes;
    for (const SceneBlock& block : before_->blocks) boxes.emplace(block.name, &block.box);
    std::vector<Box> moved;
    for (const SceneBlock& block : scene_.blocks) {
      const auto old = boxes.find(block.name);
      if (old == boxes.end() || !(*old->second == block.box)) moved.push_back(block.box);
    }
    for (std::size_t n = 0; n < nets.size(); ++n) {
      const auto old = known.find(link_key(scene_.links[n]));
      if (old != known.end() && same_targets(*old->second, scene_.links[n]))
        kept[n] = kept_way(*old->second, nets[n], moved);
    }
    return kept;
  }

  static std::string link_key(const SceneLink& link) {
    return (link.activation ? "!" : "") + link.from.block + ':' + std::to_string(link.from.port);
  }

  // Two links that begin at one port are one line.
  void add_net(const model::Link& link, const std::unordered_map<std::string, const model::Bends*>& bends,
               std::vector<RouteNet>& nets) {
    const int from = sheet_.find(link.from.block);
    const ScenePort* out = from < 0 ? nullptr : connect(from, link.activation, true, link.from.port);
    if (out == nullptr) return;
    SceneLink drawn;
    drawn.activation = link.activation;
    drawn.from = link.from;
    drawn.name = link.name;
    RouteNet net;
    net.from = {out->at, out->side, from};
    for (const model::PortRef& target : link.to) {
      const int to = sheet_.find(target.block);
      const ScenePort* in = to < 0 ? nullptr : connect(to, link.activation, false, target.port);
      if (in == nullptr) continue;
      RouteBranch branch;
      branch.to = {in->at, in->side, to};
      if (!bends.empty()) {
        const auto bent = bends.find(model::branch_text({link.activation, link.from, target, {}, 0}));
        if (bent != bends.end()) branch.bends = bent->second->points;
      }
      net.branches.push_back(std::move(branch));
      drawn.branches.push_back({target, {}, 0});
    }
    if (drawn.branches.empty()) return;
    const std::string key = (link.activation ? "!" : "") + link.from.block + ':' + std::to_string(link.from.port);
    const auto [same, is_new] = net_of_.emplace(key, nets.size());
    if (!is_new) {
      SceneLink& first = scene_.links[same->second];
      RouteNet& first_net = nets[same->second];
      first.branches.insert(first.branches.end(), drawn.branches.begin(), drawn.branches.end());
      first_net.branches.insert(first_net.branches.end(), net.branches.begin(), net.branches.end());
      if (first.name.empty()) first.name = drawn.name;
      return;
    }
    nets.push_back(std::move(net));
    scene_.links.push_back(std::move(drawn));
  }

  const ScenePort* connect(int block, bool activation, bool output, int number) {
    for (ScenePort& port : scene_.blocks[static_cast<std::size_t>(block)].ports) {
      if (port.activation != activation || port.output != output || port.number != number) continue;
      port.connected = true;
      return &port;
    }
    return nullptr;
  }

  // What is drawn, by the cells of a grid: a name asks only about what is near.
  static constexpr double near_cell = 120;
  struct Taken {
    Box box;
    std::size_t block;  // SIZE_MAX: a line
  };
  template <class Act>
  static void each_cell(const Box& box, const Act& act) {
    const auto at = [](double x) { return static_cast<long long>(std::floor(x / near_cell)); };
    for (long long x = at(box.x); x <= at(box.right()); ++x) {
      for (long long y = at(box.y); y <= at(box.bottom()); ++y) act(x * 1'000'003 + y);
    }
  }

  void note_taken(const Taken& taken) {
    each_cell(taken.box, [&](long long cell) { taken_[cell].push_back(taken); });
  }

  void note_all_taken() {
    for (std::size_t k = 0; k < scene_.blocks.size(); ++k) note_taken({scene_.blocks[k].box, k});
    for (const SceneLink& link : scene_.links) {
      for (const SceneBranch& branch : link.branches) {
        for (std::size_t i = branch.first + 1; i < branch.points.size(); ++i) {
          const Point &p = branch.points[i - 1], &q = branch.points[i];
          note_taken(
              {{std::min(p.x, q.x) - 1, std::min(p.y, q.y), std::abs(p.x - q.x) + 2, std::abs(p.y - q.y)}, SIZE_MAX});
        }
      }
    }
  }

  bool crowded(const Box& box, std::size_t own) const {
    bool found = false;
    each_cell(box, [&](long long cell) {
      const auto here = found ? taken_.end() : taken_.find(cell);
      if (here == taken_.end()) return;
      found = std::any_of(here->second.begin(), here->second.end(), [&](const Taken& taken) {
        const Box& b = taken.box;
        return taken.block != own && box.right() > b.x && box.x < b.right() && box.bottom() > b.y && box.y < b.bottom();
      });
    });
    return found;
  }

  std::vector<std::string> label_lines(std::size_t k) const {
    std::vector<std::string> lines;
    const model::BlockInstance& block = diagram_.blocks[k];
    if (!is_made_name(block)) lines.push_back(fit_text(block.name, label_size, std::max(160.0, sheet_.boxes[k].width)));
    if (!options_.values) return lines;
    for (const model::Parameter& parameter : block.parameters) {
      const program::Value* value = sheet_.facts[k].find(parameter.name);
      std::string text = value != nullptr ? value_text(*value) : parameter.value;
      std::replace(text.begin(), text.end(), '\n', ' ');
      lines.push_back(fit_text(parameter.name + " = " + text, label_size, 160));
    }
    return lines;
  }

  const model::Diagram& diagram_;
  const SceneOptions& options_;
  Sheet sheet_;
  Scene scene_;
  std::vector<std::vector<Path>> paths_;
  std::unordered_map<std::string, std::size_t> net_of_;
  std::unordered_map<long long, std::vector<Taken>> taken_;
  const Scene* before_ = nullptr;
  bool searches_ = true;
};

}  // namespace

Scene make_scene(const model::Diagram& diagram, const std::string& path, const Facts& facts,
                 const SceneOptions& options) {
  return SceneMaking(diagram, path, facts, options).run();
}

Scene remake_scene(const Scene& before, const model::Diagram& diagram, const std::string& path, const Facts& facts,
                   bool quick, const SceneOptions& options) {
  SceneMaking making(diagram, path, facts, options);
  making.keep_ways(&before, !quick);
  return making.run();
}

}  // namespace orrery::picture
