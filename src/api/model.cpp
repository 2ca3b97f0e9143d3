// SPDX-License-Identifier: Apache-2.0
// Opening models, their settings and variables, compiling them.
#include "api/model.h"

#include "api/compiled_data.h"
#include "api/oml_evaluator.h"
#include "api/prepare.h"
#include "model/model.h"

namespace orrery::api {
namespace {

TierChoice tier_of(NativeCode native) {
  return native == NativeCode::first    ? TierChoice::first
         : native == NativeCode::second ? TierChoice::second
                                        : TierChoice::automatic;
}

RunRequest request_of(const CompileOptions& options, const std::string& file) {
  RunRequest request;
  request.file = file;
  request.vary = options.vary;
  for (const Setting& variable : options.set) request.overrides.push_back({variable.name, variable.text});
  request.signals = options.probes;
  request.also = options.also;
  request.keep_signals = options.keep_signals;
  request.counter = options.counter;
  request.tier = tier_of(options.native);
  request.allow = options.allow;
  request.script_seconds = options.script_seconds;
  request.exec = options.exec;
  request.interrupt = options.cancel;
  return request;
}

// A variable that the model does not have cannot be varied.
bool check_varied(const CompileOptions& options, const CompiledData& data, const std::string& file,
                  Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  for (const std::string& name : options.vary) {
    const auto same = [&](const ParameterInfo& parameter) { return parameter.name == name; };
    if (std::any_of(data.parameters.begin(), data.parameters.end(), same)) continue;
    diagnostics.error("unknown-parameter", {file, 0, 0, {}, {}},
                      "the model has no variable " + name + " that could be varied",
                      "a matrix of real numbers in the initialization or the top context can be");
  }
  return diagnostics.error_count() == errors;
}

}  // namespace

Model::Model(std::unique_ptr<model::Model> model) : model_(std::move(model)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

std::optional<Model> Model::open(const std::string& file, Diagnostics& diagnostics) {
  auto model = open_model(file, diagnostics);
  if (!model) return std::nullopt;
  return Model(std::make_unique<model::Model>(std::move(*model)));
}

std::optional<Model> Model::read(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  auto model = read_model(text, file, diagnostics);
  if (!model) return std::nullopt;
  return Model(std::make_unique<model::Model>(std::move(*model)));
}

const std::string& Model::name() const { return model_->name; }
const std::string& Model::file() const { return model_->file; }

std::vector<Setting> Model::settings() const {
  std::vector<Setting> list;
  for (auto& [name, text] : settings_of(*model_)) list.push_back({name, text});
  return list;
}

bool Model::set(const std::string& setting, const std::string& text) { return change_setting(*model_, setting, text); }

std::string Model::text() const { return model::write(*model_); }

bool Model::save(const std::string& file, Diagnostics& diagnostics) const {
  return model::save(*model_, file, diagnostics);
}

std::vector<ParameterInfo> Model::variables(Diagnostics& diagnostics) const {
  OmlEvaluator evaluator(Consent::of_model(model_->file, {}));
  const int errors = diagnostics.error_count();
  const std::string& file = model_->file;
  const auto run = [&](const std::vector<std::string>& lines, int line, const char* what) {
    if (!lines.empty()) evaluator.run(lines, {file, line, 0, {}, what}, diagnostics);
  };
  run(model_->initialization, model_->initialization_line, "initialization");
  run(model_->root.context, model_->root.context_line, "context");
  std::vector<ParameterInfo> variables;
  if (diagnostics.error_count() > errors) return variables;
  for (OmlEvaluator::Variable& variable : evaluator.variables()) {
    variables.push_back({variable.name, {variable.rows, variable.cols, "double"}, {}, std::move(variable.values), {}});
  }
  return variables;
}

std::optional<CompiledModel> Model::compile(Diagnostics& diagnostics) const { return compile({}, diagnostics); }

std::optional<CompiledModel> Model::compile(const CompileOptions& options, Diagnostics& diagnostics) const {
  const RunRequest request = request_of(options, model_->file);
  auto data = std::make_shared<CompiledData>();
  warn_of_unused(request, *model_, data->diagnostics);
  auto prepared = options.after != nullptr && options.after->data_->evaluator
                      ? prepare(*model_, request, options.after->data_->evaluator, data->diagnostics)
                      : prepare(*model_, request, data->diagnostics);
  if (prepared) {
    data->name = model_->name;
    data->options = run_options(request, prepared->settings);
    data->options.open_foreign = prepared->open_foreign;
    data->options.name = model_->name;
    data->options.interrupt = nullptr;
    data->evaluator = prepared->evaluator;
    data->recorded = prepared->recorded;
    data->figures = std::move(prepared->figures);
    data->compiled =
        sim::CompiledProgram::create(std::move(prepared->program), data->options.native, data->diagnostics);
    if (data->compiled) describe(*data);
  }
  const bool good = data->compiled && check_varied(options, *data, model_->file, data->diagnostics);
  for (const Diagnostic& diagnostic : data->diagnostics.all()) diagnostics.add(diagnostic);
  if (!good) return std::nullopt;
  return CompiledModel(std::move(data));
}

}  // namespace orrery::api
