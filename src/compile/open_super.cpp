// SPDX-License-Identifier: Apache-2.0
// The kinds of super blocks: plain, masked, atomic, conditional, for each part, included from a file, programmable.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "blocks/diagram_ports/diagram_ports.h"
#include "compile/diagram_files.h"
#include "compile/flattening.h"
#include "model/check_diagram.h"
#include "model/closest_name.h"
#include "model/library.h"
#include "model/limits.h"

namespace orrery::compile {

using model::BlockInstance;

namespace {

constexpr int most_copies = 100'000;

std::string without_slash(const std::string& prefix) { return prefix.substr(0, prefix.size() - 1); }

}  // namespace

std::unique_ptr<Level> Flattening::make_child(Level& level, std::uint32_t k, const model::Diagram& diagram,
                                              std::uint32_t file) {
  const BlockInstance& instance = level.diagram->blocks[k];
  auto child = std::make_unique<Level>();
  child->diagram = &diagram;
  child->parent = &level;
  child->index_in_parent = k;
  child->sync_domain = level.sync_domain;
  child->prefix = level.prefix + instance.name + "/";
  child->file = file;
  child->include_line = level.include_line;
  if (file != level.file && level.include_line == 0) child->include_line = instance.line;
  child->unit = level.unit;
  child->conditions = level.conditions;
  child->always_port = level.always_port;
  child->in_unit = level.is_unit || level.in_unit;
  return child;
}

void Flattening::add_super(Level& level, std::uint32_t k, const model::Diagram& diagram, std::uint32_t file) {
  const BlockInstance& instance = level.diagram->blocks[k];
  if (share_super(level, k, diagram, file)) return;
  level.roles[k] = BlockRole::super;
  Inside& inside = level.children[k];
  evaluator_.push_scope(mask_values(level, instance, diagram.mask, file), diagnostics_);
  check_mask(level, instance, diagram.mask);
  if (diagram.for_each != model::ForEach::none) {
    open_copies(level, k, diagram, file, inside);
  } else {
    if (!diagram.count.empty()) {
      diagnostics_.error("bad-parameter",
                         {flat_.files[file], diagram.options_line, 0, level.prefix + instance.name, {}},
                         "\"count\" says how many parts there are, but not of what",
                         "add \"for_each\": \"elements\" or \"columns\", or remove it");
    }
    auto child = make_child(level, k, diagram, file);
    open_child(*child, instance);
    inside.copies.push_back(std::move(child));
  }
  evaluator_.pop_scope();
}

void Flattening::open_child(Level& child, const BlockInstance& instance) {
  const model::Diagram& diagram = *child.diagram;
  if (child.file != child.parent->file && !included_[child.file - 1]->initialization.empty()) {
    const model::Model& file = *included_[child.file - 1];
    evaluator_.run(file.initialization,
                   {file.file, file.initialization_line, 0, without_slash(child.prefix), "initialization"},
                   diagnostics_);
  }
  if (!diagram.program.empty()) {
    const Place owner{flat_.files[child.file], diagram.context_line, 0, without_slash(child.prefix), "context"};
    if (!diagram.context.empty()) evaluator_.run(diagram.context, owner, diagnostics_);
    Place script = owner;
    script.line = diagram.program_line;
    auto built = std::make_unique<model::Diagram>();
    evaluator_.build(diagram.program, script, *built, diagnostics_);
    for (BlockInstance& block : built->blocks) block.line = instance.line;
    for (model::Link& link : built->links) link.line = instance.line;
    model::check_diagram(*built, flat_.files[child.file], without_slash(child.prefix), diagnostics_);
    built->atomic = diagram.atomic;
    child.diagram = built.get();
    built_.push_back(std::move(built));
  }
  if (child.diagram->atomic) begin_unit(child, *child.parent, child.index_in_parent);
  open(child);
  if (child.boundary != no_unit) end_unit(child);
}

// How many parts the inputs have; 0, and a diagnostic, when that is not known.
int Flattening::count_of(const Level& level, const BlockInstance& instance, const model::Diagram& diagram,
                         std::uint32_t file) {
  const Place where{flat_.files[file], diagram.options_line, 0, level.prefix + instance.name, "count"};
  if (diagram.count.empty()) {
    diagnostics_.error("missing-parameter", where, "\"for_each\" needs the number of parts, \"count\"",
                       "write \"count\": \"n\", with the number of elements or columns of the inputs");
    return 0;
  }
  const auto count = evaluator_.evaluate(diagram.count, where, diagnostics_);
  if (!count) return 0;
  if (count->has_formula())
    evaluator_.parameter_space()->fix(count->formula, where, "it says how often a diagram is there");
  if (!count->is_scalar() || count->is_complex() || !(count->scalar() >= 1 && count->scalar() <= most_copies) ||
      count->scalar() != std::floor(count->scalar())) {
    diagnostics_.error("bad-parameter", where, fmt::format("must be a whole number from 1 to {}", most_copies));
    return 0;
  }
  return static_cast<int>(count->scalar());
}

void Flattening::open_copies(Level& level, std::uint32_t k, const model::Diagram& diagram, std::uint32_t file,
                             Inside& inside) {
  const BlockInstance& instance = level.diagram->blocks[k];
  const int count = count_of(level, instance, diagram, file);
  if (share_copies(level, k, count, diagram, file, inside)) return;
  for (int copy = 0; copy < count; ++copy) {
    auto child = make_child(level, k, diagram, file);
    child->prefix += fmt::format("{}/", copy + 1);
    child->copy = copy;
    const int errors = diagnostics_.error_count();
    evaluator_.push_scope({}, diagnostics_);
    evaluator_.set("__index__", Value::number(copy + 1));
    open_child(*child, instance);
    evaluator_.pop_scope();
    inside.copies.push_back(std::move(child));
    if (diagnostics_.error_count() > errors) return;  // the others have the same
  }
  if (count > 0) add_splits(level, k, diagram.for_each == model::ForEach::columns, inside);
}

void Flattening::add_splits(Level& level, std::uint32_t k, bool columns, Inside& inside) {
  const Level& first = *inside.copies.front();
  const std::vector<Value> values{Value::number(static_cast<double>(inside.copies.size())),
                                  Value::number(columns ? 1 : 0)};
  for (int p = 1; p <= first.highest_port(BlockRole::input); ++p) {
    const std::uint32_t port = first.find_port(BlockRole::input, p);
    inside.splits.push_back(port == no_block || first.reads_whole[port]
                                ? no_block
                                : add_hidden(level, k, blocks::part_splitter, values, fmt::format(":input {}", p)));
  }
  for (int p = 1; p <= first.highest_port(BlockRole::output); ++p) {
    inside.joins.push_back(add_hidden(level, k, blocks::part_joiner, values, fmt::format(":output {}", p)));
  }
}

// A flat block that no diagram shows; its name cannot be that of another block.
std::uint32_t Flattening::add_hidden(const Level& level, std::uint32_t k, const blocks::BlockType& type,
                                     std::vector<Value> values, const std::string& name) {
  const BlockInstance& instance = level.diagram->blocks[k];
  FlatBlock block;
  block.path = level.prefix + instance.name + name;
  block.type = &type;
  block.parameters = blocks::Parameters(&type, std::move(values));
  block.conditions = level.conditions;
  block.unit = level.unit;
  blocks::Ports ports(block.parameters);
  type.ports(ports);
  return add_flat(level, instance, std::move(block), ports);
}

// Before the blocks inside: in the order of the file the unit comes first.
void Flattening::begin_unit(Level& child, Level& level, std::uint32_t k) {
  const std::string name = child.copy < 0 ? "" : fmt::format("/{}", child.copy + 1);
  const std::uint32_t block = add_hidden(level, k, blocks::unit_activation, {}, name);
  child.boundary = child.unit = static_cast<std::uint32_t>(flat_.units.size());
  flat_.units.push_back({level.unit, block});
}

// Inputs of any size and type, one for each of the super block: how many is known when its diagram is.
void Flattening::end_unit(const Level& child) {
  FlatBlock& block = flat_.blocks[flat_.units[child.boundary].block];
  for (int p = 1; p <= child.highest_port(BlockRole::input); ++p) {
    block.inputs.push_back({fmt::format("u{}", p), -2 * p - 1000, -2 * p - 1001, -5000 - p});
  }
  block.drivers.resize(block.inputs.size());
}

// An EnableInput of the diagram: all its blocks run only where it is positive.
void Flattening::add_conditions(Level& child) {
  for (std::uint32_t k = 0; k < child.diagram->blocks.size(); ++k) {
    const BlockInstance& instance = child.diagram->blocks[k];
    if (instance.off || blocks::role_of(instance.type) != blocks::Role::diagram_condition) continue;
    Level outside;  // the condition itself runs under those around only
    outside.prefix = child.prefix;
    outside.diagram = child.diagram;
    outside.file = child.file;
    outside.include_line = child.include_line;
    outside.sync_domain = child.sync_domain;
    outside.conditions = child.parent->conditions;
    outside.unit = child.unit;
    const std::uint32_t flat = add_hidden(outside, k, blocks::run_condition, {}, "");
    child.own_conditions.emplace_back(flat, k);
    child.conditions.push_back(flat);
  }
}

bool Flattening::includes_itself(const Level& level, std::uint32_t file) const {
  for (const Level* at = &level; at != nullptr; at = at->parent) {
    if (at->file == file) return true;
  }
  return false;
}

// "name/Level/Block": the file Level/Block/Block.orr of the library.
void Flattening::add_library_block(Level& level, std::uint32_t k) {
  const BlockInstance& instance = level.diagram->blocks[k];
  level.roles[k] = BlockRole::broken;
  const std::size_t slash = instance.type.find('/');
  const std::string name = instance.type.substr(0, slash), rest = instance.type.substr(slash + 1);
  const model::Model& file = level.file == 0 ? model_ : *included_[level.file - 1];
  const auto library = model::find_library(file, flat_.files[level.file], name, place(level, instance), diagnostics_);
  if (!library) return;
  // Libraries that the user has installed, or that the model is a part of, may be read; one that the model names need
  // not.
  const auto need = std::find_if(file.libraries.begin(), file.libraries.end(), [&](const model::LibraryNeed& each) {
    return each.name == name && !each.path.empty();
  });
  if (need != file.libraries.end() && !services_.consent.may_read(library->folder)) {
    diagnostics_.add(refusal(services_.consent, Capability::read, place(level, instance), library->folder));
    return;
  }
  const std::filesystem::path path = model::block_file(*library, rest);
  std::error_code ignored;
  if (("/" + rest + "/").find("/../") != std::string::npos || !std::filesystem::exists(path, ignored)) {
    const std::vector<std::string> blocks = model::list_blocks(*library);
    const std::vector<std::string_view> names(blocks.begin(), blocks.end());
    diagnostics_.error(
        "unknown-block", place(level, instance),
        fmt::format("the library {} (version {}, {}) has no block {}", name, library->version, library->folder, rest),
        model::did_you_mean(rest, names));
    return;
  }
  add_include(level, k, path);
}

void Flattening::add_include(Level& level, std::uint32_t k, const std::string& library_file) {
  const BlockInstance& instance = level.diagram->blocks[k];
  level.roles[k] = BlockRole::broken;
  Place where = place(level, instance, "parameter file");
  std::string path = library_file;
  if (path.empty()) {
    const model::Parameter* given = instance.find_parameter("file");
    if (given != nullptr && given->line > 0) where.line = given->line;
    const auto value = given == nullptr ? std::optional<Value>(Value::string(""))
                                        : evaluator_.evaluate(given->value, where, diagnostics_);
    if (!value) return;
    if (!value->is_text() || value->text.empty()) {
      diagnostics_.error("bad-parameter", where, "must be the path of a model file", "write 'parts/motor.orr'");
      return;
    }
    path = std::filesystem::path(flat_.files[level.file]).parent_path() / value->text;
  }
  if (library_file.empty() && !services_.consent.may_read(path)) {
    diagnostics_.add(refusal(services_.consent, Capability::read, where, path));
    return;
  }
  std::error_code ignored;
  const std::string canonical = std::filesystem::weakly_canonical(path, ignored);
  const auto same = [&](const std::string& file) {
    return std::filesystem::weakly_canonical(file, ignored) == canonical;
  };
  const auto known = std::find_if(flat_.files.begin(), flat_.files.end(), same);
  auto file = static_cast<std::uint32_t>(known - flat_.files.begin());
  if (known != flat_.files.end() && includes_itself(level, file)) {
    diagnostics_.error("include-cycle", where, fmt::format("{} includes itself", path),
                       "a diagram cannot be a part of itself: include another file");
    return;
  }
  if (known == flat_.files.end()) {
    Diagnostics found;
    auto own = std::make_shared<DiagramFiles>();
    auto model = (services_.diagrams ? *services_.diagrams : *own).load(path, found);
    for (const Diagnostic& diagnostic : found.all()) diagnostics_.add(diagnostic);
    if (!model) {
      diagnostics_.error("cannot-include", where, fmt::format("the diagram in {} cannot be included", path),
                         "paths are relative to the folder of the file that includes");
      return;
    }
    flat_.files.push_back(path);
    included_.push_back(std::move(model));
  }
  add_super(level, k, included_[file - 1]->root, file);
}

}  // namespace orrery::compile
