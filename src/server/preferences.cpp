// SPDX-License-Identifier: Apache-2.0
// $XDG_CONFIG_HOME/orrery/editor.json, else ~/.config/orrery/editor.json.
#include "server/preferences.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/environment.h"
#include "server/json.h"
#include "server/root_folder.h"

namespace orrery::server {

std::string change_preferences(const std::string& fields, Diagnostics& diagnostics) {
  constexpr const char* file = "editor.json";
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  const std::string folder = config_folder() + "/orrery";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const RootFolder kept(folder);
  Diagnostics ignored;
  const auto text = kept.good() ? kept.read(file, most_bytes, ignored) : std::nullopt;
  Json all = text ? parse_json(*text) : Json::object();
  if (!all.is_object()) all = Json::object();
  const Json changes = parse_json(fields);
  if (!changes.is_object() || changes.empty()) return dump(all);
  all.merge_patch(changes);
  const std::string now = dump(all);
  if (now.size() > most_bytes) {
    diagnostics.add(make_error("too-large", "the preferences are too large"));
  } else if (kept.good()) {
    kept.write(file, now + "\n", false, diagnostics);
  }
  return now;
}

}  // namespace orrery::server
