// SPDX-License-Identifier: Apache-2.0
// Written straight into a text: a scene of ten thousand blocks is some megabytes.
#include "server/scene_json.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <unordered_map>

#include "server/json.h"

#include <nlohmann/json.hpp>

namespace orrery::server {
namespace {

using picture::Mark;
using picture::Point;

void add_number(std::string& out, double x) {
  const double rounded = std::round(x * 100) / 100;
  fmt::format_to(std::back_inserter(out), "{}", std::isfinite(rounded) ? rounded + 0.0 : 0.0);
}

void add_point(std::string& out, Point p) {
  out += '[';
  add_number(out, p.x);
  out += ',';
  add_number(out, p.y);
  out += ']';
}

void add_points(std::string& out, const std::vector<Point>& points) {
  out += '[';
  for (const Point& p : points) {
    if (out.back() != '[') out += ',';
    add_point(out, p);
  }
  out += ']';
}

void add_box(std::string& out, const picture::Box& box) {
  out += '[';
  for (const double x : {box.x, box.y, box.width, box.height}) {
    if (out.back() != '[') out += ',';
    add_number(out, x);
  }
  out += ']';
}

void add_mark(std::string& out, const Mark& mark) {
  constexpr const char* anchors[] = {"start", "middle", "end"};
  if (!mark.points.empty()) {
    out += "{\"points\":";
    add_points(out, mark.points);
  } else {
    out += "{\"at\":";
    add_point(out, mark.at);
    out += ",\"text\":" + quoted_text(mark.text) + ",\"size\":";
    add_number(out, mark.size);
    out += std::string(",\"anchor\":\"") + anchors[static_cast<int>(mark.anchor)] + '"';
  }
  out += mark.faint ? ",\"faint\":true}" : "}";
}

template <class List, class Add>
void add_list(std::string& out, const List& list, const Add& add) {
  out += '[';
  bool first = true;
  for (const auto& item : list) {
    if (!first) out += ',';
    first = false;
    add(out, item);
  }
  out += ']';
}

void add_port(std::string& out, const picture::ScenePort& port) {
  constexpr const char* sides[] = {"left", "right", "top", "bottom"};
  const char* kind = port.activation ? (port.output ? "event-out" : "event-in") : (port.output ? "out" : "in");
  out += '[';
  add_number(out, port.at.x);
  out += ',';
  add_number(out, port.at.y);
  fmt::format_to(std::back_inserter(out), ",\"{}\",\"{}\",{},{}]", sides[static_cast<int>(port.side)], kind,
                 port.number, port.connected);
}

void add_block(std::string& out, const picture::SceneBlock& block) {
  constexpr const char* flows[] = {"right", "left", "up", "down"};
  out += "{\"name\":" + quoted_text(block.name) + ",\"type\":" + quoted_text(block.type) + ",\"box\":";
  add_box(out, block.box);
  fmt::format_to(std::back_inserter(out), ",\"shape\":\"{}\",\"family\":\"{}\",\"flow\":\"{}\"",
                 shape_name(block.shape), family_name(block.family), flows[static_cast<int>(block.flow)]);
  std::string flags;
  const std::pair<bool, const char*> words[] = {{block.super, "super"},
                                                {block.masked, "masked"},
                                                {block.foreign, "foreign"},
                                                {block.off, "off"},
                                                {block.unknown, "unknown"}};
  for (const auto& [is_so, word] : words) {
    if (is_so) flags += (flags.empty() ? "" : " ") + std::string(word);
  }
  if (!flags.empty()) out += ",\"flags\":\"" + flags + '"';
  if (block.made) out += ",\"made\":true";
  out += ",\"ports\":";
  add_list(out, block.ports, add_port);
  out += ",\"icon\":";
  add_list(out, block.icon, add_mark);
  out += ",\"labels\":";
  add_list(out, block.labels, add_mark);
  out += '}';
}

std::string port_text(const model::PortRef& port) {
  return "[" + quoted_text(port.block) + "," + std::to_string(port.port) + "]";
}

std::string id_of(const picture::SceneLink& link) {
  return (link.activation ? "!" : "") + link.from.block + ":" + std::to_string(link.from.port);
}

void add_link(std::string& out, const picture::SceneLink& link) {
  out += "{\"id\":" + quoted_text(id_of(link)) + (link.activation ? ",\"event\":true" : ",\"event\":false") +
         ",\"from\":" + port_text(link.from) + ",\"name\":" + quoted_text(link.name);
  if (!link.label.text.empty()) {
    out += ",\"label\":";
    add_mark(out, link.label);
  }
  out += ",\"branches\":";
  add_list(out, link.branches, [](std::string& to, const picture::SceneBranch& branch) {
    to += "{\"to\":" + port_text(branch.to) + ",\"points\":";
    add_points(to, branch.points);
    to += ",\"first\":" + std::to_string(branch.first) + "}";
  });
  out += ",\"junctions\":";
  add_points(out, link.junctions);
  out += '}';
}

void add_crossing(std::string& out, const picture::Crossing& crossing) {
  out += '[';
  add_number(out, crossing.at.x);
  out += ',';
  add_number(out, crossing.at.y);
  out += crossing.activation ? ",true]" : ",false]";
}

void add_scene_note(std::string& out, const picture::SceneNote& note) {
  std::string text;
  for (std::size_t k = 0; k < note.lines.size(); ++k) text += (k > 0 ? "\n" : "") + note.lines[k];
  out += "{\"box\":";
  add_box(out, note.box);
  out += ",\"text\":" + quoted_text(text) + "}";
}

void add_head(std::string& out, const SceneHead& head) {
  out += fmt::format("{{\"doc\":{},\"revision\":{},\"diagram\":", head.document, head.revision) +
         quoted_text(head.diagram);
}

std::vector<std::string_view> order_of(const picture::Scene& scene) {
  std::vector<std::string_view> names;
  for (const picture::SceneBlock& block : scene.blocks) names.push_back(block.name);
  return names;
}

// What both kinds of a scene before say.
template <class Before>
void add_rest(std::string& out, const Before& before, const picture::Scene& after) {
  if (!(before.bounds == after.bounds)) {
    out += ",\"bounds\":";
    add_box(out, after.bounds);
  }
  if (!(before.crossings == after.crossings)) {
    out += ",\"crossings\":";
    add_list(out, after.crossings, add_crossing);
  }
  if (!(before.notes == after.notes)) {
    out += ",\"notes\":";
    add_list(out, after.notes, add_scene_note);
  }
}

}  // namespace

const char* shape_name(picture::Shape shape) {
  constexpr const char* names[] = {"box", "circle", "triangle", "pill", "bar"};
  return names[static_cast<int>(shape)];
}

const char* family_name(picture::Family family) {
  constexpr const char* names[] = {"source", "continuous", "discrete", "viewer", "activation", "mathematics"};
  return names[static_cast<int>(family)];
}

std::string quoted_text(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 127 || static_cast<unsigned char>(c) < 32 || c == '"' || c == '\\')
      return dump(Json(text));
  }
  return '"' + std::string(text) + '"';
}

std::string marks_json(const std::vector<Mark>& marks) {
  std::string out;
  add_list(out, marks, add_mark);
  return out;
}

std::string ports_json(const std::vector<picture::ScenePort>& ports) {
  std::string out;
  add_list(out, ports, add_port);
  return out;
}

std::string scene_json(const picture::Scene& scene, const SceneHead& head) {
  std::string out;
  out.reserve(scene.blocks.size() * 500 + 1000);
  add_head(out, head);
  out += ",\"title\":" + quoted_text(scene.title) + ",\"bounds\":";
  add_box(out, scene.bounds);
  out += ",\"blocks\":";
  add_list(out, scene.blocks, add_block);
  out += ",\"links\":";
  add_list(out, scene.links, add_link);
  out += ",\"crossings\":";
  add_list(out, scene.crossings, add_crossing);
  out += ",\"notes\":";
  add_list(out, scene.notes, add_scene_note);
  out += '}';
  return out;
}

std::string change_json(const picture::Scene& before, const picture::Scene& after, const SceneHead& head) {
  std::string out;
  add_head(out, head);
  std::unordered_map<std::string_view, const picture::SceneBlock*> blocks;
  for (const picture::SceneBlock& block : before.blocks) blocks.emplace(block.name, &block);
  out += ",\"blocks\":[";
  for (const picture::SceneBlock& block : after.blocks) {
    const auto old = blocks.find(block.name);
    const bool same = old != blocks.end() && *old->second == block;
    if (old != blocks.end()) blocks.erase(old);
    if (same) continue;
    if (out.back() != '[') out += ',';
    add_block(out, block);
  }
  out += "],\"removed\":";
  add_list(out, blocks, [](std::string& to, const auto& item) { to += quoted_text(item.first); });
  std::unordered_map<std::string, const picture::SceneLink*> links;
  for (const picture::SceneLink& link : before.links) links.emplace(id_of(link), &link);
  out += ",\"links\":[";
  for (const picture::SceneLink& link : after.links) {
    const auto old = links.find(id_of(link));
    const bool same = old != links.end() && *old->second == link;
    if (old != links.end()) links.erase(old);
    if (same) continue;
    if (out.back() != '[') out += ',';
    add_link(out, link);
  }
  out += "],\"removed_links\":";
  add_list(out, links, [](std::string& to, const auto& item) { to += quoted_text(item.first); });
  if (order_of(before) != order_of(after)) {
    out += ",\"order\":";
    add_list(out, order_of(after), [](std::string& to, std::string_view name) { to += quoted_text(name); });
  }
  add_rest(out, before, after);
  out += '}';
  return out;
}

std::string change_json(const picture::SceneBefore& before, const picture::Scene& after, const SceneHead& head) {
  std::string out;
  add_head(out, head);
  out += ",\"blocks\":[";
  for (const auto& [k, block] : before.blocks) {
    if (block == after.blocks[k]) continue;
    if (out.back() != '[') out += ',';
    add_block(out, after.blocks[k]);
  }
  out += "],\"removed\":[],\"links\":[";
  for (const auto& [n, link] : before.links) {
    if (link == after.links[n]) continue;
    if (out.back() != '[') out += ',';
    add_link(out, after.links[n]);
  }
  out += "],\"removed_links\":[]";
  add_rest(out, before, after);
  out += '}';
  return out;
}

}  // namespace orrery::server
