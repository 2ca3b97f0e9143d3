// SPDX-License-Identifier: Apache-2.0
// The best values of a model's variables: the least cost of a run, or the best fit to measurements.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/optimise_spec.h"
#include "io/chart.h"

namespace orrery::api {

struct OptimiseProgress {
  long simulations = 0;
  double cost = 0;  // of the best point so far
};

struct OptimiseRequest {
  std::string spec;    // file
  RunRequest run;      // what the model may do, who interrupts
  std::string kept;    // file of the points that were evaluated; empty: the specification's with .points behind it
  bool fresh = false;  // begin anew, whatever an earlier search has left
  bool differences = false;  // do not use exact gradients
  std::function<void(const OptimiseProgress&)> progress;
};

struct OptimiseResult {
  bool started = false, interrupted = false, converged = false;
  std::string method;
  std::vector<std::string> names;  // of the elements of the variables
  std::vector<double> values, low, high;
  double cost = 0;                                          // of the objective as it was written, or the sum of squares
  double violation = 0;                                     // of the worst constraint
  std::vector<std::pair<std::string, double>> constraints;  // as written, and how far beyond (positive) each is
  long simulations = 0;                                     // runs of the model in this search
  long earlier = 0;                                         // evaluations that an earlier search had made
  bool exact_gradients = false;
  std::string gradient_note;  // why not

  struct Improvement {
    long evaluation = 0;
    double cost = 0, violation = 0;
    std::vector<double> values;
  };
  std::vector<Improvement> history;
  std::vector<double> costs;  // of all evaluations in order

  // Of a fit: standard errors and 95 % intervals from the Jacobian at the solution.
  std::vector<double> errors, interval_low, interval_high;
  std::size_t measurements = 0;
  double deviation = 0;  // of weighted residuals
  struct FittedCurve {
    std::string name;
    std::vector<double> time, measured, computed;
  };
  std::vector<FittedCurve> curves;
};

OptimiseResult optimise(const OptimiseRequest& request, Diagnostics& diagnostics);

std::string optimise_text(const OptimiseResult& result);
std::string optimise_json(const OptimiseResult& result);
// Cost over evaluations, and fits with their measurements. The result must outlive the chart; `room` holds numbers.
io::Chart optimise_chart(const OptimiseResult& result, std::vector<std::vector<double>>& room);

}  // namespace orrery::api
