// SPDX-License-Identifier: Apache-2.0
// Context, settings, one block.
#include "cssl/to_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace orrery::cssl {
namespace {

// Words that OML cannot have as variables: such constants keep the value of the program.
constexpr std::array<std::string_view, 22> oml_words = {
    "end",      "if",     "else",  "elseif",   "for", "while", "do",     "until",  "switch", "case",   "otherwise",
    "function", "return", "break", "continue", "try", "catch", "global", "parfor", "ans",    "repeat", "until"};

bool is_variable_name(const std::string& name) {
  return std::find(oml_words.begin(), oml_words.end(), name) == oml_words.end();
}

// How many runs are to come is known to those who end one.
std::string context_line(const Program& program, const Declared& item, const std::string& text) {
  if (item.name == runs_to_come && !program.runs_follow_results)
    return fmt::format("{} = {} - __counter__;", item.name, program.runs);
  if (item.by_run.empty()) return item.name + " = " + text + ";";
  return fmt::format("{0}_by_run = {1}; {0} = {0}_by_run(min(__counter__, {2}));", item.name, oml_numbers(item.by_run),
                     item.by_run.size());
}

// A name for the block: what a path can hold.
std::string block_name(const Program& program) {
  std::string name = std::filesystem::path(program.source->file()).stem();
  std::erase_if(name, [](char c) { return c == '/' || c == ':' || static_cast<unsigned char>(c) < ' '; });
  return name.empty() ? "program" : name;
}

}  // namespace

std::string oml_numbers(const std::vector<double>& values) {
  if (values.size() == 1) return fmt::format("{}", values[0]);
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : "; ") + fmt::format("{}", value);
  return "[" + text + "]";
}

model::Model to_model(const Program& program, Diagnostics& diagnostics) {
  model::Model made;
  made.file = program.source->file();
  made.name = program.title.empty() ? block_name(program) : program.title;
  model::BlockInstance block;
  block.name = block_name(program);
  block.type = "CsslBlock";
  std::string values;
  for (const Declared& item : program.declared) {
    if (!item.constant || item.type == Type::text) continue;
    const std::string text = oml_numbers(item.values);
    const bool exposed = is_variable_name(item.name);
    if (exposed) made.root.context.push_back(context_line(program, item, text));
    values += (values.empty() ? "" : "; ") + (exposed ? item.name : text);
  }
  block.parameters.push_back({"program", std::string(program.source->text()), 0});
  block.parameters.push_back({"language", "'" + program.language + "'", 0});
  block.parameters.push_back({"values", "[" + values + "]", 0});
  block.parameters.push_back({"record", "true", 0});
  made.root.blocks.push_back(std::move(block));
  made.settings.start = {program.start, 0};
  made.settings.stop = {program.stop, 0};
  made.settings.solver = {program.solver, 0};
  made.settings.step = {program.step, 0};
  made.settings.rtol = {program.rtol, 0};
  made.settings.atol = {program.atol, 0};
  made.settings.hmax = {program.hmax, 0};
  made.settings.hmin = {program.hmin, 0};
  if (program.stop.empty()) {
    program.source->warning(diagnostics, "no-end", {1, 0}, "nothing in this program ends a run",
                            "it stops at t = 10, or where --stop says; TERMT (t .ge. tmx) would end it");
  }
  return made;
}

}  // namespace orrery::cssl
