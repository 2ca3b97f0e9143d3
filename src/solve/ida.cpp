// SPDX-License-Identifier: Apache-2.0
// IDA of SUNDIALS behind the DAE contract, with direct matrices ("ida") or preconditioned SPGMR ("daskr").
//
// DASKR (Brown, Hindmarsh and Petzold, SIAM J. Sci. Comput. 19, 1998) is the ancestor of IDA: fixed leading coefficient
// BDF with Krylov methods and the same calculation of consistent starts. What runs under its name here is IDA with
// SPGMR, preconditioned by the factors of the last Jacobian that Newton's iteration asked for.
#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <sunlinsol/sunlinsol_spgmr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "solve/dae_families.h"
#include "solve/dae_system.h"
#include "solve/newton_matrix.h"
#include "solve/shifted_matrix.h"
#include "solve/step_rules.h"
#include "solve/sundials_memory.h"

namespace orrery::solve {

namespace {

struct FreeIda {
  void operator()(void* memory) const { IDAFree(&memory); }
};
struct FreeLinear {
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
};

class Ida final : public DaeIntegrator {
 public:
  Ida(const SolverInfo& info, DaeProblem problem);

  Status start(double t, const double* x, const double* dx, bool keep_step) override;
  Status step(double t_stop) override;
  double time() const override { return t_; }
  double previous_time() const override { return t_old_; }
  const double* state() const override { return data(x_); }
  const double* derivative() const override { return data(dx_); }
  void interpolate(double t, double* x, double* dx) override;
  const Statistics& statistics() const override;
  const Failure& failure() const override { return failure_; }
  bool save(std::vector<std::byte>&) const override { return false; }
  bool restore(std::span<const std::byte>) override { return false; }
  // Of the components that start() was given, the differential ones and guesses of the others.
  Status calculate_start(double* x, double* dx);

 private:
  static int residual(double t, N_Vector x, N_Vector dx, N_Vector r, void* self);
  static int jacobian(double t, double c, N_Vector x, N_Vector dx, N_Vector r, SUNMatrix into, void* self, N_Vector,
                      N_Vector, N_Vector);
  static int factor(double t, N_Vector x, N_Vector dx, N_Vector r, double c, void* self);
  static int precondition(double t, N_Vector x, N_Vector dx, N_Vector r, N_Vector right, N_Vector result, double c,
                          double delta, void* self);
  static int set_up_product(double t, N_Vector x, N_Vector dx, N_Vector r, double c, void* self);
  static int multiply(double t, N_Vector x, N_Vector dx, N_Vector r, N_Vector v, N_Vector product, double c, void* self,
                      N_Vector, N_Vector);
  static void keep_message(int code, const char*, const char*, char* message, void* self);

  Vector new_vector() const { return Vector(N_VNew_Serial(system_.n(), context_.get())); }
  static double* data(const Vector& v) { return N_VGetArrayPointer(v.get()); }
  void set_up(bool krylov);
  void hop(double t_stop);
  Status give_up(int flag);
  int worst_component();
  void add_counters(Statistics& to) const;

  DaeSystem system_;
  std::optional<Failure> bad_settings_;
  Context context_;
  Vector x_, dx_, weights_, errors_, absolute_, marks_, dense_;
  std::unique_ptr<NewtonMatrix> matrix_;
  std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, FreeLinear> krylov_;
  std::unique_ptr<ShiftedStructure> structure_;  // of the preconditioner
  std::unique_ptr<ShiftedMatrix<double>> factors_;
  std::unique_ptr<void, FreeIda> memory_;
  std::vector<double> x_old_, dx_old_, values_, product_;  // product_: the matrix by which vectors are multiplied
  double t_ = std::numeric_limits<double>::quiet_NaN(), t_old_ = t_;
  bool ran_ = false, first_ = true, hopped_ = false;
  int stuck_ = 0;
  long known_error_failures_ = 0;
  std::string message_;
  Statistics finished_;
  mutable Statistics statistics_;
  Failure failure_;
};

std::optional<Failure> check(const SolverInfo& info, const DaeProblem& problem) {
  Problem same;
  same.n = problem.n;
  same.tolerance = problem.tolerance;
  same.limits = problem.limits;
  return check_settings(info, same);
}

Ida::Ida(const SolverInfo& info, DaeProblem problem)
    : system_(std::move(problem)), bad_settings_(check(info, system_.problem)), context_(make_context()) {
  for (Vector* v : {&x_, &dx_, &weights_, &errors_, &absolute_, &marks_, &dense_}) *v = new_vector();
  const std::size_t n = static_cast<std::size_t>(system_.n());
  x_old_.resize(n);
  dx_old_.resize(n);
  finished_.limiting.assign(n, 0);
  statistics_ = finished_;
  if (bad_settings_) return;
  for (int i = 0; i < system_.n(); ++i) {
    data(absolute_)[i] = system_.absolute(i);
    data(marks_)[i] = system_.differential(i) ? 1 : 0;
  }
  memory_.reset(IDACreate(context_.get()));
  ORRERY_CHECK(memory_ != nullptr);
  ORRERY_CHECK(IDASetErrHandlerFn(memory_.get(), keep_message, this) == IDA_SUCCESS);
  N_VConst(0, x_.get());
  N_VConst(0, dx_.get());
  ORRERY_CHECK(IDAInit(memory_.get(), residual, 0, x_.get(), dx_.get()) == IDA_SUCCESS);
  set_up(info.method == Method::daskr);
}

void Ida::set_up(bool krylov) {
  void* ida = memory_.get();
  const StepLimits& limits = system_.problem.limits;
  bool ok = IDASetUserData(ida, this) == IDA_SUCCESS;
  ok = ok && IDASVtolerances(ida, system_.problem.tolerance.relative, absolute_.get()) == IDA_SUCCESS;
  ok = ok && IDASetInitStep(ida, limits.initial) == IDA_SUCCESS && IDASetMinStep(ida, limits.minimum) == IDA_SUCCESS;
  if (limits.maximum > 0 && std::isfinite(limits.maximum)) ok = ok && IDASetMaxStep(ida, limits.maximum) == IDA_SUCCESS;
  // Components that depend strongly on others must not make noise that the error test takes for errors.
  ok = ok && IDASetNonlinConvCoef(ida, 0.05) == IDA_SUCCESS;
  ok = ok && IDASetMaxConvFails(ida, 40) == IDA_SUCCESS && IDASetMaxErrTestFails(ida, 40) == IDA_SUCCESS;
  ok = ok && IDASetId(ida, marks_.get()) == IDA_SUCCESS;
  ok = ok && IDASetSuppressAlg(ida, system_.problem.control_algebraic ? 0 : 1) == IDA_SUCCESS;
  ORRERY_CHECK(ok);
  const Sparsity& pattern = system_.problem.jacobian.pattern;
  if (krylov) {
    structure_ = std::make_unique<ShiftedStructure>(system_.n(), pattern, MassMatrix{});
    factors_ = std::make_unique<ShiftedMatrix<double>>(*structure_);
    krylov_.reset(SUNLinSol_SPGMR(x_.get(), SUN_PREC_LEFT, 0, context_.get()));
    ORRERY_CHECK(krylov_ != nullptr && IDASetLinearSolver(ida, krylov_.get(), nullptr) == IDALS_SUCCESS);
    ORRERY_CHECK(IDASetPreconditioner(ida, factor, precondition) == IDALS_SUCCESS);
    // IDA's own differences move the states by the tolerance: too far for steep exponentials when that is loose, and
    // by less than rounding when it is tight.
    if (system_.problem.jacobian.function != nullptr)
      ORRERY_CHECK(IDASetJacTimes(ida, set_up_product, multiply) == IDALS_SUCCESS);
    return;
  }
  matrix_ =
      std::make_unique<NewtonMatrix>(system_.n(), pattern, plan_matrix(system_.n(), pattern), x_.get(), context_.get());
  ORRERY_CHECK(IDASetLinearSolver(ida, matrix_->solver(), matrix_->matrix()) == IDALS_SUCCESS);
  ORRERY_CHECK(IDASetJacFn(ida, jacobian) == IDALS_SUCCESS);
}

int Ida::residual(double t, N_Vector x, N_Vector dx, N_Vector r, void* self) {
  DaeSystem& system = static_cast<Ida*>(self)->system_;
  return system.residual(t, N_VGetArrayPointer(x), N_VGetArrayPointer(dx), N_VGetArrayPointer(r));
}

int Ida::jacobian(double t, double c, N_Vector x, N_Vector dx, N_Vector r, SUNMatrix into, void* self, N_Vector,
                  N_Vector, N_Vector) {
  Ida& me = *static_cast<Ida*>(self);
  const int code = me.system_.evaluate_jacobian(t, 1, c, N_VGetArrayPointer(x), N_VGetArrayPointer(dx),
                                                N_VGetArrayPointer(r), me.values_);
  if (code == 0) me.matrix_->store(me.values_.data(), into);
  return code;
}

int Ida::factor(double t, N_Vector x, N_Vector dx, N_Vector r, double c, void* self) {
  Ida& me = *static_cast<Ida*>(self);
  const int code = me.system_.evaluate_jacobian(t, 1, c, N_VGetArrayPointer(x), N_VGetArrayPointer(dx),
                                                N_VGetArrayPointer(r), me.values_);
  if (code != 0) return code;
  return me.factors_->factor(0, me.values_.data()) ? 0 : 1;
}

// The factors are those of the negative Jacobian.
int Ida::precondition(double, N_Vector, N_Vector, N_Vector, N_Vector right, N_Vector result, double, double,
                      void* self) {
  N_VScale(-1, right, result);
  static_cast<Ida*>(self)->factors_->solve(N_VGetArrayPointer(result));
  return 0;
}

int Ida::set_up_product(double t, N_Vector x, N_Vector dx, N_Vector r, double c, void* self) {
  Ida& me = *static_cast<Ida*>(self);
  return me.system_.evaluate_jacobian(t, 1, c, N_VGetArrayPointer(x), N_VGetArrayPointer(dx), N_VGetArrayPointer(r),
                                      me.product_);
}

int Ida::multiply(double, N_Vector, N_Vector, N_Vector, N_Vector v, N_Vector product, double, void* self, N_Vector,
                  N_Vector) {
  const Ida& me = *static_cast<Ida*>(self);
  const Sparsity& pattern = me.system_.problem.jacobian.pattern;
  const double* in = N_VGetArrayPointer(v);
  double* out = N_VGetArrayPointer(product);
  std::fill_n(out, me.system_.n(), 0.0);
  for (int j = 0; j < me.system_.n(); ++j) {
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e)
      out[pattern.row[e]] += me.product_[e] * in[j];
  }
  return 0;
}

void Ida::keep_message(int code, const char*, const char*, char* message, void* self) {
  if (code < 0) static_cast<Ida*>(self)->message_ = message;
}

Status Ida::start(double t, const double* x, const double* dx, bool) {
  add_counters(finished_);
  ran_ = false;
  ++finished_.restarts;
  known_error_failures_ = 0;
  std::copy_n(x, system_.n(), x_old_.begin());  // they may be our own
  std::copy_n(dx, system_.n(), dx_old_.begin());
  std::copy(x_old_.begin(), x_old_.end(), data(x_));
  std::copy(dx_old_.begin(), dx_old_.end(), data(dx_));
  t_ = t_old_ = t;
  first_ = true;
  hopped_ = false;
  stuck_ = 0;
  system_.trouble = {};
  if (bad_settings_) {
    failure_ = *bad_settings_;
    return Status::failed;
  }
  if (system_.residual(t, data(x_), data(dx_), data(errors_)) != 0) {
    failure_ = system_.blame("at the initial point", t);
    return Status::failed;
  }
  ORRERY_CHECK(IDAReInit(memory_.get(), t, x_.get(), dx_.get()) == IDA_SUCCESS);
  return Status::ok;
}

Status Ida::calculate_start(double* x, double* dx) {
  const double hint = system_.problem.t_end_hint;
  // IDA scales its moves with a step that it would take towards this time.
  const double towards = hint > t_ ? t_ + 1e-3 * (hint - t_) : t_ + 1e-3 * (1 + std::abs(t_));
  ran_ = true;
  const int flag = IDACalcIC(memory_.get(), IDA_YA_YDP_INIT, towards);
  if (flag < 0) return give_up(flag);
  ORRERY_CHECK(IDAGetConsistentIC(memory_.get(), x_.get(), dx_.get()) == IDA_SUCCESS);
  std::copy_n(data(x_), system_.n(), x);
  std::copy_n(data(dx_), system_.n(), dx);
  return Status::ok;
}

// A distance within rounding, which IDA refuses to start with.
void Ida::hop(double t_stop) {
  add_counters(finished_);
  ran_ = false;
  ++finished_.steps;
  known_error_failures_ = 0;
  for (int i = 0; i < system_.n(); ++i) data(x_)[i] += (t_stop - t_) * data(dx_)[i];
  t_ = t_stop;
  hopped_ = first_ = true;
  ORRERY_CHECK(IDAReInit(memory_.get(), t_, x_.get(), dx_.get()) == IDA_SUCCESS);
}

Status Ida::step(double t_stop) {
  ORRERY_CHECK(t_stop >= t_);
  if (t_stop == t_ || bad_settings_) return bad_settings_ ? Status::failed : Status::ok;
  t_old_ = t_;
  hopped_ = false;
  if (stuck_ == 0) system_.trouble = {};
  std::copy_n(data(x_), system_.n(), x_old_.begin());
  std::copy_n(data(dx_), system_.n(), dx_old_.begin());
  void* ida = memory_.get();
  const double rounding = 100 * std::numeric_limits<double>::epsilon() * std::abs(t_);
  const bool bounded = std::isfinite(t_stop);
  if ((first_ && t_stop - t_ <= rounding) || (bounded && IDASetStopTime(ida, t_stop) != IDA_SUCCESS)) {
    hop(t_stop);
    return Status::ok;
  }
  const double towards = bounded ? t_stop : std::max(system_.problem.t_end_hint, t_ + 1 + std::abs(t_));
  ran_ = true;
  const int flag = IDASolve(ida, towards, &t_, x_.get(), dx_.get(), IDA_ONE_STEP);
  if (flag < 0) return give_up(flag);
  first_ = false;
  long error_failures = 0;
  IDAGetNumErrTestFails(ida, &error_failures);
  if (error_failures > known_error_failures_) {
    known_error_failures_ = error_failures;
    ++finished_.limiting[worst_component()];
  }
  const bool tiny = t_ - t_old_ <= smallest_step(t_, {}) && t_ < t_stop;
  stuck_ = tiny ? stuck_ + 1 : 0;
  if (stuck_ < 20) return Status::ok;
  failure_ = {FailureCode::step_underflow, "the steps have become too small to move the time", worst_component(), t_};
  if (system_.trouble.code != 0) failure_ = system_.blame("right after this point", t_);
  return Status::failed;
}

int Ida::worst_component() {
  if (IDAGetErrWeights(memory_.get(), weights_.get()) != IDA_SUCCESS) return 0;
  if (IDAGetEstLocalErrors(memory_.get(), errors_.get()) != IDA_SUCCESS) return 0;
  int worst = 0;
  const auto ratio = [&](int i) { return std::abs(data(errors_)[i]) * data(weights_)[i]; };
  for (int i = 1; i < system_.n(); ++i) {
    if (ratio(i) > ratio(worst)) worst = i;
  }
  return worst;
}

Status Ida::give_up(int flag) {
  t_ = t_old_;
  std::copy(x_old_.begin(), x_old_.end(), data(x_));
  std::copy(dx_old_.begin(), dx_old_.end(), data(dx_));
  failure_ = Failure{FailureCode::solver_error, message_, -1, t_};
  switch (flag) {
    case IDA_TOO_MUCH_ACC:
      failure_.code = FailureCode::tolerance_too_small;
      failure_.message = "the tolerance asks for more than double precision can give";
      break;
    case IDA_ERR_FAIL:
      failure_ = {FailureCode::step_underflow, "the error stays above the tolerance with the smallest step",
                  worst_component(), t_};
      return Status::failed;
    case IDA_CONV_FAIL:
    case IDA_NLS_FAIL:
      failure_ = {FailureCode::newton_convergence, "Newton's iteration does not converge, even with the smallest step",
                  worst_component(), t_};
      break;
    case IDA_LINESEARCH_FAIL:
    case IDA_NO_RECOVERY:
      failure_ = {FailureCode::newton_convergence, "no consistent start was found from these guesses", -1, t_};
      break;
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
    case IDA_LINIT_FAIL: failure_.code = FailureCode::jacobian_failed; break;
    default: break;
  }
  if (system_.trouble.code != 0) failure_ = system_.blame("right after this point", t_);
  return Status::failed;
}

void Ida::interpolate(double t, double* x, double* dx) {
  const bool at_end = t >= t_ || t_ == t_old_;
  const int n = system_.n();
  if (at_end || t <= t_old_) {
    if (x != nullptr) std::copy_n(at_end ? state() : x_old_.data(), n, x);
    if (dx != nullptr) std::copy_n(at_end ? derivative() : dx_old_.data(), n, dx);
    return;
  }
  if (hopped_) {
    for (int i = 0; x != nullptr && i < n; ++i) x[i] = x_old_[i] + (t - t_old_) * dx_old_[i];
    if (dx != nullptr) std::copy_n(derivative(), n, dx);
    return;
  }
  double last_step = 0, current = 0;
  IDAGetLastStep(memory_.get(), &last_step);
  IDAGetCurrentTime(memory_.get(), &current);
  const double at = std::clamp(t, current - last_step, current);
  for (const int k : {0, 1}) {
    double* into = k == 0 ? x : dx;
    if (into == nullptr) continue;
    ORRERY_CHECK(IDAGetDky(memory_.get(), at, k, dense_.get()) == IDA_SUCCESS);
    std::copy_n(data(dense_), n, into);
  }
}

void Ida::add_counters(Statistics& to) const {
  if (!ran_) return;
  void* ida = memory_.get();
  long value = 0;
  const auto add = [&](long& counter, int (*get)(void*, long*)) {
    if (get(ida, &value) == IDA_SUCCESS) counter += value;
  };
  add(to.steps, IDAGetNumSteps);
  add(to.rejected_error, IDAGetNumErrTestFails);
  add(to.rejected_other, IDAGetNumStepSolveFails);
  add(to.newton_iterations, IDAGetNumNonlinSolvIters);
  add(to.linear_setups, IDAGetNumLinSolvSetups);
  IDAGetLastOrder(ida, &to.order);
}

const Statistics& Ida::statistics() const {
  statistics_ = finished_;
  add_counters(statistics_);
  statistics_.evaluations = system_.evaluations;
  statistics_.jacobians = system_.jacobians;
  return statistics_;
}

}  // namespace

std::unique_ptr<DaeIntegrator> make_ida(const SolverInfo& info, DaeProblem problem) {
  return std::make_unique<Ida>(info, std::move(problem));
}

Status ida_calculate_start(const DaeProblem& problem, double t, double* x, double* dx, Failure& failure) {
  Ida ida(solver(Method::ida), problem);
  Status status = ida.start(t, x, dx, false);
  if (status == Status::ok) status = ida.calculate_start(x, dx);
  if (status != Status::ok) failure = ida.failure();
  return status;
}

}  // namespace orrery::solve
