// SPDX-License-Identifier: Apache-2.0
// A linear model of a diagram, or of a super block of it, at a point of a run (Activate, chapter 7).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/session.h"
#include "math/matrix.h"

namespace orrery::api {

class OmlEvaluator;

struct LinearisationRequest {
  RunRequest run;  // the model, its variables and settings
  // A super block: the ports of its diagram are inputs and outputs, its states the states, and what is outside of it
  // does not answer. Empty: the whole model.
  std::string block;
  // With a super block: numbers of ports. Else names of Input and Output blocks of the top diagram, of
  // LinearisationPoint blocks, and as outputs of any block outputs. None: all ports.
  std::vector<std::string> inputs, outputs;
  std::optional<double> at;  // simulated time; nothing: the start
  bool equilibrium = false;  // at the point of rest nearest to there: states change, inputs keep their values
  bool hold = false;         // what events have left counts as constant, whatever reads it
  bool continuous = false;   // a model that is a sampled system is an error
};

// x' = a x + b u, y = c x + d u for small deviations from the point; or x(k+1) = a x(k) + b u(k), y(k) = c x(k) + d
// u(k) where a clock changes what rates and outputs depend on. States are then those just before the instants, outputs
// those just after them; inputs are held.
struct LinearisedModel {
  double time = 0;
  double period = 0;  // 0: of continuous time
  // Several rates: within a period, inputs and outputs are those of each of these instants, one after the other.
  std::vector<double> instants;
  std::vector<std::string> states, inputs, outputs;  // by element
  math::RealMatrix a, b, c, d;
  std::vector<double> state_values, rates, input_values, output_values;  // at the point
  bool exact = true;  // false: by extrapolated differences, as some function has no derivative
};

// Nothing when there was an error.
std::optional<LinearisedModel> linearise(const LinearisationRequest& request, Diagnostics& diagnostics);
// The same for a model that is there already. With an evaluator, its texts are evaluated within a script that runs.
std::optional<LinearisedModel> linearise(model::Model model, const LinearisationRequest& request,
                                         const std::shared_ptr<OmlEvaluator>& evaluator, Diagnostics& diagnostics);

}  // namespace orrery::api
