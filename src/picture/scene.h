// SPDX-License-Identifier: Apache-2.0
// A diagram as it is drawn: where everything is, as pure data. Writers of SVG and painters of a browser decide nothing.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace orrery::picture {

using model::Point;

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point centre() const { return {x + width / 2, y + height / 2}; }
  friend bool operator==(const Box&, const Box&) = default;
};

enum class Shape { box, circle, triangle, pill, bar };
enum class Side { left, right, top, bottom };
// What the colour of a block says.
enum class Family { source, continuous, discrete, viewer, activation, mathematics };

struct ScenePort {
  Point at;  // on the edge of the block
  Side side = Side::left;
  bool activation = false;
  bool output = false;
  bool connected = false;
  int number = 1;
  friend bool operator==(const ScenePort&, const ScenePort&) = default;
};

// A text or a line within a block.
struct Mark {
  enum class Anchor { start, middle, end };
  Point at;  // of a text: the baseline
  std::string text;
  double size = 12;
  Anchor anchor = Anchor::middle;
  std::vector<Point> points;  // of a line; empty: a text
  bool faint = false;
  friend bool operator==(const Mark&, const Mark&) = default;
};

// For comparisons: how a block or link differs from that of another model.
enum class Change { none, added, removed, changed };

struct SceneBlock {
  std::string name;
  std::string type;
  Box box;
  Shape shape = Shape::box;
  Family family = Family::mathematics;
  model::Flow flow = model::Flow::right;
  bool super = false;
  bool foreign = false;  // runs code from elsewhere
  bool off = false;      // commented out
  bool unknown = false;  // of a type that the library does not have
  bool masked = false;   // a super block with parameters of its own
  bool made = false;     // a tool made its name, which says nothing
  std::vector<ScenePort> ports;
  std::vector<Mark> icon;
  std::vector<Mark> labels;  // name, and values when asked for; a name that a tool made is not shown
  Change change = Change::none;
  std::vector<std::string> remarks;  // of a change, beside the block
  friend bool operator==(const SceneBlock&, const SceneBlock&) = default;
};

struct SceneBranch {
  model::PortRef to;
  std::vector<Point> points;  // from port to port, right angles only
  std::size_t first = 0;      // what is before is drawn with an earlier branch
  friend bool operator==(const SceneBranch&, const SceneBranch&) = default;
};

struct SceneLink {
  bool activation = false;
  model::PortRef from;
  std::string name;
  Mark label;  // of the name; no text: none
  std::vector<SceneBranch> branches;
  std::vector<Point> junctions;
  Change change = Change::none;
  friend bool operator==(const SceneLink&, const SceneLink&) = default;
};

// Where a line passes over another that it has nothing to do with.
struct Crossing {
  Point at;
  bool activation = false;  // of the vertical line, which is drawn through
  friend bool operator==(const Crossing&, const Crossing&) = default;
};

struct SceneNote {
  Box box;
  std::vector<std::string> lines;
  friend bool operator==(const SceneNote&, const SceneNote&) = default;
};

struct Scene {
  std::string title;
  Box bounds;
  std::vector<SceneBlock> blocks;
  std::vector<SceneLink> links;
  std::vector<Crossing> crossings;
  std::vector<SceneNote> notes;
  friend bool operator==(const Scene&, const Scene&) = default;
};

}  // namespace orrery::picture
