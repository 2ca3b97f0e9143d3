// SPDX-License-Identifier: Apache-2.0
// Options first, then the description, then what is usual.
#include "fmi/plan_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::fmi {
namespace {

// 1, 2 or 5 times a power of ten, so that about 500 rows fill the horizon.
double round_interval(double horizon) {
  const double raw = horizon / 500;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double digit = raw / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

// Of times that lie at equal distances; otherwise infinity.
double grid_spacing(const std::vector<double>& times) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (times.size() < 3) return infinity;
  const double spacing = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double expected = times.front() + static_cast<double>(k) * spacing;
    if (std::fabs(times[k] - expected) > 1e-4 * spacing) return infinity;
  }
  return spacing;
}

class Planning {
 public:
  Planning(const Description& description, const RunOptions& options, const Place& place, Diagnostics& diagnostics)
      : description_(description), options_(options), place_(place), diagnostics_(diagnostics) {}

  std::optional<RunPlan> plan() {
    if (!choose_kind() || !choose_times()) return std::nullopt;
    if (plan_.interface(description_).needs_execution_tool) {
      diagnostics_.warning(
          "fmi-needs-tool", place_,
          fmt::format("the FMU says that it needs the tool that made it ({})", description_.generation_tool));
    }
    choose_tolerance();
    choose_rows();
    return plan_;
  }

 private:
  bool choose_kind() {
    plan_.kind = options_.kind.value_or(description_.preferred_kind());
    if (!options_.kind || description_.interface(plan_.kind) != nullptr) return true;
    diagnostics_.error("fmi-no-interface", place_, fmt::format("the FMU does not offer {}", name_of(plan_.kind)));
    return false;
  }

  bool choose_times() {
    const Experiment& experiment = description_.experiment;
    plan_.start = options_.start.value_or(experiment.start.value_or(0));
    // Some descriptions have 0 for both times where they mean none.
    const bool has_stop = experiment.stop && *experiment.stop > plan_.start;
    if (!options_.stop && !has_stop) {
      diagnostics_.warning("fmi-no-stop-time", place_,
                           fmt::format("the FMU has no default stop time{}; it is run for 1 s",
                                       experiment.stop ? fmt::format(" after its start at {}", plan_.start) : ""),
                           "give one with --stop");
    }
    plan_.stop = options_.stop.value_or(has_stop ? *experiment.stop : plan_.start + 1);
    if (!std::isfinite(plan_.start) || !std::isfinite(plan_.stop) || plan_.stop < plan_.start) {
      diagnostics_.error("fmi-bad-times", place_,
                         fmt::format("a run from {} to {} is not possible", plan_.start, plan_.stop),
                         "choose with --start and --stop");
      return false;
    }
    return choose_step();
  }

  // The interval of rows, or the communication step.
  bool choose_step() {
    const double horizon = plan_.stop - plan_.start;
    const bool co_simulation = plan_.kind == Kind::co_simulation;
    const std::optional<double>& inner = plan_.interface(description_).fixed_internal_step;
    const double asked = !co_simulation && options_.interval ? *options_.interval : options_.step.value_or(0);
    double step = asked > 0 ? asked : description_.experiment.step.value_or(0);
    if (!(step > 0) && co_simulation) step = inner.value_or(0);
    // Rows are for reading: a default that makes millions of them is not meant as their interval.
    const bool too_fine = !co_simulation && !(asked > 0) && step > 0 && horizon / step > 1e5;
    if (!(step > 0) || !std::isfinite(step) || too_fine) step = horizon > 0 ? round_interval(horizon) : 1;
    // A step longer than the run is a mistake of the description; one that was asked for is taken as it is.
    if (!(asked > 0) && horizon > 0 && step > horizon) step = round_interval(horizon);
    plan_.step = step;
    if (co_simulation && !options_.step && inner && *inner > 0) {
      plan_.step = *inner * std::max(1.0, std::round(plan_.step / *inner));
    }
    // Beside times that are large enough a step is nothing.
    const double size = std::max(std::fabs(plan_.start), std::fabs(plan_.stop));
    if (!(size + plan_.step / 2 > size)) {
      if (horizon > 0) {
        diagnostics_.error("fmi-bad-times", place_,
                           fmt::format("a step of {} is lost in times of {}", plan_.step, size),
                           "choose others with --start, --stop and --step");
        return false;
      }
      plan_.step = size;
    }
    // What was asked for may take long; a mistake of the description may not.
    const double most_steps = asked > 0 ? 1e9 : 1e7;
    if (horizon / plan_.step <= most_steps) return true;
    diagnostics_.error("fmi-bad-times", place_,
                       fmt::format("a step of {} would make {:.3g} steps", plan_.step, horizon / plan_.step),
                       "choose another one with --step");
    return false;
  }

  // Rows at given times. Of Co-Simulation only if they are communication points: in between there is nothing to be
  // seen. Where they form a grid that divides the step, they tell the step the reference was made with.
  void choose_rows() {
    std::vector<double>& times = plan_.row_times;
    if (options_.row_times.empty()) return;
    const double rounding = time_rounding(plan_.start, plan_.stop);
    times = {plan_.start};
    for (const double t : options_.row_times) {
      const bool within = t >= plan_.start - rounding && t <= plan_.stop + rounding;
      if (within && t > times.back() + rounding) times.push_back(t);
    }
    if (plan_.kind != Kind::co_simulation) return;
    const double spacing = grid_spacing(times);
    const double parts = std::round(plan_.step / spacing);
    if (parts >= 2 && parts <= 1000 && std::fabs(plan_.step / spacing - parts) < 1e-6 * parts) {
      plan_.step = spacing;
    }
    const bool all_are_points = std::all_of(times.begin(), times.end(), [&](double t) {
      const double steps = (t - plan_.start) / plan_.step;
      return std::fabs(steps - std::round(steps)) < 1e-6;
    });
    if (!all_are_points) times.clear();
  }

  // Files of several tools say 0.5 or 1 where they mean nothing.
  void choose_tolerance() {
    constexpr double loosest = 0.1;
    plan_.rtol = options_.rtol;
    if (!options_.rtol || *options_.rtol < loosest) return;
    plan_.rtol.reset();
    diagnostics_.warning("fmi-loose-tolerance", place_,
                         fmt::format("a relative tolerance of {} means nothing; the default is used", *options_.rtol));
  }

  const Description& description_;
  const RunOptions& options_;
  const Place& place_;
  Diagnostics& diagnostics_;
  RunPlan plan_;
};

}  // namespace

std::optional<RunPlan> plan_run(const Description& description, const RunOptions& options, const Place& place,
                                Diagnostics& diagnostics) {
  return Planning(description, options, place, diagnostics).plan();
}

std::optional<InputPoint> input_point_named(const std::string& name) {
  if (name == "begin") return InputPoint::begin;
  if (name == "middle") return InputPoint::middle;
  if (name == "end") return InputPoint::end;
  return std::nullopt;
}

double time_rounding(double start, double stop) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(start), std::fabs(stop));
}

}  // namespace orrery::fmi
