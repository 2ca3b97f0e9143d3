// SPDX-License-Identifier: Apache-2.0
// Pieces of a scene, each from what is around it alone.
#include "picture/scene_parts.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "picture/find_path.h"
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

void add_signs(const Look& look, SceneBlock& drawn) {
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

bool meets(const std::vector<Point>& points, const Box& box) {
  constexpr double near = 9;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point &p = points[i - 1], &q = points[i];
    if (std::max(p.x, q.x) > box.x - near && std::min(p.x, q.x) < box.right() + near &&
        std::max(p.y, q.y) > box.y - near && std::min(p.y, q.y) < box.bottom() + near)
      return true;
  }
  return false;
}

void include(Box& all, bool& started, const Box& box) {
  if (!started) all = box;
  started = true;
  const double right = std::max(all.right(), box.right()), bottom = std::max(all.bottom(), box.bottom());
  all.x = std::min(all.x, box.x);
  all.y = std::min(all.y, box.y);
  all.width = right - all.x;
  all.height = bottom - all.y;
}

Box box_of(const Mark& mark) {
  const double width = text_width(mark.text, mark.size);
  const double left = mark.anchor == Mark::Anchor::middle ? width / 2 : mark.anchor == Mark::Anchor::end ? width : 0;
  return {mark.at.x - left, mark.at.y - mark.size, width, mark.size + 3};
}

}  // namespace

SceneBlock draw_block(const model::BlockInstance& block, const BlockFacts& facts, const Look& look, const Box& box,
                      model::Flow flow, std::vector<ScenePort> ports) {
  SceneBlock drawn;
  drawn.name = block.name;
  drawn.type = block.type;
  drawn.box = box;
  drawn.shape = look.shape;
  drawn.family = look.family;
  drawn.flow = flow;
  drawn.super = block.diagram != nullptr;
  drawn.foreign = look.foreign;
  drawn.off = block.off;
  drawn.unknown = look.unknown;
  drawn.masked = block.diagram != nullptr && !block.diagram->mask.empty();
  drawn.made = is_made_name(block);
  drawn.ports = std::move(ports);
  drawn.icon = draw_icon(block, facts, look, drawn.box);
  add_signs(look, drawn);
  return drawn;
}

bool same_targets(const SceneLink& a, const SceneLink& b) {
  return std::equal(a.branches.begin(), a.branches.end(), b.branches.begin(), b.branches.end(),
                    [](const SceneBranch& p, const SceneBranch& q) { return p.to == q.to; });
}

std::vector<Path> kept_way(const SceneLink& link, const RouteNet& net, const std::vector<Box>& moved) {
  std::vector<Path> ways;
  for (std::size_t b = 0; b < link.branches.size(); ++b) {
    const std::vector<Point>& points = link.branches[b].points;
    if (!net.branches[b].bends.empty() || points.size() < 2 || !(points.front() == net.from.at) ||
        !(points.back() == net.branches[b].to.at))
      return {};
    for (const Box& box : moved) {
      if (meets(points, box)) return {};
    }
    ways.push_back(simplified(points));
  }
  return ways;
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
std::vector<Crossing> find_crossings(const std::vector<SceneLink>& links) {
  std::vector<Crossing> crossings;
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
    for (std::size_t n = 0; n < links.size(); ++n) {
      for (const SceneBranch& branch : links[n].branches) {
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
        crossings.push_back({{other.x, p.y}, links[other.link].activation});
      }
    }
  });
  return crossings;
}

std::vector<SceneNote> draw_notes(const model::Diagram& diagram) {
  std::vector<SceneNote> notes;
  for (const model::Note& note : diagram.notes) {
    SceneNote drawn;
    drawn.box = {note.x, note.y, std::max(note.width, 20.0), std::max(note.height, 16.0)};
    std::size_t from = 0;
    while (from <= note.text.size()) {
      const std::size_t to = std::min(note.text.find('\n', from), note.text.size());
      drawn.lines.push_back(note.text.substr(from, to - from));
      from = to + 1;
    }
    notes.push_back(std::move(drawn));
  }
  return notes;
}

// Below the block, unless a link passes there: then beside that link, above, or to the right.
void place_labels(SceneBlock& block, const std::vector<std::string>& lines, bool faint,
                  const std::function<bool(const Box&)>& crowded) {
  block.labels.clear();
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
    if (crowded({candidate.x, candidate.y, width, height})) continue;
    chosen = &candidate;
    break;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Mark mark;
    mark.text = lines[i];
    mark.size = label_size;
    mark.anchor = chosen->anchor;
    mark.faint = i > 0 || faint;
    mark.at = {chosen->anchor == Mark::Anchor::middle  ? chosen->x + width / 2
               : chosen->anchor == Mark::Anchor::start ? chosen->x
                                                       : chosen->x + width,
               chosen->y + 10 + static_cast<double>(i) * 13};
    block.labels.push_back(std::move(mark));
  }
}

// The name of a signal stands on its longest level piece.
void name_link(SceneLink& link) {
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

Box bounds_of(const Scene& scene) {
  Box all;
  bool started = false;
  for (const SceneBlock& block : scene.blocks) {
    include(all, started, block.box);
    for (const Mark& mark : block.labels) include(all, started, box_of(mark));
  }
  for (const SceneLink& link : scene.links) {
    for (const SceneBranch& branch : link.branches) {
      for (const Point& p : branch.points) include(all, started, Box{p.x, p.y, 0, 0});
    }
    if (!link.label.text.empty()) include(all, started, box_of(link.label));
  }
  for (const SceneNote& note : scene.notes) include(all, started, note.box);
  return {std::floor(all.x - margin), std::floor(all.y - margin), std::ceil(all.width + 2 * margin),
          std::ceil(all.height + 2 * margin)};
}

}  // namespace orrery::picture
