// SPDX-License-Identifier: Apache-2.0
// The chain rule along the solution, in the place of what blocks wrote.
#include "compile/fill_rates.h"

#include <algorithm>

#include "passes/rates_along_solution.h"
#include "passes/slice.h"
#include "passes/substitute.h"

namespace orrery::compile {

void fill_rates(program::Program& program, std::vector<SignalRate>& rates) {
  if (rates.empty()) return;
  std::vector<program::ExprId> values;
  for (const SignalRate& rate : rates) values.push_back(rate.value);
  const std::vector<passes::Rates> formulas = passes::rates_along_solution(program, values);
  passes::Substitution known(program.graph);
  std::vector<bool> lacks(program.slots.size(), false);
  for (std::size_t k = 0; k < rates.size(); ++k) {
    rates[k].known = formulas[k].first != program::no_expr;
    if (rates[k].known) known.set(rates[k].slot, formulas[k].first);
    lacks[rates[k].slot] = !rates[k].known;
  }
  for (program::Surface& surface : program.surfaces) {
    const auto slots = passes::slots_read(program.graph, std::span(&surface.value, 1));
    const bool never =
        std::any_of(slots.begin(), slots.end(), [&](program::SlotId slot) -> bool { return lacks[slot]; });
    surface.value = never ? program.graph.constant(-1) : known.apply(surface.value);
  }
}

}  // namespace orrery::compile
