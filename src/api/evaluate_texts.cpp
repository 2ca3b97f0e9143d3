// SPDX-License-Identifier: Apache-2.0
// Flattens the model with an evaluator that looks around when the scripts of the wanted diagram have run.
#include "api/evaluate_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "api/model_functions.h"
#include "compile/flatten.h"
#include "edit/operation.h"
#include "foreign/fmu_library.h"
#include "model/items.h"
#include "oml/convert.h"
#include "oml/display.h"
#include "oml/parser.h"

namespace orrery::api {
namespace {

constexpr oml::Index most_shown = 12;  // elements

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The names that a line assigns to: "a", "a(2)" or "[a, b]" before an equals sign.
std::vector<std::string> assigned_names(const std::string& line) {
  std::vector<std::string> names;
  std::size_t depth = 0, equals = std::string::npos;
  char quote = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '%' || c == '#') break;
    if (c == '"') quote = c;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    const bool compares = (k + 1 < line.size() && line[k + 1] == '=') ||
                          (k > 0 && std::string_view("=<>~!").find(line[k - 1]) != std::string_view::npos);
    if (c == '=' && depth == 0 && !compares) {
      equals = k;
      break;
    }
  }
  if (equals == std::string::npos) return names;
  std::size_t k = line.find_first_not_of(" \t");
  const bool several = line[k] == '[';
  std::size_t inner = 0;
  for (; k < equals; ++k) {
    const char c = line[k];
    if (c == '(' || c == '{') ++inner;
    if ((c == ')' || c == '}') && inner > 0) --inner;
    if (inner > 0 || !starts_name(c) || (k > 0 && (in_name(line[k - 1]) || line[k - 1] == '.'))) continue;
    std::size_t end = k;
    while (end < equals && in_name(line[end])) ++end;
    names.push_back(line.substr(k, end - k));
    if (!several) break;
    k = end - 1;
  }
  return names;
}

// Hands everything on; when the scripts of one diagram have run it calls `look`, once.
class LookingEvaluator final : public compile::Evaluator {
 public:
  LookingEvaluator(OmlEvaluator& evaluator, std::string diagram, std::function<void()> look)
      : inner_(evaluator), diagram_(std::move(diagram)), look_(std::move(look)) {}

  bool looked() const { return looked_; }
  const std::vector<std::string>& mask() const { return mask_; }

  void push_scope(const std::vector<compile::GivenVariable>& variables, Diagnostics& diagnostics) override {
    inner_.push_scope(variables, diagnostics);
    if (looked_) return;
    mask_.clear();
    for (const compile::GivenVariable& variable : variables) mask_.push_back(variable.name);
  }
  void pop_scope() override { inner_.pop_scope(); }
  void run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) override {
    inner_.run(lines, place, diagnostics);
    if (looked_ || place.port != "context" || place.block != diagram_) return;
    looked_ = true;
    look_();
  }
  void pin(const std::string& name, std::string_view text, const Place& place, Diagnostics& diagnostics) override {
    inner_.pin(name, text, place, diagnostics);
  }
  std::optional<compile::Value> evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) override {
    return inner_.evaluate(text, place, diagnostics);
  }
  void set(const std::string& name, compile::Value value) override { inner_.set(name, std::move(value)); }
  void build(const std::vector<std::string>& lines, const Place& place, model::Diagram& diagram,
             Diagnostics& diagnostics) override {
    inner_.build(lines, place, diagram, diagnostics);
  }
  std::shared_ptr<const blocks::Tracer> tracer() override { return inner_.tracer(); }
  std::shared_ptr<program::ParameterSpace> parameter_space() override { return inner_.parameter_space(); }

 private:
  OmlEvaluator& inner_;
  std::string diagram_;
  std::function<void()> look_;
  bool looked_ = false;
  std::vector<std::string> mask_;
};

struct Look {
  bool reached = false;
  std::vector<std::string> mask;
};

// Runs the scripts up to the diagram, with other lines where the request has some, and calls `look` in its scope.
Look look_inside(const model::Model& original, const TextsRequest& request, OmlEvaluator& evaluator,
                 const std::function<void()>& look, Diagnostics& problems) {
  model::Model model = model::copy_of(original);
  model::Diagram* diagram = edit::diagram_at(model, request.diagram);
  if (diagram == nullptr) return {};
  if (request.context) diagram->context = *request.context;
  if (request.initialization) model.initialization = *request.initialization;
  diagram->context.push_back("% the end");  // a diagram without a context is looked into as well
  evaluator.begin_run(1);
  const CurrentModel current(evaluator.interpreter(), model.file);
  if (!model.initialization.empty())
    evaluator.run(model.initialization, {model.file, 1, 0, {}, "initialization"}, problems);
  diagram->context_line = 1;
  LookingEvaluator looking(evaluator, request.diagram, look);
  compile::Services services{std::make_shared<foreign::FmuLibrary>(model.file, evaluator.consent())};
  services.consent = evaluator.consent();
  services.share_units = false;  // each diagram is opened, also the one that is looked into
  Diagnostics found;
  compile::flatten(model, looking, services, found);
  for (const Diagnostic& diagnostic : found.all()) {
    if (diagnostic.place.port == "context" && diagnostic.place.block == request.diagram) problems.add(diagnostic);
  }
  return {looking.looked(), looking.mask()};
}

}  // namespace

ShownValue shown(const oml::Value& value) {
  ShownValue result;
  result.type = value.class_name();
  const auto dims = value.dims();
  result.rows = static_cast<int>(std::min<oml::Index>(dims.rows(), INT_MAX));
  result.cols = static_cast<int>(std::min<oml::Index>(dims.cols(), INT_MAX));
  if (value.is_text() && dims.rows() <= 1) {
    result.text = "'" + oml::to_string(value) + "'";
    if (result.text.size() > 60) result.text = result.text.substr(0, 57) + "...";
    return result;
  }
  const bool small = dims.numel() <= most_shown && dims.count() == 2;
  if (value.is_arithmetic() && !value.is_complex() && small) {
    const std::vector<double> numbers = oml::to_vector(value);
    std::string text;
    for (oml::Index i = 0; i < dims.rows(); ++i) {
      if (i > 0) text += "; ";
      for (oml::Index j = 0; j < dims.cols(); ++j) {
        if (j > 0) text += " ";
        text += oml::format_number(numbers[static_cast<std::size_t>(i + j * dims.rows())], {});
      }
    }
    result.text = dims.numel() == 1 ? text : "[" + text + "]";
    return result;
  }
  result.text = fmt::format("{}x{} {}", dims.rows(), dims.cols(), result.type);
  return result;
}

TextsResult evaluate_texts(const model::Model& model, const TextsRequest& request, Consent consent,
                           const ScriptLimits& limits) {
  TextsResult result;
  result.values.resize(request.texts.size());
  result.errors.resize(request.texts.size());
  OmlEvaluator evaluator(std::move(consent), limits);
  const auto look = [&] {
    const std::shared_ptr<oml::Environment>& scope = evaluator.scope();
    for (std::size_t k = 0; k < request.texts.size(); ++k) {
      const auto value = evaluator.interpreter().evaluate(scope, request.texts[k], result.errors[k]);
      if (value) result.values[k] = shown(*value);
    }
    for (const std::string& name : scope->names()) {
      const oml::Value* value = scope->get(name);
      if (value != nullptr && !name.starts_with("__")) result.variables.push_back({name, 0, false, shown(*value)});
    }
  };
  const Look seen = look_inside(model, request, evaluator, look, result.problems);
  result.reached = seen.reached;
  const model::Diagram* diagram = edit::diagram_at(model, request.diagram);
  const std::vector<std::string> none;
  const std::vector<std::string>& lines = request.context ? *request.context : diagram ? diagram->context : none;
  for (ShownVariable& variable : result.variables) {
    variable.of_mask = std::find(seen.mask.begin(), seen.mask.end(), variable.name) != seen.mask.end();
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const auto names = assigned_names(lines[k]);
      if (std::find(names.begin(), names.end(), variable.name) != names.end()) variable.line = static_cast<int>(k) + 1;
    }
  }
  return result;
}

std::vector<Completion> complete_text(const model::Model& model, const std::string& diagram, const std::string& start,
                                      Consent consent, const ScriptLimits& limits) {
  std::vector<Completion> items;
  OmlEvaluator evaluator(std::move(consent), limits);
  const auto look = [&] {
    std::shared_ptr<oml::Environment> scope = evaluator.scope();
    const std::size_t dot = start.rfind('.');
    if (dot != std::string::npos) {  // fields of a struct
      Diagnostics ignored;
      const auto value = evaluator.interpreter().evaluate(scope, start.substr(0, dot), ignored);
      if (!value || !value->is_struct()) return;
      for (const std::string& key : value->structure_ref().keys) {
        if (key.starts_with(start.substr(dot + 1))) items.push_back({key, "field", ""});
      }
      return;
    }
    for (; scope; scope = scope->parent) {
      for (const std::string& name : scope->names()) {
        const oml::Value* value = scope->get(name);
        if (name.starts_with(start) && !name.starts_with("__") && value != nullptr)
          items.push_back({name, "variable", shown(*value).text});
      }
    }
  };
  Diagnostics ignored;
  look_inside(model, {diagram, {}, {}, {}}, evaluator, look, ignored);
  if (start.find('.') != std::string::npos) return items;
  for (const oml::BuiltinFamily& family : evaluator.interpreter().families()) {
    for (const oml::Builtin& builtin : family) {
      const std::string_view help = builtin.help;
      if (std::string_view(builtin.name).starts_with(start))
        items.push_back({builtin.name, "function", std::string(help.substr(0, help.find('\n')))});
    }
  }
  std::sort(items.begin(), items.end(), [](const Completion& a, const Completion& b) { return a.label < b.label; });
  const auto same = [](const Completion& a, const Completion& b) { return a.label == b.label; };
  items.erase(std::unique(items.begin(), items.end(), same), items.end());
  return items;
}

}  // namespace orrery::api
