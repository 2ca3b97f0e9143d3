// SPDX-License-Identifier: Apache-2.0
// The blocks of the library and the solvers, as texts for people and programs.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"

namespace orrery::api {

enum class TextForm { plain, json };
std::string block_list(TextForm form = TextForm::plain);
// What blocks of other programs, and their parameters, are called here.
std::string other_block_names();
// The manual page of a block; nothing, and a diagnostic, when there is none of this name.
std::optional<std::string> block_page(const std::string& name, Diagnostics& diagnostics);
// A model file that shows the block; nothing, and a diagnostic, when there is none of this name.
std::optional<std::string> block_example(const std::string& name, Diagnostics& diagnostics);
// The manual of the whole library as one HTML page. Opened at a block, examples of others that take long are left out.
// Runs the examples in a folder of their own, which is the current one of the process meanwhile.
std::string manual_page(const std::string& opened = {});

std::string solver_list(TextForm form);
// One solver, by any of its names.
std::optional<std::string> solver_page(const std::string& name, TextForm form, Diagnostics& diagnostics);

}  // namespace orrery::api
