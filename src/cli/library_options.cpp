// SPDX-License-Identifier: Apache-2.0
// The grammar of `orrery library` and `orrery new`.
#include "cli/library_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace orrery::cli {

void add_library_commands(CLI::App& app, LibraryArguments& library, std::function<void(bool)> chosen) {
  CLI::App* above = app.add_subcommand("library", "Make, fill, release and install libraries of blocks");
  above->require_subcommand(1);
  const auto add = [&](const char* work, const char* about, const char* what) {
    CLI::App* command = above->add_subcommand(work, about);
    if (what != nullptr) command->add_option("LIBRARY", library.library, what)->required()->type_name("");
    command->callback([&library, work, chosen] {
      library.work = work;
      chosen(true);
    });
    return command;
  };
  add("create", "Make an empty library with a version and a key", "Its name")
      ->add_option("--in", library.folder, "The folder around it")
      ->type_name("FOLDER")
      ->capture_default_str();
  CLI::App* block = add("add", "Make a super block of a model, or a whole model, a block of a library", "Its folder");
  block->add_option("MODEL", library.model, "The model file (.orr)")->required()->type_name("");
  block->add_option("BLOCK", library.block, "Its name in the library, such as Drives/Servo")->required()->type_name("");
  block->add_option("--path", library.path, "Path of the super block in the model, such as /Plant")->type_name("PATH");
  add("refresh", "Check all blocks, write the palette and the documents", "Its folder");
  add("document", "Write a page for each block", "Its folder");
  add("install", "Let models find it by its name", "Its folder");
  add("uninstall", "Models do not find it any more; no file is removed", "Its name or folder");
  add("lock", "Make a version read-only, ready to be given away", "Its folder");
  add("unlock", "Begin the next version, with a new key", "Its folder");
  add("list", "List the installed libraries and their blocks", nullptr);
  CLI::App* make = app.add_subcommand("new", "Write the skeleton of something new");
  make->require_subcommand(1);
  CLI::App* skeleton = make->add_subcommand("block", "A block in C, OML or C++, with a model that tests it");
  skeleton->add_option("NAME", library.block, "Its name")->required()->type_name("");
  skeleton->add_option("--kind", library.kind, "c, oml (interpreted), p (OML that becomes native code) or cpp")
      ->check(CLI::IsMember({"c", "oml", "p", "cpp"}))
      ->type_name("KIND")
      ->capture_default_str();
  skeleton->add_option("--in", library.folder, "The folder around it")->type_name("FOLDER")->capture_default_str();
  skeleton->callback([chosen] { chosen(false); });
}

}  // namespace orrery::cli
