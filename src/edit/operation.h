// SPDX-License-Identifier: Apache-2.0
// The two primitive operations that every change of a model is made of, as pure data with a text form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace orrery::edit {

// splice: in a list ("mask", "blocks", "links", "notes", "layout", "bends") of a diagram, `remove` items from `index`
// on are replaced by others. set: a field has another value ("context", "program" and "options" of a diagram; "name",
// "about", "initialization", "simulation", "libraries" of the model, at ""). Items and values are the JSON that the
// file has.
struct Operation {
  enum class Kind { splice, set };
  Kind kind = Kind::splice;
  std::string at;  // path of the diagram, "" for the root
  std::string field;
  std::size_t index = 0;
  std::size_t remove = 0;
  std::vector<std::string> insert;  // of set: the one value
};

// Changes the model; the operation that undoes it. Nothing, diagnostics and an unchanged model when it does not fit.
std::optional<Operation> apply(model::Model& model, const Operation& operation, Diagnostics& diagnostics);

// The blocks of a diagram that operations have replaced, by their places in its list, where nothing else that is drawn
// of the diagram has changed but its layout, bends and notes. Nothing: more has.
std::optional<std::vector<std::size_t>> replaced_blocks(const std::vector<Operation>& operations,
                                                        std::string_view diagram);

// A line of JSON without line feeds, and back.
std::string operation_text(const Operation& operation);
std::optional<Operation> parse_operation(std::string_view text);

// The diagram at a path ("/Plant", "" for the root); null: none.
model::Diagram* diagram_at(model::Model& model, std::string_view path);
const model::Diagram* diagram_at(const model::Model& model, std::string_view path);

}  // namespace orrery::edit
