// SPDX-License-Identifier: Apache-2.0
// Members of the struct of an exported model.
#include "export/member_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "export/c_model.h"
#include "passes/slice.h"

namespace orrery::code_export {
namespace {

using program::Scalar;
using program::SlotId;
using program::SlotKind;

const std::set<std::string> taken_words = {
    "auto",     "break",  "case",     "char",   "const",   "continue", "default",  "do",     "double",  "else",
    "enum",     "extern", "float",    "for",    "goto",    "if",       "inline",   "int",    "long",    "register",
    "restrict", "return", "short",    "signed", "sizeof",  "static",   "struct",   "switch", "typedef", "union",
    "unsigned", "void",   "volatile", "while",  "x",       "p",        "trouble",  "work",   "asm",     "bool",
    "class",    "delete", "friend",   "new",    "private", "public",   "template", "this",   "true",    "false",
    "virtual",  "using",  "try",      "throw",  "near",    "far",      "main",     "linux",  "unix"};

bool is_state(const program::Slot& slot) { return slot.kind == SlotKind::state || slot.kind == SlotKind::shadow; }

// Several slots may want one name.
class Names {
 public:
  std::string add(std::string wanted) {
    if (wanted.empty()) wanted = "value";
    if (std::isdigit(static_cast<unsigned char>(wanted[0]))) wanted.insert(0, "_");
    std::string name = wanted;
    for (int k = 2; taken_words.contains(name) || !known_.insert(name).second; ++k)
      name = fmt::format("{}_{}", wanted, k);
    return name;
  }

 private:
  std::set<std::string> known_;
};

struct Group {
  const char* about;
  bool (*belongs)(const program::Slot& slot);
};

const Group groups[] = {
    {"discrete states", [](const program::Slot& slot) { return slot.kind == SlotKind::discrete; }},
    {"modes", [](const program::Slot& slot) { return slot.kind == SlotKind::mode; }},
    {"computed when a run starts", [](const program::Slot& slot) { return slot.kind == SlotKind::parameter; }},
    {"unknowns of equations", [](const program::Slot& slot) { return slot.kind == SlotKind::unknown; }},
    {"signals",
     [](const program::Slot& slot) {
       return slot.kind == SlotKind::signal || slot.kind == SlotKind::direction || slot.kind == SlotKind::activation ||
              slot.kind == SlotKind::before;
     }},
};

std::string declaration(const program::Program& program, SlotId id, const std::string& name) {
  const program::Slot& slot = program.slots[id];
  const std::int64_t count = slot.type.size() * (slot.type.scalar == Scalar::c128 ? 2 : 1);
  const bool array = !slot.type.is_scalar() || slot.type.scalar == Scalar::c128;
  const std::string size = array ? fmt::format("[{}]", std::max<std::int64_t>(count, 1)) : "";
  const std::string path = program.origins[slot.origin].path;
  return fmt::format("  {} {}{}; /* {}{}{} */\n", program::c_name_of(slot.type.scalar), name, size,
                     comment_text(slot.origin == 0 ? "" : path), slot.name.empty() ? "" : "." + comment_text(slot.name),
                     slot.type.is_scalar() ? "" : ", " + program::to_text(slot.type));
}

std::string last_part(const std::string& member) {
  const auto dot = member.rfind('.');
  return dot == std::string::npos ? member : member.substr(dot + 1);
}

}  // namespace

std::string comment_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    const bool closes = !safe.empty() && ((safe.back() == '*' && c == '/') || (safe.back() == '/' && c == '*'));
    if (closes) safe += ' ';
    safe += static_cast<unsigned char>(c) < 32 || c == '\\' ? ' ' : c;
  }
  if (!safe.empty() && safe.back() == '*') safe += ' ';
  return safe;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 32 || c == '?') {
      out += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

bool is_taken_word(const std::string& name) { return taken_words.contains(name); }

std::string identifier(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128;
    if (fits || c == '_') {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

std::vector<SlotId> used_slots(const program::Program& program, const std::vector<program::Procedure>& procedures) {
  std::vector<bool> used(program.slots.size(), false);
  std::vector<program::ExprId> roots;
  for (const program::Procedure& procedure : procedures) {
    for (const program::Store& store : procedure.stores) {
      roots.push_back(store.value);
      if (store.guard != program::no_expr) roots.push_back(store.guard);
      if (store.target == program::Store::Target::slot) used[store.index] = true;
    }
  }
  for (const SlotId slot : passes::slots_read(program.graph, roots)) used[slot] = true;
  const auto see = [&used](SlotId slot) {
    if (slot != program::no_slot) used[slot] = true;
  };
  for (const SlotId slot : program.states) see(slot);
  for (const program::Probe& probe : program.probes) see(probe.slot), see(probe.seen);
  for (const program::Parameter& parameter : program.parameters) see(parameter.slot), see(parameter.given);
  for (const program::InputPort& port : program.inputs) {
    for (const SlotId slot : {port.value, port.slope, port.since, port.next, port.next_slope}) see(slot);
  }
  for (const program::Surface& surface : program.surfaces) see(surface.mode), see(surface.direction);
  for (const program::Loop& loop : program.loops) {
    if (!loop.solution.empty()) continue;
    for (const SlotId slot : loop.unknowns) see(slot);
  }
  std::vector<SlotId> list;
  for (SlotId slot = 0; slot < used.size(); ++slot) {
    if (used[slot]) list.push_back(slot);
  }
  return list;
}

native::MemberNames name_members(const program::Program& program, const std::vector<SlotId>& used,
                                 const std::string& model) {
  native::MemberNames names;
  names.model = model;
  names.member.resize(program.slots.size());
  Names members, states, parameters;
  for (const program::Parameter& parameter : program.parameters)
    names.member[parameter.slot] = "p." + parameters.add(identifier(parameter.name));
  for (const SlotId id : used) {
    if (!names.member[id].empty()) continue;
    const program::Slot& slot = program.slots[id];
    const std::string block = slot.origin == 0 ? "" : identifier(program.origins[slot.origin].path.substr(1));
    const std::string own = identifier(slot.name);
    const std::string wanted = block.empty() ? own : own.empty() ? block : block + "_" + own;
    names.member[id] = (is_state(slot) ? states : members).add(wanted);
  }
  return names;
}

std::string struct_text(const program::Program& program, const std::vector<SlotId>& used,
                        const native::MemberNames& names, const program::Layout& layout) {
  std::string states, parameters, others;
  for (const SlotId id : program.states) states += declaration(program, id, names.member[id]);
  for (const program::Parameter& parameter : program.parameters) {
    const program::Slot& slot = program.slots[parameter.slot];
    const bool array = !slot.type.is_scalar() || slot.type.scalar == Scalar::c128;
    parameters +=
        fmt::format("  {} {}{};{}\n", program::c_name_of(slot.type.scalar), last_part(names.member[parameter.slot]),
                    array ? fmt::format("[{}]", slot.type.size() * (slot.type.scalar == Scalar::c128 ? 2 : 1)) : "",
                    parameter.unit.empty() ? "" : fmt::format(" /* {} */", comment_text(parameter.unit)));
  }
  for (const Group& group : groups) {
    std::string text;
    for (const SlotId id : used) {
      const program::Slot& slot = program.slots[id];
      if (is_state(slot) || !group.belongs(slot) || names.member[id].starts_with("p.")) continue;
      text += declaration(program, id, names.member[id]);
    }
    if (!text.empty()) others += fmt::format("\n  /* {} */\n", group.about) + text;
  }
  const std::string& model = names.model;
  std::string text = fmt::format("/* Continuous states. */\ntypedef struct {{\n{}}} {}_states;\n\n",
                                 states.empty() ? "  double none;\n" : states, model);
  if (!parameters.empty())
    text += fmt::format(
        "/* Parameters; they may be changed before a run starts. */\ntypedef struct {{\n{}}} {}_parameters;\n\n",
        parameters, model);
  text += fmt::format("/* All that an instance knows. */\ntypedef struct {{\n  {}_states x;\n", model);
  if (!parameters.empty()) text += fmt::format("  {}_parameters p;\n", model);
  text += others;
  if (layout.trouble > 0) text += "\n  struct orr_trouble trouble; /* what went wrong first */\n";
  if (layout.workspace > 0) text += fmt::format("\n  double work[{}];\n", (layout.bytes - layout.workspace) / 8);
  return text + fmt::format("}} {};\n", model);
}

std::string initial_text(const program::Program& program, const std::vector<SlotId>& used,
                         const native::MemberNames& names) {
  std::string lines;
  for (const SlotId id : used) {
    const program::Slot& slot = program.slots[id];
    if (slot.initial == program::no_expr) continue;
    const auto data = program.graph.constant_data(slot.initial);
    if (std::all_of(data.begin(), data.end(), [](double v) { return v == 0 && !std::signbit(v); })) continue;
    const bool array = !slot.type.is_scalar() || slot.type.scalar == Scalar::c128;
    std::string value;
    for (std::size_t k = 0; k < data.size(); ++k) {
      if (k > 0) value += k % 8 == 0 ? ",\n      " : ", ";
      value += program::is_floating(slot.type.scalar) ? number_text(data[k])
               : slot.type.scalar == Scalar::u32      ? fmt::format("{}u", static_cast<std::uint32_t>(data[k]))
               : data[k] == -2147483648.0             ? std::string("-2147483647 - 1")
                                                      : fmt::format("{}", static_cast<std::int64_t>(data[k]));
    }
    lines += fmt::format("    .{}{} = {},\n", is_state(slot) ? "x." : "", names.member[id],
                         array ? "{" + value + "}" : value);
  }
  if (lines.empty()) {
    const bool none = program.states.empty();
    const std::string first = none ? "none" : names.member[program.states[0]];
    const bool array = !none && !program.slots[program.states[0]].type.is_scalar();
    return fmt::format("static const {0} {0}_defaults = {{.x.{1} = {2}}};\n", names.model, first, array ? "{0}" : "0");
  }
  return fmt::format("static const {0} {0}_defaults = {{\n{1}}};\n", names.model, lines);
}

}  // namespace orrery::code_export
