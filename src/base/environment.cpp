// SPDX-License-Identifier: Apache-2.0
// A copy of the variables, and the search through PATH.
#include "base/environment.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration): not every C library declares it

namespace orrery {
namespace {

struct KeptEnvironment {
  std::vector<std::string> texts;
  std::vector<char*> list;  // into texts, ended by nullptr
};

// Never destroyed: programs may be started while the process ends.
KeptEnvironment*& kept() {
  static KeptEnvironment* all = nullptr;
  return all;
}

// Never a folder that others can write, as /tmp: they could lay something there first.
std::string folder_of_user(const char* variable, const char* below_home) {
  if (const char* own = environment_variable(variable); own != nullptr && *own == '/') return own;
  const char* home = environment_variable("HOME");
  if (home == nullptr || *home != '/') {
    const passwd* entry = ::getpwuid(::geteuid());
    home = entry == nullptr ? nullptr : entry->pw_dir;
  }
  return home == nullptr || *home != '/' ? std::string() : std::string(home) + below_home;
}

bool is_program(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

void keep_environment() {
  static std::once_flag once;
  std::call_once(once, [] {
    auto* all = new KeptEnvironment;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
      all->texts.emplace_back(*variable);
    for (std::string& text : all->texts) all->list.push_back(text.data());
    all->list.push_back(nullptr);
    kept() = all;
  });
}

const char* environment_variable(const char* name) {
  if (kept() == nullptr) return std::getenv(name);
  const std::size_t length = std::strlen(name);
  for (const std::string& text : kept()->texts) {
    if (text.size() > length && text[length] == '=' && text.compare(0, length, name) == 0) return &text[length + 1];
  }
  return nullptr;
}

std::string config_folder() { return folder_of_user("XDG_CONFIG_HOME", "/.config"); }

std::string state_folder() { return folder_of_user("XDG_STATE_HOME", "/.local/state"); }

char* const* environment_for_programs() { return kept() == nullptr ? environ : kept()->list.data(); }

std::string find_program(const std::string& name) {
  namespace fs = std::filesystem;
  if (name.find('/') != std::string::npos) return is_program(name) ? fs::absolute(name).string() : "";
  const char* path = environment_variable("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_program(fs::path(folder) / name)) return (fs::path(folder) / name).string();
  }
  return {};
}

}  // namespace orrery
