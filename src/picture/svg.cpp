// SPDX-License-Identifier: Apache-2.0
// Paints a scene: bodies, icons, links above them, ports, names.
#include "picture/svg.h"
#include "base/xml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orrery::picture {
namespace {

constexpr double corner_radius = 5;

const char* class_of(Family family) {
  switch (family) {
    case Family::source: return "source";
    case Family::continuous: return "continuous";
    case Family::discrete: return "discrete";
    case Family::viewer: return "viewer";
    case Family::activation: return "activation";
    case Family::mathematics: break;
  }
  return "mathematics";
}

const char* class_of(Change change) {
  switch (change) {
    case Change::added: return " added";
    case Change::removed: return " removed";
    case Change::changed: return " changed";
    case Change::none: break;
  }
  return "";
}

std::string pair(Point p) { return svg_number(p.x) + "," + svg_number(p.y); }

// Right angles, rounded where no other line joins.
std::string rounded(const std::vector<Point>& points, std::size_t first, const std::vector<Point>& sharp) {
  std::string d = "M" + pair(points[first]);
  for (std::size_t k = first + 1; k < points.size(); ++k) {
    const Point &p = points[k - 1], &q = points[k];
    const bool last = k + 1 == points.size();
    if (last || std::find(sharp.begin(), sharp.end(), q) != sharp.end()) {
      d += "L" + pair(q);
      continue;
    }
    const Point& r = points[k + 1];
    const double before = std::abs(p.x - q.x) + std::abs(p.y - q.y), after = std::abs(r.x - q.x) + std::abs(r.y - q.y);
    const double radius = std::min({corner_radius, before / 2, after / 2});
    const auto towards = [&](Point to, double length) {
      return Point{q.x + (to.x - q.x) / length * radius, q.y + (to.y - q.y) / length * radius};
    };
    if (!(radius > 0.5))
      d += "L" + pair(q);
    else
      d += "L" + pair(towards(p, before)) + "Q" + pair(q) + " " + pair(towards(r, after));
  }
  return d;
}

class Painter {
 public:
  explicit Painter(const Scene& scene) : scene_(scene) {}

  std::string run() {
    for (const SceneNote& note : scene_.notes) paint_note(note);
    for (const SceneBlock& block : scene_.blocks) paint_body(block);
    for (const SceneLink& link : scene_.links) paint_link(link);
    for (const Crossing& crossing : scene_.crossings) paint_crossing(crossing);
    for (const SceneLink& link : scene_.links) paint_ends(link);
    for (const SceneBlock& block : scene_.blocks) paint_ports(block);
    for (const SceneBlock& block : scene_.blocks) paint_names(block);
    for (const SceneLink& link : scene_.links) {
      if (!link.label.text.empty()) paint(link.label, "label");
    }
    return std::move(out_);
  }

 private:
  void paint(const Mark& mark, const char* kind) {
    if (!mark.points.empty()) {
      out_ += fmt::format("<path class=\"mark{}\" d=\"M{}", mark.faint ? " faint" : "", pair(mark.points[0]));
      for (std::size_t k = 1; k < mark.points.size(); ++k) out_ += "L" + pair(mark.points[k]);
      out_ += "\"/>\n";
      return;
    }
    if (mark.text.empty()) return;
    const char* anchor = mark.anchor == Mark::Anchor::middle ? " text-anchor=\"middle\""
                         : mark.anchor == Mark::Anchor::end  ? " text-anchor=\"end\""
                                                             : "";
    out_ += fmt::format("<text class=\"{}{}\" x=\"{}\" y=\"{}\" font-size=\"{}\"{}>{}</text>\n", kind,
                        mark.faint ? " faint" : "", svg_number(mark.at.x), svg_number(mark.at.y), svg_number(mark.size),
                        anchor, xml_text(mark.text));
  }

  void paint_note(const SceneNote& note) {
    out_ += fmt::format("<rect class=\"note\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>\n",
                        svg_number(note.box.x), svg_number(note.box.y), svg_number(note.box.width),
                        svg_number(note.box.height));
    double y = note.box.y + 14;
    for (const std::string& line : note.lines) {
      Mark mark;
      mark.at = {note.box.x + 6, y};
      mark.text = line;
      mark.anchor = Mark::Anchor::start;
      paint(mark, "label");
      y += 15;
    }
  }

  static std::string rectangle(const std::string& kind, const Box& box, double radius, double inset = 0) {
    return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>\n", kind,
                       svg_number(box.x + inset), svg_number(box.y + inset), svg_number(box.width - 2 * inset),
                       svg_number(box.height - 2 * inset), svg_number(std::max(0.0, radius - inset)));
  }

  static std::string triangle(const std::string& kind, const Box& b, model::Flow flow) {
    Point p[3];
    switch (flow) {
      case model::Flow::right:
        p[0] = {b.x, b.y}, p[1] = {b.right(), b.y + b.height / 2}, p[2] = {b.x, b.bottom()};
        break;
      case model::Flow::left:
        p[0] = {b.right(), b.y}, p[1] = {b.x, b.y + b.height / 2}, p[2] = {b.right(), b.bottom()};
        break;
      case model::Flow::up:
        p[0] = {b.x, b.bottom()}, p[1] = {b.x + b.width / 2, b.y}, p[2] = {b.right(), b.bottom()};
        break;
      case model::Flow::down: p[0] = {b.x, b.y}, p[1] = {b.x + b.width / 2, b.bottom()}, p[2] = {b.right(), b.y}; break;
    }
    return fmt::format("<path class=\"{}\" d=\"M{}L{}L{}Z\"/>\n", kind, pair(p[0]), pair(p[1]), pair(p[2]));
  }

  void paint_body(const SceneBlock& block) {
    const Box& box = block.box;
    const std::string kind = fmt::format("body {}{}{}{}", class_of(block.family), block.unknown ? " unknown" : "",
                                         block.off ? " off" : "", class_of(block.change));
    out_ += fmt::format("<g><title>{}: {}</title>\n", xml_text(block.name), xml_text(block.type));
    switch (block.shape) {
      case Shape::circle:
        out_ += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", kind, svg_number(box.centre().x),
                            svg_number(box.centre().y), svg_number(std::min(box.width, box.height) / 2));
        break;
      case Shape::triangle: out_ += triangle(kind, box, block.flow); break;
      case Shape::pill: out_ += rectangle(kind, box, std::min(box.width, box.height) / 2); break;
      case Shape::bar: out_ += rectangle(kind + " bar", box, 1.5); break;
      case Shape::box: out_ += rectangle(kind, box, 6); break;
    }
    if (block.super) out_ += rectangle(kind + " inner", box, 6, 3);
    if (block.foreign) {
      out_ += fmt::format("<path class=\"mark\" d=\"M{}l7,0l0,7\"/>\n", pair({box.right() - 12, box.y + 5}));
    }
    for (const Mark& mark : block.icon) paint(mark, "icon");
    if (block.off) {
      for (double d = 10; d < box.width + box.height; d += 10) {
        const Point a{box.x + std::min(d, box.width), box.y + std::max(0.0, d - box.width)};
        const Point b{box.x + std::max(0.0, d - box.height), box.y + std::min(d, box.height)};
        out_ += fmt::format("<path class=\"hatch\" d=\"M{}L{}\"/>\n", pair(a), pair(b));
      }
    }
    out_ += "</g>\n";
  }

  void paint_link(const SceneLink& link) {
    std::string d;
    for (const SceneBranch& branch : link.branches) {
      if (branch.points.size() > branch.first + 1) d += rounded(branch.points, branch.first, link.junctions);
    }
    out_ +=
        fmt::format("<path class=\"link{}{}\" d=\"{}\"/>\n", link.activation ? " event" : "", class_of(link.change), d);
  }

  void paint_crossing(const Crossing& crossing) {
    const auto& p = crossing.at;
    out_ += fmt::format("<path class=\"gap\" d=\"M{}L{}\"/><path class=\"link{}\" d=\"M{}L{}\"/>\n",
                        pair({p.x - 3.2, p.y}), pair({p.x + 3.2, p.y}), crossing.activation ? " event" : "",
                        pair({p.x, p.y - 4}), pair({p.x, p.y + 4}));
  }

  void paint_ends(const SceneLink& link) {
    const char* kind = link.activation ? " event" : "";
    for (const Point& p : link.junctions) {
      out_ += fmt::format("<circle class=\"end{}{}\" cx=\"{}\" cy=\"{}\" r=\"3\"/>\n", kind, class_of(link.change),
                          svg_number(p.x), svg_number(p.y));
    }
    for (const SceneBranch& branch : link.branches) {
      if (branch.points.size() < 2) continue;
      const Point &tip = branch.points.back(), &before = branch.points[branch.points.size() - 2];
      const double length = link.activation ? 7 : 8, half = link.activation ? 2.8 : 3.6;
      const double dx = tip.x == before.x ? 0 : tip.x > before.x ? 1 : -1, dy = dx != 0 ? 0 : tip.y > before.y ? 1 : -1;
      const Point base{tip.x - dx * length, tip.y - dy * length};
      out_ +=
          fmt::format("<path class=\"end{}{}\" d=\"M{}L{}L{}Z\"/>\n", kind, class_of(link.change), pair(tip),
                      pair({base.x - dy * half, base.y + dx * half}), pair({base.x + dy * half, base.y - dx * half}));
    }
  }

  // Ports that wait for a link.
  void paint_ports(const SceneBlock& block) {
    for (const ScenePort& port : block.ports) {
      if (port.connected) continue;
      const double length = port.activation ? 4 : 5, half = port.activation ? 3 : 4;
      Point d{1, 0};
      if (port.side == Side::top) d = {0, -1};
      if (port.side == Side::bottom) d = {0, 1};
      if (port.side == Side::left) d = {-1, 0};
      // An output points away from the block, an input towards it.
      const Point back = port.output ? port.at : Point{port.at.x + d.x * length, port.at.y + d.y * length};
      const Point tip = port.output ? Point{port.at.x + d.x * length, port.at.y + d.y * length} : port.at;
      out_ += fmt::format("<path class=\"port{}\" d=\"M{}L{}L{}\"/>\n", port.activation ? " event" : "",
                          pair({back.x - d.y * half, back.y + d.x * half}), pair(tip),
                          pair({back.x + d.y * half, back.y - d.x * half}));
    }
  }

  void paint_names(const SceneBlock& block) {
    for (const Mark& mark : block.labels) paint(mark, "label");
    double y = block.box.y - 6 - 13.0 * static_cast<double>(block.remarks.empty() ? 0 : block.remarks.size() - 1);
    for (const std::string& remark : block.remarks) {
      Mark mark;
      mark.at = {block.box.centre().x, y};
      mark.text = remark;
      mark.size = 11;
      paint(mark, "remark");
      y += 13;
    }
  }

  const Scene& scene_;
  std::string out_;
};

struct Colours {
  const char *sheet, *text, *faint, *link, *event, *source, *continuous, *discrete, *viewer, *mathematics, *added,
      *removed, *changed, *note;
};
constexpr Colours light_colours = {"#ffffff", "#1b2330", "#5b6675", "#2f3a48", "#c8372d", "#3f8f66", "#3a6bc4",
                                   "#6b4fc0", "#8a7324", "#46556e", "#1a8f3c", "#b3261e", "#b36b00", "#fff8dc"};
constexpr Colours dark_colours = {"#14181f", "#e8ecf2", "#9aa6b5", "#c3cbd6", "#ff7a6e", "#6fbf95", "#7aa7f0",
                                  "#a892ea", "#cdb566", "#93a4bd", "#5fd17f", "#ff8a80", "#ffb454", "#2a2718"};

}  // namespace

std::string svg_number(double x) {
  std::string text = fmt::format("{:.2f}", x);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string svg_style(Theme theme) {
  const Colours& c = theme == Theme::light ? light_colours : dark_colours;
  std::string style = fmt::format(
      "text{{font-family:Inter,'Helvetica Neue',Arial,'DejaVu "
      "Sans',sans-serif;fill:{1}}}.sheet{{fill:{0}}}.label.faint,.icon.faint{{fill:{2}}}"
      ".body{{stroke-width:1.5;fill-opacity:.07}}.inner{{fill:none;stroke-width:.8}}.bar{{fill-opacity:1}}"
      ".mark{{fill:none;stroke:{1};stroke-width:1.3;stroke-linejoin:round}}.mark.faint{{stroke:{2};stroke-width:.8}}"
      ".link,.port{{fill:none;stroke:{3};stroke-width:1.5}}.end{{fill:{3}}}.link.event,.port.event{{stroke:{4};stroke-"
      "width:1.2}}"
      ".end.event{{fill:{4}}}.gap{{stroke:{0};stroke-width:3.2;fill:none}}.note{{fill:{5};stroke:{2};stroke-width:.6}}"
      ".hatch{{stroke:{2};stroke-width:.8;fill:none}}.off{{stroke-dasharray:4 3}}",
      c.sheet, c.text, c.faint, c.link, c.event, c.note);
  const auto colour = [&](const char* name, const char* value) {
    style += fmt::format(".{0}{{fill:{1};stroke:{1}}}", name, value);
  };
  colour("source", c.source);
  colour("continuous", c.continuous);
  colour("discrete", c.discrete);
  colour("viewer", c.viewer);
  colour("activation", c.event);
  colour("mathematics", c.mathematics);
  style += fmt::format(".unknown{{fill:{0};stroke:{0};stroke-dasharray:3 3}}.body.inner{{fill:none}}", c.faint);
  for (const auto& [name, value] : {std::pair{"added", c.added}, {"removed", c.removed}, {"changed", c.changed}}) {
    style += fmt::format(
        ".body.{0}{{fill:{1};stroke:{1};stroke-width:2.5;fill-opacity:.15}}.link.{0}{{stroke:{1};stroke-width:2.2}}."
        "end.{0}{{fill:{1}}}",
        name, value);
  }
  style +=
      fmt::format(".removed{{stroke-dasharray:5 4}}.end.removed{{stroke-dasharray:none}}.remark{{fill:{}}}", c.changed);
  return style;
}

std::string svg_body(const Scene& scene) { return Painter(scene).run(); }

std::string svg(const Scene& scene, Theme theme) {
  const Box& b = scene.bounds;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{} {} {} {}\" width=\"{}\" height=\"{}\" role=\"img\">\n",
      svg_number(b.x), svg_number(b.y), svg_number(b.width), svg_number(b.height), svg_number(b.width),
      svg_number(b.height));
  if (!scene.title.empty()) out += fmt::format("<title>{}</title>\n", xml_text(scene.title));
  out += fmt::format("<style>{}</style>\n", svg_style(theme));
  out += fmt::format("<rect class=\"sheet\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", svg_number(b.x),
                     svg_number(b.y), svg_number(b.width), svg_number(b.height));
  return out + svg_body(scene) + "</svg>\n";
}

}  // namespace orrery::picture
