// SPDX-License-Identifier: Apache-2.0
// The environment of the process as its user set it: what scripts change later decides nothing of ours.
#pragma once

#include <string>

namespace orrery {

// Keeps a copy of all variables; only the first call does anything. The executable calls it first of all, OML before
// a script sets its first variable.
void keep_environment();
// As kept, or as it is now where nothing is kept; nullptr: there is none.
const char* environment_variable(const char* name);
// The user's folders for settings (XDG_CONFIG_HOME) and for what is to be found again (XDG_STATE_HOME), without a slash
// at the end; where HOME is not set, in the home folder that the system knows. Empty: there is none.
std::string config_folder();
std::string state_folder();
// For programs that are started: the variables as kept, or as they are now.
char* const* environment_for_programs();
// The path of a program that PATH has, or that the name itself is a path of; empty: there is none.
std::string find_program(const std::string& name);

}  // namespace orrery
