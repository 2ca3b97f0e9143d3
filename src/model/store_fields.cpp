// SPDX-License-Identifier: Apache-2.0
// Values of fields to their places in the Model.
#include <algorithm>
#include <charconv>

#include "model/limits.h"
#include "model/model_reader.h"

namespace orrery::model {
namespace {

// The names of variables in OML.
bool is_variable_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

Bends ModelReader::branch(const std::string& text) {
  Bends bends;
  bends.line = line_;
  const std::size_t colon = text.find(':');
  const std::size_t end = colon == std::string::npos ? colon : text.find_first_not_of("0123456789", colon + 1);
  const std::size_t arrow = end == std::string::npos ? end : text.find('>', end);
  bends.activation = end != std::string::npos && text[end] == '!';
  if (arrow == std::string::npos || arrow != end + (bends.activation ? 1 : 0)) {
    error("bad-port-reference", in_quotes(text) + " is not a branch of a link",
          "write \"Ball:1>Bounce:1\" for a signal and \"Ground:1!>Ball:1\" for an activation");
    return bends;
  }
  if (auto from = port_reference(text.substr(0, end))) bends.from = std::move(*from);
  if (auto to = port_reference(text.substr(arrow + 1))) bends.to = std::move(*to);
  return bends;
}

void ModelReader::store_flow(const std::string& text, LayoutItem& item) {
  const auto first = std::begin(flow_names) + 1;
  const auto found = std::find(first, std::end(flow_names), text);
  if (sides_ != 4 || found == std::end(flow_names)) {
    error("unknown-value", in_quotes(text) + " is not how a block is turned",
          "write \"flip\", \"up\" or \"down\" as the fifth item, or leave it out");
  } else {
    item.flow = static_cast<Flow>(found - std::begin(flow_names));
  }
  ++sides_;
}

void ModelReader::store(const Field& field, std::string text, double number) {
  const Frame& frame = frames_.back();
  switch (frame.container) {
    case Container::file:
      if (field.name == "atomic") {
        store_option(field, std::move(text), model_.root);
      } else {
        store_file(field, std::move(text));
      }
      break;
    case Container::simulation: store_setting(field, std::move(text)); break;
    case Container::block: store_block(field, std::move(text), frame.diagram->blocks.back()); break;
    case Container::link: store_link(field, std::move(text), frame.diagram->links.back()); break;
    case Container::targets:
      if (auto ref = port_reference(text))
        frame.diagram->links.back().to.push_back(std::move(*ref));
      else
        frame.diagram->links.back().to.emplace_back();
      break;
    case Container::diagram: store_option(field, std::move(text), *frame.diagram); break;
    case Container::program:
      if (frame.diagram->program.empty()) frame.diagram->program_line = line_;
      frame.diagram->program.push_back(std::move(text));
      break;
    case Container::choices: frame.diagram->mask.back().choices.push_back(std::move(text)); break;
    case Container::library: store_library(field, std::move(text), model_.libraries.back()); break;
    case Container::mask_parameter: store_mask(field, std::move(text), frame.diagram->mask.back()); break;
    case Container::initialization:
      if (model_.initialization.empty()) model_.initialization_line = line_;
      model_.initialization.push_back(std::move(text));
      break;
    case Container::context:
      if (frame.diagram->context.empty()) frame.diagram->context_line = line_;
      frame.diagram->context.push_back(std::move(text));
      break;
    case Container::parameters:
      if (key_.empty()) error("bad-name", "the parameter name is empty");
      frame.diagram->blocks.back().parameters.push_back({std::move(key_), std::move(text), frame.key_line});
      break;
    case Container::tolerances:
      if (!key_.starts_with('/')) {
        error("bad-name", "the tolerance names " + in_quotes(key_) + ", which is not a block path",
              "write the path from the root: \"/Plant/Integral\"");
      }
      model_.settings.tolerances.push_back({std::move(key_), std::move(text), frame.key_line});
      break;
    case Container::initial:
      if (!key_.starts_with('/')) {
        error("bad-name", "the initial condition names " + in_quotes(key_) + ", which is not a path",
              "write the path of a block or diagram from the root: \"/Plant/Integral\", or \"/\" for all");
      }
      model_.settings.initial.push_back({std::move(key_), std::move(text), frame.key_line});
      break;
    case Container::note: frame.diagram->notes.back().text = std::move(text); break;
    case Container::note_rectangle: {
      Note& note = frame.diagram->notes.back();
      store_side(number, {&note.x, &note.y, &note.width, &note.height});
      break;
    }
    case Container::point: {
      Point& point = frame.diagram->bends.back().points.back();
      store_side(number, {&point.x, &point.y});
      break;
    }
    default: {
      LayoutItem& item = frame.diagram->layout.back();
      if (sides_ == 4) error("wrong-kind", "a layout rectangle has four numbers", "write [x, y, width, height]");
      store_side(number, {&item.x, &item.y, &item.width, &item.height});
      break;
    }
  }
}

void ModelReader::store_file(const Field& field, std::string text) {
  if (field.name == "name") {
    model_.name = std::move(text);
  } else if (field.name == "about") {
    model_.about = std::move(text);
  } else if (!read_version(text)) {
    error("unsupported-version",
          "the file has format version " + text + ", this program reads versions up to " +
              std::to_string(current_version),
          "use a newer version of Orrery");
    stopped_ = true;
  }
}

bool ModelReader::read_version(const std::string& text) {
  for (int version = first_version; version <= current_version; ++version) {
    if (text == std::to_string(version)) {
      version_ = version;
      return true;
    }
  }
  return false;
}

void ModelReader::store_setting(const Field& field, std::string text) {
  const SettingInfo* setting = find_setting(field.name);
  model_.settings.*setting->text = {std::move(text), frames_.back().key_line};
}

void ModelReader::store_block(const Field& field, std::string text, BlockInstance& block) {
  if (field.name == "name") {
    if (const auto fault = name_fault(text); !fault.empty()) {
      error("bad-name", "the block name " + in_quotes(text) + " " + std::string(fault), "choose another name");
    }
    block.name = std::move(text);
  } else if (field.name == "type") {
    if (text.empty()) error("bad-name", "the block type is empty", "name a type of the library, such as \"Gain\"");
    block.type = std::move(text);
  } else if (field.name == "about") {
    block.about = std::move(text);
  } else if (field.name == "off") {
    block.off = text == "true";
  } else if (field.name == "icon") {
    block.icon = std::move(text);
  } else {
    const auto first = std::begin(activation_names) + 1;
    const auto found = std::find(first, std::end(activation_names), text);
    if (found == std::end(activation_names)) {
      error("unknown-value", "there is no activation " + in_quotes(text),
            "write \"inherit\", \"always\" or \"initial\", or leave the field out");
      return;
    }
    block.activation = static_cast<Activation>(found - std::begin(activation_names));
  }
}

void ModelReader::store_link(const Field& field, std::string text, Link& link) {
  if (field.name == "name") {
    link.name = std::move(text);
    return;
  }
  link.activation = field.name == "event";
  if (auto ref = port_reference(text)) link.from = std::move(*ref);
}

void ModelReader::store_mask(const Field& field, std::string text, MaskParameter& parameter) {
  if (field.name == "name") {
    if (!is_variable_name(text)) {
      error("bad-name", "the mask parameter " + in_quotes(text) + " is not the name of a variable",
            "use letters, digits and '_', and start with a letter");
    }
    parameter.name = std::move(text);
  } else if (field.name == "kind") {
    if (std::find(std::begin(mask_kinds), std::end(mask_kinds), text) == std::end(mask_kinds)) {
      error("unknown-value", "there is no kind of mask parameter " + in_quotes(text),
            "write \"choice\" or \"check\", or leave the field out for any value");
      return;
    }
    parameter.kind = std::move(text);
  } else {
    std::string& target = field.name == "prompt"    ? parameter.prompt
                          : field.name == "default" ? parameter.value
                          : field.name == "visible" ? parameter.visible
                          : field.name == "valid"   ? parameter.valid
                                                    : parameter.message;
    target = std::move(text);
  }
}

void ModelReader::store_library(const Field& field, std::string text, LibraryNeed& need) {
  const bool number = !text.empty() && text.size() < 8 &&
                      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (field.name == "version" && !number) {
    error("unknown-value", "the version of a library is a whole number, not " + in_quotes(text));
    return;
  }
  if (field.name == "name" && !name_fault(text).empty())
    error("bad-name", "the library name " + in_quotes(text) + " " + std::string(name_fault(text)));
  std::string& target = field.name == "name"      ? need.name
                        : field.name == "version" ? need.version
                        : field.name == "path"    ? need.path
                                                  : need.key;
  target = std::move(text);
}

void ModelReader::store_option(const Field& field, std::string text, Diagram& diagram) {
  diagram.options_line = line_;
  if (field.name == "atomic") {
    diagram.atomic = text == "true";
  } else if (field.name == "count") {
    diagram.count = std::move(text);
  } else {
    const auto first = std::begin(for_each_names) + 1;
    const auto found = std::find(first, std::end(for_each_names), text);
    if (found == std::end(for_each_names)) {
      error("unknown-value", "there is no repetition for each of " + in_quotes(text),
            "write \"elements\" or \"columns\"");
      return;
    }
    diagram.for_each = static_cast<ForEach>(found - std::begin(for_each_names));
  }
}

void ModelReader::store_side(double number, std::initializer_list<double*> sides) {
  if (sides_ < sides.size()) *sides.begin()[sides_] = number;
  ++sides_;
}

std::optional<PortRef> ModelReader::port_reference(const std::string& text) {
  const auto colon = text.rfind(':');
  const std::string help = "write the name of a block and the number of its port, from 1: \"Gain:1\"";
  if (colon == std::string::npos) {
    error("bad-port-reference", in_quotes(text) + " has no port number", help);
    return std::nullopt;
  }
  PortRef ref{text.substr(0, colon), 0};
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data() + colon + 1, end, ref.port);
  if (status != std::errc{} || stop != end || ref.port < 1 || ref.port > highest_port ||
      !name_fault(ref.block).empty()) {
    error("bad-port-reference", in_quotes(text) + " is not a port", help);
    return std::nullopt;
  }
  return ref;
}

}  // namespace orrery::model
