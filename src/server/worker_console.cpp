// SPDX-License-Identifier: Apache-2.0
// The console of a model: statements of its user, with the model of the editor at hand.
#include <nlohmann/json.hpp>

#include "api/edit_functions.h"
#include "api/figures.h"
#include "api/library_texts.h"
#include "api/model_functions.h"
#include "api/oml_native.h"
#include "edit/document.h"
#include "io/svg_plot.h"
#include "oml/error.h"
#include "oml/interpreter.h"
#include "oml/parser.h"
#include "server/worker_process.h"

namespace orrery::server {
namespace {

constexpr std::size_t most_printed = 1UL << 20;

bool parses_as_script(const std::string& text) {
  try {
    oml::parse_script(text, {});
    return true;
  } catch (const oml::OmlError&) {
    return false;
  }
}

// A statement that ends in the middle of a block or a bracket wants another line: closing it makes it parse.
bool wants_more(const std::string& text) {
  if (parses_as_script(text)) return text.ends_with("...\n");
  for (const char* closing : {"\nend", "\nend\nend", "\nend\nend\nend", "]", "}", ")"}) {
    if (parses_as_script(text + closing)) return true;
  }
  return false;
}

}  // namespace

oml::Interpreter& WorkerProcess::interpreter() {
  if (interpreter_) return *interpreter_;
  oml::InterpreterOptions options;
  options.interrupt = &interrupt_;
  options.consent = consent();
  options.families = api::model_families();
  options.output = [this](std::string_view text) {
    if (printed_.size() > most_printed) return;
    printed_ += text;
  };
  interpreter_ = std::make_unique<oml::Interpreter>(options);
  return *interpreter_;
}

Json WorkerProcess::console(const Json& request) {
  const std::string text = text_field(request, "statement") + "\n";
  if (wants_more(text)) return {{"ok", {{"output", ""}, {"incomplete", true}}}};
  oml::Interpreter& oml = interpreter();
  Diagnostics diagnostics;
  auto model = read(request, diagnostics);
  std::shared_ptr<edit::Document> document;
  if (model) document = std::make_shared<edit::Document>(std::move(*model));
  api::set_current_document(oml, document, texts_field(request, "selected"));
  const api::CurrentModel current(oml, file_);
  printed_.clear();
  const oml::RunResult result = oml.run_text(text);
  Json answer{{"output", printed_}};
  if (!result.error_text.empty()) answer["error"] = result.error_text;
  Json figures = Json::array();
  for (auto& [number, figure] : api::figures_of(oml).all) {
    if (!std::exchange(figure.changed, false)) continue;
    figures.push_back(io::svg_plot(api::chart_of(figure)));
  }
  if (!figures.empty()) answer["figures"] = std::move(figures);
  Json problems = Json::array();
  for (const Diagnostic& diagnostic : result.diagnostics.all())
    if (diagnostic.code == "needs-consent") problems.push_back(diagnostic_json(diagnostic));
  if (!problems.empty()) answer["needs"] = std::move(problems);
  if (document && document->undo_count() > 0) {
    Json operations = Json::array();
    for (const edit::Transaction& transaction : document->history())
      for (const edit::Operation& operation : transaction.operations)
        operations.push_back(edit::operation_text(operation));
    answer["operations"] = std::move(operations);
  }
  api::set_current_document(oml, nullptr, {});
  return {{"ok", std::move(answer)}};
}

Json WorkerProcess::help(const Json& request) {
  const std::string name = text_field(request, "name");
  Diagnostics diagnostics;
  if (const oml::Builtin* builtin = interpreter().builtin(name))
    return {{"ok", {{"text", std::string(builtin->help) + "\n" + oml::argument_help(builtin->arguments)}}}};
  if (const auto page = api::block_page(name, diagnostics)) return {{"ok", {{"text", *page}}}};
  return {{"error", diagnostics_json(diagnostics)[0]}};
}

}  // namespace orrery::server
