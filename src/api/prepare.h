// SPDX-License-Identifier: Apache-2.0
// From a model to a Program: what every way into the engine shares.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/oml_evaluator.h"
#include "api/session.h"

namespace orrery::api {

// Every setting with its text, empty where the model is silent; and a change of one: false, there is none of this name.
std::vector<std::pair<std::string, std::string>> settings_of(const model::Model& model);
bool change_setting(model::Model& model, const std::string& name, const std::string& text);

// The request's settings take the place of the model's own. A variable that is set but used nowhere is a slip of the
// pen.
void apply_request(const RunRequest& request, model::Model& model, Diagnostics& diagnostics);
void warn_of_unused(const RunRequest& request, const model::Model& model, Diagnostics& diagnostics);
// The variables that the request wants to vary.
std::vector<std::string> varied_variables(const RunRequest& request);
// Runs the model's scripts and compiles. The evaluator and what opens foreign objects are for the caller to add.
std::optional<Prepared> compile_model(const model::Model& model, OmlEvaluator& evaluator,
                                      const compile::Services& services, const RunRequest& request,
                                      Diagnostics& diagnostics);
// Runs the model's scripts: parameters have values, ports have types. The evaluator must outlive the result.
std::optional<compile::Evaluated> evaluate_model(const model::Model& model, const RunRequest& request,
                                                 OmlEvaluator& evaluator, Diagnostics& diagnostics);
[[nodiscard]] bool check_horizon(const model::Model& model, const sim::RunOptions& options, Diagnostics& diagnostics);
sim::RunOptions run_options(const RunRequest& request, const compile::EvaluatedSettings& settings);

}  // namespace orrery::api
