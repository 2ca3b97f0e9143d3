// SPDX-License-Identifier: Apache-2.0
// Finds the block, evaluates the text of its parameter and runs it.
#include "api/exec_block.h"

#include <fmt/format.h>

#include "api/evaluate_texts.h"
#include "api/model_functions.h"
#include "api/prepare.h"
#include "fmi/surroundings.h"
#include "model/closest_name.h"
#include "oml/convert.h"

namespace orrery::api {
namespace {

const char* const script_type = "ExecOMLScript";

// All such blocks of a diagram and those in it.
void collect(const model::Diagram& diagram, const std::string& prefix,
             std::vector<std::pair<std::string, const model::BlockInstance*>>& found) {
  for (const model::BlockInstance& block : diagram.blocks) {
    if (block.type == script_type) found.emplace_back(prefix + block.name, &block);
    if (block.diagram) collect(*block.diagram, prefix + block.name + "/", found);
  }
}

}  // namespace

bool execute_block(const model::Model& model, const std::string& path, OmlEvaluator& evaluator,
                   Diagnostics& diagnostics) {
  const std::string full = path.starts_with('/') ? path : "/" + path;
  std::vector<std::pair<std::string, const model::BlockInstance*>> all;
  collect(model.root, "/", all);
  const model::BlockInstance* block = nullptr;
  std::vector<std::string_view> names;
  for (const auto& [name, known] : all) {
    names.push_back(name);
    if (name == full) block = known;
  }
  Place place{model.file, 0, 0, full, {}};
  if (block == nullptr) {
    const std::string guess = model::did_you_mean(full, names);
    diagnostics.error(
        "no-such-block", place, "the model has no ExecOMLScript block of this name",
        guess.empty() ? names.empty() ? "it has none at all" : fmt::format("there is {}", names[0]) : guess);
    return false;
  }
  std::string text;
  if (const model::Parameter* given = block->find_parameter("script")) {
    text = given->value;
    place.line = given->line;
  }
  place.port = "parameter script";
  const CurrentModel current(evaluator.interpreter(), model.file);
  const oml::RunResult result = evaluator.interpreter().run_text_in(evaluator.interpreter().base(), text, {}, {});
  for (Diagnostic d : result.diagnostics.all()) {
    d.notes.push_back(fmt::format("at line {}, column {} of the script", d.place.line, d.place.column));
    d.place = place;
    diagnostics.add(std::move(d));
  }
  return result.ok;
}

std::string base_text(OmlEvaluator& evaluator) {
  std::string text;
  const auto& base = evaluator.interpreter().base();
  for (const std::string& name : base->names()) {
    if (const oml::Value* value = base->get(name)) text += fmt::format("{} = {}\n", name, shown(*value).text);
  }
  return text;
}

std::optional<std::string> execute_block(const RunRequest& request, const std::string& path, Diagnostics& diagnostics) {
  const fmi::Surroundings surroundings;
  auto model = open_model(request.file, diagnostics);
  if (!model) return std::nullopt;
  OmlEvaluator evaluator(consent_of(request, model->file, diagnostics), {request.script_seconds, request.interrupt});
  if (!execute_block(*model, path, evaluator, diagnostics)) return std::nullopt;
  return base_text(evaluator);
}

}  // namespace orrery::api
