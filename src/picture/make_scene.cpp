// SPDX-License-Identifier: Apache-2.0
// Puts a scene together from a sheet and its routes.
#include "picture/make_scene.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "picture/find_path.h"
#include "picture/route.h"
#include "picture/sheet.h"
#include "picture/text_widths.h"

namespace orrery::picture {
namespace {

constexpr double margin = 30;

struct LineEnds {
  Point a, b;
};

// How far along from p towards q lines that are drawn already go.
Point shared_end(const std::vector<LineEnds>& drawn, Point p, Point q) {
  const bool level = p.y == q.y;
  double at = level ? p.x : p.y;
  const double goal = level ? q.x : q.y;
  const double way = goal > at ? 1 : -1;
  bool moved = true;
  while (moved && at != goal) {
    moved = false;
    for (const LineEnds& line : drawn) {
      if ((line.a.y == line.b.y) != level || (level ? line.a.y != p.y : line.a.x != p.x)) continue;
      const double low = level ? std::min(line.a.x, line.b.x) : std::min(line.a.y, line.b.y);
      const double high = level ? std::max(line.a.x, line.b.x) : std::max(line.a.y, line.b.y);
      if (at < low || at > high) continue;
      const double end = way > 0 ? std::min(high, goal) : std::max(low, goal);
      if ((end - at) * way <= 0) continue;
      at = end;
      moved = true;
    }
  }
  return level ? Point{at, p.y} : Point{p.x, at};
}

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
    for (const model::Note& note : diagram_.notes) add_note(note);
    note_all_taken();
    for (std::size_t k = 0; k < scene_.blocks.size(); ++k) add_labels(k);
    for (SceneLink& link : scene_.links) name_link(link);
    set_bounds();
    return std::move(scene_);
  }

 private:
  void add_blocks() {
    for (std::size_t k = 0; k < diagram_.blocks.size(); ++k) {
      const model::BlockInstance& block = diagram_.blocks[k];
      const Look& look = sheet_.looks[k];
      SceneBlock drawn;
      drawn.name = block.name;
      drawn.type = block.type;
      drawn.box = sheet_.boxes[k];
      drawn.shape = look.shape;
      drawn.family = look.family;
      drawn.flow = sheet_.flows[k];
      drawn.super = block.diagram != nullptr;
      drawn.foreign = look.foreign;
      drawn.off = block.off;
      drawn.unknown = look.unknown;
      drawn.masked = block.diagram != nullptr && !block.diagram->mask.empty();
      drawn.made = is_made_name(block);
      drawn.ports = sheet_.ports[k];
      drawn.icon = draw_icon(block, sheet_.facts[k], look, drawn.box);
      add_signs(look, drawn);
      scene_.blocks.push_back(std::move(drawn));
    }
  }

  static void add_signs(const Look& look, SceneBlock& drawn) {
    for (const ScenePort& port : drawn.ports) {
      const auto k = static_cast<std::size_t>(port.number - 1);
      const std::vector<std::string>& labels = port.output ? look.outputs : look.inputs;
      if (port.activation || k >= labels.size() || labels[k].empty() || look.shape == Shape::bar) continue;
      Mark mark;
      const bool single = text_width(labels[k], label_size) < 9;
      const double inside = look.shape == Shape::circle ? 8 : single ? 9 : 4;
      mark.at = {port.at.x + (port.side == Side::left    ? inside
                              : port.side == Side::right ? -inside
                                                         : 0),
                 port.at.y + 4 +
                     (port.side == Side::top      ? inside
                      : port.side == Side::bottom ? -inside
                                                  : 0)};
      if (!single) {
        mark.anchor = port.side == Side::left    ? Mark::Anchor::start
                      : port.side == Side::right ? Mark::Anchor::end
                                                 : Mark::Anchor::middle;
        mark.faint = true;
      }
      mark.size = single ? text_size : 9;
      mark.text = fit_text(labels[k], mark.size, drawn.box.width / 3);
      drawn.icon.push_back(std::move(mark));
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
    find_crossings();
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
      if (old != known.end()) kept[n] = way_of(*old->second, scene_.links[n], nets[n], moved);
    }
    return kept;
  }

  static std::string link_key(const SceneLink& link) {
    return (link.activation ? "!" : "") + link.from.block + ':' + std::to_string(link.from.port);
  }

  static std::vector<Path> way_of(const SceneLink& old, const SceneLink& now, const RouteNet& net,
                                  const std::vector<Box>& moved) {
    if (old.branches.size() != now.branches.size()) return {};
    std::vector<Path> ways;
    for (std::size_t b = 0; b < now.branches.size(); ++b) {
      const SceneBranch& branch = old.branches[b];
      if (!net.branches[b].bends.empty() || !(branch.to == now.branches[b].to) || branch.points.size() < 2 ||
          !(branch.points.front() == net.from.at) || !(branch.points.back() == net.branches[b].to.at))
        return {};
      for (const Box& box : moved) {
        if (meets(branch.points, box)) return {};
      }
      ways.push_back(simplified(branch.points));
    }
    return ways;
  }

  static bool meets(const std::vector<Point>& points, const Box& box) {
    constexpr double near = 9;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Point &p = points[i - 1], &q = points[i];
      if (std::max(p.x, q.x) > box.x - near && std::min(p.x, q.x) < box.right() + near &&
          std::max(p.y, q.y) > box.y - near && std::min(p.y, q.y) < box.bottom() + near)
        return true;
    }
    return false;
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

  void find_junctions(SceneLink& link) {
    std::vector<LineEnds> drawn;
    for (SceneBranch& branch : link.branches) {
      const auto& points = branch.points;
      std::size_t k = 1;
      bool begins = drawn.empty();
      while (!begins && k < points.size()) {
        const Point end = shared_end(drawn, points[k - 1], points[k]);
        if (end == points[k]) {
          ++k;
          continue;
        }
        begins = true;
        if (!(end == points[0])) {
          link.junctions.push_back(end);
          if (!(end == points[k - 1])) {
            branch.points.insert(branch.points.begin() + static_cast<std::ptrdiff_t>(k), end);
            ++k;
          }
        }
      }
      branch.first = k - 1;
      for (std::size_t i = 1; i < branch.points.size(); ++i) drawn.push_back({branch.points[i - 1], branch.points[i]});
    }
    // Corners where three lines meet only by their ends are no junctions of a single line.
    std::sort(link.junctions.begin(), link.junctions.end(),
              [](Point a, Point b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    link.junctions.erase(std::unique(link.junctions.begin(), link.junctions.end()), link.junctions.end());
  }

  // By the cells of a grid: only lines that are near each other are compared.
  void find_crossings() {
    struct Upright {
      double x, low, high;
      std::size_t link;
    };
    constexpr double cell = 200;
    std::unordered_map<long long, std::vector<Upright>> cells;
    const auto key = [](double x, double y) {
      return static_cast<long long>(std::floor(x / cell)) * 1'000'003 + static_cast<long long>(std::floor(y / cell));
    };
    const auto each_piece = [&](bool upright, auto&& act) {
      for (std::size_t n = 0; n < scene_.links.size(); ++n) {
        for (const SceneBranch& branch : scene_.links[n].branches) {
          for (std::size_t i = branch.first + 1; i < branch.points.size(); ++i) {
            const Point &p = branch.points[i - 1], &q = branch.points[i];
            if ((p.x == q.x) == upright) act(n, p, q);
          }
        }
      }
    };
    each_piece(true, [&](std::size_t n, Point p, Point q) {
      const double low = std::min(p.y, q.y), high = std::max(p.y, q.y);
      for (double y = std::floor(low / cell) * cell; y <= high; y += cell)
        cells[key(p.x, y)].push_back({p.x, low, high, n});
    });
    each_piece(false, [&](std::size_t n, Point p, Point q) {
      const double low = std::min(p.x, q.x), high = std::max(p.x, q.x);
      for (double x = std::floor(low / cell) * cell; x <= high; x += cell) {
        const auto found = cells.find(key(x, p.y));
        if (found == cells.end()) continue;
        for (const Upright& other : found->second) {
          if (other.link == n || other.x <= low || other.x >= high || p.y <= other.low || p.y >= other.high) continue;
          scene_.crossings.push_back({{other.x, p.y}, scene_.links[other.link].activation});
        }
      }
    });
  }

  void add_note(const model::Note& note) {
    SceneNote drawn;
    drawn.box = {note.x, note.y, std::max(note.width, 20.0), std::max(note.height, 16.0)};
    std::size_t from = 0;
    while (from <= note.text.size()) {
      const std::size_t to = std::min(note.text.find('\n', from), note.text.size());
      drawn.lines.push_back(note.text.substr(from, to - from));
      from = to + 1;
    }
    scene_.notes.push_back(std::move(drawn));
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

  // Below the block, unless a link passes there: then beside that link, above, or to the right.
  void add_labels(std::size_t k) {
    SceneBlock& block = scene_.blocks[k];
    const std::vector<std::string> lines = label_lines(k);
    if (lines.empty()) return;
    double width = 0;
    for (const std::string& line : lines) width = std::max(width, text_width(line, label_size));
    const double height = static_cast<double>(lines.size()) * 13;
    const Box& b = block.box;
    struct Candidate {
      double x, y;  // of the upper left corner of the text
      Mark::Anchor anchor;
    };
    const double cx = b.centre().x;
    const bool waits = std::any_of(block.ports.begin(), block.ports.end(),
                                   [](const ScenePort& port) { return !port.connected && port.side == Side::bottom; });
    const double below = b.bottom() + (waits ? 9 : 4);
    const Candidate candidates[] = {
        {cx - width / 2, below, Mark::Anchor::middle},   {cx + 8, below, Mark::Anchor::start},
        {cx - 8 - width, below, Mark::Anchor::end},      {cx - width / 2, b.y - 4 - height, Mark::Anchor::middle},
        {cx + 8, b.y - 4 - height, Mark::Anchor::start}, {cx - 8 - width, b.y - 4 - height, Mark::Anchor::end},
    };
    const Candidate* chosen = &candidates[0];
    for (const Candidate& candidate : candidates) {
      if (crowded({candidate.x, candidate.y, width, height}, k)) continue;
      chosen = &candidate;
      break;
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      Mark mark;
      mark.text = lines[i];
      mark.size = label_size;
      mark.anchor = chosen->anchor;
      mark.faint = i > 0 || is_made_name(diagram_.blocks[k]);
      mark.at = {chosen->anchor == Mark::Anchor::middle  ? chosen->x + width / 2
                 : chosen->anchor == Mark::Anchor::start ? chosen->x
                                                         : chosen->x + width,
                 chosen->y + 10 + static_cast<double>(i) * 13};
      block.labels.push_back(std::move(mark));
    }
  }

  // The name of a signal stands on its longest level piece.
  static void name_link(SceneLink& link) {
    if (link.name.empty()) return;
    double longest = 0;
    for (const SceneBranch& branch : link.branches) {
      for (std::size_t i = 1; i < branch.points.size(); ++i) {
        const Point &p = branch.points[i - 1], &q = branch.points[i];
        if (p.y != q.y || std::abs(p.x - q.x) <= longest) continue;
        longest = std::abs(p.x - q.x);
        link.label.at = {(p.x + q.x) / 2, p.y - 4};
      }
    }
    if (longest == 0 && !link.branches.empty() && !link.branches[0].points.empty()) {
      link.label.at = {link.branches[0].points[0].x + 6, link.branches[0].points[0].y + 14};
      link.label.anchor = Mark::Anchor::start;
    }
    link.label.text = fit_text(link.name, label_size, 160);
    link.label.size = label_size;
    link.label.faint = true;
  }

  void include(const Box& box) {
    if (!started_) scene_.bounds = box;
    started_ = true;
    Box& all = scene_.bounds;
    const double right = std::max(all.right(), box.right()), bottom = std::max(all.bottom(), box.bottom());
    all.x = std::min(all.x, box.x);
    all.y = std::min(all.y, box.y);
    all.width = right - all.x;
    all.height = bottom - all.y;
  }

  void include(const Mark& mark) {
    const double width = text_width(mark.text, mark.size);
    const double left = mark.anchor == Mark::Anchor::middle ? width / 2 : mark.anchor == Mark::Anchor::end ? width : 0;
    include(Box{mark.at.x - left, mark.at.y - mark.size, width, mark.size + 3});
  }

  void set_bounds() {
    for (const SceneBlock& block : scene_.blocks) {
      include(block.box);
      for (const Mark& mark : block.labels) include(mark);
    }
    for (const SceneLink& link : scene_.links) {
      for (const SceneBranch& branch : link.branches) {
        for (const Point& p : branch.points) include(Box{p.x, p.y, 0, 0});
      }
      if (!link.label.text.empty()) include(link.label);
    }
    for (const SceneNote& note : scene_.notes) include(note.box);
    Box& all = scene_.bounds;
    all = {std::floor(all.x - margin), std::floor(all.y - margin), std::ceil(all.width + 2 * margin),
           std::ceil(all.height + 2 * margin)};
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
  bool started_ = false;
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
