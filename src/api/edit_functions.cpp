// SPDX-License-Identifier: Apache-2.0
// Models in scripts that are made and changed: the commands of the editor under the names of Activate (bde…).
#include "api/edit_functions.h"

#include <functional>
#include <map>
#include <memory>

#include "api/model_functions.h"
#include "blocks/block.h"
#include "edit/command_text.h"
#include "edit/commands.h"
#include "edit/find.h"
#include "edit/model_files.h"
#include "model/fields.h"
#include "model/items.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

using oml::Call;
using oml::Value;

// The documents that the scripts of an interpreter edit.
struct Documents {
  std::map<int, std::shared_ptr<edit::Document>> open;
  int next = 1;
  std::shared_ptr<edit::Document> current;  // of an editor
  std::vector<std::string> selected;
};

edit::Document& document_of(const Call& c) {
  Documents& documents = c.oml.extension<Documents>();
  const Value& object = c[0];
  const Value* id =
      object.is_struct() && object.structure_ref().dims.numel() == 1 ? object.structure_ref().get("document") : nullptr;
  const Value* file =
      object.is_struct() && object.structure_ref().dims.numel() == 1 ? object.structure_ref().get("file") : nullptr;
  if (id == nullptr && documents.current && file != nullptr && file->is_text() &&
      oml::to_string(*file) == documents.current->model().file)
    return *documents.current;
  const auto found = id == nullptr ? documents.open.end() : documents.open.find(static_cast<int>(oml::to_integer(*id)));
  if (found == documents.open.end()) oml::fail_argument(1, "must be a model of bdeNewModel or bdeOpenModel");
  return *found->second;
}

Value keep(Call& c, model::Model model) {
  Documents& documents = c.oml.extension<Documents>();
  const int id = documents.next++;
  Value object = Value::structure();
  object.edit_structure().set("file", Value::text(model.file));
  object.edit_structure().set("document", Value(id));
  documents.open[id] = std::make_shared<edit::Document>(std::move(model));
  return object;
}

void perform(Call& c, const std::function<void(edit::Edit&)>& command) {
  Diagnostics diagnostics;
  if (!document_of(c).perform(std::string(c.name), command, diagnostics)) raise_errors(diagnostics);
}

std::vector<std::string> texts(const Call& c, int k) {
  std::vector<std::string> list;
  if (c.is_text(k)) return {c.text(k)};
  if (!c[k].is_cell()) oml::fail_argument(k + 1, "must be a text or a cell array of texts");
  const oml::CellArray& cells = c[k].cell();
  for (oml::Index i = 0; i < cells.size(); ++i)
    list.push_back(cells[i].is_empty() ? std::string() : oml::to_string(cells[i]));
  return list;
}

std::vector<double> number_list(const Call& c, int k) { return oml::to_vector(c.real(k)); }

edit::BlockPath block_at(const Call& c, int k) { return edit::block_path(c.text(k)); }

model::PortRef port_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const bool digits = colon != std::string::npos && colon + 1 < text.size() && text.size() - colon <= 7 &&
                      text.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  if (!digits) oml::fail("\"" + text + "\" is not a port: write Block:1");
  const std::size_t slash = text.rfind('/', colon);
  const std::size_t from = slash == std::string::npos ? 0 : slash + 1;
  return {text.substr(from, colon - from), std::stoi(text.substr(colon + 1))};
}

void new_model(Call& c) {
  model::Model model;
  if (c.has(0)) model.name = c.text(0);
  c.ret(keep(c, std::move(model)));
}

void open_document(Call& c) {
  c.require_read(c.text(0));
  Diagnostics diagnostics;
  auto model = edit::read_model_file(c.text(0), diagnostics);
  if (!model) raise_errors(diagnostics);
  c.ret(keep(c, std::move(*model)));
}

void save_document(Call& c) {
  Diagnostics diagnostics;
  edit::Document& document = document_of(c);
  const std::string file = c.has(1) ? c.text(1) : document.model().file;
  if (file.empty()) oml::fail("the model has no file yet: bdeSave(model, file)");
  if (!edit::write_model_file(document.model(), file, diagnostics)) raise_errors(diagnostics);
}

void model_text(Call& c) { c.ret(Value::text(document_of(c).text())); }

void edit_text(Call& c) {
  Diagnostics diagnostics;
  edit::Document& document = document_of(c);
  for (const std::string& command : texts(c, 1)) {
    if (!edit::perform_text(document, command, diagnostics)) raise_errors(diagnostics);
  }
}

// Parameters and all else as they are: what scripts of `orrery show script` need to make the same bytes.
void add_block(Call& c) {
  const edit::BlockPath path = block_at(c, 1);
  model::BlockInstance block;
  block.name = path.name;
  block.type = c.text(2);
  const auto parameters = c.has(3) ? texts(c, 3) : std::vector<std::string>{};
  if (parameters.size() % 2 != 0) oml::fail_argument(4, "must hold names and values by turns");
  for (std::size_t k = 0; k < parameters.size(); k += 2)
    block.parameters.push_back({parameters[k], parameters[k + 1], 0});
  bool inside = block.type == "SuperBlock";
  for (int k = 4; k + 1 < c.count(); k += 2) {
    const std::string option = c.text(k), value = c[k + 1].is_empty() ? "" : c.text(k + 1);
    if (option == "about")
      block.about = value;
    else if (option == "icon")
      block.icon = value;
    else if (option == "off")
      block.off = value == "true";
    else if (option == "inside")
      inside = value == "true";
    else if (option == "activation") {
      for (int a = 1; a < 4; ++a) {
        if (value == model::activation_names[a]) block.activation = static_cast<model::Activation>(a);
      }
    } else {
      oml::fail_argument(k + 1, "must be 'about', 'activation', 'off', 'icon' or 'inside'");
    }
  }
  if (inside) block.diagram = std::make_unique<model::Diagram>();
  perform(c, [&](edit::Edit& e) {
    if (edit::find_diagram_for(e, path.diagram) == nullptr) return;
    e.splice(path.diagram, "blocks", e.diagram(path.diagram).blocks.size(), 0, {model::item_text(block)});
  });
}

void add_link_of(Call& c, bool activation) {
  const std::string at = diagram_path(c, 1);
  model::Link link;
  link.activation = activation;
  link.from = port_of(c.text(2));
  for (const std::string& to : texts(c, 3)) link.to.push_back(port_of(to));
  if (c.has(4)) link.name = c.text(4);
  perform(c, [&](edit::Edit& e) {
    if (edit::find_diagram_for(e, at) == nullptr) return;
    e.splice(at, "links", e.diagram(at).links.size(), 0, {model::item_text(link)});
  });
}

void add_link(Call& c) { add_link_of(c, false); }
void add_activation_link(Call& c) { add_link_of(c, true); }

void connect_ports(Call& c) {
  edit::Branch branch;
  const std::string from = c.text(1);
  branch.diagram = edit::block_path(from.substr(0, from.rfind(':'))).diagram;
  branch.activation = c.has(3) && c.text(3) == "event";
  branch.from = port_of(from);
  perform(c, [&](edit::Edit& e) {
    for (const std::string& to : texts(c, 2)) {
      branch.to = port_of(to);
      edit::connect(e, branch);
      if (e.failed()) return;
    }
  });
}

void place_block(Call& c) {
  const edit::BlockPath path = block_at(c, 1);
  const auto sides = number_list(c, 2);
  if (sides.size() != 4) oml::fail_argument(3, "must be [x y width height]");
  model::LayoutItem item{path.name, sides[0], sides[1], sides[2], sides[3], model::Flow::right, 0};
  if (c.has(3)) {
    for (int k = 1; k < 4; ++k) {
      if (c.text(3) == model::flow_names[k]) item.flow = static_cast<model::Flow>(k);
    }
  }
  perform(c, [&](edit::Edit& e) {
    if (!edit::find_block(e, path)) return;
    const auto at = edit::layout_index(e.diagram(path.diagram), path.name);
    e.splice(path.diagram, "layout", at.value_or(e.diagram(path.diagram).layout.size()), at ? 1 : 0,
             {model::item_text(item)});
  });
}

void bend_link(Call& c) {
  const std::string at = diagram_path(c, 1);
  const auto corners = c[3].is_empty() ? std::vector<double>{} : number_list(c, 3);
  if (corners.size() % 2 != 0) oml::fail_argument(4, "must be [x1 y1 x2 y2 ...]");
  std::string text = model::lines_text({c.text(2)});
  text = text.substr(1, text.size() - 2) + ": [";
  Diagnostics diagnostics;
  auto item = model::parse_items("bends", {text + "]"}, diagnostics);
  if (!item || item->bends.size() != 1) raise_errors(diagnostics);
  for (std::size_t k = 0; k < corners.size(); k += 2) item->bends[0].points.push_back({corners[k], corners[k + 1]});
  perform(c, [&](edit::Edit& e) {
    if (edit::find_diagram_for(e, at) == nullptr) return;
    e.splice(at, "bends", e.diagram(at).bends.size(), 0, {model::item_text(item->bends[0])});
  });
}

void add_note(Call& c) {
  const auto sides = number_list(c, 2);
  if (sides.size() != 4) oml::fail_argument(3, "must be [x y width height]");
  perform(c, [&](edit::Edit& e) {
    edit::add_note(e, diagram_path(c, 1),
                   {c[3].is_empty() ? "" : c.text(3), sides[0], sides[1], sides[2], sides[3], 0});
  });
}

void set_about(Call& c) {
  perform(c, [&](edit::Edit& e) {
    if (diagram_path(c, 1).empty())
      edit::set_model_text(e, true, c.text(2));
    else
      edit::set_about(e, block_at(c, 1), c.text(2));
  });
}

void set_simulation(Call& c) {
  perform(c, [&](edit::Edit& e) { edit::set_simulation(e, c.text(1), c.text(2)); });
}

void set_block_setting(Call& c, std::vector<model::BlockSetting> model::Settings::*list) {
  perform(c, [&](edit::Edit& e) {
    model::Settings settings = e.model().settings;
    (settings.*list).push_back({c.text(1), c.text(2), 0});
    e.set("", "simulation", model::settings_text(settings));
  });
}

void set_tolerance(Call& c) { set_block_setting(c, &model::Settings::tolerances); }
void set_initial(Call& c) { set_block_setting(c, &model::Settings::initial); }

void set_initialization(Call& c) {
  perform(c, [&](edit::Edit& e) { edit::set_initialization(e, texts(c, 1)); });
}

void set_context(Call& c) {
  perform(c, [&](edit::Edit& e) { edit::set_context(e, diagram_path(c, 1), texts(c, 2)); });
}

void set_mask(Call& c) {
  const auto list = texts(c, 2);
  if (list.size() % 3 != 0) oml::fail_argument(3, "must hold names, prompts and defaults by turns");
  std::vector<model::MaskParameter> mask;
  for (std::size_t k = 0; k < list.size(); k += 3) mask.push_back({list[k], list[k + 1], list[k + 2]});
  perform(c, [&](edit::Edit& e) { edit::set_mask(e, diagram_path(c, 1), mask); });
}

// 'name', value pairs from argument `first` on: take(name, place of the value) is false where there is no such option.
template <class Take>
void read_options(const Call& c, int first, const char* names, const Take& take) {
  for (int k = first; k < c.count(); k += 2) {
    if (k + 1 >= c.count()) oml::fail_argument(k + 1, "must be followed by its value");
    if (!take(c.text(k), k + 1)) oml::fail_argument(k + 1, std::string("must be ") + names);
  }
}

// Of an option's value: what is empty is no text.
std::string text_or_empty(const Call& c, int k) { return c[k].is_empty() ? "" : c.text(k); }

void add_mask_parameter(Call& c) {
  model::MaskParameter parameter;
  parameter.name = c.text(2);
  read_options(c, 3, "'prompt', 'kind', 'choices', 'default', 'visible', 'valid' or 'message'",
               [&](const std::string& option, int k) {
                 const std::pair<const char*, std::string*> places[] = {
                     {"prompt", &parameter.prompt},   {"kind", &parameter.kind},   {"default", &parameter.value},
                     {"visible", &parameter.visible}, {"valid", &parameter.valid}, {"message", &parameter.message}};
                 for (const auto& [name, place] : places) {
                   if (option != name) continue;
                   *place = text_or_empty(c, k);
                   return true;
                 }
                 if (option == "choices") parameter.choices = texts(c, k);
                 return option == "choices";
               });
  perform(c, [&](edit::Edit& e) {
    const std::string at = diagram_path(c, 1);
    const model::Diagram* diagram = edit::find_diagram_for(e, at);
    if (diagram == nullptr) return;
    std::vector<model::MaskParameter> mask = diagram->mask;
    mask.push_back(parameter);
    edit::set_mask(e, at, mask);
  });
}

bool is_on(const Call& c, int k) {
  if (!c.is_text(k)) return oml::is_true(c[k]);
  const std::string word = c.text(k);
  if (word != "on" && word != "off") oml::fail_argument(k + 1, "must be 'on' or 'off'");
  return word == "on";
}

void set_atomic(Call& c) {
  perform(c, [&](edit::Edit& e) { edit::set_option(e, diagram_path(c, 1), "atomic", is_on(c, 2) ? "true" : "false"); });
}

void set_for_each(Call& c) {
  const std::string word = c.text(2);
  if (word != "elements" && word != "columns" && word != "off")
    oml::fail_argument(3, "must be 'elements', 'columns' or 'off'");
  const std::string count = c.has(3) ? text_or_empty(c, 3) : "";
  perform(c, [&](edit::Edit& e) {
    edit::set_option(e, diagram_path(c, 1), "for_each", word == "off" ? "none" : word);
    if (!e.failed()) edit::set_option(e, diagram_path(c, 1), "count", count);
  });
}

void set_program(Call& c) {
  perform(c, [&](edit::Edit& e) { edit::set_program(e, diagram_path(c, 1), texts(c, 2)); });
}

void use_library(Call& c) {
  model::LibraryNeed need;
  need.name = c.text(1);
  read_options(c, 2, "'version', 'path' or 'key'", [&](const std::string& option, int k) {
    std::string* place = option == "version" ? &need.version
                         : option == "path"  ? &need.path
                         : option == "key"   ? &need.key
                                             : nullptr;
    if (place != nullptr) *place = text_or_empty(c, k);
    return place != nullptr;
  });
  perform(c, [&](edit::Edit& e) { edit::use_library(e, need); });
}

void set_parameter(Call& c) {
  perform(c, [&](edit::Edit& e) { edit::set_parameter(e, block_at(c, 1), c.text(2), c.text(3)); });
}

void remove_blocks(Call& c) {
  std::vector<edit::BlockPath> blocks;
  for (const std::string& path : texts(c, 1)) blocks.push_back(edit::block_path(path));
  perform(c, [&](edit::Edit& e) { edit::remove(e, blocks); });
}

void group_blocks(Call& c) {
  std::vector<edit::BlockPath> blocks;
  for (const std::string& path : texts(c, 1)) blocks.push_back(edit::block_path(path));
  std::string name;
  perform(c, [&](edit::Edit& e) { name = edit::group(e, blocks, c.has(2) ? c.text(2) : ""); });
  c.ret(Value::text(blocks[0].diagram + "/" + name));
}

void rename_block(Call& c) {
  perform(c, [&](edit::Edit& e) { edit::rename(e, block_at(c, 1), c.text(2)); });
}

void undo_edit(Call& c) {
  if (!document_of(c).undo()) oml::fail("there is nothing to undo");
}

constexpr oml::Builtin edit_table[] = {
    {"bdeNewModel", 0, 1, new_model, "m = bdeNewModel(name): an empty model to build."},
    {"bdeOpenModel",
     1,
     1,
     open_document,
     "m = bdeOpenModel(file): a model to change; bdeSave writes it back.",
     {},
     oml::Needs::asked()},
    {"bdeSave",
     1,
     2,
     save_document,
     "bdeSave(m, file): writes the model to the file, or to the one it came from.",
     {},
     Capability::write},
    {"bdeGetText", 1, 1, model_text, "bdeGetText(m): the text of the model's file."},
    {"bdeEdit", 2, 2, edit_text, "bdeEdit(m, command): a command of `orrery edit`, or several as a cell array."},
    {"bdeUndo", 1, 1, undo_edit, "bdeUndo(m): takes the last change back."},
    {"bdeAddBlock", 3, -1, add_block,
     "bdeAddBlock(m, path, type, {'k', '2'}, 'about', text, ...): a block with parameters; further options are "
     "'activation', 'off', 'icon', 'inside'."},
    {"bdeAddLink", 4, 5, add_link,
     "bdeAddLink(m, diagram, 'A:1', {'B:1', 'C:1'}, name): a link from an output to inputs."},
    {"bdeAddActivationLink", 4, 5, add_activation_link,
     "bdeAddActivationLink(m, diagram, 'A:1', {'B:1'}): a link that carries events."},
    {"bdeConnect", 3, 4, connect_ports,
     "bdeConnect(m, '/Plant/A:1', 'B:1', 'event'): connects as an editor does; the fourth argument makes it an "
     "activation."},
    {"bdeSetParameter", 4, 4, set_parameter, "bdeSetParameter(m, block, name, text): a parameter as OML text."},
    {"bdeRemoveBlocks", 2, 2, remove_blocks, "bdeRemoveBlocks(m, blocks): removes blocks with their links."},
    {"bdeRenameBlock", 3, 3, rename_block, "bdeRenameBlock(m, block, name): links, layout and settings follow."},
    {"bdeGroup", 2, 3, group_blocks, "path = bdeGroup(m, blocks, name): puts blocks into a super block."},
    {"bdePlace", 3, 4, place_block, "bdePlace(m, block, [x y width height], 'flip'): where it is drawn."},
    {"bdeBend", 4, 4, bend_link, "bdeBend(m, diagram, 'A:1>B:1', [x1 y1 x2 y2]): corners of a branch."},
    {"bdeAddNote", 4, 4, add_note, "bdeAddNote(m, diagram, [x y width height], text): a remark on the sheet."},
    {"bdeSetAbout", 3, 3, set_about, "bdeSetAbout(m, block, text): what it is, for people; '/' is the model."},
    {"bdeSetSimulation", 3, 3, set_simulation, "bdeSetSimulation(m, setting, text): how the model is simulated."},
    {"bdeSetTolerance", 3, 3, set_tolerance, "bdeSetTolerance(m, block, text): the absolute tolerance of its states."},
    {"bdeSetInitial", 3, 3, set_initial, "bdeSetInitial(m, path, how): how states begin: given, free or rest."},
    {"bdeSetInitialization", 2, 2, set_initialization,
     "bdeSetInitialization(m, lines): the initialization, a cell array of lines."},
    {"bdeSetContext", 3, 3, set_context, "bdeSetContext(m, diagram, lines): the context, a cell array of lines."},
    {"bdeSetMask", 3, 3, set_mask,
     "bdeSetMask(m, diagram, {'k', 'Stiffness', '1', ...}): names, prompts and defaults."},
    {"bdeAddMaskParameter", 3, -1, add_mask_parameter,
     "bdeAddMaskParameter(m, diagram, name, 'prompt', text, ...): one more parameter of a mask; further options are "
     "'kind', 'choices', 'default', 'visible', 'valid', 'message'."},
    {"bdeSetAtomic", 3, 3, set_atomic, "bdeSetAtomic(m, diagram, 'on'): a super block that is a unit."},
    {"bdeSetForEach", 3, 4, set_for_each,
     "bdeSetForEach(m, diagram, 'elements', count): the inside once for each part of the inputs; 'columns', 'off'."},
    {"bdeSetProgram", 3, 3, set_program,
     "bdeSetProgram(m, diagram, lines): OML that adds the blocks of a super block, a cell array of lines."},
    {"bdeUseLibrary", 2, -1, use_library,
     "bdeUseLibrary(m, name, 'version', '2', 'path', folder, 'key', key): a library whose blocks the model uses."},
};

}  // namespace

oml::BuiltinFamily edit_builtins() { return edit_table; }

edit::Document& document_argument(const Call& c) { return document_of(c); }

std::string diagram_path(const Call& c, int k) {
  std::string path = c.text(k);
  while (path.ends_with('/')) path.pop_back();
  if (!path.empty() && path[0] != '/') path.insert(0, "/");
  return path;
}

std::vector<std::string> selected_paths(oml::Interpreter& interpreter) {
  return interpreter.extension<Documents>().selected;
}

void set_current_document(oml::Interpreter& interpreter, std::shared_ptr<edit::Document> document,
                          std::vector<std::string> selected) {
  Documents& documents = interpreter.extension<Documents>();
  documents.current = std::move(document);
  documents.selected = std::move(selected);
}

}  // namespace orrery::api
