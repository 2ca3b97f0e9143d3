// SPDX-License-Identifier: Apache-2.0
// Residuals 0 = x' - f and 0 = g, their matrix from the exact derivatives of f and g, and the start.
#include "sim/implicit_integrator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sim/steep_slopes.h"
#include "solve/projector.h"

namespace orrery::sim {
namespace {

// The vector is x followed by the unknowns. Multistep methods work on F(t, x, x') = 0 as it is, so there an unknown
// that is the derivative of a state, as it stands, is x' itself and neither an element of the vector nor an equation.
class ImplicitIntegrator final : public solve::Integrator {
 public:
  ImplicitIntegrator(const solve::SolverInfo& info, ImplicitModel model, const solve::Problem& problem)
      : model_(std::move(model)), states_(model_.machine.state_count()) {
    for (std::uint32_t k : model_.machine.continuous_loops()) {
      const LoopCode& loop = model_.machine.loops()[k];
      unknowns_.insert(unknowns_.end(), loop.offsets.begin(), loop.offsets.end());
    }
    place_unknowns(info.multistep);
    const std::size_t n = component_.size();
    for (auto* v : {&x_, &dx_, &inside_}) v->resize(n);
    derivative_.resize(states_);
    solve::DaeProblem dae;
    dae.n = static_cast<int>(n);
    dae.residual = {&ImplicitIntegrator::residual, this};
    dae.differential.assign(n, 0);
    std::fill_n(dae.differential.begin(), states_, char{1});
    dae.tolerance = problem.tolerance;
    dae.tolerance.absolute_per_state.resize(n, problem.tolerance.absolute);
    dae.control_algebraic = false;  // what is shown of the unknowns is solved again for the states
    dae.limits = problem.limits;
    dae.t_end_hint = problem.t_end_hint;
    projector_ = solve::Projector::make(problem);
    if (projector_) {
      scale_ = {problem.tolerance.relative, problem.tolerance.absolute, problem.tolerance.absolute_per_state};
      largest_drift_ = info.multistep ? 0.1 : 0.01;
      kept_.resize(states_);
      move_.assign(states_, 0.0);
    }
    steepest_ = steepest_slope(model_.horizon);
    difference_steps_ = problem.tolerance.absolute_per_state;
    difference_steps_.resize(states_ + unknowns_.size(), problem.tolerance.absolute);
    plan_matrix(dae);
    integrator_ = solve::make_dae_integrator(info, std::move(dae));
  }

  solve::Status start(double t, const double* x, bool keep_step) override {
    own_failure_ = true;
    moved_ = false;
    if (!model_.settle(t, x)) {
      failure_ = {solve::FailureCode::newton_convergence, "no consistent start was found", -1, t};
      return solve::Status::failed;
    }
    std::copy_n(x, states_, x_.begin());
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      if (!is_rate(u)) std::memcpy(&x_[place_[u]], model_.memory + unknowns_[u], sizeof(double));
    }
    std::fill(dx_.begin(), dx_.end(), 0.0);
    if (model_.derivative(t, x, dx_.data()) != 0) {
      failure_ = {solve::FailureCode::derivative_failed, "the derivative is not defined at the start", -1, t};
      return solve::Status::failed;
    }
    own_failure_ = false;
    return integrator_->start(t, x_.data(), dx_.data(), keep_step);
  }
  // Unknowns that a loose tolerance has let stray from their equations do not come back by smaller steps: they are
  // solved anew, once in a place.
  solve::Status step(double t_stop) override {
    if (moved_) {  // the motion goes on from where the states were put
      const std::vector<double> x = kept_;
      const solve::Status started = start(time(), x.data(), true);
      if (started != solve::Status::ok) return started;
    }
    const solve::Status status = plain_step(t_stop);
    return status == solve::Status::ok && projector_ ? keep_constraints() : status;
  }
  solve::Status plain_step(double t_stop) {
    const solve::Status status = integrator_->step(t_stop);
    const double t = integrator_->time();
    if (status == solve::Status::ok || t == solved_anew_at_ ||
        integrator_->failure().code != solve::FailureCode::newton_convergence)
      return status;
    solved_anew_at_ = t;
    const std::vector<double> x(integrator_->state(), integrator_->state() + states_);
    const solve::Status started = start(t, x.data(), false);
    return started == solve::Status::ok ? integrator_->step(t_stop) : started;
  }
  double time() const override { return integrator_->time(); }
  double previous_time() const override { return integrator_->previous_time(); }
  const double* state() const override { return moved_ ? kept_.data() : integrator_->state(); }
  void interpolate(double t, double* x) override {
    integrator_->interpolate(t, inside_.data(), nullptr);
    std::copy_n(inside_.begin(), states_, x);
    if (!moved_) return;
    const double part = (t - previous_time()) / (time() - previous_time());
    for (std::size_t i = 0; i < states_; ++i) x[i] += part * move_[i];
  }
  // States and unknowns are numbered as its Jacobian does, whatever the vector holds.
  const solve::Statistics& statistics() const override {
    statistics_ = integrator_->statistics();
    std::vector<long> limiting(states_ + unknowns_.size());
    for (std::size_t i = 0; i < statistics_.limiting.size(); ++i) {
      limiting[static_cast<std::size_t>(component_[i])] = statistics_.limiting[i];
    }
    statistics_.limiting = std::move(limiting);
    return statistics_;
  }
  const solve::Failure& failure() const override {
    if (own_failure_) return failure_;
    failure_ = integrator_->failure();
    const std::vector<int>& owner = failure_.code == solve::FailureCode::nan_derivative ? equation_ : component_;
    if (failure_.state >= 0) failure_.state = owner[static_cast<std::size_t>(failure_.state)];
    return failure_;
  }
  bool save(std::vector<std::byte>& out) const override {
    if (!integrator_->save(out)) return false;
    if (!projector_) return true;
    for (const auto* list : {&kept_, &move_}) {
      const auto* bytes = reinterpret_cast<const std::byte*>(list->data());
      out.insert(out.end(), bytes, bytes + list->size() * sizeof(double));
    }
    out.push_back(std::byte{moved_});
    return true;
  }
  bool restore(std::span<const std::byte> in) override {
    if (!projector_) return integrator_->restore(in);
    const std::size_t own = 2 * states_ * sizeof(double) + 1;
    if (in.size() < own || !integrator_->restore(in.first(in.size() - own))) return false;
    const std::byte* at = in.data() + in.size() - own;
    std::memcpy(kept_.data(), at, states_ * sizeof(double));
    std::memcpy(move_.data(), at + states_ * sizeof(double), states_ * sizeof(double));
    moved_ = in.back() != std::byte{0};
    return true;
  }

 private:
  // Multistep methods lose their history where they start anew, so they may drift further; all stay below the
  // tolerance.
  solve::Status keep_constraints() {
    std::copy_n(integrator_->state(), states_, kept_.begin());
    const int code = projector_->project(time(), kept_.data());
    if (code != 0) {
      own_failure_ = true;
      failure_ = {solve::FailureCode::projection_failed, solve::off_constraints, -1, time()};
      return solve::Status::failed;
    }
    double sum = 0;
    for (std::size_t i = 0; i < states_; ++i) {
      move_[i] = projector_->move()[i];
      const double absolute = i < scale_.absolute_per_state.size() ? scale_.absolute_per_state[i] : scale_.absolute;
      const double part = move_[i] / (absolute + scale_.relative * std::fabs(kept_[i]));
      sum += part * part;
    }
    moved_ = std::sqrt(sum / static_cast<double>(states_)) > largest_drift_;
    return solve::Status::ok;
  }

  bool is_rate(std::size_t unknown) const { return place_[unknown] < states_; }

  void place_unknowns(bool rates_are_derivatives) {
    constexpr std::size_t nowhere = ~std::size_t{0};
    place_.assign(unknowns_.size(), nowhere);
    const std::vector<int>& rates = model_.machine.known_jacobian()->rates;
    for (std::size_t i = 0; i < states_; ++i) {
      component_.push_back(static_cast<int>(i));
      const bool given = rates_are_derivatives && i < rates.size() && rates[i] >= 0;
      if (given) place_[static_cast<std::size_t>(rates[i])] = i;
      explicit_.push_back(!given);
      if (!given) equation_.push_back(static_cast<int>(i));
    }
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      equation_.push_back(static_cast<int>(states_ + u));
      if (place_[u] != nowhere) continue;
      place_[u] = component_.size();
      component_.push_back(static_cast<int>(states_ + u));
    }
  }

  // The model's matrix holds the derivatives of (f, g) by (x, z). An entry of the solver's matrix is the sum of its
  // parts: entries of the model's, negative in the rows of x' - f, times c where a column is that of a derivative.
  struct Part {
    int column, row;
    int from;  // -1: the one of x'
    double sign;
    bool times_c;
    std::size_t entry = 0;
  };

  void plan_matrix(solve::DaeProblem& dae) {
    const passes::Sparsity& own = model_.machine.known_jacobian()->pattern;
    const auto states = static_cast<int>(states_);
    if (own.n != states + static_cast<int>(unknowns_.size()) || model_.machine.known_jacobian()->code == nullptr)
      return;
    std::vector<int> row_of(static_cast<std::size_t>(own.n), -1);
    for (std::size_t e = 0; e < equation_.size(); ++e)
      row_of[static_cast<std::size_t>(equation_[e])] = static_cast<int>(e);
    for (int i = 0; i < states; ++i) {
      if (explicit_[static_cast<std::size_t>(i)])
        parts_.push_back({i, row_of[static_cast<std::size_t>(i)], -1, 1, true});
    }
    for (int c = 0; c < own.n; ++c) {
      const std::size_t column =
          c < states ? static_cast<std::size_t>(c) : place_[static_cast<std::size_t>(c - states)];
      for (int k = own.column_start[c]; k < own.column_start[c + 1]; ++k) {
        const int row = row_of[static_cast<std::size_t>(own.row[k])];
        if (row < 0) continue;
        parts_.push_back(
            {static_cast<int>(column), row, k, own.row[k] < states ? -1.0 : 1.0, c >= states && column < states_});
      }
    }
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
      return a.column != b.column ? a.column < b.column : a.row < b.row;
    });
    solve::Sparsity& pattern = dae.jacobian.pattern;
    pattern.n = dae.n;
    pattern.column_start.assign(static_cast<std::size_t>(dae.n) + 1, 0);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const bool same = k > 0 && parts_[k].column == parts_[k - 1].column && parts_[k].row == parts_[k - 1].row;
      if (!same) {
        pattern.row.push_back(parts_[k].row);
        ++pattern.column_start[static_cast<std::size_t>(parts_[k].column) + 1];
      }
      parts_[k].entry = pattern.row.size() - 1;
    }
    for (std::size_t c = 0; c < static_cast<std::size_t>(dae.n); ++c)
      pattern.column_start[c + 1] += pattern.column_start[c];
    values_.resize(own.nonzeros());
    entries_ = pattern.row.size();
    dae.jacobian.function = &ImplicitIntegrator::matrix;
    dae.jacobian.user = this;
  }

  void put_unknowns(const double* x, const double* dx) {
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      const double* value = is_rate(u) ? dx + place_[u] : x + place_[u];
      std::memcpy(model_.memory + unknowns_[u], value, sizeof(double));
    }
  }

  static int residual(double t, const double* x, const double* dx, double* r, void* user) {
    auto& self = *static_cast<ImplicitIntegrator*>(user);
    self.put_unknowns(x, dx);
    const int code = self.evaluate(t, x, dx, r);
    if (code != 0 || !self.model_.take_modes || all_finite(r, self.equation_.size())) return code;
    const int again = self.model_.take_modes(t, x) ? self.evaluate(t, x, dx, r) : code;
    self.model_.hold_modes();
    return again;
  }

  // With the unknowns that memory holds.
  int evaluate(double t, const double* x, const double* dx, double* r) {
    const int code = model_.derivative(t, x, derivative_.data());
    if (code != 0) return code;
    std::size_t at = 0;
    for (std::size_t i = 0; i < states_; ++i) {
      if (explicit_[i]) r[at++] = dx[i] - derivative_[i];
    }
    evaluate_loops(t, x, r + at);
    return 0;
  }

  void evaluate_loops(double t, const double* x, double* r) {
    for (std::uint32_t k : model_.machine.continuous_loops()) {
      const LoopCode& loop = model_.machine.loops()[k];
      model_.machine.function(loop.residual)(t, x, r, model_.memory, 0);
      r += loop.offsets.size();
    }
  }

  static int matrix(double t, double c, const double* x, const double* dx, double* values, void* user) {
    auto& self = *static_cast<ImplicitIntegrator*>(user);
    self.put_unknowns(x, dx);
    self.model_matrix(t, x);
    if (self.model_.take_modes) self.mend_matrix(t, x);
    std::fill_n(values, self.entries_, 0.0);
    for (const Part& part : self.parts_) {
      const double own = part.from < 0 ? 1 : self.values_[static_cast<std::size_t>(part.from)];
      values[part.entry] += part.sign * own * (part.times_c ? c : 1);
    }
    return 0;
  }

  void model_matrix(double t, const double* x) {
    model_.machine.known_jacobian()->function()(t, x, values_.data(), model_.memory, 0);
  }

  // Where a held mode leaves no slope, and where a root has an infinite one. Memory keeps its unknowns.
  void mend_matrix(double t, const double* x) {
    if (!any_steeper(steepest_, values_.data(), values_.size())) return;
    if (!all_finite(values_.data(), values_.size())) {
      if (model_.take_modes(t, x)) model_matrix(t, x);
      model_.hold_modes();
    }
    std::vector<double> point(x, x + states_);
    for (const std::uint32_t offset : unknowns_) {
      double unknown = 0;
      std::memcpy(&unknown, model_.memory + offset, sizeof unknown);
      point.push_back(unknown);
    }
    const std::vector<double> unknowns(point.begin() + static_cast<std::ptrdiff_t>(states_), point.end());
    const auto evaluate = [&](const double* at, double* f) {
      store_unknowns(at + states_);
      if (evaluate_model(t, at, f) && all_finite(f, states_ + unknowns_.size())) return true;
      const bool known = model_.take_modes(t, at) && evaluate_model(t, at, f);
      model_.hold_modes();
      return known;
    };
    bound_steep_slopes(model_.machine.known_jacobian()->pattern, steepest_, difference_steps_, std::move(point),
                       evaluate, values_.data());
    store_unknowns(unknowns.data());
  }

  // Derivatives, then the residuals of loops, as the model's matrix has them.
  bool evaluate_model(double t, const double* x, double* f) {
    if (model_.derivative(t, x, f) != 0) return false;
    evaluate_loops(t, x, f + states_);
    return true;
  }

  void store_unknowns(const double* values) {
    for (std::size_t u = 0; u < unknowns_.size(); ++u)
      std::memcpy(model_.memory + unknowns_[u], values + u, sizeof(double));
  }

  ImplicitModel model_;
  std::size_t states_, entries_ = 0;
  std::vector<std::uint32_t> unknowns_;  // places in memory
  std::vector<std::size_t> place_;       // by unknown: its element of the vector, or the state it is the derivative of
  std::vector<bool> explicit_;           // by state: x' = f is an equation
  std::vector<int> component_, equation_;  // by element and by equation: state, or number of states + unknown
  std::vector<double> x_, dx_, inside_, derivative_, values_;
  double steepest_ = 0;                   // slope that is trusted
  std::vector<double> difference_steps_;  // of states and unknowns
  std::vector<Part> parts_;
  std::unique_ptr<solve::DaeIntegrator> integrator_;
  std::unique_ptr<solve::Projector> projector_;  // nothing: there are no constraints
  solve::Tolerance scale_ = {};
  double largest_drift_ = 0;         // in units of the tolerance
  bool moved_ = false;               // the states were put back after the last step,
  std::vector<double> kept_, move_;  // … to here, by this much
  mutable solve::Statistics statistics_;
  mutable solve::Failure failure_;
  bool own_failure_ = true;
  double solved_anew_at_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

std::unique_ptr<solve::Integrator> make_implicit_integrator(const solve::SolverInfo& info, ImplicitModel model,
                                                            const solve::Problem& problem) {
  return std::make_unique<ImplicitIntegrator>(info, std::move(model), problem);
}

}  // namespace orrery::sim
