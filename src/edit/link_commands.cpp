// SPDX-License-Identifier: Apache-2.0
// Commands on links: connect, disconnect, insert, bend, name.
#include <algorithm>

#include "edit/find.h"
#include "model/items.h"
#include "model/limits.h"

namespace orrery::edit {
namespace {

std::string port_text(const PortRef& ref) { return ref.block + ":" + std::to_string(ref.port); }

bool check_ends(Edit& edit, const Branch& branch) {
  if (!find_block(edit, {branch.diagram, branch.from.block}) || !find_block(edit, {branch.diagram, branch.to.block}))
    return false;
  for (const PortRef& ref : {branch.from, branch.to}) {
    if (ref.port >= 1 && ref.port <= model::highest_port) continue;
    edit.fail(branch.diagram + "/" + ref.block, "ports count from 1");
    return false;
  }
  return true;
}

// The link that has the branch; a complaint when there is none.
std::optional<std::size_t> existing(Edit& edit, const Branch& branch) {
  const model::Diagram* diagram = find_diagram_for(edit, branch.diagram);
  if (diagram == nullptr) return std::nullopt;
  const auto index = link_with(*diagram, branch);
  if (index) return index;
  edit.fail(branch.diagram + "/" + branch.from.block,
            "there is no " + std::string(branch.activation ? "activation " : "") + "link from " +
                port_text(branch.from) + " to " + port_text(branch.to));
  return std::nullopt;
}

}  // namespace

void connect(Edit& edit, const Branch& branch) {
  if (!check_ends(edit, branch)) return;
  const model::Diagram& diagram = edit.diagram(branch.diagram);
  if (link_with(diagram, branch)) {
    edit.fail(branch.diagram + "/" + branch.to.block,
              port_text(branch.from) + " drives " + port_text(branch.to) + " already");
    return;
  }
  std::optional<std::size_t> same;
  for (std::size_t k = 0; k < diagram.links.size(); ++k) {
    const model::Link& link = diagram.links[k];
    if (link.activation != branch.activation) continue;
    if (link.from == branch.from && !same) same = k;
    if (!branch.activation && std::find(link.to.begin(), link.to.end(), branch.to) != link.to.end()) {
      edit.fail(branch.diagram + "/" + branch.to.block,
                "input " + std::to_string(branch.to.port) + " is driven by " + port_text(link.from) + " already",
                "remove that link first, or add a Sum");
      return;
    }
  }
  model::Link link;
  if (same) link = diagram.links[*same];
  link.activation = branch.activation;
  link.from = branch.from;
  link.to.push_back(branch.to);
  if (same)
    replace_link(edit, branch.diagram, *same, link);
  else
    edit.splice(branch.diagram, "links", diagram.links.size(), 0, {model::item_text(link)});
}

void disconnect(Edit& edit, const Branch& branch) {
  const auto index = existing(edit, branch);
  if (!index) return;
  model::Link link = edit.diagram(branch.diagram).links[*index];
  link.to.erase(std::find(link.to.begin(), link.to.end(), branch.to));
  replace_link(edit, branch.diagram, *index, link);
  remove_bends(edit, branch.diagram, {branch});
}

void reconnect(Edit& edit, const Branch& branch, const Branch& instead) {
  if (!existing(edit, branch)) return;
  disconnect(edit, branch);
  if (!edit.failed()) connect(edit, instead);
}

void insert_into_link(Edit& edit, const BlockPath& block, const Branch& branch) {
  if (!find_block(edit, block) || !existing(edit, branch)) return;
  if (block.diagram != branch.diagram || block.name == branch.from.block || block.name == branch.to.block) {
    edit.fail(block.text(), "the block cannot be put into this link", "name a third block of the same diagram");
    return;
  }
  disconnect(edit, branch);
  Branch first = branch, second = branch;
  first.to = {block.name, 1};
  second.from = {block.name, 1};
  if (!edit.failed()) connect(edit, first);
  if (!edit.failed()) connect(edit, second);
}

void name_link(Edit& edit, const Branch& link, const std::string& name) {
  const model::Diagram* diagram = find_diagram_for(edit, link.diagram);
  if (diagram == nullptr) return;
  for (std::size_t k = 0; k < diagram->links.size(); ++k) {
    if (diagram->links[k].activation != link.activation || !(diagram->links[k].from == link.from)) continue;
    model::Link named = diagram->links[k];
    named.name = name;
    replace_link(edit, link.diagram, k, named);
    return;
  }
  edit.fail(link.diagram + "/" + link.from.block, "no link begins at " + port_text(link.from));
}

void bend(Edit& edit, const Branch& branch, const std::vector<Point>& corners) {
  if (!existing(edit, branch)) return;
  remove_bends(edit, branch.diagram, {branch});
  if (corners.empty()) return;
  const model::Bends bends{branch.activation, branch.from, branch.to, corners, 0};
  edit.splice(branch.diagram, "bends", edit.diagram(branch.diagram).bends.size(), 0, {model::item_text(bends)});
}

}  // namespace orrery::edit
