// SPDX-License-Identifier: Apache-2.0
// Evaluating the parameters of one block instance.
#include "compile/evaluate_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model/closest_name.h"

namespace orrery::compile {
namespace {

// A text of digits, signs and brackets, or one quoted text, means the same in every scope.
bool is_nameless(const std::string& text) {
  if (text.size() >= 2 && text.front() == '\'' && text.find('\'', 1) == text.size() - 1) return true;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == ' ' || c == '[' || c == ']' || c == ';' ||
           c == ',';
  });
}

void check_names(const blocks::BlockType& type, const model::BlockInstance& instance, Place place,
                 Diagnostics& diagnostics) {
  for (const model::Parameter& given : instance.parameters) {
    const auto declared = std::find_if(type.parameters.begin(), type.parameters.end(),
                                       [&](const auto& spec) { return spec.name == given.name; });
    if (declared != type.parameters.end()) continue;
    std::vector<std::string_view> names;
    for (const auto& spec : type.parameters) names.push_back(spec.name);
    if (given.line > 0) place.line = given.line;
    place.port = "parameter " + given.name;
    const std::string hint = model::did_you_mean(given.name, names);
    diagnostics.error("unknown-parameter", place, fmt::format("a {} has no such parameter", type.name),
                      hint.empty() ? fmt::format("it has: {}", fmt::join(names, ", ")) : hint);
  }
}

bool is_word(const std::string& text) {
  const auto part_of_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), part_of_word);
}

// A word that is no variable, where a text belongs: most likely its quotes were forgotten.
bool explain_quotes(const blocks::ParameterSpec& spec, const std::string& text, const Place& place,
                    Diagnostics& diagnostics) {
  const bool is_text = !spec.choices.empty() || spec.value.starts_with('\'');
  if (!is_text || !is_word(text)) return false;
  const bool known = std::find(spec.choices.begin(), spec.choices.end(), text) != spec.choices.end();
  std::string help = fmt::format("write '{}', with quotes", text);
  if (!spec.choices.empty() && !known) help = fmt::format("choose one of '{}'", fmt::join(spec.choices, "', '"));
  diagnostics.error("bad-choice", place, fmt::format("{} is neither a text in quotes nor a variable", text), help);
  return true;
}

bool follows_from_parameters(const Value& value) {
  return value.has_formula() || std::any_of(value.items.begin(), value.items.end(), follows_from_parameters);
}

}  // namespace

std::optional<Value> ParameterEvaluation::value_of(const std::string& text, bool is_default, const Place& place,
                                                   Diagnostics& diagnostics) {
  const bool nameless = is_default || is_nameless(text);
  if (nameless) {
    const auto known = literals_.find(text);
    if (known != literals_.end()) return known->second;
  }
  auto value = evaluator_.evaluate(text, place, diagnostics);
  if (value && nameless) literals_.emplace(text, *value);
  return value;
}

std::optional<blocks::Parameters> ParameterEvaluation::evaluate(const blocks::BlockType& type,
                                                                const model::BlockInstance& instance,
                                                                const Place& place, Diagnostics& diagnostics) {
  const int errors_before = diagnostics.error_count();
  check_names(type, instance, place, diagnostics);
  std::vector<Value> values;
  values.reserve(type.parameters.size());
  for (const blocks::ParameterSpec& spec : type.parameters) {
    const model::Parameter* given = instance.find_parameter(spec.name);
    Place where = place;
    where.port = "parameter " + spec.name;
    if (given != nullptr && given->line > 0) where.line = given->line;
    const std::string& text = given != nullptr ? given->value : spec.value;
    Diagnostics found;
    auto value = spec.verbatim ? Value::string(text) : value_of(text, given == nullptr, where, found);
    const bool explained = !value && explain_quotes(spec, text, where, diagnostics);
    for (const Diagnostic& diagnostic : found.all()) {
      if (!explained) diagnostics.add(diagnostic);
    }
    if (value && !spec.choices.empty() &&
        (!value->is_text() || std::find(spec.choices.begin(), spec.choices.end(), value->text) == spec.choices.end())) {
      diagnostics.error(
          "bad-choice", where,
          fmt::format("{} is not one of the choices", value->is_text() ? "'" + value->text + "'" : describe(*value)),
          fmt::format("choose one of '{}'", fmt::join(spec.choices, "', '")));
      value.reset();
    }
    if (value) values.push_back(std::move(*value));
  }
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  const bool varied = std::any_of(values.begin(), values.end(), follows_from_parameters);
  blocks::Parameters parameters(&type, std::move(values));
  if (varied) parameters.set_space(evaluator_.parameter_space(), place);
  return parameters;
}

}  // namespace orrery::compile
