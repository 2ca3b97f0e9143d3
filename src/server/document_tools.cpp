// SPDX-License-Identifier: Apache-2.0
// Tools that pages start on the saved file of a document.
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "server/open_document.h"

namespace orrery::server {
namespace {

constexpr std::size_t most_tool_output = 4UL << 20;

}  // namespace

void OpenDocument::do_tool(const Asked& asked, const Json& request) {
  if (tool_ && tool_running_)
    return refuse(asked,
                  make_error("tool-running", "another tool is at work on this model", "wait for it, or stop it"));
  const Json tools = parse_json(surroundings_.tools);
  if (needs_model(tools, text_field(request, "command")) && (dirty_ || !path_))
    return refuse(asked, make_error("unsaved-changes", "tools work on the file of the model", "save it first"));
  ToolRequest wanted{
      text_field(request, "command"), path_.value_or(""), texts_field(request, "arguments"), {}, to_text(allowed_)};
  if (request.contains("options") && request["options"].is_array()) {
    for (const Json& option : request["options"]) {
      if (!option.is_array() || option.size() != 2 || !option[0].is_string() || !option[1].is_string())
        return refuse(asked, make_error("bad-request", "options are pairs of name and text"));
      wanted.options.emplace_back(option[0].get<std::string>(), option[1].get<std::string>());
    }
  }
  Diagnostics diagnostics;
  const auto words = tool_words(wanted, tools, surroundings_.root, diagnostics);
  if (!words) return refuse(asked, diagnostics);
  const std::uint32_t number = ++tool_number_;
  tool_bytes_ = 0;
  tool_running_ = true;
  tool_ = std::make_unique<ToolProcess>(
      surroundings_.executable, *words, surroundings_.root.path(),
      [this, number](std::string text) {
        post([this, number, said = std::move(text)] {
          if (number != tool_number_ || tool_bytes_ > most_tool_output) return;
          tool_bytes_ += said.size();
          push({{"on", "tool"}, {"doc", number_}, {"tool", number}, {"text", said}});
        });
      },
      [this, number](int status) {
        post([this, number, status] {
          if (number != tool_number_) return;
          tool_running_ = false;
          Json message{{"on", "tool"}, {"doc", number_}, {"tool", number}, {"done", true}};
          if (WIFEXITED(status)) message["code"] = WEXITSTATUS(status);
          if (WIFSIGNALED(status)) message["signal"] = WTERMSIG(status);
          push(message);
        });
      });
  if (!tool_->good()) {
    tool_running_ = false;
    return refuse(asked, make_error("failed", "the command could not be started"));
  }
  answer(asked, {{"tool", number}});
}

void OpenDocument::do_tool_stop(const Asked& asked, const Json& /*request*/) {
  if (tool_ && tool_running_) tool_->interrupt();
  answer(asked, Json::object());
}

}  // namespace orrery::server
