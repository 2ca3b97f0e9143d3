// SPDX-License-Identifier: Apache-2.0
// Names of the explicit Runge–Kutta methods to driver and table.
#include "base/check.h"
#include "solve/butcher_tables.h"
#include "solve/dormand_prince_853.h"
#include "solve/families.h"
#include "solve/runge_kutta_adaptive.h"
#include "solve/runge_kutta_fixed.h"

namespace orrery::solve {

std::unique_ptr<Integrator> make_runge_kutta(const SolverInfo& info, Problem problem) {
  const std::string& name = info.name;
  if (name == "dopri") return std::make_unique<AdaptiveRungeKutta<DormandPrince>>(info, std::move(problem));
  if (name == "dopri853") return std::make_unique<AdaptiveRungeKutta<DormandPrince853>>(info, std::move(problem));
  if (name == "cash-karp") return std::make_unique<AdaptiveRungeKutta<CashKarp>>(info, std::move(problem));
  if (name == "euler") return std::make_unique<FixedRungeKutta<Euler>>(info, std::move(problem));
  if (name == "trapezoidal-explicit") return std::make_unique<FixedRungeKutta<Heun>>(info, std::move(problem));
  if (name == "rk4") return std::make_unique<FixedRungeKutta<Kutta4>>(info, std::move(problem));
  ORRERY_CHECK(name == "rk5");
  return std::make_unique<FixedRungeKutta<DormandPrince>>(info, std::move(problem));
}

}  // namespace orrery::solve
