// SPDX-License-Identifier: Apache-2.0
// What a search is to find: the variables of a specification with start values and bounds.
#pragma once

#include <optional>
#include <vector>

#include "api/optimise_spec.h"

namespace orrery::api {

// One after the other, element by element.
struct Unknowns {
  std::vector<VariedVariable> variables;
  std::vector<double> start, low, high;
};

// Nothing, and located diagnostics, where a start or a bound makes no sense.
std::optional<Unknowns> unknowns_of(const OptimiseSpec& spec, const model::Model& model, const RunRequest& run,
                                    Diagnostics& diagnostics);

}  // namespace orrery::api
