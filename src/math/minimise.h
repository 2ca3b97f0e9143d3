// SPDX-License-Identifier: Apache-2.0
// Minima of functions of several variables, with bounds and constraints, with or without derivatives.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "math/matrix.h"

namespace orrery::math {

enum class MinimiseMethod : std::uint8_t {
  sqp,      // sequential quadratic programming (Kraft 1988); bounds, constraints, uses gradients
  bobyqa,   // quadratic models in a trust region (Powell 2009); bounds, no gradients
  cobyla,   // linear models in a trust region (Powell 1994); bounds, constraints, no gradients
  simplex,  // Nelder and Mead on subspaces (Rowan 1990); bounds, no gradients
  crs,      // controlled random search (Kaelo and Ali 2006); global, bounds
  genetic,  // real-coded, constraints outrank the objective (Deb 2000); global, bounds, constraints
  cma,      // covariance matrix adaptation (Hansen 2016); global, bounds, constraints as genetic
};

struct MethodInfo {
  MinimiseMethod method;
  const char* name;
  bool constraints, gradients, global;
  const char* about;
};
const std::vector<MethodInfo>& minimise_methods();
const MethodInfo& info_of(MinimiseMethod method);
std::optional<MinimiseMethod> find_minimise_method(std::string_view name);

// What callbacks throw ends the search and is thrown on.
struct MinimiseProblem {
  std::vector<double> low, high;  // infinite where there is none
  std::function<double(const std::vector<double>& x)> objective;
  // Nothing: by central differences, which keep the bounds.
  std::function<std::vector<double>(const std::vector<double>& x)> gradient = {};
  // Not above zero, and zero; their number must not change. A row of the Jacobian for each.
  std::function<std::vector<double>(const std::vector<double>&x)> inequalities = {}, equalities = {};
  std::function<RealMatrix(const std::vector<double>&x)> inequality_jacobian = {}, equality_jacobian = {};
};

struct MinimiseOptions {
  MinimiseMethod method = MinimiseMethod::sqp;
  double step_tolerance = 1e-9;  // relative change of x
  double least_radius = 0;       // absolute change of x: the last radius of a trust region; 0: none
  double value_tolerance = 1e-12;
  double constraint_tolerance = 1e-8;
  double first_radius = 0;  // of the first step; 0: from bounds and start
  int evaluations = 10000;
  int population = 0;  // of global methods; 0: from the number of variables
  unsigned seed = 1;
};

enum class MinimiseEnd : std::uint8_t { converged, limit, failed };

struct Minimum {
  std::vector<double> x;
  double value = 0;
  double violation = 0;  // of the worst constraint
  MinimiseEnd end = MinimiseEnd::failed;
  int evaluations = 0;  // of the objective, those for differences too
};

// The best point that was found near x (global methods: anywhere within the bounds).
Minimum minimise(const MinimiseProblem& problem, std::vector<double> x, const MinimiseOptions& options);

// How far the worst constraint is from being kept; 0: all are.
double violation_of(const MinimiseProblem& problem, const std::vector<double>& x);

// By differences where the problem has no derivatives of its own.
std::vector<double> gradient_of(const MinimiseProblem& problem, const std::vector<double>& x);

}  // namespace orrery::math
