// SPDX-License-Identifier: Apache-2.0
// Which atomic super blocks are opened once for all their instances: those that are there several times with the same
// diagram and the same texts as parameters, and whose texts have no effects and give the same whenever they are run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "blocks/diagram_ports/diagram_ports.h"
#include "compile/flattening.h"
#include "compile/same_instance.h"
#include "compile/unit_template.h"

namespace orrery::compile {
namespace {

using model::BlockInstance;
using model::Diagram;

constexpr int worth_sharing = 4;

constexpr std::array<std::string_view, 62> pure_functions = {
    "abs",   "acos",  "asin",    "atan",   "atan2",  "butter",   "c2d",    "ceil",   "cos",   "cosh",  "cumsum",
    "det",   "diag",  "double",  "end",    "exp",    "expm",     "eye",    "fix",    "floor", "int16", "int32",
    "int8",  "inv",   "isempty", "kron",   "length", "linspace", "log",    "log10",  "lqr",   "max",   "min",
    "mod",   "norm",  "numel",   "ones",   "place",  "polyval",  "pinv",   "prod",   "real",  "rem",   "repmat",
    "round", "sign",  "sin",     "sinh",   "size",   "sqrt",     "strcmp", "struct", "sum",   "tan",   "tanh",
    "tf2ss", "trace", "uint16",  "uint32", "uint8",  "zeros",    "zp2tf"};

bool is_pure_call(std::string_view name) {
  return std::find(pure_functions.begin(), pure_functions.end(), name) != pure_functions.end();
}

// Whether a text calls nothing but functions that are known to have no effects.
bool is_pure(const std::string& text) {
  if (text.find("rand") != std::string::npos || text.find("__index__") != std::string::npos) return false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || (c == '\'' && (at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 &&
                                               text[at - 1] != ')' && text[at - 1] != ']')))) {
      at = text.find(c, at + 1);
      at = at == std::string::npos ? text.size() : at + 1;
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
      std::size_t to = at;
      while (to < text.size() && (std::isalnum(static_cast<unsigned char>(text[to])) != 0 || text[to] == '_')) ++to;
      const std::string_view name = std::string_view(text).substr(at, to - at);
      for (const char* clock : {"tic", "toc", "clock", "now", "time", "cputime", "date"}) {
        if (name == clock) return false;
      }
      const std::size_t next = text.find_first_not_of(' ', to);
      if (next != std::string::npos && text[next] == '(' && !is_pure_call(name)) return false;
      at = to;
    } else {
      ++at;
    }
  }
  return true;
}

bool is_pure(const std::vector<std::string>& lines) {
  return std::all_of(lines.begin(), lines.end(), [](const std::string& line) { return is_pure(line); });
}

// Whether all of it is as good opened once as opened for each instance.
bool can_be_opened_once(const Diagram& diagram) {
  if (!diagram.program.empty() || !is_pure(diagram.context)) return false;
  int event_inputs = 0;
  for (const BlockInstance& block : diagram.blocks) {
    if (block.off) continue;
    for (const model::Parameter& parameter : block.parameters) {
      if (!is_pure(parameter.value)) return false;
    }
    if (block.diagram) {
      if (block.diagram->for_each != model::ForEach::none || !can_be_opened_once(*block.diagram)) return false;
      continue;
    }
    if (block.type.find('/') != std::string::npos) return false;
    switch (blocks::role_of(block.type)) {
      case blocks::Role::ordinary:
      case blocks::Role::diagram_input:
      case blocks::Role::diagram_output: break;
      case blocks::Role::diagram_event_input: ++event_inputs; break;
      default: return false;
    }
  }
  return event_inputs <= 1;
}

bool defines_functions(const std::vector<std::string>& lines) {
  return std::any_of(lines.begin(), lines.end(),
                     [](const std::string& line) { return line.find("function") != std::string::npos; });
}

// What continuous time activates by itself, and whatever inherits from it, runs more often than the unit is called.
bool is_always_active(const FlatBlock& block) {
  if (block.activation != model::Activation::by_type) return block.activation == model::Activation::always;
  return block.type->activation == blocks::Activation::always ||
         block.type->activation == blocks::Activation::always_and_inherit;
}

}  // namespace

// The inside of the diagram as a model of its own.
std::shared_ptr<UnitTemplate> Flattening::open_unit(const Diagram& diagram, const std::string& path) {
  auto unit = std::make_shared<UnitTemplate>();
  Level root;
  root.diagram = &diagram;
  root.prefix = path + "/";
  root.is_unit = true;
  const auto add = [&](const blocks::BlockType& type, const std::string& name, int line) {
    FlatBlock block;
    block.path = name;
    block.type = &type;
    block.parameters = blocks::Parameters(&type, {});
    blocks::Ports ports(block.parameters);
    type.ports(ports);
    BlockInstance instance;
    instance.line = line;
    return add_flat(root, instance, std::move(block), ports);
  };
  const std::uint32_t clock = add(blocks::unit_clock, path, 0);
  open(root);
  const auto put = [](std::vector<std::uint32_t>& list, int port, std::uint32_t block) {
    if (port < 1 || port > 1000) return false;
    const auto at = static_cast<std::size_t>(port - 1);
    if (list.size() <= at) list.resize(at + 1, no_block);
    if (list[at] != no_block) return false;
    list[at] = block;
    return true;
  };
  for (std::uint32_t k = 0; k < diagram.blocks.size(); ++k) {
    const std::string name = root.prefix + diagram.blocks[k].name;
    const int line = diagram.blocks[k].line;
    if (root.roles[k] == BlockRole::input) {
      root.flat[k] = add(blocks::unit_argument, name, line);
      flat_.blocks[root.flat[k]].activation_drivers[0].push_back({clock, 1});
      if (!put(unit->arguments, root.port_number[k], root.flat[k])) return nullptr;
      unit->reads_whole.resize(unit->arguments.size(), false);
      unit->reads_whole[static_cast<std::size_t>(root.port_number[k] - 1)] = root.reads_whole[k];
    } else if (root.roles[k] == BlockRole::output) {
      root.flat[k] = add(blocks::unit_result, name, line);
      if (!put(unit->results, root.port_number[k], root.flat[k])) return nullptr;
    } else if (root.roles[k] == BlockRole::event_input) {
      root.flat[k] = clock;
      unit->has_event_input = true;
    } else {
      continue;
    }
    root.roles[k] = BlockRole::basic;
  }
  find_setters(root);
  connect(root);
  for (const FlatBlock& block : flat_.blocks) {
    if (block.type != &blocks::unit_clock && is_always_active(block)) return nullptr;
    for (const blocks::ParameterSpec& spec : block.type->parameters) {
      if (block.parameters.has_formula(spec.name)) return nullptr;
    }
  }
  unit->inside = std::move(flat_);
  return unit;
}

// In the scope of the super block. Nothing: its instances are opened one by one.
std::shared_ptr<const SharedUnit> Flattening::make_shared_unit(const Diagram& diagram, std::uint32_t file,
                                                               const std::string& path, int line) {
  const model::Model& model = file == 0 ? model_ : *included_[file - 1];
  if (defines_functions(model_.initialization) || defines_functions(model_.root.context) ||
      defines_functions(model.initialization))
    return nullptr;
  if (file != 0 && !is_pure(model.initialization)) return nullptr;
  if (!diagram.atomic || !can_be_opened_once(diagram)) return nullptr;
  Diagnostics found;
  Flattening inner(model, evaluator_, services_, found);
  if (file != 0 && line == 0 && !model.initialization.empty()) {
    evaluator_.run(model.initialization, {model.file, model.initialization_line, 0, path, "initialization"}, found);
  }
  auto unit = inner.open_unit(diagram, path);
  if (!unit || found.has_errors()) return nullptr;
  unit->line = line;
  return std::make_shared<const SharedUnit>(std::move(unit));
}

std::uint32_t Flattening::add_instance(Level& level, std::uint32_t k, std::shared_ptr<const SharedUnit> unit,
                                       const std::string& name) {
  const UnitTemplate& source = unit->source();
  FlatBlock block;
  block.path = level.prefix + level.diagram->blocks[k].name + name;
  block.type = &blocks::shared_unit;
  block.parameters = blocks::Parameters(&blocks::shared_unit, {});
  block.conditions = level.conditions;
  block.unit = level.unit;
  blocks::Ports ports(block.parameters);
  for (int p = 1; p <= static_cast<int>(source.arguments.size()); ++p) {
    ports.input(fmt::format("u{}", p), {-2 * p - 1000, -2 * p - 1001}, blocks::ElementType(-5000 - p));
  }
  for (int p = 1; p <= static_cast<int>(source.results.size()); ++p) {
    ports.output(fmt::format("y{}", p), {-2 * p - 3000, -2 * p - 3001}, blocks::ElementType(-7000 - p));
  }
  ports.activation_inputs(source.has_event_input ? 1 : 0);
  block.parameters.set_unit(std::move(unit));
  return add_flat(level, level.diagram->blocks[k], std::move(block), ports);
}

// Which super blocks of a level are the same.
void Flattening::group_instances(Level& level) {
  const std::vector<BlockInstance>& blocks = level.diagram->blocks;
  level.instances_of.assign(blocks.size(), no_block);
  std::unordered_multimap<std::uint64_t, std::uint32_t> known;
  for (std::uint32_t k = 0; k < blocks.size(); ++k) {
    if (blocks[k].diagram && !blocks[k].diagram->atomic) continue;
    const std::uint64_t hash = instance_hash(blocks[k]);
    const auto [first, last] = known.equal_range(hash);
    const auto same = std::find_if(first, last, [&](const auto& entry) {
      return is_same_instance(blocks[level.instances[entry.second].first], blocks[k]);
    });
    if (same == last) {
      level.instances_of[k] = static_cast<std::uint32_t>(level.instances.size());
      known.emplace(hash, level.instances_of[k]);
      level.instances.push_back({k, 1});
    } else {
      level.instances_of[k] = same->second;
      ++level.instances[same->second].count;
    }
  }
}

// True: the super block is an instance of a shared unit now.
bool Flattening::share_super(Level& level, std::uint32_t k, const Diagram& diagram, std::uint32_t file) {
  const BlockInstance& instance = level.diagram->blocks[k];
  if (!services_.share_units || !diagram.atomic || diagram.for_each != model::ForEach::none || !diagram.count.empty())
    return false;
  if (level.is_unit || level.in_unit) return false;
  if (level.instances_of.empty()) group_instances(level);
  Level::Instances& same = level.instances[level.instances_of[k]];
  if (same.count < worth_sharing || same.tried) {
    if (!same.unit) return false;
  } else {
    same.tried = true;
    for (const model::Parameter& parameter : instance.parameters) {
      if (!is_pure(parameter.value)) return false;
    }
    const int errors = diagnostics_.error_count();
    evaluator_.push_scope(mask_values(level, instance, diagram.mask, file), diagnostics_);
    check_mask(level, instance, diagram.mask);
    if (diagnostics_.error_count() == errors) {
      same.unit = make_shared_unit(diagram, file, level.prefix + instance.name, instance.diagram ? instance.line : 0);
    }
    evaluator_.pop_scope();
    if (diagnostics_.error_count() > errors) {
      level.roles[k] = BlockRole::broken;
      return true;
    }
    if (!same.unit) return false;
  }
  level.roles[k] = BlockRole::basic;
  level.flat[k] = add_instance(level, k, same.unit, "");
  return true;
}

// The copies of a diagram for each part of its inputs. True: they are instances.
bool Flattening::share_copies(Level& level, std::uint32_t k, int count, const Diagram& diagram, std::uint32_t file,
                              Inside& inside) {
  if (!services_.share_units || !diagram.atomic || count < worth_sharing || level.is_unit) return false;
  const auto unit = make_shared_unit(diagram, file, level.prefix + level.diagram->blocks[k].name + "/1", 0);
  if (!unit) return false;
  for (int copy = 0; copy < count; ++copy)
    inside.shared.push_back(add_instance(level, k, unit, fmt::format("/{}", copy + 1)));
  const UnitTemplate& source = unit->source();
  const std::vector<Value> values{Value::number(count),
                                  Value::number(diagram.for_each == model::ForEach::columns ? 1 : 0)};
  for (std::size_t p = 0; p < source.arguments.size(); ++p) {
    inside.splits.push_back(source.arguments[p] == no_block || source.reads_whole[p]
                                ? no_block
                                : add_hidden(level, k, blocks::part_splitter, values, fmt::format(":input {}", p + 1)));
  }
  for (std::size_t p = 0; p < source.results.size(); ++p)
    inside.joins.push_back(add_hidden(level, k, blocks::part_joiner, values, fmt::format(":output {}", p + 1)));
  return true;
}

void Flattening::connect_shared(const Level& level, std::uint32_t k, const Inside& inside) {
  for (std::size_t p = 0; p < inside.splits.size(); ++p) {
    if (inside.splits[p] != no_block) drive(flat_.blocks[inside.splits[p]], 0, level, k, static_cast<int>(p) + 1);
  }
  for (std::size_t c = 0; c < inside.shared.size(); ++c) {
    FlatBlock& block = flat_.blocks[inside.shared[c]];
    for (std::size_t p = 0; p < block.drivers.size(); ++p) {
      if (p < inside.splits.size() && inside.splits[p] != no_block) {
        block.drivers[p] = {inside.splits[p], static_cast<int>(c) + 1};
      } else {
        drive(block, p, level, k, static_cast<int>(p) + 1);
      }
    }
    if (!block.activation_drivers.empty()) {
      visits_.clear();
      follow_activation(level, k, 1, block.activation_drivers[0], 0);
    }
  }
  for (std::size_t p = 0; p < inside.joins.size(); ++p) {
    FlatBlock& join = flat_.blocks[inside.joins[p]];
    for (std::size_t c = 0; c < inside.shared.size(); ++c)
      join.drivers[c] = {inside.shared[c], static_cast<int>(p) + 1};
  }
}

}  // namespace orrery::compile
