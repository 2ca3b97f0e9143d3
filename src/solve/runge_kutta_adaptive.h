// SPDX-License-Identifier: Apache-2.0
// Embedded explicit Runge–Kutta pairs with error-controlled steps.
//
// Step control is the PI controller of Gustafsson in the form of Hairer's DOPRI5 (HNW II, section IV.2):
//   h_new = h * 0.9 * err^-(1/5 - 0.75 beta) * err_old^beta,  beta = 0.04
// written with the logarithm of err^2, which saves the root and one of two powers in every step.
#pragma once

#include <array>
#include <string>

#include "base/check.h"
#include "solve/projector.h"
#include "solve/stages.h"
#include "solve/step_rules.h"

namespace orrery::solve {

template <class Table>
class AdaptiveRungeKutta final : public Integrator {
 public:
  AdaptiveRungeKutta(const SolverInfo& info, Problem problem);

  Status start(double t, const double* x, bool keep_step) override;
  Status step(double t_stop) override;
  double time() const override { return at_.t; }
  double previous_time() const override { return at_.t_old; }
  const double* state() const override { return stages_.state(); }
  void interpolate(double t, double* x) override;
  void watch(std::span<const int> which) override { stages_.watch(which); }
  void interpolate_watched(double t, double* x) override;
  int dense_degree() const override { return stages_.dense_degree(); }
  const Statistics& statistics() const override {
    statistics_.evaluations = stages_.evaluations;
    return statistics_;
  }
  const Failure& failure() const override { return failure_; }
  bool save(std::vector<std::byte>& out) const override;
  bool restore(std::span<const std::byte> in) override;

 private:
  // Everything that decides the next step besides the vectors.
  struct At {
    int id = Table::id, n = 0;
    double t = std::numeric_limits<double>::quiet_NaN(), t_old = t, h = 0;
    double h_next = 0;             // 0: not chosen yet
    double log_error = log_floor;  // log(err^2) of the last step that the error alone decided
  };

  // Without the second term for the method of order 8, as in Hairer's DOP853, but with more caution than its 0.9: with
  // long steps the error grows so fast that every fifth step would be taken in vain.
  static constexpr double beta = Table::order > 5 ? 0 : 0.04;
  static constexpr double exponent = 1.0 / Table::order - 0.75 * beta;
  static constexpr double least_factor = 0.2, greatest_factor = 10;
  static constexpr double notable_shrink = 0.8;
  static constexpr double log_safety =
      Table::order > 5 ? -0.2231435513142097 : -0.10536051565782628;  // log(0.8 or 0.9)
  static constexpr double log_floor = -18.420680743952367;            // log(1e-4^2): errors below tell nothing
  static constexpr double negligible = 1e-18;                         // err^2 with which a step grows as much as it may
  static_assert(log_safety + 0.5 * (beta * log_floor + exponent * 41.4) > 2.303, "log(greatest_factor)");

  template <class Value>
  double squared_error(double h) const;
  double initial_step(double t_stop);
  int worst_state(double h) const;
  // The step of size h did not succeed: makes h smaller. False: given up.
  bool shrink(double& h, int code, double squared);
  Status give_up(FailureCode code, std::string message, int state);

  Problem problem_;
  Stages<Table> stages_;
  double share_;    // of one state in the mean
  double largest_;  // step
  std::unique_ptr<Projector> projector_;
  At at_;
  std::optional<Failure> bad_settings_;
  mutable Statistics statistics_;
  Failure failure_;
};

template <class Table>
AdaptiveRungeKutta<Table>::AdaptiveRungeKutta(const SolverInfo& info, Problem problem)
    : problem_(std::move(problem)),
      stages_(problem_.n, problem_.rhs),
      share_(1.0 / problem_.n),
      largest_(largest_step(problem_.limits)),
      projector_(Projector::make(problem_)),
      bad_settings_(check_settings(info, problem_)) {
  at_.n = problem_.n;
  statistics_.limiting.assign(static_cast<std::size_t>(problem_.n), 0);
  const Tolerance& tolerance = problem_.tolerance;
  if (bad_settings_) return;
  for (int i = 0; i < problem_.n; ++i) {
    const double absolute = tolerance.absolute_per_state.empty() ? tolerance.absolute : tolerance.absolute_per_state[i];
    // A state that stays at zero with a purely relative tolerance must not divide zero by zero.
    stages_.tolerance()[i] = std::max(absolute, 1e-300);
  }
}

template <class Table>
Status AdaptiveRungeKutta<Table>::start(double t, const double* x, bool keep_step) {
  ++statistics_.restarts;
  stages_.set_state(x);
  at_.t = at_.t_old = t;
  at_.h = 0;
  if (!keep_step) at_.h_next = 0;
  at_.log_error = log_floor;
  if (bad_settings_) {
    failure_ = *bad_settings_;
    return Status::failed;
  }
  const int code = stages_.evaluate_begin(t);
  if (code != 0) {
    return give_up(FailureCode::derivative_failed, "the derivative cannot be evaluated at the initial point", -1);
  }
  double zero = 0;
  for (int i = 0; i < problem_.n; ++i) zero += 0 * stages_.slope(0)[i];
  if (zero == 0) [[likely]]
    return Status::ok;
  int worst = 0;
  while (std::isfinite(stages_.slope(0)[worst])) ++worst;
  return give_up(FailureCode::nan_derivative, "the derivative is not finite at the initial point", worst);
}

// Mean of the squared scaled errors; not a number or infinite when anything in the step is. With two estimates it is
// e^2 e^2 / (e^2 + 0.01 r^2), which shrinks with the order of the method (HNW II.10).
template <class Table>
template <class Value>
inline __attribute__((always_inline)) double AdaptiveRungeKutta<Table>::squared_error(double h) const {
  constexpr int lanes = lane_count(Value{});
  const auto k = [this] {
    if constexpr (lanes == 1) {
      return stages_.near_slopes();
    } else {
      std::array<const double*, Table::stages + 1> slopes;
      for (int j = 0; j <= Table::stages; ++j) slopes[static_cast<std::size_t>(j)] = stages_.slope(j);
      return slopes;
    }
  }();
  const double* x = stages_.begin();
  const double* y = stages_.end();
  const double* absolute = stages_.tolerance();
  const double relative = problem_.tolerance.relative;
  constexpr bool two_estimates = requires { Table::rough_error; };
  Value sum{}, rough_sum{};
  for (int i = 0; i < problem_.n; i += lanes) {
    const Value error = h * weighted_sum<Value, Table::error>(k, i);
    const Value y_i = value_at<Value>(y + i);
    const Value scale = value_at<Value>(absolute + i) + relative * larger_magnitude(value_at<Value>(x + i), y_i);
    // The last term is zero unless y overflowed, which the scale would hide.
    const auto square = [](Value a) { return a * a; };
    if constexpr (two_estimates) {
      const Value inverse = 1.0 / scale;
      sum += square(error * inverse) + 0.0 * y_i;
      rough_sum += square(h * weighted_sum<Value, Table::rough_error>(k, i) * inverse);
    } else {
      sum += square(error / scale) + 0.0 * y_i;
    }
  }
  double squared = lane_sum(sum);
  if constexpr (two_estimates) {
    const double both = squared + 0.01 * lane_sum(rough_sum);
    if (both != 0) squared *= squared / both;
  }
  return squared * share_;
}

template <class Table>
Status AdaptiveRungeKutta<Table>::step(double t_stop) {
  ORRERY_CHECK(t_stop >= at_.t);
  if (t_stop == at_.t || bad_settings_) return bad_settings_ ? Status::failed : Status::ok;
  stages_.open_step();
  const double t = at_.t;
  at_.t_old = t;
  if (stages_.evaluate_begin(t) != 0) {
    return give_up(FailureCode::derivative_failed, "the derivative cannot be evaluated at the end of the last step",
                   -1);
  }
  if (at_.h_next <= 0) at_.h_next = initial_step(t_stop);
  const double largest = largest_;
  double h = std::clamp(at_.h_next, std::min(smallest_step(t, problem_.limits), largest), largest);
  for (bool rejected = false;; rejected = true) {
    const double wanted = h;
    // A last step a little longer is better than a very short one after it.
    const double remaining = t_stop - t;
    const bool last = remaining <= 1.01 * h && remaining <= largest * (1 + 1e-6);
    if (last) h = remaining;
    const double t_new = last ? t_stop : std::min(t + h, t_stop);
    int code = stages_.evaluate(t, h);
    if constexpr (Table::error[Table::stages] != 0) {
      if (code == 0) code = stages_.evaluate_end(t_new);
    }
    const bool one_by_one = problem_.n <= most_states_one_by_one;
    const double squared = code != 0 ? 0 : one_by_one ? squared_error<double>(h) : squared_error<Pair>(h);
    if (code != 0 || !(squared <= 1)) {
      if (!shrink(h, code, squared)) return Status::failed;
      continue;
    }
    if (projector_ != nullptr) {
      const int projected = projector_->project(t_new, stages_.move_end());
      if (projected != 0) {
        if (shrink(h, projected, 0)) continue;
        return give_up(FailureCode::projection_failed, off_constraints, -1);
      }
    }
    stages_.accept();
    ++statistics_.steps;
    const double log_error = squared <= negligible ? log_floor : rough_log(squared);
    double factor = greatest_factor;
    if (squared > negligible) factor = rough_exp(log_safety + 0.5 * (beta * at_.log_error - exponent * log_error));
    factor = std::clamp(factor, least_factor, rejected ? 1.0 : greatest_factor);
    if (factor < notable_shrink) ++statistics_.limiting[worst_state(h)];
    // A step cut short by t_stop says nothing against the size that was wanted.
    const bool cut = last && h < wanted;
    at_.h_next = cut && factor >= 1 ? std::max(wanted, h * factor) : h * factor;
    if (!cut) at_.log_error = std::max(log_error, log_floor);
    at_.h = h;
    at_.t = t_new;
    return Status::ok;
  }
}

template <class Table>
bool AdaptiveRungeKutta<Table>::shrink(double& h, int code, double squared) {
  if (code < 0) {
    static_cast<void>(give_up(FailureCode::derivative_failed, "the derivative reported a failure", -1));
    return false;
  }
  const bool by_error = code == 0 && std::isfinite(squared);
  double factor = least_factor;
  int worst = -1;
  if (by_error) {
    ++statistics_.rejected_error;
    worst = worst_state(h);
    ++statistics_.limiting[worst];
    factor = std::max(least_factor, rough_exp(log_safety - 0.5 * exponent * rough_log(squared)));
  } else {
    ++statistics_.rejected_other;
  }
  const double smallest = smallest_step(at_.t, problem_.limits);
  if (h > smallest) {
    h = std::max(h * factor, smallest);
    return true;
  }
  if (by_error) {
    static_cast<void>(give_up(FailureCode::step_underflow,
                              "the error stays above the tolerance with the smallest step allowed", worst));
  } else if (code > 0) {
    static_cast<void>(
        give_up(FailureCode::derivative_failed, "the derivative is not defined right after this point", -1));
  } else {
    worst = stages_.first_not_finite();
    static_cast<void>(
        give_up(FailureCode::nan_derivative, "the derivative is not finite right after this point", worst));
  }
  return false;
}

template <class Table>
Status AdaptiveRungeKutta<Table>::give_up(FailureCode code, std::string message, int state) {
  failure_ = Failure{code, std::move(message), state, at_.t};
  return Status::failed;
}

template <class Table>
int AdaptiveRungeKutta<Table>::worst_state(double h) const {
  int worst = 0;
  double largest = -1;
  for (int i = 0; i < problem_.n; ++i) {
    const double magnitude = std::max(std::abs(stages_.begin()[i]), std::abs(stages_.end()[i]));
    const double ratio =
        std::abs(stages_.error_of(i, h)) / (stages_.tolerance()[i] + problem_.tolerance.relative * magnitude);
    if (ratio > largest) {
      largest = ratio;
      worst = i;
    }
  }
  return worst;
}

// HNW I, section II.4, "starting step size". The trial state and slope live in the vectors of the step to come.
template <class Table>
double AdaptiveRungeKutta<Table>::initial_step(double t_stop) {
  if (problem_.limits.initial > 0) return problem_.limits.initial;
  const double t_end = std::max(problem_.t_end_hint, t_stop);
  const double limit = std::min(t_end - at_.t, largest_step(problem_.limits));
  const int n = problem_.n;
  const double* x = stages_.begin();
  const double* f0 = stages_.slope(0);
  const auto norm = [&](auto&& value) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const double ratio = value(i) / (stages_.tolerance()[i] + problem_.tolerance.relative * std::abs(x[i]));
      sum += ratio * ratio;
    }
    return std::sqrt(sum / n);
  };
  const double size_x = norm([&](int i) { return x[i]; });
  const double size_f = norm([&](int i) { return f0[i]; });
  double h = size_x < 1e-5 || size_f < 1e-5 ? 1e-6 : 0.01 * size_x / size_f;
  h = std::max(std::min(h, limit), smallest_step(at_.t, problem_.limits));
  const double* f1 = stages_.trial_slope(at_.t + h, h);
  if (f1 == nullptr) return h;
  const double curvature = norm([&](int i) { return f1[i] - f0[i]; }) / h;
  const double largest = std::max(curvature, size_f);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / largest, 1.0 / Table::order);
  const double chosen = std::min({100 * h, h1, limit});
  return std::isfinite(chosen) && chosen > 0 ? chosen : h;
}

template <class Table>
void AdaptiveRungeKutta<Table>::interpolate(double t, double* x) {
  const bool at_end = t >= at_.t || at_.t == at_.t_old;
  if (at_end || t <= at_.t_old) {
    std::copy_n(at_end ? stages_.state() : stages_.begin(), problem_.n, x);
    return;
  }
  stages_.interpolate(at_.t_old, at_.h, (t - at_.t_old) / at_.h, x);
}

template <class Table>
void AdaptiveRungeKutta<Table>::interpolate_watched(double t, double* x) {
  if (t >= at_.t || t <= at_.t_old || at_.t == at_.t_old) return interpolate(t, x);
  stages_.interpolate_watched(at_.t_old, at_.h, (t - at_.t_old) / at_.h, x);
}

template <class Table>
bool AdaptiveRungeKutta<Table>::save(std::vector<std::byte>& out) const {
  out.resize(sizeof(At));
  std::memcpy(out.data(), &at_, sizeof(At));
  stages_.save(out);
  return true;
}

template <class Table>
bool AdaptiveRungeKutta<Table>::restore(std::span<const std::byte> in) {
  if (in.size() != sizeof(At) + stages_.saved_size()) return false;
  At at;
  std::memcpy(&at, in.data(), sizeof(At));
  if (at.id != Table::id || at.n != problem_.n) return false;
  at_ = at;
  stages_.restore(in.subspan(sizeof(At)));
  return true;
}

}  // namespace orrery::solve
