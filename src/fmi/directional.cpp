// SPDX-License-Identifier: Apache-2.0
// One directional derivative and one difference.
#include "fmi/directional.h"

#include <algorithm>
#include <cmath>

#include "fmi/caller.h"

namespace orrery::fmi {

bool directional_derivatives_agree(const Description& description, Instance& instance, std::span<const double> x) {
  std::vector<ValueReference> unknowns, knowns;
  std::uint64_t rows = 0, columns = 0;
  for (const Unknown& derivative : description.derivatives) {
    unknowns.push_back(description.variables[derivative.variable].reference);
    rows += element_count(description, description.variables[derivative.variable]);
  }
  for (const std::size_t state : description.state_variables) {
    knowns.push_back(description.variables[state].reference);
    columns += element_count(description, description.variables[state]);
  }
  const std::size_t n = x.size();
  if (rows != n || columns != n) return true;
  std::vector<double> steps(n), moved(x.begin(), x.end()), before(n), after(n), product(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double size = 1e-6 * std::max(std::fabs(x[k]), 1e-3);
    steps[k] = k % 2 == 0 ? size : -0.7 * size;
    moved[k] += steps[k];
  }
  const bool offered = succeeded(instance.directional_derivative(unknowns, knowns, steps, product));
  const bool evaluated = offered && succeeded(instance.get_derivatives(before)) &&
                         succeeded(instance.set_states(moved)) && succeeded(instance.get_derivatives(after));
  if (!succeeded(instance.set_states(x)) || !offered) return false;
  if (!evaluated) return true;
  for (std::size_t k = 0; k < n; ++k) {
    const double difference = after[k] - before[k];
    const double noise = 1e-12 * std::max(1.0, std::fabs(before[k]));
    // Half of it: the point may be near a kink.
    if (std::fabs(difference - product[k]) > 0.5 * std::max(std::fabs(difference), std::fabs(product[k])) + noise) {
      return false;
    }
  }
  return true;
}

}  // namespace orrery::fmi
