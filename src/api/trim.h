// SPDX-License-Identifier: Apache-2.0
// Points of rest of a diagram, or of a super block of it (Activate, chapter 7).
#pragma once

#include "analyse/rest_point.h"
#include "api/linear_question.h"

namespace orrery::api {

// A text names what it speaks of: a state ("/Plant/Speed.x"), an input ("u"), an output or a variable of the context;
// one element of several is written as "/Plant/Speed.x[2]".
struct TrimRequest {
  LinearisationRequest where;
  std::vector<std::string> free;     // inputs and variables that may change: "u", "u=3" begins at 3
  std::vector<std::string> fixed;    // states that keep their values: "/Height.x", "/Height.x=100"
  std::vector<std::string> moving;   // states whose rates do not matter
  std::vector<std::string> wanted;   // values of outputs, or rates of states: "y=3", "/Height.x=1.5"
  std::vector<std::string> between;  // bounds of what may change: "u=0:10"
  double tolerance = 1e-9;
};

struct TrimResult {
  struct Item {
    std::string name;
    double value = 0;
    double left = 0;       // states: the rate; outputs: what is missing
    bool changed = false;  // it was free
    bool matters = false;  // it was to be at rest, or to have a value
  };
  std::vector<Item> states, inputs, outputs, variables;
  bool reached = false;
  double residual = 0;
  int iterations = 0;
  double time = 0;
};

std::optional<TrimResult> trim(const TrimRequest& request, Diagnostics& diagnostics);
std::string trim_text(const TrimResult& result);
std::string trim_json(const TrimResult& result);

// All states inside change until they rest; an error when they cannot.
std::optional<analyse::RestPoint> rest_of_states(const ModelAtPoint& model, Diagnostics& diagnostics);

// vssEquilibriumPointSuperBlock: variables of the context such that mixes of rates and outputs are zero. The states are
// those that the variables give them at the start.
struct EquilibriumRequest {
  LinearisationRequest where;
  std::vector<sim::ParameterSetting> variables;          // and where the search begins
  std::optional<math::RealMatrix> rate_mix, output_mix;  // a single number stands for all; nothing: left out
  std::function<void(const std::vector<double>& values, const std::vector<double>& left)> tried;
};
struct Equilibrium {
  std::vector<sim::ParameterSetting> variables;
  std::vector<double> left;        // by row of the mixes
  std::vector<std::string> names;  // of the rates and outputs that are not zero
  bool reached = false;
};
std::optional<Equilibrium> find_equilibrium(model::Model model, const EquilibriumRequest& request,
                                            const std::shared_ptr<OmlEvaluator>& evaluator, Diagnostics& diagnostics);

}  // namespace orrery::api
