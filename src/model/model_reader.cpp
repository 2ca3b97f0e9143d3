// SPDX-License-Identifier: Apache-2.0
// Follows the tables of fields.h from bracket to bracket.
#include "model/model_reader.h"

#include <algorithm>

#include "model/closest_name.h"
#include "model/limits.h"

namespace orrery::model {
namespace {

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

}  // namespace

bool ModelReader::key(std::string& name) {
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

bool ModelReader::parse_error(std::size_t position, const std::string&, const std::exception& exception) {
  report_syntax(text_, position > 0 ? position - 1 : 0, exception.what(), file_, diagnostics_);
  return false;
}

bool ModelReader::go_on() {
  if (stopped_) return false;
  if (diagnostics_.error_count() < most_errors) return true;
  error("too-many-errors", "the rest of the file is not checked", "correct the errors above first");
  stopped_ = true;
  return false;
}

std::string ModelReader::path() const {
  std::string result;
  for (const Frame& frame : frames_) {
    if (frame.container != Container::block) continue;
    const std::string& name = frame.diagram->blocks.back().name;
    if (!name.empty()) result += '/' + name;
  }
  return result;
}

void ModelReader::error(const char* code, std::string message, std::string help, int line) {
  diagnostics_.error(code, place_in(file_, line > 0 ? line : line_, path()), std::move(message), std::move(help));
}

bool ModelReader::unknown_field(const std::string& name, std::span<const Field> fields) {
  const auto names = names_of(fields);
  std::string help = did_you_mean(name, names);
  if (help.empty()) {
    help = "the fields known here are";
    for (std::size_t i = 0; i < names.size(); ++i) (help += i == 0 ? " " : ", ") += names[i];
  }
  error("unknown-field", "there is no field " + in_quotes(name) + " here", std::move(help));
  return go_on();
}

std::optional<Field> ModelReader::expected(Found found) {
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
  std::string message = "the " + std::string(field.name) + " must be " + std::string(describe(field.shape)) + ", not " +
                        std::string(describe(found));
  error("wrong-kind", std::move(message),
        field.shape == Shape::value ? "write matrices and expressions as a string of OML: \"[1 2; 3 4]\"" : "");
  return std::nullopt;
}

bool ModelReader::open(Found found) {
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

bool ModelReader::too_deep() {
  error("nesting-too-deep",
        "super blocks or brackets are nested more than " + std::to_string(deepest_nesting) + " deep",
        "check that this is a model file");
  stopped_ = true;
  return false;
}

bool ModelReader::close() {
  if (skipped_depth_ > 0) {
    --skipped_depth_;
    return true;
  }
  const Frame frame = frames_.back();
  finish(frame);
  frames_.pop_back();
  return go_on();
}

bool ModelReader::scalar(Found found, std::string text, double number) {
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

}  // namespace orrery::model
