// SPDX-License-Identifier: Apache-2.0
// Trust that a user has recorded for models and folders: it holds as long as no text that can run has changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/consent.h"
#include "base/diagnostic.h"

namespace orrery::api {

struct TrustRecord {
  std::string path;  // of a model file or a folder: absolute, without links
  Capabilities allowed;
  std::string hash;  // hash_of_texts when it was recorded
};

// $XDG_CONFIG_HOME/orrery/trust, else ~/.config/orrery/trust; empty: there is no such place.
std::string trust_file();

// SHA-256 over everything below the path that can run: models, scripts, sources, libraries, FMUs, and their names. For
// a model file: itself and what can run in its folder. Nothing, and a diagnostic, when something cannot be read or it
// is too much.
std::optional<std::string> hash_of_texts(const std::string& path, Diagnostics& diagnostics);

// The records; a file that others can write to, or that is damaged, counts as none and is a warning.
std::vector<TrustRecord> read_trust(Diagnostics& diagnostics);
[[nodiscard]] bool record_trust(const std::string& path, Capabilities allowed, Diagnostics& diagnostics);
[[nodiscard]] bool remove_trust(const std::string& path, Diagnostics& diagnostics);

// What recorded trust allows the model of a file, as it is now. `note` tells of a record that does not hold any more.
Capabilities trusted(const std::string& model_file, std::string& note, Diagnostics& diagnostics);

}  // namespace orrery::api
