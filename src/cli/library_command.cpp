// SPDX-License-Identifier: Apache-2.0
// `orrery library` and `orrery new block`.
#include "api/libraries.h"
#include "api/new_block.h"
#include "cli/commands.h"
#include "cli/console.h"

namespace orrery::cli {

int library_command(const Arguments& arguments) {
  const LibraryArguments& wanted = arguments.library;
  Diagnostics diagnostics;
  bool ok = true;
  if (wanted.work == "create") ok = api::create_library(wanted.library, wanted.folder, diagnostics);
  if (wanted.work == "add")
    ok = api::add_to_library(wanted.library, wanted.model, wanted.path, wanted.block, diagnostics);
  if (wanted.work == "refresh") ok = api::refresh_library(wanted.library, diagnostics);
  if (wanted.work == "document") ok = api::document_library(wanted.library, diagnostics);
  if (wanted.work == "install") ok = api::install_library(wanted.library, diagnostics);
  if (wanted.work == "uninstall") ok = api::uninstall_library(wanted.library, diagnostics);
  if (wanted.work == "lock") ok = api::lock_library(wanted.library, diagnostics);
  if (wanted.work == "unlock") ok = api::unlock_library(wanted.library, diagnostics);
  if (wanted.work == "list") print(api::installed_text());
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return ok ? exit_ok : exit_failed;
}

int new_block_command(const Arguments& arguments) {
  const LibraryArguments& wanted = arguments.library;
  Diagnostics diagnostics;
  const bool ok = api::new_block(wanted.kind, wanted.block, wanted.folder, diagnostics);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  if (ok) print(wanted.folder + "/" + wanted.block + "\n");
  return ok ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
