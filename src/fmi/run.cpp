// SPDX-License-Identifier: Apache-2.0
// Initialisation, rows and failures, the same for both kinds of interface.
#include "fmi/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fmi/caller.h"

namespace orrery::fmi {
namespace {

constexpr int most_event_iterations = 1000;
constexpr std::uint64_t most_recorded_elements = 1'000'000;  // of a recorded array
constexpr std::size_t most_columns = 1000;                   // that nobody asked for

std::vector<const Variable*> state_variables(Run& run) {
  const Description& description = run.result.description;
  std::vector<const Variable*> states;
  for (const std::size_t index : description.state_variables) states.push_back(&description.variables[index]);
  if (description.version != Version::fmi1 || description.states == 0 || run.result.kind != Kind::model_exchange) {
    return states;
  }
  // 1.0 does not say in the description which variables are states; the instance knows.
  std::vector<ValueReference> references(description.states, 0xffffffffu);
  if (!succeeded(run.instance->get_state_references(references))) return states;
  for (const ValueReference reference : references) {
    for (const Variable& variable : description.variables) {
      if (variable.type != Type::float64 || variable.reference != reference || variable.alias != Alias::none) continue;
      states.push_back(&variable);
      break;
    }
  }
  return states;
}

// Names that were taken from tables may have blanks around them.
const Variable* find_trimmed(const Description& description, const std::string& name) {
  const std::size_t begin = name.find_first_not_of(" \t"), end = name.find_last_not_of(" \t");
  return begin == std::string::npos ? nullptr : description.find(name.substr(begin, end - begin + 1));
}

// "y[2]" of an array y: arrays are recorded as a whole.
const Variable* find_array(const Description& description, const std::string& name) {
  const Variable* variable = description.find(name.substr(0, name.rfind('[')));
  return variable != nullptr && !variable->dimensions.empty() ? variable : nullptr;
}

const Variable* find_variable(const Description& description, const std::string& name) {
  const Variable* variable = description.find(name);
  if (variable == nullptr) variable = find_trimmed(description, name);
  if (variable == nullptr) variable = find_array(description, name);
  const bool quoted = name.size() > 2 && name.starts_with('"') && name.ends_with('"');
  return variable != nullptr || !quoted ? variable : find_variable(description, name.substr(1, name.size() - 2));
}

// The variable of the name at k; where there is none, of the names from k on with commas between them: lists are cut at
// commas, and names may hold some. k is left at the last name that was used.
const Variable* find_in_list(const Description& description, const std::vector<std::string>& names, std::size_t& k) {
  constexpr std::size_t most_commas = 16;
  std::string name = names[k];
  const Variable* variable = find_variable(description, name);
  for (std::size_t last = k + 1; variable == nullptr && last < names.size() && last <= k + most_commas; ++last) {
    name += "," + names[last];
    variable = find_variable(description, name);
    if (variable != nullptr) k = last;
  }
  return variable;
}

// Of an FMU without outputs: the states first, then every other number that may change.
std::vector<const Variable*> changing_variables(Run& run) {
  std::vector<const Variable*> chosen = state_variables(run);
  for (const Variable& variable : run.result.description.variables) {
    if (chosen.size() >= most_columns) break;
    const bool changes =
        variable.variability == Variability::continuous || variable.variability == Variability::discrete;
    const bool result = variable.causality == Causality::local || variable.causality == Causality::dependent;
    if (!changes || !result || variable.is_text() || variable.type == Type::clock) continue;
    if (!variable.dimensions.empty() || std::find(chosen.begin(), chosen.end(), &variable) != chosen.end()) continue;
    chosen.push_back(&variable);
  }
  return chosen;
}

bool find_named(Run& run, std::vector<const Variable*>& chosen) {
  bool all = true;
  const std::vector<std::string>& names = run.options.variables;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& name = names[k];
    const Variable* variable = find_in_list(run.result.description, names, k);
    if (variable != nullptr) {
      if (std::find(chosen.begin(), chosen.end(), variable) == chosen.end()) chosen.push_back(variable);
      continue;
    }
    all = false;
    run.result.diagnostics.error("fmi-unknown-variable", {run.file, 0, 0, {}, name},
                                 "the FMU has no variable of this name", "orrery fmu info lists the variables");
  }
  return all;
}

// --set: structural parameters in configuration mode, all others before the initialisation.
bool set_values(Run& run, bool structural) {
  Diagnostics& diagnostics = run.result.diagnostics;
  const int before = diagnostics.error_count();
  bool configuring = false;
  for (const auto& [name, text] : run.options.set) {
    const Variable* variable = run.result.description.find(name);
    if (variable == nullptr) {
      if (structural) {
        diagnostics.error("fmi-unknown-variable", {run.file, 0, 0, {}, name}, "the FMU has no variable of this name",
                          "orrery fmu info lists the variables");
      }
      continue;
    }
    if ((variable->causality == Causality::structural_parameter) != structural) continue;
    if (variable->variability == Variability::constant || variable->causality == Causality::calculated_parameter ||
        variable->causality == Causality::independent) {
      diagnostics.error("fmi-not-settable", {run.file, 0, 0, {}, name},
                        fmt::format("a variable of causality {} and variability {} cannot be set",
                                    name_of(variable->causality), name_of(variable->variability)));
      continue;
    }
    if (structural && !configuring) {
      if (!run.check(run.instance->enter_configuration(), run.result.start)) return false;
      configuring = true;
    }
    const int errors = diagnostics.error_count();
    const Status status = set_value(*run.instance, run.result.description, *variable, text, diagnostics);
    if (errors == diagnostics.error_count() && !run.check(status, run.result.start)) return false;
    // Sizes of arrays follow from it.
    if (structural) {
      run.result.description.variables[run.result.description.by_name.at(name)].start = {text};
    }
  }
  if (configuring && !run.check(run.instance->exit_configuration(), run.result.start)) return false;
  return diagnostics.error_count() == before;
}

}  // namespace

double time_rounding(double t, double horizon) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), horizon);
}

bool Run::fail(Status status, double t) {
  const Place place{file, 0, 0, {}, {}};
  const Death* death = status == Status::fatal ? instance->death() : nullptr;
  Diagnostic& error =
      death != nullptr
          ? result.diagnostics.error(death->code, place, death->message,
                                     death->code == "fmi-hang" ? "--time-limit changes how long a call may take" : "")
          : result.diagnostics.error("fmi-call-failed", place,
                                     fmt::format("{} returned {}", instance->last_call(), name_of(status)),
                                     "--log - shows all that the FMU says");
  error.time = t;
  error.notes = log->last_words();
  return false;
}

bool Run::fail_in_guard(double t) {
  Recording& recording = result.recording;
  recording.numbers.resize(recording.rows() * recording.numbers_per_row);
  recording.texts.resize(recording.rows() * recording.texts_per_row);
  return fail(Status::fatal, t);
}

bool Run::has_room(double t) {
  const Recording& recording = result.recording;
  const std::size_t bytes = (recording.time.size() + recording.numbers.size()) * sizeof(double) +
                            recording.texts.size() * sizeof(std::string);
  if (static_cast<double>(bytes) <= options.results_limit) return true;
  result.diagnostics
      .error("results-too-large", {file, 0, 0, {}, {}},
             fmt::format("{} rows of {} values were recorded, which is more than the {:.3g} GB that results may take",
                         recording.rows(), recording.columns.size(), options.results_limit / 1e9),
             "record fewer variables (--vars), at fewer points (--interval)")
      .time = t;
  return false;
}

bool Run::record(double t) {
  Recording& recording = result.recording;
  if (!has_room(t)) return false;
  const std::size_t row = recording.rows();
  recording.numbers.resize((row + 1) * recording.numbers_per_row);
  recording.texts.resize((row + 1) * recording.texts_per_row);
  const Status status = reader->read(*instance, recording.numbers.data() + row * recording.numbers_per_row,
                                     recording.texts.data() + row * recording.texts_per_row);
  if (!check(status, t)) {
    recording.numbers.resize(row * recording.numbers_per_row);
    recording.texts.resize(row * recording.texts_per_row);
    return false;
  }
  if (!reader->gap().empty() && !warned_of_gaps) {
    warned_of_gaps = true;
    result.diagnostics
        .warning("fmi-no-value", {file, 0, 0, {}, reader->gap()},
                 fmt::format("{} gives no value; it is recorded as nan, or empty, here and wherever it is missing",
                             reader->gap_call()))
        .time = t;
  }
  recording.time.push_back(t);
  return true;
}

bool Run::iterate_events(double t, bool at_least_once) {
  bool states_changed = false, nominals_changed = false;
  events.again = events.again || at_least_once;
  for (int k = 0; events.again && !events.terminate; ++k) {
    if (k == most_event_iterations) {
      result.diagnostics
          .error("fmi-event-iteration", {file, 0, 0, {}, {}},
                 fmt::format("the event iteration does not end: {} asks for more after {} calls", instance->last_call(),
                             k))
          .time = t;
      return false;
    }
    if (!check(instance->update_discrete_states(events), t)) return false;
    states_changed = states_changed || events.states_changed;
    nominals_changed = nominals_changed || events.nominals_changed;
  }
  events.states_changed = states_changed;
  events.nominals_changed = nominals_changed;
  return true;
}

bool Run::handle_event(double t, double rounding) {
  if (!inputs.empty()) {
    if (!check(inputs.set_continuous(*instance, t, Side::right), t)) return false;
    if (!check(inputs.set_discrete(*instance, t, Side::right), t)) return false;
  }
  if (clocks.empty()) return iterate_events(t, true);
  const std::vector<ValueReference> due = clocks.take_due(t, rounding);
  if (!due.empty()) {
    const std::vector<double> active(due.size(), 1);
    if (!check(instance->set_numbers(Type::clock, due, active), t)) return false;
  }
  if (!iterate_events(t, true)) return false;
  return check(clocks.ask(*instance, t), t);
}

void Run::show_progress(double t) const {
  if (!options.progress) return;
  const double horizon = result.stop - result.start;
  options.progress(horizon > 0 ? (t - result.start) / horizon : 1, t);
}

bool initialise(Run& run) {
  Instance& instance = *run.instance;
  const double start = run.result.start;
  if (!run.options.log.empty()) {
    const std::vector<std::string>& asked = run.options.log_categories;
    if (!succeeded(instance.set_debug_logging(true, asked.empty() ? run.result.description.log_categories : asked))) {
      run.result.diagnostics.warning("fmi-no-logging", {run.file, 0, 0, {}, {}},
                                     fmt::format("{} failed; the log may be empty", instance.last_call()));
    }
  }
  if (!set_values(run, true)) return false;
  RunInterval interval;
  interval.start = start;
  interval.tolerance = run.result.rtol;
  if (run.options.tell_stop) interval.stop = run.result.stop;
  if (!run.check(instance.setup(interval), start)) return false;
  if (!set_values(run, false)) return false;
  run.clocks = ClockCalendar(run.result.description, start);
  if (!run.options.input.empty()) {
    const double rounding = time_rounding(std::max(std::fabs(start), std::fabs(run.result.stop)), 0);
    run.inputs =
        InputSeries(run.result.description, run.input_text, run.options.input, rounding, run.result.diagnostics);
    if (run.result.diagnostics.has_errors()) return false;
    for (const auto& [clock, times] : run.inputs.ticks()) run.clocks.set_ticks(clock, times);
  }
  if (!run.check(instance.enter_initialization(), start)) return false;
  if (!run.check(run.inputs.set_all_at_start(instance, start), start)) return false;
  return run.check(instance.exit_initialization(run.events), start);
}

bool choose_columns(Run& run) {
  const Description& description = run.result.description;
  std::vector<const Variable*> chosen;
  if (!run.options.variables.empty()) {
    if (!find_named(run, chosen)) return false;
  } else {
    for (const Variable& variable : description.variables) {
      if (variable.causality == Causality::output && variable.type != Type::clock) chosen.push_back(&variable);
    }
    if (chosen.empty()) chosen = changing_variables(run);
    for (const std::string& name : run.options.also) {
      const Variable* variable = find_variable(description, name);
      const bool is_new = variable != nullptr && std::find(chosen.begin(), chosen.end(), variable) == chosen.end();
      if (is_new && variable->type != Type::clock) chosen.push_back(variable);
    }
    if (chosen.empty()) {
      run.result.diagnostics.warning("fmi-no-outputs", {run.file, 0, 0, {}, {}},
                                     "the FMU has neither outputs nor named states; nothing is recorded",
                                     "name variables with --vars; orrery fmu info lists them");
    }
  }
  for (const Variable* variable : chosen) {
    if (element_count(description, *variable) <= most_recorded_elements) continue;
    run.result.diagnostics.error(
        "fmi-too-large", {run.file, 0, 0, {}, variable->name},
        fmt::format("an array of more than {} elements cannot be recorded", most_recorded_elements));
    return false;
  }
  run.reader.emplace(description, chosen);
  Recording& recording = run.result.recording;
  recording.numbers_per_row = run.reader->numbers();
  recording.texts_per_row = run.reader->texts();
  for (const Reader::Column& column : run.reader->columns()) {
    const bool continuous = column.variable->variability == Variability::continuous;
    recording.columns.push_back({column.name, column.is_text, continuous, column.place, column.exact});
  }
  return true;
}

int Recording::find(const std::string& name) const {
  for (const Column& column : columns) {
    if (column.name == name && !column.is_text) return static_cast<int>(column.place);
  }
  return -1;
}

}  // namespace orrery::fmi
