// SPDX-License-Identifier: Apache-2.0
// Bringing a run to life: initial table, modes, integrator.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "passes/slice.h"
#include "sim/choose_solver.h"
#include "sim/high_order.h"
#include "sim/hybrid_run.h"
#include "sim/implicit_integrator.h"
#include "sim/start_solver.h"
#include "solve/with_starter.h"

namespace orrery::sim {
namespace {

std::vector<bool> queued_sources(const program::Program& program) {
  std::vector<bool> queued;
  for (const program::Source& source : program.sources) queued.push_back(source.queued);
  return queued;
}

// The divisor of a clock that ticks whenever any of its domain does; 0: there is none.
std::int64_t common_stride(const program::Program& program, const program::ClockDomain& domain) {
  const auto covers = [&](std::uint32_t k, std::uint32_t other) {
    const program::Clock &a = program.clocks[k], &b = program.clocks[other];
    return b.first_tick >= a.first_tick && (b.first_tick - a.first_tick) % a.divisor == 0 && b.divisor % a.divisor == 0;
  };
  for (const std::uint32_t k : domain.clocks) {
    if (std::all_of(domain.clocks.begin(), domain.clocks.end(), [&](std::uint32_t other) { return covers(k, other); }))
      return program.clocks[k].divisor;
  }
  return 0;
}

double time_tolerance(const RunOptions& options) {
  if (options.time_tolerance > 0) return options.time_tolerance;
  const double scale = std::max({std::fabs(options.start), std::fabs(options.stop), options.stop - options.start});
  return 4 * 2.220446049250313e-16 * scale;
}

// Crossings nearer to an event than this happen in its instant. A time tolerance of the user's own is one already.
double crossing_coincidence(const RunOptions& options) {
  return options.time_tolerance > 0 ? options.time_tolerance : 256 * time_tolerance(options);
}

// Steps and ticks are known before the run: one that would never end is not begun.
bool check_effort(const program::Program& program, const RunOptions& options, Diagnostics& diagnostics) {
  const double horizon = options.stop - options.start;
  const Place model{program.origins.empty() ? "" : program.origins[0].path, 0, 0, {}, {}};
  bool ok = true;
  const double step = program.fixed_step ? options.limits.fixed : options.limits.maximum;
  if (step > 0 && horizon / step > most_steps) {
    diagnostics.error("too-many-steps", model,
                      fmt::format("steps of {} make {:.1e} of them until the stop time", step, horizon / step),
                      program.fixed_step ? "choose a larger --step, or a smaller stop time"
                                         : "choose a larger hmax, or a smaller stop time");
    ok = false;
  }
  for (const program::Clock& clock : program.clocks) {
    const double ticks = horizon / clock.period.value();
    if (!(ticks > most_events)) continue;
    const program::Origin& origin = program.origins[clock.origin];
    diagnostics.error("too-many-events", {model.file, origin.line, 0, origin.path, {}},
                      fmt::format("it ticks {:.1e} times until the stop time", ticks),
                      "choose a longer period, or a smaller stop time");
    ok = false;
  }
  return ok;
}

// Local tolerance for a tolerance the user asks for. Whoever asks for less than 1e-8 wants the digits at the end of the
// run, where local errors have added up: the tighter, the further below it the steps are kept, down to a hundredth.
double tightening(double relative) { return std::clamp(relative / 1e-8, 0.01, 1.0); }

// Whether a run of the program can be made with these options. The solver stays nullptr where it is to be chosen.
bool check_options(const program::Program& program, const RunOptions& options, const solve::SolverInfo*& solver,
                   Diagnostics& diagnostics) {
  if (options.solver != "auto" && !options.solver.empty()) {
    solver = solve::find_solver(options.solver);
    if (solver == nullptr) {
      std::string names = "auto";
      for (const auto& known : solve::solvers()) names += ", " + known.name;
      diagnostics.error("unknown-solver", {}, fmt::format("no solver is called {}", options.solver),
                        "choose one of " + names);
      return false;
    }
  }
  if (!(options.stop >= options.start) || !std::isfinite(options.stop)) {
    diagnostics.error(
        "bad-setting", {},
        fmt::format("the stop time {} must be finite and not before the start time {}", options.stop, options.start),
        "set simulation.stop or --stop");
    return false;
  }
  return check_effort(program, options, diagnostics) && check_parameters(program, options.parameters, diagnostics);
}

}  // namespace

std::unique_ptr<Simulation> Simulation::create(program::Program program, RunOptions options, Diagnostics& diagnostics) {
  const solve::SolverInfo* solver = nullptr;
  if (!check_options(program, options, solver, diagnostics)) return nullptr;
  auto compiled = CompiledProgram::create(std::move(program), options.native, diagnostics);
  if (!compiled) return nullptr;
  return std::make_unique<HybridRun>(std::move(compiled), solver, std::move(options), diagnostics);
}

std::unique_ptr<Simulation> Simulation::create(std::shared_ptr<const CompiledProgram> compiled, RunOptions options,
                                               Diagnostics& diagnostics) {
  const solve::SolverInfo* solver = nullptr;
  if (!check_options(compiled->program(), options, solver, diagnostics)) return nullptr;
  return std::make_unique<HybridRun>(std::move(compiled), solver, std::move(options), diagnostics);
}

HybridRun::HybridRun(std::shared_ptr<const CompiledProgram> machine, const solve::SolverInfo* solver,
                     RunOptions options, Diagnostics& diagnostics)
    : machine_(std::move(machine)),
      program_(machine_->program()),
      solver_(solver),
      options_(std::move(options)),
      diagnostics_(diagnostics),
      recorder_(program_, machine_->layout(), options_),
      refiner_(program_, machine_->layout()),
      ledger_stream_(program_, options_.ledger_sinks),
      watch_(program_, options_.zero_threshold, crossing_coincidence(options_)),
      hard_(program_.sources.size(), queued_sources(program_)),
      soft_(program_.sources.size(), queued_sources(program_)),
      memory_(program::initial_memory(program_, machine_->layout())),
      y_(machine_->output_size() + 1),
      g_(program_.surfaces.size()),
      x_(machine_->state_count()),
      rates_(3 * program_.surfaces.size()),
      speed_(program_.surfaces.size()),
      settled_(machine_->held().size()),
      search_(watch_, crossing_coincidence(options_)),
      crossings_of_(program_.surfaces.size()),
      modes_(program_.surfaces.size()),
      foreign_(program_),
      assertions_(*machine_),
      tick_(program_.domains.size(), -1) {
  for (const program::ClockDomain& domain : program_.domains) {
    const auto common = std::lcm(domain.base.denominator, domain.offset.denominator);
    const auto offset_scale = common / domain.offset.denominator, base_scale = common / domain.base.denominator;
    tick_scale_.push_back({options_.start,
                           static_cast<double>(domain.offset.numerator) * static_cast<double>(offset_scale),
                           static_cast<double>(domain.base.numerator) * static_cast<double>(base_scale),
                           static_cast<double>(common), common_stride(program_, domain)});
  }
  if (options_.tolerance.absolute <= 0) options_.tolerance.absolute = options_.tolerance.relative;
  derivatives_ = machine_->derivatives();
  t_ = options_.start;
  time_tolerance_ = time_tolerance(options_);
  coincidence_ = crossing_coincidence(options_);
  for (std::uint32_t k = 0; k < program_.sources.size(); ++k) {
    if (program_.sources[k].kind == program::SourceKind::step) {
      step_sources_.push_back(k);
      step_questions_.push_back(question_of(program_.sources[k].table));
    }
    if (program_.sources[k].kind == program::SourceKind::instant) instant_sources_.push_back(k);
    if (program_.sources[k].kind == program::SourceKind::final) final_sources_.push_back(k);
    if (program_.sources[k].first) first_sources_.push_back(k);
  }
  for (program::SlotId slot : program_.states) {
    const program::Slot& state = program_.slots[slot];
    const auto size = static_cast<std::size_t>(state.type.size());
    if (state.nominals.empty()) nominals_.insert(nominals_.end(), size, 1.0);
    nominals_.insert(nominals_.end(), state.nominals.begin(), state.nominals.end());
  }
  const bool foreign_surfaces =
      std::all_of(program_.surfaces.begin(), program_.surfaces.end(), [this](const program::Surface& surface) {
        return surface.mode == program::no_slot && !program_.sources[surface.source].table.calls.empty();
      });
  if (foreign_surfaces) search_.look_at_ends();
  has_continuous_ = machine_->state_count() > 0 || !program_.surfaces.empty() || !step_sources_.empty() ||
                    (machine_->has_continuous_probes() && recorder_.active());
  rhythms_.resize(program_.surfaces.size());
  if (options_.sliding && watch_.has_modes()) sliding_ = std::make_unique<Sliding>(*machine_, memory_, coincidence_);
  if (!machine_->loops().empty()) loop_solver_ = std::make_unique<LoopSolver>(*machine_, memory_, options_.algebraic);
  if (!program_.sensitivities.parameters.empty())
    sensitivity_ = std::make_unique<EventSensitivity>(*machine_, memory_, loop_solver_.get());
  if (solver_ != nullptr) solver_reason_ = "chosen by the user";
  describe_sources();
}

void HybridRun::describe_sources() {
  // By slot: whether modes depend on it, and whether modes that are only shown do.
  const auto read_by = [this](const auto& chosen) {
    std::vector<program::ExprId> values;
    for (const program::Surface& surface : program_.surfaces) {
      if (chosen(surface)) values.insert(values.end(), {surface.value, surface.settled});
    }
    for (const program::Loop& loop : program_.loops) {
      if (!values.empty()) values.insert(values.end(), loop.residuals.begin(), loop.residuals.end());
    }
    std::vector<bool> read(program_.slots.size(), false);
    for (const program::SlotId slot : passes::slots_read(program_.graph, values)) read[slot] = true;
    return read;
  };
  const std::vector<bool> by_shown = read_by([](const program::Surface& surface) { return surface.shown; });
  const std::vector<bool> by_modes =
      read_by([](const program::Surface& surface) { return surface.mode != program::no_slot; });
  for (std::size_t k = 0; k < program_.sources.size(); ++k) {
    const program::Source& source = program_.sources[k];
    const TableCode& table = machine_->table(k);
    const bool shown = table.shows && recorder_.active() && !options_.grid_only;
    const bool plain = table.quiet && table.loops.empty() && !shown && !options_.record_events && !sensitivity_ &&
                       foreign_.empty() && !table.reads_modes && !table.reads_sampled && options_.inputs.empty();
    const auto moves = [&source](const std::vector<bool>& read) {
      const auto is_read = [&read](program::SlotId slot) { return read[slot]; };
      return std::any_of(source.table.assigns.begin(), source.table.assigns.end(),
                         [&](const program::Assign& assign) { return is_read(assign.slot); }) ||
             std::any_of(source.table.calls.begin(), source.table.calls.end(), [&](const program::Call& call) {
               return std::any_of(call.results.begin(), call.results.end(), is_read);
             });
    };
    facts_.push_back({source.kind == program::SourceKind::clock, table.critical, table.reads_states, plain,
                      moves(by_shown), moves(by_modes), source.domain, table.procedure});
  }
  unwatched_ = watch_.empty() && !recorder_.active() && step_sources_.empty() && assertions_.empty();
  const bool on_grid = !recorder_.active() || (options_.interval > 0 && !refiner_.active());
  asks_only_ = watch_.empty() && assertions_.empty() && on_grid && step_questions_.size() == 1 &&
               step_questions_[0].object != UINT32_MAX;
}

int HybridRun::derivative(double t, const double* x, double* dx, void* user) {
  auto* run = static_cast<HybridRun*>(user);
  if (run->sliding_ && run->sliding_->active()) {
    run->sliding_->derivative(t, x, dx);
    return 0;
  }
  const auto& loops = run->machine_->derivative_loops();
  if (!loops.empty() && !run->loop_solver_->solve(loops, t, x, 0)) return run->is_stuck(t) ? -1 : 1;
  run->derivatives_(t, x, dx, run->memory_.data(), 0);
  if (!run->assertions_.empty()) {
    const auto& asserted = run->machine_->assertion_loops();
    if (!asserted.empty() && !run->loop_solver_->solve(asserted, t, x, 0)) return run->is_stuck(t) ? -1 : 1;
    if (!run->assertions_.allow(t, x, run->memory_.data())) return 1;
  }
  return run->foreign_status();
}

// Without loops and foreign code nothing can go wrong in it; small models notice the difference.
int HybridRun::bare_derivative(double t, const double* x, double* dx, void* user) {
  auto* run = static_cast<HybridRun*>(user);
  run->derivatives_(t, x, dx, run->memory_.data(), 0);
  return 0;
}

int HybridRun::jacobian(double t, const double* x, double* values, void* user) {
  auto* run = static_cast<HybridRun*>(user);
  run->machine_->known_jacobian()->function()(t, x, values, run->memory_.data(), 0);
  return run->foreign_status();
}

// As integrators want it: 1 asks for a smaller step, -1 ends the run.
int HybridRun::foreign_status() {
  if (foreign_.empty()) return 0;
  const program::ForeignHealth health = foreign_.health();
  return health == program::ForeignHealth::well ? 0 : health == program::ForeignHealth::retry ? 1 : -1;
}

bool HybridRun::open_foreign() {
  if (foreign_.empty() || foreign_.is_open()) return true;
  return foreign_.open(
      options_.open_foreign, {options_.start, options_.stop, options_.tolerance.relative}, machine_->layout(),
      memory_.data(), [this](program::OriginId origin) { return place_of(origin); }, diagnostics_);
}

// A shadow only has to be seen, not to be exact, and must not dilute the norm in which the error of the others is
// measured. It is an integral over time, so what is small for it depends on how long steps are: that of a fast sine is
// small.
void HybridRun::set_tolerances(solve::Problem& problem) const {
  std::size_t shadows = 0;
  for (program::SlotId slot : program_.states)
    shadows += program_.slots[slot].kind == program::SlotKind::shadow ? 1 : 0;
  const auto count = static_cast<double>(machine_->state_count());
  const double share =
      shadows == machine_->state_count() ? 1 : std::sqrt((count - static_cast<double>(shadows)) / count);
  const double longest = problem.limits.maximum;
  const double shadow_scale = longest > 0 ? std::min(1.0, longest / 100) : 1.0;
  const double factor = share * tightening(options_.tolerance.relative);
  problem.tolerance.relative = factor * options_.tolerance.relative;
  problem.tolerance.absolute = factor * options_.tolerance.absolute;
  problem.tolerance.absolute_per_state.clear();
  for (program::SlotId slot : program_.states) {
    const program::Slot& state = program_.slots[slot];
    double tolerance = state.absolute_tolerance > 0 ? factor * state.absolute_tolerance : problem.tolerance.absolute;
    if (state.kind == program::SlotKind::shadow) tolerance = std::max(1e-3, tolerance) * shadow_scale;
    problem.tolerance.absolute_per_state.insert(problem.tolerance.absolute_per_state.end(),
                                                static_cast<std::size_t>(state.type.size()), tolerance);
    const std::size_t end = problem.tolerance.absolute_per_state.size();
    if (state.absolute_tolerance > 0) continue;
    for (std::size_t k = end - static_cast<std::size_t>(state.type.size()); k < end; ++k) {
      problem.tolerance.absolute_per_state[k] *= nominals_[k];
    }
  }
}

// The sizes belong to the states among the results of the call, one after the other.
void HybridRun::take_nominals(const program::Call& call, const std::vector<double>& sizes) {
  std::size_t next = 0;
  for (program::SlotId result : call.results) {
    std::size_t first = 0;
    for (program::SlotId slot : program_.states) {
      const auto size = static_cast<std::size_t>(program_.slots[slot].type.size());
      if (slot == result && next + size <= sizes.size()) {
        for (std::size_t k = 0; k < size; ++k) {
          rescaled_ = rescaled_ || nominals_[first + k] != sizes[next + k];
          nominals_[first + k] = sizes[next + k];
        }
        next += size;
      }
      first += size;
    }
  }
}

// Where nothing restarts the solver, looks into its steps or draws them: long steps then cost nothing.
void HybridRun::prefer_high_order(const solve::Problem& problem) {
  const bool drawn = recorder_.active() && options_.interval <= 0;
  const bool disturbed = !watch_.empty() || !step_sources_.empty() ||
                         std::any_of(facts_.begin() + 1, facts_.end(), [](const SourceFacts& m) { return m.critical; });
  if (solver_->method != solve::Method::dopri || problem.n == 0 || drawn || disturbed) return;
  std::string why = why_high_order(problem, t_, options_.stop, states());
  if (why.empty()) return;
  solver_ = &solve::solver(solve::Method::dopri853);
  solver_reason_ = std::move(why);
}

solve::Problem HybridRun::problem() {
  solve::Problem problem;
  problem.n = static_cast<int>(machine_->state_count());
  const bool bare = machine_->derivative_loops().empty() && foreign_.empty() && assertions_.empty() && !sliding_;
  problem.rhs = {bare ? &HybridRun::bare_derivative : &HybridRun::derivative, this};
  if (machine_->has_partial_derivatives() && watch_.has_modes()) problem.rhs.function = &HybridRun::careful_derivative;
  problem.tolerance = options_.tolerance;
  problem.limits = options_.limits;
  problem.t_end_hint = options_.stop;
  if (problem.limits.maximum <= 0) problem.limits.maximum = (options_.stop - options_.start) / 100;  // Activate, 10.5.5
  set_tolerances(problem);
  return problem;
}

bool HybridRun::make_integrator() {
  solve::Problem problem = this->problem();
  if (solver_ == nullptr) {
    choose_solver(problem);
    prefer_high_order(problem);
  }
  if (is_automatic() && !solver_->implicit && problem.n > 0) stiffness_.emplace(problem, solver_->order > 5);
  integrator_ = integrator_for(std::move(problem));
  if (integrator_ == nullptr) return false;
  integrator_->watch(states_of_surfaces());
  trusted_degree_ = -1;
  rescaled_ = false;
  return true;
}

// Where surfaces are watched, a multistep method has a starter of its kind.
std::unique_ptr<solve::Integrator> HybridRun::integrator_for(solve::Problem problem) {
  const int n = problem.n;
  keep_invariants(problem);
  if (!solver_->multistep || watch_.empty() || n == 0) return integrator_of(*solver_, std::move(problem));
  auto starter = integrator_of(*solve::find_solver(solver_->implicit ? "radau" : "dopri"), problem);
  auto method = integrator_of(*solver_, std::move(problem));
  if (starter == nullptr || method == nullptr) return nullptr;
  return solve::with_starter(std::move(method), std::move(starter), n);
}

std::unique_ptr<solve::Integrator> HybridRun::integrator_of(const solve::SolverInfo& solver, solve::Problem problem) {
  const JacobianCode* known = nullptr;
  if (solver.implicit && problem.n > 0 && (known = machine_->jacobian(diagnostics_)) == nullptr) return nullptr;
  if (takes_loops_over()) {
    const auto derivative = [this](double t, const double* x, double* dx) {
      derivatives_(t, x, dx, memory_.data(), 0);
      if (!assertions_.empty() && !assertions_.allow(t, x, memory_.data())) return 1;
      return foreign_status();
    };
    const auto start = [this](double t, const double* x) { return settle(machine_->continuous_loops(), t, x); };
    return make_implicit_integrator(*solve::find_dae_solver(solver.name),
                                    {*machine_, memory_.data(), start, derivative}, problem);
  }
  // Derivatives along surfaces are mixtures, which differences know and the model's matrix does not.
  const bool exact = known != nullptr && known->code != nullptr && !sliding_;
  if (known != nullptr && machine_->continuous_loops().empty() && !sliding_) {
    const passes::Sparsity& pattern = known->pattern;
    problem.jacobian.pattern = {pattern.n, pattern.column_start, pattern.row};
    if (exact) problem.jacobian.function = &HybridRun::jacobian;
    if (exact && machine_->has_partial_derivatives()) problem.jacobian.function = &HybridRun::careful_jacobian;
  } else if (exact) {
    problem.jacobian.pattern = condensed_pattern();
    problem.jacobian.function = &HybridRun::condensed_jacobian;
  }
  problem.jacobian.user = this;
  return solve::make_integrator(solver, std::move(problem));
}

HybridRun::Flow HybridRun::initialise() {
  initialised_ = true;
  if (options_.interval > 0 && (options_.stop - options_.start) / options_.interval > recorder_.most_rows())
    return report_full_results();
  if (!open_foreign()) return Flow::failed;
  set_parameters(program_, options_.parameters, machine_->layout(), memory_.data());
  begin_series();
  machine_->run_start(t_, memory_.data());
  if (foreign_status() != 0) {
    foreign_.report(
        t_, [this](program::OriginId origin) { return place_of(origin); }, diagnostics_);
    return Flow::failed;
  }
  if (!solve_start()) return Flow::failed;
  for (std::uint32_t s = 0; s < program_.sources.size(); ++s) {
    if (program_.sources[s].kind == program::SourceKind::clock) program_tick(s, -1);
  }
  const Flow flow = fire(0, Cause::initial, 0, 0);
  if (flow != Flow::on) return flow;
  if (!relax_modes() || !make_start_consistent()) return Flow::failed;
  if (has_continuous_ && !make_integrator()) return Flow::failed;
  if (!options_.grid_only) take_row(Phase::initial);  // else once all events of the first instant have been
  return Flow::on;
}

bool HybridRun::solve_start() {
  StartSolver solver(*machine_, memory_, loop_solver_.get(), t_);
  const bool found = solver.run([this](program::OriginId origin) { return place_of(origin); }, diagnostics_);
  report_.start = solver.report();
  return found;
}

// False: a surface cannot leave zero.
bool HybridRun::begin_watching() {
  settle(machine_->surface_loops(), t_, states());
  const SurfaceValues values = surface_values(t_, states());
  if (is_stuck_at_zero(values)) return false;
  take_modes();
  watch_.begin(t_, values, modes_.data());
  // A step a little longer than to the next crossing. It is rounded, so that it does not depend on the last bits of the
  // rates, for which the compiler does not vouch.
  const double ahead = std::max(1.25 * time_to_crossing(values), 16 * coincidence_);
  int exponent = 0;
  const double mantissa = std::frexp(ahead, &exponent);
  first_limit_ = std::isfinite(ahead) ? t_ + std::ldexp(std::round(256 * mantissa), exponent - 8) : ahead;
  // Multistep methods are not to be trusted near a surface that is being left, either.
  const double away = watch_.leaves_zero() ? t_ + (options_.stop - options_.start) / 100 : t_;
  const double expected = std::isfinite(first_limit_) ? std::max(first_limit_, away) : away;
  if (expected > t_) integrator_->expect(expected);
  return true;
}

bool HybridRun::start_integrator() {
  if (loop_solver_) loop_solver_->search();
  bool keep_step = integrator_started_;
  if (rescaled_) {
    earlier_.add(integrator_->statistics());
    keep_step = false;
    integrator_ = integrator_for(problem());
    if (integrator_ == nullptr) return false;
    integrator_->watch(states_of_surfaces());
    trusted_degree_ = -1;
    rescaled_ = false;
  }
  if (integrator_->start(t_, states(), keep_step) != solve::Status::ok) {
    report_integrator_failure();
    return false;
  }
  if (integrator_started_) ++report_.cold_restarts;
  integrator_started_ = true;
  if (!watch_.empty() && !begin_watching()) return false;
  restart_needed_ = false;
  return true;
}

}  // namespace orrery::sim
