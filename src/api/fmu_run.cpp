// SPDX-License-Identifier: Apache-2.0
// From a file to results: open, read, launch, initialise, compile, run, release.
#include "api/fmu_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "api/fmu_program.h"
#include "fmi/call_file.h"
#include "fmi/choose_variables.h"
#include "fmi/launch.h"
#include "fmi/run_header.h"
#include "fmi/surroundings.h"
#include "fmi/unpack.h"
#include "foreign/exchange_instance.h"
#include "foreign/paced_instance.h"
#include "io/output_file.h"
#include "sim/simulation.h"
#include "sim/sink.h"

namespace orrery::api {
namespace {

using Clock = std::chrono::steady_clock;
using fmi::Kind;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Half of the machine's memory.
// Takes rows as foreign::ResultRow has written them.
class RowSink final : public sim::Sink {
 public:
  RowSink(const foreign::LoneFmu& fmu, FmuRunResult& result, const Place& place)
      : fmu_(fmu), result_(result), place_(place) {}

  [[nodiscard]] bool begin(const sim::StreamHead&) override { return true; }
  [[nodiscard]] bool rows(const sim::Block& block) override {
    FmuRecording& recording = result_.recording;
    for (std::size_t k = 0; k < block.rows(); ++k) {
      const double* row = block.row(k);
      if (row[0] == 0) continue;
      recording.time.push_back(block.time[k]);
      const double* end = row + 1 + recording.numbers_per_row;
      recording.numbers.insert(recording.numbers.end(), row + 1, end);
      for (std::size_t t = 0; t < recording.texts_per_row; ++t) recording.texts.push_back(fmu_.row->text(end[t]));
      if (!warned_) look_for_nan(block.time[k], row + 1);
    }
    return fmu_.trouble.empty();
  }
  bool keeps_rows() const override { return true; }

 private:
  void look_for_nan(double t, const double* numbers) {
    if (fmu_.warned_of_gaps) return;  // these are NaN, and have been told
    for (const FmuRecording::Column& column : result_.recording.columns) {
      if (column.is_text || !std::isnan(numbers[column.place])) continue;
      Place where = place_;
      where.port = column.name;
      warned_ = true;
      result_.diagnostics
          .warning("nan-signal", where, "the recorded variable is not a number from here on, or was so for a while")
          .time = t;
      return;
    }
  }

  const foreign::LoneFmu& fmu_;
  FmuRunResult& result_;
  const Place& place_;
  bool warned_ = false;
};

// Who leaves the solver to us judges the result, not the steps, whose errors add up: over three periods of van der
// Pol's oscillator to 34 times the tolerance of dopri's steps. So these are held to a tenth of what was asked for.
// Below 1e-8 the loop tightens tolerances itself, in proportion (decision 7); from 1e-7 to 1e-9 one rule passes into
// the other.
double tolerance_of_steps(double asked) { return std::max(0.1 * asked, std::min(asked, std::sqrt(1e-9 * asked))); }

class LoneRun {
 public:
  using MakeInstance = std::function<std::unique_ptr<fmi::Instance>(const fmi::Description&, fmi::Log&,
                                                                    const fmi::InstanceOptions&, Diagnostics&)>;

  LoneRun(FmuRunResult& result, const std::string& file, const fmi::RunOptions& options)
      : result_(result), options_(options), place_{file, 0, 0, {}, {}} {}

  void run(const std::string& input_text, const MakeInstance& make, const FmuFinished& finished) {
    const auto begin = Clock::now();
    const bool launched = launch(make);
    result_.load_seconds += seconds_since(begin);
    if (!launched) {
      describe();
      return;
    }
    const auto launched_at = Clock::now();
    if (fmu_->initialise(input_text)) {
      surroundings_.restore();
      compute();
    }
    describe();
    result_.counts = lone().counts;
    result_.run_seconds = seconds_since(launched_at);
    surroundings_.restore();
    surroundings_.restore_folder();
    if (finished) finished(result_);
  }

 private:
  const foreign::LoneFmu& lone() const { return alive_->alone(); }
  void describe() {
    if (interface_) result_.description = interface_->description;
  }

  bool launch(const MakeInstance& make) {
    const auto plan = fmi::plan_run(result_.description, options_, place_, result_.diagnostics);
    if (!plan) return false;
    plan_ = *plan;
    result_.kind = plan_.kind;
    result_.start = plan_.start;
    result_.stop = plan_.stop;
    result_.step = plan_.step;
    result_.rtol = plan_.rtol;
    interface_ =
        foreign::lone_interface(place_.file, std::move(result_.description), options_, plan_.kind, result_.diagnostics);
    if (result_.diagnostics.has_errors()) return false;
    const fmi::Description& description = interface_->description;
    auto log = std::make_unique<fmi::Log>(description, place_.file);
    log->set_least(options_.log_least);
    log->set_categories(options_.log_categories);
    if (!options_.log.empty() && !log->open(options_.log, result_.diagnostics)) return false;
    fmu_ = foreign::make_lone_instance(interface_, options_, plan_);
    alive_ = fmu_.get();
    auto instance = make(description, *log, instance_options(), result_.diagnostics);
    if (!instance) return false;
    surroundings_.restore();
    fmu_->adopt(std::move(log), std::move(instance), place_, result_.diagnostics);
    return true;
  }

  fmi::InstanceOptions instance_options() {
    const fmi::Description& description = interface_->description;
    const fmi::Interface& interface = plan_.interface(description);
    fmi::InstanceOptions options;
    options.name = description.model_name.empty() ? "fmu" : description.model_name;
    options.kind = plan_.kind;
    options.logging = !options_.log.empty();
    options.event_mode = interface.event_mode;
    options.early_return = interface.event_mode || interface.early_return;
    if (auto* paced = dynamic_cast<foreign::PacedInstance*>(fmu_.get())) paced->answer(options);
    return options;
  }

  bool choose_columns() {
    const auto chosen =
        fmi::choose_variables(interface_->description, plan_.kind, options_, fmu_->fmu(), place_, result_.diagnostics);
    if (!chosen) return false;
    fmu_->record(*chosen);
    const fmi::Reader& reader = lone().row->reader();
    FmuRecording& recording = result_.recording;
    recording.numbers_per_row = reader.numbers();
    recording.texts_per_row = reader.texts();
    for (const fmi::Reader::Column& column : reader.columns()) {
      const bool continuous = column.variable->variability == fmi::Variability::continuous;
      const std::string array = column.variable->dimensions.empty() ? "" : column.variable->name;
      recording.columns.push_back({column.name, array, column.is_text, continuous, column.place, column.exact});
    }
    return true;
  }

  // What the block is made from. Co-Simulation has neither states nor indicators, and is woken at its points.
  void describe_model() {
    blocks::ForeignModel& model = interface_->model;
    using BlockKind = blocks::ForeignModel::Kind;
    model.kind = plan_.kind == Kind::scheduled_execution ? BlockKind::scheduled_execution : BlockKind::model_exchange;
    if (const auto* exchange = dynamic_cast<const foreign::ExchangeInstance*>(fmu_.get())) {
      model.states = static_cast<std::uint32_t>(exchange->states());
      model.indicators = static_cast<std::uint32_t>(exchange->indicators());
      model.wants_steps = !plan_.interface(interface_->description).step_completion_not_needed;
      foreign::find_derivative_dependencies(*interface_);
    }
    result_.states = model.states;
    result_.indicators = model.indicators;
    const auto size = static_cast<std::int32_t>(lone().row->size());
    model.outputs = {{"row", {program::Scalar::f64, size, 1}}};
    blocks::ForeignDependencies all;
    all.states.resize(model.states);
    std::iota(all.states.begin(), all.states.end(), 0u);
    model.output_dependencies = {std::move(all)};
    model.needs_all_inputs = {false};
  }

  sim::RunOptions simulation_options(RowSink& sink) {
    sim::RunOptions options;
    const fmi::Experiment& experiment = interface_->description.experiment;
    options.start = plan_.start;
    options.stop = plan_.stop;
    options.interval = plan_.step;
    options.row_times = plan_.row_times;
    if (plan_.kind == Kind::co_simulation) {
      options.stop = foreign::PacedInstance::last_point(plan_, *interface_->description.co_simulation);
      // Its points are its rows.
      options.row_times.clear();
      options.interval = std::max(2 * (options.stop - options.start), plan_.step);
    }
    options.solver = options_.solver;
    options.tolerance.relative = plan_.rtol.value_or(experiment.tolerance.value_or(options.tolerance.relative));
    options.tolerance.absolute = options_.atol.value_or(options.tolerance.absolute);
    if (solve::is_automatic(options.solver)) {
      const double share = tolerance_of_steps(options.tolerance.relative) / options.tolerance.relative;
      options.tolerance.relative *= share;
      options.tolerance.absolute *= share;
    }
    options.limits.maximum = options_.hmax.value_or(0);
    options.limits.minimum = options_.hmin.value_or(options.limits.minimum);
    options.limits.initial = options_.hinit.value_or(options.limits.initial);
    options.limits.fixed = options_.step.value_or(plan_.step);
    options.results_limit = options_.results_limit;
    options.name = interface_->description.model_name;
    options.sinks = {&sink};
    options.native.second_tier = false;  // there is next to nothing that it could make faster
    options.open_foreign = [this](const program::ForeignObject&, const program::ForeignRun&, const Place&,
                                  Diagnostics&) { return std::move(fmu_); };
    options.interrupt = options_.interrupt;
    if (options_.progress) {
      options.progress = [this](double t) {
        const double horizon = plan_.stop - plan_.start;
        options_.progress(horizon > 0 ? (t - plan_.start) / horizon : 1, t);
      };
    }
    return options;
  }

  void compute() {
    if (!choose_columns()) return;
    describe_model();
    Diagnostics& diagnostics = result_.diagnostics;
    auto program = fmu_program(place_.file, interface_->model, diagnostics);
    if (!program) return;
    RowSink sink(lone(), result_, place_);
    Diagnostics found;
    auto simulation = sim::Simulation::create(std::move(*program), simulation_options(sink), found);
    if (simulation) {
      result_.started = true;
      const sim::End end = simulation->run();
      const sim::Report report = simulation->report();
      take_report(end, report);
      if (!lone().trouble.empty()) alive_->report(place_, report.time, found);
    }
    take_news(found);
    if (result_.end == FmuEnd::failed) alive_->skip_termination();
    simulation_ = std::move(simulation);
  }

  void take_report(sim::End end, const sim::Report& report) {
    result_.time = report.time;
    result_.statistics = report.solver_statistics;
    result_.solver = result_.states == 0 ? "none (no continuous states)" : report.solver;
    result_.solver_reason = report.solver_reason;
    result_.end = end == sim::End::reached_stop  ? FmuEnd::reached_stop
                  : end == sim::End::stopped     ? FmuEnd::terminated
                  : end == sim::End::interrupted ? FmuEnd::interrupted
                                                 : FmuEnd::failed;
  }

  // There is one block only: what concerns it concerns the file.
  void take_news(const Diagnostics& found) {
    for (Diagnostic diagnostic : found.all()) {
      if (diagnostic.code == "nan-signal") continue;  // the sink knows which variable
      diagnostic.place.file = place_.file;
      diagnostic.place.block.clear();
      result_.diagnostics.add(std::move(diagnostic));
    }
  }

  FmuRunResult& result_;
  const fmi::RunOptions& options_;
  const Place place_;
  const fmi::Surroundings surroundings_{};
  fmi::RunPlan plan_;
  std::shared_ptr<foreign::FmuInterface> interface_;
  std::unique_ptr<foreign::FmuInstance> fmu_;
  std::unique_ptr<sim::Simulation> simulation_;  // the FMU is released with it
  foreign::FmuInstance* alive_ = nullptr;        // in the simulation, or not yet there
};

}  // namespace

int FmuRecording::find(const std::string& name) const {
  for (const Column& column : columns) {
    if (column.name == name && !column.is_text) return static_cast<int>(column.place);
  }
  return -1;
}

FmuRunResult run_fmu(const std::string& file, const fmi::RunOptions& options, const FmuFinished& finished) {
  const auto begin = Clock::now();
  FmuRunResult result;
  const auto archive = fmi::Archive::open(file, result.diagnostics);
  if (!archive) return result;
  const auto xml = archive->read("modelDescription.xml", result.diagnostics);
  if (!xml) return result;
  auto description = fmi::read_description(*xml, file, result.diagnostics);
  if (!description || result.diagnostics.has_errors()) return result;
  result.description = std::move(*description);
  std::string input_text = options.input_text;
  if (!options.input.empty() && input_text.empty()) {
    auto text = io::read_file(options.input, result.diagnostics);
    if (!text) return result;
    input_text = std::move(*text);
  }
  fmi::LaunchOptions launching;
  launching.safe = options.safe;
  launching.limits.call_seconds = options.time_limit.value_or(launching.limits.call_seconds);
  if (options.memory_limit) launching.limits.memory_bytes = *options.memory_limit;
  launching.record = options.record;
  if (!options.record.empty()) launching.record_header = fmi::run_header(file, *xml, options, input_text);
  result.load_seconds = seconds_since(begin);
  LoneRun(result, file, options)
      .run(
          input_text,
          [&](const fmi::Description& d, fmi::Log& log, const fmi::InstanceOptions& instance,
              Diagnostics& diagnostics) {
            launching.instance = instance;
            return fmi::launch(*archive, d, log, launching, diagnostics);
          },
          finished);
  return result;
}

FmuRunResult replay_fmu(const std::string& recording) {
  FmuRunResult result;
  auto file = fmi::CallFile::open(recording, result.diagnostics);
  if (!file) return result;
  const auto header = fmi::parse_run_header(file->header());
  if (!header) {
    result.diagnostics.error("fmi-bad-recording", {recording, 0, 0, {}, {}}, "the header of the recording is damaged");
    return result;
  }
  Diagnostics reading;  // the warnings were given when the recording was made
  auto description = fmi::read_description(header->xml, header->fmu, reading);
  if (!description) {
    for (const Diagnostic& item : reading.all()) result.diagnostics.add(item);
    return result;
  }
  result.description = std::move(*description);
  LoneRun(result, recording, header->options)
      .run(header->input_text,
           [&](const fmi::Description&, fmi::Log&, const fmi::InstanceOptions&, Diagnostics&) {
             return fmi::play_calls(std::move(file));
           },
           {});
  return result;
}

}  // namespace orrery::api
