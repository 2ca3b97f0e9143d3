// SPDX-License-Identifier: Apache-2.0
// .orr text to Model in one pass, and parts of it for editors.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/items.h"
#include "model/limits.h"
#include "model/model_reader.h"
#include "text/source.h"

namespace orrery::model {
namespace {

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

// As for all texts: the line, and a caret below the place.
void show_line(std::string_view text, Diagnostic& diagnostic) {
  if (diagnostic.place.line <= 0) return;
  const text::Source source(diagnostic.place.file, std::string(text));
  const text::Position at{diagnostic.place.line, diagnostic.place.column};
  const std::vector<std::string> lines = text::excerpt(source.line(at.line), at);
  diagnostic.notes.insert(diagnostic.notes.begin(), lines.begin(), lines.end());
}

std::optional<Model> model_of(std::string_view text, const std::string& file, Diagnostics& diagnostics, bool whole) {
  if (!check_encoding(text, file, diagnostics)) return std::nullopt;
  Model model;
  model.file = file;
  Diagnostics found;
  int line = 1;
  ModelReader reader(text, file, &line, model, found, whole);
  CountingIterator first(text.data(), &line);
  CountingIterator last(text.data() + text.size(), &line);
  const bool complete = nlohmann::json::sax_parse(first, last, &reader);
  // Checks at the end of a diagram come late: people read a file from the top.
  std::vector<Diagnostic> sorted = found.all();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.place.line < b.place.line; });
  for (Diagnostic& diagnostic : sorted) {
    if (diagnostic.code == "json-syntax") show_line(text, diagnostic);
    diagnostics.add(std::move(diagnostic));
  }
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
