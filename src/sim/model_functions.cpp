// SPDX-License-Identifier: Apache-2.0
// Derivatives, matrices, invariants: memory in, numbers out.
#include "sim/model_functions.h"

#include "sim/saved_bytes.h"

namespace orrery::sim {
ModelFunctions::ModelFunctions(RunContext& run)
    : run_(run),
      memory_(run.memory.data()),
      derivatives_(run.machine.derivatives()),
      foreign_(run.program),
      trouble_(run.program, run.machine.layout()),
      assertions_(run.machine) {
  if (!run.machine.loops().empty())
    loop_solver_ = std::make_unique<LoopSolver>(run.machine, run.memory, run.options.algebraic);
  if (run.options.sliding && run.has_modes)
    sliding_ = std::make_unique<Sliding>(run.machine, run.memory, run.coincidence, loop_solver_.get());
  if (sliding_) sliding_->set_tolerance(run.options.tolerance.absolute, run.options.tolerance.relative);
}

decltype(solve::Rhs::function) ModelFunctions::plainest_derivative() const {
  if (!run_.machine.derivative_loops().empty() || assertions_.judge_trials() || sliding_) return &derivative;
  return foreign_.empty() && trouble_.empty() ? &bare_derivative : &foreign_derivative;
}

int ModelFunctions::derivative(double t, const double* x, double* dx, void* user) {
  auto* model = static_cast<ModelFunctions*>(user);
  if (model->is_sliding()) {
    if (model->sliding_->derivative(t, x, dx)) return 0;
    return model->is_stuck(t) ? -1 : 1;
  }
  const auto& loops = model->run_.machine.derivative_loops();
  if (!loops.empty() && !model->loop_solver_->solve(loops, t, x, 0)) return model->is_stuck(t) ? -1 : 1;
  model->trouble_.clear(model->memory_);
  model->derivatives_(t, x, dx, model->memory_, 0);
  if (model->assertions_.judge_trials()) {
    const auto& asserted = model->run_.machine.assertion_loops();
    if (!asserted.empty() && !model->loop_solver_->solve(asserted, t, x, 0)) return model->is_stuck(t) ? -1 : 1;
    if (!model->assertions_.allow(t, x, model->memory_)) return 1;
  }
  return model->foreign_status();
}

// Without loops and foreign code nothing can go wrong in it.
int ModelFunctions::bare_derivative(double t, const double* x, double* dx, void* user) {
  auto* model = static_cast<ModelFunctions*>(user);
  model->derivatives_(t, x, dx, model->memory_, 0);
  return 0;
}

int ModelFunctions::foreign_derivative(double t, const double* x, double* dx, void* user) {
  auto* model = static_cast<ModelFunctions*>(user);
  model->trouble_.clear(model->memory_);
  model->derivatives_(t, x, dx, model->memory_, 0);
  return model->trouble_.empty() && model->foreign_.is_surely_well() ? 0 : model->foreign_status();
}

int ModelFunctions::derivative_without_loops(double t, const double* x, double* dx) {
  trouble_.clear(memory_);
  derivatives_(t, x, dx, memory_, 0);
  if (assertions_.judge_trials() && !assertions_.allow(t, x, memory_)) return 1;
  return foreign_status();
}

int ModelFunctions::jacobian(double t, const double* x, double* values, void* user) {
  auto* model = static_cast<ModelFunctions*>(user);
  model->trouble_.clear(model->memory_);
  model->run_.machine.known_jacobian()->function()(t, x, values, model->memory_, 0);
  return model->foreign_status();
}

int ModelFunctions::foreign_status() {
  if (trouble_.look(memory_, run_.t)) return 1;
  if (foreign_.empty()) return 0;
  const program::ForeignHealth health = foreign_.health();
  return health == program::ForeignHealth::well ? 0 : health == program::ForeignHealth::retry ? 1 : -1;
}

bool ModelFunctions::open_foreign() {
  if (foreign_.empty() || foreign_.is_open()) return true;
  return foreign_.open(
      run_.options.open_foreign, {run_.options.start, run_.options.stop, run_.options.tolerance.relative},
      run_.machine.layout(), memory_, [this](program::OriginId origin) { return run_.place_of(origin); },
      run_.diagnostics);
}

Flow ModelFunctions::report_foreign_failure() {
  if (trouble_.report(run_.t, run_.diagnostics)) return Flow::failed;
  foreign_.report(
      run_.t, [this](program::OriginId origin) { return run_.place_of(origin); }, run_.diagnostics);
  return Flow::failed;
}

int ModelFunctions::invariants(double t, const double* x, double* c, void* user) {
  auto* model = static_cast<ModelFunctions*>(user);
  const auto& loops = model->run_.machine.kept_loops();
  if (!loops.empty() && !model->loop_solver_->solve(loops, t, x, 0)) return 1;
  model->run_.machine.invariants()(t, x, c, model->memory_, 0);
  return 0;
}

int ModelFunctions::projections(double t, const double* x, double* move, void* user) {
  auto* model = static_cast<ModelFunctions*>(user);
  const auto& loops = model->run_.machine.kept_loops();
  if (!loops.empty() && !model->loop_solver_->solve(loops, t, x, 0)) return 1;
  model->run_.machine.projections()(t, x, move, model->memory_, 0);
  return 0;
}

const solve::Sparsity& ModelFunctions::condensed_pattern() {
  if (!condensed_) {
    std::vector<std::size_t> sizes;
    for (const std::uint32_t k : run_.machine.continuous_loops())
      sizes.push_back(run_.machine.loops()[k].offsets.size());
    const passes::Sparsity& pattern = run_.machine.known_jacobian()->pattern;
    condensed_ = std::make_unique<CondensedJacobian>(pattern, run_.machine.state_count(), sizes);
    model_values_.resize(pattern.nonzeros());
  }
  return condensed_->pattern();
}

int ModelFunctions::condensed_jacobian(double t, const double* x, double* values, void* user) {
  auto* model = static_cast<ModelFunctions*>(user);
  const CompiledProgram& machine = model->run_.machine;
  if (!model->loop_solver_->solve(machine.continuous_loops(), t, x, 0)) return 1;
  model->condensed_pattern();
  machine.known_jacobian()->function()(t, x, model->model_values_.data(), model->memory_, 0);
  return model->condensed_->evaluate(model->model_values_.data(), values) ? 0 : 1;
}

bool ModelFunctions::assertions_hold() {
  if (assertions_.empty()) return true;
  if (!settle(run_.machine.assertion_loops(), run_.t, run_.states())) return true;  // the loop says what is wrong
  return assertions_.check(
      run_.t, run_.states(), memory_, [this](program::OriginId origin) { return run_.place_of(origin); },
      run_.diagnostics);
}

bool ModelFunctions::report_refusal() {
  return assertions_.report_refusal(
      run_.t, [this](program::OriginId origin) { return run_.place_of(origin); }, run_.diagnostics);
}

void ModelFunctions::save(SaveWriter& out) const {
  auto parts = foreign_.save();
  parts.resize(run_.program.foreign_objects.size());  // none are open before the run has begun
  for (const auto& part : parts) out.write(part);
}

bool ModelFunctions::restore(SaveReader& in) {
  std::vector<std::vector<std::byte>> parts(run_.program.foreign_objects.size());
  for (auto& part : parts) {
    if (!in.read(part)) return false;
  }
  foreign_.point(run_.machine.layout(), memory_);
  return foreign_.restore(parts);
}

}  // namespace orrery::sim
