// SPDX-License-Identifier: Apache-2.0
// Sizes, ports and the inside of blocks.
#include "picture/look.h"

#include <algorithm>
#include <cmath>

#include "picture/icon_form.h"
#include "picture/text_widths.h"

namespace orrery::picture {
namespace {

constexpr double widest_text = 130;
constexpr double line_height = 15;

double up_to_grid(double x) { return std::ceil(x / grid) * grid; }

double widest_line(const IconForm& form) {
  double width = 0;
  for (const std::string& line : form.lines) width = std::max(width, text_width(line, text_size));
  return std::min(width, widest_text);
}

// What names beside the ports take from the width, on each side.
double beside_ports(const IconForm& form) {
  double room = 0;
  for (const auto* labels : {&form.inputs, &form.outputs}) {
    for (const std::string& label : *labels) {
      if (!label.empty()) room = std::max(room, 6 + std::min(28.0, text_width(label, label_size)));
    }
  }
  return room;
}

// Heights are multiples of 20, so that ports of all blocks fall on one grid.
double height_for(int ports) { return std::max(40.0, port_distance * ports); }

void size_box(const IconForm& form, Look& look) {
  const int rows = std::max(look.ports.inputs, look.ports.outputs);
  const int columns = std::max(look.ports.activation_inputs, look.ports.activation_outputs);
  const double lines = static_cast<double>(form.lines.size());
  look.height = std::max(height_for(rows), std::ceil((lines * line_height + 12) / 20) * 20);
  look.width = std::max(
      {70.0, up_to_grid(widest_line(form) + std::max(20.0, 2 * beside_ports(form) + 8)), port_distance * columns + 10});
}

bool round_ports(const Look& look) {
  return look.ports.inputs <= 3 && look.ports.outputs == 1 && look.ports.activation_inputs == 0 &&
         look.ports.activation_outputs == 0;
}

void size_shape(const IconForm& form, Look& look) {
  look.shape = form.shape;
  switch (form.shape) {
    case Shape::circle:
      if (!round_ports(look)) break;
      look.width = look.height = 30;
      return;
    case Shape::triangle:
      if (look.ports.inputs > 1 || look.ports.outputs > 1) break;
      look.width = std::max(50.0, up_to_grid(widest_line(form) * 1.5 + 16));
      look.height = look.width > 70 ? 60 : 40;
      if (look.width > 110) break;
      return;
    case Shape::pill:
      if (look.ports.inputs > 1 || look.ports.outputs > 1) break;
      look.height = 30;
      look.width =
          std::max({50.0, up_to_grid(widest_line(form) + 24),
                    port_distance * std::max(look.ports.activation_inputs, look.ports.activation_outputs) + 20});
      if (look.ports.inputs + look.ports.outputs > 0) look.height = 40;
      return;
    case Shape::bar:
      look.width = 10;
      look.height = std::max(40.0, port_distance * (std::max(look.ports.inputs, look.ports.outputs) + 1));
      if (std::max(look.ports.inputs, look.ports.outputs) % 2 == 1) look.height = std::ceil(look.height / 20) * 20;
      return;
    case Shape::box: break;
  }
  look.shape = Shape::box;
  size_box(form, look);
}

// A port of a block that points to the right, in a box at the origin.
struct LocalPort {
  Point at;
  Side side;
};

LocalPort local_port(const Look& look, bool activation, bool output, int k, int count, double width, double height) {
  const auto along = [&](double length) {
    const double distance = std::min(port_distance, length / count);
    return length / 2 + (k - (count - 1) / 2.0) * distance;
  };
  if (activation) return {{along(width), output ? height : 0}, output ? Side::bottom : Side::top};
  if (look.shape == Shape::circle && !output) {
    const double radius = std::min(width, height) / 2;
    const Point centre{width / 2, height / 2};
    if (k == 1) return {{centre.x, centre.y + radius}, Side::bottom};
    if (k == 2) return {{centre.x, centre.y - radius}, Side::top};
    return {{centre.x - radius, centre.y}, Side::left};
  }
  if (look.shape == Shape::circle) {
    return {{width / 2 + std::min(width, height) / 2, height / 2}, Side::right};
  }
  return {{output ? width : 0, along(height)}, output ? Side::right : Side::left};
}

ScenePort turned(const LocalPort& port, const Box& box, model::Flow flow) {
  ScenePort result;
  const auto set = [&](double x, double y, Side side) {
    result.at = {box.x + x, box.y + y};
    result.side = side;
  };
  const Side s = port.side;
  switch (flow) {
    case model::Flow::right: set(port.at.x, port.at.y, s); break;
    case model::Flow::left:
      set(box.width - port.at.x, port.at.y, s == Side::left ? Side::right : s == Side::right ? Side::left : s);
      break;
    case model::Flow::up:  // a quarter turn: right becomes up, top becomes left
      set(port.at.y, box.height - port.at.x,
          s == Side::right  ? Side::top
          : s == Side::left ? Side::bottom
          : s == Side::top  ? Side::left
                            : Side::right);
      break;
    case model::Flow::down:
      set(box.width - port.at.y, port.at.x,
          s == Side::right  ? Side::bottom
          : s == Side::left ? Side::top
          : s == Side::top  ? Side::right
                            : Side::left);
      break;
  }
  return result;
}

Mark text_mark(double x, double y, std::string text, double size = text_size) {
  Mark mark;
  mark.at = {x, y};
  mark.text = std::move(text);
  mark.size = size;
  return mark;
}

Mark line_mark(std::vector<Point> points, bool faint = false) {
  Mark mark;
  mark.points = std::move(points);
  mark.faint = faint;
  return mark;
}

void draw_lines(const IconForm& form, const Box& box, std::vector<Mark>& marks) {
  const Point centre = box.centre();
  const double room = std::max(10.0, box.width - std::max(8.0, 2 * beside_ports(form)));
  // A text that is a little too long is written smaller.
  const auto size_of = [&](const std::string& text) {
    for (const double size : {text_size, 11.0, 10.0}) {
      if (text_width(text, size) <= room) return size;
    }
    return text_size;
  };
  const auto add = [&](double y, const std::string& text) {
    const double size = size_of(text);
    marks.push_back(text_mark(centre.x, y, fit_text(text, size, room), size));
  };
  if (form.fraction) {
    const double half =
        std::min(room, std::max(text_width(form.lines[0], text_size), text_width(form.lines[1], text_size)) + 6) / 2;
    add(centre.y - 4, form.lines[0]);
    marks.push_back(line_mark({{centre.x - half, centre.y}, {centre.x + half, centre.y}}));
    add(centre.y + 13, form.lines[1]);
    return;
  }
  const double count = static_cast<double>(form.lines.size());
  double y = centre.y - (count - 1) * line_height / 2 + 4;
  for (const std::string& line : form.lines) {
    add(y, line);
    y += line_height;
  }
}

// Boxes of the inside, shrunk; its own layout when it has one.
void draw_miniature(const model::Diagram& inside, const Box& box, std::vector<Mark>& marks) {
  std::vector<Box> boxes;
  for (const model::LayoutItem& item : inside.layout) boxes.push_back({item.x, item.y, item.width, item.height});
  if (boxes.size() < inside.blocks.size()) {
    // Without a layout a row of boxes says as much as can be said.
    boxes.clear();
    const double count = static_cast<double>(std::min<std::size_t>(inside.blocks.size(), 4));
    for (double k = 0; k < count; ++k) boxes.push_back({k * 100, 0, 60, 40});
  }
  if (boxes.empty() || boxes.size() > 40) return;
  Box all = boxes[0];
  for (const Box& b : boxes) {
    const double right = std::max(all.right(), b.right()), bottom = std::max(all.bottom(), b.bottom());
    all.x = std::min(all.x, b.x);
    all.y = std::min(all.y, b.y);
    all.width = right - all.x;
    all.height = bottom - all.y;
  }
  const double scale =
      std::min({(box.width - 20) / std::max(all.width, 1.0), (box.height - 16) / std::max(all.height, 1.0), 0.2});
  if (!(scale > 0)) return;
  const Point centre = box.centre(), middle = all.centre();
  for (const Box& b : boxes) {
    const double x = centre.x + (b.x - middle.x) * scale, y = centre.y + (b.y - middle.y) * scale;
    const double w = std::max(2.0, b.width * scale), h = std::max(2.0, b.height * scale);
    marks.push_back(line_mark({{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}, {x, y}}, true));
  }
}

}  // namespace

bool is_made_name(const model::BlockInstance& block) {
  if (!block.name.starts_with(block.type)) return false;
  const std::string_view rest = std::string_view(block.name).substr(block.type.size());
  return std::all_of(rest.begin(), rest.end(), [](char c) { return (c >= '0' && c <= '9') || c == '_'; });
}

Look look_of(const model::BlockInstance& block, const BlockFacts& facts, const UsedPorts& used) {
  Look look;
  const blocks::BlockType* type = block.diagram ? nullptr : blocks::find_type(block.type);
  look.family = family_of(type);
  look.unknown = !block.diagram && type == nullptr;
  look.foreign = type != nullptr && type->foreign;
  const auto most = [](int a, int b) { return std::min(std::max(a, b), 500); };
  look.ports.inputs = most(facts.ports.inputs, used.highest.inputs);
  look.ports.outputs = most(facts.ports.outputs, used.highest.outputs);
  // Nearly every block has an activation input; one that nothing reaches is not worth drawing on ordinary blocks.
  const bool shows = block.diagram || look.family == Family::activation || used.highest.activation_inputs > 0;
  look.ports.activation_inputs = shows ? most(facts.ports.activation_inputs, used.highest.activation_inputs) : 0;
  const bool sends = block.diagram || look.family == Family::activation || used.highest.activation_outputs > 0;
  look.ports.activation_outputs = sends ? most(facts.ports.activation_outputs, used.highest.activation_outputs) : 0;
  IconForm form = icon_form(block, facts, look.ports);
  size_shape(form, look);
  look.inputs = std::move(form.inputs);
  look.outputs = std::move(form.outputs);
  if (block.diagram && form.lines.empty()) look.width = std::max(look.width, 80.0);
  return look;
}

std::vector<ScenePort> place_ports(const Look& look, const Box& box, model::Flow flow) {
  std::vector<ScenePort> ports;
  const bool upright = flow == model::Flow::up || flow == model::Flow::down;
  const double width = upright ? box.height : box.width, height = upright ? box.width : box.height;
  const auto add = [&](int count, bool activation, bool output) {
    for (int k = 0; k < count; ++k) {
      ScenePort port = turned(local_port(look, activation, output, k, count, width, height), box, flow);
      port.activation = activation;
      port.output = output;
      port.number = k + 1;
      ports.push_back(port);
    }
  };
  add(look.ports.inputs, false, false);
  add(look.ports.outputs, false, true);
  add(look.ports.activation_inputs, true, false);
  add(look.ports.activation_outputs, true, true);
  return ports;
}

std::vector<Mark> draw_icon(const model::BlockInstance& block, const BlockFacts& facts, const Look& look,
                            const Box& box) {
  std::vector<Mark> marks;
  IconForm form = icon_form(block, facts, look.ports);
  Box inside = box;
  if (look.shape == Shape::triangle) inside.width *= 0.68;
  if (look.shape == Shape::circle && look.inputs.empty()) {
    marks.push_back(text_mark(box.centre().x, box.centre().y + 5, block.type == "Sum" ? "+" : "×", 15));
    return marks;
  }
  if (look.shape == Shape::circle) return marks;  // the signs beside its ports say it
  if (!form.curves.empty()) {
    const double w = std::min(34.0, box.width - 16), h = std::min(22.0, box.height - 14);
    const Point centre = box.centre();
    for (const IconForm::Curve& curve : form.curves) {
      std::vector<Point> points;
      for (const Point& p : curve.points) points.push_back({centre.x + (p.x - 0.5) * w, centre.y - (p.y - 0.5) * h});
      if (points.size() > 1) marks.push_back(line_mark(std::move(points), curve.faint));
    }
    if (!form.lines.empty()) draw_lines(form, inside, marks);
    return marks;
  }
  if (block.diagram && form.lines.empty()) {
    draw_miniature(*block.diagram, box, marks);
    return marks;
  }
  draw_lines(form, inside, marks);
  return marks;
}

}  // namespace orrery::picture
