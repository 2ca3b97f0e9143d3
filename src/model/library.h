// SPDX-License-Identifier: Apache-2.0
// Libraries: folders with blocks that models use by name (Activate, chapter 8).
//
//   motors/library.json                 name, version, key, whether it is locked
//   motors/Drives/Servo/Servo.orr       a block, used as "motors/Drives/Servo": a model file whose mask has its
//   parameters motors/palettes/, icons/, docs/, demos/
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.h"

namespace orrery::model {

struct Library {
  std::string folder;
  std::string name;
  std::string about;
  int version = 1;
  std::string key;                    // of this version
  std::vector<std::string> old_keys;  // of versions before it, which it replaces
  bool locked = false;                // released: nobody edits it

  bool has_key(const std::string& wanted) const;
};

[[nodiscard]] std::optional<Library> load_library(const std::string& folder, Diagnostics& diagnostics);
[[nodiscard]] bool save_library(const Library& library, Diagnostics& diagnostics);
std::string new_key();  // a random UUID

// "Level/Block" of all blocks, in order of their names.
std::vector<std::string> list_blocks(const Library& library);
std::string block_file(const Library& library, const std::string& block);

// The folders that are installed: a list in $ORRERY_LIBRARIES, else in the user's configuration.
std::string installed_list();
std::vector<std::string> installed_folders();
[[nodiscard]] bool save_installed(const std::vector<std::string>& folders, Diagnostics& diagnostics);

// The library of this name for a model in `file`: by its "libraries", the library it is a part of itself, or an
// installed one. Nothing, and a diagnostic that says what to do, when it is missing, too old or another one.
std::optional<Library> find_library(const Model& model, const std::string& file, const std::string& name,
                                    const Place& place, Diagnostics& diagnostics);

}  // namespace orrery::model
