// SPDX-License-Identifier: Apache-2.0
// Recorded signals become numbers, and their sensitivities the derivatives of these.
#include "api/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>

#include "api/prepare.h"
#include "io/csv.h"
#include "math/distributions.h"
#include "math/factorizations.h"
#include "model/closest_name.h"
#include "sim/recorder.h"

namespace orrery::api {
namespace {

using Numbers = std::vector<double>;
using math::Index;
using math::RealMatrix;

constexpr int looks = 1000;  // of a constraint of a fit, from the start to the end of a run

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

void Objective::give_script(KeptTexts& kept) const {
  kept.script = spec_.script_text;
  kept.limits = {run_.script_seconds, run_.interrupt};
  kept.consent = spec_.consent;
}

bool Objective::read_kept(const std::vector<std::pair<std::string, int>>& texts, Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  std::vector<std::string> named;
  for (const auto& [text, line] : texts) {
    // Two wishes of the same words have names of their own.
    named.push_back(fmt::format("number_{}={}", named.size(), text));
    Diagnostics said;
    auto kept = keeps_of({text}, said, {}, variables_);
    if (kept) give_script(*kept);
    if (kept && check_keeps(*kept, said, {})) continue;
    for (Diagnostic d : said.all()) {
      if (d.place.file.empty()) d.place = {spec_.file, line, 0, {}, {}};
      if (d.code == "bad-option") d.code = "bad-specification";
      while (d.message.starts_with(' ')) d.message.erase(0, 1);
      diagnostics.add(std::move(d));
    }
  }
  if (diagnostics.error_count() > errors) return false;
  auto kept = keeps_of(named, diagnostics, spec_.file, variables_);
  if (!kept) return false;
  kept_ = std::move(*kept);
  give_script(kept_);
  named_.clear();
  for (const VariedVariable& variable : variables_) {
    const std::regex word("\\b" + variable.name + "\\b");
    const bool mentioned =
        std::any_of(texts.begin(), texts.end(), [&](const auto& text) { return std::regex_search(text.first, word); });
    named_.insert(named_.end(), variable.values.size(), mentioned);
  }
  return true;
}

void Objective::set_variables(const Numbers& x) {
  std::size_t next = 0;
  for (VariedVariable& variable : kept_.variables)
    for (double& value : variable.values) value = x[next++];
}

// Each of the specification, from this number on.
void Objective::add_constraints(std::size_t first, const std::string& behind) {
  for (const auto& constraint : spec_.constraints)
    constraints_.push_back({first++, constraint.text + behind, constraint.equal});
}

bool Objective::find_kept(const RepeatedRuns& compiled, Diagnostics& diagnostics) {
  return find_columns(kept_, compiled.column_names(), diagnostics, spec_.file);
}

bool Objective::read_objective(Diagnostics& diagnostics) {
  std::vector<std::pair<std::string, int>> texts = {
      {spec_.maximise ? "-(" + spec_.objective + ")" : spec_.objective, spec_.objective_line}};
  for (const auto& constraint : spec_.constraints) texts.emplace_back(constraint.expression, constraint.line);
  count_ = texts.size();
  add_constraints(1, "");
  if (!read_kept(texts, diagnostics)) return false;
  run_.signals = kept_.probes;
  Experiment& only = experiments_.emplace_back();
  only.plain = compile({}, false, diagnostics);
  if (!only.plain || !find_kept(*only.plain, diagnostics)) return false;
  finish_ = make_finish(kept_);
  return true;
}

bool Objective::read_experiments(Diagnostics& diagnostics) {
  std::vector<std::pair<std::string, int>> texts;
  for (const auto& constraint : spec_.constraints) texts.emplace_back(constraint.expression, constraint.line);
  if (!texts.empty() && !read_kept(texts, diagnostics)) return false;
  run_.signals = kept_.probes;
  for (const auto& fit : spec_.fits) run_.signals.push_back(fit.signal.substr(0, fit.signal.find('[')));
  for (const OptimiseSpec::Experiment& from : spec_.experiments) {
    Experiment& experiment = experiments_.emplace_back();
    experiment.name = from.file;
    experiment.sets = from.sets;
    if (!add_measurements(experiment, from, diagnostics)) return false;
    if (experiments_.size() == 1 && !find_kept(*experiment.plain, diagnostics)) return false;
    add_constraints(count_, spec_.experiments.size() > 1 ? " in " + from.file : "");
    count_ += spec_.constraints.size();
  }
  finish_ = make_finish(kept_);
  if (residuals_.size() < elements_.size()) {
    diagnostics.error("bad-specification", {spec_.file, 0, 0, {}, {}},
                      fmt::format("{} measurements do not determine {} numbers", residuals_.size(), elements_.size()),
                      "measure more, or fit fewer variables");
    return false;
  }
  return true;
}

double Objective::cost(const Numbers& numbers) const {
  if (!is_fit()) return numbers[0];
  double sum = 0;
  for (const std::size_t row : residuals_) sum += numbers[row] * numbers[row];
  return sum;
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
    for (std::size_t k = 0; k < measured.rows.size(); ++k) residuals_.push_back(count_++);
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
  experiment.row_times = experiment.times;
  if (!spec_.constraints.empty()) {
    for (int k = 0; k <= looks; ++k) experiment.row_times.push_back(start + (stop - start) * k / looks);
    std::sort(experiment.row_times.begin(), experiment.row_times.end());
    experiment.row_times.erase(std::unique(experiment.row_times.begin(), experiment.row_times.end()),
                               experiment.row_times.end());
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
  variation.row_times = experiment.row_times;
  variation.interrupt = run_.interrupt;
  ++simulations_;
  RepeatedRun result = model.run(variation);
  if (result.end == sim::End::failed || result.end == sim::End::restart) last_ = result.diagnostics;
  return result;
}

// What the texts make of the rows of a recording.
std::optional<Numbers> Objective::kept_of(const Experiment& experiment, const sim::Recording& recording) {
  analyse::KeepSink sink(kept_.reductions, kept_.keeps_rows());
  const RepeatedRuns& model = *experiment.plain;
  const sim::StreamHead head{model.program(), model.options(), recording.columns};
  sim::Block block;
  block.columns = recording.columns;
  block.time = recording.time;
  block.phase = recording.phase;
  block.values = recording.values.data();
  block.last = true;
  if (!sink.begin(head) || !sink.rows(block)) return std::nullopt;
  Numbers reduced, kept(kept_.keeps.size(), std::numeric_limits<double>::quiet_NaN());
  sink.reduced(reduced);
  finish_(reduced, sink.rows(), kept);
  if (!std::all_of(kept.begin(), kept.end(), [](double v) { return std::isfinite(v); })) return std::nullopt;
  return kept;
}

std::optional<Numbers> Objective::numbers_of(const Experiment& experiment, const sim::Recording& recording,
                                             bool& complete) {
  complete = true;
  if (!is_fit()) return kept_of(experiment, recording);
  auto result = residuals_of(experiment, recording, complete);
  if (!result || spec_.constraints.empty()) return result;
  const auto kept = kept_of(experiment, recording);
  if (!kept) return std::nullopt;
  result->insert(result->end(), kept->begin(), kept->end());
  return result;
}

std::optional<Numbers> Objective::residuals_of(const Experiment& experiment, const sim::Recording& recording,
                                               bool& complete) {
  Numbers result;
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
  set_variables(x);
  for (const Experiment& experiment : experiments_) {
    const RepeatedRun made = run(*experiment.plain, experiment, x);
    const bool ended = made.end == sim::End::reached_stop || made.end == sim::End::stopped;
    std::optional<Numbers> found;
    bool complete = true;
    if (ended) found = numbers_of(experiment, made.recording, complete);
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
      if (!named_.empty() && named_[p]) step = std::min(step, 1e-5 * std::max(std::abs(x[p]), 1e-2));
      if (!std::isfinite(step)) step = 0;
      const auto moved = [&](double by) -> std::optional<Numbers> {
        sim::Recording copy = recording;
        for (std::size_t c = 0; c < width; ++c) {
          if (slope[c] == SIZE_MAX) continue;
          for (std::size_t row = 0; row < recording.rows(); ++row)
            copy.values[row * width + c] += by * recording.value(row, slope[c]);
        }
        Numbers there = x;
        there[p] += by;
        set_variables(there);
        bool complete = true;
        return numbers_of(experiment, copy, complete);
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

// Constraints that hold with equality take away freedom: what is left moves in the directions that keep them, Z, and
// has the covariance Z (Z' J' J Z)^-1 Z'.
void Objective::describe_fit(const Numbers& x, const Numbers& numbers, const RealMatrix& slopes,
                             OptimiseResult& result) {
  const std::size_t n = residuals_.size(), p = x.size();
  // By relative changes of the variables, whose sizes may be far apart.
  const auto scale = [&](std::size_t k) { return x[k] != 0 ? std::abs(x[k]) : 1; };
  const auto rows_of = [&](const std::vector<std::size_t>& rows) {
    RealMatrix part(static_cast<Index>(rows.size()), static_cast<Index>(p));
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < p; ++c)
        part(static_cast<Index>(r), static_cast<Index>(c)) =
            slopes(static_cast<Index>(rows[r]), static_cast<Index>(c)) * scale(c);
    return part;
  };
  std::vector<std::size_t> tight;
  for (const Constraint& constraint : constraints_)
    if (constraint.equal || numbers[constraint.number] > -1e-6) tight.push_back(constraint.number);
  RealMatrix free = RealMatrix::identity(static_cast<Index>(p));
  if (!tight.empty()) {
    const RealMatrix rows = rows_of(tight);
    double squares = 0;
    for (const double each : rows.data) squares += each * each;
    free = math::null_space(rows, 1e-10 * std::sqrt(squares));
  }
  const RealMatrix jacobian = rows_of(residuals_) * free;
  result.measurements = n;
  const double freedom = static_cast<double>(n) - static_cast<double>(free.cols);
  result.deviation = freedom > 0 ? std::sqrt(cost(numbers) / freedom) : 0;
  bool singular = false;
  RealMatrix covariance(static_cast<Index>(p), static_cast<Index>(p));
  if (free.cols > 0)
    covariance =
        free * math::solve(transpose(jacobian) * jacobian, RealMatrix::identity(free.cols), singular) * transpose(free);
  const double quantile = freedom > 0 ? math::t_quantile(0.975, freedom) : std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < p; ++k) {
    const double variance = covariance(static_cast<Index>(k), static_cast<Index>(k));
    const double error = singular || freedom <= 0 ? std::numeric_limits<double>::infinity()
                                                  : result.deviation * scale(k) * std::sqrt(std::max(variance, 0.0));
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
        curve.computed.push_back(measured.values[k] + numbers[residuals_[next++]] / fit.weight);
      }
      result.curves.push_back(std::move(curve));
    }
  }
}

}  // namespace orrery::api
