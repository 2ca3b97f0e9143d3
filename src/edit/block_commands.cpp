// SPDX-License-Identifier: Apache-2.0
// Commands on blocks: add, remove, rename, parameters, copies.
#include <algorithm>
#include <map>

#include "blocks/block.h"
#include "edit/find.h"
#include "model/check_diagram.h"
#include "model/closest_name.h"
#include "model/items.h"

namespace orrery::edit {
namespace {

bool check_name(Edit& edit, const std::string& diagram, const std::string& name) {
  if (const auto fault = model::name_fault(name); !fault.empty()) {
    edit.fail(diagram, "the block name " + model::in_quotes(name) + " " + std::string(fault), "choose another name");
    return false;
  }
  if (index_of(edit.diagram(diagram), name)) {
    edit.fail(diagram + "/" + name, "a block called " + model::in_quotes(name) + " is already in this diagram",
              "choose another name");
    return false;
  }
  return true;
}

bool check_type(Edit& edit, const std::string& diagram, const std::string& type) {
  if (blocks::find_type(type) != nullptr) return true;
  std::vector<std::string_view> names;
  for (const blocks::BlockType* known : blocks::library()) names.push_back(known->name);
  edit.fail(diagram, "no block type is called " + type, model::did_you_mean(type, names));
  return false;
}

// Links that end at a block of the list lose that end.
void remove_ends(Edit& edit, const std::string& diagram, const std::vector<std::string>& names) {
  const auto gone = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  for (std::size_t k = edit.diagram(diagram).links.size(); k-- > 0;) {
    model::Link link = edit.diagram(diagram).links[k];
    const std::size_t before = link.to.size();
    std::erase_if(link.to, [&](const PortRef& to) { return gone(to.block); });
    if (gone(link.from.block)) link.to.clear();
    if (link.to.size() != before) replace_link(edit, diagram, k, link);
  }
  for (std::size_t k = edit.diagram(diagram).bends.size(); k-- > 0;) {
    const model::Bends& bends = edit.diagram(diagram).bends[k];
    if (gone(bends.from.block) || gone(bends.to.block)) edit.splice(diagram, "bends", k, 1, {});
  }
  for (std::size_t k = edit.diagram(diagram).layout.size(); k-- > 0;) {
    if (gone(edit.diagram(diagram).layout[k].block)) edit.splice(diagram, "layout", k, 1, {});
  }
}

}  // namespace

std::string add(Edit& edit, const std::string& diagram, const std::string& type, const AddOptions& options) {
  if (find_diagram_for(edit, diagram) == nullptr || !check_type(edit, diagram, type)) return {};
  const model::Diagram& target = edit.diagram(diagram);
  model::BlockInstance block;
  block.name = options.name.empty() ? unique_name(target, type) : options.name;
  if (!check_name(edit, diagram, block.name)) return {};
  block.type = type;
  block.parameters = options.parameters;
  if (type == "SuperBlock") block.diagram = std::make_unique<model::Diagram>();
  edit.splice(diagram, "blocks", target.blocks.size(), 0, {model::item_text(block)});
  if (options.place) {
    model::LayoutItem item = *options.place;
    item.block = block.name;
    place(edit, {diagram, block.name}, item);
  }
  return block.name;
}

void remove(Edit& edit, const std::vector<BlockPath>& blocks) {
  if (!same_diagram(edit, blocks)) return;
  const std::string diagram = blocks[0].diagram;
  std::vector<std::string> names;
  for (const BlockPath& block : blocks) names.push_back(block.name);
  remove_ends(edit, diagram, names);
  for (const BlockPath& block : blocks) {
    if (edit.failed()) return;
    edit.splice(diagram, "blocks", *index_of(edit.diagram(diagram), block.name), 1, {});
    move_settings(edit, block.text(), "");
  }
}

void rename(Edit& edit, const BlockPath& block, const std::string& name) {
  const auto index = find_block(edit, block);
  if (!index || name == block.name || !check_name(edit, block.diagram, name)) return;
  change_block(edit, block, [&](model::BlockInstance& changed) { changed.name = name; });
  const auto renamed = [&](PortRef& ref) {
    const bool hit = ref.block == block.name;
    if (hit) ref.block = name;
    return hit;
  };
  for (std::size_t k = 0; k < edit.diagram(block.diagram).links.size(); ++k) {
    model::Link link = edit.diagram(block.diagram).links[k];
    bool hit = renamed(link.from);
    for (PortRef& to : link.to) hit = renamed(to) || hit;
    if (hit) replace_link(edit, block.diagram, k, link);
  }
  for (std::size_t k = 0; k < edit.diagram(block.diagram).bends.size(); ++k) {
    model::Bends bends = edit.diagram(block.diagram).bends[k];
    const bool from = renamed(bends.from), to = renamed(bends.to);
    if (from || to) edit.splice(block.diagram, "bends", k, 1, {model::item_text(bends)});
  }
  if (const auto at = layout_index(edit.diagram(block.diagram), block.name)) {
    model::LayoutItem item = edit.diagram(block.diagram).layout[*at];
    item.block = name;
    edit.splice(block.diagram, "layout", *at, 1, {model::item_text(item)});
  }
  move_settings(edit, block.text(), block.diagram + "/" + name);
}

void set_parameter(Edit& edit, const BlockPath& block, const std::string& name,
                   const std::optional<std::string>& text) {
  change_block(edit, block, [&](model::BlockInstance& changed) {
    const auto found = std::find_if(changed.parameters.begin(), changed.parameters.end(),
                                    [&](const auto& p) { return p.name == name; });
    if (!text) {
      if (found != changed.parameters.end()) changed.parameters.erase(found);
      return;
    }
    if (found != changed.parameters.end()) {
      found->value = *text;
      return;
    }
    std::vector<std::string_view> known;
    const blocks::BlockType* type = changed.diagram ? nullptr : blocks::find_type(changed.type);
    if (type != nullptr) {
      for (const auto& spec : type->parameters) known.push_back(spec.name);
    }
    if (changed.diagram) {
      for (const auto& parameter : changed.diagram->mask) known.push_back(parameter.name);
    }
    if ((type != nullptr || changed.diagram) && std::find(known.begin(), known.end(), name) == known.end()) {
      std::string help = model::did_you_mean(name, known);
      for (std::size_t k = 0; help.empty() && k < known.size(); ++k)
        help = "its first parameter is " + std::string(known[0]);
      edit.fail(block.text(), "the block has no parameter " + name, help);
      return;
    }
    changed.parameters.push_back({name, *text, 0});
  });
}

void set_about(Edit& edit, const BlockPath& block, const std::string& text) {
  change_block(edit, block, [&](model::BlockInstance& changed) { changed.about = text; });
}

void set_icon(Edit& edit, const BlockPath& block, const std::string& text) {
  change_block(edit, block, [&](model::BlockInstance& changed) {
    if (!changed.diagram) edit.fail(block.text(), "only super blocks have icons of their own");
    changed.icon = text;
  });
}

void set_activation(Edit& edit, const BlockPath& block, model::Activation activation) {
  change_block(edit, block, [&](model::BlockInstance& changed) { changed.activation = activation; });
}

void comment_out(Edit& edit, const std::vector<BlockPath>& blocks, bool off) {
  for (const BlockPath& block : blocks) {
    change_block(edit, block, [&](model::BlockInstance& changed) { changed.off = off; });
  }
}

void reorder(Edit& edit, const BlockPath& block, std::size_t place) {
  const auto index = find_block(edit, block);
  if (!index) return;
  const model::Diagram& diagram = edit.diagram(block.diagram);
  if (place >= diagram.blocks.size()) {
    edit.fail(block.text(), "the diagram has only " + std::to_string(diagram.blocks.size()) + " blocks",
              "places count from 1");
    return;
  }
  const std::string text = model::item_text(diagram.blocks[*index]);
  edit.splice(block.diagram, "blocks", *index, 1, {});
  edit.splice(block.diagram, "blocks", place, 0, {text});
}

namespace {

// Adds the items of a fragment under names that are free; links keep their ends within it.
std::vector<std::string> add_fragment(Edit& edit, const std::string& diagram, model::Diagram fragment, Point by) {
  std::map<std::string, std::string> names;
  std::vector<std::string> added;
  for (model::BlockInstance& block : fragment.blocks) {
    const std::string name = unique_name(edit.diagram(diagram), block.name);
    names[block.name] = name;
    block.name = name;
    added.push_back(name);
    edit.splice(diagram, "blocks", edit.diagram(diagram).blocks.size(), 0, {model::item_text(block)});
  }
  for (model::Link& link : fragment.links) {
    if (!names.contains(link.from.block)) continue;
    link.from.block = names[link.from.block];
    std::erase_if(link.to, [&](const PortRef& to) { return !names.contains(to.block); });
    for (PortRef& to : link.to) to.block = names[to.block];
    if (!link.to.empty())
      edit.splice(diagram, "links", edit.diagram(diagram).links.size(), 0, {model::item_text(link)});
  }
  for (model::Note& note : fragment.notes) {
    note.x += by.x;
    note.y += by.y;
    edit.splice(diagram, "notes", edit.diagram(diagram).notes.size(), 0, {model::item_text(note)});
  }
  for (model::LayoutItem& item : fragment.layout) {
    if (!names.contains(item.block)) continue;
    item.block = names[item.block];
    item.x += by.x;
    item.y += by.y;
    edit.splice(diagram, "layout", edit.diagram(diagram).layout.size(), 0, {model::item_text(item)});
  }
  return added;
}

model::Diagram fragment_of(const model::Diagram& diagram, const std::vector<BlockPath>& blocks) {
  const auto chosen = [&](const std::string& name) {
    return std::any_of(blocks.begin(), blocks.end(), [&](const BlockPath& b) { return b.name == name; });
  };
  model::Diagram fragment;
  for (const model::BlockInstance& block : diagram.blocks) {
    if (chosen(block.name)) fragment.blocks.push_back(model::copy_of(block));
  }
  for (model::Link link : diagram.links) {
    std::erase_if(link.to, [&](const PortRef& to) { return !chosen(to.block); });
    if (chosen(link.from.block) && !link.to.empty()) fragment.links.push_back(std::move(link));
  }
  for (const model::LayoutItem& item : diagram.layout) {
    if (chosen(item.block)) fragment.layout.push_back(item);
  }
  return fragment;
}

}  // namespace

std::vector<std::string> duplicate(Edit& edit, const std::vector<BlockPath>& blocks, Point by) {
  if (!same_diagram(edit, blocks)) return {};
  return add_fragment(edit, blocks[0].diagram, fragment_of(edit.diagram(blocks[0].diagram), blocks), by);
}

std::vector<std::string> paste(Edit& edit, const std::string& diagram, const std::string& fragment, Point by) {
  if (find_diagram_for(edit, diagram) == nullptr) return {};
  const std::string text = R"({"name": "X", "type": "SuperBlock", "diagram": )" + fragment + "}";
  auto items = model::parse_items("blocks", {text}, edit.diagnostics());
  if (!items || items->blocks.size() != 1 || !items->blocks[0].diagram) {
    edit.fail(diagram, "the text is no part of a diagram", R"(write {"blocks": [...], "links": [...]})");
    return {};
  }
  return add_fragment(edit, diagram, std::move(*items->blocks[0].diagram), by);
}

std::string copy(const model::Model& model, const std::vector<BlockPath>& blocks, Diagnostics& diagnostics) {
  const model::Diagram* diagram = blocks.empty() ? nullptr : diagram_at(model, blocks[0].diagram);
  if (diagram == nullptr) {
    Place place;
    place.file = model.file;
    diagnostics.error("bad-edit", std::move(place), "there is nothing to copy", "name blocks of one diagram");
    return {};
  }
  model::BlockInstance shell;
  shell.name = "X";
  shell.type = "SuperBlock";
  shell.diagram = std::make_unique<model::Diagram>(fragment_of(*diagram, blocks));
  const std::string text = model::item_text(shell);
  const std::size_t from = text.find("\"diagram\": ") + 11;
  return text.substr(from, text.size() - from - 1);
}

}  // namespace orrery::edit
