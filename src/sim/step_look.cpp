// SPDX-License-Identifier: Apache-2.0
// Surfaces on the dense output, and how far to trust it.
#include "sim/step_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/saved_bytes.h"

namespace orrery::sim {

StepLook::StepLook(RunContext& run, ModelFunctions& model, SurfaceFunctions& surfaces, TrialPoints& trial, Modes& modes,
                   SolverSeat& seat, const EventQueue& queue, SurfaceWatch& watch)
    : run_(run),
      model_(model),
      surfaces_(surfaces),
      trial_(trial),
      modes_(modes),
      seat_(seat),
      queue_(queue),
      watch_(watch),
      search_(watch, run.coincidence),
      close_calls_(run, watch),
      evaluate_([this](double t, double* g) { surfaces_inside(t, g); }),
      x_(run.machine.state_count()) {
  for (std::size_t k = 0; k < watch.size(); ++k) knows_rates_ = knows_rates_ && run.machine.has_rate(k);
  const bool foreign =
      std::all_of(run.program.surfaces.begin(), run.program.surfaces.end(), [&run](const program::Surface& surface) {
        return surface.mode == program::no_slot && !run.program.sources[surface.source].table.calls.empty();
      });
  if (foreign) search_.look_at_ends();
}

// The first step goes a little further than to the next crossing. It is rounded, so that it does not depend on the last
// bits of the rates, for which the compiler does not vouch.
void StepLook::begin(const SurfaceValues& values, Sides sides) {
  if (!run_.program.fixed_step) close_calls_.begin(values);
  watch_.begin(run_.t, values, modes_.for_watch(), sides == Sides::unknown && !run_.program.fixed_step);
  const double ahead = std::max(1.25 * time_to_crossing(values), 16 * run_.coincidence);
  int exponent = 0;
  const double mantissa = std::frexp(ahead, &exponent);
  first_limit_ = std::isfinite(ahead) ? run_.t + std::ldexp(std::round(256 * mantissa), exponent - 8) : ahead;
  // Multistep methods are not to be trusted near a surface that is being left, either.
  const double away = watch_.leaves_zero() ? run_.t + run_.horizon() / 100 : run_.t;
  const double expected = std::isfinite(first_limit_) ? std::max(first_limit_, away) : away;
  if (expected > run_.t) seat_.integrator().expect(expected);
}

// The time to the next crossing that value and rates predict; infinite when there is none in sight.
double StepLook::time_to_crossing(const SurfaceValues& values) const {
  double soonest = INFINITY;
  if (values.rates == nullptr) return soonest;
  for (std::size_t k = 0; k < watch_.size(); ++k) {
    const double side = watch_.signs()[k];
    if (side == 0 || std::isnan(values.rates[3 * k])) continue;
    const double second = values.rates[3 * k + 1];
    const double c = side * watch_.last()[k], b = side * values.rates[3 * k];
    const double a = std::isnan(second) ? 0 : 0.5 * side * second;
    const double root = std::sqrt(b * b - 4 * a * c);  // not a number: no zero
    const double q = -0.5 * (b + std::copysign(root, b));
    for (const double candidate : {q / a, c / q}) {
      if (candidate > 0 && candidate < soonest) soonest = candidate;
    }
  }
  return soonest;
}

void StepLook::open() {
  trust_polynomials();
  watch_.begin_step(run_.t);
  const double end = seat_.step_end();
  const double* x = seat_.integrator().state();
  if (watch_.any_still() && watch_.is_disturbed(surfaces_.values(end, x)))
    watch_.let_move(surfaces_.values_and_rates(end, x), end - run_.t);
  search_.open(seat_.step_end());
}

// Which surfaces are polynomials that five values determine: radau changes its degree on the way.
void StepLook::trust_polynomials() {
  const int degree = seat_.integrator().dense_degree();
  if (degree == trusted_degree_) return;
  trusted_degree_ = degree;
  bool rates = false;
  for (std::size_t k = 0; k < watch_.size(); ++k) {
    const bool exact = run_.machine.is_affine(k) && degree <= 4 && !model_.slides(k) && !model_.is_pinned(k);
    watch_.set_exact(k, exact);
    rates = rates || (!exact && run_.machine.has_rate(k));
  }
  search_.check_rates(!rates ? StepSearch::EndRates{} : [this](double t) {
    return surfaces_.values_and_rates(t, seat_.integrator().state()).rates;
  });
}

void StepLook::surfaces_inside(double t, double* g) {
  if (t == seat_.step_end()) {
    surfaces_.evaluate(t, seat_.integrator().state(), g);
  } else {
    seat_.integrator().interpolate_watched(t, x_.data());
    surfaces_.evaluate(t, x_.data(), g);
  }
  watch_.correct(t, g);
}

// What is more than errors of the solver.
void StepLook::warn_of_lost() {
  const auto lost = search_.take_lost();
  if (!lost) return;
  warned_.resize(watch_.size());
  if (warned_[lost->surface]) return;
  seat_.integrator().interpolate(lost->time, x_.data());
  const double* rates = surfaces_.values_and_rates(lost->time, x_.data()).rates;
  const double size = rates == nullptr ? lost->range : rates[3 * lost->surface + 2];
  const program::Surface& what = run_.program.surfaces[lost->surface];
  const solve::Tolerance& tolerance = run_.options.tolerance;
  const double noise =
      depends_on_states(run_.program, what) ? 1000 * (tolerance.absolute + tolerance.relative * size) : 1e-10 * size;
  if (!(lost->range > noise)) return;
  warned_[lost->surface] = true;
  auto& d = run_.diagnostics.warning(
      "crossings-too-close", run_.place_of(what.origin),
      fmt::format("it crosses zero so often near t = {:.10g} that not all of its crossings can be told apart; some are "
                  "missing",
                  lost->time),
      "leave out the point where its frequency grows without bound, give it hysteresis, or make hmax smaller");
  d.time = lost->time;
  d.notes.push_back(what.text);
}

bool StepLook::find_crossing() {
  if (watch_.empty()) return false;
  const bool crosses = search_.find(evaluate_, run_.time_tolerance, found_);
  warn_of_lost();
  if (crosses) {
    // What is about to cross as well crosses in the same instant. Where the piece ends in it, that may be a surface
    // which stays on its side all through the piece.
    if (found_.time >= search_.last_end() - run_.coincidence) watch_.all_are_loud();
    if (watch_.size() > found_.crossings.size() &&
        watch_.is_near_zero(found_, search_.last_values(), search_.last_width())) {
      seat_.integrator().interpolate(found_.time, x_.data());
      watch_.join(surfaces_.values_and_rates(found_.time, x_.data()), found_);
    }
    const bool ends = close_calls_.is_end_of_motion(found_) || queue_.next_critical() <= found_.time + run_.coincidence;
    if (ends &&
        close_calls_.are_possible(found_.time, watch_.at_end().data(), search_.last_values(), search_.last_width())) {
      seat_.integrator().interpolate(found_.time, x_.data());
      close_calls_.note(found_.time, surfaces_.values_and_rates(found_.time, x_.data()), found_);
    }
    return true;
  }
  // Where events stop the step anyway, what is about to cross crosses in their instant.
  const double end = seat_.step_end();
  const bool stops = queue_.next_time() <= end + run_.time_tolerance || end >= run_.options.stop - run_.time_tolerance;
  found_.crossings.clear();
  if (!stops || !search_.ended()) return false;
  const bool near = watch_.is_near_zero(found_, search_.last_values(), search_.last_width());
  const bool close =
      queue_.next_critical() <= end + run_.time_tolerance &&
      close_calls_.are_possible(end, search_.last_values()[4], search_.last_values(), search_.last_width());
  if (!near && !close) return false;
  const SurfaceValues exact = surfaces_.values_and_rates(end, seat_.integrator().state());
  const bool arrives = near && watch_.arrives(end, search_.last_values(), search_.last_width(), exact, found_);
  if (close) close_calls_.note(end, exact, found_);
  return arrives;
}

bool StepLook::find_jumps() {
  if (watch_.empty()) return false;
  const SurfaceValues values = values_now();
  return seat_.is_started() ? watch_.judge(run_.t, values, {}, found_) : watch_.find_levels(run_.t, values, found_);
}

void StepLook::look_between_events() {
  if (!seat_.is_started() || !watch_.any_at_zero(run_.t) || model_.is_sliding() || !model_.foreign().empty()) return;
  if (run_.has_modes) modes_.find_for_now();
  watch_.let_turn_back(run_.t, values_now());
  if (run_.has_modes) modes_.put_back();
}

bool StepLook::find_stepped() { return watch_.judge(run_.t, values_now(), {}, found_, true); }

void StepLook::judge_again() {
  located_ = found_.crossings;
  watch_.judge(run_.t, surfaces_.values_and_rates(run_.t, run_.states()), located_, found_);
}

bool StepLook::go_back() {
  if (!watch_.has_turned()) return false;
  surfaces_inside(run_.t, surfaces_.room());
  watch_.go_back(run_.t, surfaces_.room());
  search_.open(seat_.step_end());
  return true;
}

void StepLook::look_anew() {
  watch_.rebase(run_.t, surfaces_.values(run_.t, run_.states()), modes_.for_watch());
  search_.open(seat_.step_end());
}

void StepLook::save(SaveWriter& out) const {
  out.write(watch_.save());
  out.write(&first_limit_, 1);
}

bool StepLook::restore(SaveReader& in) {
  std::vector<double> watched, limit;
  if (!in.read(watched) || !in.read(limit) || limit.size() != 1) return false;
  first_limit_ = limit[0];
  return watch_.restore(watched);
}

}  // namespace orrery::sim
