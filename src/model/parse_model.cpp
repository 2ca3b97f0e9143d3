// SPDX-License-Identifier: Apache-2.0
// .orr text to Model in one pass: a JSON event handler that follows the tables of fields.h.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "model/check_diagram.h"
#include "model/closest_name.h"
#include "model/fields.h"
#include "model/items.h"
#include "model/json_text.h"
#include "model/limits.h"
#include "model/model.h"
#include "model/upgrade.h"

namespace orrery::model {
namespace {

// What kind of JSON value the file holds at some place.
enum class Found { null, boolean, integer, number, text, object, array };

std::string_view describe(Found found) {
  constexpr std::string_view names[] = {"null",     "a boolean", "a whole number", "a number",
                                        "a string", "an object", "an array"};
  return names[static_cast<int>(found)];
}

bool accepts(Shape shape, Found found) {
  switch (shape) {
    case Shape::text: return found == Found::text;
    case Shape::integer: return found == Found::integer;
    case Shape::value: return found >= Found::boolean && found <= Found::text;
    case Shape::number: return found == Found::integer || found == Found::number;
    case Shape::boolean: return found == Found::boolean;
    case Shape::side: return found == Found::integer || found == Found::number || found == Found::text;
    case Shape::object: return found == Found::object;
    case Shape::array: return found == Found::array;
  }
  return false;
}

// The names of variables in OML.
bool is_variable_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// The interface is nlohmann's json_sax. Every function returns whether to go on.
class Reader {
 public:
  // whole: false for items that are to be part of another diagram; their links may end there.
  Reader(std::string_view text, const std::string& file, const int* line, Model& model, Diagnostics& diagnostics,
         bool whole)
      : text_(text), file_(file), line_(*line), model_(model), diagnostics_(diagnostics), whole_(whole) {}

  bool null() { return scalar(Found::null, {}, 0); }
  bool boolean(bool b) { return scalar(Found::boolean, b ? "true" : "false", 0); }
  bool number_integer(std::int64_t n) { return scalar(Found::integer, std::to_string(n), static_cast<double>(n)); }
  bool number_unsigned(std::uint64_t n) { return scalar(Found::integer, std::to_string(n), static_cast<double>(n)); }
  bool number_float(double x, const std::string& source) { return scalar(Found::number, source, x); }
  bool string(std::string& value) { return scalar(Found::text, std::move(value), 0); }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Found::object); }
  bool start_array(std::size_t) { return open(Found::array); }
  bool end_array() { return close(); }
  bool end_object() { return close(); }

  bool key(std::string& name) {
    if (skipped_depth_ > 0) return true;
    Frame& frame = frames_.back();
    frame.key_line = line_;
    if (!has_fields(frame.container)) {
      key_ = std::move(name);
      return true;
    }
    const auto fields = fields_of(frame.container);
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
    frame.field = field == fields.end() ? nullptr : &*field;
    if (!frame.field) return unknown_field(name, fields);
    const unsigned bit = 1u << (field - fields.begin());
    if (frame.seen & bit) {
      error("duplicate-field", "the field " + in_quotes(name) + " is given twice", "keep one of the two");
      frame.field = nullptr;
    }
    frame.seen |= bit;
    return go_on();
  }

  int version() const { return version_; }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& exception) {
    report_syntax(text_, position > 0 ? position - 1 : 0, exception.what(), file_, diagnostics_);
    return false;
  }

 private:
  struct Frame {
    Container container;
    int line = 0;      // of the opening bracket
    int key_line = 0;  // of the field that is being read
    unsigned seen = 0;
    const Field* field = nullptr;  // of the value that follows; null: skip it
    Diagram* diagram = nullptr;    // the innermost one around or at this container
  };

  bool go_on() {
    if (stopped_) return false;
    if (diagnostics_.error_count() < most_errors) return true;
    error("too-many-errors", "the rest of the file is not checked", "correct the errors above first");
    stopped_ = true;
    return false;
  }

  std::string path() const {
    std::string result;
    for (const Frame& frame : frames_) {
      if (frame.container != Container::block) continue;
      const std::string& name = frame.diagram->blocks.back().name;
      if (!name.empty()) result += '/' + name;
    }
    return result;
  }

  void error(const char* code, std::string message, std::string help = {}, int line = 0) {
    diagnostics_.error(code, place_in(file_, line > 0 ? line : line_, path()), std::move(message), std::move(help));
  }

  bool unknown_field(const std::string& name, std::span<const Field> fields) {
    const auto names = names_of(fields);
    std::string help = did_you_mean(name, names);
    if (help.empty()) {
      help = "the fields known here are";
      for (std::size_t i = 0; i < names.size(); ++i) (help += i == 0 ? " " : ", ") += names[i];
    }
    error("unknown-field", "there is no field " + in_quotes(name) + " here", std::move(help));
    return go_on();
  }

  // The field or element that the coming value belongs to; nothing when it is to be skipped.
  std::optional<Field> expected(Found found) {
    if (frames_.empty()) {
      if (found == Found::object) return Field{"file", Shape::object, Container::file};
      error("wrong-kind", "a model file holds a JSON object, this one holds " + std::string(describe(found)),
            "see docs/orr.schema.json for the format");
      return std::nullopt;
    }
    const Frame& frame = frames_.back();
    if (has_fields(frame.container) && !frame.field) return std::nullopt;
    const Field field = has_fields(frame.container) ? *frame.field : element_of(frame.container);
    if (accepts(field.shape, found)) return field;
    std::string message = "the " + std::string(field.name) + " must be " + std::string(describe(field.shape)) +
                          ", not " + std::string(describe(found));
    error("wrong-kind", std::move(message),
          field.shape == Shape::value ? "write matrices and expressions as a string of OML: \"[1 2; 3 4]\"" : "");
    return std::nullopt;
  }

  bool open(Found found) {
    const std::optional<Field> field = skipped_depth_ > 0 ? std::nullopt : expected(found);
    if (!field) {
      if (++skipped_depth_ + static_cast<int>(frames_.size()) <= deepest_json) return go_on();
      return too_deep();
    }
    Frame frame{.container = field->opens, .line = line_, .key_line = line_};
    frame.diagram = frames_.empty() ? &model_.root : frames_.back().diagram;
    switch (field->opens) {
      case Container::block: frame.diagram->blocks.emplace_back().line = line_; break;
      case Container::link: frame.diagram->links.emplace_back().line = line_; break;
      case Container::mask_parameter: frame.diagram->mask.emplace_back().line = line_; break;
      case Container::rectangle:
        frame.diagram->layout.push_back({.block = std::move(key_), .line = line_});
        sides_ = 0;
        break;
      case Container::note: frame.diagram->notes.emplace_back().line = line_; break;
      case Container::note_rectangle: sides_ = 0; break;
      case Container::points: frame.diagram->bends.push_back(branch(key_)); break;
      case Container::point:
        frame.diagram->bends.back().points.emplace_back();
        sides_ = 0;
        break;
      case Container::library: model_.libraries.emplace_back().line = line_; break;
      case Container::diagram:
        if (++nesting_ > deepest_nesting) return too_deep();
        frame.diagram->blocks.back().diagram = std::make_unique<Diagram>();
        frame.diagram = frame.diagram->blocks.back().diagram.get();
        break;
      default: break;
    }
    frames_.push_back(frame);
    return go_on();
  }

  bool too_deep() {
    error("nesting-too-deep",
          "super blocks or brackets are nested more than " + std::to_string(deepest_nesting) + " deep",
          "check that this is a model file");
    stopped_ = true;
    return false;
  }

  bool close() {
    if (skipped_depth_ > 0) {
      --skipped_depth_;
      return true;
    }
    const Frame frame = frames_.back();
    finish(frame);
    frames_.pop_back();
    return go_on();
  }

  // Checks that need the whole of a container.
  void finish(const Frame& frame) {
    const auto fields = fields_of(frame.container);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!fields[i].required || (frame.seen & (1u << i))) continue;
      const std::string name(fields[i].name);
      error("missing-field", "the field \"" + name + "\" is missing",
            name == "orrery" ? "write \"orrery\": 2 as the first field" : "", frame.line);
    }
    switch (frame.container) {
      case Container::diagram: --nesting_; [[fallthrough]];
      case Container::file:
        // The items themselves are the diagram of the one super block around them.
        if (whole_ || nesting_ > 0) check_diagram(*frame.diagram, file_, path(), diagnostics_);
        break;
      case Container::link: finish_link(frame); break;
      case Container::parameters:
        finish_names(frame.diagram->blocks.back().parameters, &Parameter::name, "parameter");
        break;
      case Container::mask_parameter: finish_mask(frame); break;
      case Container::libraries: finish_names(model_.libraries, &LibraryNeed::name, "library"); break;
      case Container::mask: finish_names(frame.diagram->mask, &MaskParameter::name, "mask parameter"); break;
      case Container::tolerances: finish_names(model_.settings.tolerances, &StateTolerance::block, "tolerance"); break;
      case Container::initial: finish_names(model_.settings.initial, &InitialChoice::block, "initial condition"); break;
      case Container::layout: finish_names(frame.diagram->layout, &LayoutItem::block, "layout of"); break;
      case Container::bends: finish_bends(frame); break;
      case Container::rectangle:
      case Container::note_rectangle:
        if (sides_ < 4 || (sides_ > 4 && frame.container == Container::note_rectangle)) {
          error("wrong-kind", "a layout rectangle has four numbers, not " + std::to_string(sides_),
                "write [x, y, width, height]");
        }
        break;
      case Container::point:
        if (sides_ != 2) {
          error("wrong-kind", "a corner of a link has two numbers, not " + std::to_string(sides_), "write [x, y]");
        }
        break;
      default: break;
    }
  }

  void finish_link(const Frame& frame) {
    const bool has_from = frame.seen & 1u, has_event = frame.seen & 2u, has_to = frame.seen & 4u;
    if (!has_from && !has_event) {
      error("missing-field", "the link has no source",
            "write \"from\": \"Block:1\" for a signal or \"event\": \"Block:1\" for an activation", frame.line);
    }
    if (has_from && has_event) {
      error("duplicate-field", "a link has either \"from\" or \"event\", not both", "make two links of it", frame.line);
    }
    if (has_to && frame.diagram->links.back().to.empty()) {
      error("missing-field", "the link has no target", "write \"to\": [\"Block:1\"]", frame.line);
    }
  }

  void finish_mask(const Frame& frame) {
    const MaskParameter& parameter = frame.diagram->mask.back();
    if (parameter.kind == "choice" && parameter.choices.empty()) {
      error("missing-field", "a mask parameter of kind \"choice\" needs its \"choices\"",
            "write \"choices\": [\"one\", \"another\"]", frame.line);
    }
    if (parameter.kind != "choice" && !parameter.choices.empty()) {
      error("unknown-value", "only a mask parameter of kind \"choice\" has choices", "write \"kind\": \"choice\"",
            frame.line);
    }
    if (!parameter.message.empty() && parameter.valid.empty()) {
      error("missing-field", "the \"message\" of a mask parameter needs a condition, \"valid\"",
            "write \"valid\": \"k > 0\"", frame.line);
    }
  }

  template <typename Item>
  void finish_names(const std::vector<Item>& items, std::string Item::*name, std::string_view what) {
    std::vector<NamedLine> names;
    names.reserve(items.size());
    for (const Item& item : items) names.push_back({item.*name, item.line});
    check_unique(std::move(names), what, place_in(file_, 0, path()), diagnostics_);
  }

  void finish_bends(const Frame& frame) {
    std::vector<std::string> keys;
    keys.reserve(frame.diagram->bends.size());
    for (const Bends& bends : frame.diagram->bends) keys.push_back(branch_text(bends));
    std::vector<NamedLine> names;
    names.reserve(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k) names.push_back({keys[k], frame.diagram->bends[k].line});
    check_unique(std::move(names), "bends of", place_in(file_, 0, path()), diagnostics_);
  }

  // "Ball:1>Bounce:1" or "Ground:1!>Ball:1". Names hold no colon, so what ends the first number is unambiguous.
  Bends branch(const std::string& text) {
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

  bool scalar(Found found, std::string text, double number) {
    if (skipped_depth_ > 0) return true;
    const std::optional<Field> field = expected(found);
    if (!field) return go_on();
    if (found == Found::text && field->shape == Shape::side) {
      store_flow(text, frames_.back().diagram->layout.back());
      return go_on();
    }
    store(*field, std::move(text), number);
    return go_on();
  }

  void store_flow(const std::string& text, LayoutItem& item) {
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

  void store(const Field& field, std::string text, double number) {
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

  void store_file(const Field& field, std::string text) {
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

  bool read_version(const std::string& text) {
    for (int version = first_version; version <= current_version; ++version) {
      if (text == std::to_string(version)) {
        version_ = version;
        return true;
      }
    }
    return false;
  }

  void store_setting(const Field& field, std::string text) {
    const SettingInfo* setting = find_setting(field.name);
    model_.settings.*setting->text = {std::move(text), frames_.back().key_line};
  }

  void store_block(const Field& field, std::string text, BlockInstance& block) {
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

  void store_link(const Field& field, std::string text, Link& link) {
    if (field.name == "name") {
      link.name = std::move(text);
      return;
    }
    link.activation = field.name == "event";
    if (auto ref = port_reference(text)) link.from = std::move(*ref);
  }

  void store_mask(const Field& field, std::string text, MaskParameter& parameter) {
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

  void store_library(const Field& field, std::string text, LibraryNeed& need) {
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

  void store_option(const Field& field, std::string text, Diagram& diagram) {
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

  void store_side(double number, std::initializer_list<double*> sides) {
    if (sides_ < sides.size()) *sides.begin()[sides_] = number;
    ++sides_;
  }

  std::optional<PortRef> port_reference(const std::string& text) {
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

  std::string_view text_;
  const std::string& file_;
  const int& line_;
  Model& model_;
  Diagnostics& diagnostics_;
  int version_ = current_version;
  std::vector<Frame> frames_;
  std::string key_;        // the name before the coming value, in objects of free keys
  int skipped_depth_ = 0;  // brackets open inside a value that is skipped
  int nesting_ = 0;
  std::size_t sides_ = 0;  // numbers read of a rectangle or point
  bool stopped_ = false;
  bool whole_;
};

bool check_encoding(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  if (text.size() > largest_file) {
    diagnostics.error("file-too-large", place_in(file),
                      "the text has more than " + std::to_string(largest_file >> 20) + " MiB", "split the model");
    return false;
  }
  if (const auto offset = find_invalid_utf8(text)) {
    diagnostics.error("invalid-utf8", place_of(text, *offset, file), "this byte is not UTF-8 text",
                      "save the file in the encoding UTF-8");
    return false;
  }
  // The JSON parser would take a NUL character for the end of the file and ignore the rest.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    diagnostics.error("json-syntax", place_of(text, nul, file), "a NUL character is not part of JSON");
    return false;
  }
  return true;
}

std::optional<Model> model_of(std::string_view text, const std::string& file, Diagnostics& diagnostics, bool whole) {
  if (!check_encoding(text, file, diagnostics)) return std::nullopt;
  Model model;
  model.file = file;
  Diagnostics found;
  int line = 1;
  Reader reader(text, file, &line, model, found, whole);
  CountingIterator first(text.data(), &line);
  CountingIterator last(text.data() + text.size(), &line);
  const bool complete = nlohmann::json::sax_parse(first, last, &reader);
  // Checks at the end of a diagram come late: people read a file from the top.
  std::vector<Diagnostic> sorted = found.all();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.place.line < b.place.line; });
  for (Diagnostic& diagnostic : sorted) diagnostics.add(std::move(diagnostic));
  if (!complete || found.has_errors()) return std::nullopt;
  upgrade(model, reader.version());
  return model;
}

// Items are of the current version: nothing is to be upgraded.
std::string head_of_items() { return "{\"orrery\": " + std::to_string(current_version) + ", "; }

}  // namespace

std::optional<Model> parse(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  return model_of(text, file, diagnostics, true);
}

std::optional<Diagram> parse_items(std::string_view list, const std::vector<std::string>& items,
                                   Diagnostics& diagnostics) {
  const bool object = list == "layout" || list == "bends";
  std::string text = head_of_items() + R"("blocks": [{"name": "X", "type": "SuperBlock", "diagram": {")";
  text += std::string(list) + (object ? "\": {" : "\": [");
  for (std::size_t k = 0; k < items.size(); ++k) (text += k > 0 ? ", " : "") += items[k];
  text += object ? "}}}]}" : "]}}]}";
  auto model = model_of(text, "items", diagnostics, false);
  if (!model) return std::nullopt;
  // A text such as "], …" could say more than its items.
  if (model->root.blocks.size() != 1 || !model->root.blocks[0].diagram || !model->root.links.empty())
    return std::nullopt;
  return std::move(*model->root.blocks[0].diagram);
}

std::optional<std::vector<std::string>> parse_lines(std::string_view text, Diagnostics& diagnostics) {
  auto model = model_of(head_of_items() + "\"context\": " + std::string(text) + "}", "items", diagnostics, true);
  if (!model) return std::nullopt;
  return std::move(model->root.context);
}

std::optional<Settings> parse_settings(std::string_view text, Diagnostics& diagnostics) {
  auto model = model_of(head_of_items() + "\"simulation\": " + std::string(text) + "}", "items", diagnostics, true);
  if (!model) return std::nullopt;
  return std::move(model->settings);
}

std::optional<Diagram> parse_options(std::string_view text, Diagnostics& diagnostics) {
  auto model = model_of(
      head_of_items() + R"("blocks": [{"name": "X", "type": "SuperBlock", "diagram": )" + std::string(text) + "}]}",
      "items", diagnostics, false);
  if (!model || model->root.blocks.size() != 1 || !model->root.blocks[0].diagram) return std::nullopt;
  return std::move(*model->root.blocks[0].diagram);
}

std::optional<std::vector<LibraryNeed>> parse_libraries(std::string_view text, Diagnostics& diagnostics) {
  auto model = model_of(head_of_items() + "\"libraries\": " + std::string(text) + "}", "items", diagnostics, true);
  if (!model) return std::nullopt;
  return std::move(model->libraries);
}

std::string branch_text(const Bends& bends) {
  return bends.from.block + ':' + std::to_string(bends.from.port) + (bends.activation ? "!>" : ">") + bends.to.block +
         ':' + std::to_string(bends.to.port);
}

const Parameter* BlockInstance::find_parameter(std::string_view parameter_name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == parameter_name) return &parameter;
  }
  return nullptr;
}

}  // namespace orrery::model
