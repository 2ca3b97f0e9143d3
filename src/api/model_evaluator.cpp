// SPDX-License-Identifier: Apache-2.0
// Decides whether one compilation is enough, and answers from derivatives while a search takes differences.
#include "api/model_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "api/base_workspace.h"
#include "api/model_functions.h"
#include "blocks/block.h"
#include "oml/convert.h"
#include "oml/differencing.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

constexpr std::size_t most_derivatives = 64;
constexpr std::size_t most_compiled = 64;  // of one model; each takes a few hundred kilobytes

// What scripts read besides their variables, so that the same text may mean another model the next time.
const std::set<std::string, std::less<>> outside = {
    "GetFromBase", "AddToBase",  "FromBase", "ToBase",     "exposable", "rand",    "randn",
    "randi",       "randperm",   "clock",    "now",        "tic",       "toc",     "time",
    "cputime",     "fopen",      "load",     "csvread",    "dlmread",   "xlsread", "fileread",
    "textread",    "importdata", "evalin",   "getbaseenv", "eval",      "source",  "run",
    "system",      "getenv",     "exist",    "assignin",   "global",    "feval",   "Optimization"};

void collect_texts(const model::Diagram& diagram, std::vector<std::string>& texts) {
  texts.insert(texts.end(), diagram.context.begin(), diagram.context.end());
  for (const model::BlockInstance& block : diagram.blocks) {
    texts.push_back(block.type);
    for (const model::Parameter& parameter : block.parameters) texts.push_back(parameter.value);
    if (block.diagram) collect_texts(*block.diagram, texts);
  }
}

bool restarts(const program::Program& program) {
  for (const program::Source& source : program.sources)
    for (const program::Action& action : source.table.actions)
      if (action.kind == program::ActionKind::restart) return true;
  return !program.exports.empty();
}

std::vector<double> numbers_of_all(const std::vector<VariedVariable>& variables) {
  std::vector<double> all;
  for (const VariedVariable& variable : variables)
    all.insert(all.end(), variable.values.begin(), variable.values.end());
  return all;
}

}  // namespace

std::optional<std::vector<VariedVariable>> real_fields(const oml::Value& value) {
  std::vector<VariedVariable> result;
  if (value.is_empty() && !value.is_struct()) return result;
  if (!value.is_struct() || value.structure_ref().dims.numel() != 1) return std::nullopt;
  for (const std::string& name : value.structure_ref().keys) {
    const oml::Value& field = *value.structure_ref().get(name);
    if (!field.is_arithmetic() || field.is_complex() || field.is_text() || field.is_logical() || field.is_empty() ||
        field.dims().count() != 2 || field.class_name() != "double")
      return std::nullopt;
    result.push_back({name, static_cast<int>(field.dims().rows()), static_cast<int>(field.dims().cols()),
                      oml::to_vector(oml::full(field))});
  }
  return result;
}

bool ModelEvaluator::is_repeatable(oml::Interpreter& interpreter) {
  std::vector<std::string> texts = model_->initialization;
  collect_texts(model_->root, texts);
  for (const std::string& text : texts) {
    for (std::size_t at = 0; at < text.size();) {
      const auto is_word = [&](std::size_t k) {
        return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) != 0 || text[k] == '_');
      };
      if (!is_word(at)) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (is_word(end)) ++end;
      const std::string word = text.substr(at, end - at);
      at = end;
      // A function of the user may read what it likes.
      const bool called =
          text.find_first_not_of(" \t", end) < text.size() && text[text.find_first_not_of(" \t", end)] == '(';
      const bool of_the_user = called && oml::find_builtin(word) == nullptr && interpreter.is_callable(word);
      if (!outside.contains(word) && !of_the_user) continue;
      why_from_texts_ = fmt::format("the texts of the model may read more than their variables, by {}", word);
      return false;
    }
  }
  return true;
}

ModelEvaluator::Split ModelEvaluator::split(const std::vector<VariedVariable>& variables) const {
  Split result;
  for (const VariedVariable& variable : variables) {
    result.key += fmt::format("{} {} {}", variable.name, variable.rows, variable.cols);
    const bool fixed = structural_.contains(variable.name);
    if (fixed)
      for (const double value : variable.values) result.key += fmt::format(" {:a}", value);
    result.key += ';';
    (fixed ? result.fixed : result.varied).push_back(variable);
  }
  return result;
}

std::unique_ptr<RepeatedRuns> ModelEvaluator::compile(const Split& split, bool derivatives,
                                                      oml::Interpreter& interpreter, Diagnostics& diagnostics) const {
  RunRequest request;
  request.file = model_->file;
  request.bookkeeping = true;
  request.interrupt = interpreter.options().interrupt;
  const auto evaluator = std::make_shared<OmlEvaluator>(interpreter);
  evaluator->pin_after_initialization();
  for (const auto* list : {&split.varied, &split.fixed}) {
    for (const VariedVariable& variable : *list) {
      oml::Value value = oml::Value::column(variable.values);
      value.edit_real().dims = oml::Dims(variable.rows, variable.cols);
      evaluator->pin(variable.name, oml::unboxed(value));
    }
  }
  auto result = RepeatedRuns::create(*model_, request, split.varied, derivatives, evaluator, diagnostics);
  evaluator->leave();
  return result;
}

// Whether what was said names variables that are part of the structure, and were not known as such.
bool ModelEvaluator::add_structural(const std::vector<VariedVariable>& variables, const Diagnostics& said) {
  bool found = false;
  for (const Diagnostic& d : said.all()) {
    if (d.code != "fixed-parameter") continue;
    for (const VariedVariable& variable : variables) {
      const std::string& name = variable.name;
      if (!d.message.starts_with(name + " ") && !d.message.starts_with(name + "(")) continue;
      const std::string place = d.place.block.empty() ? d.place.port : d.place.block;
      const std::string how = d.message.substr(d.message.find(": ") + 2) + (place.empty() ? "" : " at " + place);
      found = structural_.emplace(name, how).second || found;
    }
  }
  return found;
}

ModelEvaluator::Compiled* ModelEvaluator::find_or_compile(const std::vector<VariedVariable>& variables, Split& split,
                                                          Answer& answer, oml::Interpreter& interpreter) {
  split = this->split(variables);
  if (const auto known = compiled_.find(split.key); known != compiled_.end())
    return known->second.plain ? &known->second : nullptr;
  const bool first = compiled_.empty();
  if (compiled_.size() >= most_compiled) compiled_.clear();
  std::unique_ptr<RepeatedRuns> made;
  Diagnostics said;  // what is wrong is said where the model is run from its texts
  do {
    said = {};
    split = this->split(variables);
    made = compile(split, false, interpreter, said);
  } while (!made && add_structural(variables, said));
  if (!made || restarts(made->program())) {
    why_from_texts_ = made ? "the model restarts, or writes to the base workspace" : "it cannot be compiled once";
    compiled_[split.key];
    return nullptr;
  }
  answer.compiled = true;
  answer.reason = first ? "this is the first run" : "the context has other variables, or other sizes";
  if (!first && !split.fixed.empty()) {
    answer.reason.clear();
    for (const VariedVariable& variable : split.fixed) {
      answer.reason += fmt::format("{}the structure depends on {} ({})", answer.reason.empty() ? "" : ", ",
                                   variable.name, structural_.at(variable.name));
    }
    answer.reason += ", so that each new value costs a compilation";
    answer.is_news = !std::exchange(told_, true);
  }
  Compiled& kept = compiled_[split.key];
  kept.plain = std::move(made);
  return &kept;
}

std::optional<ModelEvaluator::Answer> ModelEvaluator::run(const std::vector<VariedVariable>& variables,
                                                          oml::Interpreter& interpreter) {
  if (!repeatable_) repeatable_ = is_repeatable(interpreter);
  if (!*repeatable_) return std::nullopt;
  Answer answer;
  Split split;
  Compiled* compiled = find_or_compile(variables, split, answer, interpreter);
  if (compiled == nullptr) return std::nullopt;
  const std::vector<double> values = numbers_of_all(split.varied);
  if (oml::Differencing::is_on(interpreter) && !compiled->last.empty()) {
    if (auto run = moved(*compiled, split, interpreter)) {
      answer.run = std::move(*run);
      answer.program = &compiled->sensitive->program();
      oml::Differencing::note_answer(interpreter);
      return answer;
    }
  }
  RunVariation variation;
  variation.values = values;
  variation.interrupt = interpreter.options().interrupt;
  answer.run = compiled->plain->run(variation);
  answer.program = &compiled->plain->program();
  oml::Differencing::note_run(interpreter);
  if (!oml::Differencing::is_on(interpreter)) compiled->last = values;
  return answer;
}

// Near the last run: that run with its derivatives, each signal moved along them.
std::optional<RepeatedRun> ModelEvaluator::moved(Compiled& compiled, const Split& split,
                                                 oml::Interpreter& interpreter) const {
  const std::vector<double> values = numbers_of_all(split.varied);
  if (compiled.has_no_derivatives || values.size() > most_derivatives) return std::nullopt;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double distance = std::abs(values[k] - compiled.last[k]);
    if (distance > 1e-3 * std::max(std::abs(compiled.last[k]), 1e-2)) return std::nullopt;
  }
  if (!compiled.sensitive) {
    Split base = split;
    std::size_t next = 0;
    for (VariedVariable& variable : base.varied)
      for (double& value : variable.values) value = compiled.last[next++];
    Diagnostics said;  // then slopes are differences
    compiled.sensitive = compile(base, true, interpreter, said);
    compiled.has_no_derivatives = !compiled.sensitive;
    if (!compiled.sensitive) return std::nullopt;
  }
  if (compiled.derivatives_at != compiled.last) {
    RunVariation variation;
    variation.values = compiled.last;
    variation.interrupt = interpreter.options().interrupt;
    compiled.with_derivatives = compiled.sensitive->run(variation);
    oml::Differencing::note_run(interpreter);
    compiled.derivatives_at = compiled.last;
  }
  const RepeatedRun& from = compiled.with_derivatives;
  if (from.end != sim::End::reached_stop && from.end != sim::End::stopped) return std::nullopt;
  RepeatedRun result;
  result.end = from.end;
  result.time = from.time;
  const sim::Recording& all = from.recording;
  std::vector<std::string> elements;
  for (const VariedVariable& variable : split.varied)
    for (std::size_t k = 0; k < variable.values.size(); ++k)
      elements.push_back(element_name(variable.name, k, variable.values.size()));
  std::map<std::string, std::size_t> place;
  for (std::size_t c = 0; c < all.columns.size(); ++c) place[all.columns[c].name] = c;
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < all.columns.size(); ++c)
    if (!all.columns[c].name.starts_with("d(")) kept.push_back(c);
  result.recording.time = all.time;
  result.recording.phase = all.phase;
  for (const std::size_t c : kept) result.recording.columns.push_back(all.columns[c]);
  result.recording.values.resize(all.rows() * kept.size());
  for (std::size_t c = 0; c < kept.size(); ++c) {
    for (std::size_t row = 0; row < all.rows(); ++row)
      result.recording.values[row * kept.size() + c] = all.value(row, kept[c]);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const double by = values[k] - compiled.last[k];
      const auto slope = place.find(derivative_column(all.columns[kept[c]].name, elements[k]));
      if (by == 0 || slope == place.end()) continue;
      for (std::size_t row = 0; row < all.rows(); ++row)
        result.recording.values[row * kept.size() + c] += by * all.value(row, slope->second);
    }
  }
  return result;
}

}  // namespace orrery::api
