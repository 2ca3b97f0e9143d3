// SPDX-License-Identifier: Apache-2.0
// Writes calls of the bde functions (api/edit_functions.cpp), or of the methods of the same names in Python, in the
// order of the file.
#include "edit/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <variant>

#include "model/fields.h"
#include "model/items.h"

namespace orrery::edit {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;
// Names and texts by turns.
struct Pairs {
  Texts texts;
};
using Argument = std::variant<std::string, Texts, Pairs, Numbers>;
using Options = std::vector<std::pair<const char*, Argument>>;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string number(double x) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x + 0.0).ptr};
}

std::string port_word(const model::PortRef& ref) { return ref.block + ":" + std::to_string(ref.port); }

// How calls are written.
class Notation {
 public:
  virtual ~Notation() = default;
  virtual std::string begin(const std::string& what, const std::string& name) const = 0;
  virtual std::string text(std::string_view text) const = 0;
  virtual std::string list(const Texts& texts) const = 0;
  virtual std::string pairs(const Pairs& pairs) const = 0;
  virtual std::string numbers(const Numbers& numbers) const = 0;
  // AddBlock
  virtual std::string call(const std::string& function, const Texts& arguments, const Texts& options) const = 0;
  virtual std::string option(const char* name, const std::string& value) const = 0;

  std::string argument(const Argument& value) const {
    if (const auto* one = std::get_if<std::string>(&value)) return text(*one);
    if (const auto* several = std::get_if<Texts>(&value)) return list(*several);
    if (const auto* named = std::get_if<Pairs>(&value)) return pairs(*named);
    return numbers(std::get<Numbers>(value));
  }
};

std::string joined(const Texts& items, std::string_view separator = ", ") {
  return fmt::format("{}", fmt::join(items, separator));
}

class OmlNotation : public Notation {
 public:
  std::string begin(const std::string& what, const std::string& name) const override {
    return fmt::format("% Makes the model {} again.\nm = bdeNewModel({});\n", what, text(name));
  }
  // 'it''s'; control characters as char(10).
  std::string text(std::string_view text) const override {
    std::string out = "'";
    bool pieces = false;
    for (const char c : text) {
      if (is_control(c)) {
        out += fmt::format("', char({}), '", static_cast<int>(c));
        pieces = true;
      } else {
        if (c == '\'') out += '\'';
        out += c;
      }
    }
    out += "'";
    return pieces ? "[" + out + "]" : out;
  }
  std::string list(const Texts& texts) const override {
    Texts quoted;
    for (const std::string& item : texts) quoted.push_back(text(item));
    return "{" + joined(quoted) + "}";
  }
  std::string pairs(const Pairs& pairs) const override { return list(pairs.texts); }
  std::string numbers(const Numbers& numbers) const override {
    Texts items;
    for (const double x : numbers) items.push_back(number(x));
    return "[" + joined(items, " ") + "]";
  }
  std::string call(const std::string& function, const Texts& arguments, const Texts& options) const override {
    Texts all{"m"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), options.begin(), options.end());
    return fmt::format("bde{}({});\n", function, joined(all));
  }
  std::string option(const char* name, const std::string& value) const override { return text(name) + ", " + value; }
};

class PythonNotation : public Notation {
 public:
  std::string begin(const std::string& what, const std::string& name) const override {
    return fmt::format(
        "# Makes the model {} again. The module is python/orrery of the sources, share/orrery/python of a package.\n"
        "from orrery import Model\n\nm = Model({})\n",
        what, text(name));
  }
  std::string text(std::string_view text) const override {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\')
        (out += '\\') += c;
      else if (c == '\n')
        out += "\\n";
      else if (is_control(c))
        out += fmt::format("\\x{:02x}", static_cast<int>(c));
      else
        out += c;
    }
    return out + "\"";
  }
  std::string list(const Texts& texts) const override {
    Texts quoted;
    for (const std::string& item : texts) quoted.push_back(text(item));
    return "[" + joined(quoted) + "]";
  }
  std::string pairs(const Pairs& pairs) const override {
    Texts items;
    for (std::size_t k = 0; k + 1 < pairs.texts.size(); k += 2)
      items.push_back(text(pairs.texts[k]) + ": " + text(pairs.texts[k + 1]));
    return "{" + joined(items) + "}";
  }
  std::string numbers(const Numbers& numbers) const override {
    Texts items;
    for (const double x : numbers) items.push_back(number(x));
    return "[" + joined(items) + "]";
  }
  // AddBlock is add_block.
  std::string call(const std::string& function, const Texts& arguments, const Texts& options) const override {
    std::string name;
    for (const char c : function) {
      const bool capital = c >= 'A' && c <= 'Z';
      if (capital && !name.empty()) name += '_';
      name += static_cast<char>(capital ? c - 'A' + 'a' : c);
    }
    Texts all = arguments;
    all.insert(all.end(), options.begin(), options.end());
    return fmt::format("m.{}({})\n", name, joined(all));
  }
  std::string option(const char* name, const std::string& value) const override {
    return fmt::format("{}={}", name, value);
  }
};

class ScriptWriter {
 public:
  explicit ScriptWriter(const Notation& notation) : notation_(notation) {}

  std::string run(const model::Model& model, const std::string& save_as) {
    std::string what = model.name.empty() ? save_as : model.name;
    std::replace_if(what.begin(), what.end(), is_control, ' ');
    out_ = notation_.begin(what, model.name);
    if (!model.about.empty()) call("SetAbout", {"/", model.about});
    for (const model::SettingInfo& info : model::setting_table()) {
      const model::Setting& setting = model.settings.*info.text;
      if (!setting.empty()) call("SetSimulation", {std::string(info.name), setting.text});
    }
    for (const auto& item : model.settings.tolerances) call("SetTolerance", {item.block, item.text});
    for (const auto& item : model.settings.initial) call("SetInitial", {item.block, item.text});
    for (const auto& need : model.libraries) {
      Options options;
      add_if(options, "version", need.version);
      add_if(options, "path", need.path);
      add_if(options, "key", need.key);
      call("UseLibrary", {need.name}, options);
    }
    if (!model.initialization.empty()) call("SetInitialization", {model.initialization});
    diagram(model.root, "");
    call("Save", {save_as});
    return std::move(out_);
  }

 private:
  void call(const char* function, const std::vector<Argument>& arguments, const Options& options = {}) {
    Texts written, named;
    for (const Argument& argument : arguments) written.push_back(notation_.argument(argument));
    for (const auto& [name, value] : options) named.push_back(notation_.option(name, notation_.argument(value)));
    out_ += notation_.call(function, written, named);
  }

  static void add_if(Options& options, const char* name, const std::string& text) {
    if (!text.empty()) options.emplace_back(name, text);
  }

  void mask(const std::string& at, const std::vector<model::MaskParameter>& parameters) {
    for (const model::MaskParameter& parameter : parameters) {
      Options options;
      add_if(options, "prompt", parameter.prompt);
      add_if(options, "kind", parameter.kind);
      if (!parameter.choices.empty()) options.emplace_back("choices", parameter.choices);
      add_if(options, "default", parameter.value);
      add_if(options, "visible", parameter.visible);
      add_if(options, "valid", parameter.valid);
      add_if(options, "message", parameter.message);
      call("AddMaskParameter", {at, parameter.name}, options);
    }
  }

  void diagram(const model::Diagram& diagram, const std::string& path) {
    const std::string at = path.empty() ? "/" : path;
    if (diagram.atomic) call("SetAtomic", {at, "on"});
    if (diagram.for_each != model::ForEach::none || !diagram.count.empty()) {
      const auto parts = model::for_each_names[static_cast<int>(diagram.for_each)];
      call("SetForEach", {at, std::string(parts.empty() ? "off" : parts), diagram.count});
    }
    mask(at, diagram.mask);
    if (!diagram.context.empty()) call("SetContext", {at, diagram.context});
    if (!diagram.program.empty()) call("SetProgram", {at, diagram.program});
    for (const auto& item : diagram.blocks) block(item, path);
    for (const auto& link : diagram.links) {
      Texts to;
      for (const auto& target : link.to) to.push_back(port_word(target));
      std::vector<Argument> arguments{at, port_word(link.from), to};
      if (!link.name.empty()) arguments.emplace_back(link.name);
      call(link.activation ? "AddActivationLink" : "AddLink", arguments);
    }
    for (const auto& note : diagram.notes)
      call("AddNote", {at, Numbers{note.x, note.y, note.width, note.height}, note.text});
    for (const auto& item : diagram.layout) {
      std::vector<Argument> arguments{path + "/" + item.block, Numbers{item.x, item.y, item.width, item.height}};
      if (item.flow != model::Flow::right)
        arguments.emplace_back(std::string(model::flow_names[static_cast<int>(item.flow)]));
      call("Place", arguments);
    }
    for (const auto& item : diagram.bends) {
      Numbers corners;
      for (const auto& point : item.points) corners.insert(corners.end(), {point.x, point.y});
      call("Bend", {at, model::branch_text(item), corners});
    }
  }

  void block(const model::BlockInstance& item, const std::string& path) {
    Pairs parameters;
    for (const auto& parameter : item.parameters)
      parameters.texts.insert(parameters.texts.end(), {parameter.name, parameter.value});
    Options options;
    add_if(options, "about", item.about);
    add_if(options, "activation", std::string(model::activation_names[static_cast<int>(item.activation)]));
    if (item.off) options.emplace_back("off", "true");
    add_if(options, "icon", item.icon);
    if (item.diagram) options.emplace_back("inside", "true");
    call("AddBlock", {path + "/" + item.name, item.type, parameters}, options);
    if (item.diagram) diagram(*item.diagram, path + "/" + item.name);
  }

  const Notation& notation_;
  std::string out_;
};

}  // namespace

std::string script_of(const model::Model& model, const std::string& save_as, ScriptLanguage language) {
  const OmlNotation oml;
  const PythonNotation python;
  const bool in_python = language == ScriptLanguage::python;
  return ScriptWriter(in_python ? static_cast<const Notation&>(python) : oml).run(model, save_as);
}

}  // namespace orrery::edit
