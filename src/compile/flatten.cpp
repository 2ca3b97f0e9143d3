// SPDX-License-Identifier: Apache-2.0
// Flattening: one Level per diagram instance, then every input follows its links to a basic block.
#include "compile/flatten.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "compile/evaluate_parameters.h"
#include "model/closest_name.h"

namespace orrery::compile {
namespace {

using model::BlockInstance;
using model::Diagram;

enum class Role : std::uint8_t {
  basic,
  super,
  input,
  output,
  event_input,
  event_output,
  set_signal,
  get_signal,
  broken,
  off  // commented out
};

struct Level {
  const Diagram* diagram = nullptr;
  Level* parent = nullptr;
  std::uint32_t index_in_parent = 0;
  std::uint32_t sync_domain = 0;
  std::string prefix;  // "/Plant/"
  std::unordered_map<std::string_view, std::uint32_t> index;
  std::vector<Role> roles;
  std::vector<std::uint32_t> flat;  // flat block, by block of the diagram
  std::vector<int> port_number;     // of Input, Output, EventInput, EventOutput
  std::unordered_map<std::uint32_t, std::unique_ptr<Level>> children;
  std::unordered_map<std::string, std::uint32_t> signal_setters;  // tag -> SetSignal block
  std::unordered_map<std::uint32_t, std::string> signal_tags;     // of GetSignal blocks
  std::vector<std::uint32_t> ends;  // blocks of all links, in their order: the source, then the targets
  // (block, port) of a target -> its sources, regular and activation links apart.
  std::unordered_map<std::uint64_t, PortOf> regular;
  std::unordered_map<std::uint64_t, std::vector<PortOf>> activation;
};

std::uint64_t key_of(std::uint32_t block, int port) {
  return static_cast<std::uint64_t>(block) << 24 | static_cast<std::uint64_t>(port);
}

bool is_port(Role role) {
  return role == Role::input || role == Role::output || role == Role::event_input || role == Role::event_output;
}

Role role_of(const BlockInstance& instance) {
  if (instance.off) return Role::off;
  if (instance.diagram) return Role::super;
  switch (blocks::role_of(instance.type)) {
    case blocks::Role::diagram_input: return Role::input;
    case blocks::Role::diagram_output: return Role::output;
    case blocks::Role::diagram_event_input: return Role::event_input;
    case blocks::Role::diagram_event_output: return Role::event_output;
    case blocks::Role::set_signal: return Role::set_signal;
    case blocks::Role::get_signal: return Role::get_signal;
    default: return Role::basic;
  }
}

class Flattening {
 public:
  Flattening(const model::Model& model, Evaluator& evaluator, const Services& services, Diagnostics& diagnostics)
      : model_(model), evaluator_(evaluator), services_(services), parameters_(evaluator), diagnostics_(diagnostics) {
    flat_.file = model.file;
  }

  FlatModel run() {
    Level root;
    root.diagram = &model_.root;
    root.prefix = "/";
    open(root);
    connect(root);
    return std::move(flat_);
  }

 private:
  Place place(const Level& level, const BlockInstance& instance, std::string port = {}) const {
    return {flat_.file, instance.line, 0, level.prefix + instance.name, std::move(port)};
  }

  // Runs the context, evaluates the parameters, makes the flat blocks and the levels below.
  void open(Level& level) {
    const Diagram& diagram = *level.diagram;
    if (!diagram.context.empty()) {
      const std::string owner = level.prefix.size() > 1 ? level.prefix.substr(0, level.prefix.size() - 1) : "";
      evaluator_.run(diagram.context, Place{flat_.file, diagram.context_line, 0, owner, "context"}, diagnostics_);
    }
    const std::size_t count = diagram.blocks.size();
    level.flat.assign(count, no_block);
    level.port_number.assign(count, 0);
    level.roles.resize(count);
    level.index.reserve(count);
    for (const BlockInstance& instance : diagram.blocks) {
      if (!instance.off && blocks::role_of(instance.type) == blocks::Role::sync_tag)
        level.sync_domain = flat_.sync_domains++;
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      level.index.emplace(diagram.blocks[k].name, k);
      level.roles[k] = role_of(diagram.blocks[k]);
      // Ports of the top diagram are blocks that stand for the world around the model.
      if (level.parent == nullptr && is_port(level.roles[k])) level.roles[k] = Role::basic;
      add_block(level, k);
    }
    gather_links(level);
  }

  void add_block(Level& level, std::uint32_t k) {
    const BlockInstance& instance = level.diagram->blocks[k];
    if (instance.off) return;
    if (level.roles[k] == Role::super) {
      auto child = std::make_unique<Level>();
      child->diagram = instance.diagram.get();
      child->parent = &level;
      child->index_in_parent = k;
      child->sync_domain = level.sync_domain;
      child->prefix = level.prefix + instance.name + "/";
      evaluator_.push_scope(mask_values(level, instance), diagnostics_);
      open(*child);
      evaluator_.pop_scope();
      level.children.emplace(k, std::move(child));
      return;
    }
    const blocks::BlockType* type = blocks::find_type(instance.type);
    if (type == nullptr) {
      std::vector<std::string_view> names;
      for (const blocks::BlockType* known : blocks::library()) names.push_back(known->name);
      diagnostics_.error("unknown-block", place(level, instance),
                         fmt::format("no block type is called {}", instance.type),
                         model::did_you_mean(instance.type, names));
      level.roles[k] = Role::broken;
      return;
    }
    auto parameters = parameters_.evaluate(*type, instance, place(level, instance), diagnostics_);
    if (!parameters) {
      level.roles[k] = Role::broken;
      return;
    }
    try {
      if (level.roles[k] == Role::basic) {
        if (type->ports != nullptr && type->role != blocks::Role::sync_tag)
          add_basic(level, k, *type, std::move(*parameters));
      } else {
        note_special(level, k, *parameters);
      }
    } catch (const blocks::ParameterError& error) {
      diagnostics_.error(error.code, place(level, instance, "parameter " + error.parameter), error.message, error.help);
      level.roles[k] = Role::broken;
    }
  }

  // The parameters of a super block are those of its mask; their texts belong to the diagram around it.
  std::vector<GivenVariable> mask_values(const Level& level, const BlockInstance& instance) {
    const std::vector<model::MaskParameter>& mask = instance.diagram->mask;
    std::vector<std::string_view> names;
    names.reserve(mask.size());
    for (const model::MaskParameter& parameter : mask) names.push_back(parameter.name);
    for (const model::Parameter& given : instance.parameters) {
      if (std::find(names.begin(), names.end(), given.name) != names.end()) continue;
      Place where = place(level, instance, "parameter " + given.name);
      if (given.line > 0) where.line = given.line;
      const std::string hint = model::did_you_mean(given.name, names);
      diagnostics_.error("unknown-parameter", where, "the mask of the super block has no such parameter",
                         !hint.empty()  ? hint
                         : mask.empty() ? "add it to the \"mask\" of the diagram, or remove the value"
                                        : fmt::format("it has: {}", fmt::join(names, ", ")));
    }
    std::vector<GivenVariable> values;
    for (const model::MaskParameter& parameter : mask) {
      const model::Parameter* given = instance.find_parameter(parameter.name);
      Place where = place(level, instance, "parameter " + parameter.name);
      if (given != nullptr && given->line > 0) where.line = given->line;
      if (given == nullptr && parameter.value.empty()) {
        diagnostics_.error("missing-parameter", where, "the super block needs a value for this parameter",
                           "give one in its \"parameters\", or a \"default\" in its mask");
        continue;
      }
      values.push_back({parameter.name, given != nullptr ? given->value : parameter.value, where});
    }
    return values;
  }

  void add_basic(Level& level, std::uint32_t k, const blocks::BlockType& type, blocks::Parameters parameters) {
    const BlockInstance& instance = level.diagram->blocks[k];
    FlatBlock block;
    block.path = level.prefix + instance.name;
    block.type = &type;
    block.parameters = std::move(parameters);
    if (type.traces) block.parameters.set_tracer(evaluator_.tracer());
    if (type.foreign) block.parameters.set_foreign_models(services_.foreign_models);
    block.activation = instance.activation;
    block.line = instance.line;
    block.sync_domain = level.sync_domain;
    blocks::Ports ports(block.parameters);
    type.ports(ports);
    block.inputs = std::move(ports.inputs());
    block.outputs = std::move(ports.outputs());
    block.activation_input_count = ports.activation_input_count();
    block.activation_output_count = ports.activation_output_count();
    block.drivers.resize(block.inputs.size());
    block.activation_drivers.resize(static_cast<std::size_t>(block.activation_input_count));
    if (!ports.failure().empty()) diagnostics_.error("bad-ports", place(level, instance), ports.failure());
    level.flat[k] = static_cast<std::uint32_t>(flat_.blocks.size());
    flat_.blocks.push_back(std::move(block));
  }

  void note_special(Level& level, std::uint32_t k, const blocks::Parameters& parameters) {
    const BlockInstance& instance = level.diagram->blocks[k];
    if (level.roles[k] == Role::set_signal) {
      const std::string& tag = parameters.text("tag");
      if (!level.signal_setters.emplace(tag, k).second) {
        diagnostics_.error("duplicate-tag", place(level, instance),
                           fmt::format("another SetSignal of this diagram sets '{}' already", tag),
                           "give each SetSignal a tag of its own");
      }
    } else if (level.roles[k] == Role::get_signal) {
      level.signal_tags.emplace(k, parameters.text("tag"));
    } else {
      level.port_number[k] = parameters.integer("port");
    }
  }

  // no_block: there is none of this name, which the loader has reported.
  static std::uint32_t find_block(const Level& level, const std::string& name) {
    const auto found = level.index.find(name);
    return found == level.index.end() ? no_block : found->second;
  }

  void gather_links(Level& level) {
    level.regular.reserve(level.diagram->links.size());
    for (const model::Link& link : level.diagram->links) {
      const std::uint32_t from = level.ends.emplace_back(find_block(level, link.from.block));
      for (const model::PortRef& target : link.to) {
        const std::uint32_t to = level.ends.emplace_back(find_block(level, target.block));
        if (from == no_block || to == no_block) continue;
        if (level.roles[from] == Role::off || level.roles[to] == Role::off) continue;
        const PortOf source{from, link.from.port};
        const std::uint64_t key = key_of(to, target.port);
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

  // Second sweep: all flat blocks exist, so every input can follow its links.
  void connect(Level& level) {
    check_targets(level);
    for (std::uint32_t k = 0; k < level.flat.size(); ++k) {
      if (level.flat[k] == no_block) continue;
      FlatBlock& block = flat_.blocks[level.flat[k]];
      for (std::size_t p = 0; p < block.drivers.size(); ++p) {
        block.drivers[p] = follow(level, k, static_cast<int>(p) + 1);
      }
      for (std::size_t p = 0; p < block.activation_drivers.size(); ++p) {
        visits_.clear();
        follow_activation(level, k, static_cast<int>(p) + 1, block.activation_drivers[p], 0);
      }
    }
    for (auto& [k, child] : level.children) {
      warn_of_event_inputs(level, k, *child);
      connect(*child);
    }
  }

  // Blocks behind an EventInput that nothing drives would silently run when their inputs do, or not at all.
  void warn_of_event_inputs(const Level& level, std::uint32_t k, const Level& child) {
    for (std::uint32_t inner = 0; inner < child.roles.size(); ++inner) {
      if (child.roles[inner] != Role::event_input) continue;
      const int port = child.port_number[inner];
      const bool used = std::any_of(child.activation.begin(), child.activation.end(), [inner](const auto& links) {
        return std::any_of(links.second.begin(), links.second.end(),
                           [inner](const PortOf& source) { return source.block == inner; });
      });
      if (!used || level.activation.contains(key_of(k, port))) continue;
      Place where = place(level, level.diagram->blocks[k]);
      where.port = fmt::format("activation input {}", port);
      diagnostics_.warning(
          "unconnected-activation", std::move(where),
          "nothing activates it: the blocks that it leads to inside are activated as if it were not there",
          "link an activation output to it");
    }
  }

  int count_inside(const Level& child, Role role) const {
    int most = 0;
    for (std::size_t k = 0; k < child.roles.size(); ++k) {
      if (child.roles[k] == role) most = std::max(most, child.port_number[k]);
    }
    return most;
  }

  struct PortCounts {
    int inputs, outputs, activation_inputs, activation_outputs;
  };
  PortCounts counts_of(const Level& level, std::uint32_t k) const {
    switch (level.roles[k]) {
      case Role::super: {
        const Level& child = *level.children.at(k);
        return {count_inside(child, Role::input), count_inside(child, Role::output),
                count_inside(child, Role::event_input), count_inside(child, Role::event_output)};
      }
      case Role::input:
      case Role::get_signal: return {0, 1, 0, 0};
      case Role::output:
      case Role::set_signal: return {1, 0, 0, 0};
      case Role::event_input: return {0, 0, 0, 1};
      case Role::event_output: return {0, 0, 1, 0};
      case Role::off:
      case Role::broken: return {1 << 20, 1 << 20, 1 << 20, 1 << 20};
      case Role::basic: break;
    }
    if (level.flat[k] == no_block) return {0, 0, 0, 0};
    const FlatBlock& b = flat_.blocks[level.flat[k]];
    return {static_cast<int>(b.inputs.size()), static_cast<int>(b.outputs.size()), b.activation_input_count,
            b.activation_output_count};
  }

  void check_targets(const Level& level) {
    auto end = level.ends.begin();
    for (const model::Link& link : level.diagram->links) {
      const std::uint32_t from = *end++;
      if (from != no_block) {
        const PortCounts source = counts_of(level, from);
        check_port(level, link, from, link.from.port, link.activation ? source.activation_outputs : source.outputs,
                   link.activation ? "activation output" : "output");
      }
      for (const model::PortRef& target : link.to) {
        const std::uint32_t to = *end++;
        if (from == no_block || to == no_block) continue;
        const PortCounts sink = counts_of(level, to);
        check_port(level, link, to, target.port, link.activation ? sink.activation_inputs : sink.inputs,
                   link.activation ? "activation input" : "input");
      }
    }
  }

  void check_port(const Level& level, const model::Link& link, std::uint32_t k, int port, int count, const char* kind) {
    if (port >= 1 && port <= count) return;
    Place where = place(level, level.diagram->blocks[k], fmt::format("{} {}", kind, port));
    where.line = link.line;
    diagnostics_.error("no-such-port", where,
                       count == 0 ? fmt::format("a {} has no {}s", level.diagram->blocks[k].type, kind)
                                  : fmt::format("the block has {} {}{}", count, kind, count == 1 ? "" : "s"),
                       "correct the port number in the link");
  }

  // The basic block's output that drives input `port` of block k, through super blocks and signal tags.
  PortOf follow(const Level& start, std::uint32_t k, int port) {
    const Level* level = &start;
    for (int hops = 0; hops < 10000; ++hops) {
      const auto link = level->regular.find(key_of(k, port));
      if (link == level->regular.end()) return {};
      k = link->second.block;
      port = link->second.port;
      switch (level->roles[k]) {
        case Role::super: {  // continue at the inner Output block
          const Level* child = level->children.at(k).get();
          k = find_port(*child, Role::output, port);
          if (k == no_block) return {};
          port = 1;
          level = child;
          break;
        }
        case Role::input: {  // continue outside
          if (level->parent == nullptr) return {};
          port = level->port_number[k];
          k = level->index_in_parent;
          level = level->parent;
          break;
        }
        case Role::get_signal: {
          if (!find_setter(level, k)) return {};
          port = 1;
          break;
        }
        case Role::basic: return {level->flat[k], port};
        default: return {};
      }
    }
    diagnostics_.error("link-loop", place(start, start.diagram->blocks[k % start.diagram->blocks.size()]),
                       "the link leads back to itself without passing a block", "put a block into the loop");
    return {};
  }

  // Moves (level, k) from a GetSignal to the SetSignal of its tag, looking outwards through the diagrams.
  bool find_setter(const Level*& level, std::uint32_t& k) {
    const std::string& tag = level->signal_tags.at(k);
    for (const Level* at = level; at != nullptr; at = at->parent) {
      const auto setter = at->signal_setters.find(tag);
      if (setter == at->signal_setters.end()) continue;
      level = at;
      k = setter->second;
      return true;
    }
    diagnostics_.error("unknown-tag", place(*level, level->diagram->blocks[k]),
                       fmt::format("no SetSignal sets '{}'", tag),
                       "add a SetSignal with this tag here or in a diagram around this one");
    return false;
  }

  std::uint32_t find_port(const Level& level, Role role, int number) const {
    for (std::uint32_t k = 0; k < level.roles.size(); ++k) {
      if (level.roles[k] == role && level.port_number[k] == number) return k;
    }
    return no_block;
  }

  // Many ways may lead through the ports of super blocks to one source: each port is followed once.
  void follow_activation(const Level& level, std::uint32_t k, int port, std::vector<PortOf>& found, int depth) {
    const auto links = level.activation.find(key_of(k, port));
    if (links == level.activation.end()) return;
    const auto [visit, is_new] = visits_.try_emplace({&level, key_of(k, port)}, Visit::under_way);
    if (visit->second == Visit::done) return;
    if (!is_new || depth > 1000) {
      diagnostics_.error("link-loop", place(level, level.diagram->blocks[k]),
                         "the activation link leads back to itself without passing a block",
                         "put a block into the loop");
      return;
    }
    for (const PortOf& source : links->second) {
      switch (level.roles[source.block]) {
        case Role::super: {
          const Level& child = *level.children.at(source.block);
          const std::uint32_t inner = find_port(child, Role::event_output, source.port);
          if (inner != no_block) follow_activation(child, inner, 1, found, depth + 1);
          break;
        }
        case Role::event_input:
          if (level.parent != nullptr) {
            follow_activation(*level.parent, level.index_in_parent, level.port_number[source.block], found, depth + 1);
          }
          break;
        case Role::basic: found.push_back({level.flat[source.block], source.port}); break;
        default: break;
      }
    }
    visit->second = Visit::done;
  }

  enum class Visit : std::uint8_t { under_way, done };

  const model::Model& model_;
  Evaluator& evaluator_;
  const Services& services_;
  ParameterEvaluation parameters_;
  Diagnostics& diagnostics_;
  FlatModel flat_;
  std::map<std::pair<const Level*, std::uint64_t>, Visit> visits_;  // of one activation input
};

}  // namespace

FlatModel flatten(const model::Model& model, Evaluator& evaluator, const Services& services, Diagnostics& diagnostics) {
  return Flattening(model, evaluator, services, diagnostics).run();
}

}  // namespace orrery::compile
