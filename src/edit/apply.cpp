// SPDX-License-Identifier: Apache-2.0
// Applies primitive operations and reads off their inverses.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "edit/operation.h"
#include "model/fields.h"
#include "model/items.h"

namespace orrery::edit {
namespace {

void misfit(const Operation& operation, std::string message, Diagnostics& diagnostics) {
  Place place;
  place.block = operation.at.empty() ? "/" : operation.at;
  diagnostics.error("edit-misfit", std::move(place), std::move(message),
                    "open the model again: it is not what the change was made for");
}

template <typename Item>
std::optional<Operation> splice(std::vector<Item>& list, std::vector<Item>&& items, const Operation& operation,
                                Diagnostics& diagnostics) {
  if (operation.index > list.size() || operation.remove > list.size() - operation.index) {
    misfit(operation, "the list " + operation.field + " is too short for the change", diagnostics);
    return std::nullopt;
  }
  Operation inverse{Operation::Kind::splice, operation.at, operation.field, operation.index, items.size(), {}};
  const auto first = list.begin() + static_cast<std::ptrdiff_t>(operation.index);
  const auto last = first + static_cast<std::ptrdiff_t>(operation.remove);
  for (auto item = first; item != last; ++item) inverse.insert.push_back(model::item_text(*item));
  const auto at = list.erase(first, last);
  list.insert(at, std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  return inverse;
}

std::optional<Operation> splice_list(model::Diagram& diagram, const Operation& operation, Diagnostics& diagnostics) {
  auto items = model::parse_items(operation.field, operation.insert, diagnostics);
  if (!items) {
    misfit(operation, "an item for " + operation.field + " is not one", diagnostics);
    return std::nullopt;
  }
  if (operation.field == "mask") return splice(diagram.mask, std::move(items->mask), operation, diagnostics);
  if (operation.field == "blocks") return splice(diagram.blocks, std::move(items->blocks), operation, diagnostics);
  if (operation.field == "links") return splice(diagram.links, std::move(items->links), operation, diagnostics);
  if (operation.field == "notes") return splice(diagram.notes, std::move(items->notes), operation, diagnostics);
  if (operation.field == "layout") return splice(diagram.layout, std::move(items->layout), operation, diagnostics);
  return splice(diagram.bends, std::move(items->bends), operation, diagnostics);
}

bool is_list(std::string_view field) {
  return field == "mask" || field == "blocks" || field == "links" || field == "notes" || field == "layout" ||
         field == "bends";
}

std::optional<Operation> set_field(model::Model& model, model::Diagram& diagram, const Operation& operation,
                                   Diagnostics& diagnostics) {
  Operation inverse = operation;
  const std::string value = operation.insert.empty() ? "" : operation.insert[0];
  const auto set_lines = [&](std::vector<std::string>& lines) -> std::optional<Operation> {
    auto parsed = model::parse_lines(value, diagnostics);
    if (!parsed) return std::nullopt;
    inverse.insert = {model::lines_text(lines)};
    lines = std::move(*parsed);
    return inverse;
  };
  if (operation.field == "context") return set_lines(diagram.context);
  if (operation.field == "program") return set_lines(diagram.program);
  if (operation.field == "initialization") return set_lines(model.initialization);
  if (operation.field == "options") {
    const auto parsed = model::parse_options(value, diagnostics);
    if (!parsed) return std::nullopt;
    inverse.insert = {model::options_text(diagram)};
    diagram.atomic = parsed->atomic;
    diagram.for_each = parsed->for_each;
    diagram.count = parsed->count;
    return inverse;
  }
  if (operation.field == "libraries") {
    auto parsed = model::parse_libraries(value, diagnostics);
    if (!parsed) return std::nullopt;
    inverse.insert = {model::libraries_text(model.libraries)};
    model.libraries = std::move(*parsed);
    return inverse;
  }
  if (operation.field == "simulation") {
    auto parsed = model::parse_settings(value, diagnostics);
    if (!parsed) return std::nullopt;
    inverse.insert = {model::settings_text(model.settings)};
    model.settings = std::move(*parsed);
    return inverse;
  }
  if (operation.field == "name" || operation.field == "about") {
    auto parsed = model::parse_lines("[" + value + "]", diagnostics);
    if (!parsed || parsed->size() != 1) return std::nullopt;
    std::string& text = operation.field == "name" ? model.name : model.about;
    const std::string before = model::lines_text({text});
    inverse.insert = {before.substr(1, before.size() - 2)};
    text = (*parsed)[0];
    return inverse;
  }
  misfit(operation, "there is no field " + operation.field, diagnostics);
  return std::nullopt;
}

}  // namespace

model::Diagram* diagram_at(model::Model& model, std::string_view path) {
  return const_cast<model::Diagram*>(diagram_at(static_cast<const model::Model&>(model), path));
}

const model::Diagram* diagram_at(const model::Model& model, std::string_view path) {
  const model::Diagram* diagram = &model.root;
  while (!path.empty()) {
    if (path.front() == '/') {
      path.remove_prefix(1);
      continue;
    }
    const std::string_view name = path.substr(0, path.find('/'));
    const auto block =
        std::find_if(diagram->blocks.begin(), diagram->blocks.end(), [&](const auto& b) { return b.name == name; });
    if (block == diagram->blocks.end() || !block->diagram) return nullptr;
    diagram = block->diagram.get();
    path.remove_prefix(name.size());
  }
  return diagram;
}

std::optional<Operation> apply(model::Model& model, const Operation& operation, Diagnostics& diagnostics) {
  model::Diagram* diagram = diagram_at(model, operation.at);
  if (diagram == nullptr) {
    misfit(operation, "there is no such diagram", diagnostics);
    return std::nullopt;
  }
  if (operation.kind == Operation::Kind::set) return set_field(model, *diagram, operation, diagnostics);
  if (!is_list(operation.field)) {
    misfit(operation, "there is no list " + operation.field, diagnostics);
    return std::nullopt;
  }
  return splice_list(*diagram, operation, diagnostics);
}

std::string operation_text(const Operation& operation) {
  nlohmann::ordered_json json;
  json["at"] = operation.at;
  if (operation.kind == Operation::Kind::set) {
    json["set"] = operation.field;
    json["value"] = operation.insert.empty() ? "" : operation.insert[0];
  } else {
    json["splice"] = operation.field;
    json["index"] = operation.index;
    json["remove"] = operation.remove;
    json["insert"] = operation.insert;
  }
  return json.dump();
}

std::optional<Operation> parse_operation(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    Operation operation;
    operation.at = json.at("at").get<std::string>();
    if (json.contains("set")) {
      operation.kind = Operation::Kind::set;
      operation.field = json.at("set").get<std::string>();
      operation.insert = {json.at("value").get<std::string>()};
    } else {
      operation.field = json.at("splice").get<std::string>();
      operation.index = json.at("index").get<std::size_t>();
      operation.remove = json.at("remove").get<std::size_t>();
      operation.insert = json.at("insert").get<std::vector<std::string>>();
    }
    return operation;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::optional<std::vector<std::size_t>> replaced_blocks(const std::vector<Operation>& operations,
                                                        std::string_view diagram) {
  std::vector<std::size_t> places;
  for (const Operation& operation : operations) {
    const std::string& field = operation.field;
    if (operation.at != diagram) {
      // Super blocks show what is inside them.
      const bool inside = operation.at.size() > diagram.size() && operation.at.starts_with(diagram);
      if (inside) return std::nullopt;
      continue;
    }
    if (field == "layout" || field == "bends" || field == "notes" || field == "context" || field == "simulation" ||
        field == "initialization" || field == "about")
      continue;
    if (field != "blocks" || operation.remove != operation.insert.size()) return std::nullopt;
    for (std::size_t k = 0; k < operation.remove; ++k) places.push_back(operation.index + k);
  }
  return places;
}

}  // namespace orrery::edit
