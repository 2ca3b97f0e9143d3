// SPDX-License-Identifier: Apache-2.0
// Settings no integrator can work with.
#include "solve/step_rules.h"

#include <fmt/format.h>

#include "base/check.h"

namespace orrery::solve {

namespace {

bool negative_or_not_finite(double value) { return !(value >= 0) || std::isinf(value); }

}  // namespace

std::optional<Failure> check_settings(const SolverInfo& info, const Problem& problem) {
  const auto bad = [](std::string message, int state = -1) {
    return Failure{FailureCode::bad_solver_setting, std::move(message), state, 0};
  };
  const Tolerance& tolerance = problem.tolerance;
  const StepLimits& limits = problem.limits;
  const Projection& projection = problem.projection;
  if (!info.projects && (projection.correction != nullptr || projection.residual != nullptr)) {
    return bad(
        fmt::format("{} cannot keep the constraints of the model; radau, dopri and cvode-bdf-newton can", info.name));
  }
  if (info.fixed_step) {
    if (!(limits.fixed > 0) || std::isinf(limits.fixed)) {
      return bad(fmt::format("{} needs a fixed step greater than zero, not {}", info.name, limits.fixed));
    }
    return std::nullopt;
  }
  const auto& each = tolerance.absolute_per_state;
  ORRERY_CHECK(each.empty() || each.size() == static_cast<std::size_t>(problem.n));
  if (negative_or_not_finite(tolerance.relative)) {
    return bad(fmt::format("the relative tolerance must be a number not below zero, not {}", tolerance.relative));
  }
  for (int i = 0; i < problem.n; ++i) {
    const double absolute = each.empty() ? tolerance.absolute : each[i];
    if (negative_or_not_finite(absolute)) {
      return bad(fmt::format("an absolute tolerance must be a number not below zero, not {}", absolute), i);
    }
    if (absolute == 0 && tolerance.relative == 0) {
      return bad("the relative and the absolute tolerance cannot both be zero", i);
    }
  }
  for (const double value : {limits.initial, limits.minimum}) {
    if (negative_or_not_finite(value)) return bad(fmt::format("a step size cannot be {}", value));
  }
  if (!(limits.maximum >= 0)) return bad(fmt::format("the largest step cannot be {}", limits.maximum));
  if (limits.maximum > 0 && limits.minimum > limits.maximum) {
    return bad(fmt::format("the smallest step, {}, is above the largest, {}", limits.minimum, limits.maximum));
  }
  return std::nullopt;
}

}  // namespace orrery::solve
