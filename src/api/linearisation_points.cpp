// SPDX-License-Identifier: Apache-2.0
// Each port block of the diagram gets a point behind it (inputs) or in front of it (outputs).
#include "api/linearisation_points.h"

#include <algorithm>
#include <charconv>

#include "blocks/block.h"
#include "model/closest_name.h"

namespace orrery::api {
namespace {

using model::BlockInstance;
using model::Diagram;

Diagram* find_diagram(model::Model& model, std::string_view path, Diagnostics& diagnostics) {
  Diagram* diagram = &model.root;
  std::string walked;
  while (!path.empty()) {
    if (path.front() == '/') path.remove_prefix(1);
    const std::string name(path.substr(0, path.find('/')));
    path.remove_prefix(name.size());
    walked += "/" + name;
    const auto found = std::find_if(diagram->blocks.begin(), diagram->blocks.end(),
                                    [&](const BlockInstance& block) { return block.name == name; });
    if (found != diagram->blocks.end() && found->diagram) {
      diagram = found->diagram.get();
      continue;
    }
    std::vector<std::string_view> names;
    for (const BlockInstance& block : diagram->blocks) {
      if (block.diagram) names.push_back(block.name);
    }
    diagnostics.error("no-such-block", {model.file, 0, 0, walked, {}},
                      found == diagram->blocks.end() ? "the model has no such block" : "this is no super block",
                      model::did_you_mean(name, names));
    return nullptr;
  }
  return diagram;
}

// The number of a port block, which is written as a number; 1 unless it is given.
std::size_t port_of(const BlockInstance& block) {
  const model::Parameter* port = block.find_parameter("port");
  std::size_t number = 1;
  if (port != nullptr) std::from_chars(port->value.data(), port->value.data() + port->value.size(), number);
  return std::max<std::size_t>(number, 1);
}

std::string free_name(const Diagram& diagram, std::string name) {
  const auto taken = [&] {
    return std::any_of(diagram.blocks.begin(), diagram.blocks.end(),
                       [&](const BlockInstance& block) { return block.name == name; });
  };
  do name += "'";
  while (taken());
  return name;
}

}  // namespace

bool add_port_points(model::Model& model, const std::string& path, PortPoints& points, Diagnostics& diagnostics) {
  Diagram* diagram = find_diagram(model, path, diagnostics);
  if (diagram == nullptr) return false;
  const std::string prefix = (path.starts_with('/') ? path : "/" + path) + "/";
  for (std::size_t k = 0, count = diagram->blocks.size(); k < count; ++k) {
    const blocks::Role role = blocks::role_of(diagram->blocks[k].type);
    const bool is_input = role == blocks::Role::diagram_input;
    if (!is_input && role != blocks::Role::diagram_output) continue;
    const std::string port = diagram->blocks[k].name, name = free_name(*diagram, port);
    const std::size_t number = port_of(diagram->blocks[k]);
    for (model::Link& link : diagram->links) {
      if (link.activation) continue;
      if (is_input && link.from.block == port) link.from.block = name;
      if (is_input) continue;
      for (model::PortRef& target : link.to) {
        if (target.block == port) target.block = name;
      }
    }
    model::Link link;
    link.from = {is_input ? port : name, 1};
    link.to = {{is_input ? name : port, 1}};
    diagram->links.push_back(std::move(link));
    BlockInstance point;
    point.name = name;
    point.type = "LinearisationPoint";
    point.line = diagram->blocks[k].line;
    diagram->blocks.push_back(std::move(point));
    std::vector<std::string>& list = is_input ? points.inputs : points.outputs;
    if (list.size() < number) list.resize(number);
    list[number - 1] = prefix + name;
  }
  return true;
}

}  // namespace orrery::api
