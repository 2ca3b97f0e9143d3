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

// The document that an editor shows: scripts reach it with bdeGetCurrentModel, and change it. `selected` are paths of
// blocks (bdeGetSelectedBlocks). Null: there is none any more.
void set_current_document(oml::Interpreter& interpreter, std::shared_ptr<edit::Document> document,
                          std::vector<std::string> selected);

}  // namespace orrery::api
