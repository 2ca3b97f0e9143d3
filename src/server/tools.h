// SPDX-License-Identifier: Apache-2.0
// Commands of this program that pages may start on a saved model: sweeps, exports, optimisation, … What they take is
// what the grammar of the command line says, so a page can offer whatever there is.
#pragma once

#include <sys/types.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "server/json.h"
#include "server/root_folder.h"

namespace orrery::server {

// Of all commands (docs/protocol.md, `tools`) those for pages.
Json tools_of(const Json& commands);

// Whether a tool works on the file of the model.
bool needs_model(const Json& tools, const std::string& command);

struct ToolRequest {
  std::string command;                                       // "sweep"
  std::string model;                                         // inside the root; for the argument MODEL
  std::vector<std::string> arguments;                        // the others, in order
  std::vector<std::pair<std::string, std::string>> options;  // "--runs", "100"; flags have an empty text
  std::string allow;                                         // "read,write"
};

// The words of the command line; nothing, and a diagnostic, when an option is unknown or a file lies outside the root.
std::optional<std::vector<std::string>> tool_words(const ToolRequest& request, const Json& tools,
                                                   const RootFolder& root, Diagnostics& diagnostics);

// A process with its output.
class ToolProcess {
 public:
  // The functions are called from a thread of its own; `ended` is the last call.
  ToolProcess(const std::string& executable, const std::vector<std::string>& words, const std::string& folder,
              std::function<void(std::string)> output, std::function<void(int status)> ended);
  ~ToolProcess();  // kills it
  ToolProcess(const ToolProcess&) = delete;
  ToolProcess& operator=(const ToolProcess&) = delete;

  bool good() const { return process_ > 0; }
  // Asks it to end: results so far are written.
  void interrupt();

 private:
  void signal(int number, bool whole_group);

  pid_t process_ = -1;
  int output_ = -1;
  std::mutex mutex_;
  bool over_ = false;  // its number may belong to another process
  std::thread reader_;
};

}  // namespace orrery::server
