// SPDX-License-Identifier: Apache-2.0
// Which commands, which words, which process.
#include "server/tools.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace orrery::server {
namespace {

// The first word of a command for pages: they read a model, or libraries, and write files that are named.
constexpr std::array tool_names{"sweep", "optimise", "estimate", "trim", "linearise", "export", "library", "new"};
// The server decides what the model may do, and how diagnostics look.
constexpr std::array own_options{"--allow", "--diagnostics", "--help"};

// Whether the text of an option names a place on the disk. (PATH is also the name of blocks in a model.)
bool is_place(const Json& option) {
  const std::string value = text_field(option, "value"), name = text_field(option, "name");
  return value.starts_with("FILE") || value.starts_with("DIR") || value.starts_with("FOLDER") || name == "--out" ||
         name == "--plot" || text_field(option, "kind") == "file";
}

// Below the root, without hidden parts, also when links are followed.
bool stays_inside(const std::string& path, const RootFolder& root) {
  namespace fs = std::filesystem;
  const fs::path given(path);
  if (path.empty() || given.is_absolute() || path.find('\0') != std::string::npos) return false;
  for (const fs::path& part : given) {
    if (part.empty() || part.native().starts_with('.') || part.native().starts_with('-')) return false;
  }
  std::error_code error;
  const std::string real = fs::weakly_canonical(fs::path(root.path()) / given, error).string(),
                    base = fs::canonical(root.path(), error).string();
  return !error && real.starts_with(base + "/");
}

}  // namespace

bool needs_model(const Json& tools, const std::string& command) {
  for (const Json& tool : tools) {
    if (text_field(tool, "command") != command) continue;
    return std::find(tool["arguments"].begin(), tool["arguments"].end(), "MODEL") != tool["arguments"].end();
  }
  return false;
}

Json tools_of(const Json& commands) {
  Json tools = Json::array();
  if (!commands.is_array()) return tools;
  for (Json command : commands) {
    const std::string name = text_field(command, "command");
    const std::string first = name.substr(0, name.find(' '));
    // Of the commands for FMUs only the one that reads a description: no code of an FMU runs.
    if (std::find(tool_names.begin(), tool_names.end(), first) == tool_names.end() && name != "fmu info") continue;
    if (!command.contains("arguments") || !command.contains("options") || flag_field(command, "above")) continue;
    Json kept = Json::array();
    bool allows = false;
    for (const Json& option : command["options"]) {
      if (std::find(own_options.begin(), own_options.end(), text_field(option, "name")) == own_options.end())
        kept.push_back(option);
      else
        allows = allows || text_field(option, "name") == "--allow";
    }
    command["allow"] = allows;
    command["options"] = std::move(kept);
    tools.push_back(std::move(command));
  }
  return tools;
}

std::optional<std::vector<std::string>> tool_words(const ToolRequest& request, const Json& tools,
                                                   const RootFolder& root, Diagnostics& diagnostics) {
  const auto refuse = [&](const std::string& message, const std::string& help = {}) {
    diagnostics.error("bad-request", {}, message, help);
    return std::nullopt;
  };
  const auto tool = std::find_if(tools.begin(), tools.end(),
                                 [&](const Json& one) { return text_field(one, "command") == request.command; });
  if (tool == tools.end()) return refuse("there is no command " + request.command);
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= request.command.size();) {
    const std::size_t to = std::min(request.command.find(' ', from), request.command.size());
    words.push_back(request.command.substr(from, to - from));
    from = to + 1;
  }
  std::size_t given = 0;
  for (const Json& argument : (*tool)["arguments"]) {
    const std::string name = argument.is_string() ? argument.get<std::string>() : "";
    if (name == "MODEL") {
      words.push_back(request.model);
      continue;
    }
    if (given == request.arguments.size()) return refuse(request.command + " needs " + name);
    const std::string& text = request.arguments[given++];
    // Folders of libraries, names of blocks such as Drives/Servo.
    if (!stays_inside(text, root))
      return refuse(name + ": " + text + " is no name or place in the folder of the server",
                    "name a file or folder below it, without dots in front");
    words.push_back(text);
  }
  if (given < request.arguments.size()) return refuse(request.command + " takes fewer arguments");
  for (const auto& [name, text] : request.options) {
    const Json& options = (*tool)["options"];
    const auto option =
        std::find_if(options.begin(), options.end(), [&](const Json& one) { return text_field(one, "name") == name; });
    if (option == options.end()) return refuse(request.command + " has no option " + name);
    if (text.find('\0') != std::string::npos) return refuse(name + ": a text without zero bytes is expected");
    if (text_field(*option, "kind") == "none") {
      words.push_back(name);
      continue;
    }
    if (is_place(*option) && !stays_inside(text, root)) {
      return refuse(name + ": " + text + " is no place in the folder of the server",
                    "name a file or folder below it, without dots in front");
    }
    if (name.starts_with("--")) {
      words.push_back(name + "=" + text);  // one word, so that a text cannot be taken for another option
    } else {
      words.push_back(name + text);
    }
  }
  if (flag_field(*tool, "allow") && !request.allow.empty()) words.push_back("--allow=" + request.allow);
  return words;
}

ToolProcess::ToolProcess(const std::string& executable, const std::vector<std::string>& words,
                         const std::string& folder, std::function<void(std::string)> output,
                         std::function<void(int)> ended) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  std::vector<std::string> all{executable};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& word : all) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  if (posix_spawn(&process_, executable.c_str(), &actions, &attributes, pointers.data(), environ) != 0) process_ = -1;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(ends[1]);
  output_ = ends[0];
  if (process_ < 0) return;
  reader_ = std::thread([this, tell = std::move(output), end = std::move(ended)] {
    std::array<char, 8192> buffer;
    for (;;) {
      const ssize_t got = ::read(output_, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      tell(std::string(buffer.data(), static_cast<std::size_t>(got)));
    }
    // First see that it has ended, then give its number back, while nobody can send it a signal.
    siginfo_t how;
    while (::waitid(P_PID, static_cast<id_t>(process_), &how, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    int status = 0;
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
      }
    }
    end(status);
  });
}

ToolProcess::~ToolProcess() {
  signal(SIGKILL, true);
  if (reader_.joinable()) reader_.join();
  if (output_ >= 0) ::close(output_);
}

void ToolProcess::interrupt() { signal(SIGTERM, false); }

void ToolProcess::signal(int number, bool whole_group) {
  const std::lock_guard lock(mutex_);
  if (process_ > 0 && !over_) ::kill(whole_group ? -process_ : process_, number);
}

}  // namespace orrery::server
