// SPDX-License-Identifier: Apache-2.0
// The functions through which OML scripts make and change models.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "edit/document.h"
#include "oml/builtin.h"

namespace orrery::api {

oml::BuiltinFamily edit_builtins();
oml::BuiltinFamily model_question_builtins();

// The model that is argument 1 of a call, as bdeNewModel and bdeOpenModel give it.
edit::Document& document_argument(const oml::Call& c);
// The path of a diagram that is argument k + 1: "" is the whole model, "/Plant" the inside of a block.
std::string diagram_path(const oml::Call& c, int k);
// Paths of the blocks that are selected in the editor.
std::vector<std::string> selected_paths(oml::Interpreter& interpreter);

// The document that an editor shows: scripts reach it with bdeGetCurrentModel, and change it. `selected` are paths of
// blocks (bdeGetSelectedBlocks). Null: there is none any more.
void set_current_document(oml::Interpreter& interpreter, std::shared_ptr<edit::Document> document,
                          std::vector<std::string> selected);

}  // namespace orrery::api
