// SPDX-License-Identifier: Apache-2.0
// Commands as text: "add Gain as K at 100,80 k=2". What `orrery edit` and its scripts understand.
#pragma once

#include <string>
#include <vector>

#include "edit/document.h"

namespace orrery::edit {

// One command as one transaction; "undo" and "redo" are commands too. False, and diagnostics, when it failed: then
// nothing has changed. An empty line or one that begins with # does nothing.
[[nodiscard]] bool perform_text(Document& document, const std::string& command, Diagnostics& diagnostics);

// Commands that are split already, within a transaction: each a list of words. In a word "$1" is the name of the first
// block that one of them has made, "$2" of the second, where a name can stand. The paths of what was made.
std::vector<std::string> run_steps(Edit& edit, const std::vector<std::vector<std::string>>& steps);

struct CommandInfo {
  const char* usage;
  const char* about;
};
const std::vector<CommandInfo>& command_list();

}  // namespace orrery::edit
