// SPDX-License-Identifier: Apache-2.0
// Super blocks: blocks into one, one into its blocks, masks.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "blocks/block.h"
#include "edit/find.h"
#include "model/items.h"
#include "picture/make_scene.h"

namespace orrery::edit {
namespace {

struct PlainBranch {
  bool activation = false;
  PortRef from, to;
  std::string name;
};

std::string type_with(blocks::Role role) {
  for (const blocks::BlockType* type : blocks::library()) {
    if (type->role == role) return type->name;
  }
  return {};
}

std::string port_parameter(const std::string& type_name) {
  const blocks::BlockType* type = blocks::find_type(type_name);
  for (const blocks::ParameterSpec& spec : type->parameters) {
    if (spec.name.starts_with("port")) return spec.name;
  }
  return "port";
}

int port_number_of(const model::BlockInstance& block, int rank) {
  const model::Parameter* parameter = block.find_parameter(port_parameter(block.type));
  if (parameter == nullptr) return rank;
  const std::string& text = parameter->value;
  const bool digits = !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::stoi(text) : rank;
}

// Builds the inside of a super block from blocks of a diagram, and what the links around it become.
class Grouping {
 public:
  Grouping(const model::Diagram& outside, const std::vector<BlockPath>& blocks, std::string name)
      : outside_(outside), name_(std::move(name)) {
    for (const BlockPath& block : blocks) chosen_.insert(block.name);
  }

  model::Diagram inside;
  std::vector<std::optional<model::Link>> links;  // by link of the diagram: what it becomes; nothing: it stays

  void run() {
    for (const model::BlockInstance& block : outside_.blocks) {
      if (chosen_.contains(block.name)) inside.blocks.push_back(model::copy_of(block));
    }
    for (const model::LayoutItem& item : outside_.layout) {
      if (chosen_.contains(item.block)) inside.layout.push_back(item);
    }
    for (const model::Link& link : outside_.links) add_link(link);
    place_ports();
  }

 private:
  bool is_inside(const PortRef& ref) const { return chosen_.contains(ref.block); }

  void add_link(const model::Link& link) {
    model::Link inner = link, outer = link;
    std::erase_if(inner.to, [&](const PortRef& to) { return !is_inside(to); });
    std::erase_if(outer.to, [&](const PortRef& to) { return is_inside(to); });
    if (is_inside(link.from)) {
      if (!outer.to.empty()) {
        const PortRef port =
            port_block(link.activation ? blocks::Role::diagram_event_output : blocks::Role::diagram_output, link.from);
        if (std::find(inner.to.begin(), inner.to.end(), PortRef{port.block, 1}) == inner.to.end() && fresh_)
          inner.to.push_back({port.block, 1});
        outer.from = {name_, port.port};
      }
      if (!inner.to.empty()) inside.links.push_back(inner);
      links.push_back(outer);
      return;
    }
    if (inner.to.empty()) {
      links.push_back(std::nullopt);
      return;
    }
    const PortRef port =
        port_block(link.activation ? blocks::Role::diagram_event_input : blocks::Role::diagram_input, link.from);
    inner.from = {port.block, 1};
    // A second link from the same output joins the first one inside.
    const auto same = std::find_if(inside.links.begin(), inside.links.end(), [&](const model::Link& known) {
      return known.activation == inner.activation && known.from == inner.from;
    });
    if (same != inside.links.end())
      same->to.insert(same->to.end(), inner.to.begin(), inner.to.end());
    else
      inside.links.push_back(inner);
    if (fresh_) {
      // At the place of the first end that went inside.
      outer = link;
      const auto first =
          std::find_if(outer.to.begin(), outer.to.end(), [&](const PortRef& to) { return is_inside(to); });
      *first = {name_, port.port};
      std::erase_if(outer.to, [&](const PortRef& to) { return is_inside(to); });
    }
    links.push_back(outer);
  }

  // The port block for an outside source or an inside source; `block` its name inside, `port` its number.
  PortRef port_block(blocks::Role role, const PortRef& end) {
    const auto key = std::make_tuple(role, end.block, end.port);
    const auto known = ports_.find(key);
    fresh_ = known == ports_.end();
    if (!fresh_) return known->second;
    const std::string type = type_with(role);
    model::BlockInstance block;
    block.type = type;
    const int number = ++counts_[role];
    block.name = unique_name(inside, type + (number > 1 ? std::to_string(number) : ""));
    block.parameters.push_back({port_parameter(type), std::to_string(number), 0});
    inside.blocks.push_back(model::copy_of(block));
    return ports_[key] = {block.name, number};
  }

  // Around a kept layout: inputs on the left, outputs on the right.
  void place_ports() {
    if (inside.layout.empty()) return;
    double left = 1e300, right = -1e300, top = 1e300;
    for (const model::LayoutItem& item : inside.layout) {
      left = std::min(left, item.x);
      right = std::max(right, item.x + item.width);
      top = std::min(top, item.y);
    }
    for (const auto& [key, ref] : ports_) {
      const blocks::Role role = std::get<0>(key);
      const double k = ref.port - 1;
      model::LayoutItem item{ref.block, left - 120, top + 60 * k, 50, 40, Flow::right, 0};
      if (role == blocks::Role::diagram_output) item.x = right + 70;
      if (role == blocks::Role::diagram_event_input)
        item = {ref.block, left + 80 * k, top - 90, 50, 30, Flow::right, 0};
      if (role == blocks::Role::diagram_event_output)
        item = {ref.block, right + 70 + 80 * k, top - 90, 50, 30, Flow::right, 0};
      inside.layout.push_back(item);
    }
  }

  const model::Diagram& outside_;
  std::string name_;
  std::set<std::string> chosen_;
  std::map<std::tuple<blocks::Role, std::string, int>, PortRef> ports_;
  std::map<blocks::Role, int> counts_;
  bool fresh_ = false;
};

}  // namespace

std::string group(Edit& edit, const std::vector<BlockPath>& blocks, const std::string& wanted) {
  if (!same_diagram(edit, blocks)) return {};
  const std::string at = blocks[0].diagram;
  for (const BlockPath& block : blocks) {
    const auto index = index_of(edit.diagram(at), block.name);
    const auto role = blocks::role_of(edit.diagram(at).blocks[*index].type);
    if (role >= blocks::Role::diagram_input && role <= blocks::Role::diagram_event_output) {
      edit.fail(block.text(), "a port of the diagram cannot be put into a super block", "leave it out");
      return {};
    }
  }
  const std::string name = unique_name(edit.diagram(at), wanted.empty() ? "SuperBlock" : wanted);
  Grouping grouping(edit.diagram(at), blocks, name);
  grouping.run();
  model::BlockInstance super;
  super.name = name;
  super.type = "SuperBlock";
  std::optional<model::LayoutItem> spot;
  for (const model::LayoutItem& item : edit.diagram(at).layout) {
    if (item.block == blocks[0].name) spot = model::LayoutItem{name, item.x, item.y, 80, 40, Flow::right, 0};
  }
  super.diagram = std::make_unique<model::Diagram>(std::move(grouping.inside));
  edit.splice(at, "blocks", edit.diagram(at).blocks.size(), 0, {model::item_text(super)});
  for (std::size_t k = grouping.links.size(); k-- > 0;) {
    if (grouping.links[k]) replace_link(edit, at, k, *grouping.links[k]);
  }
  for (const BlockPath& block : blocks) {
    if (edit.failed()) return {};
    edit.splice(at, "blocks", *index_of(edit.diagram(at), block.name), 1, {});
    if (const auto layout = layout_index(edit.diagram(at), block.name)) edit.splice(at, "layout", *layout, 1, {});
    move_settings(edit, block.text(), at + "/" + name + "/" + block.name);
  }
  for (std::size_t k = edit.diagram(at).bends.size(); k-- > 0;) {
    const model::Bends& bends = edit.diagram(at).bends[k];
    if (!index_of(edit.diagram(at), bends.from.block) || !index_of(edit.diagram(at), bends.to.block))
      edit.splice(at, "bends", k, 1, {});
  }
  if (spot) edit.splice(at, "layout", edit.diagram(at).layout.size(), 0, {model::item_text(*spot)});
  return name;
}

namespace {

// What the links of a diagram become when a super block of it is opened up.
class Opening {
 public:
  Opening(const model::Diagram& outside, const model::BlockInstance& super) : outside_(outside), super_(super) {
    std::set<std::string> taken;
    for (const model::BlockInstance& block : outside.blocks) {
      if (block.name != super.name) taken.insert(block.name);
    }
    std::map<blocks::Role, int> ranks;
    for (const model::BlockInstance& block : super.diagram->blocks) {
      const auto role = block.diagram ? blocks::Role::ordinary : blocks::role_of(block.type);
      if (role >= blocks::Role::diagram_input && role <= blocks::Role::diagram_event_output) {
        ports_[block.name] = {role, port_number_of(block, ++ranks[role])};
        continue;
      }
      std::string name = block.name;
      for (int k = 2; taken.contains(name); ++k) name = block.name + std::to_string(k);
      taken.insert(name);
      names_[block.name] = name;
    }
  }

  const std::map<std::string, std::string>& names() const { return names_; }

  std::vector<PlainBranch> branches() {
    std::vector<PlainBranch> result;
    for (const model::Link& link : super_.diagram->links) {
      for (const PortRef& to : link.to) {
        for (const PortRef& source : sources(link.activation, link.from, 0)) {
          for (const PortRef& target : targets(link.activation, to, 0)) {
            result.push_back({link.activation, source, target, link.name});
          }
        }
      }
    }
    return result;
  }

 private:
  struct Port {
    blocks::Role role;
    int number;
  };

  // The real outputs behind an output inside.
  std::vector<PortRef> sources(bool activation, const PortRef& inner, int depth) const {
    const auto port = ports_.find(inner.block);
    if (port == ports_.end()) return {{names_.at(inner.block), inner.port}};
    std::vector<PortRef> found;
    if (depth > 20) return found;
    for (const model::Link& link : outside_.links) {
      if (link.activation != activation) continue;
      for (const PortRef& to : link.to) {
        if (to.block != super_.name || to.port != port->second.number) continue;
        if (link.from.block != super_.name) {
          found.push_back(link.from);
          continue;
        }
        // The super block drives itself.
        for (const model::Link& own : super_.diagram->links) {
          for (const PortRef& end : own.to) {
            const auto out = ports_.find(end.block);
            if (own.activation != activation || out == ports_.end() || out->second.number != link.from.port) continue;
            for (const PortRef& ref : sources(activation, own.from, depth + 1)) found.push_back(ref);
          }
        }
      }
    }
    return found;
  }

  // Inputs outside that an input inside leads to; ways back into the super block come from sources().
  std::vector<PortRef> targets(bool activation, const PortRef& inner, int) const {
    const auto port = ports_.find(inner.block);
    if (port == ports_.end()) return {{names_.at(inner.block), inner.port}};
    std::vector<PortRef> found;
    for (const model::Link& link : outside_.links) {
      if (link.activation != activation || link.from.block != super_.name || link.from.port != port->second.number)
        continue;
      for (const PortRef& to : link.to) {
        if (to.block != super_.name) found.push_back(to);
      }
    }
    return found;
  }

  const model::Diagram& outside_;
  const model::BlockInstance& super_;
  std::map<std::string, Port> ports_;
  std::map<std::string, std::string> names_;
};

void add_branches(Edit& edit, const std::string& at, const std::vector<PlainBranch>& branches) {
  std::vector<model::Link> links;
  for (const PlainBranch& branch : branches) {
    const auto same = std::find_if(links.begin(), links.end(), [&](const model::Link& link) {
      return link.activation == branch.activation && link.from == branch.from;
    });
    if (same != links.end()) {
      if (std::find(same->to.begin(), same->to.end(), branch.to) == same->to.end()) same->to.push_back(branch.to);
      continue;
    }
    model::Link link;
    link.activation = branch.activation;
    link.from = branch.from;
    link.to = {branch.to};
    link.name = branch.name;
    links.push_back(std::move(link));
  }
  for (const model::Link& link : links)
    edit.splice(at, "links", edit.diagram(at).links.size(), 0, {model::item_text(link)});
}

}  // namespace

void ungroup(Edit& edit, const BlockPath& block) {
  const auto index = find_block(edit, block);
  if (!index) return;
  const std::string& at = block.diagram;
  if (!edit.diagram(at).blocks[*index].diagram) return edit.fail(block.text(), "only a super block can be opened up");
  const model::BlockInstance super = model::copy_of(edit.diagram(at).blocks[*index]);
  if (super.diagram->atomic || super.diagram->for_each != model::ForEach::none || !super.diagram->program.empty()) {
    return edit.fail(block.text(),
                     "the super block is a unit, repeated or made by a program: its blocks alone mean something else",
                     "take that from it first: options PATH atomic=false for_each=none, program PATH");
  }
  if (!super.diagram->mask.empty() || !super.diagram->context.empty()) {
    return edit.fail(block.text(),
                     "the super block has a mask or a context: outside, its names would mean something else",
                     "move its variables outside first");
  }
  Opening opening(edit.diagram(at), super);
  const std::vector<PlainBranch> branches = opening.branches();
  std::optional<model::LayoutItem> spot;
  if (const auto layout = layout_index(edit.diagram(at), block.name)) spot = edit.diagram(at).layout[*layout];
  // Settings of what is inside move out before the rest of them goes with the super block.
  for (const auto& [inner, outer] : opening.names()) move_settings(edit, block.text() + "/" + inner, at + "/" + outer);
  remove(edit, {block});
  if (edit.failed()) return;
  for (const model::BlockInstance& inner : super.diagram->blocks) {
    const auto name = opening.names().find(inner.name);
    if (name == opening.names().end()) continue;
    model::BlockInstance copied = model::copy_of(inner);
    copied.name = name->second;
    edit.splice(at, "blocks", edit.diagram(at).blocks.size(), 0, {model::item_text(copied)});
  }
  add_branches(edit, at, branches);
  if (!spot || super.diagram->layout.empty()) return;
  double left = 1e300, top = 1e300;
  for (const model::LayoutItem& item : super.diagram->layout) {
    left = std::min(left, item.x);
    top = std::min(top, item.y);
  }
  for (model::LayoutItem item : super.diagram->layout) {
    const auto name = opening.names().find(item.block);
    if (name == opening.names().end()) continue;
    item.block = name->second;
    item.x += spot->x - left;
    item.y += spot->y - top;
    edit.splice(at, "layout", edit.diagram(at).layout.size(), 0, {model::item_text(item)});
  }
}

void set_mask(Edit& edit, const std::string& diagram, const std::vector<model::MaskParameter>& mask) {
  const model::Diagram* target = find_diagram_for(edit, diagram);
  if (target == nullptr) return;
  for (std::size_t k = 0; k < mask.size(); ++k) {
    for (std::size_t i = 0; i < k; ++i) {
      if (mask[i].name == mask[k].name) return edit.fail(diagram, "the mask names " + mask[k].name + " twice");
    }
  }
  std::vector<std::string> texts;
  for (const model::MaskParameter& parameter : mask) texts.push_back(model::item_text(parameter));
  edit.splice(diagram, "mask", 0, target->mask.size(), std::move(texts));
}

void set_mask_text(Edit& edit, const std::string& diagram, const std::string& json) {
  const auto list = nlohmann::ordered_json::parse(json, nullptr, false);
  if (!list.is_array()) return edit.fail(diagram, "the mask is no list of JSON", "write [{\"name\": \"k\"}]");
  std::vector<std::string> texts;
  for (const auto& item : list) texts.push_back(item.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  auto parsed = model::parse_items("mask", texts, edit.diagnostics());
  if (!parsed) return edit.fail(diagram, "an item of the mask is none", "write {\"name\": \"k\", \"default\": \"1\"}");
  set_mask(edit, diagram, parsed->mask);
}

namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Names in a text of OML, outside strings and comments, that are neither called nor fields. `assigned` gets those on
// the left of an equals sign.
void names_in(const std::string& text, std::vector<std::string>& used, std::set<std::string>& assigned) {
  char quote = 0;
  for (std::size_t k = 0; k < text.size();) {
    const char c = text[k];
    if (quote != 0) {
      if (c == quote) quote = 0;
      ++k;
      continue;
    }
    if (c == '%' || c == '#') return;
    const bool transposes = k > 0 && (letter(text[k - 1]) || text[k - 1] == ')' || text[k - 1] == ']' ||
                                      (text[k - 1] >= '0' && text[k - 1] <= '9'));
    if (c == '"' || (c == '\'' && !transposes)) {
      quote = c;
      ++k;
      continue;
    }
    if (!letter(c)) {
      // A digit takes the letters of its exponent along.
      if (c >= '0' && c <= '9') {
        while (k < text.size() && (letter(text[k]) || text[k] == '.' || (text[k] >= '0' && text[k] <= '9'))) ++k;
      } else {
        ++k;
      }
      continue;
    }
    std::size_t end = k;
    while (end < text.size() && (letter(text[end]) || (text[end] >= '0' && text[end] <= '9'))) ++end;
    const std::string name = text.substr(k, end - k);
    std::size_t next = text.find_first_not_of(" \t", end);
    const char after = next == std::string::npos ? 0 : text[next];
    const bool equals = after == '=' && (next + 1 >= text.size() || text[next + 1] != '=');
    const bool field = k > 0 && text[k - 1] == '.';
    if (equals)
      assigned.insert(name);
    else if (!field && after != '(')
      used.push_back(name);
    k = end;
  }
}

// Names that scripts and masks around a diagram assign: there even `e` is what the model says it is.
std::set<std::string> assigned_around(const model::Model& model, const std::string& path) {
  std::set<std::string> assigned;
  std::vector<std::string> ignored;
  for (const std::string& line : model.initialization) names_in(line, ignored, assigned);
  for (std::size_t at = 0; at != std::string::npos && at < path.size(); at = path.find('/', at + 1)) {
    const model::Diagram* around = diagram_at(model, path.substr(0, at));
    if (around == nullptr) break;
    for (const model::MaskParameter& parameter : around->mask) assigned.insert(parameter.name);
    for (const std::string& line : around->context) names_in(line, ignored, assigned);
  }
  return assigned;
}

// `own`: names that have a value of the model's around the diagram, though the language knows them too.
void gather_names(const model::Diagram& diagram, std::set<std::string> known, const std::set<std::string>& own,
                  std::vector<std::string>& wanted) {
  for (const model::MaskParameter& parameter : diagram.mask) known.insert(parameter.name);
  std::vector<std::string> used;
  for (const std::string& line : diagram.context) names_in(line, used, known);
  std::set<std::string> ignored;
  for (const model::BlockInstance& block : diagram.blocks) {
    const blocks::BlockType* type = block.diagram ? nullptr : blocks::find_type(block.type);
    for (const model::Parameter& parameter : block.parameters) {
      const auto verbatim = [&] {
        if (type == nullptr) return false;
        return std::any_of(type->parameters.begin(), type->parameters.end(),
                           [&](const auto& spec) { return spec.name == parameter.name && spec.verbatim; });
      };
      if (!verbatim()) names_in(parameter.value, used, ignored);
    }
  }
  static const std::set<std::string> words = {"pi", "inf", "Inf",   "nan",      "NaN",   "i",
                                              "j",  "e",   "eps",   "true",     "false", "end",
                                              "if", "for", "while", "function", "else",  "return"};
  for (const std::string& name : used) {
    const bool means_something = words.contains(name) && !own.contains(name);
    if (!known.contains(name) && !means_something && std::find(wanted.begin(), wanted.end(), name) == wanted.end())
      wanted.push_back(name);
  }
  for (const model::BlockInstance& block : diagram.blocks) {
    if (block.diagram && block.diagram->mask.empty()) gather_names(*block.diagram, known, own, wanted);
  }
}

}  // namespace

void auto_mask(Edit& edit, const std::string& diagram) {
  const model::Diagram* target = find_diagram_for(edit, diagram);
  if (target == nullptr) return;
  if (diagram.empty()) return edit.fail("/", "only super blocks have masks");
  std::vector<std::string> wanted;
  gather_names(*target, {}, assigned_around(edit.model(), diagram), wanted);
  std::vector<model::MaskParameter> mask = target->mask;
  for (const std::string& name : wanted) mask.push_back({name, "", name});
  set_mask(edit, diagram, mask);
}

}  // namespace orrery::edit
