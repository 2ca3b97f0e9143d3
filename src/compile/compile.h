// SPDX-License-Identifier: Apache-2.0
// Diagram to Program: evaluate, flatten, infer, build, activate, schedule, lower.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "compile/evaluator.h"
#include "compile/flat_model.h"
#include "compile/services.h"
#include "model/model.h"
#include "program/program.h"

namespace orrery::compile {

struct Override {
  std::string name;        // a variable of the initialization or the top context
  std::string expression;  // OML
};

struct CompileOptions {
  bool fixed_step = false;         // for a fixed-step solver: no modes, no shadow states
  bool keep_signals = false;       // every block output can be read from outside (Program::variables)
  std::vector<std::string> watch;  // further signals to record: "/Plant/Mass", "/Plant/Mass:2", or without the slash
  // Asked once, when the sinks are known (Program::probes): signals to record besides.
  std::function<std::vector<std::string>(const program::Program&)> watch_more;
  program::GraphOptions graph;                   // tests switch folding and sharing off
  const std::atomic<bool>* interrupt = nullptr;  // once true, compiling ends without a Program and without a diagnostic

  bool interrupted() const { return interrupt != nullptr && interrupt->load(std::memory_order_relaxed); }
};

using EvaluatedSettings = model::SettingValues;

// An absolute tolerance for the states of one block.
struct EvaluatedTolerance {
  std::string block;
  double value = 0;
  int line = 0;
};

// A model after its scripts have run: everything that needs the scripting language is done.
struct Evaluated {
  EvaluatedSettings settings;
  std::vector<EvaluatedTolerance> tolerances;
  std::vector<model::InitialChoice> initial;
  FlatModel flat;                                       // parameters have values, ports have sizes and types
  std::shared_ptr<program::ParameterSpace> parameters;  // formulas of values; nullptr: all are numbers
};

// Runs the initialization and every context once, in this order; contexts may have effects that must not happen twice
// (Activate, 4.1.4). The evaluator must outlive what is compiled from the result. Nothing when there was an error.
[[nodiscard]] std::optional<Evaluated> evaluate(const model::Model& model, Evaluator& evaluator,
                                                const std::vector<Override>& overrides, Diagnostics& diagnostics,
                                                const Services& services = {});

// Nothing when there was an error. Warnings alone do not stop it.
[[nodiscard]] std::optional<program::Program> compile(const Evaluated& model, const CompileOptions& options,
                                                      Diagnostics& diagnostics);

}  // namespace orrery::compile
