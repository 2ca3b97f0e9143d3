// SPDX-License-Identifier: Apache-2.0
// Scenes of both models with their differences marked.
#include "edit/diff_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/xml_text.h"
#include "edit/operation.h"
#include "picture/make_scene.h"
#include "picture/svg.h"
#include "picture/text_widths.h"

namespace orrery::edit {
namespace {

using picture::Change;
using picture::Scene;
using Kind = Difference::Kind;

// "/Plant/Gain" -> "/Plant"; of the root "".
std::string diagram_of(const Difference& d) {
  if (d.what != "block") return d.path == "/" ? "" : d.path;
  return d.path.substr(0, d.path.rfind('/'));
}

// Diagrams of the second model that have differences, the root first.
std::vector<std::string> changed_diagrams(const DiffInput& a, const DiffInput& b,
                                          const std::vector<Difference>& differences) {
  std::vector<std::string> paths;
  for (const Difference& d : differences) {
    std::string path = diagram_of(d);
    // What was removed with its super block is told one level up.
    while (!path.empty() && (diagram_at(*b.model, path) == nullptr || diagram_at(*a.model, path) == nullptr))
      path = path.substr(0, path.rfind('/'));
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  std::stable_sort(paths.begin(), paths.end(), [](const auto& x, const auto& y) {
    return std::count(x.begin(), x.end(), '/') < std::count(y.begin(), y.end(), '/');
  });
  return paths;
}

struct Marks {
  std::map<std::string, Change> blocks;                     // by name
  std::map<std::string, std::vector<std::string>> remarks;  // by name
  std::map<std::string, Change> branches;                   // by branch_name
};

std::string shortened(const std::string& text) { return picture::fit_text(text, 11, 120); }

Marks marks_of(const std::string& path, const std::vector<Difference>& differences, bool second) {
  Marks marks;
  for (const Difference& d : differences) {
    if (d.what == "link" && (d.path == "/" ? "" : d.path) == path) {
      if (d.kind == Kind::added && second) marks.branches[d.field] = Change::added;
      if (d.kind == Kind::removed && !second) marks.branches[d.field] = Change::removed;
      continue;
    }
    const std::string prefix = path + "/";
    if (!d.path.starts_with(prefix) || d.path == "/" || d.kind == Kind::moved) continue;
    const std::string name = d.path.substr(prefix.size(), d.path.find('/', prefix.size()) - prefix.size());
    const bool inside = prefix.size() + name.size() < d.path.size() || d.what != "block";
    Change& change = marks.blocks[name];
    if (inside) {
      if (change == Change::none) change = Change::changed;
    } else if (d.kind == Kind::added && second) {
      change = Change::added;
    } else if (d.kind == Kind::removed && !second) {
      change = Change::removed;
    } else if (d.kind == Kind::changed || d.kind == Kind::renamed) {
      if (change == Change::none) change = Change::changed;
      std::string field = d.field.starts_with("parameter ") ? d.field.substr(10) : d.field;
      marks.remarks[name].push_back(d.kind == Kind::renamed
                                        ? "was " + shortened(d.before)
                                        : shortened(field + ": " + d.before) + " → " + shortened(d.after));
    } else if (change == Change::none) {
      marks.blocks.erase(name);
    }
  }
  return marks;
}

void mark_scene(Scene& scene, const Marks& marks, bool remarks) {
  for (picture::SceneBlock& block : scene.blocks) {
    const auto found = marks.blocks.find(block.name);
    if (found != marks.blocks.end()) block.change = found->second;
    const auto told = marks.remarks.find(block.name);
    if (remarks && told != marks.remarks.end()) block.remarks = told->second;
  }
  // A link whose branches differ in their change is drawn as two.
  std::vector<picture::SceneLink> more;
  for (picture::SceneLink& link : scene.links) {
    picture::SceneLink marked = link;
    marked.branches.clear();
    marked.junctions.clear();
    marked.label = {};
    for (std::size_t k = link.branches.size(); k-- > 0;) {
      const auto found = marks.branches.find(branch_name(link.activation, link.from, link.branches[k].to));
      if (found == marks.branches.end()) continue;
      marked.change = found->second;
      marked.branches.push_back(link.branches[k]);
    }
    if (!marked.branches.empty()) more.push_back(std::move(marked));
  }
  scene.links.insert(scene.links.end(), more.begin(), more.end());
}

Scene scene_of(const DiffInput& input, const std::string& path) {
  const model::Diagram* diagram = diagram_at(*input.model, path);
  static const model::Diagram nothing;
  return picture::make_scene(diagram == nullptr ? nothing : *diagram, path, input.facts);
}

void extend(picture::Box& box, const picture::Box& other) {
  const double right = std::max(box.right(), other.right()), bottom = std::max(box.bottom(), other.bottom());
  box.x = std::min(box.x, other.x);
  box.y = std::min(box.y, other.y);
  box.width = right - box.x;
  box.height = bottom - box.y;
}

// The second model, with ghosts of what the first one had.
Scene overlaid(const DiffInput& a, const DiffInput& b, const std::string& path,
               const std::vector<Difference>& differences) {
  Scene scene = scene_of(b, path), before = scene_of(a, path);
  mark_scene(scene, marks_of(path, differences, true), true);
  mark_scene(before, marks_of(path, differences, false), false);
  std::vector<picture::SceneBlock> ghosts;
  for (picture::SceneBlock& block : before.blocks) {
    if (block.change == Change::removed) ghosts.push_back(block);
  }
  std::vector<picture::SceneLink> gone;
  for (picture::SceneLink& link : before.links) {
    if (link.change == Change::removed) gone.push_back(link);
  }
  if (!ghosts.empty() || !gone.empty()) extend(scene.bounds, before.bounds);
  scene.blocks.insert(scene.blocks.begin(), ghosts.begin(), ghosts.end());
  scene.links.insert(scene.links.begin(), gone.begin(), gone.end());
  return scene;
}

std::string inline_svg(const Scene& scene) {
  const picture::Box& b = scene.bounds;
  using picture::svg_number;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{} {} {} {}\" width=\"{}\" role=\"img\">\n{}</svg>\n",
      svg_number(b.x), svg_number(b.y), svg_number(b.width), svg_number(b.height), svg_number(b.width),
      picture::svg_body(scene));
}

}  // namespace

std::string diff_svg(const DiffInput& a, const DiffInput& b, const std::vector<Difference>& differences) {
  using picture::svg_number;
  std::string body;
  double y = 0, width = 200;
  auto paths = changed_diagrams(a, b, differences);
  if (paths.empty()) paths.emplace_back();
  for (const std::string& path : paths) {
    const Scene scene = overlaid(a, b, path, differences);
    body += fmt::format("<text x=\"8\" y=\"{}\" font-size=\"13\">{}</text>\n", svg_number(y + 16),
                        xml_text(path.empty() ? "/" : path));
    body += fmt::format("<g transform=\"translate({},{})\">\n{}</g>\n", svg_number(-scene.bounds.x),
                        svg_number(y + 20 - scene.bounds.y), picture::svg_body(scene));
    y += scene.bounds.height + 24;
    width = std::max(width, scene.bounds.width);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\">\n<style>{2}</style>\n"
      "<rect class=\"sheet\" width=\"{0}\" height=\"{1}\"/>\n{3}</svg>\n",
      svg_number(width), svg_number(y), picture::svg_style(picture::Theme::light), body);
}

std::string diff_html(const DiffInput& a, const DiffInput& b, const std::vector<Difference>& differences) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0} – {1}</title>\n<style>\nbody {{ font: 15px/1.45 Inter, system-ui, sans-serif; margin: 1.5rem; "
      "background: #fff; color: #1b2330; }}\n"
      "pre {{ background: #f4f5f7; padding: .8rem; overflow: auto; }}\n.pair {{ display: flex; gap: 1rem; flex-wrap: "
      "wrap; }}\n.pair > figure {{ flex: 1 1 30rem; margin: 0; }}\n"
      "figcaption {{ color: #5b6675; }}\nsvg {{ max-width: 100%; height: auto; border: 1px solid #d8dce2; "
      "}}\n{2}\n@media (prefers-color-scheme: dark) {{\nbody {{ background: #14181f; color: #e8ecf2; }}\npre {{ "
      "background: #1d232c; }}\n{3}\n}}\n</style>\n</head>\n<body>\n"
      "<h1>{0} – {1}</h1>\n",
      xml_text(a.title), xml_text(b.title), picture::svg_style(picture::Theme::light),
      picture::svg_style(picture::Theme::dark));
  if (differences.empty())
    page += "<p>No differences in meaning.</p>\n";
  else
    page += "<pre>" + [&] {
      // Line by line: xml_text turns line feeds into blanks.
      std::string lines;
      const std::string text = differences_text(differences);
      for (std::size_t from = 0; from < text.size();) {
        const std::size_t to = std::min(text.find('\n', from), text.size());
        lines += xml_text(text.substr(from, to - from)) + "\n";
        from = to + 1;
      }
      return lines;
    }() + "</pre>\n";
  for (const std::string& path : changed_diagrams(a, b, differences)) {
    Scene before = scene_of(a, path), after = scene_of(b, path);
    mark_scene(before, marks_of(path, differences, false), false);
    mark_scene(after, marks_of(path, differences, true), false);
    page += fmt::format(
        "<h2>{}</h2>\n<figure>{}<figcaption>overlaid</figcaption></figure>\n<div "
        "class=\"pair\">\n<figure>{}<figcaption>{}</figcaption></figure>\n<figure>{}<figcaption>{}</figcaption></"
        "figure>\n</div>\n",
        xml_text(path.empty() ? "/" : path), inline_svg(overlaid(a, b, path, differences)), inline_svg(before),
        xml_text(a.title), inline_svg(after), xml_text(b.title));
  }
  return page + "</body>\n</html>\n";
}

}  // namespace orrery::edit
