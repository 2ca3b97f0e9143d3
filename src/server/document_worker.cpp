// SPDX-License-Identifier: Apache-2.0
// The document's side of its worker process: checks after every change, values, the console, consent, crashes.
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/trust.h"
#include "edit/operation.h"
#include "server/facts_json.h"
#include "server/open_document.h"

namespace orrery::server {
namespace {

constexpr std::size_t most_arriving = 64UL << 20;
constexpr int most_crashes = 10;  // without a check that came to its end, or the wish to begin anew

// "--allow write" in the help of a refusal names what was wanted.
std::string capability_of(const Json& diagnostic) {
  const std::string help = text_field(diagnostic, "help");
  constexpr std::string_view option = "--allow ";
  const std::size_t at = help.find(option);
  if (at == std::string::npos) return {};
  std::size_t end = at + option.size();
  while (end < help.size() && help[end] >= 'a' && help[end] <= 'z') ++end;
  return help.substr(at + option.size(), end - at - option.size());
}

// Paths of the blocks of "/A -> /B:2 -> /A".
Json loop_members(const std::string& message) {
  Json members = Json::array();
  constexpr std::string_view arrow = " -> ";
  if (message.find(arrow) == std::string::npos) return members;
  std::size_t from = 0;
  while (from <= message.size()) {
    const std::size_t to = std::min(message.find(arrow, from), message.size());
    std::string part = message.substr(from, to - from);
    const std::size_t slash = part.find('/');
    if (slash != std::string::npos) {
      part = part.substr(slash);
      part = part.substr(0, part.find_first_of(" ,:"));
      if (members.empty() || members.back() != Json(part)) members.push_back(part);
    }
    from = to + arrow.size();
  }
  return members;
}

// Remedies that can be carried out.
Json fixes_of(const Json& diagnostic) {
  Json fixes = Json::array();
  const std::string code = text_field(diagnostic, "code"), block = text_field(diagnostic, "block");
  const std::string port = text_field(diagnostic, "port");
  if ((code == "unknown-parameter" || code == "bad-parameter") && port.starts_with("parameter ") && !block.empty())
    fixes.push_back({{"label", "Back to the default"}, {"steps", {{"unset", block, port.substr(10)}}}});
  if (code == "unused-step")
    fixes.push_back({{"label", "Forget the step"}, {"steps", Json::array({Json::array({"simulation", "step="})})}});
  if (code == "unknown-solver")
    fixes.push_back({{"label", "Choose the solver automatically"},
                     {"steps", Json::array({Json::array({"simulation", "solver="})})}});
  return fixes;
}

std::string crash_text(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return std::string("it was ended by signal ") + std::to_string(number) + " (" + strsignal(number) + ")";
  }
  return "it ended with code " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

}  // namespace

void OpenDocument::start_worker() {
  const std::uint32_t number = ++worker_number_;
  dropping_ = true;
  worker_.reset();
  dropping_ = false;
  WorkerLaunch launch{surroundings_.executable, model_path(), surroundings_.root.path(), to_text(allowed_)};
  worker_ = std::make_unique<Worker>(
      launch,
      [this, number](Message message) {
        // A worker that sends faster than we take waits.
        while (arriving_ > most_arriving && !dropping_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        arriving_ += message.bytes.size();
        post([this, number, got = std::move(message)] {
          arriving_ -= got.bytes.size();
          if (number == worker_number_) worker_message(got);
        });
      },
      [this, number](int status) {
        post([this, number, status] {
          if (number == worker_number_) worker_ended(status);
        });
      });
}

void OpenDocument::ask_worker(Json request, std::function<void(const Json&)> done) {
  const std::uint32_t number = ++asked_;
  request["n"] = number;
  waiting_[number] = std::move(done);
  if (worker_ && worker_->send(request)) return;
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) return;
  const auto call = std::move(found->second);
  waiting_.erase(found);
  call({{"error",
         diagnostic_json(make_error("worker-crashed", "the process that runs the model is gone", "try again"))}});
}

void OpenDocument::worker_message(const Message& message) {
  if (message.kind != MessageKind::json) return rows_message(message);
  const Json json = parse_json(message.bytes);
  if (!json.is_object()) return;
  try {
    if (json.contains("on")) return run_message(json);
    const auto found = waiting_.find(static_cast<std::uint32_t>(std::clamp(number_field(json, "n", 0), 0.0, 4e9)));
    if (found == waiting_.end()) return;
    const auto done = std::move(found->second);
    waiting_.erase(found);
    done(json);
  } catch (const nlohmann::json::exception&) {
    // Machine code of a model may have taken the worker over: what it says wrongly is not said.
  }
}

void OpenDocument::worker_ended(int status) {
  const std::string why = crash_text(status);
  ++crashes_;
  auto waiting = std::move(waiting_);
  waiting_.clear();
  end_runs("crashed", "The run crashed: " + why + ". The model is safe.");
  push({{"on", "worker"},
        {"doc", number_},
        {"state", "crashed"},
        {"signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0},
        {"message", "The process that runs the model is gone: " + why + ". The model is safe."}});
  // One that does not even start would be started for ever.
  if (crashes_ < most_crashes) start_worker();
  const Json error = {
      {"error", diagnostic_json(make_error("worker-crashed", "the process that runs the model is gone: " + why,
                                           "the model is safe; try again"))}};
  for (auto& [number, done] : waiting) done(error);
  if (crashes_ < most_crashes) push({{"on", "worker"}, {"doc", number_}, {"state", "restarted"}});
  // A model whose check kills the worker is not checked again and again.
  if (crashes_ < 3) check();
}

void OpenDocument::check() {
  if (std::exchange(check_wanted_, true)) return;
  post([this] {
    check_wanted_ = false;
    if (document_) check_now();
  });
}

void OpenDocument::check_now() {
  ask_worker({{"do", "check"}, {"revision", revision()}, {"text", document_->text()}, {"exec", executed()}},
             [this](const Json& result) { checked(result); });
}

void OpenDocument::checked(const Json& result) {
  if (flag_field(result, "old")) return;
  if (!result.contains("ok")) return;
  crashes_ = 0;
  const Json& ok = part(result, "ok");
  Json problems = Json::array();
  int errors = 0, warnings = 0;
  for (Json diagnostic : part(ok, "diagnostics")) {
    const std::string severity = text_field(diagnostic, "severity");
    errors += severity == "error";
    warnings += severity == "warning";
    if (text_field(diagnostic, "code").find("loop") != std::string::npos) {
      Json members = loop_members(text_field(diagnostic, "message"));
      if (!members.empty()) diagnostic["loop"] = std::move(members);
    }
    Json fixes = fixes_of(diagnostic);
    if (!fixes.empty()) diagnostic["fixes"] = std::move(fixes);
    if (problems.size() < 1000) problems.push_back(std::move(diagnostic));
  }
  note_needs(part(ok, "diagnostics"));
  const Json told{
      {"on", "problems"},     {"doc", number_},       {"revision", part(ok, "revision")}, {"errors", errors},
      {"warnings", warnings}, {"problems", problems}, {"seconds", part(ok, "seconds")}};
  problems_ = dump(told);
  push(told);
  // A model with errors tells nothing of its blocks: what was known stays.
  if (part(ok, "facts").empty()) return;
  facts_ = facts_of_json(part(ok, "facts"));
  const std::string head = dump({{"on", "facts"},
                                 {"doc", number_},
                                 {"revision", part(ok, "revision")},
                                 {"blocks", shown_facts(part(ok, "facts"))}});
  shown_facts_ = head;
  std::map<std::string, std::string> changes;
  for (const auto& [number, view] : views_) {
    bool exists = false;
    if (view.looks && !changes.contains(view.diagram)) changes[view.diagram] = scene_change(view.diagram, exists);
    view.tab->send(view.looks ? head.substr(0, head.size() - 1) + ",\"change\":" + changes[view.diagram] + "}" : head);
  }
}

void OpenDocument::note_needs(const Json& diagnostics) {
  Json needs = Json::array();
  for (const Json& diagnostic : diagnostics) {
    if (text_field(diagnostic, "code") != "needs-consent") continue;
    const std::string capability = capability_of(diagnostic);
    std::string unknown;
    const auto parsed = parse_capabilities(capability, unknown);
    if (!parsed || capability.empty()) continue;
    for (int k = 0; k < capability_count; ++k) {
      const auto one = static_cast<Capability>(k);
      if (parsed->has(one))
        needs.push_back({{"capability", name_of(one)}, {"meaning", meaning_of(one)}, {"place", diagnostic}});
    }
  }
  if (needs.empty()) {
    needs_.clear();
    return;
  }
  Json message{{"on", "consent_needed"}, {"doc", number_}, {"needs", std::move(needs)}};
  if (!trust_note_.empty()) message["note"] = trust_note_;
  const std::string text = dump(message);
  if (text == needs_) return;
  needs_ = text;
  push(message);
}

// What the worker answers goes to the page as it is.
void OpenDocument::forward(const Asked& asked, Json request) {
  request["text"] = document_->text();
  ask_worker(std::move(request), [this, asked](const Json& result) { pass_on(asked, result); });
}

void OpenDocument::pass_on(const Asked& asked, const Json& result) {
  if (asked.id.empty()) return;
  Json reply = Json::object();
  reply["id"] = parse_json(asked.id);
  for (const char* field : {"ok", "error", "errors"}) {
    if (result.contains(field)) reply[field] = result[field];
  }
  asked.tab->send(dump(reply));
}

void OpenDocument::do_evaluate(const Asked& asked, const Json& request) {
  Json wanted{{"do", "evaluate"}};
  for (const char* field : {"diagram", "texts", "context", "initialization"}) {
    if (request.contains(field)) wanted[field] = request[field];
  }
  forward(asked, std::move(wanted));
}

void OpenDocument::do_complete(const Asked& asked, const Json& request) {
  const std::string text = text_field(request, "text");
  const double at = number_field(request, "at", static_cast<double>(text.size()));
  const std::size_t end = at < 0 || at > static_cast<double>(text.size()) ? text.size() : static_cast<std::size_t>(at);
  forward(asked,
          {{"do", "complete"}, {"diagram", text_field(request, "diagram")}, {"text_before", text.substr(0, end)}});
}

void OpenDocument::do_help(const Asked& asked, const Json& request) {
  forward(asked, {{"do", "help"}, {"name", text_field(request, "name")}});
}

void OpenDocument::do_schedule(const Asked& asked, const Json& /*request*/) { forward(asked, {{"do", "schedule"}}); }

void OpenDocument::do_linearise(const Asked& asked, const Json& request) {
  Json wanted = request;
  wanted.erase("id");
  wanted["do"] = "linearise";
  forward(asked, std::move(wanted));
}

// Blocks may have been removed or renamed since their scripts were run.
std::vector<std::string> OpenDocument::executed() {
  std::erase_if(executed_, [&](const std::string& path) {
    const model::BlockInstance* block = block_at(document_->model(), path);
    return block == nullptr || block->type != "ExecOMLScript";
  });
  return executed_;
}

void OpenDocument::do_execute(const Asked& asked, const Json& request) {
  const std::string path = text_field(request, "block");
  std::erase(executed_, path);
  if (request.contains("on") && !flag_field(request, "on")) {
    answer(asked, {{"executed", executed()}});
    return check();
  }
  ask_worker({{"do", "execute"}, {"block", path}, {"text", document_->text()}},
             [this, asked, path](const Json& result) {
               note_needs(part(result, "errors"));
               if (!result.contains("ok")) return pass_on(asked, result);
               executed_.push_back(path);
               answer(asked, {{"variables", part(result["ok"], "variables")}, {"executed", executed()}});
               check();
             });
}

void OpenDocument::do_console(const Asked& asked, const Json& request) {
  Json wanted{{"do", "console"},
              {"statement", text_field(request, "text")},
              {"selected", selected_},
              {"text", document_->text()}};
  ask_worker(std::move(wanted), [this, asked](const Json& result) {
    if (!result.contains("ok")) return pass_on(asked, result);
    Json ok = result["ok"];
    if (ok.contains("operations")) {
      Diagnostics diagnostics;
      const std::size_t before = document_->revision();
      const auto apply = [&](edit::Edit& edit) {
        for (const Json& text : ok["operations"]) {
          const auto operation = edit::parse_operation(text.get<std::string>());
          if (!operation) return edit.fail("", "the script sent what is no change");
          edit.apply(*operation);
        }
      };
      if (recovery_.empty() && document_->perform("Console", apply, diagnostics) && document_->revision() != before) {
        dirty_ = true;
        changed("Console", 0, Json::array());
      } else if (diagnostics.has_errors()) {
        ok["error"] = "the model has changed meanwhile, so the edits of the script were not made";
      }
      ok.erase("operations");
    }
    if (ok.contains("needs")) {
      note_needs(ok["needs"]);
      ok.erase("needs");
    }
    answer(asked, std::move(ok));
  });
}

void OpenDocument::do_interrupt(const Asked& asked, const Json& /*request*/) {
  if (worker_) worker_->send({{"do", "interrupt"}});
  answer(asked, Json::object());
}

void OpenDocument::do_consent(const Asked& asked, const Json& request) {
  Capabilities wanted;
  for (const std::string& name : texts_field(request, "allow")) {
    std::string unknown;
    const auto parsed = parse_capabilities(name, unknown);
    if (!parsed) return refuse(asked, make_error("bad-request", "there is no capability " + unknown));
    wanted = wanted | *parsed;
  }
  Diagnostics diagnostics;
  allowed_ = allowed_ | wanted;
  if (text_field(request, "keep") == "folder") {
    const std::string folder = std::filesystem::path(model_path()).parent_path().string();
    if (!api::record_trust(folder, allowed_, diagnostics)) return refuse(asked, diagnostics);
  }
  needs_.clear();
  end_runs("stopped", "");
  auto waiting = std::move(waiting_);
  waiting_.clear();
  start_worker();
  for (auto& [number, done] : waiting)
    done({{"error", diagnostic_json(
                        make_error("worker-restarted", "the process that runs the model began anew", "try again"))}});
  Json allowed = Json::array();
  for (int k = 0; k < capability_count; ++k) {
    if (allowed_.has(static_cast<Capability>(k))) allowed.push_back(name_of(static_cast<Capability>(k)));
  }
  answer(asked, {{"allowed", std::move(allowed)}});
  check();
}

void OpenDocument::do_restart_worker(const Asked& asked, const Json& /*request*/) {
  end_runs("stopped", "");
  auto waiting = std::move(waiting_);
  waiting_.clear();
  crashes_ = 0;
  start_worker();
  for (auto& [number, done] : waiting)
    done({{"error", diagnostic_json(
                        make_error("worker-restarted", "the process that runs the model began anew", "try again"))}});
  answer(asked, Json::object());
  check();
}

}  // namespace orrery::server
