// SPDX-License-Identifier: Apache-2.0
// Residuals 0 = x' - f and 0 = g, their matrix from the exact derivatives of f and g, and the start.
#include "sim/implicit_integrator.h"

#include <algorithm>
#include <cstring>

namespace orrery::sim {
namespace {

class ImplicitIntegrator final : public solve::Integrator {
 public:
  ImplicitIntegrator(const solve::SolverInfo& info, ImplicitModel model, const solve::Problem& problem)
      : model_(std::move(model)), states_(model_.machine.state_count()) {
    for (std::uint32_t k : model_.machine.continuous_loops()) {
      const LoopCode& loop = model_.machine.loops()[k];
      unknowns_.insert(unknowns_.end(), loop.offsets.begin(), loop.offsets.end());
    }
    const std::size_t n = states_ + unknowns_.size();
    for (auto* v : {&x_, &dx_, &inside_}) v->resize(n);
    derivative_.resize(states_);
    solve::DaeProblem dae;
    dae.n = static_cast<int>(n);
    dae.residual = {&ImplicitIntegrator::residual, this};
    dae.differential.assign(n, 0);
    std::fill_n(dae.differential.begin(), states_, char{1});
    dae.tolerance = problem.tolerance;
    dae.tolerance.absolute_per_state.resize(n, problem.tolerance.absolute);
    dae.limits = problem.limits;
    dae.t_end_hint = problem.t_end_hint;
    plan_matrix(dae);
    integrator_ = solve::make_dae_integrator(info, std::move(dae));
  }

  solve::Status start(double t, const double* x, bool keep_step) override {
    own_failure_ = true;
    if (!model_.settle(t, x)) {
      failure_ = {"newton-convergence", "no consistent start was found", -1, t};
      return solve::Status::failed;
    }
    std::copy_n(x, states_, x_.begin());
    for (std::size_t i = 0; i < unknowns_.size(); ++i) {
      std::memcpy(&x_[states_ + i], model_.memory + unknowns_[i], sizeof(double));
    }
    std::fill(dx_.begin(), dx_.end(), 0.0);
    if (model_.derivative(t, x, dx_.data()) != 0) {
      failure_ = {"derivative-failed", "the derivative is not defined at the start", -1, t};
      return solve::Status::failed;
    }
    own_failure_ = false;
    return integrator_->start(t, x_.data(), dx_.data(), keep_step);
  }
  solve::Status step(double t_stop) override { return integrator_->step(t_stop); }
  double time() const override { return integrator_->time(); }
  double previous_time() const override { return integrator_->previous_time(); }
  const double* state() const override { return integrator_->state(); }
  void interpolate(double t, double* x) override {
    integrator_->interpolate(t, inside_.data(), nullptr);
    std::copy_n(inside_.begin(), states_, x);
  }
  const solve::Statistics& statistics() const override { return integrator_->statistics(); }
  const solve::Failure& failure() const override { return own_failure_ ? failure_ : integrator_->failure(); }
  bool save(std::vector<std::byte>& out) const override { return integrator_->save(out); }
  bool restore(std::span<const std::byte> in) override { return integrator_->restore(in); }

 private:
  // The Machine's matrix holds the derivatives of (f, g) by (x, z); that of the solver is c I - df/dx for the first
  // rows. Where an entry on the diagonal of the first rows is missing it is added.
  void plan_matrix(solve::DaeProblem& dae) {
    const passes::Sparsity& own = model_.machine.pattern();
    if (own.n != dae.n || model_.machine.jacobian() == nullptr) return;
    solve::Sparsity& pattern = dae.jacobian.pattern;
    pattern.n = dae.n;
    pattern.column_start = {0};
    for (int c = 0; c < own.n; ++c) {
      bool diagonal = c >= static_cast<int>(states_);
      const auto add = [&](int row, int from) {
        pattern.row.push_back(row);
        from_.push_back(from);
        on_diagonal_.push_back(row == c && c < static_cast<int>(states_));
      };
      for (int k = own.column_start[c]; k < own.column_start[c + 1]; ++k) {
        if (!diagonal && own.row[k] > c) {
          add(c, -1);
          diagonal = true;
        }
        diagonal = diagonal || own.row[k] == c;
        add(own.row[k], k);
      }
      if (!diagonal) add(c, -1);
      pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
    }
    rows_ = pattern.row;
    values_.resize(own.nonzeros());
    dae.jacobian.function = &ImplicitIntegrator::matrix;
    dae.jacobian.user = this;
  }

  void put_unknowns(const double* x) {
    for (std::size_t i = 0; i < unknowns_.size(); ++i) {
      std::memcpy(model_.memory + unknowns_[i], &x[states_ + i], sizeof(double));
    }
  }

  static int residual(double t, const double* x, const double* dx, double* r, void* user) {
    auto& self = *static_cast<ImplicitIntegrator*>(user);
    self.put_unknowns(x);
    const int code = self.model_.derivative(t, x, self.derivative_.data());
    if (code != 0) return code;
    for (std::size_t i = 0; i < self.states_; ++i) r[i] = dx[i] - self.derivative_[i];
    std::size_t at = self.states_;
    for (std::uint32_t k : self.model_.machine.continuous_loops()) {
      const LoopCode& loop = self.model_.machine.loops()[k];
      self.model_.machine.function(loop.residual)(t, x, r + at, self.model_.memory, 0);
      at += loop.offsets.size();
    }
    return 0;
  }

  static int matrix(double t, double c, const double* x, const double*, double* values, void* user) {
    auto& self = *static_cast<ImplicitIntegrator*>(user);
    self.put_unknowns(x);
    self.model_.machine.jacobian()(t, x, self.values_.data(), self.model_.memory, 0);
    for (std::size_t k = 0; k < self.from_.size(); ++k) {
      const double own = self.from_[k] < 0 ? 0 : self.values_[static_cast<std::size_t>(self.from_[k])];
      const bool differential = self.rows_[k] < static_cast<int>(self.states_);
      values[k] = differential ? (self.on_diagonal_[k] ? c : 0) - own : own;
    }
    return 0;
  }

  ImplicitModel model_;
  std::size_t states_;
  std::vector<std::uint32_t> unknowns_;  // places in memory
  std::vector<double> x_, dx_, inside_, derivative_, values_;
  std::vector<int> from_, rows_;  // by entry: where the Machine's matrix has it (-1: nowhere), and its row
  std::vector<bool> on_diagonal_;
  std::unique_ptr<solve::DaeIntegrator> integrator_;
  solve::Failure failure_;
  bool own_failure_ = true;
};

}  // namespace

std::unique_ptr<solve::Integrator> make_implicit_integrator(const solve::SolverInfo& info, ImplicitModel model,
                                                            const solve::Problem& problem) {
  return std::make_unique<ImplicitIntegrator>(info, std::move(model), problem);
}

}  // namespace orrery::sim
