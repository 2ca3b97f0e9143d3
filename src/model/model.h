// SPDX-License-Identifier: Apache-2.0
// The pure data of a model: diagrams of block instances and links, simulation settings; load and save of .orr files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "model/settings.h"

namespace orrery::model {

// Lines are 1-based positions in the .orr file; 0 when the item was not read from a file. They are not saved.

struct Parameter {
  std::string name;
  std::string value;  // OML text, not evaluated
  int line = 0;
};

// How an instance is activated when it has no activation input; by_type leaves it to the block type.
enum class Activation { by_type, inherit, always, initial };

struct Diagram;

struct BlockInstance {
  std::string name;  // non-empty, unique in its diagram, without '/', ':' and control characters
  std::string type;
  std::vector<Parameter> parameters;  // file order, names unique
  Activation activation = Activation::by_type;
  std::string about;
  bool off = false;                  // commented out: the compiler behaves as if it and its links were not there
  std::string icon;                  // of super blocks: what is drawn in its box; "{k}" stands for a parameter
  std::unique_ptr<Diagram> diagram;  // super blocks only
  int line = 0;

  const Parameter* find_parameter(std::string_view parameter_name) const;
};

// Port numbers start at 1. Written "Name:2".
struct PortRef {
  std::string block;
  int port = 1;
  friend bool operator==(const PortRef&, const PortRef&) = default;
};

struct Link {
  bool activation = false;  // true: carries events ("event"), false: a regular signal ("from")
  PortRef from;
  std::vector<PortRef> to;  // at least one
  std::string name;
  int line = 0;
};

// Where the outputs of a block point to: inputs are on the opposite side.
enum class Flow { right, left, up, down };

// Where an editor draws a block; never changes what the model means.
struct LayoutItem {
  std::string block;
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  Flow flow = Flow::right;
  int line = 0;
};

struct Point {
  double x = 0;
  double y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

// The corners of one branch of a link that somebody bent by hand; all other routes are computed. Written
// "Ball:1>Bounce:1", and "Ground:1!>Ball:1" where the link carries events.
struct Bends {
  bool activation = false;
  PortRef from, to;
  std::vector<Point> points;
  int line = 0;
};

// A remark on the sheet.
struct Note {
  std::string text;
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  int line = 0;
};

// A parameter that a super block shows to the diagram around it (its mask); inside it is a variable.
struct MaskParameter {
  std::string name;
  std::string prompt;  // what an editor asks for; empty: the name
  std::string value;   // default as OML text, evaluated outside the super block; empty: none, the instance must give it
  std::string kind = {};                  // "choice": one of the choices; "check": true or false; empty: any value
  std::vector<std::string> choices = {};  // texts
  std::string visible = {};               // OML, of the values of the mask: whether an editor shows it; empty: it does
  std::string valid = {};                 // OML, of the values of the mask: whether this one is good; empty: it is
  std::string message = {};               // what somebody is told whose value is not
  int line = 0;
};

// Whether the inside of a super block is there once, or once for each part of its inputs.
enum class ForEach { none, elements, columns };

// The order of blocks and links is part of the meaning: ties between simultaneous events are broken by it.
struct Diagram {
  std::vector<MaskParameter> mask;  // of super blocks, and of files that others include
  bool atomic = false;              // a unit: one activation for all its inputs
  ForEach for_each = ForEach::none;
  std::string count;                 // of for_each, OML text: how many parts
  int options_line = 0;              // of the last of these three
  std::vector<std::string> program;  // OML source lines that add the blocks and links (a programmable super block)
  int program_line = 0;
  std::vector<std::string> context;  // OML source lines, run before the parameters are evaluated
  int context_line = 0;              // file line of context[0]
  std::vector<BlockInstance> blocks;
  std::vector<Link> links;
  std::vector<Note> notes;
  std::vector<LayoutItem> layout;
  std::vector<Bends> bends;
};

// A library whose blocks a model uses, as "name/Block" or "name/Level/Block".
struct LibraryNeed {
  std::string name;
  std::string version;  // the least that will do, a whole number; empty: any
  std::string path;     // of its folder, relative to the model's file; empty: one that is installed
  std::string key;      // one of its keys; empty: any
  int line = 0;
};

struct Model {
  std::string file;
  std::string name;
  std::string about;
  Settings settings;
  std::vector<LibraryNeed> libraries;
  std::vector<std::string> initialization;  // OML source lines, run before all contexts
  int initialization_line = 0;              // file line of initialization[0]
  Diagram root;
};

// "Ball:1>Bounce:1"
std::string branch_text(const Bends& bends);

// Both return nothing when there was an error; all errors found on the way are in the diagnostics.
[[nodiscard]] std::optional<Model> load(const std::string& path, Diagnostics& diagnostics);
[[nodiscard]] std::optional<Model> parse(std::string_view text, const std::string& file, Diagnostics& diagnostics);

// The canonical text: the same model always gives the same bytes, and parsing them gives the same model.
std::string write(const Model& model);
// Replaces the file in one step: a reader sees the old or the new text, never a part.
[[nodiscard]] bool save(const Model& model, const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::model
