// SPDX-License-Identifier: Apache-2.0
// Looking things up while editing, and replacing single items.
#include "edit/find.h"

#include <algorithm>

#include "model/closest_name.h"
#include "model/items.h"

namespace orrery::edit {

BlockPath block_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  BlockPath block;
  if (slash == std::string_view::npos) {
    block.name = path;
    return block;
  }
  block.name = path.substr(slash + 1);
  block.diagram = path.substr(0, slash);
  if (!block.diagram.empty() && block.diagram[0] != '/') block.diagram.insert(0, "/");
  return block;
}

const model::Diagram* find_diagram_for(Edit& edit, const std::string& path) {
  const model::Diagram* diagram = diagram_at(edit.model(), path);
  if (diagram == nullptr)
    edit.fail(path, "there is no diagram " + (path.empty() ? "/" : path),
              "name a super block by its path: /Plant/Motor");
  return diagram;
}

std::optional<std::size_t> index_of(const model::Diagram& diagram, std::string_view block) {
  const auto found =
      std::find_if(diagram.blocks.begin(), diagram.blocks.end(), [&](const auto& b) { return b.name == block; });
  if (found == diagram.blocks.end()) return std::nullopt;
  return static_cast<std::size_t>(found - diagram.blocks.begin());
}

std::optional<std::size_t> layout_index(const model::Diagram& diagram, std::string_view block) {
  const auto found =
      std::find_if(diagram.layout.begin(), diagram.layout.end(), [&](const auto& item) { return item.block == block; });
  if (found == diagram.layout.end()) return std::nullopt;
  return static_cast<std::size_t>(found - diagram.layout.begin());
}

std::optional<std::size_t> find_block(Edit& edit, const BlockPath& block) {
  const model::Diagram* diagram = find_diagram_for(edit, block.diagram);
  if (diagram == nullptr) return std::nullopt;
  const auto index = index_of(*diagram, block.name);
  if (index) return index;
  std::vector<std::string_view> names;
  for (const model::BlockInstance& known : diagram->blocks) names.push_back(known.name);
  const std::string guess = model::did_you_mean(block.name, names);
  edit.fail(block.text(), "there is no block " + block.text(),
            guess.empty() ? "name a block by its path, as in Plant/Gain" : guess);
  return std::nullopt;
}

std::optional<std::size_t> link_with(const model::Diagram& diagram, const Branch& branch) {
  for (std::size_t k = 0; k < diagram.links.size(); ++k) {
    const model::Link& link = diagram.links[k];
    if (link.activation == branch.activation && link.from == branch.from &&
        std::find(link.to.begin(), link.to.end(), branch.to) != link.to.end()) {
      return k;
    }
  }
  return std::nullopt;
}

std::string unique_name(const model::Diagram& diagram, const std::string& wanted) {
  if (!index_of(diagram, wanted)) return wanted;
  std::string stem = wanted;
  while (stem.size() > 1 && stem.back() >= '0' && stem.back() <= '9') stem.pop_back();
  for (std::size_t k = 2;; ++k) {
    const std::string name = stem + std::to_string(k);
    if (!index_of(diagram, name)) return name;
  }
}

bool same_diagram(Edit& edit, const std::vector<BlockPath>& blocks) {
  if (blocks.empty()) {
    edit.fail("", "no block is named", "name at least one block");
    return false;
  }
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (!find_block(edit, blocks[k])) return false;
    if (blocks[k].diagram != blocks[0].diagram) {
      edit.fail(blocks[k].text(), "the blocks are in different diagrams", "name blocks of one diagram");
      return false;
    }
    for (std::size_t i = 0; i < k; ++i) {
      if (blocks[i].name != blocks[k].name) continue;
      edit.fail(blocks[k].text(), "the block is named twice");
      return false;
    }
  }
  return true;
}

void replace_block(Edit& edit, const std::string& diagram, std::size_t index, const model::BlockInstance& block) {
  edit.splice(diagram, "blocks", index, 1, {model::item_text(block)});
}

void change_block(Edit& edit, const BlockPath& block, const std::function<void(model::BlockInstance&)>& change) {
  const auto index = find_block(edit, block);
  if (!index) return;
  model::BlockInstance copy = model::copy_of(edit.diagram(block.diagram).blocks[*index]);
  change(copy);
  if (!edit.failed()) replace_block(edit, block.diagram, *index, copy);
}

void replace_link(Edit& edit, const std::string& diagram, std::size_t index, const model::Link& link) {
  if (link.to.empty())
    edit.splice(diagram, "links", index, 1, {});
  else
    edit.splice(diagram, "links", index, 1, {model::item_text(link)});
}

void remove_bends(Edit& edit, const std::string& diagram, const std::vector<Branch>& branches) {
  const auto& bends = edit.diagram(diagram).bends;
  for (std::size_t k = bends.size(); k-- > 0;) {
    const bool gone = std::any_of(branches.begin(), branches.end(), [&](const Branch& b) {
      return bends[k].activation == b.activation && bends[k].from == b.from && bends[k].to == b.to;
    });
    if (gone) edit.splice(diagram, "bends", k, 1, {});
  }
}

void move_settings(Edit& edit, const std::string& from, const std::string& to) {
  model::Settings settings = edit.model().settings;
  bool changed = false;
  const auto follow = [&](std::vector<model::BlockSetting>& list) {
    for (std::size_t k = list.size(); k-- > 0;) {
      std::string& path = list[k].block;
      if (path != from && !path.starts_with(from + "/")) continue;
      changed = true;
      if (to.empty())
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
      else
        path = to + path.substr(from.size());
    }
  };
  follow(settings.tolerances);
  follow(settings.initial);
  if (changed) edit.set("", "simulation", model::settings_text(settings));
}

}  // namespace orrery::edit
