// SPDX-License-Identifier: Apache-2.0
// From a file to results: open, read, launch, initialise, run, release.
#include "fmi/simulate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "fmi/launch.h"
#include "fmi/run.h"
#include "fmi/run_header.h"
#include "fmi/unpack.h"
#include "io/output_file.h"

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
  result.kind = description.preferred_kind();
  return true;
}

// 1, 2 or 5 times a power of ten, so that about 500 rows fill the horizon.
double round_interval(double horizon) {
  const double raw = horizon / 500;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double digit = raw / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

// The interval of rows, or the communication step.
bool choose_step(RunResult& result, const RunOptions& options, const Place& place) {
  const double horizon = result.stop - result.start;
  const Interface& interface = *result.description.interface(result.kind);
  const bool co_simulation = result.kind == Kind::co_simulation;
  const std::optional<double>& inner = interface.fixed_internal_step;
  const double asked = !co_simulation && options.interval ? *options.interval : options.step.value_or(0);
  double step = asked > 0 ? asked : result.description.experiment.step.value_or(0);
  if (!(step > 0) && co_simulation) step = inner.value_or(0);
  // Rows are for reading: a default that makes millions of them is not meant as their interval.
  const bool too_fine = !co_simulation && !(asked > 0) && step > 0 && horizon / step > 1e5;
  if (!(step > 0) || !std::isfinite(step) || too_fine) step = horizon > 0 ? round_interval(horizon) : 1;
  // A step longer than the run is a mistake of the description; one that was asked for is taken as it is.
  if (!(asked > 0) && horizon > 0 && step > horizon) step = round_interval(horizon);
  result.step = step;
  if (co_simulation && !options.step && inner && *inner > 0) {
    result.step = *inner * std::max(1.0, std::round(result.step / *inner));
  }
  // Beside times that are large enough a step is nothing.
  const double size = std::max(std::fabs(result.start), std::fabs(result.stop));
  if (!(size + result.step / 2 > size)) {
    if (horizon > 0) {
      result.diagnostics.error("fmi-bad-times", place,
                               fmt::format("a step of {} is lost in times of {}", result.step, size),
                               "choose others with --start, --stop and --step");
      return false;
    }
    result.step = size;
  }
  // What was asked for may take long; a mistake of the description may not.
  const double most_steps = asked > 0 ? 1e9 : 1e7;
  if (horizon / result.step <= most_steps) return true;
  result.diagnostics.error("fmi-bad-times", place,
                           fmt::format("a step of {} would make {:.3g} steps", result.step, horizon / result.step),
                           "choose another one with --step");
  return false;
}

bool choose_times(RunResult& result, const RunOptions& options, const Place& place) {
  const Experiment& experiment = result.description.experiment;
  Diagnostics& diagnostics = result.diagnostics;
  result.start = options.start.value_or(experiment.start.value_or(0));
  // Some descriptions have 0 for both times where they mean none.
  const bool has_stop = experiment.stop && *experiment.stop > result.start;
  if (!options.stop && !has_stop) {
    diagnostics.warning("fmi-no-stop-time", place,
                        fmt::format("the FMU has no default stop time{}; it is run for 1 s",
                                    experiment.stop ? fmt::format(" after its start at {}", result.start) : ""),
                        "give one with --stop");
  }
  result.stop = options.stop.value_or(has_stop ? *experiment.stop : result.start + 1);
  if (!std::isfinite(result.start) || !std::isfinite(result.stop) || result.stop < result.start) {
    diagnostics.error("fmi-bad-times", place,
                      fmt::format("a run from {} to {} is not possible", result.start, result.stop),
                      "choose with --start and --stop");
    return false;
  }
  return choose_step(result, options, place);
}

// Files of several tools say 0.5 or 1 where they mean nothing.
void choose_tolerance(RunResult& result, const RunOptions& options, const Place& place) {
  constexpr double loosest = 0.1;
  result.rtol = options.rtol;
  if (!options.rtol || *options.rtol < loosest) return;
  result.rtol.reset();
  result.diagnostics.warning(
      "fmi-loose-tolerance", place,
      fmt::format("a relative tolerance of {} means nothing; the default is used", *options.rtol));
}

void compute(Run& run) {
  RunResult& result = run.result;
  if (!initialise(run)) return;
  run.surroundings.restore();
  if (!choose_columns(run)) return;
  result.started = true;
  switch (result.kind) {
    case Kind::model_exchange: run_model_exchange(run); break;
    case Kind::co_simulation: run_co_simulation(run); break;
    case Kind::scheduled_execution: run_scheduled_execution(run); break;
  }
}

void run_instance(Run& run) {
  RunResult& result = run.result;
  const auto begin = Clock::now();
  compute(run);
  result.run_seconds = seconds_since(begin);
  run.surroundings.restore();
  run.surroundings.restore_folder();
  if (run.options.finished) run.options.finished(result);
  if (result.end == End::reached_stop || result.end == End::terminated || result.end == End::interrupted) {
    // What the FMU says at its end does not spoil the results.
    static_cast<void>(run.instance->terminate());
  }
}

InstanceOptions instance_options(Run& run) {
  const Description& description = run.result.description;
  const Interface& interface = *description.interface(run.result.kind);
  InstanceOptions options;
  options.name = description.model_name.empty() ? "fmu" : description.model_name;
  options.kind = run.result.kind;
  options.logging = !run.options.log.empty();
  options.event_mode = interface.event_mode;
  options.early_return = interface.event_mode || interface.early_return;
  if (!interface.intermediate_update || run.options.input.empty()) return options;
  for (const Variable& variable : description.variables) {
    const bool continuous = variable.variability == Variability::continuous && variable.alias == Alias::none;
    if (variable.causality == Causality::input && continuous) {
      options.intermediate_variables.push_back(variable.reference);
    }
  }
  // Inputs follow their table within a step too.
  options.intermediate = [&run](const IntermediatePoint& point) {
    if (!point.set_requested || run.instance == nullptr) return false;
    const Side side = point.time > run.result.time ? Side::left : Side::right;
    static_cast<void>(run.inputs.set_continuous(*run.instance, point.time, side));
    return false;
  };
  return options;
}

// Half of the machine's memory.
std::uint64_t default_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 2;
}

}  // namespace

void run_described(RunResult& result, const std::string& file, const RunOptions& options, const std::string& input_text,
                   const MakeInstance& make) {
  const auto begin = Clock::now();
  const Place place{file, 0, 0, {}, {}};
  if (!choose_kind(result, options, place) || !choose_times(result, options, place)) return;
  if (result.description.interface(result.kind)->needs_execution_tool) {
    result.diagnostics.warning(
        "fmi-needs-tool", place,
        fmt::format("the FMU says that it needs the tool that made it ({})", result.description.generation_tool));
  }
  choose_tolerance(result, options, place);
  Log log(result.description, file);
  log.set_least(options.log_least);
  log.set_categories(options.log_categories);
  if (!options.log.empty() && !log.open(options.log, result.diagnostics)) return;
  Run run{options, result, file, &log, nullptr, {}, {}, {}, {}, input_text};
  const auto instance = make(log, instance_options(run), result.diagnostics);
  if (!instance) return;
  run.surroundings.restore();
  run.instance = instance.get();
  result.load_seconds += seconds_since(begin);
  run_instance(run);
}

RunResult simulate(const std::string& file, const RunOptions& options) {
  const auto begin = Clock::now();
  RunResult result;
  const auto archive = Archive::open(file, result.diagnostics);
  if (!archive) return result;
  const auto xml = archive->read("modelDescription.xml", result.diagnostics);
  if (!xml) return result;
  auto description = read_description(*xml, file, result.diagnostics);
  if (!description || result.diagnostics.has_errors()) return result;
  result.description = std::move(*description);
  std::string input_text = options.input_text;
  if (!options.input.empty() && input_text.empty()) {
    auto text = io::read_file(options.input, result.diagnostics);
    if (!text) return result;
    input_text = std::move(*text);
  }
  LaunchOptions launching;
  launching.safe = options.safe;
  launching.limits.call_seconds = options.time_limit.value_or(launching.limits.call_seconds);
  launching.limits.memory_bytes = options.memory_limit.value_or(default_memory());
  launching.record = options.record;
  if (!options.record.empty()) launching.record_header = run_header(file, *xml, options, input_text);
  result.load_seconds = seconds_since(begin);
  run_described(result, file, options, input_text,
                [&](Log& log, const InstanceOptions& instance, Diagnostics& diagnostics) {
                  launching.instance = instance;
                  return launch(*archive, result.description, log, launching, diagnostics);
                });
  return result;
}

}  // namespace orrery::fmi
