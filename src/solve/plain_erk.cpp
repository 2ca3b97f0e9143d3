// SPDX-License-Identifier: Apache-2.0
// Zonneveld's explicit pair with the adaptivity of ARKODE (D. R. Reynolds et al., User Documentation for ARKODE,
// section "Time step adaptivity"): the PI controller with the values of ERKStep.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/plain_stepper.h"

namespace orrery::solve {
namespace {

constexpr int zonneveld_stages = 5;
constexpr double zonneveld_node[zonneveld_stages] = {0, 0.5, 0.5, 1, 0.75};
constexpr double matrix[zonneveld_stages][zonneveld_stages - 1] = {
    {0, 0, 0, 0}, {0.5, 0, 0, 0}, {0, 0.5, 0, 0}, {0, 0, 1, 0}, {5.0 / 32, 7.0 / 32, 13.0 / 32, -1.0 / 32}};
constexpr double weight[zonneveld_stages] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6, 0};
constexpr double embedded[zonneveld_stages] = {-0.5, 7.0 / 3, 7.0 / 3, 13.0 / 6, -16.0 / 3};
constexpr double embedded_order = 3;

constexpr double round_off = std::numeric_limits<double>::epsilon();
constexpr double safety = 0.99, bias = 1.2, growth = 25, first_growth = 10000, least_shrink = 0.1,
                 shrink_after_failures = 0.3;
constexpr double fixed_above = 1, fixed_below = 1.5, one_less = 1 - 1e-6, one_more = 1 + 1e-6, tiny = 1e-10;
constexpr int failures_before_shrink = 2, most_failures = 7;

class PlainErk final : public PlainStepper {
 public:
  PlainErk(Problem problem, double t, const double* x)
      : problem_(std::move(problem)), t_(t), t_old_(t), x_(x, x + problem_.n), x_old_(x_), trial_(x_), error_(x_) {
    for (auto& f : slope_) f.resize(x_.size());
    start_slope_.resize(x_.size());
    end_slope_.resize(x_.size());
  }

  Status step(double aim, bool stop) override {
    if (first_) {
      if (!derivative(t_, x_, end_slope_)) return Status::failed;
      h_ = problem_.limits.initial > 0 ? problem_.limits.initial : first_step(aim);
      if (h_ <= 0) return Status::failed;
      h_ = limited(h_);
      first_ = false;
    }
    if (stop && t_ + h_ > aim) h_ = (aim - t_) * (1 - 4 * round_off);
    t_old_ = t_;
    x_old_ = x_;
    start_slope_ = end_slope_;
    for (int failures = 0;;) {
      if (!run_stages()) return Status::failed;
      const double norm = weighted_norm(error_);
      const double eta = factor(norm);
      if (norm <= 1) {
        accept(norm, eta, aim, stop);
        return derivative(t_, x_, end_slope_) ? Status::ok : Status::failed;
      }
      if (++failures >= most_failures) {
        message = "the error test failed too often";
        return Status::failed;
      }
      most_growth_ = 1;
      h_ = limited(h_ * (failures >= failures_before_shrink ? std::min(eta, shrink_after_failures) : eta));
      if (!(h_ > 4 * round_off * std::abs(t_)) && t_ != 0) {
        message = "the step has become too small";
        return Status::failed;
      }
    }
  }
  double time() const override { return t_; }
  double previous_time() const override { return t_old_; }
  const double* state() const override { return x_.data(); }

  void interpolate(double t, double* x) override {
    const double h = t_ - t_old_, u = h == 0 ? 1 : (t - t_old_) / h;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x[i] = (1 + 2 * u) * (1 - u) * (1 - u) * x_old_[i] + u * u * (3 - 2 * u) * x_[i] +
             h * u * (1 - u) * ((1 - u) * start_slope_[i] - u * end_slope_[i]);
    }
  }

 private:
  using Vec = std::vector<double>;

  double tolerance(std::size_t i, double x) const {
    const auto& each = problem_.tolerance.absolute_per_state;
    return problem_.tolerance.relative * std::abs(x) + (each.empty() ? problem_.tolerance.absolute : each[i]);
  }
  // By the values at the start of the step.
  double weighted_norm(const Vec& v) const {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double r = v[i] * (1 / tolerance(i, x_old_[i]));
      sum += r * r;
    }
    return std::sqrt(sum / static_cast<double>(v.size()));
  }
  bool derivative(double t, const Vec& x, Vec& dx) {
    if (problem_.rhs.function(t, x.data(), dx.data(), problem_.rhs.user) == 0) return true;
    message = "the derivatives could not be computed";
    return false;
  }
  double limited(double h) const { return problem_.limits.maximum > 0 ? std::min(h, problem_.limits.maximum) : h; }

  // From an estimate of the second derivative, as CVODE and ARKODE do.
  double first_step(double aim) {
    const double span = aim - t_, low = 100 * round_off * std::max(std::abs(t_), std::abs(aim));
    double inverse = 0;
    for (std::size_t i = 0; i < x_.size(); ++i)
      inverse = std::max(inverse, std::abs(end_slope_[i]) / (0.1 * std::abs(x_[i]) + tolerance(i, x_[i])));
    double high = 0.1 * span;
    if (high * inverse > 1) high = 1 / inverse;
    double guess = std::sqrt(low * high), found = guess;
    if (high < low) return guess;
    bool good = false;
    for (int turn = 1; turn <= 4; ++turn) {
      for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + guess * end_slope_[i];
      if (!derivative(t_ + guess, trial_, error_)) return 0;
      for (std::size_t i = 0; i < x_.size(); ++i) error_[i] = (error_[i] - end_slope_[i]) / guess;
      x_old_ = x_;
      const double curvature = weighted_norm(error_);
      if (good || turn == 4) {
        found = guess;
        break;
      }
      found = curvature * high * high > 2 ? std::sqrt(2 / curvature) : std::sqrt(guess * high);
      const double ratio = found / guess;
      if (ratio > 0.5 && ratio < 2) good = true;
      if (turn > 1 && ratio > 2) {
        found = guess;
        good = true;
      }
      guess = found;
    }
    return std::clamp(0.5 * found, low, high);
  }

  // As ARKODE sums, slopes first and the state last: in tiny first steps the estimate of the error is rounding alone,
  // and what it says grows with the steps.
  void advance(const double* coefficients, int count, Vec& x) const {
    std::fill(x.begin(), x.end(), 0.0);
    for (int k = 0; k < count; ++k) {
      const double c = h_ * coefficients[k];
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += c * slope_[k][i];
    }
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += x_old_[i];
  }

  bool run_stages() {
    slope_[0] = start_slope_;
    for (int s = 1; s < zonneveld_stages; ++s) {
      advance(matrix[s], s, trial_);
      if (!derivative(t_old_ + zonneveld_node[s] * h_, trial_, slope_[s])) return false;
    }
    advance(weight, zonneveld_stages, trial_);
    std::fill(error_.begin(), error_.end(), 0.0);
    for (int k = 0; k < zonneveld_stages; ++k) {
      const double c = h_ * (weight[k] - embedded[k]);
      for (std::size_t i = 0; i < error_.size(); ++i) error_[i] += c * slope_[k][i];
    }
    return true;
  }

  // What the step is multiplied by: PI control, growth kept within its limits, small changes left out.
  double factor(double norm) const {
    const double now = std::max(bias * norm, tiny), before = std::max(last_error_, tiny);
    double h = h_ * std::pow(now, -0.8 / embedded_order) * std::pow(before, 0.31 / embedded_order);
    h *= safety;
    h = std::max(std::min(h, most_growth_ * h_), least_shrink * h_);
    if (norm <= 1 && h > h_ * fixed_above * one_less && h < h_ * fixed_below * one_more) h = h_;
    return h / h_;
  }

  void accept(double norm, double eta, double aim, bool stop) {
    t_ = t_old_ + h_;
    if (stop && (t_ > aim || std::abs(t_ - aim) <= 100 * round_off * (std::abs(t_) + std::abs(h_)))) t_ = aim;
    x_ = trial_;
    last_error_ = bias * norm;
    h_ = limited(h_ * eta);
    most_growth_ = growth;
  }

  Problem problem_;
  double t_, t_old_, h_ = 0;
  Vec x_, x_old_, trial_, error_, start_slope_, end_slope_;
  Vec slope_[zonneveld_stages];
  double last_error_ = 1, most_growth_ = first_growth;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<PlainStepper> make_plain_erk(Problem problem, double t, const double* x) {
  return std::make_unique<PlainErk>(std::move(problem), t, x);
}

}  // namespace orrery::solve
