// SPDX-License-Identifier: Apache-2.0
// The text of `orrery optimise`: a model, variables with bounds, what is to be least or to be fitted, and how.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/repeated_runs.h"
#include "base/diagnostic.h"

namespace orrery::api {

struct OptimiseSpec {
  struct Variable {
    std::string name;
    std::optional<std::string> start;  // nothing: what the model has
    std::string low = "-Inf", high = "Inf";
    int line = 0;
  };
  struct Constraint {
    std::string text;        // as it was written
    std::string expression;  // not above zero, or zero
    bool equal = false;
    int line = 0;
  };
  struct Fit {
    std::string signal, column;
    double weight = 1;
    int line = 0;
  };
  struct Experiment {
    std::string file;
    std::vector<compile::Override> sets;  // variables of the model in this experiment alone
    int line = 0;
  };

  std::string file, text;  // the specification itself
  Consent consent;         // of the specification: what its texts may, and which files they may name
  std::string model;       // path, from the folder of the file
  int model_line = 0, script_line = 0;
  std::vector<compile::Override> sets;
  std::vector<std::pair<std::string, std::string>> settings;  // of the simulation
  std::vector<Variable> variables;
  std::string script,
      script_text;        // OML whose functions objective and constraints may call: its file, and what it says
  std::string objective;  // to be least
  int objective_line = 0;
  bool maximise = false;
  std::vector<Constraint> constraints;
  std::vector<Fit> fits;
  std::vector<Experiment> experiments;
  std::string method;  // empty: what suits the question
  int method_line = 0;
  double tolerance = 1e-8;
  int evaluations = 2000;
  int population = 0;
  unsigned seed = 1;
};

// Nothing, and located diagnostics, where a line makes no sense. A specification is data as a model is: it computes,
// and names files below its folder, unless more is allowed.
std::optional<OptimiseSpec> read_optimise_spec(const std::string& file, Capabilities allowed, Diagnostics& diagnostics);
// Without the files that it names.
std::optional<OptimiseSpec> parse_optimise_spec(const std::string& text, const std::string& file,
                                                Diagnostics& diagnostics);
// A file that the specification names, from its folder.
std::string file_of(const OptimiseSpec& spec, const std::string& path);

}  // namespace orrery::api
