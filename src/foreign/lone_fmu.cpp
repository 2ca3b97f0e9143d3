// SPDX-License-Identifier: Apache-2.0
// From a description to the interface of an FMU without ports, its initialisation, and rows of its results.
#include "foreign/lone_fmu.h"

#include <fmt/format.h>

#include <cmath>

#include "fmi/caller.h"
#include "foreign/exchange_instance.h"
#include "foreign/paced_instance.h"
#include "foreign/scheduled_instance.h"

namespace orrery::foreign {
namespace {

// Structural parameters first: the sizes of the others follow from them.
void take_start_values(const fmi::RunOptions& options, FmuInterface& interface, Diagnostics& diagnostics) {
  fmi::Description& description = interface.description;
  for (const bool structural : {true, false}) {
    for (const auto& [name, text] : options.set) {
      const auto at = description.by_name.find(name);
      if (at == description.by_name.end()) {
        if (!structural) continue;
        diagnostics.error("fmi-unknown-variable", {interface.file, 0, 0, {}, name},
                          "the FMU has no variable of this name", "orrery fmu info lists the variables");
        continue;
      }
      fmi::Variable& variable = description.variables[at->second];
      if ((variable.causality == fmi::Causality::structural_parameter) != structural) continue;
      if (!fmi::may_be_set(variable)) {
        diagnostics.error("fmi-not-settable", {interface.file, 0, 0, {}, name},
                          fmt::format("a variable of causality {} and variability {} cannot be set",
                                      fmi::name_of(variable.causality), fmi::name_of(variable.variability)));
        continue;
      }
      if (!fmi::check_value(description, variable, text, diagnostics)) continue;
      if (structural) variable.start = {text};
      interface.start.emplace_back(at->second, text);
    }
  }
}

}  // namespace

fmi::Status ResultRow::read(fmi::Instance& fmu, double* row) {
  const fmi::Status status = reader_.read(fmu, row + 1, texts_.data());
  row[0] = fmi::succeeded(status) ? 1 : 0;
  for (std::size_t k = 0; k < texts_.size(); ++k) {
    const auto [at, is_new] = number_of_.try_emplace(texts_[k], static_cast<double>(pool_.size()));
    if (is_new) pool_.push_back(texts_[k]);
    row[1 + reader_.numbers() + k] = at->second;
  }
  return status;
}

std::shared_ptr<FmuInterface> lone_interface(const std::string& file, fmi::Description description,
                                             const fmi::RunOptions& options, fmi::Kind kind, Diagnostics& diagnostics) {
  auto interface = std::make_shared<FmuInterface>();
  interface->file = file;
  interface->description = std::move(description);
  interface->kind = kind;
  take_start_values(options, *interface, diagnostics);
  if (kind == fmi::Kind::scheduled_execution) {
    const std::vector<fmi::Variable>& variables = interface->description.variables;
    for (std::size_t k = 0; k < variables.size(); ++k) {
      const bool clock = variables[k].type == fmi::Type::clock && variables[k].clock;
      if (clock && variables[k].causality == fmi::Causality::output && variables[k].alias == fmi::Alias::none) {
        interface->output_clocks.push_back(k);
      }
    }
  }
  return interface;
}

std::unique_ptr<FmuInstance> make_lone_instance(std::shared_ptr<FmuInterface> interface, const fmi::RunOptions& options,
                                                const fmi::RunPlan& plan) {
  // What an FMU is told is what was asked for; without, it has its own default.
  const program::ForeignRun run{plan.start, plan.stop, plan.rtol.value_or(0)};
  auto alone = std::make_unique<LoneFmu>(LoneFmu{options, plan, fmi::time_rounding(plan.start, plan.stop)});
  std::unique_ptr<FmuInstance> instance;
  if (plan.kind == fmi::Kind::model_exchange) {
    instance = std::make_unique<ExchangeInstance>(std::move(interface), FmuSettings{}, run);
  } else if (plan.kind == fmi::Kind::co_simulation) {
    instance = std::make_unique<PacedInstance>(std::move(interface), FmuSettings{}, run);
  } else {
    instance = std::make_unique<ScheduledInstance>(std::move(interface), FmuSettings{}, run);
  }
  instance->be_alone(std::move(alone));
  return instance;
}

void FmuInstance::adopt(std::unique_ptr<fmi::Log> log, std::unique_ptr<fmi::Instance> fmu, const Place& place,
                        Diagnostics& diagnostics) {
  log_ = std::move(log);
  fmu_ = std::move(fmu);
  place_ = place;
  diagnostics_ = &diagnostics;
  const fmi::RunOptions& options = alone_->options;
  if (options.log.empty()) return;
  const std::vector<std::string>& asked = options.log_categories;
  if (!fmi::succeeded(fmu_->set_debug_logging(true, asked.empty() ? interface_.description.log_categories : asked))) {
    warn("fmi-no-logging", fmt::format("{} failed; the log may be empty", fmu_->last_call()));
  }
}

bool FmuInstance::initialise(const std::string& input_text) {
  LoneFmu& alone = *alone_;
  const double start = alone.plan.start;
  bool ok = set_start_values(true);
  fmi::RunInterval interval;
  interval.start = start;
  interval.tolerance = alone.plan.rtol;
  if (alone.options.tell_stop) interval.stop = alone.plan.stop;
  ok = ok && check(fmu_->setup(interval)) && set_start_values(false);
  clocks_ = fmi::ClockCalendar(interface_.description, start);
  if (ok && !alone.options.input.empty()) {
    const int errors = diagnostics_->error_count();
    alone.inputs =
        fmi::InputSeries(interface_.description, input_text, alone.options.input, alone.rounding, *diagnostics_);
    if (diagnostics_->error_count() > errors) return false;
    for (const auto& [clock, times] : alone.inputs.ticks()) clocks_.set_ticks(clock, times);
  }
  ok = ok && check(fmu_->enter_initialization()) && check(alone.inputs.set_all_at_start(*fmu_, start)) &&
       check(fmu_->exit_initialization(alone.events)) && initialised();
  if (!ok) report(place_, start, *diagnostics_);
  return ok;
}

void FmuInstance::record(const std::vector<const fmi::Variable*>& variables) {
  alone_->row.emplace(interface_.description, variables);
}

fmi::Status FmuInstance::read_row(double t, double* row) {
  LoneFmu& alone = *alone_;
  const Status status = alone.row->read(*fmu_, row);
  const fmi::Reader& reader = alone.row->reader();
  if (!fmi::succeeded(status) && alone.trouble.empty()) {
    check(status);
    alone.trouble = fmu_->last_call();
  }
  if (reader.gap().empty() || alone.warned_of_gaps) return status;
  alone.warned_of_gaps = true;
  Place where = place_;
  where.port = reader.gap();
  diagnostics_
      ->warning("fmi-no-value", where,
                fmt::format("{} gives no value; it is recorded as nan, or empty, here and wherever it is missing",
                            reader.gap_call()))
      .time = t;
  return status;
}

bool FmuInstance::set_event_inputs(double t) {
  fmi::InputSeries& inputs = alone_->inputs;
  return inputs.empty() || (check(inputs.set_continuous(*fmu_, t, fmi::Side::right)) &&
                            check(inputs.set_discrete(*fmu_, t, fmi::Side::right)));
}

}  // namespace orrery::foreign
