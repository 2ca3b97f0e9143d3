// SPDX-License-Identifier: Apache-2.0
// The list of DAE solvers and the one place that makes them.
#include "base/check.h"
#include "solve/dae_families.h"
#include "solve/solver_names.h"

namespace orrery::solve {

namespace {

// Those of the list of all solvers that work on equations as they are, without projections.
std::vector<SolverInfo> list_dae_solvers() {
  std::vector<SolverInfo> list;
  for (const Method method : {Method::ida, Method::daskr, Method::radau, Method::sdirk}) {
    list.push_back(solver(method));
    list.back().projects = false;
  }
  return list;
}

}  // namespace

const std::vector<SolverInfo>& dae_solvers() {
  static const std::vector<SolverInfo> list = list_dae_solvers();
  return list;
}

const SolverInfo* find_dae_solver(std::string_view name) { return find_by_name(dae_solvers(), name); }

std::unique_ptr<DaeIntegrator> make_dae_integrator(const SolverInfo& info, DaeProblem problem) {
  ORRERY_CHECK(problem.n > 0);
  if (info.method == Method::radau) return make_radau_dae(info, std::move(problem));
  if (info.method == Method::sdirk) return make_sdirk_dae(info, std::move(problem));
  return make_ida(info, std::move(problem));
}

}  // namespace orrery::solve
