// SPDX-License-Identifier: Apache-2.0
// A super block, lifted out of its diagram.
#include "api/export_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include "api/compiled_data.h"
#include "blocks/block.h"
#include "model/closest_name.h"

namespace orrery::api {
namespace {

using blocks::Role;
using model::BlockInstance;
using model::Diagram;

struct Found {
  Diagram* around = nullptr;
  std::size_t index = 0;
  std::string path;                  // of the diagram around it: "" or "/Plant"
  std::vector<std::string> context;  // of all diagrams around it
};

// The mask of a diagram on the way as lines of a context: all values are taken before any name.
void add_mask(const BlockInstance& block, std::vector<std::string>& context) {
  std::vector<std::string> later;
  for (const model::MaskParameter& mask : block.diagram->mask) {
    const model::Parameter* given = block.find_parameter(mask.name);
    const std::string value = given != nullptr ? given->value : mask.value;
    context.push_back(fmt::format("mask__{} = {};", mask.name, value));
    later.push_back(fmt::format("{0} = mask__{0};", mask.name));
  }
  context.insert(context.end(), later.begin(), later.end());
}

std::optional<Found> find_block(model::Model& model, std::string_view path, Diagnostics& diagnostics) {
  Found found;
  found.around = &model.root;
  found.context = model.root.context;
  std::string walked;
  while (true) {
    if (path.starts_with('/')) path.remove_prefix(1);
    const std::string name(path.substr(0, path.find('/')));
    path.remove_prefix(name.size());
    walked += "/" + name;
    auto& blocks = found.around->blocks;
    const auto place = std::ranges::find(blocks, name, &BlockInstance::name);
    if (place == blocks.end() || (!place->diagram && !path.empty())) {
      std::vector<std::string_view> names;
      for (const BlockInstance& block : blocks) names.push_back(block.name);
      diagnostics.error("no-such-block", {model.file, 0, 0, walked, {}},
                        place == blocks.end() ? "the model has no such block" : "this is no super block",
                        model::did_you_mean(name, names));
      return std::nullopt;
    }
    found.index = static_cast<std::size_t>(place - blocks.begin());
    if (path.empty()) return found;
    add_mask(*place, found.context);
    found.context.insert(found.context.end(), place->diagram->context.begin(), place->diagram->context.end());
    found.around = place->diagram.get();
    found.path = walked;
  }
}

struct BlockPort {
  Role role;
  int number;
  std::string name;
};

std::vector<BlockPort> ports_of(const Diagram& diagram) {
  std::vector<BlockPort> ports;
  for (const BlockInstance& block : diagram.blocks) {
    const Role role = blocks::role_of(block.type);
    if (role != Role::diagram_input && role != Role::diagram_output && role != Role::diagram_event_input &&
        role != Role::diagram_event_output)
      continue;
    int number = 1;
    if (const model::Parameter* port = block.find_parameter("port"))
      std::from_chars(port->value.data(), port->value.data() + port->value.size(), number);
    ports.push_back({role, number, block.name});
  }
  return ports;
}

// The block output that drives an input, through super blocks.
std::string driver_of(const Diagram& diagram, const std::string& path, const model::PortRef& from) {
  const auto place = std::ranges::find(diagram.blocks, from.block, &BlockInstance::name);
  if (place == diagram.blocks.end()) return {};
  if (!place->diagram) return fmt::format("{}/{}:{}", path, from.block, from.port);
  for (const BlockPort& port : ports_of(*place->diagram)) {
    if (port.role != Role::diagram_output || port.number != from.port) continue;
    for (const model::Link& link : place->diagram->links) {
      for (const model::PortRef& to : link.to) {
        if (!link.activation && to.block == port.name)
          return driver_of(*place->diagram, path + "/" + from.block, link.from);
      }
    }
  }
  return {};
}

// Names of the form "/Plant/Mass:2", of which port 1 need not be written.
const SignalInfo* find_signal(const std::vector<SignalInfo>& signals, const std::string& name) {
  for (const SignalInfo& signal : signals) {
    if (signal.name == name || signal.name + ":1" == name) return &signal;
  }
  return nullptr;
}

bool has_word(const std::string& text, const std::string& name) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

// The variables of the contexts around a block.
std::vector<std::string> variables_around(const model::Model& part) {
  Diagnostics ignored;
  model::Model scripts;
  scripts.file = part.file;
  scripts.name = part.name;
  scripts.initialization = part.initialization;
  scripts.root.context = part.root.context;
  std::vector<std::string> names;
  if (const auto model = Model::read(model::write(scripts), part.file, ignored)) {
    for (const ParameterInfo& variable : model->variables(ignored)) names.push_back(variable.name);
  }
  return names;
}

bool mask_uses(const BlockInstance& block, const std::string& name) {
  return std::ranges::any_of(block.diagram->mask, [&](const model::MaskParameter& mask) {
    const model::Parameter* given = block.find_parameter(mask.name);
    return has_word(given != nullptr ? given->value : mask.value, name);
  });
}

bool is_used_in(const Diagram& diagram, const std::string& name) {
  const auto in_text = [&](const std::string& text) { return has_word(text, name); };
  if (std::ranges::any_of(diagram.context, in_text)) return true;
  return std::ranges::any_of(diagram.blocks, [&](const BlockInstance& block) {
    return std::ranges::any_of(block.parameters, in_text, &model::Parameter::value) ||
           (block.diagram && (block.diagram->mask.empty() ? is_used_in(*block.diagram, name) : mask_uses(block, name)));
  });
}

void expose_mask(const model::Model& part, const BlockInstance& block, std::vector<std::string>& vary) {
  for (const std::string& name : variables_around(part)) {
    if (mask_uses(block, name) && std::ranges::find(vary, name) == vary.end()) vary.push_back(name);
  }
}

BlockInstance port_block(const char* type, const BlockPort& port, std::string name) {
  BlockInstance block;
  block.name = std::move(name);
  block.type = type;
  block.parameters.push_back({"port", std::to_string(port.number), 0});
  return block;
}

}  // namespace

BlockInstance* find_super_block(model::Model& model, const std::string& path, Diagnostics& diagnostics) {
  const auto found = find_block(model, path, diagnostics);
  if (!found) return nullptr;
  BlockInstance& block = found->around->blocks[found->index];
  if (block.diagram) return &block;
  diagnostics.error("no-such-block", {model.file, block.line, 0, path, {}}, "this is no super block",
                    "put it into one (orrery edit --do 'group …'), or export the whole model");
  return nullptr;
}

std::vector<std::string> variables_used(const model::Model& part, const BlockInstance& block) {
  std::vector<std::string> used;
  if (!block.diagram || !block.diagram->mask.empty()) return used;
  for (const std::string& name : variables_around(part)) {
    if (is_used_in(*block.diagram, name)) used.push_back(name);
  }
  return used;
}

std::optional<model::Model> block_as_model(model::Model whole, const ExportRequest& request,
                                           std::vector<std::string>& vary, Diagnostics& diagnostics,
                                           std::vector<int>* sampled) {
  if (find_super_block(whole, request.block, diagnostics) == nullptr) return std::nullopt;
  const auto found = find_block(whole, request.block, diagnostics);
  // What drives its inputs, in the whole model; where that does not compile the sizes follow from the inside.
  std::vector<SignalInfo> signals;
  Diagnostics of_whole;
  if (const auto opened = Model::read(model::write(whole), whole.file, of_whole)) {
    CompileOptions options;
    options.allow = request.run.allow;
    options.native = NativeCode::first;
    if (const auto compiled = opened->compile(options, of_whole)) signals = compiled->signals();
  }
  BlockInstance block = std::move(found->around->blocks[found->index]);
  model::Model part;
  part.file = whole.file;
  part.name = block.name;
  part.about = block.about;
  part.settings = std::move(whole.settings);
  part.libraries = std::move(whole.libraries);
  part.initialization = std::move(whole.initialization);
  part.initialization_line = whole.initialization_line;
  part.root.context = found->context;
  std::set<std::string> names = {block.name};
  for (const BlockPort& port : ports_of(*block.diagram)) {
    std::string name = port.name;
    while (!names.insert(name).second) name += "_";
    model::Link link;
    link.activation = port.role == Role::diagram_event_input || port.role == Role::diagram_event_output;
    const bool is_input = port.role == Role::diagram_input || port.role == Role::diagram_event_input;
    link.from = is_input ? model::PortRef{name, 1} : model::PortRef{block.name, port.number};
    link.to = {is_input ? model::PortRef{block.name, port.number} : model::PortRef{name, 1}};
    BlockInstance outside = port_block(link.activation ? (is_input ? "EventInput" : "EventOutput")
                                       : is_input      ? "Input"
                                                       : "Output",
                                       port, name);
    for (const model::Link& before : found->around->links) {
      for (const model::PortRef& to : before.to) {
        if (port.role != Role::diagram_input || before.activation || to.block != block.name || to.port != port.number)
          continue;
        const SignalInfo* driver = find_signal(signals, driver_of(*found->around, found->path, before.from));
        if (driver == nullptr) continue;
        if (sampled != nullptr && !driver->continuous) sampled->push_back(port.number);
        outside.parameters.push_back({"size", fmt::format("[{} {}]", driver->shape.rows, driver->shape.cols), 0});
        outside.parameters.push_back({"type", "'" + driver->shape.type + "'", 0});
      }
    }
    part.root.blocks.push_back(std::move(outside));
    part.root.links.push_back(std::move(link));
  }
  if (request.atomic) block.diagram->atomic = true;
  expose_mask(part, block, vary);
  part.root.blocks.push_back(std::move(block));
  return part;
}

}  // namespace orrery::api
