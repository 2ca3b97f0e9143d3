// SPDX-License-Identifier: Apache-2.0
// What can be done to a model, one function each. Editors, scripts and the command line all call these.
//
// A command reports mistakes through Edit::fail and leaves the rest to the document, which takes all of it back. New
// items go to the end of their lists: the order of blocks and links is part of the meaning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edit/document.h"

namespace orrery::edit {

using model::Flow;
using model::Point;
using model::PortRef;

// A block by its path, in parts: "/Plant/Gain" is Gain in "/Plant".
struct BlockPath {
  std::string diagram;
  std::string name;
  std::string text() const { return diagram + "/" + name; }
};
BlockPath block_path(std::string_view path);

// A branch of a link within one diagram.
struct Branch {
  std::string diagram;
  bool activation = false;
  PortRef from, to;
};

// Blocks.
struct AddOptions {
  std::string name;  // empty: made from the type
  std::optional<model::LayoutItem> place;
  std::vector<model::Parameter> parameters;
};
std::string add(Edit& edit, const std::string& diagram, const std::string& type, const AddOptions& options);
void remove(Edit& edit, const std::vector<BlockPath>& blocks);
void rename(Edit& edit, const BlockPath& block, const std::string& name);
void set_parameter(Edit& edit, const BlockPath& block, const std::string& name, const std::optional<std::string>& text);
void set_about(Edit& edit, const BlockPath& block, const std::string& text);
void set_icon(Edit& edit, const BlockPath& block, const std::string& text);
void set_activation(Edit& edit, const BlockPath& block, model::Activation activation);
void comment_out(Edit& edit, const std::vector<BlockPath>& blocks, bool off);
void reorder(Edit& edit, const BlockPath& block, std::size_t place);
std::vector<std::string> duplicate(Edit& edit, const std::vector<BlockPath>& blocks, Point by);
// The text of a fragment: an object with "blocks" and, if wanted, "links", "layout" and "notes", as in a file.
std::vector<std::string> paste(Edit& edit, const std::string& diagram, const std::string& fragment, Point by);
std::string copy(const model::Model& model, const std::vector<BlockPath>& blocks, Diagnostics& diagnostics);

// Links.
void connect(Edit& edit, const Branch& branch);
void disconnect(Edit& edit, const Branch& branch);
void reconnect(Edit& edit, const Branch& branch, const Branch& instead);
void insert_into_link(Edit& edit, const BlockPath& block, const Branch& branch);
void name_link(Edit& edit, const Branch& link, const std::string& name);  // `to` does not matter
void bend(Edit& edit, const Branch& branch, const std::vector<Point>& corners);

// Super blocks.
std::string group(Edit& edit, const std::vector<BlockPath>& blocks, const std::string& name);
void ungroup(Edit& edit, const BlockPath& block);
// "atomic" (true, false): a unit, one activation for all its inputs. "for_each" (elements, columns, none): the inside
// once for each part of its inputs; "count" says how many parts, as OML text.
void set_option(Edit& edit, const std::string& diagram, const std::string& name, const std::string& text);
// Lines of OML that add the blocks and links of a programmable super block.
void set_program(Edit& edit, const std::string& diagram, const std::vector<std::string>& lines);
void set_context(Edit& edit, const std::string& diagram, const std::vector<std::string>& lines);
void set_mask(Edit& edit, const std::string& diagram, const std::vector<model::MaskParameter>& mask);
// The same from the list that a file has, as JSON.
void set_mask_text(Edit& edit, const std::string& diagram, const std::string& json);
// The names that the inside uses and nothing inside defines become parameters, with their own names as values.
void auto_mask(Edit& edit, const std::string& diagram);

// Drawing.
void move(Edit& edit, const std::vector<BlockPath>& blocks, Point by);
void place(Edit& edit, const BlockPath& block, const model::LayoutItem& where);
void turn(Edit& edit, const BlockPath& block, Flow flow);
enum class Edge { left, right, top, bottom, centre, middle };
void align(Edit& edit, const std::vector<BlockPath>& blocks, Edge edge);
void distribute(Edit& edit, const std::vector<BlockPath>& blocks, bool horizontally);
void arrange_diagram(Edit& edit, const std::string& diagram);
void add_note(Edit& edit, const std::string& diagram, const model::Note& note);
void replace_note(Edit& edit, const std::string& diagram, std::size_t number, const model::Note& note);
void remove_note(Edit& edit, const std::string& diagram, std::size_t number);

// The model.
void set_simulation(Edit& edit, const std::string& setting, const std::string& text);
void set_initialization(Edit& edit, const std::vector<std::string>& lines);
void use_library(Edit& edit, const model::LibraryNeed& need);  // in the place of one with this name, or behind all
void forget_library(Edit& edit, const std::string& name);
void set_model_text(Edit& edit, bool about, const std::string& text);  // name or about

}  // namespace orrery::edit
