// SPDX-License-Identifier: Apache-2.0
// Checks of the whole model, and values of texts in its scopes.
#include <chrono>
#include <nlohmann/json.hpp>

#include "api/evaluate_texts.h"
#include "api/exec_block.h"
#include "api/linearisation_text.h"
#include "api/linearise.h"
#include "api/model_facts.h"
#include "api/model_texts.h"
#include "api/session.h"
#include "edit/operation.h"
#include "server/facts_json.h"
#include "server/worker_process.h"

namespace orrery::server {
namespace {

constexpr double most_script_seconds = 20;

Json shown_json(const api::ShownValue& value) {
  return {{"type", value.type}, {"rows", value.rows}, {"cols", value.cols}, {"text", value.text}};
}

std::string scope_path(const Json& request) {
  std::string path = text_field(request, "diagram");
  while (path.ends_with('/')) path.pop_back();
  return path;
}

Json failure(const Diagnostics& diagnostics) {
  const Json list = diagnostics_json(diagnostics);
  return {{"error", list.empty() ? Json(diagnostic_json(make_error("failed", "it did not work"))) : list[0]},
          {"errors", list}};
}

std::optional<std::vector<std::string>> lines_field(const Json& request, const char* name) {
  if (!request.contains(name) || !request[name].is_array()) return std::nullopt;
  return texts_field(request, name);
}

}  // namespace

Json WorkerProcess::check(const Json& request) {
  const auto begin = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  auto model = read(request, diagnostics);
  api::ModelFacts facts;
  if (model) {
    api::RunRequest run;
    run.file = file_;
    run.allow = allowed_;
    run.script_seconds = most_script_seconds;
    run.interrupt = &cancel_check_;
    run.facts = &facts;
    run.exec = texts_field(request, "exec");
    api::prepare(*model, run, diagnostics);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return {{"ok",
           {{"revision", request["revision"]},
            {"diagnostics", diagnostics_json(diagnostics)},
            {"facts", facts_json(facts)},
            {"seconds", seconds.count()}}}};
}

Json WorkerProcess::evaluate(const Json& request) {
  Diagnostics diagnostics;
  const auto model = read(request, diagnostics);
  if (!model) return failure(diagnostics);
  api::TextsRequest wanted{scope_path(request), texts_field(request, "texts"), lines_field(request, "context"),
                           lines_field(request, "initialization")};
  const api::TextsResult found = api::evaluate_texts(*model, wanted, consent(), {most_script_seconds, &interrupt_});
  Json values = Json::array(), errors = Json::array(), variables = Json::array();
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    values.push_back(found.values[k] ? shown_json(*found.values[k]) : Json());
    errors.push_back(diagnostics_json(found.errors[k]));
  }
  for (const api::ShownVariable& variable : found.variables) {
    Json item{{"name", variable.name}};
    if (variable.line > 0) item["line"] = variable.line;
    item["from"] = variable.line > 0 ? "context" : variable.of_mask ? "mask" : "outside";
    item["value"] = shown_json(variable.value);
    variables.push_back(std::move(item));
  }
  return {{"ok",
           {{"reached", found.reached},
            {"values", values},
            {"errors", errors},
            {"variables", variables},
            {"problems", diagnostics_json(found.problems)}}}};
}

Json WorkerProcess::complete(const Json& request) {
  Diagnostics diagnostics;
  const auto model = read(request, diagnostics);
  if (!model) return failure(diagnostics);
  const std::string text = text_field(request, "text_before");
  std::size_t from = text.size();
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  while (from > 0 && in_word(text[from - 1])) --from;
  const std::string start = text.substr(from);
  const std::size_t dot = start.rfind('.');
  Json items = Json::array();
  for (const api::Completion& item :
       api::complete_text(*model, scope_path(request), start, consent(), {most_script_seconds, &interrupt_})) {
    items.push_back({{"label", item.label}, {"kind", item.kind}, {"detail", item.detail}});
    if (items.size() == 200) break;
  }
  return {{"ok", {{"from", dot == std::string::npos ? from : from + dot + 1}, {"items", items}}}};
}

Json WorkerProcess::schedule(const Json& request) {
  Diagnostics diagnostics;
  auto model = read(request, diagnostics);
  api::RunRequest run;
  run.file = file_;
  run.allow = allowed_;
  run.script_seconds = most_script_seconds;
  const auto prepared = model ? api::prepare(*model, run, diagnostics) : std::nullopt;
  if (!prepared) return failure(diagnostics);
  return {{"ok", {{"text", api::schedule_text(prepared->program)}}}};
}

Json WorkerProcess::linearise(const Json& request) {
  Diagnostics diagnostics;
  auto model = read(request, diagnostics);
  api::LinearisationRequest wanted;
  wanted.run.file = file_;
  wanted.run.allow = allowed_;
  wanted.run.script_seconds = most_script_seconds;
  wanted.block = text_field(request, "block");
  wanted.inputs = texts_field(request, "inputs");
  wanted.outputs = texts_field(request, "outputs");
  wanted.hold = flag_field(request, "hold");
  if (request.contains("at") && request["at"].is_number()) wanted.at = request["at"].get<double>();
  const auto result = model ? api::linearise(std::move(*model), wanted, nullptr, diagnostics) : std::nullopt;
  if (!result) return failure(diagnostics);
  return {{"ok", {{"model", parse_json(api::linearised_json(*result))}}}};
}

Json WorkerProcess::execute(const Json& request) {
  Diagnostics diagnostics;
  const auto model = read(request, diagnostics);
  if (!model) return failure(diagnostics);
  api::OmlEvaluator evaluator(consent(), {most_script_seconds, &interrupt_});
  if (!api::execute_block(*model, text_field(request, "block"), evaluator, diagnostics)) return failure(diagnostics);
  return {{"ok", {{"variables", api::base_text(evaluator)}}}};
}

}  // namespace orrery::server
