// SPDX-License-Identifier: Apache-2.0
// Looks at the derivative where a run broke down: growth without bound, a jump, stiffness, or nothing of the kind.
#include "sim/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/spectral_radius.h"

namespace orrery::sim {
namespace {

class Doctor {
 public:
  Doctor(const solve::Failure& failure, const solve::Integrator& integrator, const solve::Problem& problem,
         const solve::SolverInfo& solver)
      : failure_(failure), problem_(problem), solver_(solver), t_(integrator.time()) {
    const double* x = integrator.state();
    if (x != nullptr) x_.assign(x, x + problem.n);
    last_step_ = integrator.time() - integrator.previous_time();
    known_ = !x_.empty() && slope(t_, x_, f_);
  }

  Diagnosis look() {
    const solve::FailureCode code = failure_.code;
    const bool has_state = failure_.state >= 0 && failure_.state < problem_.n && !x_.empty();
    if (has_state) {
      const double x = x_[failure_.state];
      diagnosis_.notes.push_back(known_
                                     ? fmt::format("there it is {:.6g}, its derivative {:.6g}", x, f_[failure_.state])
                                     : fmt::format("there it is {:.6g}", x));
    }
    if (last_step_ > 0) diagnosis_.notes.push_back(fmt::format("the last step was {:.3g} s", last_step_));
    if (code == solve::FailureCode::step_underflow || code == solve::FailureCode::newton_convergence) {
      if (has_state && known_ && grows()) return std::move(diagnosis_);
      if (has_state && known_ && jumps()) return std::move(diagnosis_);
      if (known_ && is_stiff()) return std::move(diagnosis_);
    }
    diagnosis_.help = usual_help(code);
    return std::move(diagnosis_);
  }

 private:
  bool slope(double t, const std::vector<double>& x, std::vector<double>& f) const {
    f.resize(x.size());
    return problem_.rhs.function(t, x.data(), f.data(), problem_.rhs.user) == 0 &&
           std::all_of(f.begin(), f.end(), [](double v) { return std::isfinite(v); });
  }

  // x' = x^2 and its like: the time to double is nothing compared with the run.
  bool grows() {
    const double x = x_[failure_.state], f = f_[failure_.state];
    const double run = std::max(problem_.t_end_hint - t_, std::abs(t_));
    if (!(x * f > 0) || !(std::abs(x) < 1e-6 * run * std::abs(f)) || std::abs(x) < 1) return false;
    diagnosis_.notes.push_back(fmt::format("at this rate it doubles within {:.1e} s", x / f));
    diagnosis_.help =
        "the state grows without bound: look for a wrong sign or a missing limit in its feedback, or stop before this "
        "time";
    return true;
  }

  // Halves the way ahead towards the larger change: across a jump the change stays as the way shrinks, however steep a
  // smooth derivative is it goes with the way.
  bool jumps() {
    const double h = std::max({1e-9 * (1 + std::abs(t_)), 10 * last_step_, problem_.limits.minimum});
    double left = 0, right = h, before = f_[failure_.state], after = 0;
    if (!ahead(right, after)) return false;
    const double least = 0.5 * std::max(std::abs(after), std::abs(before));
    for (int k = 0; k < 20 && std::abs(after - before) >= least; ++k) {
      const double middle = left + (right - left) / 2;
      double there = 0;
      if (t_ + middle == t_ + left || t_ + middle == t_ + right) break;
      if (!ahead(middle, there)) return false;
      const bool later = std::abs(after - there) > std::abs(there - before);
      (later ? left : right) = middle;
      (later ? before : after) = there;
    }
    if (std::abs(after - before) < least) return false;
    diagnosis_.notes.push_back(fmt::format("at t = {:.12g} its derivative goes from {:.6g} to {:.6g} within {:.1e} s",
                                           t_ + right, before, after, right - left));
    diagnosis_.help =
        "a jump is hidden from the solver: use a block that declares it (Switch2, ZeroCross, a comparison in a "
        "MathExpression), or bound the step with hmax";
    return true;
  }

  // The derivative of the failing state on the tangent, s seconds ahead.
  bool ahead(double s, double& derivative) const {
    std::vector<double> later(x_), f;
    for (std::size_t i = 0; i < x_.size(); ++i) later[i] += s * f_[i];
    if (!slope(t_ + s, later, f)) return false;
    derivative = f[failure_.state];
    return true;
  }

  bool is_stiff() {
    if (solver_.implicit) return false;
    const double radius = solve::SpectralRadius(problem_).estimate(t_, x_.data());
    if (!(std::max(last_step_, problem_.limits.minimum) * radius > 1)) return false;
    diagnosis_.notes.push_back(
        fmt::format("the fastest part of the model has a time constant of {:.1e} s", 1 / radius));
    diagnosis_.help = "the model is stiff here: choose radau or cvode-bdf-newton";
    return true;
  }

  // Recommends no solver that is the one that failed.
  std::string usual_help(solve::FailureCode code) const {
    switch (code) {
      case solve::FailureCode::step_underflow:
        return std::string(
                   "the solution may be singular here, or a jump is not declared as an event: look at this state") +
               (solver_.implicit ? "" : "; a stiff model needs a stiff solver");
      case solve::FailureCode::nan_derivative:
        return "look for a division by zero, a root or logarithm of a negative number, or overflow in what this state "
               "depends on";
      case solve::FailureCode::newton_convergence:
        return fmt::format(
            "the equations may have no solution near here: look at this state, try {}, a smaller hmax or another "
            "tolerance",
            solver_.method == solve::Method::radau ? "cvode-bdf-newton" : "radau");
      case solve::FailureCode::derivative_failed:
        return "something the model calls refuses these values: see the notes of that block";
      case solve::FailureCode::jacobian_failed: return "look for a function that has no derivative at these values";
      case solve::FailureCode::tolerance_too_small:
        return "choose rtol not below 1e-13, and atol for the size of the states";
      case solve::FailureCode::projection_failed:
        return "check that the initial values fulfil the constraints, and the constraints each other";
      case solve::FailureCode::bad_solver_setting: return "`orrery show solvers` lists the settings of each solver";
      case solve::FailureCode::singular_start:
      case solve::FailureCode::solver_error: break;  // their own messages say all there is
    }
    return {};
  }

  const solve::Failure& failure_;
  const solve::Problem& problem_;
  const solve::SolverInfo& solver_;
  double t_, last_step_ = 0;
  std::vector<double> x_, f_;
  bool known_ = false;
  Diagnosis diagnosis_;
};

}  // namespace

Diagnosis diagnose(const solve::Failure& failure, const solve::Integrator& integrator, const solve::Problem& problem,
                   const solve::SolverInfo& solver) {
  return Doctor(failure, integrator, problem, solver).look();
}

}  // namespace orrery::sim
