// SPDX-License-Identifier: Apache-2.0
// CVODE and IDA as they are without any setting: Newton's method, dense matrices, their own difference quotients.
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/plain_stepper.h"
#include "solve/sundials_memory.h"

namespace orrery::solve {
namespace {

struct FreePlainCvode {
  void operator()(void* memory) const { CVodeFree(&memory); }
};
struct FreePlainIda {
  void operator()(void* memory) const { IDAFree(&memory); }
};
struct FreePlainMatrix {
  void operator()(SUNMatrix m) const { SUNMatDestroy(m); }
};
struct FreePlainSolver {
  void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
};

// What both need: vectors, a dense matrix and the last message.
class PlainSundials : public PlainStepper {
 public:
  PlainSundials(int n, double t, const double* x, const Tolerance& tolerance)
      : t_(t), t_old_(t), context_(make_context()) {
    for (Vector* v : {&x_, &dense_, &absolute_}) *v = Vector(N_VNew_Serial(n, context_.get()));
    std::copy_n(x, n, N_VGetArrayPointer(x_.get()));
    for (int i = 0; i < n; ++i) {
      const auto& each = tolerance.absolute_per_state;
      N_VGetArrayPointer(absolute_.get())[i] = each.empty() ? tolerance.absolute : each[static_cast<std::size_t>(i)];
    }
    matrix_.reset(SUNDenseMatrix(n, n, context_.get()));
    solver_.reset(SUNLinSol_Dense(x_.get(), matrix_.get(), context_.get()));
    ORRERY_CHECK(matrix_ != nullptr && solver_ != nullptr);
  }
  double time() const override { return t_; }
  double previous_time() const override { return t_old_; }
  const double* state() const override { return N_VGetArrayPointer(x_.get()); }

 protected:
  static void keep(int, const char*, const char*, char* text, void* self) {
    static_cast<PlainSundials*>(self)->message = text;
  }
  Status ended(int flag, double reached) {
    if (flag < 0) return Status::failed;
    t_old_ = std::exchange(t_, reached);
    return Status::ok;
  }
  void copy_dense(double* x) const { std::copy_n(N_VGetArrayPointer(dense_.get()), N_VGetLength(x_.get()), x); }

  double t_, t_old_;
  Context context_;
  Vector x_, dense_, absolute_;
  std::unique_ptr<std::remove_pointer_t<SUNMatrix>, FreePlainMatrix> matrix_;
  std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, FreePlainSolver> solver_;
};

class PlainCvode final : public PlainSundials {
 public:
  PlainCvode(PlainMethod method, Problem problem, double t, const double* x)
      : PlainSundials(problem.n, t, x, problem.tolerance), problem_(std::move(problem)) {
    memory_.reset(CVodeCreate(method == PlainMethod::adams ? CV_ADAMS : CV_BDF, context_.get()));
    ORRERY_CHECK(memory_ != nullptr);
    void* m = memory_.get();
    int flag = CVodeInit(m, derivative, t, x_.get());
    flag += CVodeSetErrHandlerFn(m, keep, this);
    flag += CVodeSVtolerances(m, problem_.tolerance.relative, absolute_.get());
    flag += CVodeSetUserData(m, this);
    flag += CVodeSetLinearSolver(m, solver_.get(), matrix_.get());
    if (problem_.jacobian.function != nullptr) flag += CVodeSetJacFn(m, jacobian);
    if (problem_.limits.initial > 0) flag += CVodeSetInitStep(m, problem_.limits.initial);
    if (problem_.limits.maximum > 0 && std::isfinite(problem_.limits.maximum))
      flag += CVodeSetMaxStep(m, problem_.limits.maximum);
    usable_ = flag == 0;
  }
  Status step(double aim, bool stop) override {
    if (!usable_) {
      if (message.empty()) message = "the settings of the integration make no sense";
      return Status::failed;
    }
    double reached = t_;
    if (stop) CVodeSetStopTime(memory_.get(), aim);
    const int flag = CVode(memory_.get(), aim, x_.get(), &reached, CV_ONE_STEP);
    return ended(flag, reached);
  }
  void interpolate(double t, double* x) override {
    CVodeGetDky(memory_.get(), std::clamp(t, t_old_, t_), 0, dense_.get());
    copy_dense(x);
  }

 private:
  static int derivative(double t, N_Vector x, N_Vector dx, void* self) {
    const Rhs& rhs = static_cast<PlainCvode*>(self)->problem_.rhs;
    return sign_of(rhs.function(t, N_VGetArrayPointer(x), N_VGetArrayPointer(dx), rhs.user));
  }
  static int jacobian(double t, N_Vector x, N_Vector, SUNMatrix into, void* self, N_Vector, N_Vector, N_Vector) {
    const Jacobian& j = static_cast<PlainCvode*>(self)->problem_.jacobian;
    return sign_of(j.function(t, N_VGetArrayPointer(x), SUNDenseMatrix_Data(into), j.user));
  }

  Problem problem_;
  std::unique_ptr<void, FreePlainCvode> memory_;
  bool usable_ = false;
};

class PlainIda final : public PlainSundials {
 public:
  PlainIda(DaeProblem problem, double t, const double* x, const double* dx)
      : PlainSundials(problem.n, t, x, problem.tolerance), problem_(std::move(problem)) {
    slope_ = Vector(N_VNew_Serial(problem_.n, context_.get()));
    std::copy_n(dx, problem_.n, N_VGetArrayPointer(slope_.get()));
    memory_.reset(IDACreate(context_.get()));
    ORRERY_CHECK(memory_ != nullptr);
    void* m = memory_.get();
    int flag = IDAInit(m, residual, t, x_.get(), slope_.get());
    flag += IDASetErrHandlerFn(m, keep, this);
    flag += IDASVtolerances(m, problem_.tolerance.relative, absolute_.get());
    flag += IDASetUserData(m, this);
    flag += IDASetLinearSolver(m, solver_.get(), matrix_.get());
    if (problem_.limits.initial > 0) flag += IDASetInitStep(m, problem_.limits.initial);
    if (problem_.limits.maximum > 0 && std::isfinite(problem_.limits.maximum))
      flag += IDASetMaxStep(m, problem_.limits.maximum);
    usable_ = flag == 0;
  }
  Status step(double aim, bool stop) override {
    if (!usable_) {
      if (message.empty()) message = "the settings of the integration make no sense";
      return Status::failed;
    }
    double reached = t_;
    if (stop) IDASetStopTime(memory_.get(), aim);
    const int flag = IDASolve(memory_.get(), aim, &reached, x_.get(), slope_.get(), IDA_ONE_STEP);
    return ended(flag, reached);
  }
  void interpolate(double t, double* x) override {
    IDAGetDky(memory_.get(), std::clamp(t, t_old_, t_), 0, dense_.get());
    copy_dense(x);
  }

 private:
  static int residual(double t, N_Vector x, N_Vector dx, N_Vector r, void* self) {
    const auto& f = static_cast<PlainIda*>(self)->problem_.residual;
    return sign_of(f.function(t, N_VGetArrayPointer(x), N_VGetArrayPointer(dx), N_VGetArrayPointer(r), f.user));
  }

  DaeProblem problem_;
  Vector slope_;
  std::unique_ptr<void, FreePlainIda> memory_;
  bool usable_ = false;
};

}  // namespace

std::unique_ptr<PlainStepper> make_plain_cvode(PlainMethod method, Problem problem, double t, const double* x) {
  return std::make_unique<PlainCvode>(method, std::move(problem), t, x);
}

std::unique_ptr<PlainStepper> make_plain_ida(DaeProblem problem, double t, const double* x, const double* dx) {
  return std::make_unique<PlainIda>(std::move(problem), t, x, dx);
}

}  // namespace orrery::solve
