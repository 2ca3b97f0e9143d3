// SPDX-License-Identifier: Apache-2.0
// The list of solvers, how their names are matched, and the one place that makes them.
#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "solve/families.h"
#include "solve/integrator.h"
#include "solve/radau.h"
#include "solve/sdirk.h"
#include "solve/solver_names.h"

namespace orrery::solve {

namespace {

// In lower case, without what only separates words: "CVODE-BDF-Newton", "cvode_bdf_newton" and "cvode bdf newton" are
// one name, and the parentheses of "DOPRI (Dormand-Prince)" do not count.
std::string plain(std::string_view name) {
  std::string result;
  for (const unsigned char c : name) {
    if (std::string_view(" -_()").find(static_cast<char>(c)) != std::string_view::npos) continue;
    result.push_back(static_cast<char>(std::tolower(c)));
  }
  return result;
}

std::vector<SolverInfo> list_solvers() {
  return {
      {.method = Method::dopri,
       .name = "dopri",
       .title = "Dormand–Prince 5(4)",
       .aliases = {"dopri5", "dormand-prince", "dopri-dormand-prince", "rk45", "ode45"},
       .order = 5,
       .summary = "Variable step, single step: fast for non-stiff models and for many events."},
      {.method = Method::dopri853,
       .name = "dopri853",
       .title = "Dormand–Prince 8(5,3)",
       .aliases = {"dop853"},
       .order = 8,
       .summary = "Variable step, single step, twelve stages: for smooth non-stiff models at tight tolerances."},
      {.method = Method::cash_karp,
       .name = "cash-karp",
       .title = "Cash–Karp 5(4)",
       .order = 5,
       .summary = "Variable step, single step, for non-stiff models."},
      {.method = Method::euler,
       .name = "euler",
       .title = "Forward Euler",
       .aliases = {"forward-euler", "explicit-euler", "ode1"},
       .fixed_step = true,
       .order = 1,
       .summary = "Fixed step; the simplest method and the cheapest per step."},
      {.method = Method::trapezoidal_explicit,
       .name = "trapezoidal-explicit",
       .title = "Explicit trapezoidal",
       .aliases = {"explicit-trapezoidal", "heun", "ode2"},
       .fixed_step = true,
       .order = 2,
       .summary = "Fixed step; Heun's method."},
      {.method = Method::rk4,
       .name = "rk4",
       .title = "Classical Runge–Kutta",
       .aliases = {"classical-runge-kutta", "runge-kutta-4", "ode4"},
       .fixed_step = true,
       .order = 4,
       .summary = "Fixed step, for non-stiff models."},
      {.method = Method::rk5,
       .name = "rk5",
       .title = "Runge–Kutta of order 5",
       .aliases = {"runge-kutta", "runge-kutta-5", "ode5"},
       .fixed_step = true,
       .order = 5,
       .summary = "Fixed step, with the weights of Dormand and Prince, for smooth non-stiff models."},
      {.method = Method::euler_implicit,
       .name = "euler-implicit",
       .title = "Backward Euler",
       .aliases = {"backward-euler", "implicit-euler"},
       .fixed_step = true,
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .order = 1,
       .summary = "Fixed step with Newton iteration; the simplest method for stiff models, L-stable."},
      {.method = Method::trapezoidal_implicit,
       .name = "trapezoidal-implicit",
       .title = "Implicit trapezoidal",
       .aliases = {"implicit-trapezoidal", "trapezoidal"},
       .fixed_step = true,
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .order = 2,
       .summary = "Fixed step with Newton iteration, A-stable: keeps oscillations, does not damp very fast ones."},
      {.method = Method::radau,
       .name = "radau",
       .title = "Radau IIA of orders 5, 9 and 13",
       .aliases = {"radau-iia", "radau5", "radau13"},
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .order = 13,
       .summary = "Variable step and order, single step, L-stable: for stiff models, above all accurate ones or with "
                  "many events."},
      {.method = Method::sdirk,
       .name = "sdirk",
       .title = "SDIRK of order 4",
       .aliases = {"sdirk4"},
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .order = 4,
       .summary = "Variable step, single step, L-stable: for stiff models at moderate accuracy or with many events."},
      {.method = Method::lsoda,
       .name = "lsoda",
       .title = "Automatic switching, Adams and BDF",
       .aliases = {"auto-switching"},
       .stiffness = Stiffness::any,
       .implicit = true,
       .multistep = true,
       .projects = false,
       .order = 12,
       .summary =
           "Variable step and order; changes between CVODE's Adams and BDF as the model becomes stiff or not, in the "
           "spirit of LSODA."},
      {.method = Method::cvode_bdf_newton,
       .name = "cvode-bdf-newton",
       .title = "CVODE, BDF with Newton iteration",
       .aliases = {"cvode", "bdf", "cpode", "cpodes", "cpode-ode-with-constraint",
                   "cpode-ode-with-algebraic-constraint"},
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .multistep = true,
       .order = 5,
       .summary = "Variable step and order. The choice for stiff models; keeps constraints as CPODE does."},
      {.method = Method::cvode_bdf_functional,
       .name = "cvode-bdf-functional",
       .title = "CVODE, BDF with functional iteration",
       .stiffness = Stiffness::mild,
       .implicit = true,
       .multistep = true,
       .order = 5,
       .summary = "Variable step and order; needs no Jacobian, so not for very stiff models."},
      {.method = Method::cvode_adams_newton,
       .name = "cvode-adams-newton",
       .title = "CVODE, Adams with Newton iteration",
       .stiffness = Stiffness::mild,
       .implicit = true,
       .multistep = true,
       .projects = false,
       .order = 12,
       .summary = "Variable step and order, for smooth, mildly stiff models and small tolerances."},
      {.method = Method::cvode_adams_functional,
       .name = "cvode-adams-functional",
       .title = "CVODE, Adams with functional iteration",
       .aliases = {"adams"},
       .stiffness = Stiffness::mild,
       .implicit = true,
       .multistep = true,
       .projects = false,
       .order = 12,
       .summary = "Variable step and order, for smooth non-stiff models whose derivatives are expensive."},
      {.method = Method::ida,
       .name = "ida",
       .title = "IDA, variable-order BDF",
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .multistep = true,
       .projects = false,
       .order = 5,
       .summary = "Variable step and order with direct matrices. The choice for implicit models; slower than CVODE on "
                  "explicit ones."},
      {.method = Method::daskr,
       .name = "daskr",
       .title = "IDA with Krylov iteration",
       .stiffness = Stiffness::stiff,
       .implicit = true,
       .multistep = true,
       .projects = false,
       .order = 5,
       .summary = "Variable step and order; IDA with preconditioned SPGMR, as in DASKR, its ancestor."},
  };
}

}  // namespace

const std::vector<SolverInfo>& solvers() {
  static const std::vector<SolverInfo> list = [] {
    std::vector<SolverInfo> all = list_solvers();
    for (SolverInfo& info : all) {
      info.options = {"rtol", "atol", "tolerance", "hinit", "hmin", "hmax", "algebraic"};
      if (info.fixed_step) info.options = {"step", "algebraic"};
    }
    return all;
  }();
  return list;
}

const SolverInfo& solver(Method method) {
  const std::vector<SolverInfo>& list = solvers();
  return *std::find_if(list.begin(), list.end(), [&](const SolverInfo& info) { return info.method == method; });
}

const SolverInfo* find_by_name(const std::vector<SolverInfo>& list, std::string_view name) {
  const std::string wanted = plain(name);
  if (wanted.empty()) return nullptr;
  for (const SolverInfo& info : list) {
    if (plain(info.name) == wanted) return &info;
    for (const std::string& alias : info.aliases) {
      if (plain(alias) == wanted) return &info;
    }
  }
  return nullptr;
}

const SolverInfo* find_solver(std::string_view name) { return find_by_name(solvers(), name); }

void Statistics::add(const Statistics& later) {
  steps += later.steps;
  rejected_error += later.rejected_error;
  rejected_other += later.rejected_other;
  evaluations += later.evaluations;
  jacobians += later.jacobians;
  linear_setups += later.linear_setups;
  newton_iterations += later.newton_iterations;
  restarts += later.restarts;
  switches += later.switches;
  stiff_steps += later.stiff_steps;
  starter_steps += later.starter_steps;
  order = later.order;
  limiting.resize(std::max(limiting.size(), later.limiting.size()));
  for (std::size_t i = 0; i < later.limiting.size(); ++i) limiting[i] += later.limiting[i];
}

std::string name_of(FailureCode code) {
  switch (code) {
    case FailureCode::step_underflow: return "step-underflow";
    case FailureCode::nan_derivative: return "nan-derivative";
    case FailureCode::derivative_failed: return "derivative-failed";
    case FailureCode::newton_convergence: return "newton-convergence";
    case FailureCode::jacobian_failed: return "jacobian-failed";
    case FailureCode::tolerance_too_small: return "tolerance-too-small";
    case FailureCode::bad_solver_setting: return "bad-solver-setting";
    case FailureCode::singular_start: return "singular-start";
    case FailureCode::projection_failed: return "projection-failed";
    case FailureCode::solver_error: return "solver-error";
  }
  return {};
}

std::unique_ptr<Integrator> make_integrator(const SolverInfo& info, Problem problem) {
  ORRERY_CHECK(problem.n >= 0);
  if (problem.n == 0) return make_stateless(info, problem);
  ORRERY_CHECK(problem.rhs.function != nullptr);
  switch (info.method) {
    case Method::ida:
    case Method::daskr: return make_ode_by_dae(info, std::move(problem));
    case Method::lsoda: return make_lsoda(info, std::move(problem));
    case Method::cvode_bdf_newton:
    case Method::cvode_bdf_functional:
    case Method::cvode_adams_newton:
    case Method::cvode_adams_functional: return make_cvode(info, std::move(problem));
    case Method::radau: return make_radau(info, std::move(problem), {});
    case Method::sdirk: return make_sdirk(info, std::move(problem), {});
    case Method::euler_implicit:
    case Method::trapezoidal_implicit: return make_implicit_fixed(info, std::move(problem));
    default: return make_runge_kutta(info, std::move(problem));
  }
}

}  // namespace orrery::solve
