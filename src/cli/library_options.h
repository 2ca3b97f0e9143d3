// SPDX-License-Identifier: Apache-2.0
// What `orrery library` and `orrery new` are told.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace orrery::cli {

struct LibraryArguments {
  std::string work;          // create, add, …
  std::string library;       // its folder, or its name
  std::string folder = ".";  // where something new goes
  std::string model, path;   // of the block that is added
  std::string block;
  std::string kind = "c";
};

// Adds the commands; `chosen` is called with true for `library`, false for `new block`.
void add_library_commands(CLI::App& app, LibraryArguments& library, std::function<void(bool)> chosen);

}  // namespace orrery::cli
