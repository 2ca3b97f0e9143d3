// SPDX-License-Identifier: Apache-2.0
// Compares diagrams block by block, link by link, line by line.
#include "edit/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "model/fields.h"
#include "model/items.h"

namespace orrery::edit {
namespace {

using Kind = Difference::Kind;
using Branches = std::map<std::string, std::string>;  // "A:1 -> B:1" and the name of the link

std::string flow_text(model::Flow flow) {
  return flow == model::Flow::right ? "" : ", " + std::string(model::flow_names[static_cast<int>(flow)]);
}

class Comparing {
 public:
  explicit Comparing(const CompareOptions& options) : options_(options) {}

  std::vector<Difference> run(const model::Model& a, const model::Model& b) {
    text("model", "", "name", a.name, b.name);
    text("model", "", "about", a.about, b.about);
    for (const model::SettingInfo& info : model::setting_table()) {
      text("setting", "", std::string(info.name), (a.settings.*info.text).text, (b.settings.*info.text).text);
    }
    block_settings("tolerance of ", a.settings.tolerances, b.settings.tolerances);
    block_settings("initial condition of ", a.settings.initial, b.settings.initial);
    lines("initialization", "", a.initialization, b.initialization);
    std::vector<std::string> needs_a, needs_b;
    for (const auto& need : a.libraries) needs_a.push_back(library_text(need));
    for (const auto& need : b.libraries) needs_b.push_back(library_text(need));
    lines("library", "", needs_a, needs_b);
    diagrams(a.root, b.root, "", "");
    return std::move(found_);
  }

 private:
  void note(Kind kind, const char* what, const std::string& path, std::string field, std::string before = {},
            std::string after = {}) {
    found_.push_back({kind, what, path.empty() ? "/" : path, std::move(field), std::move(before), std::move(after)});
  }

  void text(const char* what, const std::string& path, const std::string& field, const std::string& a,
            const std::string& b) {
    if (a != b) note(Kind::changed, what, path, field, a, b);
  }

  void block_settings(const std::string& what, const std::vector<model::BlockSetting>& a,
                      const std::vector<model::BlockSetting>& b) {
    std::map<std::string, std::pair<std::string, std::string>> all;
    for (const auto& item : a) all[item.block].first = item.text;
    for (const auto& item : b) all[item.block].second = item.text;
    for (const auto& [path, texts] : all) text("setting", "", what + path, texts.first, texts.second);
  }

  void lines(const char* what, const std::string& path, const std::vector<std::string>& a,
             const std::vector<std::string>& b) {
    if (a == b) return;
    std::size_t i = 0, j = 0;
    auto common = common_lines(a, b);
    common.emplace_back(a.size(), b.size());
    for (const auto& [x, y] : common) {
      for (; i < x; ++i) note(Kind::removed, what, path, fmt::format("line {}", i + 1), a[i]);
      for (; j < y; ++j) note(Kind::added, what, path, fmt::format("line {}", j + 1), "", b[j]);
      i = x + 1;
      j = y + 1;
    }
  }

  void diagrams(const model::Diagram& a, const model::Diagram& b, const std::string& path_a,
                const std::string& path_b) {
    lines("context", path_b, a.context, b.context);
    lines("program", path_b, a.program, b.program);
    text("diagram", path_b, "atomic", a.atomic ? "true" : "", b.atomic ? "true" : "");
    text("diagram", path_b, "for_each", for_each_text(a), for_each_text(b));
    text("diagram", path_b, "count", a.count, b.count);
    masks(a, b, path_b);
    const auto matched = match_blocks(a, b);
    std::map<std::string, const model::BlockInstance*> blocks_a;
    std::set<std::string> kept;
    for (const auto& block : a.blocks) blocks_a[block.name] = &block;
    for (const auto& block : b.blocks) {
      const auto found = matched.find(block.name);
      const std::string path = path_b + "/" + block.name;
      if (found == matched.end()) {
        note(Kind::added, "block", path, "", "", block.type);
        continue;
      }
      kept.insert(found->second);
      const model::BlockInstance& before = *blocks_a[found->second];
      if (before.name != block.name) note(Kind::renamed, "block", path, "name", before.name, block.name);
      blocks(before, block, path_a + "/" + before.name, path);
    }
    for (const auto& block : a.blocks) {
      if (!kept.contains(block.name)) note(Kind::removed, "block", path_a + "/" + block.name, "", block.type);
    }
    order(a, b, matched, path_b);
    links(a, b, matched, path_b);
    notes(a, b, path_b);
    if (options_.layout) layout(a, b, matched, path_b);
  }

  void masks(const model::Diagram& a, const model::Diagram& b, const std::string& path) {
    std::map<std::string, const model::MaskParameter*> in_a;
    for (const auto& parameter : a.mask) in_a[parameter.name] = &parameter;
    for (const auto& parameter : b.mask) {
      const auto found = in_a.find(parameter.name);
      if (found == in_a.end()) {
        note(Kind::added, "mask", path, "parameter " + parameter.name, "", parameter.value);
        continue;
      }
      text("mask", path, "prompt of " + parameter.name, found->second->prompt, parameter.prompt);
      text("mask", path, "default of " + parameter.name, found->second->value, parameter.value);
      if (model::item_text(*found->second) != model::item_text(parameter) && found->second->value == parameter.value &&
          found->second->prompt == parameter.prompt) {
        note(Kind::changed, "mask", path, "parameter " + parameter.name, model::item_text(*found->second),
             model::item_text(parameter));
      }
      in_a.erase(found);
    }
    for (const auto& [name, parameter] : in_a) note(Kind::removed, "mask", path, "parameter " + name, parameter->value);
  }

  void blocks(const model::BlockInstance& a, const model::BlockInstance& b, const std::string& path_a,
              const std::string& path) {
    text("block", path, "type", a.type, b.type);
    text("block", path, "about", a.about, b.about);
    text("block", path, "icon", a.icon, b.icon);
    text("block", path, "off", a.off ? "true" : "false", b.off ? "true" : "false");
    text("block", path, "activation", std::string(model::activation_names[static_cast<int>(a.activation)]),
         std::string(model::activation_names[static_cast<int>(b.activation)]));
    for (const model::Parameter& parameter : b.parameters) {
      const model::Parameter* before = a.find_parameter(parameter.name);
      if (before == nullptr)
        note(Kind::changed, "block", path, "parameter " + parameter.name, "(default)", parameter.value);
      else
        text("block", path, "parameter " + parameter.name, before->value, parameter.value);
    }
    for (const model::Parameter& parameter : a.parameters) {
      if (b.find_parameter(parameter.name) == nullptr)
        note(Kind::changed, "block", path, "parameter " + parameter.name, parameter.value, "(default)");
    }
    static const model::Diagram nothing;
    if (a.diagram || b.diagram)
      diagrams(a.diagram ? *a.diagram : nothing, b.diagram ? *b.diagram : nothing, path_a, path);
  }

  // Ties between simultaneous events follow the order.
  void order(const model::Diagram& a, const model::Diagram& b, const std::map<std::string, std::string>& matched,
             const std::string& path) {
    std::vector<std::string> in_a, in_b;
    std::set<std::string> common;
    for (const auto& block : b.blocks) {
      const auto found = matched.find(block.name);
      if (found == matched.end()) continue;
      in_b.push_back(found->second);
      common.insert(found->second);
    }
    for (const auto& block : a.blocks) {
      if (common.contains(block.name)) in_a.push_back(block.name);
    }
    if (in_a == in_b) return;
    std::size_t k = 0;
    while (in_a[k] == in_b[k]) ++k;
    note(Kind::changed, "order", path, "blocks", in_a[k] + " comes next", in_b[k] + " comes next");
  }

  static Branches branches(const model::Diagram& diagram, const std::map<std::string, std::string>* matched) {
    Branches all;
    const auto named = [&](model::PortRef ref) {
      if (matched != nullptr) {
        const auto found = matched->find(ref.block);
        // A block that only the second model has must not meet one of the same name in the first.
        ref.block = found == matched->end() ? "\n" + ref.block : found->second;
      }
      return ref;
    };
    for (const model::Link& link : diagram.links) {
      for (const model::PortRef& to : link.to)
        all[branch_name(link.activation, named(link.from), named(to))] = link.name;
    }
    return all;
  }

  void links(const model::Diagram& a, const model::Diagram& b, const std::map<std::string, std::string>& matched,
             const std::string& path) {
    const Branches in_a = branches(a, nullptr), in_b = branches(b, &matched);
    std::set<std::string> named;
    for (const model::Link& link : b.links) {
      for (const model::PortRef& to : link.to) {
        const auto name_of = [&](model::PortRef ref) {
          const auto found = matched.find(ref.block);
          ref.block = found == matched.end() ? "\n" + ref.block : found->second;
          return ref;
        };
        const std::string key = branch_name(link.activation, name_of(link.from), name_of(to));
        const auto before = in_a.find(key);
        if (before == in_a.end())
          note(Kind::added, "link", path, branch_name(link.activation, link.from, to));
        else if (before->second != link.name && named.insert(before->second + "\n" + link.name).second) {
          note(Kind::changed, "link", path, "name of " + branch_name(link.activation, link.from, to), before->second,
               link.name);
        }
      }
    }
    for (const auto& [key, name] : in_a) {
      if (!in_b.contains(key)) note(Kind::removed, "link", path, key);
    }
  }

  void notes(const model::Diagram& a, const model::Diagram& b, const std::string& path) {
    std::multiset<std::string> in_a, in_b;
    for (const auto& n : a.notes) in_a.insert(n.text);
    for (const auto& n : b.notes) in_b.insert(n.text);
    for (const auto& n : b.notes) {
      const auto found = in_a.find(n.text);
      if (found == in_a.end())
        note(Kind::added, "note", path, "", "", n.text);
      else
        in_a.erase(found);
    }
    for (const std::string& gone : in_a) note(Kind::removed, "note", path, "", gone);
  }

  void layout(const model::Diagram& a, const model::Diagram& b, const std::map<std::string, std::string>& matched,
              const std::string& path) {
    std::map<std::string, std::string> in_a;
    const auto place = [](const model::LayoutItem& item) {
      return fmt::format("[{}, {}, {}, {}{}]", item.x, item.y, item.width, item.height, flow_text(item.flow));
    };
    for (const auto& item : a.layout) in_a[item.block] = place(item);
    for (const auto& item : b.layout) {
      const auto found = matched.find(item.block);
      if (found == matched.end()) continue;
      const auto before = in_a.find(found->second);
      const std::string was = before == in_a.end() ? "" : before->second;
      if (was != place(item)) note(Kind::moved, "block", path + "/" + item.block, "layout", was, place(item));
    }
    std::map<std::string, std::string> bends;
    for (const auto& item : a.bends) bends[model::branch_text(item)] = model::item_text(item);
    for (const auto& item : b.bends) {
      std::string& was = bends[model::branch_text(item)];
      if (was != model::item_text(item)) note(Kind::moved, "link", path, model::branch_text(item));
      was.clear();
    }
    for (const auto& [branch, was] : bends) {
      if (!was.empty()) note(Kind::moved, "link", path, branch);
    }
  }

  const CompareOptions& options_;
  std::vector<Difference> found_;
};

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::added: return "added";
    case Kind::removed: return "removed";
    case Kind::changed: return "changed";
    case Kind::renamed: return "renamed";
    case Kind::moved: break;
  }
  return "moved";
}

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

}  // namespace

std::string library_text(const model::LibraryNeed& need) {
  std::string text = need.name;
  if (!need.version.empty()) text += " version " + need.version;
  if (!need.path.empty()) text += " at " + need.path;
  if (!need.key.empty()) text += " key " + need.key;
  return text;
}

std::string for_each_text(const model::Diagram& diagram) {
  return std::string(model::for_each_names[static_cast<int>(diagram.for_each)]);
}

std::string branch_name(bool activation, const model::PortRef& from, const model::PortRef& to) {
  return fmt::format("{}{}:{} -> {}:{}", activation ? "event " : "", from.block, from.port, to.block, to.port);
}

// Longest common subsequence; long texts are compared from both ends only.
std::vector<std::pair<std::size_t, std::size_t>> common_lines(const std::vector<std::string>& a,
                                                              const std::vector<std::string>& b) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::size_t first = 0, end_a = a.size(), end_b = b.size();
  while (first < end_a && first < end_b && a[first] == b[first]) {
    pairs.emplace_back(first, first);
    ++first;
  }
  std::vector<std::pair<std::size_t, std::size_t>> tail;
  while (end_a > first && end_b > first && a[end_a - 1] == b[end_b - 1]) tail.emplace_back(--end_a, --end_b);
  const std::size_t n = end_a - first, m = end_b - first;
  if (n * m <= 4'000'000) {
    std::vector<std::vector<int>> best(n + 1, std::vector<int>(m + 1, 0));
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = m; j-- > 0;) {
        best[i][j] = a[first + i] == b[first + j] ? best[i + 1][j + 1] + 1 : std::max(best[i + 1][j], best[i][j + 1]);
      }
    }
    for (std::size_t i = 0, j = 0; i < n && j < m;) {
      if (a[first + i] == b[first + j])
        pairs.emplace_back(first + i++, first + j++);
      else if (best[i + 1][j] >= best[i][j + 1])
        ++i;
      else
        ++j;
    }
  }
  pairs.insert(pairs.end(), tail.rbegin(), tail.rend());
  return pairs;
}

std::vector<Difference> compare(const model::Model& a, const model::Model& b, const CompareOptions& options) {
  return Comparing(options).run(a, b);
}

std::string differences_text(const std::vector<Difference>& differences) {
  std::string out;
  for (const Difference& d : differences) {
    const char sign = d.kind == Kind::added ? '+' : d.kind == Kind::removed ? '-' : '~';
    std::string line = fmt::format("{} {}", sign, d.path);
    switch (d.kind) {
      case Kind::added:
      case Kind::removed: {
        const std::string& value = d.kind == Kind::added ? d.after : d.before;
        if (d.what == "block")
          line += fmt::format(" ({})", value);
        else
          line += fmt::format(": {}{}{}{}{}", d.what, d.field.empty() ? "" : " ", d.field, value.empty() ? "" : ": ",
                              value);
        break;
      }
      case Kind::renamed: line += ": was called " + d.before; break;
      case Kind::moved:
        line += fmt::format(": moved{}", d.before.empty() ? "" : " from " + d.before + " to " + d.after);
        break;
      case Kind::changed:
        line += fmt::format(": {}{}: {} -> {}", d.what == "block" || d.what == "model" ? "" : d.what + " ", d.field,
                            d.before.empty() ? "(nothing)" : d.before, d.after.empty() ? "(nothing)" : d.after);
        break;
    }
    out += on_one_line(line) + "\n";
  }
  return out;
}

std::string differences_json(const std::vector<Difference>& differences) {
  auto list = nlohmann::ordered_json::array();
  for (const Difference& d : differences) {
    nlohmann::ordered_json item;
    item["kind"] = name_of(d.kind);
    item["what"] = d.what;
    item["path"] = d.path;
    if (!d.field.empty()) item["field"] = d.field;
    if (!d.before.empty()) item["before"] = d.before;
    if (!d.after.empty()) item["after"] = d.after;
    list.push_back(std::move(item));
  }
  return list.dump(2) + "\n";
}

}  // namespace orrery::edit
