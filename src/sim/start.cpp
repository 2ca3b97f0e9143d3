// SPDX-License-Identifier: Apache-2.0
// Bringing a run to life: what is refused, how the parts are put together, the initial table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/hybrid_run.h"
#include "sim/start_solver.h"

namespace orrery::sim {
namespace {

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

// Whether a run of the program can be made with these options. The solver stays nullptr where it is to be chosen.
bool check_options(const program::Program& program, const RunOptions& options, const solve::SolverInfo*& solver,
                   Diagnostics& diagnostics) {
  if (!solve::is_automatic(options.solver)) {
    solver = solve::find_solver(options.solver);
    if (solver == nullptr) {
      std::string names(solve::automatic);
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

HybridRun::HybridRun(std::shared_ptr<const CompiledProgram> compiled, const solve::SolverInfo* solver,
                     RunOptions options, Diagnostics& diagnostics)
    : run_(std::move(compiled), std::move(options), diagnostics),
      histories_(run_.machine),
      watch_(run_.program, run_.options.zero_threshold, run_.coincidence),
      model_(run_),
      sensitivity_(run_.program.sensitivities.parameters.empty()
                       ? nullptr
                       : std::make_unique<EventSensitivity>(run_.machine, run_.memory, model_.loop_solver())),
      surfaces_(run_, model_),
      trial_(run_, model_),
      modes_(run_, model_, surfaces_, trial_, watch_, sensitivity_.get()),
      seat_(run_, model_, trial_, solver),
      past_(run_, model_, seat_, histories_),
      queue_(run_),
      inputs_(run_, queue_),
      results_(run_, model_, trial_, modes_, seat_, watch_),
      events_(run_, model_, trial_, modes_, seat_, queue_, inputs_, results_, sensitivity_.get()),
      noise_(run_, model_, surfaces_, trial_, watch_),
      look_(run_, model_, surfaces_, trial_, modes_, seat_, queue_, watch_),
      crossings_(run_, model_, surfaces_, modes_, seat_, results_, events_, look_, noise_, watch_, histories_,
                 sensitivity_.get()) {
  watch_.set_tolerance(run_.options.tolerance.absolute, run_.options.tolerance.relative);
  has_continuous_ = run_.machine.state_count() > 0 || !watch_.empty() || events_.follows_steps() || !past_.empty() ||
                    (run_.machine.has_continuous_probes() && results_.records());
  const bool free_steps = !model_.assertions().judge_trials() && past_.empty();
  unwatched_ = free_steps && watch_.empty() && !results_.records() && !events_.follows_steps();
  asks_only_ = free_steps && (watch_.empty() || look_.looks_at_ends()) && results_.is_on_grid() &&
               events_.asks_after_steps() && !run_.program.fixed_step;
  seat_.set_surroundings(surroundings());
  if (!watch_.empty()) events_.look_between([this] { look_.look_between_events(); });
}

SolverSurroundings HybridRun::surroundings() const {
  SolverSurroundings about;
  about.undisturbed = watch_.empty() && !events_.follows_steps() && !results_.draws_steps();
  for (std::uint32_t s = 0; s < run_.program.sources.size(); ++s) {
    if (!run_.machine.table(s).critical) continue;
    if (s > 0) about.undisturbed = false;
    const program::SourceKind kind = run_.program.sources[s].kind;
    if (kind == program::SourceKind::crossing) about.restarts.state_events = true;
    if (kind == program::SourceKind::clock)
      about.restarts.ticks += run_.horizon() / queue_.ticks_of(s).scale.interval();
  }
  if (run_.has_modes) about.restarts.state_events = true;
  return about;
}

bool HybridRun::solve_start() {
  StartSolver solver(run_.machine, run_.memory, model_.loop_solver(), run_.t);
  const bool found = solver.run([this](program::OriginId origin) { return run_.place_of(origin); }, run_.diagnostics);
  run_.report.start = solver.report();
  return found;
}

Flow HybridRun::initialise() {
  initialised_ = true;
  if (results_.asks_for_too_much()) return results_.report_too_large();
  if (!model_.open_foreign()) return Flow::failed;
  set_parameters(run_.program, run_.options.parameters, run_.machine.layout(), run_.memory.data());
  inputs_.begin();
  run_.machine.run_start(run_.t, run_.memory.data());
  if (model_.foreign_status() != 0) return model_.report_foreign_failure();
  if (!solve_start()) return Flow::failed;
  if (!past_.begin()) return Flow::failed;
  queue_.begin_ticks();
  const Flow flow = events_.fire(0, Cause::initial);
  if (flow != Flow::on) return flow;
  if (!modes_.relax() || !make_start_consistent()) return Flow::failed;
  if (has_continuous_ && !seat_.make()) return Flow::failed;
  if (!run_.options.grid_only)
    results_.take_row(Phase::initial);  // else once all events of the first instant have been
  return Flow::on;
}

}  // namespace orrery::sim
