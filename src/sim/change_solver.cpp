// SPDX-License-Identifier: Apache-2.0
// The integrator during a run: chosen, started, changed, and what there is to tell about it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/diagnose.h"
#include "sim/saved_bytes.h"
#include "sim/solver_seat.h"
#include "solve/condition.h"
#include "solve/dae.h"

namespace orrery::sim {
namespace {

// The same method may be known for ODEs and for DAEs.
std::string solver_text(const solve::SolverInfo* solver) {
  if (solver == nullptr) return {};
  const auto is_it = [&](const solve::SolverInfo& info) { return &info == solver; };
  return (std::ranges::any_of(solve::dae_solvers(), is_it) ? "dae " : "ode ") + solver->name;
}

const solve::SolverInfo* solver_of(const std::string& text) {
  const auto& list = text.starts_with("dae ") ? solve::dae_solvers() : solve::solvers();
  for (const solve::SolverInfo& info : list) {
    if (text.size() > 4 && info.name == text.substr(4)) return &info;
  }
  return nullptr;
}

}  // namespace

void SolverSeat::choose(const solve::Problem& problem) {
  // Trial steps go beyond events, where foreign code may fail for good: it is watched instead.
  const auto is_state = [this](program::SlotId slot) {
    return run_.program.slots[slot].kind == program::SlotKind::state;
  };
  const bool foreign =
      std::any_of(run_.program.foreign_objects.begin(), run_.program.foreign_objects.end(),
                  [&](const auto& o) { return std::any_of(o.initial.begin(), o.initial.end(), is_state); });
  if (foreign) {
    solver_ = solve::find_solver("dopri");
    reason_ = "foreign code is not tried beforehand; no steps were at the limit of stability";
    return;
  }
  const SolverChoice choice =
      sim::choose_solver(problem, surroundings_.restarts, run_.t, run_.options.stop, run_.states());
  solver_ = choice.solver;
  reason_ = choice.reason;
}

// At the end of a step: the dense output of the old method is not needed any more.
bool SolverSeat::change() {
  turned_stiff_ = false;
  stiffness_.reset();
  const SolverChoice choice = choose_stiff_solver(problem(), surroundings_.restarts);
  reason_ = fmt::format("{} until t = {:.6g}, where its steps were at the limit of stability; {}", solver_->name,
                        run_.t, choice.reason);
  earlier_.add(integrator_->statistics());
  ++earlier_.switches;
  solver_ = choice.solver;
  started_ = false;
  run_.restart_needed = true;
  return put(integrator_for(problem()));
}

double SolverSeat::newton_condition() {
  constexpr int most = 2000;  // beyond, the factors cost more than the answer is worth
  const auto n = static_cast<int>(run_.machine.state_count());
  const JacobianCode* known = run_.machine.known_jacobian();
  if (!integrator_ || !solver_->implicit || known == nullptr || !known->code || n == 0 || known->pattern.n > most)
    return 0;
  const passes::Sparsity& pattern = known->pattern;
  const double h = integrator_->time() - integrator_->previous_time();
  if (!(h > 0)) return 0;
  const bool condensed = pattern.n > n && !takes_loops_over();  // the solver sees no unknowns
  if (pattern.n > n && !model_.loop_solver()->solve(run_.machine.continuous_loops(), run_.t, run_.states(), 0))
    return 0;
  std::vector<double> values(condensed ? model_.condensed_pattern().row.size() : pattern.row.size());
  const auto matrix = condensed ? &ModelFunctions::condensed_jacobian : &ModelFunctions::jacobian;
  if (matrix(run_.t, run_.states(), values.data(), &model_) != 0) return 0;
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) return 0;
  if (condensed) return solve::newton_condition(model_.condensed_pattern(), values.data(), h);
  return solve::newton_condition({pattern.n, pattern.column_start, pattern.row}, values.data(), h, n);
}

std::string SolverSeat::limiting_states(const std::vector<long>& counts) const {
  const long all = std::accumulate(counts.begin(), counts.end(), 0L);
  if (all == 0) return {};
  std::vector<int> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t shown = std::min<std::size_t>(3, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](int a, int b) { return counts[a] > counts[b]; });
  std::string text;
  for (std::size_t k = 0; k < shown && counts[order[k]] > 0; ++k) {
    text += fmt::format("{}{} ({} of {} smaller steps)", text.empty() ? "" : ", ", run_.state_name(order[k]),
                        counts[order[k]], all);
  }
  return text;
}

bool SolverSeat::start() {
  if (model_.loop_solver() != nullptr) model_.loop_solver()->search();
  bool keep_step = started_;
  if (rescaled_) {
    earlier_.add(integrator_->statistics());
    keep_step = false;
    if (!put(integrator_for(problem()))) return false;
  }
  if (integrator_->start(run_.t, run_.states(), keep_step) != solve::Status::ok) {
    static_cast<void>(report_failure());
    return false;
  }
  if (started_) ++run_.report.cold_restarts;
  started_ = true;
  return true;
}

const double* SolverSeat::states_at(double t) {
  if (!integrator_ || !(integrator_->time() > integrator_->previous_time()) || shown_.empty()) return run_.states();
  integrator_->interpolate(std::clamp(t, integrator_->previous_time(), integrator_->time()), shown_.data());
  return shown_.data();
}

void SolverSeat::fill_in(Report& report) const {
  report.solver = solver_ != nullptr ? solver_->name : "none";
  report.solver_reason = reason_;
  report.solver_statistics = earlier_;
  if (integrator_) report.solver_statistics.add(integrator_->statistics());
  if (earlier_.switches > 0) report.solver_statistics.stiff_steps = report.solver_statistics.steps - earlier_.steps;
  report.limited_by = limiting_states(report.solver_statistics.limiting);
}

Flow SolverSeat::report_failure() {
  const LoopSolver* loops = model_.loop_solver();
  if (loops != nullptr && loops->failure().t >= run_.t && !loops->failure().reason.empty())
    return model_.report_loop_failure();
  if (model_.report_refusal()) return Flow::failed;
  if (model_.trouble().report(run_.t, run_.diagnostics)) return Flow::failed;
  const Flow foreign = model_.report_foreign_failure();
  if (model_.foreign().has_failed()) return foreign;
  const solve::Failure& failure = integrator_->failure();
  const program::Slot* blamed = [&]() -> const program::Slot* {
    std::int64_t first = 0;
    for (program::SlotId slot : run_.solver_vector()) {
      const std::int64_t size = run_.program.slots[slot].type.size();
      if (failure.state >= first && failure.state < first + size) return &run_.program.slots[slot];
      first += size;
    }
    return nullptr;
  }();
  const program::OriginId origin = blamed != nullptr ? blamed->origin : 0;
  if (blamed != nullptr && blamed->kind == program::SlotKind::shadow) {  // not a state of the model's own
    const bool has_value = failure.code != solve::FailureCode::nan_derivative;
    run_.diagnostics
        .error("nan-surface", run_.place_of(origin),
               fmt::format("what is compared with zero here {} near t = {:.6g}",
                           has_value ? "grows beyond all bounds" : "is not a finite number", failure.t),
               "look for a pole, a division by zero, a root or logarithm of a negative number in what it depends on")
        .time = failure.t;
    return Flow::failed;
  }
  std::string message = failure.message;
  if (failure.state >= 0) message += fmt::format(" (state {})", run_.state_name(failure.state));
  Diagnosis diagnosis = diagnose(failure, *integrator_, problem(), *solver_);
  auto& d = run_.diagnostics.error(name_of(failure.code), run_.place_of(origin), message, std::move(diagnosis.help));
  d.notes = std::move(diagnosis.notes);
  d.time = failure.t;
  return Flow::failed;
}

void SolverSeat::save(SaveWriter& out) const {
  const std::string solver = solver_text(solver_);
  const std::uint8_t started = started_ ? 1 : 0;
  std::vector<std::byte> history;
  if (integrator_ && !integrator_->save(history)) history.clear();
  out.write(solver);
  out.write(&started, 1);
  out.write(run_.nominals);
  out.write(history);
}

bool SolverSeat::restore(SaveReader& in, bool needed) {
  std::string solver;
  std::vector<std::uint8_t> started;
  std::vector<double> nominals;
  if (!in.read(solver) || !in.read(started) || !in.read(nominals) || !in.read(history_)) return false;
  if (started.size() != 1 || nominals.size() != run_.nominals.size()) return false;
  const solve::SolverInfo* saved = solver_of(solver);
  if (role_ == SolverRole::automatic && saved != nullptr && saved != solver_) {
    solver_ = saved;
    integrator_.reset();
    stiffness_.reset();
  }
  if (nominals != run_.nominals) integrator_.reset();
  run_.nominals = std::move(nominals);
  started_ = started[0] != 0;
  return !needed || integrator_ || make();
}

bool SolverSeat::restore_history() {
  const bool known = !history_.empty() && integrator_->restore(history_);
  history_.clear();
  if (known) return true;
  run_.restart_needed = true;
  started_ = false;
  return false;
}

}  // namespace orrery::sim
