// SPDX-License-Identifier: Apache-2.0
// `orrery edit`: commands on a model file, journalled until they are saved. `orrery show script`.
#include <filesystem>
#include <iostream>
#include <sstream>

#include "cli/commands.h"
#include "cli/console.h"
#include "edit/command_text.h"
#include "edit/journal.h"
#include "edit/model_files.h"
#include "edit/script.h"
#include "io/output_file.h"

namespace orrery::cli {
namespace {

// The document to edit: the file, a new model, or what a journal holds. Nothing, and a diagnostic, when there is none.
std::optional<edit::Document> open_document(const Arguments& arguments, const std::string& journal,
                                            Diagnostics& diagnostics) {
  const EditArguments& own = arguments.edit;
  const std::string& file = arguments.request.file;
  Place place;
  place.file = file;
  if (own.recover) return edit::Document::recover(journal, diagnostics);
  const auto left = edit::Journal::read(journal);
  if (left && !left->entries.empty() && !own.discard) {
    diagnostics.error("unsaved-edits", std::move(place),
                      "an earlier edit ended before it was saved: its journal holds " +
                          std::to_string(left->entries.size()) + " changes",
                      "--recover takes them up, --discard forgets them");
    return std::nullopt;
  }
  if (own.create) {
    std::error_code error;
    if (std::filesystem::exists(file, error)) {
      diagnostics.error("file-unwritable", std::move(place), "the file is there already", "leave --new out to edit it");
      return std::nullopt;
    }
    model::Model model;
    model.file = file;
    model.name = std::filesystem::path(file).stem().string();
    return edit::Document(std::move(model));
  }
  auto model = edit::read_model_file(file, diagnostics);
  if (!model) return std::nullopt;
  return edit::Document(std::move(*model));
}

std::optional<std::vector<std::string>> wanted_commands(const EditArguments& own, Diagnostics& diagnostics) {
  std::vector<std::string> commands = own.commands;
  if (own.script.empty()) return commands;
  std::string text;
  if (own.script == "-") {
    std::stringstream all;
    all << std::cin.rdbuf();
    text = all.str();
  } else {
    const auto read = io::read_file(own.script, diagnostics);
    if (!read) return std::nullopt;
    text = *read;
  }
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    commands.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return commands;
}

bool edit_model(const Arguments& arguments, Diagnostics& diagnostics) {
  const EditArguments& own = arguments.edit;
  const std::string& file = arguments.request.file;
  const std::string journal = edit::journal_path(file);
  const auto commands = wanted_commands(own, diagnostics);
  auto document = commands ? open_document(arguments, journal, diagnostics) : std::nullopt;
  if (!document) return false;
  const bool keeps = !own.dry_run;
  // What was recovered goes into the new journal as the text that it begins with.
  if (keeps && !document->keep_journal(journal, diagnostics)) return false;
  bool good = true;
  for (const std::string& command : *commands) {
    good = edit::perform_text(*document, command, diagnostics);
    if (!good) break;
  }
  const std::string out = own.out.empty() ? file : own.out;
  // A command that failed leaves the file as it was; what came before it is not half of what was meant.
  if (good && own.dry_run)
    print(document->text());
  else if (good)
    good = edit::write_model_file(document->model(), out, diagnostics);
  if (keeps) {
    std::error_code ignored;
    std::filesystem::remove(journal, ignored);
  }
  return good;
}

}  // namespace

int edit_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const bool good = edit_model(arguments, diagnostics);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return good ? exit_ok : exit_failed;
}

std::string edit_help() {
  std::string text = "Commands:\n";
  for (const edit::CommandInfo& command : edit::command_list())
    text += std::string("  ") + command.usage + "\n      " + command.about + "\n";
  return text + "Blocks are named by their paths (Plant/Gain), texts with blanks are quoted: set K \"k=2 * g\".\n";
}

int show_script_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const auto model = edit::read_model_file(arguments.request.file, diagnostics);
  if (model) {
    print(edit::script_of(*model, std::filesystem::path(arguments.request.file).filename().string(),
                          arguments.edit.python ? edit::ScriptLanguage::python : edit::ScriptLanguage::oml));
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return model ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
