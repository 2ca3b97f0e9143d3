// SPDX-License-Identifier: Apache-2.0
// The list of DAE solvers and the one place that makes them.
#include "base/check.h"
#include "solve/dae_families.h"
#include "solve/solver_names.h"

namespace orrery::solve {

const std::vector<SolverInfo>& dae_solvers() {
  static const std::vector<SolverInfo> list = with_options({
      {.name = "ida",
       .title = "IDA, variable-order BDF",
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .multistep = true,
       .projects = false,
       .order = 5,
       .summary = "Variable step and order with direct matrices. The choice for implicit models."},
      {.name = "daskr",
       .title = "IDA with Krylov iteration",
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .multistep = true,
       .projects = false,
       .order = 5,
       .summary = "Variable step and order; IDA with preconditioned SPGMR, as in DASKR, its ancestor."},
      {.name = "radau",
       .title = "Radau IIA of orders 5, 9 and 13",
       .aliases = {"radau-iia", "radau5", "radau13"},
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .projects = false,
       .order = 13,
       .summary = "Variable step and order, single step; for M x' = f(t, x) with a constant, perhaps singular M."},
      {.name = "sdirk",
       .title = "SDIRK of order 4",
       .aliases = {"sdirk4"},
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .projects = false,
       .order = 4,
       .summary =
           "Variable step, single step, moderate accuracy; for M x' = f(t, x) with a constant, perhaps singular M."},
  });
  return list;
}

const SolverInfo* find_dae_solver(std::string_view name) { return find_by_name(dae_solvers(), name); }

std::unique_ptr<DaeIntegrator> make_dae_integrator(const SolverInfo& info, DaeProblem problem) {
  ORRERY_CHECK(problem.n > 0);
  if (info.name == "radau") return make_radau_dae(info, std::move(problem));
  if (info.name == "sdirk") return make_sdirk_dae(info, std::move(problem));
  return make_ida(info, std::move(problem));
}

}  // namespace orrery::solve
