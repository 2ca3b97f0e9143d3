// SPDX-License-Identifier: Apache-2.0
// Contexts and parameters in OML.
#include "api/oml_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include "api/diagram_functions.h"
#include "api/model_functions.h"
#include "api/name_help.h"
#include "base/printable.h"
#include "base/rational.h"
#include "base/signals.h"
#include "oml/convert.h"
#include "oml/error.h"
#include "trace/oml_tracer.h"
#include "trace/oml_values.h"
#include "trace/parameter_value.h"

namespace orrery::api {
namespace {

// Most parameters of a large model are plain numbers; they also keep their exact decimal text for clocks.
std::optional<compile::Value> literal_number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty() || text.front() < '.' || text.front() > '9' || !parse_decimal(text)) return std::nullopt;
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  compile::Value value = compile::Value::number(x);
  value.literal = std::string(text);
  return value;
}

// What contexts print goes to standard error, apart from the results.
oml::InterpreterOptions own_options(Consent consent, const ScriptLimits& limits) {
  oml::InterpreterOptions options;
  options.most_seconds = limits.seconds;
  options.interrupt = limits.interrupt;
  options.consent = std::move(consent);
  options.output = [](std::string_view text) {
    const std::string shown = printable(text);
    std::fwrite(shown.data(), 1, shown.size(), stderr);
  };
  options.families = model_families();
  return options;
}

bool is_script(const Place& place) { return place.port == "context" || place.port == "initialization"; }

// What an interpreter knows of the model whose scripts it runs.
struct RunningModel {
  OmlEvaluator* evaluator = nullptr;
};

// What can be a parameter: real doubles.
bool can_vary(const oml::Value& value) {
  return value.is_arithmetic() && !value.is_complex() && !value.is_text() && !value.is_logical() && !value.is_empty() &&
         value.dims().count() == 2 && value.class_name() == "double";
}

}  // namespace

OmlEvaluator::OmlEvaluator(Consent consent, const ScriptLimits& limits)
    : own_(std::make_unique<oml::Interpreter>(own_options(std::move(consent), limits))), interpreter_(own_.get()) {
  attach();
  begin_run(1);
}

OmlEvaluator::OmlEvaluator(oml::Interpreter& interpreter) : interpreter_(&interpreter) {
  attach();
  begin_run(1);
}

OmlEvaluator::~OmlEvaluator() {
  leave();
  home_->computations.clear();
}

void OmlEvaluator::attach() {
  outer_ = std::exchange(interpreter_->extension<RunningModel>().evaluator, this);
  attached_ = true;
}

void OmlEvaluator::leave() {
  if (attached_) interpreter_->extension<RunningModel>().evaluator = outer_;
  attached_ = false;
}

OmlEvaluator* OmlEvaluator::running(oml::Interpreter& interpreter) {
  return interpreter.extension<RunningModel>().evaluator;
}

void OmlEvaluator::begin_run(int counter) {
  is_first_run_ = counter == 1;
  if (is_first_run_) between_runs_.clear();
  by_elements_.clear();
  if (home_) home_->computations.clear();
  if (own_) own_->restart_time();
  home_ = std::make_shared<trace::ParameterHome>(*interpreter_);
  home_->space.where = [this] { return place_now(); };
  scopes_ = {interpreter_->make_environment()};
  scopes_[0]->set("__counter__", oml::Value(counter));
  set_pinned();
}

std::shared_ptr<program::ParameterSpace> OmlEvaluator::parameter_space() { return {home_, &home_->space}; }

// In a script the line it is at, also of a function that it calls.
Place OmlEvaluator::place_now() const {
  Place place = place_;
  const oml::Frame* frame = &interpreter_->current_frame();
  while (frame != nullptr && frame->function != nullptr) frame = frame->caller;
  if (is_script(place) && place.line > 0 && frame != nullptr && frame->line > 0) place.line += frame->line - 1;
  return place;
}

oml::Value OmlEvaluator::as_parameter(const std::string& name, const oml::Value& value, const std::string& unit) {
  program::ParameterSpace& space = home_->space;
  const program::Parameter* known = space.find(name);
  if (trace::is_parameter(value)) {
    const auto& parameter = static_cast<const trace::ParameterValue&>(value.symbolic());
    const program::Node& node = space.graph()[parameter.formula()];
    const bool is_itself =
        known != nullptr && node.op == program::Op::read && node.payload == static_cast<std::uint64_t>(known->slot);
    if (is_itself || !can_vary(*parameter.known())) return value;
    const program::SlotId slot = space.declare(name, parameter.formula(), unit);
    return trace::ParameterValue::wrap(home_, space.program().read(slot), *parameter.known());
  }
  if (!can_vary(value)) return value;
  const program::Type type{program::Scalar::f64, static_cast<std::int32_t>(value.dims().rows()),
                           static_cast<std::int32_t>(value.dims().cols())};
  const std::vector<double> numbers = oml::to_vector(value);
  if (known != nullptr && known->given == program::no_slot) {
    const program::Slot& slot = space.beginning().slots[known->slot];
    const auto data = space.beginning().graph.constant_data(slot.initial);
    if (slot.type == type && std::equal(data.begin(), data.end(), numbers.begin(), numbers.end())) {
      return trace::ParameterValue::wrap(home_, space.program().read(known->slot), value);
    }
  }
  const program::SlotId slot = space.declare(name, type, numbers, unit);
  return trace::ParameterValue::wrap(home_, space.program().read(slot), value);
}

// The variable becomes a matrix of parameters, one for each element that is varied, and numbers.
void OmlEvaluator::name_elements(const std::string& name) {
  const oml::Value* found = scopes_[0]->get(name);
  if (found == nullptr) return;
  if (trace::is_parameter(*found)) {
    const auto& parameter = static_cast<const trace::ParameterValue&>(found->symbolic());
    const auto known = by_elements_.find(name);
    if (known != by_elements_.end() && known->second == parameter.formula()) return;
    if (!can_vary(*parameter.known())) return;
    parameter.settle("its elements are varied");
  }
  const oml::Value value = trace::numbers_of(*found);
  if (!can_vary(value)) return;
  program::ParameterSpace& space = home_->space;
  const program::Type type{program::Scalar::f64, static_cast<std::int32_t>(value.dims().rows()),
                           static_cast<std::int32_t>(value.dims().cols())};
  const std::vector<double> numbers = oml::to_vector(value);
  std::vector<program::ExprId> elements;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::string element = fmt::format("{}({})", name, k + 1);
    const bool varied = std::find(varied_.begin(), varied_.end(), element) != varied_.end();
    const program::Parameter* known = varied ? space.find(element) : nullptr;
    const bool same = known != nullptr &&
                      space.beginning().graph.is_constant(space.beginning().slots[known->slot].initial, numbers[k]);
    if (varied && !same) space.declare(element, program::Type{}, {numbers[k]}, {});
    elements.push_back(varied ? space.program().read(space.find(element)->slot)
                              : space.graph().constant(program::Type{}, std::vector<double>{numbers[k]}));
  }
  const program::ExprId formula = space.graph().stack(type, elements);
  by_elements_[name] = formula;
  scopes_[0]->set(name, trace::ParameterValue::wrap(home_, formula, value));
}

// After each statement of the outermost scope.
void OmlEvaluator::name_varied() {
  for (const std::string& name : varied_) {
    if (const std::size_t open = name.find('('); open != std::string::npos) {
      name_elements(name.substr(0, open));
      continue;
    }
    const oml::Value* value = scopes_[0]->get(name);
    if (value != nullptr) scopes_[0]->set(name, as_parameter(name, *value, {}));
  }
}

std::vector<OmlEvaluator::Variable> OmlEvaluator::variables() const {
  std::vector<Variable> list;
  for (const std::string& name : scopes_[0]->names()) {
    const oml::Value* found = scopes_[0]->get(name);
    if (found == nullptr || name.starts_with("__")) continue;
    const oml::Value value =
        trace::is_parameter(*found) ? *static_cast<const trace::ParameterValue&>(found->symbolic()).known() : *found;
    if (!can_vary(value)) continue;
    list.push_back(
        {name, static_cast<int>(value.dims().rows()), static_cast<int>(value.dims().cols()), oml::to_vector(value)});
  }
  return list;
}

oml::Value OmlEvaluator::exposed(const std::string& name, const oml::Value& fallback, const std::string& unit) {
  const auto pin = std::find_if(pinned_.begin(), pinned_.end(), [&](const auto& p) { return p.first == name; });
  if (pin != pinned_.end()) return as_parameter(name, pin->second, unit);
  const oml::Value* in_base = interpreter_->base()->get(name);
  return as_parameter(name, in_base != nullptr ? *in_base : fallback, unit);
}

void OmlEvaluator::pin(const std::string& name, oml::Value value) {
  const auto same = [&](const auto& pin) { return pin.first == name; };
  std::erase_if(pinned_, same);
  if (trace::is_parameter(value)) value.symbolic().settle("another model is run with its number");
  value = trace::numbers_of(value);
  pinned_.emplace_back(name, std::move(value));
  set_pinned();
}

void OmlEvaluator::pin(const std::string& name, std::string_view text, const Place& place, Diagnostics& diagnostics) {
  if (auto value = value_of(text, place, diagnostics)) pin(name, std::move(*value));
}

void OmlEvaluator::set_pinned() {
  for (const auto& [name, value] : pinned_) {
    const bool named = home_->space.find(name) != nullptr;
    scopes_[0]->set(name, named ? as_parameter(name, value, {}) : value);
  }
  name_varied();
}

void OmlEvaluator::push_scope(const std::vector<compile::GivenVariable>& variables, Diagnostics& diagnostics) {
  auto inner = interpreter_->make_environment(scopes_.back());
  for (const compile::GivenVariable& variable : variables) {
    if (auto value = value_of(variable.text, variable.place, diagnostics)) inner->set(variable.name, std::move(*value));
  }
  scopes_.push_back(std::move(inner));
}

void OmlEvaluator::pop_scope() { scopes_.pop_back(); }

std::string OmlEvaluator::name_help(const std::string& name) const {
  return api::name_help(*interpreter_, *scopes_.back(), name);
}

// The interpreter's errors as the compiler's: where the text stands in the model, what to do about it.
void OmlEvaluator::relocate(const Diagnostics& from, const Place& place, Diagnostics& to) const {
  for (Diagnostic d : from.all()) {
    const Place inner = d.place;
    d.place = place;
    if (d.code == "oml-syntax") {
      d.code = "parameter-syntax";
    } else if (d.code == "oml-undefined") {
      d.code = "undefined-name";
      d.message = trace::undefined_message(inner.port);
      d.help = name_help(inner.port);
    } else if (d.code != "needs-consent" && d.code != "script-limit") {
      d.code = "parameter-error";
    }
    if (!inner.file.empty()) {
      d.notes.push_back(fmt::format("at line {}, column {} of {}", inner.line, inner.column, inner.file));
    } else if (inner.line > 0) {
      if (is_script(place) && place.line > 0) d.place.line = place.line + inner.line - 1;
      d.notes.push_back(inner.line == 1 && !is_script(place)
                            ? fmt::format("at column {} of the text", inner.column)
                            : fmt::format("at line {}, column {} of the {}", inner.line, inner.column,
                                          is_script(place) ? place.port : "text"));
    }
    to.add(std::move(d));
  }
}

void OmlEvaluator::run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  const bool keeps = scopes_.size() == 1 && (!pinned_.empty() || !varied_.empty());
  const bool late = keeps && after_initialization_ && place.port == "initialization";
  std::function<void()> after;
  if (keeps && !late) after = [this] { set_pinned(); };
  place_ = place;
  const NothingToKeep alone(own_ && is_first_run_);
  const oml::RunResult result = interpreter_->run_text_in(scopes_.back(), text, {}, after);
  if (late) set_pinned();
  relocate(result.diagnostics, place, diagnostics);
}

std::optional<oml::Value> OmlEvaluator::value_of(std::string_view text, const Place& place, Diagnostics& diagnostics) {
  Diagnostics found;
  place_ = place;
  const NothingToKeep alone(own_ && is_first_run_);
  auto value = interpreter_->evaluate(scopes_.back(), text, found);
  relocate(found, place, diagnostics);
  if (!value && !found.has_errors()) {
    diagnostics.error("parameter-error", place, fmt::format("'{}' has no value", text));
  }
  return value;
}

std::optional<compile::Value> OmlEvaluator::evaluate(std::string_view text, const Place& place,
                                                     Diagnostics& diagnostics) {
  if (auto literal = literal_number(text)) return literal;
  const auto value = value_of(text, place, diagnostics);
  if (!value) return std::nullopt;
  auto converted = trace::from_oml(*value);
  if (!converted) {
    diagnostics.error("parameter-type", place,
                      fmt::format("a value of class {} cannot be a parameter", value->class_name()),
                      "give a number, a matrix, a text, a struct or a cell of these; integers have up to 32 bits");
  }
  return converted;
}

std::shared_ptr<const blocks::Tracer> OmlEvaluator::tracer() {
  Place place = place_;
  place.port.clear();
  return std::make_shared<trace::OmlTracer>(
      *interpreter_, scopes_.back(), home_, std::move(place),
      [interpreter = interpreter_](const oml::Environment& scope, const std::string& name) {
        return api::name_help(*interpreter, scope, name);
      });
}

void OmlEvaluator::build(const std::vector<std::string>& lines, const Place& place, model::Diagram& diagram,
                         Diagnostics& diagnostics) {
  const BuildingDiagram building(*interpreter_, diagram, *scopes_.back(), lines);
  run(lines, place, diagnostics);
}

void OmlEvaluator::set(const std::string& name, compile::Value value) {
  scopes_.back()->set(name, trace::to_oml(value));
}

}  // namespace orrery::api
