// SPDX-License-Identifier: Apache-2.0
// Writes calls of the bde functions (api/edit_functions.cpp), in the order of the file.
#include "edit/script.h"

#include <fmt/format.h>

#include <charconv>

#include "model/fields.h"
#include "model/items.h"

namespace orrery::edit {
namespace {

// 'it''s'; control characters as char(10).
std::string oml_text(std::string_view text) {
  std::string out = "'";
  bool pieces = false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
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

std::string oml_list(const std::vector<std::string>& texts) {
  std::string out = "{";
  for (const std::string& text : texts) (out += out.size() > 1 ? ", " : "") += oml_text(text);
  return out + "}";
}

std::string number(double x) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x + 0.0).ptr};
}

std::string port_word(const model::PortRef& ref) { return ref.block + ":" + std::to_string(ref.port); }

class ScriptWriter {
 public:
  std::string run(const model::Model& model, const std::string& save_as) {
    out_ = "% Makes the model " + (model.name.empty() ? save_as : model.name) + " again.\n";
    for (char& c : out_) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n') c = ' ';
    }
    out_ = "%" + out_.substr(1, out_.find('\n') - 1) + "\n";
    out_ += fmt::format("m = bdeNewModel({});\n", oml_text(model.name));
    if (!model.about.empty()) call("bdeSetAbout", {oml_text("/"), oml_text(model.about)});
    for (const model::SettingInfo& info : model::setting_table()) {
      const model::Setting& setting = model.settings.*info.text;
      if (!setting.empty()) call("bdeSetSimulation", {oml_text(info.name), oml_text(setting.text)});
    }
    for (const auto& item : model.settings.tolerances)
      call("bdeSetTolerance", {oml_text(item.block), oml_text(item.text)});
    for (const auto& item : model.settings.initial) call("bdeSetInitial", {oml_text(item.block), oml_text(item.text)});
    if (!model.initialization.empty()) call("bdeSetInitialization", {oml_list(model.initialization)});
    diagram(model.root, "");
    call("bdeSave", {oml_text(save_as)});
    return std::move(out_);
  }

 private:
  void call(const char* function, const std::vector<std::string>& arguments) {
    out_ += fmt::format("{}(m{}{});\n", function, arguments.empty() ? "" : ", ", fmt::join(arguments, ", "));
  }

  void diagram(const model::Diagram& diagram, const std::string& path) {
    const std::string at = oml_text(path.empty() ? "/" : path);
    if (!diagram.mask.empty()) {
      std::vector<std::string> texts;
      for (const auto& parameter : diagram.mask)
        texts.insert(texts.end(), {parameter.name, parameter.prompt, parameter.value});
      call("bdeSetMask", {at, oml_list(texts)});
    }
    if (!diagram.context.empty()) call("bdeSetContext", {at, oml_list(diagram.context)});
    for (const auto& item : diagram.blocks) block(item, path);
    for (const auto& link : diagram.links) {
      std::vector<std::string> to;
      for (const auto& target : link.to) to.push_back(port_word(target));
      std::vector<std::string> arguments{at, oml_text(port_word(link.from)), oml_list(to)};
      if (!link.name.empty()) arguments.push_back(oml_text(link.name));
      call(link.activation ? "bdeAddActivationLink" : "bdeAddLink", arguments);
    }
    for (const auto& note : diagram.notes) {
      call("bdeAddNote", {at, rectangle({note.x, note.y, note.width, note.height}), oml_text(note.text)});
    }
    for (const auto& item : diagram.layout) {
      std::vector<std::string> arguments{oml_text(path + "/" + item.block),
                                         rectangle({item.x, item.y, item.width, item.height})};
      if (item.flow != model::Flow::right)
        arguments.push_back(oml_text(model::flow_names[static_cast<int>(item.flow)]));
      call("bdePlace", arguments);
    }
    for (const auto& item : diagram.bends) {
      std::vector<double> corners;
      for (const auto& point : item.points) corners.insert(corners.end(), {point.x, point.y});
      call("bdeBend", {at, oml_text(model::branch_text(item)), rectangle(corners)});
    }
  }

  static std::string rectangle(const std::vector<double>& numbers) {
    std::string out = "[";
    for (const double x : numbers) (out += out.size() > 1 ? " " : "") += number(x);
    return out + "]";
  }

  void block(const model::BlockInstance& item, const std::string& path) {
    std::vector<std::string> parameters;
    for (const auto& parameter : item.parameters)
      parameters.insert(parameters.end(), {parameter.name, parameter.value});
    std::vector<std::string> arguments{oml_text(path + "/" + item.name), oml_text(item.type), oml_list(parameters)};
    if (parameters.empty()) arguments[2] = "{}";
    if (!item.about.empty()) arguments.insert(arguments.end(), {"'about'", oml_text(item.about)});
    if (item.activation != model::Activation::by_type) {
      arguments.insert(arguments.end(),
                       {"'activation'", oml_text(model::activation_names[static_cast<int>(item.activation)])});
    }
    if (item.off) arguments.insert(arguments.end(), {"'off'", "'true'"});
    if (!item.icon.empty()) arguments.insert(arguments.end(), {"'icon'", oml_text(item.icon)});
    if (item.diagram) arguments.insert(arguments.end(), {"'inside'", "'true'"});
    call("bdeAddBlock", arguments);
    if (item.diagram) diagram(*item.diagram, path + "/" + item.name);
  }

  std::string out_;
};

}  // namespace

std::string beyond_scripts(const model::Diagram& diagram, const std::string& path) {
  const std::string at = path.empty() ? "the model" : path;
  if (diagram.atomic || diagram.for_each != model::ForEach::none || !diagram.program.empty())
    return at + " is atomic, repeated or made by a program";
  for (const model::MaskParameter& parameter : diagram.mask) {
    if (model::item_text(parameter) != model::item_text({parameter.name, parameter.prompt, parameter.value}))
      return "the mask of " + at + " has more than names, prompts and defaults";
  }
  for (const model::BlockInstance& block : diagram.blocks) {
    if (!block.diagram) continue;
    std::string reason = beyond_scripts(*block.diagram, path + "/" + block.name);
    if (!reason.empty()) return reason;
  }
  return {};
}

std::string beyond_scripts(const model::Model& model) {
  return model.libraries.empty() ? beyond_scripts(model.root, "") : "the model uses libraries";
}

std::string script_of(const model::Model& model, const std::string& save_as) {
  return ScriptWriter().run(model, save_as);
}

}  // namespace orrery::edit
