// SPDX-License-Identifier: Apache-2.0
// Commands on the drawing, and on the texts of the model.
#include <algorithm>
#include <cmath>

#include "edit/find.h"
#include "model/closest_name.h"
#include "model/items.h"
#include "picture/make_scene.h"

namespace orrery::edit {
namespace {

void put_layout(Edit& edit, const std::string& diagram, const model::LayoutItem& item) {
  const auto at = layout_index(edit.diagram(diagram), item.block);
  const std::size_t end = edit.diagram(diagram).layout.size();
  edit.splice(diagram, "layout", at.value_or(end), at ? 1 : 0, {model::item_text(item)});
}

// Blocks without a place get the one at which they are drawn, so that moving one leaves the others where they are.
void store_places(Edit& edit, const std::string& diagram) {
  const model::Diagram& before = edit.diagram(diagram);
  if (before.layout.size() >= before.blocks.size()) return;
  for (const model::LayoutItem& item : picture::arranged_layout(before, diagram, {}, picture::Arrange::missing)) {
    if (!layout_index(edit.diagram(diagram), item.block)) put_layout(edit, diagram, item);
  }
}

bool good_number(double x) { return std::isfinite(x) && std::abs(x) <= 1e6; }

std::vector<model::LayoutItem> places_of(Edit& edit, const std::vector<BlockPath>& blocks) {
  std::vector<model::LayoutItem> items;
  if (!same_diagram(edit, blocks)) return items;
  store_places(edit, blocks[0].diagram);
  const model::Diagram& diagram = edit.diagram(blocks[0].diagram);
  for (const BlockPath& block : blocks) items.push_back(diagram.layout[*layout_index(diagram, block.name)]);
  return items;
}

}  // namespace

void move(Edit& edit, const std::vector<BlockPath>& blocks, Point by) {
  for (model::LayoutItem& item : places_of(edit, blocks)) {
    item.x += by.x;
    item.y += by.y;
    if (!good_number(item.x) || !good_number(item.y))
      return edit.fail(blocks[0].diagram + "/" + item.block, "the place is not on the sheet");
    put_layout(edit, blocks[0].diagram, item);
  }
}

void place(Edit& edit, const BlockPath& block, const model::LayoutItem& where) {
  if (!find_block(edit, block)) return;
  model::LayoutItem item = where;
  item.block = block.name;
  if (!(item.width > 0) || !(item.height > 0)) {
    // Without a size: as large as it is now, or as it would be drawn.
    const auto drawn =
        picture::arranged_layout(edit.diagram(block.diagram), block.diagram, {}, picture::Arrange::missing);
    const auto found = std::find_if(drawn.begin(), drawn.end(), [&](const auto& d) { return d.block == block.name; });
    item.width = found->width;
    item.height = found->height;
  }
  for (const double x : {item.x, item.y, item.width, item.height}) {
    if (!good_number(x))
      return edit.fail(block.text(), "the place is not on the sheet", "write X,Y or X,Y,WIDTH,HEIGHT");
  }
  put_layout(edit, block.diagram, item);
}

void turn(Edit& edit, const BlockPath& block, Flow flow) {
  for (model::LayoutItem& item : places_of(edit, {block})) {
    const auto upright = [](Flow f) { return f == Flow::up || f == Flow::down; };
    if (upright(item.flow) != upright(flow)) {
      const Point centre{item.x + item.width / 2, item.y + item.height / 2};
      std::swap(item.width, item.height);
      item.x = centre.x - item.width / 2;
      item.y = centre.y - item.height / 2;
    }
    item.flow = flow;
    put_layout(edit, block.diagram, item);
  }
}

void align(Edit& edit, const std::vector<BlockPath>& blocks, Edge edge) {
  auto items = places_of(edit, blocks);
  if (items.empty()) return;
  const model::LayoutItem first = items[0];
  for (model::LayoutItem& item : items) {
    switch (edge) {
      case Edge::left: item.x = first.x; break;
      case Edge::right: item.x = first.x + first.width - item.width; break;
      case Edge::top: item.y = first.y; break;
      case Edge::bottom: item.y = first.y + first.height - item.height; break;
      case Edge::centre: item.x = first.x + (first.width - item.width) / 2; break;
      case Edge::middle: item.y = first.y + (first.height - item.height) / 2; break;
    }
    put_layout(edit, blocks[0].diagram, item);
  }
}

void distribute(Edit& edit, const std::vector<BlockPath>& blocks, bool horizontally) {
  auto items = places_of(edit, blocks);
  if (items.size() < 3) {
    if (!edit.failed()) edit.fail(blocks[0].diagram, "to distribute needs at least three blocks");
    return;
  }
  const auto begin = [&](model::LayoutItem& item) -> double& { return horizontally ? item.x : item.y; };
  const auto size = [&](const model::LayoutItem& item) { return horizontally ? item.width : item.height; };
  std::stable_sort(items.begin(), items.end(), [&](auto& a, auto& b) {
    return begin(const_cast<model::LayoutItem&>(a)) < begin(const_cast<model::LayoutItem&>(b));
  });
  double taken = 0;
  for (const auto& item : items) taken += size(item);
  const double gap =
      (begin(items.back()) + size(items.back()) - begin(items.front()) - taken) / static_cast<double>(items.size() - 1);
  double at = begin(items.front());
  for (model::LayoutItem& item : items) {
    begin(item) = std::round(at);
    at += size(item) + gap;
    put_layout(edit, blocks[0].diagram, item);
  }
}

void arrange_diagram(Edit& edit, const std::string& diagram) {
  const model::Diagram* target = find_diagram_for(edit, diagram);
  if (target == nullptr) return;
  std::vector<std::string> texts;
  for (const auto& item : picture::arranged_layout(*target, diagram, {}, picture::Arrange::all))
    texts.push_back(model::item_text(item));
  if (!target->bends.empty()) edit.splice(diagram, "bends", 0, target->bends.size(), {});
  edit.splice(diagram, "layout", 0, edit.diagram(diagram).layout.size(), std::move(texts));
}

void add_note(Edit& edit, const std::string& diagram, const model::Note& note) {
  const model::Diagram* target = find_diagram_for(edit, diagram);
  if (target == nullptr) return;
  for (const double x : {note.x, note.y, note.width, note.height}) {
    if (!good_number(x)) return edit.fail(diagram, "the place is not on the sheet", "write X,Y,WIDTH,HEIGHT");
  }
  edit.splice(diagram, "notes", target->notes.size(), 0, {model::item_text(note)});
}

void replace_note(Edit& edit, const std::string& diagram, std::size_t number, const model::Note& note) {
  const model::Diagram* target = find_diagram_for(edit, diagram);
  if (target == nullptr) return;
  if (number < 1 || number > target->notes.size()) {
    return edit.fail(diagram, "the diagram has " + std::to_string(target->notes.size()) + " notes",
                     "notes count from 1");
  }
  for (const double x : {note.x, note.y, note.width, note.height}) {
    if (!good_number(x)) return edit.fail(diagram, "the place is not on the sheet", "write X,Y,WIDTH,HEIGHT");
  }
  edit.splice(diagram, "notes", number - 1, 1, {model::item_text(note)});
}

void remove_note(Edit& edit, const std::string& diagram, std::size_t number) {
  const model::Diagram* target = find_diagram_for(edit, diagram);
  if (target == nullptr) return;
  if (number < 1 || number > target->notes.size()) {
    return edit.fail(diagram, "the diagram has " + std::to_string(target->notes.size()) + " notes",
                     "notes count from 1");
  }
  edit.splice(diagram, "notes", number - 1, 1, {});
}

void set_context(Edit& edit, const std::string& diagram, const std::vector<std::string>& lines) {
  if (find_diagram_for(edit, diagram) != nullptr) edit.set(diagram, "context", model::lines_text(lines));
}

void set_initialization(Edit& edit, const std::vector<std::string>& lines) {
  edit.set("", "initialization", model::lines_text(lines));
}

void set_simulation(Edit& edit, const std::string& setting, const std::string& text) {
  const model::SettingInfo* info = model::find_setting(setting);
  if (info == nullptr) {
    std::vector<std::string_view> names;
    for (const model::SettingInfo& known : model::setting_table()) names.push_back(known.name);
    return edit.fail("", "there is no setting " + setting, model::did_you_mean(setting, names));
  }
  model::Settings settings = edit.model().settings;
  settings.*info->text = {text, 0};
  edit.set("", "simulation", model::settings_text(settings));
}

void set_model_text(Edit& edit, bool about, const std::string& text) {
  const std::string list = model::lines_text({text});
  edit.set("", about ? "about" : "name", list.substr(1, list.size() - 2));
}

}  // namespace orrery::edit
