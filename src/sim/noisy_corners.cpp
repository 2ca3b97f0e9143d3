// SPDX-License-Identifier: Apache-2.0
// When a corner is let go, and when it is held again.
#include "sim/noisy_corners.h"

#include <algorithm>
#include <cmath>

#include "sim/saved_bytes.h"

namespace orrery::sim {

NoisyCorners::NoisyCorners(RunContext& run, ModelFunctions& model, SurfaceFunctions& surfaces, TrialPoints& trial,
                           SurfaceWatch& watch)
    : run_(run),
      model_(model),
      surfaces_(surfaces),
      trial_(trial),
      watch_(watch),
      corners_(run.machine.has_partial_derivatives() ? run.program.surfaces.size() : 0) {}

bool NoisyCorners::is_possible(std::uint32_t surface) const {
  const program::Surface& what = run_.program.surfaces[surface];
  return !corners_.empty() && what.mode != program::no_slot && !what.shown && what.settled == program::no_expr &&
         run_.machine.has_rate(surface) && model_.sliding() == nullptr &&
         run_.program.sensitivities.parameters.empty() && run_.machine.surface_loops().empty() &&
         model_.foreign().empty();
}

bool NoisyCorners::is_noise(std::uint32_t surface) {
  constexpr double often = 30;
  Corner& corner = corners_[surface];
  const double interval = run_.t - corner.last;
  corner.last = run_.t;
  bool tiny = interval < 1e-3 * run_.horizon();
  if (tiny) {
    held_.keep(run_);
    trial_.take_modes_of(run_.t, run_.states());
    const double* rates = surfaces_.values_and_rates(run_.t, run_.states()).rates + 3 * surface;
    const double way = std::fabs(rates[0]) * interval;
    held_.put_back(run_);
    tiny = way <= 100 * (run_.options.tolerance.absolute + run_.options.tolerance.relative * rates[2]);
  }
  corner.in_noise = tiny ? corner.in_noise + 1 : 0;
  return corner.in_noise >= often && trial_.meets_itself(surface);
}

bool NoisyCorners::stays_short() {
  constexpr double many = 200;
  if (corners_.empty()) return false;
  const double step = run_.t - times_.last;
  times_.last = run_.t;
  if (step == 0) return false;
  times_.short_steps = step < 1e-7 * run_.horizon() ? times_.short_steps + 1 : 0;
  if (times_.short_steps < many) return false;
  times_.short_steps = 0;
  return true;
}

// Implicit methods may stay at one side of the corner, less than the tolerance away, where the slope of a root defeats
// their iteration.
bool NoisyCorners::let_rest() {
  bool any = false;
  for (std::uint32_t k = 0; k < corners_.size(); ++k) {
    if (!is_possible(k) || std::find(trial_.released.begin(), trial_.released.end(), k) != trial_.released.end())
      continue;
    const SurfaceValues values = surfaces_.values_and_rates(run_.t, run_.states());
    const solve::Tolerance& tolerance = run_.options.tolerance;
    const double near = tolerance.absolute + tolerance.relative * values.rates[3 * k + 2];
    if (!(std::fabs(values.g[k]) <= near) || !trial_.meets_itself(k)) continue;
    let_go(k);
    any = true;
  }
  return any;
}

// What has come to rest at its corner, as an empty tank whose outlet follows a root, is put there exactly: beside it
// the slope of a root is enormous, and no method takes long steps. One state moves, by less than the tolerance, and
// only if the surface stays at zero then.
void NoisyCorners::put_to_rest(std::uint32_t surface) {
  const std::size_t n = run_.machine.state_count();
  x_.assign(run_.states(), run_.states() + n);
  g_.resize(run_.program.surfaces.size());
  const auto value = [&] {
    run_.machine.surfaces()(run_.t, x_.data(), g_.data(), run_.memory.data(), 0);
    return g_[surface];
  };
  const double here = value();
  std::size_t chosen = n;
  double slope = 0, reach = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double x = x_[j];
    const solve::Tolerance& tolerance = run_.options.tolerance;
    const double size = tolerance.absolute * run_.nominals[j] + tolerance.relative * std::fabs(x);
    x_[j] = x + size;
    const double change = value() - here;
    x_[j] = x;
    if (!(std::fabs(change) > reach)) continue;
    reach = std::fabs(change);
    slope = change / size;
    chosen = j;
  }
  if (chosen == n || !(std::fabs(here) <= 10 * reach)) return;
  for (int k = 0; k < 4; ++k) x_[chosen] -= value() / slope;
  if (value() != 0) return;
  held_.keep(run_);
  trial_.take_modes_of(run_.t, x_.data());
  rates_.resize(3 * g_.size());
  run_.machine.surface_rates()(run_.t, x_.data(), rates_.data(), run_.memory.data(), 0);
  held_.put_back(run_);
  if (rates_[3 * surface] == 0) run_.states()[chosen] = x_[chosen];
}

void NoisyCorners::let_go(std::uint32_t surface) {
  constexpr double stretch = 1e-2;  // of the horizon
  std::vector<std::uint32_t>& released = trial_.released;
  corners_[surface].in_noise = 0;
  put_to_rest(surface);
  if (std::find(released.begin(), released.end(), surface) != released.end()) return;
  released.push_back(surface);
  times_.until = run_.t + stretch * run_.horizon();
  watch_.mute(surface);
}

void NoisyCorners::hold_again() {
  for (const std::uint32_t surface : trial_.released) watch_.unmute(surface);
  trial_.released.clear();
  run_.restart_needed = true;
}

void NoisyCorners::save(SaveWriter& out) const {
  out.write(corners_);
  out.write(trial_.released);
  out.write(&times_, 1);
}

bool NoisyCorners::restore(SaveReader& in) {
  std::vector<Times> times;
  if (!in.read_same(corners_) || !in.read(trial_.released) || !in.read(times) || times.size() != 1) return false;
  times_ = times[0];
  return std::ranges::all_of(trial_.released, [this](std::uint32_t k) { return k < corners_.size(); });
}

}  // namespace orrery::sim
