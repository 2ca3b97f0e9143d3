// SPDX-License-Identifier: Apache-2.0
// What scripts ask models that they make or change: blocks, types, links, parameters.
#include "api/edit_functions.h"
#include "blocks/block.h"
#include "edit/find.h"
#include "model/items.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

using oml::Call;
using oml::Value;

const model::BlockInstance& block_asked(const Call& c) {
  const edit::BlockPath path = edit::block_path(c.text(1));
  const model::Diagram* diagram = edit::diagram_at(document_argument(c).model(), path.diagram);
  const auto index = diagram == nullptr ? std::nullopt : edit::index_of(*diagram, path.name);
  if (!index) oml::fail("there is no block " + path.text());
  return diagram->blocks[*index];
}

std::string path_or_root(const Call& c) { return c.has(1) ? diagram_path(c, 1) : ""; }

const model::Diagram& diagram_argument(const Call& c, const std::string& path) {
  const model::Diagram* diagram = edit::diagram_at(document_argument(c).model(), path);
  if (diagram == nullptr) oml::fail_argument(2, "must be the path of a diagram");
  return *diagram;
}

void get_parameter(Call& c) {
  const model::BlockInstance& block = block_asked(c);
  if (const model::Parameter* given = block.find_parameter(c.text(2))) return c.ret(Value::text(given->value));
  const blocks::BlockType* type = block.diagram ? nullptr : blocks::find_type(block.type);
  if (type != nullptr) {
    for (const blocks::ParameterSpec& spec : type->parameters) {
      if (spec.name == c.text(2)) return c.ret(Value::text(spec.value));
    }
  }
  oml::fail("the block has no parameter " + c.text(2));
}

void find_in(const model::Diagram& diagram, const std::string& path, const std::string& type, bool deep,
             std::vector<std::string>& found) {
  for (const model::BlockInstance& block : diagram.blocks) {
    if (type.empty() || block.type == type) found.push_back(path + "/" + block.name);
    if (deep && block.diagram) find_in(*block.diagram, path + "/" + block.name, type, deep, found);
  }
}

void find_blocks(Call& c) {
  std::vector<std::string> found;
  find_in(document_argument(c).model().root, "", c.has(1) ? c.text(1) : "", true, found);
  c.ret(Value::text_cell(found, false));
}

void get_blocks(Call& c) {
  const std::string path = path_or_root(c);
  std::vector<std::string> found;
  find_in(diagram_argument(c, path), path, "", false, found);
  c.ret(Value::text_cell(found, false));
}

void get_links(Call& c) {
  std::vector<std::string> found;
  for (const model::Link& link : diagram_argument(c, path_or_root(c)).links) {
    for (const model::PortRef& to : link.to)
      found.push_back(model::branch_text({link.activation, link.from, to, {}, 0}));
  }
  c.ret(Value::text_cell(found, false));
}

void get_type(Call& c) { c.ret(Value::text(block_asked(c).type)); }

void selected_blocks(Call& c) { c.ret(Value::text_cell(selected_paths(c.oml), true)); }

constexpr oml::Builtin question_table[] = {
    {"bdeGetSelectedBlocks", 0, 0, selected_blocks,
     "bdeGetSelectedBlocks: paths of the blocks that are selected in the editor, a cell array."},
    {"bdeGetParameter", 3, 3, get_parameter, "bdeGetParameter(m, block, name): its text, or that of the default."},
    {"bdeGetType", 2, 2, get_type, "bdeGetType(m, block): the type of the block."},
    {"bdeFindBlocks", 1, 2, find_blocks, "bdeFindBlocks(m, type): paths of all blocks, or of those of a type."},
    {"bdeGetBlocks", 1, 2, get_blocks, "bdeGetBlocks(m, diagram): paths of the blocks of one diagram."},
    {"bdeGetLinks", 1, 2, get_links,
     "bdeGetLinks(m, diagram): the branches of its links, 'A:1>B:1', of events 'A:1!>B:1'."},
};

}  // namespace

oml::BuiltinFamily model_question_builtins() { return question_table; }

}  // namespace orrery::api
