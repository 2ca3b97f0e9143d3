// SPDX-License-Identifier: Apache-2.0
// Merges item by item: what one side alone changed is taken, what both changed alike too, the rest is a conflict.
#include "edit/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "edit/compare.h"
#include "edit/merging.h"
#include "model/fields.h"
#include "model/items.h"

namespace orrery::edit {

using model::BlockInstance;
using model::Diagram;

// Regions between lines that all three have; each is taken from the side that changed it.
std::vector<std::string> Merging::lines(const std::vector<std::string>& base, const std::vector<std::string>& ours,
                                        const std::vector<std::string>& theirs, const std::string& path,
                                        const std::string& what) {
  if (ours == theirs || theirs == base) return ours;
  if (ours == base) return theirs;
  std::map<std::size_t, std::size_t> in_ours, in_theirs;
  for (const auto& [x, y] : common_lines(base, ours)) in_ours[x] = y;
  for (const auto& [x, y] : common_lines(base, theirs)) in_theirs[x] = y;
  std::vector<std::string> result;
  std::size_t b = 0, o = 0, t = 0;
  const auto part = [](const std::vector<std::string>& list, std::size_t from, std::size_t to) {
    return std::vector<std::string>(list.begin() + static_cast<std::ptrdiff_t>(from),
                                    list.begin() + static_cast<std::ptrdiff_t>(to));
  };
  for (std::size_t k = 0; k <= base.size(); ++k) {
    const bool end = k == base.size();
    if (!end && !(in_ours.contains(k) && in_theirs.contains(k))) continue;
    const std::size_t next_o = end ? ours.size() : in_ours[k], next_t = end ? theirs.size() : in_theirs[k];
    const auto chosen =
        choose(part(base, b, k), part(ours, o, next_o), part(theirs, t, next_t), path, what,
               [](const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, " ⏎ ")); });
    result.insert(result.end(), chosen.begin(), chosen.end());
    if (!end) result.push_back(base[k]);
    b = k + 1;
    o = next_o + 1;
    t = next_t + 1;
  }
  return result;
}

std::vector<model::Parameter> Merging::parameters(const ThreeBlocks& three, const std::string& path) {
  static const BlockInstance nothing;
  const BlockInstance& base = three.base != nullptr ? *three.base : nothing;
  const auto text = [](const BlockInstance& block, const std::string& name) {
    const model::Parameter* found = block.find_parameter(name);
    return found == nullptr ? std::string("(default)") : found->value;
  };
  std::vector<model::Parameter> result;
  std::set<std::string> seen;
  for (const BlockInstance* side : {three.ours, three.theirs, &base}) {
    for (const model::Parameter& parameter : side->parameters) {
      if (!seen.insert(parameter.name).second) continue;
      const std::string value = choose(text(base, parameter.name), text(*three.ours, parameter.name),
                                       text(*three.theirs, parameter.name), path, "parameter " + parameter.name);
      if (value != "(default)") result.push_back({parameter.name, value, 0});
    }
  }
  return result;
}

BlockInstance Merging::block(const ThreeBlocks& three, const std::string& name, const std::string& path) {
  static const BlockInstance nothing;
  const BlockInstance &base = three.base != nullptr ? *three.base : nothing, &ours = *three.ours,
                      &theirs = *three.theirs;
  BlockInstance merged;
  merged.name = name;
  merged.type = choose(base.type, ours.type, theirs.type, path, "type");
  merged.about = choose(base.about, ours.about, theirs.about, path, "about");
  merged.icon = choose(base.icon, ours.icon, theirs.icon, path, "icon");
  merged.off =
      choose(base.off, ours.off, theirs.off, path, "off", [](bool off) { return std::string(off ? "true" : "false"); });
  merged.activation =
      choose(base.activation, ours.activation, theirs.activation, path, "activation",
             [](model::Activation a) { return std::string(model::activation_names[static_cast<int>(a)]); });
  merged.parameters = parameters(three, path);
  static const Diagram empty;
  if (ours.diagram || theirs.diagram) {
    merged.diagram =
        std::make_unique<Diagram>(diagram(base.diagram ? *base.diagram : empty, ours.diagram ? *ours.diagram : empty,
                                          theirs.diagram ? *theirs.diagram : empty, path));
  }
  return merged;
}

std::vector<model::BlockSetting> Merging::block_settings(const std::vector<model::BlockSetting>& base,
                                                         const std::vector<model::BlockSetting>& ours,
                                                         const std::vector<model::BlockSetting>& theirs,
                                                         const std::string& what) {
  const auto find = [](const std::vector<model::BlockSetting>& list, const std::string& path) {
    for (const auto& item : list) {
      if (item.block == path) return item.text;
    }
    return std::string();
  };
  std::vector<model::BlockSetting> merged;
  std::set<std::string> seen;
  for (const auto* side : {&ours, &theirs}) {
    for (const auto& item : *side) {
      if (!seen.insert(item.block).second) continue;
      const std::string text =
          choose(find(base, item.block), find(ours, item.block), find(theirs, item.block), item.block, what);
      if (!text.empty()) merged.push_back({item.block, text, 0});
    }
  }
  return merged;
}

model::Settings Merging::settings(const model::Settings& base, const model::Settings& ours,
                                  const model::Settings& theirs) {
  model::Settings merged;
  for (const model::SettingInfo& info : model::setting_table()) {
    (merged.*info.text).text = choose((base.*info.text).text, (ours.*info.text).text, (theirs.*info.text).text, "",
                                      "setting " + std::string(info.name));
  }
  merged.tolerances = block_settings(base.tolerances, ours.tolerances, theirs.tolerances, "tolerance");
  merged.initial = block_settings(base.initial, ours.initial, theirs.initial, "initial condition");
  return merged;
}

std::string conflict_text(const Conflict& conflict) {
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("(nothing)") : text; };
  return fmt::format("{}: {}: ours {}, theirs {}, before {}", conflict.path, conflict.what, shown(conflict.ours),
                     shown(conflict.theirs), shown(conflict.base));
}

Merged merge(const model::Model& base, const model::Model& ours, const model::Model& theirs) {
  Merging merging;
  Merged merged;
  merged.model.file = ours.file;
  merged.model.name = merging.choose(base.name, ours.name, theirs.name, "", "name");
  merged.model.about = merging.choose(base.about, ours.about, theirs.about, "", "about");
  merged.model.settings = merging.settings(base.settings, ours.settings, theirs.settings);
  merged.model.libraries = merging.libraries(base.libraries, ours.libraries, theirs.libraries);
  merged.model.initialization =
      merging.lines(base.initialization, ours.initialization, theirs.initialization, "", "initialization");
  // Conflicts so far are told on the top sheet as well.
  const std::vector<Conflict> before = merging.conflicts;
  merged.model.root = merging.diagram(base.root, ours.root, theirs.root, "");
  double y = -60;
  for (const model::Note& note : merged.model.root.notes) y = std::min(y, note.y - 30);
  for (const Conflict& conflict : before) {
    merged.model.root.notes.push_back({"CONFLICT " + conflict_text(conflict), 0, y, 500, 24, 0});
    y -= 30;
  }
  merged.conflicts = std::move(merging.conflicts);
  return merged;
}

}  // namespace orrery::edit
