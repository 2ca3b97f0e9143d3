// SPDX-License-Identifier: Apache-2.0
// What happens to a run from outside, as events of the program: ACTION of ACSL's commands, CONTINUE of CSMP.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cssl/program.h"

namespace orrery::cssl {

// A discrete section for each of program.actions, and what schedules it.
void apply_actions(Program& program);

// "k = 5 when t = 2", "k(2) = 5 when x = 0"; nothing: it is no such text. "t" is the time in every language.
std::optional<Action> parse_action(std::string_view text);
std::string to_text(const Action& action);

}  // namespace orrery::cssl
