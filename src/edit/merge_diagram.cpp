// SPDX-License-Identifier: Apache-2.0
// Merges one diagram: which blocks are the same, what they are called, their links, layout and masks.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "edit/compare.h"
#include "edit/merging.h"
#include "model/fields.h"
#include "model/items.h"

namespace orrery::edit {

using model::BlockInstance;
using model::Diagram;
using model::PortRef;

namespace {

using Names = std::map<std::string, std::string>;

// Everything about one diagram under way.
class DiagramMerging {
 public:
  DiagramMerging(Merging& merging, const Diagram& base, const Diagram& ours, const Diagram& theirs, std::string path)
      : merging_(merging), base_(base), ours_(ours), theirs_(theirs), path_(std::move(path)) {}

  Diagram run(
      const std::function<BlockInstance(const ThreeBlocks&, const std::string&, const std::string&)>& merge_block) {
    match();
    blocks(merge_block);
    links();
    drawing();
    return std::move(result_);
  }

 private:
  static const BlockInstance* find(const Diagram& diagram, const std::string& name) {
    for (const BlockInstance& block : diagram.blocks) {
      if (block.name == name) return &block;
    }
    return nullptr;
  }

  // Identities: the name in base, or "o:name", "t:name" for what only one side has.
  void match() {
    const Names from_ours = match_blocks(base_, ours_), from_theirs = match_blocks(base_, theirs_);
    for (const BlockInstance& block : base_.blocks) three_["b:" + block.name].base = &block;
    for (const BlockInstance& block : ours_.blocks) {
      const auto found = from_ours.find(block.name);
      const std::string id = found != from_ours.end() ? "b:" + found->second : "n:" + block.name;
      our_id_[block.name] = id;
      three_[id].ours = &block;
    }
    for (const BlockInstance& block : theirs_.blocks) {
      const auto found = from_theirs.find(block.name);
      std::string id = found != from_theirs.end() ? "b:" + found->second : "n:" + block.name;
      // Both added a block of this name: one block, unless they are of different kinds.
      if (found == from_theirs.end() && three_.contains(id) && three_[id].ours != nullptr &&
          three_[id].ours->type != block.type)
        id = "t:" + block.name;
      their_id_[block.name] = id;
      three_[id].theirs = &block;
    }
  }

  bool touched(const BlockInstance& base, const BlockInstance& side, const Diagram& diagram) const {
    model::BlockInstance a = model::copy_of(base), b = model::copy_of(side);
    b.name = a.name;
    if (model::item_text(a) != model::item_text(b)) return true;
    // New links at it are changes as well.
    const auto ends = [](const Diagram& d, const std::string& name) {
      std::size_t count = 0;
      for (const model::Link& link : d.links) {
        for (const PortRef& to : link.to) count += (link.from.block == name) + (to.block == name);
      }
      return count;
    };
    return ends(diagram, side.name) > ends(base_, base.name);
  }

  std::string wanted_name(const ThreeBlocks& three) {
    if (three.ours == nullptr) return three.theirs->name;
    if (three.theirs == nullptr) return three.ours->name;
    const std::string before = three.base != nullptr ? three.base->name : three.ours->name;
    return merging_.choose(before, three.ours->name, three.theirs->name, path_ + "/" + three.ours->name, "name");
  }

  // Whether the block is in the result.
  bool stays(const ThreeBlocks& three) {
    if (three.base == nullptr) return true;
    if (three.ours != nullptr && three.theirs != nullptr) return true;
    if (three.ours == nullptr && three.theirs == nullptr) return false;
    const bool ours = three.ours != nullptr;
    const BlockInstance& side = ours ? *three.ours : *three.theirs;
    if (!touched(*three.base, side, ours ? ours_ : theirs_)) return false;
    merging_.conflicts.push_back(
        {path_ + "/" + side.name, "block", "present", ours ? "changed" : "removed", ours ? "removed" : "changed"});
    return true;
  }

  void blocks(
      const std::function<BlockInstance(const ThreeBlocks&, const std::string&, const std::string&)>& merge_block) {
    for (const std::string& id : order()) {
      const ThreeBlocks& three = three_[id];
      if (!stays(three)) continue;
      std::string name = wanted_name(three);
      if (taken_.contains(name)) {
        merging_.conflicts.push_back(
            {path_ + "/" + name, "name", "", "two blocks have this name", "one of them is renamed"});
        for (int k = 2; taken_.contains(name); ++k) name = wanted_name(three) + std::to_string(k);
      }
      taken_.insert(name);
      final_name_[id] = name;
      if (three.ours != nullptr && three.theirs != nullptr) {
        result_.blocks.push_back(merge_block(three, name, path_ + "/" + name));
      } else {
        BlockInstance copy = model::copy_of(three.ours != nullptr ? *three.ours : *three.theirs);
        copy.name = name;
        result_.blocks.push_back(std::move(copy));
      }
    }
  }

  // Ours, or theirs when only they changed the order; what the other side added comes after its predecessor there.
  std::vector<std::string> order() const {
    const auto ids = [](const Diagram& diagram, const Names& names) {
      std::vector<std::string> list;
      for (const BlockInstance& block : diagram.blocks) list.push_back(names.at(block.name));
      return list;
    };
    const auto ours = ids(ours_, our_id_), theirs = ids(theirs_, their_id_);
    std::vector<std::string> base;
    for (const BlockInstance& block : base_.blocks) base.push_back("b:" + block.name);
    const auto common = [&](const std::vector<std::string>& list) {
      std::vector<std::string> kept;
      for (const std::string& id : list) {
        const ThreeBlocks& three = three_.at(id);
        if (three.base != nullptr && three.ours != nullptr && three.theirs != nullptr) kept.push_back(id);
      }
      return kept;
    };
    const bool by_theirs = ours == base || (common(ours) == common(base) && common(theirs) != common(base));
    std::vector<std::string> list = by_theirs ? theirs : ours;
    const std::vector<std::string>& other = by_theirs ? ours : theirs;
    std::set<std::string> inserted;
    for (std::size_t k = 0; k < other.size(); ++k) {
      if (std::find(list.begin(), list.end(), other[k]) != list.end()) continue;
      const auto before = k == 0 ? list.end() : std::find(list.begin(), list.end(), other[k - 1]);
      auto at = before == list.end() ? list.end() : before + 1;
      // What the first side added in this place stays in front.
      while (at != list.end() && three_.at(*at).base == nullptr && !inserted.contains(*at)) ++at;
      list.insert(at, other[k]);
      inserted.insert(other[k]);
    }
    return list;
  }

  struct Branch {
    bool activation;
    std::string from;
    int from_port;
    std::string to;
    int to_port;
    auto operator<=>(const Branch&) const = default;
  };

  std::map<Branch, std::string> branches(const Diagram& diagram, const Names* names) const {
    std::map<Branch, std::string> all;
    const auto id = [&](const std::string& block) { return names == nullptr ? "b:" + block : names->at(block); };
    for (const model::Link& link : diagram.links) {
      for (const PortRef& to : link.to)
        all[{link.activation, id(link.from.block), link.from.port, id(to.block), to.port}] = link.name;
    }
    return all;
  }

  void links() {
    const auto base = branches(base_, nullptr), ours = branches(ours_, &our_id_),
               theirs = branches(theirs_, &their_id_);
    std::map<std::pair<std::string, int>, Branch> driver;  // of regular inputs
    std::map<std::tuple<bool, std::string, int>, std::size_t> link_of;
    const auto add = [&](const Branch& branch, const std::string& name) {
      if (!final_name_.contains(branch.from) || !final_name_.contains(branch.to)) {
        if (!base.contains(branch)) lost(branch);
        return;
      }
      if (!branch.activation) {
        const auto [known, is_new] = driver.emplace(std::pair{branch.to, branch.to_port}, branch);
        // A model in which two links end at one input was so before: that is for its author to mend.
        const bool one_side = (ours.contains(known->second) && ours.contains(branch)) ||
                              (theirs.contains(known->second) && theirs.contains(branch));
        if (!is_new && !one_side) {
          if (known->second != branch) {
            merging_.conflicts.push_back(
                {path_ + "/" + final_name_[branch.to], fmt::format("input {}", branch.to_port), "",
                 fmt::format("driven by {}:{}", final_name_[known->second.from], known->second.from_port),
                 fmt::format("driven by {}:{}", final_name_[branch.from], branch.from_port)});
          }
          return;
        }
      }
      const auto [at, is_new] =
          link_of.emplace(std::tuple{branch.activation, branch.from, branch.from_port}, result_.links.size());
      if (is_new) {
        model::Link link;
        link.activation = branch.activation;
        link.from = {final_name_[branch.from], branch.from_port};
        link.name = name;
        result_.links.push_back(std::move(link));
      }
      result_.links[at->second].to.push_back({final_name_[branch.to], branch.to_port});
    };
    const auto each = [](const Diagram& diagram, const Names& names, auto&& act) {
      for (const model::Link& link : diagram.links) {
        for (const PortRef& to : link.to) {
          act(Branch{link.activation, names.at(link.from.block), link.from.port, names.at(to.block), to.port},
              link.name);
        }
      }
    };
    each(ours_, our_id_, [&](const Branch& branch, const std::string& name) {
      if (base.contains(branch) && !theirs.contains(branch)) return;
      const auto before = base.find(branch), other = theirs.find(branch);
      const bool both = before != base.end() && other != theirs.end();
      add(branch, both ? merging_.choose(before->second, name, other->second, path_, "name of a link") : name);
    });
    each(theirs_, their_id_, [&](const Branch& branch, const std::string& name) {
      if (!ours.contains(branch) && !base.contains(branch)) add(branch, name);
    });
  }

  void lost(const Branch& branch) {
    const auto shown = [&](const std::string& id) { return final_name_.contains(id) ? final_name_[id] : id.substr(2); };
    merging_.conflicts.push_back({path_.empty() ? "/" : path_,
                                  "link " + branch_name(branch.activation, {shown(branch.from), branch.from_port},
                                                        {shown(branch.to), branch.to_port}),
                                  "", "one side added it", "the other removed one of its blocks"});
  }

  // Never a conflict: ours, unless only theirs changed.
  void drawing() {
    std::map<std::string, model::LayoutItem> base, ours, theirs;
    for (const auto& item : base_.layout) base["b:" + item.block] = item;
    std::vector<std::string> order;
    for (const auto& item : ours_.layout) {
      if (!our_id_.contains(item.block)) continue;
      ours[our_id_[item.block]] = item;
      order.push_back(our_id_[item.block]);
    }
    for (const auto& item : theirs_.layout) {
      if (!their_id_.contains(item.block)) continue;
      const std::string id = their_id_[item.block];
      theirs[id] = item;
      if (!ours.contains(id)) order.push_back(id);
    }
    const auto same = [](const model::LayoutItem& a, const model::LayoutItem& b) {
      return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height && a.flow == b.flow;
    };
    for (const std::string& id : order) {
      if (!final_name_.contains(id)) continue;
      const bool unchanged = ours.contains(id) && base.contains(id) && same(ours[id], base[id]);
      model::LayoutItem item = !ours.contains(id) || (unchanged && theirs.contains(id)) ? theirs[id] : ours[id];
      item.block = final_name_[id];
      result_.layout.push_back(item);
    }
    bends();
    for (const model::Note& note : ours_.notes) {
      if (!has_note(base_, note) || has_note(theirs_, note)) result_.notes.push_back(note);
    }
    for (const model::Note& note : theirs_.notes) {
      if (!has_note(base_, note) && !has_note(ours_, note)) result_.notes.push_back(note);
    }
  }

  static bool has_note(const Diagram& diagram, const model::Note& note) {
    return std::any_of(diagram.notes.begin(), diagram.notes.end(),
                       [&](const model::Note& n) { return model::item_text(n) == model::item_text(note); });
  }

  void bends() {
    std::set<std::string> branches, done;
    for (const model::Link& link : result_.links) {
      for (const PortRef& to : link.to) branches.insert(model::branch_text({link.activation, link.from, to, {}, 0}));
    }
    const auto add = [&](const Diagram& side, const Names& names) {
      for (model::Bends item : side.bends) {
        if (!names.contains(item.from.block) || !names.contains(item.to.block)) continue;
        const std::string &from = names.at(item.from.block), &to = names.at(item.to.block);
        if (!final_name_.contains(from) || !final_name_.contains(to)) continue;
        item.from.block = final_name_[from];
        item.to.block = final_name_[to];
        const std::string key = model::branch_text(item);
        if (branches.contains(key) && done.insert(key).second) result_.bends.push_back(std::move(item));
      }
    };
    add(ours_, our_id_);
    add(theirs_, their_id_);
  }

  Merging& merging_;
  const Diagram &base_, &ours_, &theirs_;
  std::string path_;
  std::map<std::string, ThreeBlocks> three_;
  Names our_id_, their_id_;
  std::map<std::string, std::string> final_name_;  // by identity
  std::set<std::string> taken_;
  Diagram result_;
};

}  // namespace

Diagram Merging::diagram(const Diagram& base, const Diagram& ours, const Diagram& theirs, const std::string& path) {
  const std::size_t before = conflicts.size();
  Diagram merged = DiagramMerging(*this, base, ours, theirs, path)
                       .run([this](const ThreeBlocks& three, const std::string& name, const std::string& where) {
                         return block(three, name, where);
                       });
  merged.context = lines(base.context, ours.context, theirs.context, path, "context");
  merged.program = lines(base.program, ours.program, theirs.program, path, "program");
  merged.atomic = choose(base.atomic, ours.atomic, theirs.atomic, path, "atomic",
                         [](bool on) { return std::string(on ? "true" : "false"); });
  merged.for_each = choose(base.for_each, ours.for_each, theirs.for_each, path, "for_each", [](model::ForEach each) {
    return std::string(each == model::ForEach::none       ? "none"
                       : each == model::ForEach::elements ? "elements"
                                                          : "columns");
  });
  merged.count = choose(base.count, ours.count, theirs.count, path, "count");
  std::set<std::string> seen;
  const auto find = [](const Diagram& d, const std::string& name) {
    const auto found = std::find_if(d.mask.begin(), d.mask.end(), [&](const auto& p) { return p.name == name; });
    return found == d.mask.end() ? std::string() : model::item_text(*found);
  };
  for (const Diagram* side : {&ours, &theirs}) {
    for (const model::MaskParameter& parameter : side->mask) {
      if (!seen.insert(parameter.name).second) continue;
      const std::string text = choose(find(base, parameter.name), find(ours, parameter.name),
                                      find(theirs, parameter.name), path, "mask parameter " + parameter.name);
      if (text.empty()) continue;
      Diagnostics ignored;
      if (auto item = model::parse_items("mask", {text}, ignored)) merged.mask.push_back(item->mask[0]);
    }
  }
  // Conflicts of this sheet, not of those inside it, which have them already.
  double y = -60;
  for (const model::LayoutItem& item : merged.layout) y = std::min(y, item.y - 60);
  for (std::size_t k = before; k < conflicts.size(); ++k) {
    const std::string& where = conflicts[k].path;
    if (where != "/" && where.size() > path.size() && where.find('/', path.size() + 1) != std::string::npos) continue;
    merged.notes.push_back({"CONFLICT " + conflict_text(conflicts[k]), 0, y, 500, 24, 0});
    y -= 30;
  }
  return merged;
}

}  // namespace orrery::edit
