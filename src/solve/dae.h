// SPDX-License-Identifier: Apache-2.0
// The contract of every integrator of 0 = F(t, x, x'): callbacks in, steps and dense output out; and the start.
#pragma once

#include "solve/integrator.h"

namespace orrery::solve {

// F. The codes are those of Rhs; residuals that are not finite count as "retry".
struct Residual {
  int (*function)(double t, const double* x, const double* dx, double* residual, void* user) = nullptr;
  void* user = nullptr;
};

// The matrix dF/dx + c dF/dx'. Without a function it is estimated by differences: coloured ones when there is a pattern
// (n > 0) of both parts together, dense ones otherwise.
struct DaeJacobian {
  int (*function)(double t, double c, const double* x, const double* dx, double* values, void* user) = nullptr;
  void* user = nullptr;
  Sparsity pattern = {};
};

struct DaeProblem {
  int n = 0;
  Residual residual = {};
  DaeJacobian jacobian = {};
  // Per component 1: its derivative appears in F, 0: it is algebraic. Empty: all are differential.
  std::vector<char> differential = {};
  Tolerance tolerance = {};
  StepLimits limits = {};
  double t_end_hint = 0;
  bool control_algebraic = true;  // algebraic components count in the error control
};

// Works as Integrator does, word for word, with the derivatives beside the states. Failures name the component.
class DaeIntegrator {
 public:
  virtual ~DaeIntegrator() = default;

  // (x, dx) must satisfy F: see make_consistent.
  virtual Status start(double t, const double* x, const double* dx, bool keep_step) = 0;
  virtual Status step(double t_stop) = 0;
  virtual double time() const = 0;
  virtual double previous_time() const = 0;
  virtual const double* state() const = 0;
  virtual const double* derivative() const = 0;
  // Either pointer may be null.
  virtual void interpolate(double t, double* x, double* dx) = 0;
  virtual const Statistics& statistics() const = 0;
  virtual const Failure& failure() const = 0;
  [[nodiscard]] virtual bool save(std::vector<std::byte>& out) const = 0;
  [[nodiscard]] virtual bool restore(std::span<const std::byte> in) = 0;
};

// "ida", "daskr", "radau", "sdirk"; names are matched as those of find_solver.
const std::vector<SolverInfo>& dae_solvers();
const SolverInfo* find_dae_solver(std::string_view name);
std::unique_ptr<DaeIntegrator> make_dae_integrator(const SolverInfo& info, DaeProblem problem);

// How the algebraic components and the derivatives of the differential ones are found at the start.
enum class StartMethod {
  idacalc,  // IDACalcIC of SUNDIALS
  newton    // ours: Newton's iteration with damping, which also says which component makes the matrix singular
};

// Keeps the differential components of x and changes all others, and the derivatives of the differential components, so
// that F(t, x, dx) = 0; x and dx come in as guesses. For systems of index 1. On failure x and dx are unchanged, and a
// singular matrix ("singular-start") names a component that the equations do not determine.
Status make_consistent(const DaeProblem& problem, StartMethod method, double t, double* x, double* dx,
                       Failure& failure);

}  // namespace orrery::solve
