// SPDX-License-Identifier: Apache-2.0
// Checks the model structure: unknowns that must be listed and what they may depend on (FMI 2.0: 2.2.8; 3.0: 2.4.8).
#include <fmt/format.h>

#include <algorithm>

#include "fmi/description_checker.h"

namespace orrery::fmi {

void DescriptionChecker::check_structure() {
  if (!d_.has_structure) return;  // the schema says so
  check_outputs();
  check_derivatives();
  check_initial_unknowns();
  for (const Unknown& unknown : d_.outputs) check_dependencies(unknown, false);
  for (const Unknown& unknown : d_.derivatives) check_dependencies(unknown, false);
  for (const Unknown& unknown : d_.event_indicators) check_dependencies(unknown, false);
  for (const Unknown& unknown : d_.initial_unknowns) check_dependencies(unknown, true);
}

void DescriptionChecker::check_outputs() {
  std::unordered_set<std::size_t> listed;
  for (const Unknown& unknown : d_.outputs) {
    const Variable& v = d_.variables[unknown.variable];
    if (!listed.insert(unknown.variable).second) {
      violation("structure", v, "listed as an output twice", section_.structure);
    }
    if (v.causality != Causality::output) {
      violation("structure", v, "listed as an output, but it is none", section_.structure);
    }
  }
  for (std::size_t k = 0; k < d_.variables.size(); ++k) {
    const Variable& v = d_.variables[k];
    if (v.causality == Causality::output && !listed.contains(k)) {
      violation("structure", v, "this output is missing from the model structure", section_.structure);
    }
  }
}

void DescriptionChecker::check_derivatives() {
  std::unordered_set<std::size_t> listed;
  for (const Unknown& unknown : d_.derivatives) {
    const Variable& v = d_.variables[unknown.variable];
    if (!listed.insert(unknown.variable).second) {
      violation("structure", v, "listed as a derivative twice", section_.structure);
    }
    if (v.state_of == no_index) {
      violation("structure", v, "listed as a derivative, but it does not say of which state", section_.structure);
      continue;
    }
    const Variable& x = d_.variables[v.state_of];
    const bool proper = x.variability == Variability::continuous &&
                        (x.causality == Causality::local || x.causality == Causality::output);
    if (!proper) violation("structure", x, "a state is continuous, and local or an output", section_.structure);
    if (element_count(d_, v) != element_count(d_, x)) {
      violation("structure", v, fmt::format("the derivative of {} has another size", x.name), section_.structure);
    }
  }
}

void DescriptionChecker::check_initial_unknowns() {
  std::unordered_set<std::size_t> derivatives, listed;
  for (const Unknown& unknown : d_.derivatives) derivatives.insert(unknown.variable);
  std::size_t before = 0;
  for (const Unknown& unknown : d_.initial_unknowns) {
    const Variable& v = d_.variables[unknown.variable];
    if (!listed.insert(unknown.variable).second) {
      violation("structure", v, "listed as an initial unknown twice", section_.structure);
    } else if (d_.version == Version::fmi2 && unknown.variable < before) {
      violation("structure", v, "initial unknowns are not in the order of the variables", section_.structure);
    }
    before = unknown.variable;
  }
  for (std::size_t k = 0; k < d_.variables.size(); ++k) {
    const Variable& v = d_.variables[k];
    if (v.alias != Alias::none || v.type == Type::clock || !v.clocks.empty()) continue;
    const Initial initial = initial_of(v);
    const bool computed = initial == Initial::approx || initial == Initial::calculated;
    const bool required = v.causality == Causality::calculated_parameter ||
                          (computed && (v.causality == Causality::output || is_state(k) || derivatives.contains(k)));
    if (required && !listed.contains(k)) {
      violation("structure", v, "this initial unknown is missing from the model structure", section_.structure);
    }
    if (!computed && listed.contains(k)) {
      violation("structure", v, "listed as an initial unknown, but its value is given", section_.structure);
    }
  }
}

void DescriptionChecker::check_dependencies(const Unknown& unknown, bool initial) {
  const Variable& v = d_.variables[unknown.variable];
  if (!unknown.dependency_kinds.empty() &&
      (!unknown.dependencies || unknown.dependencies->size() != unknown.dependency_kinds.size())) {
    violation("structure", v, "dependenciesKind and dependencies have different lengths", section_.structure);
  }
  if (!unknown.dependencies) return;
  std::unordered_set<std::size_t> seen;
  bool ordered = true;
  std::size_t before = 0;
  for (const std::size_t k : *unknown.dependencies) {
    const Variable& known = d_.variables[k];
    if (!seen.insert(k).second) {
      violation("structure", v, fmt::format("dependency {} is listed twice", known.name), section_.structure);
    }
    ordered = ordered && k >= before;
    before = k;
    if (d_.version != Version::fmi2) continue;
    const bool proper = known.causality == Causality::input || known.causality == Causality::independent ||
                        (initial ? initial_of(known) == Initial::exact : is_state(k));
    if (!proper) {
      violation("structure", v,
                fmt::format("{} is not among what {} can depend on", known.name,
                            initial ? "an initial unknown" : "an output or derivative"),
                section_.structure);
    }
  }
  if (!ordered && d_.version == Version::fmi2) {
    violation("structure", v, "dependencies are not in the order of the variables", section_.structure);
  }
}

}  // namespace orrery::fmi
