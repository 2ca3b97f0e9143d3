// SPDX-License-Identifier: Apache-2.0
// The explicit Runge–Kutta methods: driver and table of each.
#include "base/check.h"
#include "solve/butcher_tables.h"
#include "solve/dormand_prince_853.h"
#include "solve/families.h"
#include "solve/runge_kutta_adaptive.h"
#include "solve/runge_kutta_fixed.h"

namespace orrery::solve {

std::unique_ptr<Integrator> make_runge_kutta(const SolverInfo& info, Problem problem) {
  switch (info.method) {
    case Method::dopri: return std::make_unique<AdaptiveRungeKutta<DormandPrince>>(info, std::move(problem));
    case Method::dopri853: return std::make_unique<AdaptiveRungeKutta<DormandPrince853>>(info, std::move(problem));
    case Method::cash_karp: return std::make_unique<AdaptiveRungeKutta<CashKarp>>(info, std::move(problem));
    case Method::euler: return std::make_unique<FixedRungeKutta<Euler>>(info, std::move(problem));
    case Method::trapezoidal_explicit: return std::make_unique<FixedRungeKutta<Heun>>(info, std::move(problem));
    case Method::rk4: return std::make_unique<FixedRungeKutta<Kutta4>>(info, std::move(problem));
    default: break;
  }
  ORRERY_CHECK(info.method == Method::rk5);
  return std::make_unique<FixedRungeKutta<DormandPrince>>(info, std::move(problem));
}

}  // namespace orrery::solve
