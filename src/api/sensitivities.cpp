// SPDX-License-Identifier: Apache-2.0
// Checks that variables can be differentiated by, and lets the pass do it.
#include "api/sensitivities.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/add_sensitivities.h"
#include "passes/compute_at_start.h"
#include "trace/parameter_value.h"

namespace orrery::api {
namespace {

bool check(const std::string& name, const Place& place, const program::Program& program, Diagnostics& diagnostics) {
  const auto same = [&](const program::Parameter& parameter) { return parameter.name == name; };
  const auto found = std::find_if(program.parameters.begin(), program.parameters.end(), same);
  if (found == program.parameters.end() || !program.slots[found->slot].type.is_scalar()) {
    diagnostics.error("no-sensitivity", place,
                      fmt::format("{}: there is no variable of this name with a real number as value", name),
                      "name a variable of the initialization or of the top context, or an exposable parameter");
    return false;
  }
  for (const program::NumberUse& use : found->fixed_by) {
    diagnostics.error("no-sensitivity", use.place, fmt::format("{}: {}", name, use.reason),
                      "sizes, choices, conditions of scripts and times of clocks cannot be differentiated by");
  }
  return found->fixed_by.empty();
}

}  // namespace

bool add_sensitivities(const model::Model& model, const RunRequest& request, const trace::ParameterHome& parameters,
                       program::Program& program, Diagnostics& diagnostics) {
  const Place place{model.file, 0, 0, {}, {}};
  if (program.fixed_step) {
    diagnostics.error("no-sensitivity", place, "a fixed-step solver does not locate the events sensitivities jump at",
                      "choose a solver with variable steps");
    return false;
  }
  bool ok = true;
  for (const std::string& name : request.sensitivities) ok = check(name, place, program, diagnostics) && ok;
  if (!ok) return false;
  if (!passes::add_sensitivities(program, request.sensitivities)) {
    diagnostics.error("no-sensitivity", place, "a formula that depends on the variables has no derivative",
                      "foreign code without derivatives and complex numbers cannot be differentiated");
    return false;
  }
  passes::compute_at_start(program);
  std::vector<std::string>& differenced = program.sensitivities.differenced;
  differenced = trace::differenced_computations(program, parameters);
  if (!differenced.empty()) {
    diagnostics
        .warning("sensitivity-by-differences", place,
                 fmt::format("the derivatives of {} are extrapolated differences of that function alone",
                             fmt::join(differenced, ", ")),
                 "nothing to do: all other derivatives are exact")
        .severity = Severity::note;
  }
  return true;
}

}  // namespace orrery::api
