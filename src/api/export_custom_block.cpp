// SPDX-License-Identifier: Apache-2.0
// From a super block to a block in C.
#include "api/export_custom_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "api/export_block.h"
#include "api/prepare.h"
#include "export/block_code.h"
#include "export/member_names.h"
#include "program/print.h"

namespace orrery::api {
namespace {

namespace fs = std::filesystem;
using model::BlockInstance;
using model::PortRef;

// An activation input of the block in C: an EventInput of the super block, or an input that events change.
struct ActivationLine {
  bool event = false;
  int port = 0;  // of the super block
};

BlockInstance new_block(std::string name, const char* type, std::vector<model::Parameter> parameters = {}) {
  BlockInstance block;
  block.name = std::move(name);
  block.type = type;
  block.parameters = std::move(parameters);
  return block;
}

model::Link signal(PortRef from, PortRef to) { return {false, std::move(from), {std::move(to)}, {}, 0}; }
model::Link activation(PortRef from, PortRef to) { return {true, std::move(from), {std::move(to)}, {}, 0}; }

int port_number(const BlockInstance& block) {
  const model::Parameter* port = block.find_parameter("port");
  return port == nullptr ? 1 : std::atoi(port->value.c_str());
}

std::vector<ActivationLine> lines_of(const model::Model& part, const std::vector<int>& sampled) {
  std::vector<ActivationLine> lines;
  for (const BlockInstance& block : part.root.blocks) {
    if (block.type == "EventInput") lines.push_back({true, port_number(block)});
  }
  std::ranges::sort(lines, {}, &ActivationLine::port);
  for (const int port : sampled) lines.push_back({false, port});
  return lines;
}

// All activations of the super block become guards of one: what happens together is one event, in one body.
void join_activations(model::Model& part, const std::vector<ActivationLine>& lines) {
  model::Diagram& root = part.root;
  std::vector<BlockInstance> added;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const ActivationLine& line = lines[k];
    const std::string bit = fmt::format("mask__{}", k), gate = fmt::format("gate__{}", k);
    added.push_back(new_block(
        bit, "Input", {{"port", std::to_string(10000 + k), 0}, {"size", "[1 1]", 0}, {"type", "'boolean'", 0}}));
    added.push_back(new_block(gate, "IfThenElse"));
    root.links.push_back(signal({bit, 1}, {gate, 1}));
    root.links.push_back(activation({"go__", 1}, {gate, 1}));
    const char* const type = line.event ? "EventInput" : "Input";
    const auto place = std::ranges::find_if(
        root.blocks, [&](const BlockInstance& b) { return b.type == type && port_number(b) == line.port; });
    for (model::Link& link : root.links) {
      if (link.activation != line.event || link.from.block != place->name) continue;
      if (line.event) {
        link.from = {gate, 1};
      } else {
        const std::string hold = fmt::format("hold__{}", k);
        added.push_back(new_block(hold, "SampleHold"));
        const PortRef from = link.from;
        link.from = {hold, 1};
        root.links.push_back(signal(from, {hold, 1}));
        root.links.push_back(activation({gate, 1}, {hold, 1}));
        break;
      }
    }
    if (line.event) root.blocks.erase(place);
  }
  added.push_back(new_block("go__", "EventInput", {{"port", "100000", 0}}));
  for (BlockInstance& block : added) root.blocks.insert(root.blocks.begin(), std::move(block));
}

std::string sizes_text(const std::vector<program::Type>& types) {
  std::string text;
  for (const program::Type& type : types)
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", type.rows, type.cols);
  return "[" + text + "]";
}

std::string types_text(const std::vector<program::Type>& types) {
  std::string text;
  for (const program::Type& type : types)
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", program::name_of(type.scalar));
  return types.empty() ? "'double'" : "{" + text + "}";
}

std::string column_text(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ";") + code_export::number_text(value);
  return "[" + text + "]";
}

// Values of a parameter as OML; matrices keep their size.
std::string value_text(const program::Program& program, program::SlotId slot) {
  const program::Type& type = program.slots[slot].type;
  const auto data = program.graph.constant_data(program.slots[slot].initial);
  const std::string text = column_text({data.begin(), data.end()});
  return type.is_scalar() ? code_export::number_text(data[0])
                          : fmt::format("reshape({},{},{})", text, type.rows, type.cols);
}

struct Interface {
  std::vector<program::Type> inputs, outputs;
};

Interface interface_of(const program::Program& program, std::size_t lines) {
  Interface found;
  for (std::size_t k = 0; k + lines + 1 < program.inputs.size(); ++k)
    found.inputs.push_back(program.slots[program.inputs[k].value].type);
  for (const program::OutputPort& port : program.outputs)
    found.outputs.push_back(program.slots[program.probes[port.probe].slot].type);
  return found;
}

// The inside of the new super block: ports, the block, and what brings the activations of inputs to it.
void fill_diagram(model::Diagram& diagram, const code_export::CModel& made, const code_export::BlockCode& code,
                  const std::vector<ActivationLine>& lines) {
  const program::Program& program = made.program;
  const Interface ports = interface_of(program, lines.size());
  std::string parameters, feedthrough;
  for (const program::Parameter& parameter : program.parameters)
    parameters += fmt::format("{}{}(:)", parameters.empty() ? "" : "; ", parameter.name);
  for (const bool through : code.feedthrough) feedthrough += through ? " 1" : " 0";
  BlockInstance block =
      new_block("Code", "CCustomBlock",
                {{"code", code.code, 0},
                 {"function", "'" + code.function + "'", 0},
                 {"insizes", sizes_text(ports.inputs), 0},
                 {"intypes", types_text(ports.inputs), 0},
                 {"feedthrough", feedthrough.empty() ? "1" : "[" + feedthrough + "]", 0},
                 {"outsizes", sizes_text(ports.outputs), 0},
                 {"outtypes", types_text(ports.outputs), 0},
                 {"activations", std::to_string(lines.size()), 0},
                 {"x0", made.cut.state_count == 0 ? "[]" : fmt::format("zeros({},1)", made.cut.state_count), 0},
                 {"oz", fmt::format("{{uint8(zeros({},1))}}", code.bytes), 0},
                 {"rpar", "[" + parameters + "]", 0}});
  const bool continuous = made.cut.state_count > 0 || !made.cut.all[passes::Procedures::always].stores.empty();
  if (continuous) block.activation = model::Activation::always;
  const auto port = [&](const char* type, int number, const char* stem) {
    diagram.blocks.push_back(new_block(fmt::format("{}{}", stem, number), type, {{"port", std::to_string(number), 0}}));
    return diagram.blocks.back().name;
  };
  for (std::size_t k = 0; k < ports.inputs.size(); ++k) {
    const int number = static_cast<int>(k) + 1;
    diagram.links.push_back(signal({port("Input", number, "in"), 1}, {"Code", number}));
  }
  for (std::size_t k = 0; k < ports.outputs.size(); ++k) {
    const int number = static_cast<int>(k) + 1;
    diagram.links.push_back(signal({"Code", number}, {port("Output", number, "out"), 1}));
  }
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const int number = static_cast<int>(k) + 1;
    if (lines[k].event) {
      diagram.links.push_back(activation({port("EventInput", lines[k].port, "event"), 1}, {"Code", number}));
      continue;
    }
    const std::string name = fmt::format("activation{}", lines[k].port);
    diagram.blocks.push_back(new_block(name, "ExtractActivation"));
    diagram.links.push_back(signal({fmt::format("in{}", lines[k].port), 1}, {name, 1}));
    diagram.links.push_back(activation({name, 1}, {"Code", number}));
  }
  diagram.blocks.push_back(std::move(block));
}

// Variables of the model that the block will not follow any more.
void warn_of_frozen(const std::vector<std::string>& used, const code_export::CModel& made, const ExportRequest& request,
                    Diagnostics& diagnostics) {
  for (const std::string& name : used) {
    const bool kept =
        std::ranges::find(made.program.parameters, name, &program::Parameter::name) != made.program.parameters.end();
    const bool said = std::ranges::find(request.run.vary, name) != request.run.vary.end();
    if (kept || said) continue;
    diagnostics.warning("export-parameter", {request.run.file, 0, 0, request.block, {}},
                        fmt::format("{} is a number in the code: another value in the model will not reach it", name),
                        fmt::format("--vary {} keeps it a parameter, as a mask around the block does", name));
  }
}

}  // namespace

std::optional<model::Model> with_custom_block(model::Model whole, const ExportRequest& request,
                                              Diagnostics& diagnostics) {
  ExportRequest inside = request;
  std::vector<int> sampled;
  auto copy = model::parse(model::write(whole), whole.file, diagnostics);
  if (!copy) return std::nullopt;
  auto part = block_as_model(std::move(*copy), request, inside.run.vary, diagnostics, &sampled);
  if (!part) return std::nullopt;
  if (request.always) sampled.clear();
  std::ranges::sort(sampled);
  const auto lines = lines_of(*part, sampled);
  if (inside.name.empty()) inside.name = part->name;
  const std::vector<std::string> used = variables_used(*part, part->root.blocks.back());
  join_activations(*part, lines);
  const auto made = c_model_of(*part, inside, diagnostics, &request.run.vary);
  if (!made) return std::nullopt;
  warn_of_frozen(used, *made, request, diagnostics);
  const auto code = code_export::block_code(*made, lines.size(), diagnostics);
  BlockInstance* place = code ? find_super_block(whole, request.block, diagnostics) : nullptr;
  if (place == nullptr) return std::nullopt;
  auto diagram = std::make_unique<model::Diagram>();
  std::vector<model::Parameter> given;
  for (const program::Parameter& parameter : made->program.parameters) {
    const std::string value = value_text(made->program, parameter.slot);
    diagram->mask.push_back({parameter.name, {}, value});
    const bool varied = std::ranges::find(inside.run.vary, parameter.name) != inside.run.vary.end();
    given.push_back(
        {parameter.name, varied ? parameter.name : fmt::format("exposable('{}', {})", parameter.name, value), 0});
  }
  fill_diagram(*diagram, *made, *code, lines);
  place->parameters = std::move(given);
  place->diagram = std::move(diagram);
  return whole;
}

std::optional<std::string> export_custom_block(const ExportRequest& request, Diagnostics& diagnostics) {
  std::error_code unknown;
  if (fs::equivalent(request.run.file, request.out, unknown)) {
    diagnostics.error("output-unwritable", {request.out, 0, 0, {}, {}}, "this is the model itself",
                      "give the new model another name: the diagram of the block is not kept in it");
    return std::nullopt;
  }
  auto model = open_model(request.run.file, diagnostics);
  if (!model) return std::nullopt;
  apply_request(request.run, *model, diagnostics);
  auto made = with_custom_block(std::move(*model), request, diagnostics);
  if (!made || !model::save(*made, request.out, diagnostics)) return std::nullopt;
  return fmt::format("{}: {} is a CCustomBlock; it runs with --allow native\n", request.out, request.block);
}

}  // namespace orrery::api
