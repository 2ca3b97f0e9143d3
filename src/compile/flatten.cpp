// SPDX-License-Identifier: Apache-2.0
// Opening diagrams: contexts are run, parameters evaluated, flat blocks made, links gathered.
#include "compile/flatten.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "blocks/bus_operations/bus_operations.h"
#include "compile/flattening.h"
#include "model/closest_name.h"

namespace orrery::compile {
namespace {

using model::BlockInstance;

bool is_port(BlockRole role) {
  return role == BlockRole::input || role == BlockRole::output || role == BlockRole::event_input ||
         role == BlockRole::event_output;
}

BlockRole role_in_diagram(const BlockInstance& instance) {
  if (instance.off) return BlockRole::off;
  if (instance.diagram) return BlockRole::super;
  switch (blocks::role_of(instance.type)) {
    case blocks::Role::diagram_input:
    case blocks::Role::diagram_condition: return BlockRole::input;
    case blocks::Role::diagram_output: return BlockRole::output;
    case blocks::Role::diagram_event_input: return BlockRole::event_input;
    case blocks::Role::diagram_event_output: return BlockRole::event_output;
    case blocks::Role::set_signal: return BlockRole::set_signal;
    case blocks::Role::get_signal: return BlockRole::get_signal;
    case blocks::Role::set_activation: return BlockRole::set_activation;
    case blocks::Role::get_activation: return BlockRole::get_activation;
    case blocks::Role::bus_creator: return BlockRole::bus_creator;
    case blocks::Role::bus_extractor: return BlockRole::bus_extractor;
    case blocks::Role::bus_assignment: return BlockRole::bus_assignment;
    case blocks::Role::bus_constant: return BlockRole::bus_constant;
    default: return BlockRole::basic;
  }
}

// no_block: there is none of this name, which the loader has reported.
std::uint32_t find_block(const Level& level, const std::string& name) {
  const auto found = level.index.find(name);
  return found == level.index.end() ? no_block : found->second;
}

}  // namespace

std::uint32_t Level::find_port(BlockRole role, int number) const {
  for (std::uint32_t k = 0; k < roles.size(); ++k) {
    if (roles[k] == role && port_number[k] == number) return k;
  }
  return no_block;
}

int Level::highest_port(BlockRole role) const {
  int most = 0;
  for (std::size_t k = 0; k < roles.size(); ++k) {
    if (roles[k] == role) most = std::max(most, port_number[k]);
  }
  return most;
}

Flattening::Flattening(const model::Model& model, Evaluator& evaluator, const Services& services,
                       Diagnostics& diagnostics)
    : model_(model), evaluator_(evaluator), services_(services), parameters_(evaluator), diagnostics_(diagnostics) {
  flat_.file = model.file;
  flat_.files.push_back(model.file);
}

FlatModel Flattening::run() {
  Level root;
  root.diagram = &model_.root;
  root.prefix = "/";
  set_root_mask();
  open(root);
  find_setters(root);
  connect(root);
  return std::move(flat_);
}

Place Flattening::place(const Level& level, const BlockInstance& instance, std::string port) const {
  return {flat_.files[level.file], instance.line, 0, level.prefix + instance.name, std::move(port)};
}

// Runs the context, evaluates the parameters, makes the flat blocks and the levels below.
void Flattening::open(Level& level) {
  const model::Diagram& diagram = *level.diagram;
  if (!diagram.context.empty()) {
    const std::string owner = level.prefix.size() > 1 ? level.prefix.substr(0, level.prefix.size() - 1) : "";
    evaluator_.run(diagram.context, Place{flat_.files[level.file], diagram.context_line, 0, owner, "context"},
                   diagnostics_);
  }
  const std::size_t count = diagram.blocks.size();
  level.flat.assign(count, no_block);
  level.port_number.assign(count, 0);
  level.reads_whole.assign(count, false);
  level.roles.resize(count);
  level.index.reserve(count);
  for (const BlockInstance& instance : diagram.blocks) {
    if (!instance.off && blocks::role_of(instance.type) == blocks::Role::sync_tag)
      level.sync_domain = flat_.sync_domains++;
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    level.index.emplace(diagram.blocks[k].name, k);
    level.roles[k] = role_in_diagram(diagram.blocks[k]);
    // Ports of the top diagram are blocks that stand for the world around the model.
    if (level.parent == nullptr && !level.is_unit && is_port(level.roles[k])) level.roles[k] = BlockRole::basic;
  }
  if (level.parent != nullptr) add_conditions(level);
  for (std::uint32_t k = 0; k < count; ++k) {
    if (!diagram.blocks[k].off && blocks::role_of(diagram.blocks[k].type) == blocks::Role::always_port)
      add_always_port(level, k);
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    if (level.flat[k] == no_block && level.roles[k] != BlockRole::broken) add_block(level, k);
  }
  gather_links(level);
}

// Before all others: they have its activation instead of continuous time.
void Flattening::add_always_port(Level& level, std::uint32_t k) {
  const bool first =
      level.parent == nullptr ? level.always_port == no_block : level.always_port == level.parent->always_port;
  if (!first) {
    diagnostics_.error("misplaced-block", place(level, level.diagram->blocks[k]),
                       "another block of this type stands in the diagram already", "remove one of them");
    level.roles[k] = BlockRole::broken;
    return;
  }
  add_block(level, k);
  if (level.flat[k] != no_block) level.always_port = level.flat[k];
}

void Flattening::add_block(Level& level, std::uint32_t k) {
  const BlockInstance& instance = level.diagram->blocks[k];
  if (instance.off) return;
  if (level.roles[k] == BlockRole::super) return add_super(level, k, *instance.diagram, level.file);
  if (blocks::role_of(instance.type) == blocks::Role::include) return add_include(level, k, {});
  if (instance.type.find('/') != std::string::npos) return add_library_block(level, k);
  const blocks::BlockType* type = blocks::find_type(instance.type);
  if (type == nullptr) {
    std::vector<std::string_view> names;
    for (const blocks::BlockType* known : blocks::library()) names.push_back(known->name);
    diagnostics_.error("unknown-block", place(level, instance),
                       fmt::format("no block type is called {}", instance.type),
                       model::did_you_mean(instance.type, names));
    level.roles[k] = BlockRole::broken;
    return;
  }
  if (level.parent == nullptr && !level.is_unit && type->role == blocks::Role::diagram_condition) {
    diagnostics_.error("misplaced-block", place(level, instance), "a condition belongs into a super block",
                       "put the blocks that it concerns into a super block, together with it");
    level.roles[k] = BlockRole::broken;
    return;
  }
  if (level.parent == nullptr && !level.is_unit && type->role >= blocks::Role::diagram_input &&
      type->role <= blocks::Role::diagram_event_output && type->build == nullptr) {
    diagnostics_.error("misplaced-block", place(level, instance), "a model has no buses as inputs and outputs",
                       "use an Input or Output for each signal, or put the block into a super block");
    level.roles[k] = BlockRole::broken;
    return;
  }
  std::optional<blocks::Parameters> parameters;
  if (type->role == blocks::Role::user_type) {
    parameters = user_parameters(level, instance, type);
  } else {
    parameters = parameters_.evaluate(*type, instance, place(level, instance), diagnostics_);
  }
  if (!parameters) {
    level.roles[k] = BlockRole::broken;
    return;
  }
  try {
    if (level.roles[k] == BlockRole::basic) {
      if (type->role == blocks::Role::scope_signal || type->role == blocks::Role::scope_activation) {
        level.scoped.emplace(type->role == blocks::Role::scope_signal ? TagKind::signal : TagKind::activation,
                             parameters->text("tag"));
      } else if (type->ports != nullptr && type->role != blocks::Role::sync_tag)
        level.flat[k] = add_basic(level, k, *type, std::move(*parameters));
    } else {
      note_special(level, k, std::move(*parameters));
    }
  } catch (const blocks::ParameterError& error) {
    diagnostics_.error(error.code, place(level, instance, "parameter " + error.parameter), error.message, error.help);
    level.roles[k] = BlockRole::broken;
  }
}

// Of a block type in a user's library: all but those that say which it is. `type` becomes that type.
std::optional<blocks::Parameters> Flattening::user_parameters(const Level& level, const BlockInstance& instance,
                                                              const blocks::BlockType*& type) {
  BlockInstance which, rest;
  which.type = rest.type = instance.type;
  for (const model::Parameter& given : instance.parameters) {
    const bool says_which = given.name == "library" || given.name == "block";
    (says_which ? which : rest).parameters.push_back(given);
  }
  const Place where = place(level, instance);
  const auto chosen = parameters_.evaluate(*type, which, where, diagnostics_);
  if (!chosen) return std::nullopt;
  try {
    if (!services_.user_types) chosen->fail("library", "libraries of blocks cannot be loaded here");
    const std::filesystem::path folder = std::filesystem::path(flat_.files[level.file]).parent_path();
    if (chosen->text("library").empty()) chosen->fail("library", "must be the path of a shared library");
    type = &services_.user_types->find(folder / chosen->text("library"), chosen->text("block"));
  } catch (const blocks::ParameterError& error) {
    diagnostics_.error(error.code, place(level, instance, "parameter " + error.parameter), error.message, error.help);
    return std::nullopt;
  }
  return parameters_.evaluate(*type, rest, where, diagnostics_);
}

std::uint32_t Flattening::add_basic(Level& level, std::uint32_t k, const blocks::BlockType& type,
                                    blocks::Parameters parameters) {
  const BlockInstance& instance = level.diagram->blocks[k];
  FlatBlock block;
  block.path = level.prefix + instance.name;
  block.type = &type;
  block.parameters = std::move(parameters);
  if (type.traces) block.parameters.set_tracer(evaluator_.tracer());
  if (type.foreign) block.parameters.set_foreign_models(services_.foreign_models);
  block.activation = instance.activation;
  block.conditions = level.conditions;
  block.unit = level.unit;
  blocks::Ports ports(block.parameters);
  type.ports(ports);
  return add_flat(level, instance, std::move(block), ports);
}

std::uint32_t Flattening::add_flat(const Level& level, const BlockInstance& instance, FlatBlock block,
                                   blocks::Ports& ports) {
  block.line = instance.line;
  block.file = level.file;
  block.model_line = level.include_line > 0 ? level.include_line : instance.line;
  block.sync_domain = level.sync_domain;
  block.always_port = level.always_port;
  block.inputs = std::move(ports.inputs());
  block.outputs = std::move(ports.outputs());
  block.activation_input_count = ports.activation_input_count();
  block.activation_output_count = ports.activation_output_count();
  block.drivers.resize(block.inputs.size());
  block.activation_drivers.resize(static_cast<std::size_t>(block.activation_input_count));
  if (!ports.failure().empty()) diagnostics_.error("bad-ports", place(level, instance), ports.failure());
  flat_.blocks.push_back(std::move(block));
  return static_cast<std::uint32_t>(flat_.blocks.size() - 1);
}

void Flattening::note_special(Level& level, std::uint32_t k, blocks::Parameters parameters) {
  switch (level.roles[k]) {
    case BlockRole::set_signal:
    case BlockRole::set_activation: level.tags[k] = {parameters.text("tag"), parameters.text("visibility")}; break;
    case BlockRole::get_signal:
    case BlockRole::get_activation: level.tags[k] = {parameters.text("tag")}; break;
    case BlockRole::bus_creator: level.bus_names[k] = blocks::bus_signals(parameters, false); break;
    case BlockRole::bus_extractor:
    case BlockRole::bus_assignment: level.bus_names[k] = blocks::bus_signals(parameters, true); break;
    case BlockRole::bus_constant: add_bus_constant(level, k, parameters); break;
    default:
      level.port_number[k] = parameters.integer("port");
      if (parameters.type()->role == blocks::Role::diagram_input)
        level.reads_whole[k] = parameters.text("each") == "whole";
  }
}

void Flattening::gather_links(Level& level) {
  level.regular.reserve(level.diagram->links.size());
  for (const model::Link& link : level.diagram->links) {
    const std::uint32_t from = level.ends.emplace_back(find_block(level, link.from.block));
    for (const model::PortRef& target : link.to) {
      const std::uint32_t to = level.ends.emplace_back(find_block(level, target.block));
      if (from == no_block || to == no_block) continue;
      if (level.roles[from] == BlockRole::off || level.roles[to] == BlockRole::off) continue;
      const PortOf source{from, link.from.port};
      const std::uint64_t key = port_key(to, target.port);
      if (link.activation) {
        level.activation[key].push_back(source);
      } else if (!level.regular.emplace(key, source).second) {
        Place where = place(level, level.diagram->blocks[to], fmt::format("input {}", target.port));
        where.line = link.line;
        diagnostics_.error("input-driven-twice", where, "two links end here", "remove one of them, or add a Sum");
      }
    }
  }
}

FlatModel flatten(const model::Model& model, Evaluator& evaluator, const Services& services, Diagnostics& diagnostics) {
  return Flattening(model, evaluator, services, diagnostics).run();
}

}  // namespace orrery::compile
