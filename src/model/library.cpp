// SPDX-License-Identifier: Apache-2.0
// Reading, writing and finding libraries.
#include "model/library.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "base/environment.h"
#include "base/new_file.h"
#include "model/check_diagram.h"
#include "model/limits.h"

namespace orrery::model {
namespace {

namespace fs = std::filesystem;

std::string description_file(const std::string& folder) { return fs::path(folder) / "library.json"; }

std::optional<std::string> text_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > largest_file) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool write_text(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  const std::string part = path + "." + std::to_string(::getpid()) + ".part";
  const int file = open_new(part, 0666);
  bool written = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  written = file >= 0 && ::close(file) == 0 && written;
  if (written) fs::rename(part, path, error);
  if (written && !error) return true;
  fs::remove(part, error);
  diagnostics.error("file-unwritable", place_in(path), "the file cannot be written", "check the folder's permissions");
  return false;
}

}  // namespace

bool Library::has_key(const std::string& wanted) const {
  return key == wanted || std::find(old_keys.begin(), old_keys.end(), wanted) != old_keys.end();
}

std::optional<Library> load_library(const std::string& folder, Diagnostics& diagnostics) {
  const std::string path = description_file(folder);
  const auto text = text_of(path);
  if (!text) {
    diagnostics.error("bad-library", place_in(path), "there is no library in this folder",
                      "make one with: orrery library create NAME");
    return std::nullopt;
  }
  Library library;
  library.folder = folder;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  const auto field = [&](const char* name, auto fallback) {
    using Type = decltype(fallback);
    if (!json.is_object() || !json.contains(name)) return fallback;
    try {
      return json.at(name).get<Type>();
    } catch (const nlohmann::json::exception&) {
      return fallback;
    }
  };
  library.name = field("library", std::string());
  library.about = field("about", std::string());
  library.version = field("version", 0);
  library.key = field("key", std::string());
  library.old_keys = field("old_keys", std::vector<std::string>());
  library.locked = field("locked", false);
  if (library.name.empty() || library.version < 1 || library.key.empty()) {
    diagnostics.error("bad-library", place_in(path),
                      "a library needs a \"library\" name, a \"version\" from 1 and a \"key\"",
                      "restore the file, or make a new library with: orrery library create NAME");
    return std::nullopt;
  }
  return library;
}

bool save_library(const Library& library, Diagnostics& diagnostics) {
  nlohmann::ordered_json json;
  json["library"] = library.name;
  if (!library.about.empty()) json["about"] = library.about;
  json["version"] = library.version;
  json["key"] = library.key;
  if (!library.old_keys.empty()) json["old_keys"] = library.old_keys;
  if (library.locked) json["locked"] = true;
  return write_text(description_file(library.folder), json.dump(2) + "\n", diagnostics);
}

std::string new_key() {
  std::random_device device;
  const char* const hex = "0123456789abcdef";
  std::string key = "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx";
  for (char& c : key) {
    if (c == 'x') c = hex[device() % 16];
  }
  return key;
}

std::vector<std::string> list_blocks(const Library& library) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(library.folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.extension() != ".orr" || path.stem() != path.parent_path().filename()) continue;
    names.push_back(fs::relative(path.parent_path(), library.folder, error).generic_string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string block_file(const Library& library, const std::string& block) {
  const fs::path folder = fs::path(library.folder) / block;
  return folder / (folder.filename().string() + ".orr");
}

std::string installed_list() {
  if (const char* own = environment_variable("ORRERY_LIBRARIES"); own != nullptr && *own != 0) return own;
  const std::string config = config_folder();
  return config.empty() ? "" : fs::path(config) / "orrery" / "libraries.json";
}

std::vector<std::string> installed_folders() {
  const std::string list = installed_list();
  const auto text = list.empty() ? std::nullopt : text_of(list);
  if (!text) return {};
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  std::vector<std::string> folders;
  if (!json.is_array()) return folders;
  for (const auto& item : json) {
    if (item.is_string()) folders.push_back(item.get<std::string>());
  }
  return folders;
}

bool save_installed(const std::vector<std::string>& folders, Diagnostics& diagnostics) {
  return write_text(installed_list(), nlohmann::json(folders).dump(2) + "\n", diagnostics);
}

namespace {

// A block of a library may use others of it.
std::optional<Library> library_around(const std::string& file, const std::string& name) {
  std::error_code error;
  const fs::path absolute = fs::absolute(file, error);
  for (fs::path folder = absolute.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / "library.json", error)) {
      Diagnostics ignored;
      auto library = load_library(folder, ignored);
      if (library && library->name == name) return library;
    }
    if (folder == folder.parent_path()) break;
  }
  return std::nullopt;
}

std::optional<Library> installed_library(const std::string& name) {
  for (const std::string& folder : installed_folders()) {
    Diagnostics ignored;
    auto library = load_library(folder, ignored);
    if (library && library->name == name) return library;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Library> find_library(const Model& model, const std::string& file, const std::string& name,
                                    const Place& place, Diagnostics& diagnostics) {
  const auto need = std::find_if(model.libraries.begin(), model.libraries.end(),
                                 [&](const LibraryNeed& each) { return each.name == name; });
  const bool needed = need != model.libraries.end();
  const std::string wanted = needed && !need->version.empty() ? " version " + need->version + " or newer" : "";
  std::optional<Library> library;
  if (needed && !need->path.empty()) {
    const std::string folder = (fs::path(file).parent_path() / need->path).lexically_normal();
    Place where = place;
    where.file = file;
    where.line = need->line;
    std::error_code error;
    if (!fs::exists(description_file(folder), error)) {
      diagnostics.error("missing-library", where, "the library " + name + wanted + " is not in the folder " + folder,
                        "fetch it to there, or correct its \"path\", which is relative to the model's file");
      return std::nullopt;
    }
    library = load_library(folder, diagnostics);
    if (library && library->name != name) {
      diagnostics.error("other-library", where, "the folder " + folder + " has the library " + library->name,
                        "correct the \"path\" of the library");
      return std::nullopt;
    }
  } else {
    library = library_around(file, name);
    if (!library) library = installed_library(name);
    if (!library) {
      diagnostics.error("missing-library", place, "the library " + name + wanted + " is not installed",
                        "install it with: orrery library install FOLDER, or give its \"path\" in \"libraries\"");
    }
  }
  if (!library || !needed) return library;
  if (!need->version.empty() && library->version < std::stoi(need->version)) {
    diagnostics.error("old-library", place,
                      "the model needs" + wanted + " of the library " + name + ", but " + library->folder +
                          " has version " + std::to_string(library->version),
                      "install version " + need->version + " or newer with: orrery library install FOLDER");
    return std::nullopt;
  }
  if (!need->key.empty() && !library->has_key(need->key)) {
    diagnostics.error("other-library", place,
                      "the library " + name + " in " + library->folder + " is not the one the model was made with",
                      "install the one that has the key " + need->key);
    return std::nullopt;
  }
  return library;
}

}  // namespace orrery::model
