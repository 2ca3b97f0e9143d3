// SPDX-License-Identifier: Apache-2.0
// Model Exchange: integrates between events, stops exactly at time events and jumps of inputs, locates state events on
// the dense output, and starts the integrator anew after every event (FMI 2.0 and 3.0: 3.2).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fmi/caller.h"
#include "fmi/exchange_run.h"

namespace orrery::fmi {
namespace {

constexpr long most_crowded_events = 5000;
constexpr std::size_t most_states = 10'000'000;
// The integrators hold the error of each step to the tolerance; a part of it keeps the error of the whole run near it.
// Errors of multistep methods add up faster (van der Pol over three periods: 35 times the tolerance with a tenth).
constexpr double single_step_safety = 0.1;
constexpr double multistep_safety = 0.01;
constexpr double default_tolerance = 1e-6;
// FMUs are often stiff, and nothing in them tells: an implicit method is the safe choice. BDF bears rough derivatives
// best; a single-step method starts faster after events, by the factor of 8 with ten thousand switchings of a circuit.
constexpr const char* default_solver = "cvode-bdf-newton";
constexpr const char* solver_for_events = "radau";
// With BDF, whose order ends at five, van der Pol over three periods is 13 times this tolerance away, and 32 times one
// of 1e-10; a single-step method of high order stays below it.
constexpr double tight_tolerance = 1e-8;
constexpr std::size_t most_states_of_single_steps = 100;  // beyond, its matrices cost too much

}  // namespace

ExchangeRun::ExchangeRun(Run& run) : run_(run), fmu_(*run.instance), result_(run.result) {
  rounding_ = time_rounding(std::max(std::fabs(result_.start), std::fabs(result_.stop)), 0);
  to_row(0);
}

// Many FMUs say "error" where "discard" is meant: outside the domain of a function. A smaller step is tried for both.
int ExchangeRun::code_of(Status status) {
  if (succeeded(status)) return 0;
  return status == Status::discard || status == Status::error ? 1 : -1;
}

// At the beginning of an interval inputs have their values after the jump, at its end those before it.
Status ExchangeRun::place(double t, const double* x) {
  const Side side = t > last_start_ ? Side::left : Side::right;
  Status status = fmu_.evaluate(t, {x, n_}, {});
  if (succeeded(status) && !run_.inputs.empty()) status = run_.inputs.set_continuous(fmu_, t, side);
  return status;
}

int ExchangeRun::derivative(double t, const double* x, double* dx, void* user) {
  ExchangeRun& self = *static_cast<ExchangeRun*>(user);
  if (self.rhs_status_ == Status::fatal) return -1;
  Status status = Status::ok;
  if (self.run_.inputs.empty()) {
    status = self.fmu_.evaluate(t, {x, self.n_}, {dx, self.n_});
  } else {
    status = self.place(t, x);
    if (succeeded(status)) status = self.fmu_.get_derivatives({dx, self.n_});
  }
  if (!succeeded(status)) self.rhs_status_ = status;
  return code_of(status);
}

int ExchangeRun::jacobian(double t, const double* x, double* values, void* user) {
  ExchangeRun& self = *static_cast<ExchangeRun*>(user);
  Status status = self.place(t, x);
  if (succeeded(status)) status = self.jacobian_->evaluate(values);
  if (!succeeded(status)) self.rhs_status_ = status;
  return code_of(status);
}

bool ExchangeRun::prepare() {
  const double t = result_.start;
  if (!run_.iterate_events(t, false)) return false;
  if (!run_.clocks.empty()) {
    if (!run_.check(run_.clocks.ask(fmu_, t), t) || !run_.handle_event(t, rounding_)) return false;
  }
  if (run_.events.terminate) return run_.record(t);
  if (!run_.check(fmu_.enter_continuous_mode(), t)) return false;
  if (!run_.check(fmu_.count_states(n_, nz_), t)) return false;
  if (n_ > most_states || nz_ > most_states) {
    result_.diagnostics.error("fmi-too-large", {run_.file, 0, 0, {}, {}},
                              fmt::format("the FMU has {} states and {} event indicators", n_, nz_));
    return false;
  }
  result_.states = n_;
  result_.indicators = nz_;
  x_.assign(n_, 0);
  indicators_.emplace(nz_);
  if (n_ > 0 && !run_.check(fmu_.get_states(x_), t)) return false;
  if (!choose_solver() || !read_nominals() || !make_integrator()) return false;
  return restart(t, true) && run_.record(t);
}

double ExchangeRun::relative_tolerance() const {
  return result_.rtol.value_or(result_.description.experiment.tolerance.value_or(default_tolerance));
}

bool ExchangeRun::choose_solver() {
  const std::string& name = run_.options.solver;
  automatic_ = name.empty() || name == "auto";
  const bool tight = relative_tolerance() <= tight_tolerance && n_ <= most_states_of_single_steps;
  solver_ = solve::find_solver(!automatic_ ? name : tight ? solver_for_events : default_solver);
  if (solver_ == nullptr) {
    result_.diagnostics.error("unknown-solver", {run_.file, 0, 0, {}, {}},
                              fmt::format("there is no solver called {}", name), "orrery show solvers lists them");
    return false;
  }
  result_.solver = n_ == 0 ? "none (no continuous states)" : solver_->name;
  jacobian_.emplace(result_.description, fmu_, n_);
  exact_jacobian_ = false;
  if (n_ > 0 && solver_->implicit && fmu_.has_directional_derivatives() && jacobian_->named()) {
    exact_jacobian_ = jacobian_->usable(x_);
    if (!exact_jacobian_) {
      result_.diagnostics.warning(
          "fmi-no-directional-derivatives", {run_.file, 0, 0, {}, {}},
          "the FMU offers directional derivatives, but they fail or are wrong; differences are used");
    }
  }
  return true;
}

// Some FMUs return ok and write nothing, or nonsense.
bool ExchangeRun::read_nominals() {
  nominals_.assign(n_, 1);
  if (n_ == 0) return true;
  if (!succeeded(fmu_.get_nominals(nominals_))) nominals_.assign(n_, 1);
  for (double& nominal : nominals_) {
    nominal = std::fabs(nominal);
    if (!std::isnormal(nominal)) nominal = 1;
  }
  return true;
}

bool ExchangeRun::make_integrator() {
  const RunOptions& options = run_.options;
  const double horizon = result_.stop - result_.start;
  solve::Problem problem;
  problem.n = static_cast<int>(n_);
  problem.rhs = {derivative, this};
  // A pattern pays for larger models only, and small ones are spared the lies of their dependencies.
  const bool sparse = n_ >= 8 && jacobian_->pattern().n > 0 && jacobian_->pattern().row.size() * 2 < n_ * n_;
  if (exact_jacobian_ || sparse) problem.jacobian.pattern = jacobian_->pattern();
  if (exact_jacobian_) {
    problem.jacobian.function = jacobian;
    problem.jacobian.user = this;
  }
  const double rtol = relative_tolerance();
  const double safety = solver_->multistep ? multistep_safety : single_step_safety;
  problem.tolerance.relative = std::max(safety * rtol, 1e-13);
  problem.tolerance.absolute = safety * options.atol.value_or(rtol);
  for (const double nominal : nominals_) {
    problem.tolerance.absolute_per_state.push_back(problem.tolerance.absolute * nominal);
  }
  problem.limits.initial = options.hinit.value_or(0);
  problem.limits.minimum = options.hmin.value_or(0);
  // Inputs and time-dependent terms that are declared nowhere must not be stepped over.
  problem.limits.maximum = n_ > 0 ? options.hmax.value_or(horizon / 50) : 0;
  problem.limits.fixed = options.step.value_or(result_.step);
  problem.t_end_hint = result_.stop;
  integrator_ = solve::make_integrator(*solver_, std::move(problem));
  return true;
}

bool ExchangeRun::replace_integrator() {
  before_.add(integrator_->statistics());
  window_ = {};
  return make_integrator();
}

// At events: another method where they follow each other fast, and back to the first one where the derivatives turn out
// to be too rough for it.
bool ExchangeRun::reconsider_solver() {
  constexpr long window_events = 100;
  constexpr double most_steps_between = 60;
  if (!automatic_ || n_ == 0 || n_ > most_states_of_single_steps || ++events_in_window_ < window_events) return true;
  const solve::Statistics& now = integrator_->statistics();
  const double steps = static_cast<double>(now.steps - window_.steps);
  const double rough = static_cast<double>(now.rejected_other - window_.rejected_other);
  const bool single_step = !solver_->multistep;
  events_in_window_ = 0;
  window_ = now;
  const bool change =
      single_step ? rough > 0.1 * steps : steps < most_steps_between * window_events && rough < 0.01 * steps;
  if (!change) return true;
  automatic_ = !single_step;  // back once only
  solver_ = solve::find_solver(single_step ? default_solver : solver_for_events);
  if (result_.solver.find(solver_->name) == std::string::npos) result_.solver += ", then " + solver_->name;
  return replace_integrator();
}

bool ExchangeRun::restart(double t, bool first) {
  last_start_ = target_ = t;
  const bool keep_step = !first && !solver_->multistep && integrator_->statistics().restarts > 0;
  if (integrator_->start(t, x_.data(), keep_step) == solve::Status::failed) {
    if (rhs_status_ == Status::fatal) return run_.check(rhs_status_, t);
    const solve::Failure& failure = integrator_->failure();
    result_.diagnostics.error(name_of(failure.code), {run_.file, 0, 0, {}, {}}, failure.message).time = t;
    return false;
  }
  if (!run_.check(place(t, x_.data()), t)) return false;
  if (nz_ > 0 && !run_.check(fmu_.get_indicators(indicators_->values()), t)) return false;
  indicators_->begin(t, !solver_->multistep);
  return true;
}

void ExchangeRun::to_row(long number) {
  grid_ = number;
  const double t = result_.start + static_cast<double>(number) * result_.step;
  next_row_ = t > result_.stop - 1e-9 * result_.step ? std::max(t, result_.stop) : t;
}

// Everything the integrator must not step over.
double ExchangeRun::next_target(double t) const {
  double target = std::min({result_.stop, next_time_event(), run_.inputs.next_jump(t), run_.inputs.next_kink(t)});
  // Without states nothing limits the step but the rows; indicators are then seen at these.
  if (n_ == 0 && nz_ > 0) target = std::min(target, grid_time());
  if (n_ == 0 && !run_.inputs.empty()) target = std::min(target, grid_time());
  return std::max(target, t);
}

bool ExchangeRun::step_integrator(double target) {
  if (integrator_->step(target) == solve::Status::ok) return true;
  // One cold start at the last good point: a history that no longer fits is the commonest cause.
  const double t = integrator_->time();
  if (rhs_status_ == Status::fatal) return run_.check(rhs_status_, t);
  if (t > failed_at_) {
    failed_at_ = t;
    std::copy_n(integrator_->state(), n_, x_.begin());
    if (integrator_->start(t, x_.data(), false) == solve::Status::ok &&
        integrator_->step(target) == solve::Status::ok) {
      return true;
    }
  }
  if (automatic_ && !solver_->multistep && n_ > 0) {
    automatic_ = false;
    std::copy_n(integrator_->state(), n_, x_.begin());
    solver_ = solve::find_solver(default_solver);
    if (replace_integrator() && integrator_->start(t, x_.data(), false) == solve::Status::ok &&
        integrator_->step(target) == solve::Status::ok) {
      return true;
    }
    if (rhs_status_ == Status::fatal) return run_.check(rhs_status_, t);
  }
  const solve::Failure& failure = integrator_->failure();
  Diagnostic& error = result_.diagnostics.error(name_of(failure.code), {run_.file, 0, 0, {}, {}}, failure.message,
                                                "other tolerances (--rtol) or another solver (--solver) may help");
  error.time = integrator_->time();
  if (!succeeded(rhs_status_)) {
    error.notes.push_back(fmt::format("{} returned {}", fmu_.last_call(), name_of(rhs_status_)));
  }
  for (const std::string& words : run_.log->last_words()) error.notes.push_back(words);
  return false;
}

bool ExchangeRun::record_grid(double end) {
  std::vector<double>& x = x_;
  for (; grid_time() < end - rounding_; to_row(grid_ + 1)) {
    const double t = grid_time();
    integrator_->interpolate(t, x.data());
    if (!run_.check(place(t, x.data()), t) || !run_.record(t)) return false;
  }
  return true;
}

// The row at t exists already.
void ExchangeRun::skip_grid(double t) {
  while (grid_time() <= t + rounding_ && grid_time() <= result_.stop) to_row(grid_ + 1);
}

// Within the last step, or at its end.
bool ExchangeRun::indicate(double t, double* z) {
  const double* x = integrator_->state();
  if (t < integrator_->time()) {
    integrator_->interpolate(t, x_.data());
    x = x_.data();
  }
  if (run_.inputs.empty()) return run_.check(fmu_.indicate(t, {x, n_}, {z, nz_}), t);
  return run_.check(place(t, x), t) && run_.check(fmu_.get_indicators({z, nz_}), t);
}

Indicators::Found ExchangeRun::look_until(double end, double& t) {
  if (!indicate(end, indicators_->at_end().data())) return Indicators::Found::failed;
  if (indicators_->quiet_until(end)) return Indicators::Found::nothing;
  return indicators_->look(
      end, [this](double when, double* z) { return indicate(when, z); }, rounding_ / 4, t);
}

// Indicators are looked at in every row within the step too: what is longer than the interval of rows is not stepped
// over. These rows are recorded on the way.
Indicators::Found ExchangeRun::find_state_event(double& t) {
  const double end = t;
  for (; grid_time() < end - rounding_; to_row(grid_ + 1)) {
    const double row = grid_time();
    const Indicators::Found found = look_until(row, t);
    if (found != Indicators::Found::nothing) return found;
    if (!run_.record(row)) return Indicators::Found::failed;
  }
  return look_until(end, t);
}

ExchangeRun::Next ExchangeRun::step() {
  const double before = integrator_->time();
  if (!(target_ > before)) target_ = next_target(before);
  const double target = target_;
  if (target > before && !step_integrator(target)) return Next::failed;
  const double t_solver = integrator_->time();
  // Within rounding of the target is at the target: events happen exactly when the FMU said.
  double t = target - t_solver <= rounding_ ? target : t_solver;
  bool state_event = false, placed = false;
  if (nz_ > 0 && t > before) {
    const Indicators::Found found = find_state_event(t);
    if (found == Indicators::Found::failed) return Next::failed;
    state_event = found == Indicators::Found::event;
    placed = !state_event;
  }
  if (grid_time() < t - rounding_) {
    if (!record_grid(t)) return Next::failed;
    placed = false;
  }
  const double* x = integrator_->state();
  if (n_ > 0 && t < t_solver) {
    integrator_->interpolate(t, x_.data());
    x = x_.data();
  }
  const bool at_target = t >= target;  // nothing that is known beforehand happens earlier
  const bool time_event = at_target && next_time_event() <= t;
  const bool input_event = at_target && run_.inputs.next_jump(before) <= t;
  bool needs_event = state_event || time_event || input_event;
  const bool at_end = t >= result_.stop;
  const bool on_grid = grid_time() <= t + rounding_;
  CompletedInfo completed;
  if (t > before && !needs_event && !at_end && !on_grid && run_.inputs.empty() && !placed) {
    if (!run_.check(fmu_.complete(t, {x, n_}, completed), t)) return Next::failed;
    result_.time = t;
  } else {
    if (!placed && !run_.check(place(t, x), t)) return Next::failed;
    result_.time = t;
    if (needs_event || at_end || on_grid) {
      if (!run_.record(t)) return Next::failed;
      skip_grid(t);
    }
    // Also before an event within a step: some FMUs insist on it.
    if ((t > before || needs_event) && !run_.check(fmu_.completed_step(completed), t)) return Next::failed;
  }
  if (completed.terminate) return Next::stop;
  if (completed.enter_event_mode && !needs_event) {
    ++result_.step_events;
    if (!on_grid && !at_end && !run_.record(t)) return Next::failed;
    needs_event = true;
  } else {
    result_.state_events += state_event ? 1 : 0;
    result_.time_events += time_event ? 1 : 0;
    result_.input_events += input_event ? 1 : 0;
  }
  if (needs_event) return event(t);
  return Next::go_on;
}

bool ExchangeRun::too_many_events(double t) {
  const double horizon = result_.stop - result_.start;
  if (t - crowd_begin_ > 1e-9 * horizon) {
    crowd_begin_ = t;
    crowd_ = 0;
  }
  if (++crowd_ < most_crowded_events) return false;
  result_.diagnostics
      .error("fmi-event-chatter", {run_.file, 0, 0, {}, {}}, fmt::format("{} events without progress in time", crowd_))
      .time = t;
  return true;
}

// Some FMUs never clear the time of an event that has been; a few repetitions are left to those that mean it.
void ExchangeRun::drop_stale_time_event(double t) {
  constexpr int most_repetitions = 10;
  const bool stale = run_.events.next_time && *run_.events.next_time <= t + rounding_;
  repetitions_ = stale ? repetitions_ + 1 : 0;
  if (repetitions_ <= most_repetitions) return;
  repetitions_ = 0;
  run_.events.next_time.reset();
  if (warned_of_stale_events_) return;
  warned_of_stale_events_ = true;
  result_.diagnostics
      .warning("fmi-stale-event", {run_.file, 0, 0, {}, {}},
               "the FMU asks for a time event that has been; it is ignored")
      .time = t;
}

ExchangeRun::Next ExchangeRun::event(double t) {
  if (too_many_events(t)) return Next::failed;
  if (!run_.check(fmu_.enter_event_mode(), t)) return Next::failed;
  if (!run_.handle_event(t, rounding_)) return Next::failed;
  drop_stale_time_event(t);
  if (run_.events.terminate) {
    if (!run_.record(t)) return Next::failed;
    return Next::stop;
  }
  if (!run_.check(fmu_.enter_continuous_mode(), t)) return Next::failed;
  if (n_ > 0 && !run_.check(fmu_.get_states(x_), t)) return Next::failed;
  if (run_.events.nominals_changed && n_ > 0) {
    if (!read_nominals() || !replace_integrator()) return Next::failed;
  }
  if (!reconsider_solver() || !restart(t, false) || !run_.record(t)) return Next::failed;
  return Next::go_on;
}

ExchangeRun::Next ExchangeRun::some_steps() {
  for (int k = 0; k < 64 && result_.time < result_.stop; ++k) {
    const Next next = step();
    if (next != Next::go_on) return next;
    if (run_.interrupted()) return Next::interrupted;
  }
  run_.show_progress(result_.time);
  return Next::go_on;
}

End ExchangeRun::run() {
  if (!prepare()) return End::failed;
  result_.time = result_.start;
  if (run_.events.terminate) return End::terminated;
  skip_grid(result_.start);
  Next next = Next::go_on;
  while (next == Next::go_on && result_.time < result_.stop) {
    if (fmu_.under_one_guard([&] { next = some_steps(); })) continue;
    static_cast<void>(run_.fail_in_guard(integrator_->time()));
    next = Next::failed;
  }
  before_.add(integrator_->statistics());
  result_.statistics = before_;
  switch (next) {
    case Next::go_on: return End::reached_stop;
    case Next::stop: return End::terminated;
    case Next::interrupted: return End::interrupted;
    case Next::failed: break;
  }
  return End::failed;
}

void run_model_exchange(Run& run) { run.result.end = ExchangeRun(run).run(); }

}  // namespace orrery::fmi
