// SPDX-License-Identifier: Apache-2.0
// Recorded signals become numbers, and their sensitivities the derivatives of these.
#include "api/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/prepare.h"
#include "io/csv.h"
#include "math/distributions.h"
#include "model/closest_name.h"
#include "sim/recorder.h"

namespace orrery::api {
namespace {

using Numbers = std::vector<double>;
using math::Index;
using math::RealMatrix;

std::size_t column_of(const sim::Recording& recording, const std::string& name) {
  for (std::size_t c = 0; c < recording.columns.size(); ++c)
    if (recording.columns[c].name == name) return c;
  return SIZE_MAX;
}

}  // namespace

Objective::Objective(const OptimiseSpec& spec, const model::Model& model, RunRequest run,
                     std::vector<VariedVariable> variables)
    : spec_(spec), model_(model), run_(std::move(run)), variables_(std::move(variables)) {
  for (const VariedVariable& variable : variables_)
    for (std::size_t k = 0; k < variable.values.size(); ++k)
      elements_.push_back(element_name(variable.name, k, variable.values.size()));
}

std::unique_ptr<Objective> Objective::create(const OptimiseSpec& spec, const model::Model& model, const RunRequest& run,
                                             const std::vector<VariedVariable>& variables, Diagnostics& diagnostics) {
  std::unique_ptr<Objective> result(new Objective(spec, model, run, variables));
  const bool good = result->is_fit() ? result->read_experiments(diagnostics) : result->read_objective(diagnostics);
  return good ? std::move(result) : nullptr;
}

std::unique_ptr<RepeatedRuns> Objective::compile(const std::vector<compile::Override>& sets, bool derivatives,
                                                 Diagnostics& diagnostics) const {
  RunRequest own = run_;
  own.overrides.insert(own.overrides.end(), sets.begin(), sets.end());
  return RepeatedRuns::create(model_, own, variables_, derivatives, nullptr, diagnostics);
}

bool Objective::read_objective(Diagnostics& diagnostics) {
  std::vector<std::string> texts = {spec_.maximise ? "-(" + spec_.objective + ")" : spec_.objective};
  for (const auto& constraint : spec_.constraints) texts.push_back(constraint.expression);
  // Two wishes of the same words have names of their own.
  for (std::size_t k = 0; k < texts.size(); ++k) texts[k] = fmt::format("number_{}={}", k, texts[k]);
  auto kept = keeps_of(texts, diagnostics, spec_.file + ":");
  if (kept) {
    kept->script = spec_.script_text;
    kept->limits = {run_.script_seconds, run_.interrupt};
    kept->consent = spec_.consent;
  }
  if (!kept || !check_keeps(*kept, diagnostics, spec_.file + ":")) return false;
  kept_ = std::move(*kept);
  run_.signals = kept_.probes;
  count_ = texts.size();
  Experiment& only = experiments_.emplace_back();
  only.plain = compile({}, false, diagnostics);
  if (!only.plain || !find_columns(kept_, only.plain->column_names(), diagnostics, spec_.file)) return false;
  finish_ = make_finish(kept_);
  return true;
}

bool Objective::read_experiments(Diagnostics& diagnostics) {
  for (const auto& fit : spec_.fits) run_.signals.push_back(fit.signal.substr(0, fit.signal.find('[')));
  for (const OptimiseSpec::Experiment& from : spec_.experiments) {
    Experiment& experiment = experiments_.emplace_back();
    experiment.name = from.file;
    experiment.sets = from.sets;
    if (!add_measurements(experiment, from, diagnostics)) return false;
  }
  if (count_ < elements_.size()) {
    diagnostics.error("bad-specification", {spec_.file, 0, 0, {}, {}},
                      fmt::format("{} measurements do not determine {} numbers", count_, elements_.size()),
                      "measure more, or fit fewer variables");
    return false;
  }
  return true;
}

bool Objective::add_measurements(Experiment& experiment, const OptimiseSpec::Experiment& from,
                                 Diagnostics& diagnostics) {
  const Place place{spec_.file, from.line, 0, {}, {}};
  const auto table = io::read_csv(file_of(spec_, from.file), diagnostics);
  if (!table) return false;
  experiment.plain = compile(from.sets, false, diagnostics);
  if (!experiment.plain) return false;
  const program::Program& program = experiment.plain->program();
  const double start = experiment.plain->options().start, stop = experiment.plain->options().stop;
  for (const double t : table->time)
    if (t >= start && t <= stop && (experiment.times.empty() || t > experiment.times.back()))
      experiment.times.push_back(t);
  const std::vector<std::string> columns = experiment.plain->column_names();
  std::size_t used = 0;
  for (std::size_t f = 0; f < spec_.fits.size(); ++f) {
    const OptimiseSpec::Fit& fit = spec_.fits[f];
    std::string signal = fit.signal;
    const auto is_column = [&](const std::string& name) {
      return std::find(columns.begin(), columns.end(), name) != columns.end();
    };
    if (!is_column(signal) && !is_column(signal + ":1")) {
      const std::vector<std::string_view> views(columns.begin(), columns.end());
      diagnostics.error("unknown-signal", {spec_.file, fit.line, 0, {}, {}},
                        fmt::format("there is no single number called {}", signal), model::did_you_mean(signal, views));
      return false;
    }
    const auto at = std::find(table->names.begin(), table->names.end(), fit.column) - table->names.begin();
    if (at == std::ssize(table->names)) continue;  // not measured in this experiment
    ++used;
    Measured measured{f, {}, {}};
    const Numbers& values = table->columns[static_cast<std::size_t>(at)];
    for (std::size_t row = 0; row < table->time.size(); ++row) {
      if (!std::isfinite(values[row])) continue;
      const auto time = std::lower_bound(experiment.times.begin(), experiment.times.end(), table->time[row]);
      if (time == experiment.times.end() || *time != table->time[row]) continue;
      measured.rows.push_back(static_cast<std::size_t>(time - experiment.times.begin()));
      measured.values.push_back(values[row]);
    }
    count_ += measured.rows.size();
    experiment.measured.push_back(std::move(measured));
  }
  if (used == 0 || experiment.times.empty()) {
    diagnostics.error(
        "bad-specification", place,
        used == 0 ? fmt::format("{} has none of the columns that are fitted", from.file)
                  : fmt::format("{} has no row between the start and the stop of a run", from.file),
        used == 0 ? "give the columns the names of the fits" : "look at the times, and at the model's stop time");
    return false;
  }
  for (std::size_t k = 0; k < program.inputs.size(); ++k) {
    const auto at = std::find(table->names.begin(), table->names.end(), program.inputs[k].name) - table->names.begin();
    if (at == std::ssize(table->names) || program.inputs[k].value == program::no_slot) continue;
    experiment.inputs.push_back({k, table->time, table->columns[static_cast<std::size_t>(at)]});
  }
  return true;
}

RepeatedRun Objective::run(const RepeatedRuns& model, const Experiment& experiment, const Numbers& x) {
  RunVariation variation;
  variation.values = x;
  variation.inputs = experiment.inputs;
  variation.row_times = experiment.times;
  variation.interrupt = run_.interrupt;
  ++simulations_;
  RepeatedRun result = model.run(variation);
  if (result.end == sim::End::failed || result.end == sim::End::restart) last_ = result.diagnostics;
  return result;
}

// Numbers from rows that have the columns of a recording, with these values instead of its own.
std::optional<Numbers> Objective::kept_of(const sim::Recording& recording, const Numbers& values) {
  analyse::KeepSink sink(kept_.reductions, kept_.keeps_rows());
  const auto& only = *experiments_[0].plain;
  const sim::StreamHead head{only.program(), only.options(), recording.columns};
  sim::Block block;
  block.columns = recording.columns;
  block.time = recording.time;
  block.phase = recording.phase;
  block.values = values.data();
  block.last = true;
  if (!sink.begin(head) || !sink.rows(block)) return std::nullopt;
  Numbers reduced, kept(kept_.keeps.size(), std::numeric_limits<double>::quiet_NaN());
  sink.reduced(reduced);
  finish_(reduced, sink.rows(), kept);
  if (!std::all_of(kept.begin(), kept.end(), [](double v) { return std::isfinite(v); })) return std::nullopt;
  return kept;
}

std::optional<Numbers> Objective::residuals_of(const Experiment& experiment, const RepeatedRun& run, bool& complete) {
  Numbers result;
  complete = true;
  const sim::Recording& recording = run.recording;
  for (const Measured& measured : experiment.measured) {
    const OptimiseSpec::Fit& fit = spec_.fits[measured.fit];
    std::size_t column = column_of(recording, fit.signal);
    if (column == SIZE_MAX) column = column_of(recording, fit.signal + ":1");
    if (column == SIZE_MAX) return std::nullopt;
    std::size_t row = 0;
    for (std::size_t k = 0; k < measured.rows.size(); ++k) {
      const double t = experiment.times[measured.rows[k]];
      while (row < recording.rows() && recording.time[row] < t) ++row;
      // Of both sides of a jump the later one is what a measurement sees.
      std::size_t last = row;
      while (last + 1 < recording.rows() && recording.time[last + 1] == t) ++last;
      if (last >= recording.rows() || recording.time[last] != t) {
        complete = false;  // the run has ended before
        return std::nullopt;
      }
      result.push_back(fit.weight * (recording.value(last, column) - measured.values[k]));
    }
  }
  return result;
}

Objective::Values Objective::values(const Numbers& x) {
  Values result;
  for (const Experiment& experiment : experiments_) {
    const RepeatedRun made = run(*experiment.plain, experiment, x);
    const bool ended = made.end == sim::End::reached_stop || made.end == sim::End::stopped;
    std::optional<Numbers> found;
    bool complete = true;
    if (ended)
      found = is_fit() ? residuals_of(experiment, made, complete) : kept_of(made.recording, made.recording.values);
    const bool finite = found && std::all_of(found->begin(), found->end(), [](double v) { return std::isfinite(v); });
    if (!finite) {
      result.failed = true;
      if (!last_.has_errors() && ended)
        last_.error("optimisation-failed", {spec_.file, 0, 0, {}, {}},
                    complete ? "a run leaves no finite number" : "a run ends before the last measurement",
                    "look at a single run of the model");
      return result;
    }
    result.numbers.insert(result.numbers.end(), found->begin(), found->end());
  }
  return result;
}

bool Objective::prepare_derivatives(std::string& reason) {
  for (Experiment& experiment : experiments_) {
    Diagnostics said;
    experiment.sensitive = compile(experiment.sets, true, said);
    if (experiment.sensitive) continue;
    for (const Diagnostic& d : said.all()) {
      if (d.severity != Severity::error) continue;
      reason = d.message;
      break;
    }
    return false;
  }
  return true;
}

std::optional<RealMatrix> Objective::derivatives(const Numbers& x) {
  RealMatrix result(static_cast<Index>(count_), static_cast<Index>(x.size()));
  std::size_t first = 0;
  for (const Experiment& experiment : experiments_) {
    const RepeatedRun made = run(*experiment.sensitive, experiment, x);
    if (made.end != sim::End::reached_stop && made.end != sim::End::stopped) return std::nullopt;
    const sim::Recording& recording = made.recording;
    const std::size_t width = recording.columns.size();
    std::size_t added = 0;
    for (std::size_t p = 0; p < elements_.size(); ++p) {
      // All signals are moved along their derivatives. A fit is linear in them; anything else is looked at on both
      // sides, so near that only its own slope is seen.
      std::vector<std::size_t> slope(width, SIZE_MAX);
      double step = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < width; ++c) {
        slope[c] = column_of(recording, derivative_column(recording.columns[c].name, elements_[p]));
        if (slope[c] == SIZE_MAX) continue;
        double size = 0, steep = 0;
        for (std::size_t row = 0; row < recording.rows(); ++row) {
          const double value = recording.value(row, c), rate = recording.value(row, slope[c]);
          if (std::isfinite(value)) size = std::max(size, std::abs(value));
          if (std::isfinite(rate)) steep = std::max(steep, std::abs(rate));
        }
        if (steep > 0) step = std::min(step, 1e-5 * (size > 0 ? size : 1) / steep);
      }
      if (!std::isfinite(step)) step = 0;
      const auto moved = [&](double by) -> std::optional<Numbers> {
        RepeatedRun copy;
        copy.recording = recording;
        for (std::size_t c = 0; c < width; ++c) {
          if (slope[c] == SIZE_MAX) continue;
          for (std::size_t row = 0; row < recording.rows(); ++row)
            copy.recording.values[row * width + c] += by * recording.value(row, slope[c]);
        }
        bool complete = true;
        return is_fit() ? residuals_of(experiment, copy, complete) : kept_of(copy.recording, copy.recording.values);
      };
      const auto above = moved(step), below = moved(-step);
      if (!above || !below) return std::nullopt;
      added = above->size();
      for (std::size_t r = 0; r < added && step > 0; ++r)
        result(static_cast<Index>(first + r), static_cast<Index>(p)) = ((*above)[r] - (*below)[r]) / (2 * step);
    }
    first += added;
  }
  return result;
}

void Objective::describe_fit(const Numbers& x, const Numbers& residuals, const RealMatrix& slopes,
                             OptimiseResult& result) {
  const std::size_t n = residuals.size(), p = x.size();
  double squares = 0;
  for (const double r : residuals) squares += r * r;
  result.measurements = n;
  const double freedom = static_cast<double>(n) - static_cast<double>(p);
  result.deviation = freedom > 0 ? std::sqrt(squares / freedom) : 0;
  bool singular = false;
  const RealMatrix covariance =
      math::solve(transpose(slopes) * slopes, RealMatrix::identity(static_cast<Index>(p)), singular);
  const double quantile = freedom > 0 ? math::t_quantile(0.975, freedom) : std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < p; ++k) {
    const double variance = covariance(static_cast<Index>(k), static_cast<Index>(k));
    const double error = singular || freedom <= 0 ? std::numeric_limits<double>::infinity()
                                                  : result.deviation * std::sqrt(std::max(variance, 0.0));
    result.errors.push_back(error);
    result.interval_low.push_back(x[k] - quantile * error);
    result.interval_high.push_back(x[k] + quantile * error);
  }
  std::size_t next = 0;
  for (const Experiment& experiment : experiments_) {
    for (const Measured& measured : experiment.measured) {
      const OptimiseSpec::Fit& fit = spec_.fits[measured.fit];
      OptimiseResult::FittedCurve curve{fmt::format("{}: {}", experiment.name, fit.column), {}, {}, {}};
      for (std::size_t k = 0; k < measured.rows.size(); ++k) {
        curve.time.push_back(experiment.times[measured.rows[k]]);
        curve.measured.push_back(measured.values[k]);
        curve.computed.push_back(measured.values[k] + residuals[next++] / fit.weight);
      }
      result.curves.push_back(std::move(curve));
    }
  }
}

}  // namespace orrery::api
