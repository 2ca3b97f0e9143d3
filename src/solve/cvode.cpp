// SPDX-License-Identifier: Apache-2.0
// CVODE of SUNDIALS behind our contract: one-step mode, exact landing, its own messages turned into a Failure.
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <fmt/format.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "solve/difference_jacobian.h"
#include "solve/families.h"
#include "solve/newton_matrix.h"
#include "solve/projector.h"
#include "solve/step_rules.h"
#include "solve/sundials_vectors.h"

namespace orrery::solve {

namespace {

struct FreeCvode {
  void operator()(void* memory) const { CVodeFree(&memory); }
};
struct FreeNonlinear {
  void operator()(SUNNonlinearSolver solver) const { SUNNonlinSolFree(solver); }
};
struct Trouble {
  int code = 0;    // the worst answer of the derivative
  int state = -1;  // whose derivative was not finite
};

class Cvode final : public Integrator {
 public:
  Cvode(const SolverInfo& info, Problem problem);

  Status start(double t, const double* x, bool keep_step) override;
  Status step(double t_stop) override;
  double time() const override { return t_; }
  double previous_time() const override { return t_old_; }
  const double* state() const override { return NV_DATA_S(x_.get()); }
  void interpolate(double t, double* x) override;
  const Statistics& statistics() const override;
  const Failure& failure() const override { return failure_; }
  bool save(std::vector<std::byte>&) const override { return false; }
  bool restore(std::span<const std::byte>) override { return false; }

 private:
  static int derivative(double t, N_Vector x, N_Vector dx, void* self);
  static int jacobian(double t, N_Vector x, N_Vector f, SUNMatrix into, void* self, N_Vector, N_Vector, N_Vector);
  static int project(double t, N_Vector x, N_Vector move, double, N_Vector error, void* self);
  static void keep_message(int code, const char*, const char*, char* message, void* self);

  static double* data(const Vector& v) { return NV_DATA_S(v.get()); }
  bool set_stop(double t_stop);
  void set_up(bool newton);
  void choose_increments(const double* x, const double* f);
  bool hop(double t_stop);
  Status give_up(int flag);
  void blame_derivative(const char* where);
  int worst_state();
  void add_counters(Statistics& to) const;

  Problem problem_;
  std::optional<Failure> bad_settings_;
  Context context_;
  Vector x_, x_old_;                           // after the last step and before it; they change places
  Vector weights_, errors_, absolute_, view_;  // view_ has no memory of its own
  std::unique_ptr<NewtonMatrix> matrix_;
  std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, FreeNonlinear> functional_;
  std::unique_ptr<void, FreeCvode> memory_;
  std::unique_ptr<DifferenceJacobian> differences_;
  std::unique_ptr<Projector> projector_;
  std::vector<double> jacobian_values_, increment_, projected_;
  double t_ = std::numeric_limits<double>::quiet_NaN(), t_old_ = t_;
  double known_stop_ = t_;  // the stop time that CVODE has been told and not yet reached
  bool ran_ = false;        // CVODE has counted something since its last start
  bool first_ = true, hopped_ = false;
  // What the derivative objected to since the steps last went well.
  Trouble trouble_;
  bool projection_failed_ = false;
  int stuck_ = 0;  // steps running that were too small to count
  long known_error_failures_ = 0;
  std::string message_;
  Statistics finished_;  // counters of the runs before the last start
  mutable Statistics statistics_;
  Failure failure_;
};

Cvode::Cvode(const SolverInfo& info, Problem problem)
    : problem_(std::move(problem)), bad_settings_(check_settings(info, problem_)), context_(make_context()) {
  const std::size_t n = static_cast<std::size_t>(problem_.n);
  const Sparsity& pattern = problem_.jacobian.pattern;
  ORRERY_CHECK(pattern.n == problem_.n || (pattern.n == 0 && problem_.jacobian.function == nullptr));
  for (Vector* v : {&x_, &x_old_, &weights_, &errors_, &absolute_}) *v = new_vector(problem_.n, context_.get());
  view_.reset(N_VMake_Serial(problem_.n, data(x_old_), context_.get()));
  finished_.limiting.assign(n, 0);
  statistics_ = finished_;
  if (bad_settings_) return;
  const Tolerance& tolerance = problem_.tolerance;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = tolerance.absolute_per_state.empty() ? tolerance.absolute : tolerance.absolute_per_state[i];
    data(absolute_)[i] = std::max(a, 1e-300);
  }
  const bool adams = info.method == Method::cvode_adams_newton || info.method == Method::cvode_adams_functional;
  memory_.reset(CVodeCreate(adams ? CV_ADAMS : CV_BDF, context_.get()));
  ORRERY_CHECK(memory_ != nullptr);
  ORRERY_CHECK(CVodeSetErrHandlerFn(memory_.get(), keep_message, this) == CV_SUCCESS);
  N_VConst(0, x_.get());
  ORRERY_CHECK(CVodeInit(memory_.get(), derivative, 0, x_.get()) == CV_SUCCESS);
  set_up(info.method == Method::cvode_bdf_newton || info.method == Method::cvode_adams_newton);
}

void Cvode::set_up(bool newton) {
  void* cv = memory_.get();
  const StepLimits& limits = problem_.limits;
  bool ok = CVodeSetUserData(cv, this) == CV_SUCCESS;
  const double* absolute = data(absolute_);
  const bool uniform = std::all_of(absolute, absolute + problem_.n, [&](double a) { return a == absolute[0]; });
  const double relative = problem_.tolerance.relative;
  ok = ok && (uniform ? CVodeSStolerances(cv, relative, absolute[0])
                      : CVodeSVtolerances(cv, relative, absolute_.get())) == CV_SUCCESS;
  ok = ok && CVodeSetInitStep(cv, limits.initial) == CV_SUCCESS && CVodeSetMinStep(cv, limits.minimum) == CV_SUCCESS;
  if (limits.maximum > 0 && std::isfinite(limits.maximum)) ok = ok && CVodeSetMaxStep(cv, limits.maximum) == CV_SUCCESS;
  // Enough failures in one step to reach rounding: each makes it four or five times smaller.
  ok = ok && CVodeSetMaxConvFails(cv, 40) == CV_SUCCESS && CVodeSetMaxErrTestFails(cv, 40) == CV_SUCCESS;
  ok = ok && CVodeSetMaxHnilWarns(cv, -1) == CV_SUCCESS;
  ORRERY_CHECK(ok);
  projector_ = Projector::make(problem_);
  if (projector_ != nullptr) {
    ORRERY_CHECK(CVodeSetProjFn(cv, project) == CV_SUCCESS && CVodeSetMaxNumProjFails(cv, 40) == CV_SUCCESS);
    ORRERY_CHECK(CVodeSetProjErrEst(cv, projector_->projects_errors() ? 1 : 0) == CV_SUCCESS);
    projected_.resize(static_cast<std::size_t>(problem_.n));
  }
  if (!newton) {
    functional_.reset(SUNNonlinSol_FixedPoint(x_.get(), 0, context_.get()));
    ORRERY_CHECK(functional_ != nullptr && CVodeSetNonlinearSolver(cv, functional_.get()) == CV_SUCCESS);
    return;
  }
  const Sparsity& pattern = problem_.jacobian.pattern;
  matrix_ =
      std::make_unique<NewtonMatrix>(problem_.n, pattern, plan_matrix(problem_.n, pattern), x_.get(), context_.get());
  ORRERY_CHECK(CVodeSetLinearSolver(cv, matrix_->solver(), matrix_->matrix()) == CVLS_SUCCESS);
  if (pattern.n == 0) return;  // CVODE's own dense differences
  jacobian_values_.resize(pattern.row.size());
  if (problem_.jacobian.function == nullptr) {
    differences_ = std::make_unique<DifferenceJacobian>(pattern, problem_.rhs);
    increment_.resize(static_cast<std::size_t>(problem_.n));
  }
  ORRERY_CHECK(CVodeSetJacFn(cv, jacobian) == CVLS_SUCCESS);
}

int Cvode::derivative(double t, N_Vector x, N_Vector dx, void* self) {
  Cvode& me = *static_cast<Cvode*>(self);
  double* slope = NV_DATA_S(dx);
  const int code = me.problem_.rhs.function(t, NV_DATA_S(x), slope, me.problem_.rhs.user);
  const int state = code == 0 ? first_not_finite(slope, static_cast<std::size_t>(me.problem_.n)) : -1;
  if (code == 0 && state < 0) return 0;
  me.trouble_ = {code < 0 ? -1 : 1, state};
  return me.trouble_.code;
}

int Cvode::project(double t, N_Vector x, N_Vector move, double, N_Vector error, void* self) {
  Cvode& me = *static_cast<Cvode*>(self);
  std::copy_n(N_VGetArrayPointer(x), me.problem_.n, me.projected_.begin());
  const int code = me.projector_->project(t, me.projected_.data());
  if (code != 0) {
    me.projection_failed_ = true;
    return sign_of(code);
  }
  std::copy(me.projector_->move().begin(), me.projector_->move().end(), N_VGetArrayPointer(move));
  if (error != nullptr) me.projector_->project_error(N_VGetArrayPointer(error));
  return 0;
}

int Cvode::jacobian(double t, N_Vector x, N_Vector f, SUNMatrix into, void* self, N_Vector, N_Vector, N_Vector) {
  Cvode& me = *static_cast<Cvode*>(self);
  const double* state = NV_DATA_S(x);
  double* values = me.jacobian_values_.data();
  int code = 0;
  if (me.differences_ != nullptr) {
    const double* slope = NV_DATA_S(f);
    me.choose_increments(state, slope);
    code = me.differences_->evaluate(t, state, slope, me.increment_.data(), values);
  } else {
    code = me.problem_.jacobian.function(t, state, values, me.problem_.jacobian.user);
  }
  if (code != 0) return sign_of(code);
  if (first_not_finite(values, me.jacobian_values_.size()) >= 0) return 1;
  me.matrix_->store(values, into);
  return 0;
}

// As CVODE chooses them for its dense differences: from the state, but not below what the error weights notice.
void Cvode::choose_increments(const double* x, const double* f) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double h = 0;
  CVodeGetErrWeights(memory_.get(), weights_.get());
  CVodeGetCurrentStep(memory_.get(), &h);
  const double* weight = data(weights_);
  const int n = problem_.n;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += (f[i] * weight[i]) * (f[i] * weight[i]);
  const double size_f = std::sqrt(sum / n);
  const double least = size_f > 0 ? 1000 * std::abs(h) * epsilon * n * size_f : 1;
  for (int i = 0; i < n; ++i) increment_[i] = std::max(std::sqrt(epsilon) * std::abs(x[i]), least / weight[i]);
}

void Cvode::keep_message(int code, const char*, const char*, char* message, void* self) {
  if (code < 0) static_cast<Cvode*>(self)->message_ = message;
}

Status Cvode::start(double t, const double* x, bool) {
  add_counters(finished_);
  ran_ = false;
  ++finished_.restarts;
  known_error_failures_ = 0;
  std::memmove(data(x_), x, sizeof(double) * static_cast<std::size_t>(problem_.n));
  t_ = t_old_ = t;
  known_stop_ = std::numeric_limits<double>::quiet_NaN();
  first_ = true;
  hopped_ = false;
  stuck_ = 0;
  if (bad_settings_) {
    failure_ = *bad_settings_;
    return Status::failed;
  }
  // Evaluated here so that a bad initial point is reported by the start, as with every other method.
  ++finished_.evaluations;
  trouble_ = {};
  if (derivative(t, x_.get(), errors_.get(), this) != 0) {
    blame_derivative("at the initial point");
    return Status::failed;
  }
  ORRERY_CHECK(CVodeReInit(memory_.get(), t, x_.get()) == CV_SUCCESS);
  return Status::ok;
}

// A distance within rounding, which CVODE refuses to start with: one Euler step, then as good as a new start.
bool Cvode::hop(double t_stop) {
  ++finished_.evaluations;
  if (derivative(t_, x_old_.get(), errors_.get(), this) != 0) return false;
  add_counters(finished_);
  ran_ = false;
  ++finished_.steps;
  known_error_failures_ = 0;
  for (int i = 0; i < problem_.n; ++i) data(x_)[i] = data(x_old_)[i] + (t_stop - t_) * data(errors_)[i];
  t_ = t_stop;
  known_stop_ = std::numeric_limits<double>::quiet_NaN();
  hopped_ = first_ = true;
  ORRERY_CHECK(CVodeReInit(memory_.get(), t_, x_.get()) == CV_SUCCESS);
  return true;
}

// CVODE forgets the stop time when it has reached it.
bool Cvode::set_stop(double t_stop) {
  if (t_stop == known_stop_) return true;
  if (CVodeSetStopTime(memory_.get(), t_stop) != CV_SUCCESS) return false;
  known_stop_ = t_stop;
  return true;
}

Status Cvode::step(double t_stop) {
  ORRERY_CHECK(t_stop >= t_);
  if (t_stop == t_ || bad_settings_) return bad_settings_ ? Status::failed : Status::ok;
  t_old_ = t_;
  hopped_ = false;
  if (stuck_ == 0) {
    trouble_ = {};
    projection_failed_ = false;
  }
  std::swap(x_, x_old_);
  void* cv = memory_.get();
  const double rounding = 100 * std::numeric_limits<double>::epsilon() * std::abs(t_);
  const bool bounded = std::isfinite(t_stop);
  const bool too_close = first_ && t_stop - t_ <= rounding;
  if (too_close || (bounded && !set_stop(t_stop))) {
    return hop(t_stop) ? Status::ok : give_up(CV_RHSFUNC_FAIL);
  }
  // Direction and scale of the first step; an unbounded run may still say where it means to end.
  const double towards = bounded ? t_stop : std::max(problem_.t_end_hint, t_ + 1 + std::abs(t_));
  ran_ = true;
  const int flag = CVode(cv, towards, x_.get(), &t_, CV_ONE_STEP);
  if (flag < 0) return give_up(flag);
  if (flag == CV_TSTOP_RETURN || t_ >= t_stop) known_stop_ = std::numeric_limits<double>::quiet_NaN();
  first_ = false;
  long error_failures = 0;
  CVodeGetNumErrTestFails(cv, &error_failures);
  if (error_failures > known_error_failures_) {
    known_error_failures_ = error_failures;
    ++finished_.limiting[worst_state()];
  }
  // CVODE would go on for ever with steps that no longer move t, as at a pole.
  const bool tiny = t_ - t_old_ <= smallest_step(t_, {}) && t_ < t_stop;
  stuck_ = tiny ? stuck_ + 1 : 0;
  if (stuck_ < 20) return Status::ok;
  failure_ =
      Failure{FailureCode::step_underflow, "the steps have become too small to move the time", worst_state(), t_};
  if (trouble_.code != 0) blame_derivative("right after this point");
  if (projection_failed_) failure_ = {FailureCode::projection_failed, off_constraints, -1, t_};
  return Status::failed;
}

int Cvode::worst_state() {
  if (CVodeGetErrWeights(memory_.get(), weights_.get()) != CV_SUCCESS) return 0;
  if (CVodeGetEstLocalErrors(memory_.get(), errors_.get()) != CV_SUCCESS) return 0;
  int worst = 0;
  double largest = -1;
  for (int i = 0; i < problem_.n; ++i) {
    const double ratio = std::abs(data(errors_)[i]) * data(weights_)[i];
    if (ratio > largest) {
      largest = ratio;
      worst = i;
    }
  }
  return worst;
}

Status Cvode::give_up(int flag) {
  t_ = t_old_;
  std::copy_n(data(x_old_), problem_.n, data(x_));
  failure_ = Failure{FailureCode::solver_error, message_, -1, t_};
  switch (flag) {
    case CV_TOO_MUCH_ACC:
      failure_.code = FailureCode::tolerance_too_small;
      failure_.message = "the tolerance asks for more than double precision can give";
      break;
    case CV_ERR_FAILURE:
      failure_ = {FailureCode::step_underflow, "the error stays above the tolerance with the smallest step",
                  worst_state(), t_};
      break;
    case CV_CONV_FAILURE:
    case CV_NLS_FAIL:
      failure_.code = FailureCode::newton_convergence;
      failure_.message = functional_ != nullptr ? "functional iteration does not converge, even with the smallest step"
                                                : "Newton's iteration does not converge, even with the smallest step";
      failure_.state = worst_state();
      break;
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR: failure_ = {FailureCode::projection_failed, off_constraints, -1, t_}; break;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
    case CV_LINIT_FAIL: failure_.code = FailureCode::jacobian_failed; break;
    default: break;
  }
  if (trouble_.code != 0 && flag != CV_ERR_FAILURE) blame_derivative("right after this point");
  return Status::failed;
}

void Cvode::blame_derivative(const char* where) {
  if (trouble_.state >= 0) {
    failure_ = {FailureCode::nan_derivative, fmt::format("the derivative is not finite {}", where), trouble_.state, t_};
  } else {
    failure_ = {FailureCode::derivative_failed, fmt::format("the derivative cannot be evaluated {}", where), -1, t_};
  }
}

void Cvode::interpolate(double t, double* x) {
  const bool at_end = t >= t_ || t_ == t_old_;
  if (at_end || t <= t_old_) {
    std::copy_n(at_end ? state() : data(x_old_), problem_.n, x);
    return;
  }
  if (hopped_) {
    const double s = (t - t_old_) / (t_ - t_old_);
    for (int i = 0; i < problem_.n; ++i) x[i] = data(x_old_)[i] + s * (state()[i] - data(x_old_)[i]);
    return;
  }
  double last_step = 0, current = 0;
  CVodeGetLastStep(memory_.get(), &last_step);
  CVodeGetCurrentTime(memory_.get(), &current);
  N_VSetArrayPointer(x, view_.get());
  const int flag = CVodeGetDky(memory_.get(), std::clamp(t, current - last_step, current), 0, view_.get());
  N_VSetArrayPointer(data(x_old_), view_.get());
  ORRERY_CHECK(flag == CV_SUCCESS);
}

void Cvode::add_counters(Statistics& to) const {
  if (!ran_) return;
  void* cv = memory_.get();
  long value = 0;
  const auto add = [&](long& counter, int (*get)(void*, long*)) {
    if (get(cv, &value) == CV_SUCCESS) counter += value;
  };
  add(to.steps, CVodeGetNumSteps);
  add(to.rejected_error, CVodeGetNumErrTestFails);
  add(to.rejected_other, CVodeGetNumStepSolveFails);
  add(to.evaluations, CVodeGetNumRhsEvals);
  add(to.newton_iterations, CVodeGetNumNonlinSolvIters);
  CVodeGetLastOrder(cv, &to.order);
  if (matrix_ == nullptr) return;
  add(to.linear_setups, CVodeGetNumLinSolvSetups);
  add(to.jacobians, CVodeGetNumJacEvals);
}

const Statistics& Cvode::statistics() const {
  statistics_ = finished_;
  add_counters(statistics_);
  return statistics_;
}

}  // namespace

std::unique_ptr<Integrator> make_cvode(const SolverInfo& info, Problem problem) {
  return std::make_unique<Cvode>(info, std::move(problem));
}

}  // namespace orrery::solve
