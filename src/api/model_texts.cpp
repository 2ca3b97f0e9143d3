// SPDX-License-Identifier: Apache-2.0
// Texts of compiled models.
#include "api/model_texts.h"

#include "program/print.h"

namespace orrery::api {
namespace {

std::optional<std::string> text_of(const RunRequest& request, Diagnostics& diagnostics,
                                   const std::function<std::string(program::Program&)>& text) {
  auto prepared = prepare(request, diagnostics);
  if (!prepared) return std::nullopt;
  return text(prepared->program);
}

}  // namespace

bool check(const RunRequest& request, Diagnostics& diagnostics) {
  return prepare(request, diagnostics) && !diagnostics.has_errors();
}

std::optional<std::string> program_text(const RunRequest& request, Diagnostics& diagnostics) {
  return text_of(request, diagnostics, [](program::Program& program) { return program::to_text(program); });
}

std::optional<std::string> schedule_text(const RunRequest& request, Diagnostics& diagnostics) {
  return text_of(request, diagnostics, [](program::Program& program) { return schedule_text(program); });
}

std::optional<std::string> start_structure(const RunRequest& request, Diagnostics& diagnostics) {
  return text_of(request, diagnostics, [](program::Program& program) {
    std::string text;
    int blocks = 0;
    for (const program::Loop& loop : program.loops) {
      if (loop.source != program::Loop::start) continue;
      text += "block " + std::to_string(++blocks) + " of the start:";
      for (const program::SlotId unknown : loop.unknowns) text += " " + program::slot_name(program, unknown);
      text += "\n";
    }
    for (const std::string& name : program.start_system.given) text += "keeps its start value: " + name + "\n";
    for (const program::StartCheck& check : program.start_system.checks) text += "is checked: " + check.text + "\n";
    return text.empty() ? std::string("no initial equations: all start values are given\n") : text;
  });
}

std::optional<std::string> code_text(const RunRequest& request, Diagnostics& diagnostics) {
  return text_of(request, diagnostics,
                 [](program::Program& program) { return sim::CompiledProgram::text_of(std::move(program)); });
}

}  // namespace orrery::api
