// SPDX-License-Identifier: Apache-2.0
// From a file to results: open, read, load, initialise, run, release.
#include "fmi/simulate.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "fmi/load_binary.h"
#include "fmi/run.h"
#include "fmi/unpack.h"

namespace orrery::fmi {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

bool choose_kind(RunResult& result, const RunOptions& options, const Place& place) {
  const Description& description = result.description;
  if (options.kind) {
    result.kind = *options.kind;
    if (description.interface(result.kind) != nullptr) return true;
    result.diagnostics.error("fmi-no-interface", place, fmt::format("the FMU does not offer {}", name_of(result.kind)));
    return false;
  }
  if (description.model_exchange || description.co_simulation) {
    result.kind = description.model_exchange ? Kind::model_exchange : Kind::co_simulation;
    return true;
  }
  result.diagnostics.error("fmi-no-interface", place, "the FMU offers Scheduled Execution only, which is not run yet");
  return false;
}

// 1, 2 or 5 times a power of ten, so that about 500 rows fill the horizon.
double round_interval(double horizon) {
  const double raw = horizon / 500;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double digit = raw / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

bool choose_times(RunResult& result, const RunOptions& options, const Place& place) {
  const Experiment& experiment = result.description.experiment;
  Diagnostics& diagnostics = result.diagnostics;
  result.start = options.start.value_or(experiment.start.value_or(0));
  if (!options.stop && !experiment.stop) {
    diagnostics.warning("fmi-no-stop-time", place, "the FMU has no default stop time; it is run for 1 s",
                        "give one with --stop");
  }
  result.stop = options.stop.value_or(experiment.stop.value_or(result.start + 1));
  if (!std::isfinite(result.start) || !std::isfinite(result.stop) || result.stop < result.start) {
    diagnostics.error("fmi-bad-times", place,
                      fmt::format("a run from {} to {} is not possible", result.start, result.stop),
                      "choose with --start and --stop");
    return false;
  }
  const double horizon = result.stop - result.start;
  const Interface& interface = *result.description.interface(result.kind);
  const bool exchange = result.kind == Kind::model_exchange;
  const std::optional<double>& inner = interface.fixed_internal_step;
  const double asked = exchange && options.interval ? *options.interval : options.step.value_or(0);
  double step = asked > 0 ? asked : experiment.step.value_or(0);
  if (!(step > 0) && !exchange) step = inner.value_or(0);
  // Rows are for reading: a default that makes millions of them is not meant as their interval.
  const bool too_fine = exchange && !(asked > 0) && step > 0 && horizon / step > 1e5;
  if (!(step > 0) || !std::isfinite(step) || too_fine) step = horizon > 0 ? round_interval(horizon) : 1;
  result.step = step;
  if (!exchange && !options.step && inner && *inner > 0) {
    result.step = *inner * std::max(1.0, std::round(result.step / *inner));
  }
  if (horizon / result.step > 1e9) {
    diagnostics.error("fmi-bad-times", place,
                      fmt::format("a step of {} would make {:.3g} steps", result.step, horizon / result.step),
                      "choose another one with --step");
    return false;
  }
  return true;
}

void run_instance(Run& run) {
  RunResult& result = run.result;
  if (!initialise(run)) return;
  if (!choose_columns(run)) return;
  result.started = true;
  if (result.kind == Kind::model_exchange) {
    run_model_exchange(run);
  } else {
    run_co_simulation(run);
  }
  if (result.end == End::reached_stop || result.end == End::terminated || result.end == End::interrupted) {
    // What the FMU says at its end does not spoil the results.
    static_cast<void>(run.instance->terminate());
  }
}

}  // namespace

RunResult simulate(const std::string& file, const RunOptions& options) {
  const auto begin = Clock::now();
  RunResult result;
  const Place place{file, 0, 0, {}, {}};
  const auto archive = Archive::open(file, result.diagnostics);
  if (!archive) return result;
  const auto xml = archive->read("modelDescription.xml", result.diagnostics);
  if (!xml) return result;
  auto description = read_description(*xml, file, result.diagnostics);
  if (!description || result.diagnostics.has_errors()) return result;
  result.description = std::move(*description);
  if (!choose_kind(result, options, place) || !choose_times(result, options, place)) return result;
  const Interface& interface = *result.description.interface(result.kind);
  if (interface.needs_execution_tool) {
    result.diagnostics.warning(
        "fmi-needs-tool", place,
        fmt::format("the FMU says that it needs the tool that made it ({})", result.description.generation_tool));
  }
  const auto binary = load_binary(*archive, result.description, result.kind, result.diagnostics);
  if (!binary) return result;
  Log log(result.description);
  if (!options.log.empty() && !log.open(options.log, result.diagnostics)) return result;
  InstanceOptions instance_options;
  instance_options.name = result.description.model_name.empty() ? "fmu" : result.description.model_name;
  instance_options.kind = result.kind;
  instance_options.logging = !options.log.empty();
  instance_options.event_mode = interface.event_mode;
  instance_options.early_return = interface.event_mode;
  const auto instance = instantiate(result.description, *binary, log, instance_options, result.diagnostics);
  if (!instance) return result;
  result.load_seconds = seconds_since(begin);
  const auto run_begin = Clock::now();
  Run run{options, result, file, instance.get(), &log, {}, {}, {}};
  run_instance(run);
  result.run_seconds = seconds_since(run_begin);
  return result;
}

}  // namespace orrery::fmi
