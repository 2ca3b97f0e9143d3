// SPDX-License-Identifier: Apache-2.0
// `orrery show blocks`, `show block`, `show solvers`, `version`: what this program knows.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "api/library_texts.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"

namespace orrery::cli {
namespace {

// The page of a block in whatever shows HTML here; where nothing does, the file is named.
void open_manual(const std::string& block, Diagnostics& diagnostics) {
  if (!api::block_page(block, diagnostics)) return;
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "orrery_block_manual.html";
  if (!io::write_file(file.string(), api::manual_page(block), diagnostics)) return;
  std::string address = "file://" + file.string() + "#" + block;
  std::string program = "xdg-open";
  char* const words[] = {program.data(), address.data(), nullptr};
  pid_t viewer = 0;
  int status = 0;
  const bool shown = posix_spawnp(&viewer, program.c_str(), nullptr, nullptr, words, environ) == 0 &&
                     waitpid(viewer, &status, 0) == viewer && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!shown) print(address + "\n");
}

}  // namespace

int show_blocks_command(const Arguments& arguments) {
  print(arguments.other_names ? api::other_block_names()
                              : api::block_list(arguments.json ? api::TextForm::json : api::TextForm::plain));
  return exit_ok;
}

int show_block_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  if (arguments.open) {
    open_manual(arguments.block, diagnostics);
  } else if (!arguments.html.empty()) {
    static_cast<void>(io::write_file(arguments.html, api::manual_page(), diagnostics));
  } else if (arguments.example) {
    if (const auto model = api::block_example(arguments.block, diagnostics)) print(*model);
  } else if (const auto page = api::block_page(arguments.block, diagnostics)) {
    print(*page);
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return diagnostics.has_errors() ? exit_failed : exit_ok;
}

int show_solvers_command(const Arguments& arguments) {
  const api::TextForm form = arguments.json ? api::TextForm::json : api::TextForm::plain;
  if (arguments.solver.empty()) {
    print(api::solver_list(form));
    return exit_ok;
  }
  Diagnostics diagnostics;
  const auto page = api::solver_page(arguments.solver, form, diagnostics);
  if (page) print(*page);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return page ? exit_ok : exit_failed;
}

int version_command() {
  print("orrery " ORRERY_VERSION "\n");
  return exit_ok;
}

int print_text_command(const Arguments& arguments) {
  print(arguments.text);
  return exit_ok;
}

}  // namespace orrery::cli
