// SPDX-License-Identifier: Apache-2.0
// The L-stable SDIRK method of order 4 with 5 stages and an embedded formula of order 3.
//
// Hairer and Wanner, Solving ODEs II, table IV.6.5, gamma = 1/4:
//   1/4   | 1/4
//   3/4   | 1/2       1/4
//   11/20 | 17/50    -1/25      1/4
//   1/2   | 371/1360 -137/2720  15/544  1/4
//   1     | 25/24    -49/48     125/16 -85/12  1/4
//   x1    | 25/24    -49/48     125/16 -85/12  1/4
//   error | -3/16    -27/32     25/32   0      1/4
// One real matrix 1 / (gamma h) M - J serves all stages, which are solved one after the other. Dense output is the
// cubic with the slopes of the last stages of this step and the one before.
#include "solve/sdirk.h"

#include <algorithm>
#include <cmath>

#include "solve/one_step_dae.h"

namespace orrery::solve {

namespace {

constexpr int stages = 5;
constexpr double gamma_ = 0.25;
constexpr double node[stages] = {0.25, 0.75, 0.55, 0.5, 1};
constexpr double a[stages][stages] = {{},
                                      {0.5},
                                      {17.0 / 50, -1.0 / 25},
                                      {371.0 / 1360, -137.0 / 2720, 15.0 / 544},
                                      {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12}};
constexpr double error_weight[stages] = {-3.0 / 16, -27.0 / 32, 25.0 / 32, 0, 0.25};
// The first guess of each slope, from the slope at the beginning and the stages before: polynomials through them.
constexpr double guess[stages][stages] = {
    {1}, {-2, 3}, {-8.0 / 25, 22.0 / 25, 11.0 / 25}, {-1.0 / 33, 1.0 / 6, -1.0 / 12, 125.0 / 132}, {0, 1, 3, 0, -3}};

class SdirkStages {
 public:
  static constexpr int id = 120;

  struct At {
    double h = 0;     // of the accepted step, 0: none
    double rate = 1;  // theta / (1 - theta) of the last Newton iteration
  };
  struct Step {
    double t, h;
    const double *x, *f0;
  };

  explicit SdirkStages(ImplicitProblem& system) : system_(system), matrix_(system.structure) {
    const std::size_t n = static_cast<std::size_t>(system.n());
    polynomial.resize(3 * n);
    k_.resize(stages * n);
    for (auto* v : {&known_, &z_, &d_, &f_, &begin_, &stage_x_, &error_}) v->resize(n);
  }

  bool factor(At&, double h) { return matrix_.factor(1 / (gamma_ * h), system_.jacobian.data()); }
  void refactor(At& at, double h) { factor(at, h); }
  bool factors_fit(const At&) const { return true; }
  void divide(double* v) { matrix_.solve(v); }
  int singular_column() const { return matrix_.singular_column(); }
  int worst_moved() const { return worst_moved_; }
  int most_iterations(const At&) const { return 7; }
  int error_order(const At&) const { return 4; }
  const std::vector<double>& error_vector() const { return error_; }
  bool choose_order(At&, const StageResult&, double) const { return false; }

  void start_slope(const double* dx) { std::copy_n(dx, system_.n(), polynomial.begin() + 2 * system_.n()); }

  StageResult attempt(At& at, const Step& step, double accuracy, bool) {
    // The slope that the last stage left behind is smoother than the derivative of a stiff problem, evaluated anew.
    const bool known = at.h > 0 || !system_.identity_mass();  // with a mass matrix f0 is no slope
    std::copy_n(known ? polynomial.data() + 2 * system_.n() : step.f0, system_.n(), begin_.begin());
    StageResult result;
    for (int s = 0; s < stages; ++s) {
      solve_stage(at, step, s, accuracy, result);
      if (result.outcome != StageResult::Outcome::converged) {
        at.rate = 1;
        return result;
      }
    }
    estimate_error();
    result.error = system_.norm(error_.data());
    return result;
  }

  void end_state(const At&, const double* x, double* x_new) const {
    for (int i = 0; i < system_.n(); ++i) x_new[i] = x[i] + z_[i];
  }

  void accept(At& at, double h, const double* move) {
    const int n = system_.n();
    for (int i = 0; i < n; ++i) {
      polynomial[i] = z_[i] + (move != nullptr ? move[i] : 0);
      polynomial[n + i] = begin_[i];
      polynomial[2 * n + i] = k(4)[i];
    }
    at.h = h;
  }

  void interpolate(const At& at, double s, const double* x, double* result) const {
    const int n = system_.n();
    const double *d = polynomial.data(), *f0 = d + n, *f1 = f0 + n;
    for (int i = 0; i < n; ++i) {
      const double p = at.h * f0[i] - d[i], q = d[i] - at.h * f1[i] - p;
      result[i] = x[i] + s * (d[i] + (1 - s) * (p + s * q));
    }
  }

  static int dense_degree(const At&) { return 3; }

  void interpolate_slope(const At& at, double s, double* result) const {
    const int n = system_.n();
    const double *d = polynomial.data(), *f0 = d + n, *f1 = f0 + n;
    for (int i = 0; i < n; ++i) {
      const double p = at.h * f0[i] - d[i], q = d[i] - at.h * f1[i] - p;
      result[i] = (d[i] + (1 - 2 * s) * p + s * (2 - 3 * s) * q) / at.h;
    }
  }

  std::vector<double> polynomial;  // of the accepted step: the move, the slopes at both ends

 private:
  double* k(int s) { return k_.data() + static_cast<std::ptrdiff_t>(s) * system_.n(); }

  void begin_stage(const Step& step, int s) {
    const int n = system_.n();
    for (int i = 0; i < n; ++i) {
      double sum = 0, slope = guess[s][0] * begin_[i];
      for (int j = 0; j < s; ++j) sum += a[s][j] * k(j)[i];
      for (int j = 1; j <= s && j < stages; ++j) slope += guess[s][j] * k(j - 1)[i];
      known_[i] = step.h * sum;
      z_[i] = known_[i] + gamma_ * step.h * slope;
    }
  }

  // z = known + gamma h f(x + z), then k = (z - known) / (gamma h). The worst stage counts for the rate.
  void solve_stage(At& at, const Step& step, int s, double accuracy, StageResult& result) {
    using Outcome = StageResult::Outcome;
    const int n = system_.n(), limit = most_iterations(at);
    const double c = 1 / (gamma_ * step.h);
    begin_stage(step, s);
    double last = 0;
    at.rate = std::pow(std::max(at.rate, std::numeric_limits<double>::epsilon()), 0.8);
    for (int count = 1;; ++count) {
      for (int i = 0; i < n; ++i) stage_x_[i] = step.x[i] + z_[i];
      result.outcome = Outcome::trouble;
      if (system_.slope(step.t + node[s] * step.h, stage_x_.data(), f_.data()) != 0) return;
      for (int i = 0; i < n; ++i) stage_x_[i] = c * (z_[i] - known_[i]);
      system_.multiply_mass(stage_x_.data(), d_.data());
      for (int i = 0; i < n; ++i) d_[i] = f_[i] - d_[i];
      matrix_.solve(d_.data());
      ++result.iterations;
      const double size = system_.norm(d_.data());
      worst_moved_ = system_.worst(d_.data());
      result.outcome = Outcome::diverged;
      if (!std::isfinite(size)) return;
      if (count > 1) {
        const double theta = size / last;
        result.theta = std::max(result.theta, theta);
        if (theta >= 0.99 || count >= limit) return;
        at.rate = theta / (1 - theta);
        const double expected = at.rate * size * std::pow(theta, limit - 1 - count) / accuracy;
        if (expected >= 1) {
          result.outcome = Outcome::slow;
          result.shrink = 0.8 * std::pow(std::min(expected, 20.0), -1.0 / (3 + limit - count));
          return;
        }
      }
      last = std::max(size, std::numeric_limits<double>::epsilon());
      for (int i = 0; i < n; ++i) z_[i] += d_[i];
      if (at.rate * size <= accuracy) break;
    }
    result.outcome = Outcome::converged;
    for (int i = 0; i < n; ++i) k(s)[i] = c * (z_[i] - known_[i]);
  }

  // Filtered by the matrix, as for Radau: stiff components would be overestimated.
  void estimate_error() {
    const int n = system_.n();
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < stages; ++j) sum += error_weight[j] * k(j)[i];
      stage_x_[i] = sum / gamma_;
    }
    system_.multiply_mass(stage_x_.data(), error_.data());
    matrix_.solve(error_.data());
  }

  ImplicitProblem& system_;
  ShiftedMatrix<double> matrix_;
  std::vector<double> k_, known_, z_, d_, f_, begin_, stage_x_, error_;
  int worst_moved_ = -1;
};

}  // namespace

std::unique_ptr<Integrator> make_sdirk(const SolverInfo& info, Problem problem, MassMatrix mass) {
  return std::make_unique<AdaptiveImplicit<SdirkStages>>(info, std::move(problem), std::move(mass));
}

std::unique_ptr<DaeIntegrator> make_sdirk_dae(const SolverInfo& info, DaeProblem problem) {
  return std::make_unique<OneStepDae<SdirkStages>>(info, std::move(problem));
}

}  // namespace orrery::solve
