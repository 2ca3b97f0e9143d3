// SPDX-License-Identifier: Apache-2.0
// The contract of every integrator of x' = f(t, x): callbacks in, steps and dense output out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::solve {

// Where a solver is named: the one that suits the problem.
inline constexpr std::string_view automatic = "auto";
inline bool is_automatic(std::string_view solver) { return solver.empty() || solver == automatic; }

// ok; retry with a smaller step (recoverable); failed for good. The same three cases as the sign of SUNDIALS' codes.
enum class [[nodiscard]] Status{ok, retry, failed};

// The derivative. Returns 0: ok, > 0: not defined here, retry with a smaller step, < 0: failed for good.
// Derivatives that are not finite count as "retry"; the function need not test for them.
struct Rhs {
  int (*function)(double t, const double* x, double* dx, void* user) = nullptr;
  void* user = nullptr;
};

// Compressed sparse columns of a square matrix: the rows of column j are row[column_start[j] .. column_start[j+1]).
struct Sparsity {
  int n = 0;
  std::vector<int> column_start, row;
};

// The matrix df/dx. Without a function it is estimated by differences: coloured ones when there is a pattern (n > 0),
// dense ones otherwise. Return codes are those of Rhs.
struct Jacobian {
  int (*function)(double t, const double* x, double* values /* in the order of the pattern */, void* user) = nullptr;
  void* user = nullptr;
  Sparsity pattern;
};

// A step is accepted when the weighted root mean square of error[i] / (absolute[i] + relative * |x[i]|) is at most 1.
struct Tolerance {
  double relative = 1e-6;
  double absolute = 1e-6;
  std::vector<double> absolute_per_state;  // empty: use absolute
};

struct StepLimits {
  double initial = 0;  // 0: automatic
  double minimum = 0;
  double maximum = 0;  // 0: none
  double fixed = 0;    // step of fixed-step methods; they refuse to start without one
};

// Counted since the integrator was made.
struct Statistics {
  long steps = 0;           // accepted
  long rejected_error = 0;  // the error was too large
  long rejected_other = 0;  // derivative not finite or not defined, Newton did not converge
  long evaluations = 0;     // of the derivative, without those spent on difference Jacobians
  long jacobians = 0;
  long linear_setups = 0;  // matrix factorisations
  long newton_iterations = 0;
  long restarts = 0;           // calls of start()
  int order = 0;               // of the last step, 0: the method has only one
  long switches = 0;           // between a method for stiff and one for non-stiff models
  long stiff_steps = 0;        // those of the steps that the method for stiff models made, where there are two
  long starter_steps = 0;      // those of the steps that a one-step method made for a method of several steps
  std::vector<long> limiting;  // per state: how often it had the largest error where a step had to shrink

  // The order stays the later one.
  void add(const Statistics& later);
};

enum class FailureCode : std::uint8_t {
  step_underflow,
  nan_derivative,
  derivative_failed,
  newton_convergence,
  jacobian_failed,
  tolerance_too_small,
  bad_solver_setting,
  singular_start,
  projection_failed,
  solver_error,
};
// "step-underflow": as diagnostics have it.
std::string name_of(FailureCode code);

struct Failure {
  FailureCode code = FailureCode::solver_error;
  std::string message;  // what happened, in the terms of the integrator: states are numbers from 0
  int state = -1;       // index of the worst state, -1: none in particular
  double t = 0;
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  // Cold start at (t, x). keep_step: single-step methods take the size of the last step as a first guess, and
  // fixed-step methods keep counting on the same grid when t is time(); multistep methods begin anew in any case.
  virtual Status start(double t, const double* x, bool keep_step) = 0;
  // Right after start(): something is expected to happen before t, so a method that needs time to get going had better
  // let another one go first.
  virtual void expect(double /*t*/) {}
  // One step of its own choice, forward, never beyond t_stop; lands exactly on t_stop when it would come within
  // rounding of it. t_stop equal to time() does nothing. Retries are made inside: the answer is ok or failed, and
  // after a failure time() and state() are those of the last good step.
  virtual Status step(double t_stop) = 0;
  virtual double time() const = 0;           // after the last step
  virtual double previous_time() const = 0;  // before it
  virtual const double* state() const = 0;   // at time(); valid until the next step or start
  // Dense output: the state at t in [previous_time(), time()], exactly the stored one at both ends. May evaluate the
  // derivative at time(), so call it before changing anything the derivative depends on.
  virtual void interpolate(double t, double* x) = 0;
  // For callers that want a few states at many times: after watch(which), interpolate_watched gives those of `which` as
  // interpolate does; what it leaves in the others is of no use.
  virtual void watch(std::span<const int> /*which*/) {}
  virtual void interpolate_watched(double t, double* x) { interpolate(t, x); }
  // The degree of the polynomial that interpolate() is within a step; more than the truth does no harm.
  virtual int dense_degree() const { return 99; }
  virtual const Statistics& statistics() const = 0;
  virtual const Failure& failure() const = 0;
  // Everything needed to continue bit-identically. Multistep methods return false: the caller starts cold.
  // restore also returns false, changing nothing, for bytes of another method or size. Statistics are not part of it.
  [[nodiscard]] virtual bool save(std::vector<std::byte>& out) const = 0;
  [[nodiscard]] virtual bool restore(std::span<const std::byte> in) = 0;
};

// The models a method is meant for.
enum class Stiffness { non_stiff, mild, stiff, any };

// One for each name in the list of solvers.
enum class Method : std::uint8_t {
  dopri,
  dopri853,
  cash_karp,
  euler,
  trapezoidal_explicit,
  rk4,
  rk5,
  euler_implicit,
  trapezoidal_implicit,
  radau,
  sdirk,
  lsoda,
  cvode_bdf_newton,
  cvode_bdf_functional,
  cvode_adams_newton,
  cvode_adams_functional,
  ida,
  daskr,
};

struct SolverInfo {
  Method method;
  std::string name, title;
  std::vector<std::string> aliases = {};
  bool fixed_step = false;
  Stiffness stiffness = Stiffness::non_stiff;
  bool implicit = false, multistep = false;
  bool projects = true;  // keeps constraints: see Projection
  int order = 0;         // the highest, for methods of variable order
  std::string summary;
  std::vector<std::string> options = {};  // the settings it heeds, by the names of the command line
};

const std::vector<SolverInfo>& solvers();
const SolverInfo& solver(Method method);
// By name or alias; case, spaces, '-' and '_' do not count. nullptr: there is none.
const SolverInfo* find_solver(std::string_view name);

// Constraints 0 = c(t, x) that solutions of x' = f keep by themselves, but numerical ones only by being put back after
// each step (chapter 10.3). Either the model knows the move back (kind PROJECTION), which is repeated until it is
// small, or it gives the residuals and the solver finds the smallest move (kind CONSTRAINT). Codes are those of Rhs.
struct Projection {
  int (*correction)(double t, const double* x, double* move, void* user) = nullptr;
  int (*residual)(double t, const double* x, double* c, void* user) = nullptr;
  int constraints = 0;  // how many residuals there are
  void* user = nullptr;
};

struct Problem {
  int n = 0;
  Rhs rhs;
  Jacobian jacobian;
  Tolerance tolerance;
  StepLimits limits;
  double t_end_hint = 0;  // where the run ends, if known: bounds the first step
  Projection projection = {};
};

// Settings that make no sense (a negative tolerance, no fixed step for a fixed-step method) show as a failed start().
std::unique_ptr<Integrator> make_integrator(const SolverInfo& info, Problem problem);

}  // namespace orrery::solve
