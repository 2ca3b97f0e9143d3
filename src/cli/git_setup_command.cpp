// SPDX-License-Identifier: Apache-2.0
// `orrery git-setup`: tells git how to merge and compare model files in this repository.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/shell_quoted.h"
#include "cli/commands.h"
#include "cli/console.h"

extern char** environ;

namespace orrery::cli {
namespace {

bool run_git(const std::string& folder, std::vector<std::string> words) {
  words.insert(words.begin(), {"git", "-C", folder});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawnp(&child, "git", nullptr, nullptr, arguments.data(), environ) != 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

// The path of this program, in quotes that the shell of git understands.
std::string own_path() {
  std::error_code error;
  const std::string path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) return "orrery";
  return shell_quoted(path);
}

bool add_attributes(const std::string& folder) {
  const std::string file = folder + "/.gitattributes", line = "*.orr merge=orrery\n";
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(file))) return false;  // of a clone, leading anywhere
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  const std::string before = text.str();
  if (before.find("*.orr merge=orrery") != std::string::npos) return true;
  std::ofstream out(file, std::ios::app);
  if (!before.empty() && before.back() != '\n') out << "\n";
  out << line;
  return static_cast<bool>(out.flush());
}

}  // namespace

int git_setup_command(const Arguments& arguments) {
  const std::string folder = arguments.folder.empty() ? "." : arguments.folder, program = own_path();
  Diagnostics diagnostics;
  const bool good =
      run_git(folder, {"config", "merge.orrery.name", "models merged by what they mean"}) &&
      run_git(folder, {"config", "merge.orrery.driver", program + " merge %O %A %B -o %A"}) &&
      run_git(folder, {"config", "difftool.orrery.cmd", program + " diff \"$LOCAL\" \"$REMOTE\" || true"}) &&
      add_attributes(folder);
  if (!good) {
    Place place;
    place.file = folder;
    diagnostics.error("git-setup", std::move(place), "git could not be told",
                      "run it within a git repository that can be written, whose .gitattributes is no link");
  } else {
    print(
        "git merges *.orr by meaning here (.gitattributes; commit it, and run this once in each clone).\n"
        "Compare: git difftool -t orrery -y HEAD -- '*.orr'\n");
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return good ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
