// SPDX-License-Identifier: Apache-2.0
// The units of a program in a text language, or of a diagram; and the layout of both.
#include <fmt/format.h>

#include <algorithm>

#include "api/model_texts.h"
#include "api/prepare.h"
#include "compile/check_units.h"
#include "cssl/check_units.h"
#include "cssl/format.h"
#include "model/model.h"
#include "model/read_text.h"

namespace orrery::api {
namespace {

std::string table_of(const std::vector<units::UnitOfName>& names) {
  std::size_t widest = 4;
  for (const units::UnitOfName& item : names) widest = std::max(widest, item.name.size());
  std::string text;
  std::size_t declared = 0, inferred = 0, open = 0;
  for (const units::UnitOfName& item : names) {
    const char* how = item.unit.empty() ? "" : item.declared ? "declared" : "follows";
    ++(item.unit.empty() ? open : item.declared ? declared : inferred);
    text += fmt::format("{:<{}}  {:<24} {}", item.name, widest, item.unit.empty() ? "?" : item.unit, how);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text + fmt::format("{} declared, {} follow, {} not known; all agree\n", declared, inferred, open);
}

std::optional<std::vector<units::UnitOfName>> units_of_program(const cssl::Language& language, const std::string& file,
                                                               Diagnostics& diagnostics) {
  const auto text = model::read_text(file, diagnostics);
  const auto program = text ? cssl::read(language, *text, file, diagnostics) : std::nullopt;
  if (!program) return std::nullopt;
  return cssl::check_units(*program, diagnostics);
}

std::optional<std::vector<units::UnitOfName>> units_of_diagram(const RunRequest& request, Diagnostics& diagnostics) {
  auto model = open_model(request.file, diagnostics);
  if (!model) return std::nullopt;
  apply_request(request, *model, diagnostics);
  OmlEvaluator evaluator(consent_of(request, model->file, diagnostics), {request.script_seconds, request.interrupt});
  const auto evaluated = evaluate_model(*model, request, evaluator, diagnostics);
  if (!evaluated) return std::nullopt;
  return compile::check_units(*model, *evaluated, diagnostics);
}

}  // namespace

std::optional<std::string> units_text(const RunRequest& request, Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  const cssl::Language* language = cssl::language_of_file(request.file);
  const auto names = language != nullptr ? units_of_program(*language, request.file, diagnostics)
                                         : units_of_diagram(request, diagnostics);
  if (!names || diagnostics.error_count() > errors) return std::nullopt;
  return table_of(*names);
}

bool can_format(const std::string& file, Diagnostics& diagnostics) {
  if (file.ends_with(".orr") || cssl::language_of_file(file) != nullptr) return true;
  return read_model({}, file, diagnostics).has_value();  // says which extensions are known
}

std::optional<std::string> formatted(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
  if (const cssl::Language* language = cssl::language_of_file(file)) {
    const int errors = diagnostics.error_count();
    if (!cssl::read(*language, text, file, diagnostics) || diagnostics.error_count() > errors) return std::nullopt;
    return cssl::format(*language, text, file, diagnostics);
  }
  const auto model = read_model(text, file, diagnostics);
  if (!model) return std::nullopt;
  return model::write(*model);
}

}  // namespace orrery::api
