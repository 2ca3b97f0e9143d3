// SPDX-License-Identifier: Apache-2.0
// Diagram to Program: evaluate, flatten, infer, build, activate, schedule, lower.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "compile/evaluator.h"
#include "model/model.h"
#include "program/program.h"

namespace orrery::compile {

struct Override {
  std::string name;        // a variable of the top context
  std::string expression;  // OML
};

struct CompileOptions {
  bool fixed_step = false;          // for a fixed-step solver: no modes, no shadow states
  std::vector<std::string> watch;   // further signals to record: "/Plant/Mass", "/Plant/Mass:2", or without the slash
  std::vector<Override> overrides;  // --set
  program::GraphOptions graph;      // tests switch folding and sharing off
};

// Numbers of the model's "simulation" section; nothing where the model is silent.
struct EvaluatedSettings {
  std::optional<double> start, stop, rtol, atol, hmax, hmin, hinit, step, time_tolerance, zero_threshold;
  std::string solver;  // empty: auto
};

// Evaluates the settings in the top context. Call before compile(): the solver decides fixed_step.
std::optional<EvaluatedSettings> evaluate_settings(const model::Model& model, Evaluator& evaluator,
                                                   const std::vector<Override>& overrides, Diagnostics& diagnostics);

// Nothing when there was an error. Warnings alone do not stop it.
std::optional<program::Program> compile(const model::Model& model, Evaluator& evaluator, const CompileOptions& options,
                                        Diagnostics& diagnostics);

}  // namespace orrery::compile
