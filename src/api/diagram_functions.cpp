// SPDX-License-Identifier: Apache-2.0
// Building diagrams from scripts: functions of our own, and those of Activate 9.2.2 on top of them.
#include "api/diagram_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "blocks/block.h"
#include "model/check_diagram.h"
#include "model/closest_name.h"
#include "oml/convert.h"
#include "oml/error.h"

namespace orrery::api {
namespace {

using oml::Call;
using oml::Value;

DiagramUnderConstruction& building(oml::Interpreter& interpreter) {
  auto& now = interpreter.extension<DiagramUnderConstruction>();
  if (now.diagram == nullptr) oml::fail("only the program of a super block can add blocks and links");
  return now;
}

void check_type(const std::string& type) {
  if (blocks::find_type(type) != nullptr || type.find('/') != std::string::npos) return;
  std::vector<std::string_view> names;
  for (const blocks::BlockType* known : blocks::library()) names.push_back(known->name);
  const std::string guess = model::did_you_mean(type, names);
  oml::fail("no block type is called " + type + (guess.empty() ? "" : "; " + guess));
}

model::BlockInstance& new_block(DiagramUnderConstruction& now, const std::string& name, const std::string& type) {
  check_type(type);
  if (const auto fault = model::name_fault(name); !fault.empty()) oml::fail("the block name " + std::string(fault));
  model::BlockInstance block;
  block.name = name;
  block.type = type;
  now.diagram->blocks.push_back(std::move(block));
  return now.diagram->blocks.back();
}

// The value itself is kept, whatever it is: the text of the parameter is the name of a variable that has it.
void set_parameter(DiagramUnderConstruction& now, model::BlockInstance& block, const std::string& name,
                   const Value& value) {
  const blocks::BlockType* type = blocks::find_type(block.type);
  const auto is_code = [&](const blocks::ParameterSpec& spec) { return spec.name == name && spec.verbatim; };
  if (type != nullptr && std::any_of(type->parameters.begin(), type->parameters.end(), is_code)) {
    block.parameters.push_back({name, oml::to_string(value), 0});
    return;
  }
  std::string variable = fmt::format("value_of_parameter_{}_", ++now.values);
  now.scope->set(variable, value);
  block.parameters.push_back({name, std::move(variable), 0});
}

void set_parameters(DiagramUnderConstruction& now, model::BlockInstance& block, const Call& c, int k) {
  if (c.has(k) && c[k].is_struct()) {
    const oml::StructArray& fields = c[k].structure_ref();
    if (fields.dims.numel() != 1) oml::fail_argument(k + 1, "must be one struct of parameters");
    for (const std::string& name : fields.keys) set_parameter(now, block, name, *fields.get(name));
    return;
  }
  for (; c.has(k); k += 2) {
    if (!c.has(k + 1)) oml::fail("a parameter is given without its value");
    set_parameter(now, block, c.text(k), c[k + 1]);
  }
}

void add_to_diagram(Call& c) {
  DiagramUnderConstruction& now = building(c.oml);
  set_parameters(now, new_block(now, c.text(0), c.text(1)), c, 2);
}

model::PortRef port_named(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  model::PortRef ref{text.substr(0, colon), 1};
  if (colon != std::string::npos) {
    const std::string number = text.substr(colon + 1);
    ref.port = 0;
    if (!number.empty() && number.size() < 7 && std::all_of(number.begin(), number.end(), ::isdigit))
      ref.port = std::stoi(number);
  }
  if (ref.block.empty() || ref.port < 1) oml::fail("'" + text + "' is not a port; write 'Gain:1'");
  return ref;
}

void link(Call& c, bool activation) {
  DiagramUnderConstruction& now = building(c.oml);
  model::Link made;
  made.activation = activation;
  made.from = port_named(c.text(0));
  for (int k = 1; k < c.count(); ++k) {
    if (c[k].is_cell()) {
      for (oml::Index i = 0; i < c[k].numel(); ++i) made.to.push_back(port_named(oml::to_string(c[k].cell()[i])));
    } else {
      made.to.push_back(port_named(c.text(k)));
    }
  }
  if (made.to.empty()) oml::fail("the link has no target");
  now.diagram->links.push_back(std::move(made));
}

// Activate, 9.2.2. There is one diagram, so its handles carry nothing.
Value handle(const char* kind) {
  Value object = Value::structure();
  object.edit_structure().set("kind", Value::text(kind));
  return object;
}

// The parameters of the book's examples under our names; an empty name: what the block does anyway.
std::string our_name(const std::string& type, const std::string& name) {
  static const std::pair<const char*, const char*> names[] = {
      {"portNumber", "port"}, {"outsize", ""}, {"insize", ""}, {"outtyp", ""},
      {"intyp", ""},          {"dept", ""},    {"typ", ""},    {"externalActivation", ""}};
  if (name == "init_cond" && type == "DiscreteDelay") {
    const auto& specs = blocks::find_type(type)->parameters;
    const auto same = [&](const blocks::ParameterSpec& spec) { return spec.name == name; };
    return std::any_of(specs.begin(), specs.end(), same) ? name : "z0";
  }
  for (const auto& [theirs, ours] : names) {
    if (name == theirs) return ours;
  }
  return name;
}

void vss_add_block(Call& c) {
  DiagramUnderConstruction& now = building(c.oml);
  const std::string type = c.text(1), name = c.text(2);
  if (type == "Split") {
    now.splits.push_back(name);
    return;
  }
  model::BlockInstance& block = new_block(now, name, type);
  if (!c.has(3) || !c[3].is_struct()) return;
  const oml::StructArray& fields = c[3].structure_ref();
  for (const std::string& field : fields.keys) {
    const std::string ours = our_name(type, field);
    if (!ours.empty()) set_parameter(now, block, ours, *fields.get(field));
  }
}

void vss_add_link(Call& c) {
  DiagramUnderConstruction& now = building(c.oml);
  model::PortRef a{c.text(1), static_cast<int>(c.number(3))}, b{c.text(2), static_cast<int>(c.number(4))};
  const bool a_is_input = c.number(5) == 1;
  if (a_is_input == (c.number(6) == 1)) oml::fail("a link joins an output (side 0) and an input (side 1)");
  if (a_is_input) std::swap(a, b);
  model::Link made;
  made.activation = c.number(7) != 1;
  made.from = a;
  made.to.push_back(b);
  now.diagram->links.push_back(std::move(made));
}

void vss_load_block(Call& c) {
  if (c.text(2) != "Split") check_type(c.text(2));
}

constexpr oml::Builtin diagram_table[] = {
    {"add_block", 2, -1, add_to_diagram,
     "add_block(name, type, parameters): adds a block to the diagram of a programmable super block. parameters is a "
     "struct, or names and values in turn: add_block('g', 'Gain', 'k', 2)."},
    {"add_link", 2, -1, [](Call& c) { link(c, false); },
     "add_link(from, to, ...): a link between ports, add_link('g:1', 'y:1'). Several targets can follow, or a cell."},
    {"add_event", 2, -1, [](Call& c) { link(c, true); }, "add_event(from, to, ...): an activation link, as add_link."},
    {"vssAddNewObject", 2, 2, [](Call& c) { c.ret(handle("SubSystem")); },
     "vssAddNewObject('SubSystem', diagram): the super block whose diagram is being built."},
    {"vssCreateObject", 1, 1, [](Call& c) { c.ret(handle("Diagram")); },
     "vssCreateObject('Diagram'): the diagram that is being built."},
    {"vssLoadBlock", 3, 3, vss_load_block,
     "vssLoadBlock('system', palette, block): checks that there is such a block."},
    {"vssAddBlock", 3, 4, vss_add_block,
     "vssAddBlock(diagram, type, name, parameters): what the setparams of _vss._palettes calls."},
    {"vssAdd_Link", 8, 8, vss_add_link,
     "vssAdd_Link(diagram, A, B, pA, pB, sA, sB, kind): a link between port pA of block A and pB of B; sides: 0 "
     "output, 1 input; kind 1: a regular link, else an activation link."},
    {"vssSet_SubSystem", 8, 8, [](Call&) {},
     "vssSet_SubSystem(block, nin, nout, 0, 0, 0, label, diagram): ends the building; ports are those of the diagram."},
    {"vssConstructBlockFullName", 2, 2, [](Call& c) { c.ret(Value::text(c.text(0) + "/" + c.text(1))); },
     "vssConstructBlockFullName(parent, name): the path of a block."},
};

// _vss._palettes.('_system').(palette).(block).setparams(diagram, name, parameters)
Value palettes(oml::Interpreter& interpreter) {
  Value system = Value::structure();
  const auto add = [&](const std::string& palette, const std::string& type) {
    Diagnostics ignored;
    const auto function = interpreter.evaluate(interpreter.make_environment(),
                                               fmt::format("@(d, n, p) vssAddBlock(d, '{}', n, p)", type), ignored);
    Value block = Value::structure();
    if (function) block.edit_structure().set("setparams", *function);
    const Value* known = system.structure_ref().get(palette);
    Value list = known != nullptr ? *known : Value::structure();
    list.edit_structure().set(type, block);
    system.edit_structure().set(palette, list);
  };
  for (const blocks::BlockType* type : blocks::library()) add(type->palette, type->name);
  add("Links", "Split");
  Value all = Value::structure(), vss = Value::structure();
  all.edit_structure().set("_system", system);
  vss.edit_structure().set("_palettes", all);
  return vss;
}

// Links from a Split become links from what drives it.
void remove_splits(DiagramUnderConstruction& now) {
  auto& links = now.diagram->links;
  for (const std::string& split : now.splits) {
    const auto into = std::find_if(links.begin(), links.end(),
                                   [&](const model::Link& l) { return l.to.size() == 1 && l.to[0].block == split; });
    if (into == links.end()) continue;
    const model::PortRef source = into->from;
    links.erase(into);
    for (model::Link& l : links) {
      if (l.from.block == split) l.from = source;
    }
  }
}

}  // namespace

BuildingDiagram::BuildingDiagram(oml::Interpreter& interpreter, model::Diagram& diagram, oml::Environment& scope,
                                 const std::vector<std::string>& lines)
    : interpreter_(interpreter),
      outer_(std::exchange(interpreter.extension<DiagramUnderConstruction>(), {&diagram, &scope})) {
  const auto uses_palettes = [](const std::string& line) { return line.find("_vss") != std::string::npos; };
  if (std::none_of(lines.begin(), lines.end(), uses_palettes)) return;
  scope.set("_vss", palettes(interpreter));
  scope.set("_diagram", handle("Diagram"));
  scope.set("_label", Value::text("SuperBlock"));
}

BuildingDiagram::~BuildingDiagram() {
  auto& now = interpreter_.extension<DiagramUnderConstruction>();
  remove_splits(now);
  now = outer_;
}

oml::BuiltinFamily diagram_builtins() { return diagram_table; }

}  // namespace orrery::api
