// SPDX-License-Identifier: Apache-2.0
// What a model compiles to, as texts for people; nothing, and diagnostics, when it does not compile.
#pragma once

#include <optional>
#include <string>

#include "api/session.h"

namespace orrery::api {

// Whether it compiles.
[[nodiscard]] bool check(const RunRequest& request, Diagnostics& diagnostics);
std::optional<std::string> program_text(const RunRequest& request, Diagnostics& diagnostics);
// Activation sources, clocks, surfaces and modes: what runs when.
std::optional<std::string> schedule_text(const RunRequest& request, Diagnostics& diagnostics);
std::string schedule_text(const program::Program& program);
// Everything that has a name, as a table or as JSON.
std::optional<std::string> variables_text(const RunRequest& request, Diagnostics& diagnostics);
std::optional<std::string> variables_json(const RunRequest& request, Diagnostics& diagnostics);
// What a run is going to solve before it begins, block by block, without solving it.
std::optional<std::string> start_structure(const RunRequest& request, Diagnostics& diagnostics);
// Which unit everything has, as remarks say and as it follows (docs/languages/units.md); nothing, and diagnostics,
// where units do not agree.
std::optional<std::string> units_text(const RunRequest& request, Diagnostics& diagnostics);
// A model file in canonical form; a program of a text language with the same statements, indented by its sections.
// The file is only named: whether it is in such a language.
bool can_format(const std::string& file, Diagnostics& diagnostics);
std::optional<std::string> formatted(const std::string& text, const std::string& file, Diagnostics& diagnostics);
// The C that a run compiles and executes.
std::optional<std::string> code_text(const RunRequest& request, Diagnostics& diagnostics);

}  // namespace orrery::api
