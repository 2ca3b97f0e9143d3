// SPDX-License-Identifier: Apache-2.0
// What was about to cross before an instant is looked at again behind it.
#include "sim/close_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orrery::sim {
namespace {

// Errors of the solver over a run, in tolerances of a step.
constexpr double errors_of_a_run = 10;

// Whether any event that others cause may disturb something continuous.
bool has_disturbing_events(const program::Program& program) {
  return std::any_of(program.sources.begin(), program.sources.end(), [](const program::Source& source) {
    return source.kind == program::SourceKind::programmed && source.table.critical;
  });
}

}  // namespace

CloseCalls::CloseCalls(RunContext& run, const SurfaceWatch& watch)
    : run_(run), watch_(watch), warned_(run.program.surfaces.size()) {
  const bool disturbing = has_disturbing_events(run.program);
  for (std::uint32_t k = 0; k < run.program.surfaces.size(); ++k) {
    const program::Surface& surface = run.program.surfaces[k];
    const bool fires = surface.mode == program::no_slot;
    if (fires) surfaces_.push_back(k);
    disturbs_.push_back(fires ? disturbing || run.program.sources[surface.source].table.critical : !surface.shown);
  }
  near_.resize(surfaces_.size(), -1.0);
}

// By the size of its terms, and by how far it has come at this rate since the start: errors of the states that it is
// made of do not vanish where it does.
double CloseCalls::limit_of(std::uint32_t k, double t, const SurfaceValues& values) const {
  const solve::Tolerance& tolerance = run_.options.tolerance;
  const double way = std::fabs(values.rates[3 * k]) * (t - run_.options.start);
  return std::max(errors_of_a_run * (tolerance.absolute + tolerance.relative * values.rates[3 * k + 2]),
                  std::isnan(way) ? 0 : tolerance.relative * way);
}

bool CloseCalls::are_possible(double t, const double* g, const Quarters& values, double width) const {
  const double ways = 4 * run_.options.tolerance.relative * (t - run_.options.start) / width;
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    const std::uint32_t k = surfaces_[i];
    double most = 0;  // more than half of the range
    for (const double* v : values) most += std::fabs(v[k]);
    if (std::fabs(g[k]) <= near_[i] + ways * most) return true;
  }
  return false;
}

// Nearer to zero than errors of the solver, though not in the same instant by the law, and on a way that leads through
// zero: 1 - t, but not exp(-t).
bool CloseCalls::is_close(std::uint32_t k, const SurfaceValues& values, double limit) const {
  const double g = values.g[k], rate = values.rates[3 * k], second = values.rates[3 * k + 1];
  if (!(std::fabs(g) <= limit) || rate == 0 || std::isnan(rate) || watch_.is_still(k)) return false;
  return rate * rate > 2 * g * (std::isnan(second) ? 0 : second);
}

void CloseCalls::note(double t, const SurfaceValues& before, const Found& found) {
  calls_.clear();
  crossed_.clear();
  if (before.rates == nullptr) return;
  for (const std::uint32_t k : surfaces_) {
    const double g = before.g[k], limit = limit_of(k, t, before);
    if (!is_close(k, before, limit) || watch_.is_hardly_away(k, before)) continue;
    const double rate = before.rates[3 * k];
    if (!watch_.is_wanted(k, rate > 0 ? 1 : -1)) continue;
    const bool found_now = std::any_of(found.crossings.begin(), found.crossings.end(),
                                       [k](const CrossingSurface& crossing) { return crossing.surface == k; });
    // What has just crossed, and had no part in what happens now.
    const bool has_crossed = g * rate > 0;
    if (found_now || (has_crossed && !watch_.fired_since(k, t - 2 * g / rate))) continue;
    calls_.push_back({k, t, g, rate, limit});
  }
  if (calls_.empty()) return;
  for (const CrossingSurface& crossing : found.crossings) crossed_.push_back(crossing.surface);
}

void CloseCalls::begin(const SurfaceValues& values) {
  for (const Call& call : calls_) {
    if (std::fabs(run_.t - call.time) <= run_.coincidence && !warned_[call.surface] && !goes_on(call, values))
      warn(call);
  }
  calls_.clear();
  if (values.rates == nullptr) return;
  for (std::size_t i = 0; i < surfaces_.size(); ++i) near_[i] = 4 * limit_of(surfaces_[i], run_.t, values);
}

// Whether it crosses behind the instant as it would have before it.
bool CloseCalls::goes_on(const Call& call, const SurfaceValues& after) const {
  const std::uint32_t k = call.surface;
  if (std::isnan(after.g[k]) || after.rates == nullptr) return true;
  if (is_close(k, after, 4 * call.limit) && after.rates[3 * k] * call.rate > 0) return true;
  return run_.program.surfaces[k].jumps && watch_.side_after(k, after) * call.rate > 0;
}

void CloseCalls::warn(const Call& call) {
  warned_[call.surface] = true;
  const program::Surface& what = run_.program.surfaces[call.surface];
  const double away = std::fabs(call.value / call.rate);
  const bool crossed = call.value * call.rate > 0;
  auto& d = run_.diagnostics.warning(
      "crossing-not-determined", run_.place_of(what.origin),
      fmt::format("it {} {:.2g} s {} an event that turns it back or carries it away: less than the errors of the "
                  "solver, which decide here whether it crosses at all",
                  crossed ? "crossed zero" : "would have crossed zero", away, crossed ? "before" : "after"),
      "let one of the two events cause the other if they belong together, keep them apart if they do not, or choose "
      "smaller tolerances");
  d.time = call.time;
  d.notes.push_back(what.text);
  for (const std::uint32_t k : crossed_) {
    const program::Surface& other = run_.program.surfaces[k];
    d.notes.push_back(
        fmt::format("at t = {:.10g} crosses {}: {}", call.time, run_.program.origins[other.origin].path, other.text));
  }
  if (crossed_.empty()) d.notes.push_back(fmt::format("an event is due at t = {:.10g}", call.time));
}

}  // namespace orrery::sim
